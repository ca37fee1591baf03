"""How the worker of Spark looks at what jobs leave, without a Spark."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError

from fsconform.adapters.spark.worker import Worker

ROOT = "file:/data"


class Path(str):
    """A path as Hadoop has it."""

    def toString(self) -> str:
        return str(self)


class Failed(Py4JJavaError):  # type: ignore[misc]
    """An error of Java's of this class."""

    def __init__(self, kind: str) -> None:
        self.java_exception = SimpleNamespace(getClass=lambda: SimpleNamespace(getName=lambda: kind))


def status(path: str, length: int = -1) -> Any:
    return SimpleNamespace(getPath=lambda: Path(path), isDirectory=lambda: length < 0, getLen=lambda: length)


class Tree:
    """A filesystem whose directory ``gone`` can't be listed, for a reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def listStatus(self, path: str) -> list[Any]:
        if path.endswith("/gone"):
            raise Failed(self.reason)
        return [status(f"{path}/f", 3)]


TOP = [status(f"{ROOT}/gone"), status(f"{ROOT}/kept"), status(f"{ROOT}/g", 5)]


def test_what_goes_while_it_is_looked_at_is_not_there() -> None:
    files: list[list[Any]] = []
    Worker.__new__(Worker)._walk(Tree("java.io.FileNotFoundException"), TOP, ROOT, files)
    assert files == [["kept/", 0], ["kept/f", 3], ["g", 5]]


def test_another_error_is_not_taken_for_that() -> None:
    with pytest.raises(Failed):
        Worker.__new__(Worker)._walk(Tree("java.net.ConnectException"), TOP, ROOT, [])
