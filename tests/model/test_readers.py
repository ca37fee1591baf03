"""What is allowed of streams that are read on from step to step, whatever becomes of their files meanwhile."""

from __future__ import annotations

import pytest

from fsconform.model.core import content as contents
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Outcome, Raised, Returned
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input import readers as open_readers
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.model.filesystem.stream_scripts import parse, told_bytes

OLD, NEW = contents.of(1, 20), contents.of(2, 30)
MADE, OPENED = Create(("a",), OLD, False), OpenReader(("a",), "r1")
APPENDED = Append(("a",), NEW)
OVERWRITTEN = Create(("a",), NEW, True)
RENAMED, DELETED = Rename(("a",), ("b",)), Delete(("a",), False)
ORACLE = Oracle(Contract({"supports-seek": True, "supports-append": True}))
STREAM = "fsdatainputstream."
EOF, IO, RUNTIME = "raised EOFException", "raised IOException", "raised NullPointerException"


def held(content: contents.Content, start: int, size: int) -> str:
    """The answer for some bytes of a content."""
    return told_bytes(b"".join(contents.chunks(contents.slice_of(content, start, size))))


def told(*answers: str, last: bool = False) -> Returned:
    """Facts of a script."""
    named = tuple((str(number), answer) for number, answer in enumerate(answers, 1))
    return Returned(Facts("input stream", (*named, ("close", "done")) if last else named))


def stepped(state: State, operation: Operation, outcome: Outcome) -> State:
    """The state after what must be allowed."""
    after = ORACLE.step(state, operation, outcome)[0][1]
    assert after is not None
    return after


def after(*operations: Operation) -> State:
    """The state after operations that do what they are expected to."""
    state: State = EMPTY
    for one in operations:
        state = stepped(state, one, Returned(True if isinstance(one, Rename | Delete) else None))
    return state


def wrong(state: State, script: str, *answers: str) -> str:
    """The clause that answers break; the empty string if they are allowed."""
    operation, outcome = ReadOn("r1", tuple(script.split("; "))), told(*answers)
    if ORACLE.step(state, operation, outcome):
        return ""
    differs = MEANINGS[ReadOn].differs
    assert differs is not None
    found = differs(state, operation, outcome.value)
    assert found is not None
    return found.clause.removeprefix(STREAM)


def first(content: contents.Content, place: int) -> str:
    """The answer of read at a place."""
    return str(int(held(content, place, 1).split(" ")[1], 16))


def test_a_stream_goes_on_where_its_script_left_it() -> None:
    state = after(MADE, OPENED)
    state = stepped(state, ReadOn("r1", ("read", "seek 7")), told(first(OLD, 0), "done"))
    assert wrong(state, "getPos", "7") == ""
    assert wrong(state, "getPos", "0") == "getPos.post"
    assert wrong(state, "read 4", held(OLD, 7, 4)) == ""
    assert wrong(state, "read 4", held(OLD, 0, 4)) == "read-buffer.post.bytes"
    left = stepped(state, ReadOn("r1", ("read 4",)), told(held(OLD, 7, 3)))
    assert wrong(left, "getPos", "10") == "" and wrong(left, "getPos", "11") == ""
    closed = stepped(state, ReadOn("r1", ("close",)), told("done"))
    assert wrong(closed, "read", IO) == "" and wrong(closed, "read", first(OLD, 7)) == "read.pre.open"


def test_streams_have_places_of_their_own() -> None:
    state = after(MADE, OPENED, OpenReader(("a",), "r2"))
    state = stepped(state, ReadOn("r2", ("drain",)), told(held(OLD, 0, 20)))
    assert wrong(state, "getPos", "0") == "" and wrong(state, "getPos", "20") == "getPos.post"


@pytest.mark.parametrize(
    ("changes", "script", "answers", "broken"),
    [
        ((APPENDED,), "drain", (held(OLD, 0, 20),), ""),
        ((APPENDED,), "drain", (held(OLD + NEW, 0, 50),), ""),
        ((APPENDED,), "drain", (IO,), ""),
        ((APPENDED,), "drain", (held(OLD, 0, 19),), "read-buffer.post.bytes"),
        ((APPENDED,), "pread 0 9", (held(NEW, 0, 9),), "read-buffer.post.bytes"),
        ((APPENDED,), "readFully 18 4", (EOF,), ""),
        ((APPENDED,), "readFully 18 4", (held(OLD + NEW, 18, 4),), ""),
        ((APPENDED,), "readFully 18 4", (held(OLD, 18, 2),), "readFully.post"),
        ((APPENDED,), "pread 60 4", ("4 00000000",), "read-buffer.post.bytes"),
        ((OVERWRITTEN,), "read; pread 3 4", (first(NEW, 0), held(OLD, 3, 4)), ""),
        ((OVERWRITTEN,), "pread 0 2", (f"2 {held(OLD, 0, 1)[2:]}{held(NEW, 1, 1)[2:]}",), ""),
        ((OVERWRITTEN,), "pread 0 2", ("2 0102",), "read-buffer.post.bytes"),
        ((OVERWRITTEN,), "read", (RUNTIME,), ""),
        ((RENAMED,), "drain; close", (held(OLD, 0, 20), "done"), ""),
        ((RENAMED,), "drain", ("raised FileNotFoundException",), ""),
        ((DELETED,), "drain", ("0",), "read-buffer.post.bytes"),
        ((DELETED,), "read", ("-1",), "read-buffer.post.bytes"),
        ((DELETED,), "vectored 0+3 9+2", (f"{held(OLD, 0, 3)}, later IOException",), ""),
        ((DELETED,), "vectored 0+3 9+2", (f"{held(OLD, 0, 3)}, {held(OLD, 0, 2)}",), "read-buffer.post.bytes"),
        ((RENAMED, Create(("a",), NEW, False)), "read 5", (held(NEW, 0, 5),), ""),
        ((RENAMED, Append(("b",), NEW)), "drain", (held(OLD + NEW, 0, 50),), ""),
        ((Create(("c",), NEW, False), DELETED), "read 5", (held(NEW, 0, 5),), ""),
        ((RENAMED, Rename(("b",), ("a",))), "read", (IO,), "read.post"),
    ],
)
def test_files_that_change(changes: tuple[Operation, ...], script: str, answers: tuple[str, ...], broken: str) -> None:
    assert wrong(after(MADE, OPENED, *changes), script, *answers) == broken


