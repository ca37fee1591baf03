"""A client of another Hadoop release lacks calls: that is told apart from a fault of the worker's own."""

from __future__ import annotations

from typing import Any

import pytest

from fsconform.adapters.hadoop import jvm
from fsconform.adapters.jars import DEFAULT

METHOD = AttributeError("'org.apache.hadoop.fs.FileSystem' object has no attribute 'createBulkDelete'")
CLASS = TypeError("Class org.apache.hadoop.io.wrappedio.WrappedIO is not found")
OURS = (
    AttributeError("'Places' object has no attribute 'jav'"),
    AttributeError("'NoneType' object has no attribute 'close'"),
    TypeError("Class fsconform.Helper is not found"),
    TypeError("No matching overloads found"),
)


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The release that the client says it is, to be set by the test."""
    said = ["3.3.6"]

    class VersionInfo:
        @staticmethod
        def getVersion() -> str:
            return said[0]

    def found(name: str) -> Any:
        assert name == "org.apache.hadoop.util.VersionInfo"
        return VersionInfo

    monkeypatch.setattr("fsconform.adapters.hadoop.jvm.jpype.JClass", found)
    return said


def test_what_an_older_client_lacks_is_named(release: list[str]) -> None:
    assert jvm.lacking(METHOD) == "Hadoop 3.3.6 has no createBulkDelete"
    assert jvm.lacking(CLASS) == "Hadoop 3.3.6 has no org.apache.hadoop.io.wrappedio.WrappedIO"


def test_nothing_is_excused_of_the_default_release(release: list[str]) -> None:
    release[0] = DEFAULT
    assert jvm.lacking(METHOD) == jvm.lacking(CLASS) == ""


@pytest.mark.parametrize("error", OURS)
def test_faults_of_our_own_are_not_excused(release: list[str], error: AttributeError | TypeError) -> None:
    assert jvm.lacking(error) == ""
