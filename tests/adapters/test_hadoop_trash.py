"""The trash of a program: where Hadoop keeps it outside the sandbox nothing is moved there, and nothing removed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.handlers import protocols
from fsconform.model.core.outcomes import Facts, facts

BASE = "/kept/fsconform/p1"


class Path:
    """What of Java's Path is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    def toUri(self) -> Path:
        return self

    def getPath(self) -> str:
        return self._text

    def getParent(self) -> Path:
        return Path(self._text.rpartition("/")[0])


class Filesystem:
    """A filesystem that keeps its trash at ``root``."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.deleted: list[str] = []

    def getTrashRoot(self, path: object) -> Path:
        return Path(self.root)

    def delete(self, path: Path, recursive: bool) -> None:
        self.deleted.append(path.getPath())

    def getConf(self) -> None:
        return None


def trashed(root: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Filesystem]:
    """What comes of a call on the trash where it is kept at ``root``."""
    fs = Filesystem(root)

    @contextmanager
    def home_in(caller: object, base: str, interval: str) -> Iterator[Filesystem]:
        yield fs

    names = {"TrashPolicy": SimpleNamespace(getInstance=lambda conf, fs: None), "Path": Path}
    monkeypatch.setattr(protocols, "_home_in", home_in)
    monkeypatch.setattr(protocols, "java", names.__getitem__)
    monkeypatch.setattr(jvm, "text", str)
    places: Any = SimpleNamespace(base=BASE, java=lambda path: Path(BASE))
    nothing: Any = None
    return protocols._with_trash(nothing, (), places, BASE, "0", lambda *_: facts("trash", moved=True)), fs


def test_a_trash_in_the_sandbox_is_used_and_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    found, fs = trashed(f"{BASE}/root/.Trash", monkeypatch)
    assert isinstance(found, Facts) and fs.deleted == [f"{BASE}/root/.Trash", f"{BASE}/root"]


@pytest.mark.parametrize("root", ["/kept/.Trash/root", f"{BASE}1/root/.Trash"])
def test_a_trash_elsewhere_is_left_alone(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, fs = trashed(root, monkeypatch)
    assert isinstance(found, wire.NotExpressible) and root in found.reason and fs.deleted == []


def test_nothing_is_inside_the_root_itself() -> None:
    assert protocols.inside("/a", "/a") and protocols.inside("/a/b", "/a")
    assert not protocols.inside("/ab", "/a") and not protocols.inside("/a", "")
