"""What is allowed of calls that are told of by what they do to each other, and which clause is broken otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.model.core.content import EMPTY as NO_BYTES
from fsconform.model.core.content import of
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Raised, Returned, Value, facts
from fsconform.model.core.paths import parse
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.metadata.rename_and_access_times import ReadTimed, RenameTimed
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.protocols.path_handles import OpenForeignHandle
from fsconform.model.filesystem.protocols.unreachable_store import CallNowhere
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.status.etags import CompareEtags
from fsconform.model.filesystem.transfer.local_copies import CopyWithin

Tree = Callable[[str], State]
A, B = parse("/a"), parse("/a/b")
ETAGS = {"etags-available": True}
HDFS = {"fsconform.hdfs-timestamps": True}
CONTENTS = "filesystem.etagSource.contents"
TIMES = "introduction.timestamps.hdfs"


def judged(state: State, operation: Operation, outcome: Value | str, declared: dict[str, bool]) -> str:
    """Empty for what is allowed, else the clause of the difference, or a question mark where there is none."""
    result = Raised(ancestry(outcome)) if isinstance(outcome, str) else Returned(outcome)
    if Oracle(Contract(dict(declared))).step(state, operation, result):
        return ""
    differs = MEANINGS[type(operation)].differs
    found = differs(state, operation, outcome) if differs and not isinstance(outcome, str) else None
    return found.clause if found else "?"


@pytest.mark.parametrize(
    ("first", "second", "other", "declared", "broken"),
    [
        ("x", "y", of(2, 3), ETAGS, ""),
        ("x", "x", of(2, 3), ETAGS, CONTENTS),
        ("x", "x", of(1, 4), ETAGS, CONTENTS),
        ("x", "x", of(1, 3), ETAGS, ""),
        ("x", "y", of(1, 3), ETAGS, ""),
        ("", "", of(2, 3), ETAGS, "?"),
        ("x", "", of(2, 3), ETAGS, ""),
        ("", "", of(2, 3), {}, ""),
        ("x", "y", of(2, 3), {}, "?"),
    ],
)
def test_etags(tree: Tree, first: str, second: str, other: object, declared: dict[str, bool], broken: str) -> None:
    operation = CompareEtags(A, of(1, 3), other)  # type: ignore[arg-type]
    for state in ("-", "a=5"):
        assert judged(tree(state), operation, facts("etags", first=first, second=second), declared) == broken


def test_etags_of_a_store_without_them_leave_the_last_content(tree: Tree) -> None:
    operation = CompareEtags(A, of(1, 3), NO_BYTES)
    ((_, after),) = Oracle(Contract({})).step(tree("a=9"), operation, Returned(None))
    assert after is not None and locate(after, A) == File(NO_BYTES)


@pytest.mark.parametrize(
    ("outcome", "declared", "allowed"),
    [
        ("UnsupportedOperationException", {}, True),
        ("IOException", {}, False),
        ("InvalidPathHandleException", {"supports-file-reference": True}, True),
        ("UnsupportedOperationException", {"supports-content-check": True}, True),
    ],
)
def test_foreign_handle(tree: Tree, outcome: str, declared: dict[str, bool], allowed: bool) -> None:
    assert (judged(tree("-"), OpenForeignHandle(), outcome, declared) == "") is allowed


@pytest.mark.parametrize(
    ("state", "src", "dst", "outcome", "allowed"),
    [
        ("a=3", "/a", "/a", "IOException", True),
        ("a=3", "/a", "/a", "PathExistsException", True),
        ("a=3", "/a", "/a", None, False),
        ("a/b=3", "/a/b", "/a", None, False),
        ("a/b=3", "/a", "/a/b", "IOException", True),
        ("a/b=3", "/a", "/a/c", None, False),
        ("-", "/a", "/a", "FileNotFoundException", True),
        ("-", "/a", "/a", None, False),
    ],
)
def test_copies_within(tree: Tree, state: str, src: str, dst: str, outcome: str | None, allowed: bool) -> None:
    operation = CopyWithin(parse(src), parse(dst), True)
    assert (judged(tree(state), operation, outcome, {}) == "") is allowed


@pytest.mark.parametrize(
    ("kept", "directories", "least", "broken"),
    [
        (True, True, 0, ""),
        (True, True, -1, f"{TIMES}.unset"),
        (False, True, 0, f"{TIMES}.rename"),
        (True, False, 0, f"{TIMES}.rename"),
    ],
)
def test_times_over_a_rename(tree: Tree, kept: bool, directories: bool, least: int, broken: str) -> None:
    told = facts("times", kept=kept, directories=directories, least=least)
    assert judged(tree("a=3"), RenameTimed(A), told, HDFS) == broken
    assert judged(tree("a=3"), RenameTimed(A), told, {}) == ""


@pytest.mark.parametrize(("soon", "late"), [(False, True), (True, True), (False, False), (True, False)])
def test_times_of_access(tree: Tree, soon: bool, late: bool) -> None:
    told = facts("access", soon=soon, late=late)
    right = late and not soon
    assert judged(tree("a=3"), ReadTimed(A), told, HDFS) == ("" if right else f"{TIMES}.access-time")
    assert judged(tree("a=3"), ReadTimed(A), told, {}) == ""


def test_times_of_what_is_no_file(tree: Tree) -> None:
    for operation in (RenameTimed(A), ReadTimed(A)):
        assert judged(tree("a/"), operation, None, HDFS) == ""
        assert judged(tree("-"), operation, "FileNotFoundException", HDFS) == ""
        assert judged(tree("-"), operation, None, HDFS) == "?"


@pytest.mark.parametrize(("error", "io"), [(True, True), (True, False), (False, False)])
def test_call_to_nowhere(tree: Tree, error: bool, io: bool) -> None:
    told = facts("nowhere", error=error, io=io)
    broken = "" if io else "introduction.network.ioexception"
    assert judged(tree("-"), CallNowhere(), told, {}) == broken