def test_another_file_is_never_met() -> None:
    state = after(Create(("c",), NEW, False), MADE, OPENED, DELETED)
    assert wrong(state, "read 5", held(NEW, 0, 5)) == "read-buffer.post.bytes"


def test_a_file_that_is_written_meanwhile() -> None:
    state = after(MADE, OPENED, OpenWriter(("a",), "w1", "overwrite"), Write("w1", NEW))
    assert all(wrong(state, "pread 2 3", one) == "" for one in (held(OLD, 2, 3), held(NEW, 2, 3), "-1", IO))
    assert wrong(state, "pread 2 3", "3 010203") == "read-buffer.post.bytes"
    assert wrong(stepped(state, CloseWriter("w1"), Returned(None)), "drain", held(NEW, 0, 30)) == ""


def test_a_stream_of_a_file_that_is_being_written() -> None:
    state = after(OpenWriter(("a",), "w1", "create"), Write("w1", NEW), OPENED)
    assert wrong(state, "drain", held(NEW, 0, 7)) == "" and wrong(state, "read", "-1") == ""
    assert wrong(state, "drain", held(OLD, 0, 7)) == "read-buffer.post.bytes"


def test_a_stream_that_was_read_while_its_file_was_away_may_have_failed() -> None:
    state = after(MADE, OPENED, RENAMED)
    state = stepped(state, ReadOn("r1", ("read",)), told(IO))
    state = stepped(state, Rename(("b",), ("a",)), Returned(True))
    assert wrong(state, "pread 0 3", IO) == "" and wrong(state, "pread 0 3", held(OLD, 0, 3)) == ""
    assert wrong(state, "pread 0 3", held(NEW, 0, 3)) == "read-buffer.post.bytes"


def test_what_can_not_be_opened() -> None:
    missing, built = OpenReader(("x",), "r1"), OpenReader(("x",), "r1", "random")
    error = Raised(ancestry("FileNotFoundException"))
    assert ORACLE.step(EMPTY, missing, error) and ORACLE.step(EMPTY, built, error)
    assert not ORACLE.step(EMPTY, missing, Returned(None))
    late = stepped(EMPTY, built, Returned(None))
    assert wrong(late, "read", IO) == ""
    one = late.readers.get("r1")
    assert one is not None and open_readers.standing(late, one) == "unknown"


BUFFERS = [
    ("bytebuffer 5; getPos", (held(OLD, 0, 3), "3"), ""),
    ("bytebuffer direct 5; bytebuffer 0", (held(OLD, 0, 5), "0"), ""),
    ("bytebuffer 5; getPos", ("raised UnsupportedOperationException", "0"), ""),
    ("bytebuffer 5", (f"{held(OLD, 0, 5)} misplaced",), "read-buffer.post.bytes"),
    ("bytebuffer 5", (f"{held(OLD, 0, 5)} spilled",), "read-buffer.post.bytes"),
    ("bytebuffer 5", ("-1",), "read-buffer.post.at-least-one"),
    ("bytebuffer 0", (IO,), "read-buffer.post.zero"),
    ("close; bytebuffer 5", ("done", held(OLD, 0, 5)), "read.pre.open"),
    ("preadbuffer 18 5; preadbuffer 20 5; getPos", (held(OLD, 18, 1), "-1", "0"), ""),
    ("preadbuffer 3 5; getPos", (held(OLD, 3, 5), "8"), "positioned.position-unchanged"),
    ("preadbuffer 3 5", (held(OLD, 0, 5),), "pread.post"),
    ("preadbuffer 3 5", ("-1",), "pread.post"),
    ("preadbuffer 3 5", (f"{held(OLD, 3, 5)} misplaced",), "pread.post"),
    ("capability in:readbytebuffer; bytebuffer 3", ("false", held(OLD, 0, 3)), ""),
    (
        "capability in:readbytebuffer; bytebuffer 3",
        ("true", "raised UnsupportedOperationException"),
        "outputstream.capability.supported-only",
    ),
    (
        "preadbuffer 0 3; capability in:preadbytebuffer",
        ("raised UnsupportedOperationException", "true"),
        "outputstream.capability.supported-only",
    ),
    ("capability fsconform.unknown", ("true",), "outputstream.capability.supported-only"),
    ("close; capability in:readahead", ("done", IO), "outputstream.capability.closed"),
    ("skip 30; drain; getPos", ("30", "0", "30"), ""),
]


@pytest.mark.parametrize(("script", "answers", "broken"), BUFFERS)
def test_byte_buffers_and_claims(script: str, answers: tuple[str, ...], broken: str) -> None:
    assert wrong(after(MADE, OPENED), script, *answers) == broken
    whole = ReadStream(("a",), tuple(script.split("; ")))
    value = told(*answers, last="close" not in script)
    assert bool(ORACLE.step(after(MADE), whole, value)) is not bool(broken)


@pytest.mark.parametrize("text", ["bytebuffer", "bytebuffer -1", "bytebuffer heap 3", "preadbuffer 3"])
def test_what_is_no_action(text: str) -> None:
    with pytest.raises(ValueError, match="action"):
        parse(text)
