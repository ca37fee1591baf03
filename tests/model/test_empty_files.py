"""A store on which a file without bytes is a directory: allowed where its contract says so, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Returned, facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadStream
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.options.core import EMPTY_FILES_ARE_DIRECTORIES
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.state import EMPTY, Dir, File, State, locate

ROWS = """
- | create /a/b 0 | ok | fsconform.empty-files-are-directories | declared | a/b/
- | create /a 3 | ok | fsconform.empty-files-are-directories | conforms | a=3
- | create /a 0 | ok | - | conforms | a=0
a=3 | create! /a 0 | ok | fsconform.empty-files-are-directories | declared | a/
a=3 | create /b 0 | FileNotFoundException | fsconform.empty-files-are-directories | nothing
a/ | status /a | file /a 0 | fsconform.empty-files-are-directories | nothing
a/ | status /a | dir /a 0 | fsconform.empty-files-are-directories | conforms
a/ | open /a | bytes 0 1 | fsconform.empty-files-are-directories | declared
a/ | open /a | bytes 0 1 | - | nothing
a/ | open /a | bytes 1 1 | fsconform.empty-files-are-directories | nothing
a/ | open /a | FileNotFoundException | fsconform.empty-files-are-directories | conforms
- | open /a | bytes 0 1 | fsconform.empty-files-are-directories | nothing
a=3 | open /a | bytes 0 1 | fsconform.empty-files-are-directories | nothing
a=3 | open /a/b | bytes 0 1 | fsconform.empty-files-are-directories | nothing
a/b=3 | rename /a/b /c | true | fsconform.empty-files-are-directories | conforms | a/ c=3
""".strip().splitlines()

DECLARING = Oracle(Contract({EMPTY_FILES_ARE_DIRECTORIES: True}))


@pytest.mark.parametrize("row", ROWS)
def test_row(row: str, check: Callable[[str], tuple[Branch, ...]]) -> None:
    check(row)


def after(state: State, operation: Operation) -> State:
    """The state that a call leads to which returns nothing."""
    ((_, reached),) = DECLARING.step(state, operation, Returned(None))
    assert reached is not None
    return reached


def test_a_file_becomes_a_directory_when_its_stream_is_closed() -> None:
    at: Path = ("a",)
    state = after(EMPTY, OpenWriter(at, "w", "create"))
    assert type(locate(state, at)) is File
    assert DECLARING.predicted(state, CloseWriter("w")) == after(state, CloseWriter("w"))
    assert type(locate(after(state, CloseWriter("w")), at)) is Dir


def test_of_a_directory_that_was_opened_as_a_stream_nothing_is_known(tree: Callable[[str], State]) -> None:
    state, opening = tree("a/"), OpenReader(("a",), "r")
    known = after(state, opening).readers["r"]
    assert not known.is_known
    assert not Oracle(Contract()).step(state, opening, Returned(None))
    assert not DECLARING.step(EMPTY, opening, Returned(None))


@pytest.mark.parametrize(("answer", "departs"), [("-1", [True]), ("7", [])])
def test_what_is_read_of_a_directory_is_judged_as_of_a_file_without_bytes(
    answer: str, departs: list[bool], tree: Callable[[str], State]
) -> None:
    state, script = tree("a/b=3"), ReadStream(("a",), ("read",))
    outcome = Returned(facts("input stream", **{"1": answer, "close": "done"}))
    assert [branch.departs for branch, _ in DECLARING.step(state, script, outcome)] == departs
    assert not Oracle(Contract()).step(state, script, outcome)


def test_content_in_pieces_without_bytes_is_none() -> None:
    state = after(EMPTY, Create(("a",), (contents.Segment(3, 0),), False))
    assert type(locate(state, ("a",))) is Dir


def test_no_departure_is_explained_by_the_option_where_no_contract_declares_it(tree: Callable[[str], State]) -> None:
    assert not Oracle(Contract()).step_under_any(tree("a/"), OpenReader(("a",), "r"), Returned(None))
    assert DECLARING.step_under_any(tree("a/"), OpenReader(("a",), "r"), Returned(None))
