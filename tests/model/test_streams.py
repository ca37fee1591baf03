"""What is allowed of a stream that is read action by action, and which clause is broken by what is not."""

from __future__ import annotations

import pytest

from fsconform.model.core import content as contents
from fsconform.model.core.errors import ancestry
from fsconform.model.core.outcomes import Facts, Raised, Returned
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.read_stream import ReadStream, kept
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY, File, put
from fsconform.model.filesystem.stream_scripts import error_of, parse, told_bytes, told_error

READ_STREAM = MEANINGS[ReadStream]
CONTENT = contents.of(1, 20)
DATA = b"".join(contents.chunks(CONTENT))
ROOT = put(EMPTY, ("a",), File(CONTENT))
SEEKS = {"supports-seek": True}
STREAM = "fsdatainputstream."


def held(start: int, size: int) -> str:
    """The answer for some bytes of the file."""
    return told_bytes(DATA[start : start + size])


def told(script: str, answers: tuple[str, ...], last: str = "done", via: str = "") -> tuple[ReadStream, Facts]:
    """A script, its actions parted by ``;``, and what was told of it."""
    named = tuple((str(number), answer) for number, answer in enumerate(answers, 1))
    return ReadStream(("a",), tuple(script.split("; ")), via), Facts("input stream", (*named, ("close", last)))


def allowed(operation: ReadStream, value: Facts, declared: dict[str, bool] | None = None) -> bool:
    """Whether a contract allows it."""
    return bool(Oracle(Contract({**SEEKS, **(declared or {})})).step(ROOT, operation, Returned(value)))


@pytest.mark.parametrize(
    ("script", "answers"),
    [
        ("read; getPos; drain; read; read 4", (str(DATA[0]), "1", held(1, 19), "-1", "-1")),
        ("read 9; getPos", (held(0, 4), "4")),
        ("read 0; read 3 at 1 in 9", ("0", held(0, 3))),
        ("drain; read 2 at -1 in 4", (held(0, 20), "-1")),
        ("drain; read 2 at -1 in 4", (held(0, 20), "raised IndexOutOfBoundsException RuntimeException")),
        ("seek 5; read; seek 0; getPos", ("done", str(DATA[5]), "done", "0")),
        ("seek -1; getPos; read", ("raised EOFException", "3", str(DATA[3]))),
        ("seek 20; read", ("done", "-1")),
        ("seek 20; seek 3; read", ("raised EOFException", "done", str(DATA[3]))),
        ("read; newSource 9; getPos", (str(DATA[0]), "raised UnsupportedOperationException", "1")),
        ("pread 18 9; pread 20 1; pread 30 0; getPos", (held(18, 2), "-1", "0", "0")),
        (
            "pread -1 4; pread 0 5 at 2 in 4",
            ("raised EOFException", "raised IndexOutOfBoundsException RuntimeException"),
        ),
        ("readFully 18 4; fill 0 20", ("raised EOFException", held(0, 20))),
        ("vectored 10+5 0+3; getPos", (f"{held(10, 5)}, {held(0, 3)}", "77")),
        ("vectored 18+9", ("later EOFException",)),
        ("vectored 5+0; vectored -1+3", ("0", "raised EOFException")),
        ("pread 0 4 & from 9 3; getPos", (f"{held(0, 4)} & {held(9, 3)} or {held(9, 2)}", "12")),
        ("vectored 0+4 / readFully 3 6", (f"{held(0, 4)} / {held(3, 6)}",)),
        (
            "close; close; read; unbuffer; available",
            ("done", "done", "raised IOException", "done", "raised IOException"),
        ),
        ("skip 5; readahead 3; available; capability in:x", ("5", "raised IOException", "7", "true")),
        ("close; read null", ("done", "raised IOException")),
        ("vectored 0+3; drain; getPos", (held(0, 3), held(5, 15), "20")),
        ("from 9 3; getPos", (held(9, 3), "12")),
        ("from 20 3", ("-1",)),
        ("from -1 3", ("raised EOFException",)),
        ("close; from 9 3", ("done", "raised IOException")),
        ("newSource -1; getPos", ("false", "0")),
        ("capability in:x; close; capability in:x", ("true", "done", "true")),
        ("close; bytebuffer 0", ("done", "0")),
        ("close; bytebuffer 4", ("done", "raised IOException")),
        ("pread -1 0", ("0",)),
        ("vectored", ("later IOException",)),
        ("close; pread 0 4 & pread 4 4", ("done", "raised IOException & -1")),
        (
            "newSource 9; pread 5 4; pread 0 4 & pread 4 4; getPos",
            ("true", held(5, 4), f"{held(0, 4)} & {held(4, 4)}", "0"),
        ),
    ],
)
def test_right(script: str, answers: tuple[str, ...]) -> None:
    operation, value = told(script, answers)
    assert allowed(operation, value)
    assert READ_STREAM.differs is not None and READ_STREAM.differs(ROOT, operation, value) is None


@pytest.mark.parametrize(
    ("script", "answers", "broken"),
    [
        ("drain", (held(0, 19),), "length"),
        ("drain", ("stuck",), "read-buffer.post.at-least-one"),
        ("close; close", ("done", "raised IOException"), "close.idempotent"),
        ("read; getPos", (str(DATA[0]), "2"), "getPos.post"),
        ("close; read", ("done", "-1"), "read.pre.open"),
        ("read", (str(DATA[1]),), "read.post"),
        ("read null", ("raised IOException",), "read-buffer.pre.not-null"),
        ("read 3 at 2 in 4", ("2 0000",), "read-buffer.pre.range"),
        ("read 2 at -1 in 4", ("-1",), "read-buffer.pre.range"),
        ("drain; read 2 at -1 in 4", (held(0, 20), "0"), "read-buffer.pre.range"),
        ("drain; read 3 at 2 in 4", (held(0, 20), "-1"), "read-buffer.pre.range"),
        ("drain; read -1 at 0 in 4", (held(0, 20), "-1"), "read-buffer.pre.range"),
        ("drain; read 0", (held(0, 20), "-1"), "read-buffer.post.zero"),
        ("drain; read 1", (held(0, 20), "0"), "read-buffer.post.end"),
        ("read 3 at 1 in 9", (f"{held(0, 3)} spilled",), "read-buffer.post.bytes"),
        ("read 3", ("0",), "read-buffer.post.at-least-one"),
        ("seek 0", ("raised EOFException",), "seek.zero"),
        ("seek -1", ("done",), "seek.pre.range"),
        ("seek 99", ("raised IllegalArgumentException",), "seek.pre.range"),
        ("seek 5; getPos", ("done", "0"), "seek.post"),
        ("read; seek 1; read", (str(DATA[0]), "done", str(DATA[0])), "seek.current"),
        ("seek 99; read", ("done", "raised EOFException"), "seek.lazy-checked"),
        ("newSource 9", ("raised NullPointerException",), "seekToNewSource.unsupported"),
        ("close; newSource 9", ("done", "true"), "seekToNewSource.pre.open"),
        ("newSource 9; getPos", ("true", "9"), "seekToNewSource.post.found"),
        ("newSource 9; read", ("false", str(DATA[9])), "seekToNewSource.post.none"),
        ("read 5; newSource 9; getPos", (held(0, 5), "false", "0"), "getPos.post"),
        ("read 5; newSource 9; read", (held(0, 5), "true", str(DATA[7])), "read.post"),
        ("read 5; newSource 9; drain", (held(0, 5), "false", held(8, 12)), "read-buffer.post.bytes"),
        ("read 5; newSource 9; read 3", (held(0, 5), "false", held(0, 3)), "read-buffer.post.bytes"),
        ("read 5; newSource 9; read 3", (held(0, 5), "false", held(9, 3)), "seekToNewSource.post.none"),
        ("close; unbuffer", ("done", "raised IOException"), "unbuffer.unsupported"),
        ("pread 5 4; getPos", (held(5, 4), "9"), "positioned.position-unchanged"),
        ("pread -1 4", (held(0, 4),), "pread.pre.position"),
        ("pread 0 5 at 2 in 4", ("raised EOFException",), "pread.pre.range"),
        ("pread 5 4", (held(5, 3),), "pread.post"),
        ("readFully -1 4", (held(0, 4),), "readFully.pre.position"),
        ("readFully 0 5 at 2 in 4", ("raised IOException",), "readFully.pre.range"),
        ("fill 18 4", (held(18, 2),), "readFully.pre.enough"),
        ("readFully 5 4", (held(4, 4),), "readFully.post"),
        ("vectored null list", ("raised IllegalArgumentException",), "readVectored.pre.not-null"),
        ("vectored 0+3 null", ("raised NullPointerException",), "readVectored.pre.range-not-null"),
        ("vectored -1+3", ("raised IllegalArgumentException",), "readVectored.pre.offset"),
        ("vectored 1+-3", ("raised EOFException",), "readVectored.pre.length"),
        ("vectored 1+3", ("no future",), "readVectored.post.future"),
        ("vectored 1+3", (held(0, 3),), "readVectored.post.bytes"),
        ("vectored 18+3", (held(18, 2),), "readVectored.pre.end"),
        ("pread 0 4 & pread 4 4", (f"{held(0, 4)} & {held(0, 4)}",), "positioned.thread-safe"),
        ("pread 0 4 & from 9 3", (f"{held(0, 4)} & {held(0, 3)}",), "positioned.isolated"),
        ("vectored 0+4 / pread 4 4", (f"{held(0, 4)} / raised IOException",), "readVectored.with-reads"),
        ("vectored 0+4 / vectored 4+4", (f"{held(0, 4)} / raised IOException",), "readVectored.several"),
        ("close; read null", ("done", "-1"), "read.pre.open"),
        ("read 19; read 4", (held(0, 19), told_bytes(DATA[19:] + b"ab")), "read-buffer.post.bytes"),
        ("close; from 9 3", ("done", held(9, 3)), "read.pre.open"),
        ("from 9 3", (held(8, 3),), "seek.post"),
        ("from 25 3", (held(0, 3),), "seek.pre.range"),
        ("close; bytebuffer 4", ("done", "-1"), "read.pre.open"),
        ("newSource 9; pread 5 4; getPos", ("true", held(5, 4), "9"), "seekToNewSource.post.found"),
        (
            "newSource 9; pread 0 4 & pread 4 4; getPos",
            ("true", f"{held(0, 4)} & {held(4, 4)}", "9"),
            "seekToNewSource.post.found",
        ),
    ],
)
def test_wrong(script: str, answers: tuple[str, ...], broken: str) -> None:
    operation, value = told(script, answers)
    assert not allowed(operation, value)
    assert READ_STREAM.differs is not None
    difference = READ_STREAM.differs(ROOT, operation, value)
    assert difference is not None and difference.clause == STREAM + broken


def test_a_closed_stream_has_no_capability_that_it_lacked_before() -> None:
    operation, value = told("capability in:x; close; capability in:x", ("false", "done", "true"))
    assert not allowed(operation, value) and READ_STREAM.differs is not None
    difference = READ_STREAM.differs(ROOT, operation, value)
    assert difference is not None and difference.clause == "outputstream.capability.closed"


@pytest.mark.parametrize(
    ("script", "answers", "declared"),
    [
        ("seek 21; read", ("done", "-1"), {"rejects-seek-past-eof": False}),
        ("capability in:unbuffer; unbuffer", ("true", "done"), {"supports-unbuffer": True}),
        ("unbuffer", ("raised UnsupportedOperationException",), {"supports-unbuffer": False}),
        ("vectored 18+3", ("raised EOFException",), {"vector-io-early-eof-check": True}),
        ("vectored 0+3 2+3", (f"{held(0, 3)}, {held(2, 3)}",), {"vector-io-overlapping-ranges": True}),
        ("seek 3", ("raised UnsupportedOperationException",), {"supports-seek": False}),
        ("pread 0 3", ("raised UnsupportedOperationException",), {"supports-positioned-readable": False}),
    ],
)
def test_options(script: str, answers: tuple[str, ...], declared: dict[str, bool]) -> None:
    operation, value = told(script, answers)
    assert allowed(operation, value, declared)
    assert not allowed(operation, value, {name: not given for name, given in declared.items()})


@pytest.mark.parametrize(
    ("script", "answers"),
    [
        ("seek 25", ("raised EOFException",)),
        ("seek 5; getPos", ("raised IOException", "0")),
        ("pread 3 0; readFully 20 0", ("0", "0")),
        ("pread -1 4", ("raised IllegalArgumentException",)),
        ("pread 0 5 at 2 in 6", ("raised IndexOutOfBoundsException",)),
        ("readFully 18 4", ("raised EOFException",)),
        ("vectored 0+4 10+5", ("later IOException, later UnsupportedOperationException",)),
        ("vectored 5+0 9+2", ("0, later IOException",)),
        ("vectored 18+4", ("later EOFException",)),
        ("vectored null list", ("raised NullPointerException",)),
        ("vectored 0+5 3+5", ("raised IllegalArgumentException",)),
        ("pread 0 3 & readFully 5 5", ("raised IOException & raised IOException",)),
        ("close; pread 0 0", ("done", "0")),
        ("vectored", ("later IOException",)),
    ],
)
def test_what_can_not_seek_may_refuse(script: str, answers: tuple[str, ...]) -> None:
    assert allowed(*told(script, answers), {"supports-seek": False})


@pytest.mark.parametrize(
    ("script", "answers"),
    [
        ("seek 5", ("raised EOFException",)),
        ("seek 5", ("raised IllegalArgumentException",)),
        ("pread 3 1", ("0",)),
        ("pread 3 0", ("-1",)),
        ("pread 0 3", ("raised EOFException",)),
        ("pread 0 3; seek 5", ("raised IOException", "done")),
        ("pread 0 0 at 5 in 4", ("0",)),
        ("vectored 0+4", ("0",)),
        ("vectored 0+4", ("later EOFException",)),
        ("vectored 0+4", ("no future",)),
        ("vectored 0+4 10+5", ("later IOException",)),
        ("vectored 4+-1", ("later IOException",)),
        ("vectored null list", ("later IOException",)),
        ("vectored 0+4 10+5", (f"{held(0, 4)}, later IOException",)),
    ],
)
def test_what_can_not_seek_must_refuse_as_it_should(script: str, answers: tuple[str, ...]) -> None:
    assert not allowed(*told(script, answers), {"supports-seek": False})


def test_what_should_be_is_told_as_a_deviation() -> None:
    for script, answers, last in (
        ("close; seek 3", ("done", "done"), "done"),
        ("read", (str(DATA[0]),), "raised IOException"),
    ):
        operation, value = told(script, answers, last)
        (found,) = Oracle(Contract(SEEKS)).step(ROOT, operation, Returned(value))
        assert found[0].deviates
    operation, value = told("close; seek 3", ("done", "done"))
    permitting = Oracle(Contract({**SEEKS, "supports-seek-on-closed-file": True}))
    ((branch, _),) = permitting.step(ROOT, operation, Returned(value))
    assert branch.departs and not branch.deviates


def test_what_is_no_file_can_not_be_read() -> None:
    oracle = Oracle(Contract(SEEKS))
    operation, value = told("read", ("raised FileNotFoundException",), via="random")
    plain, _ = told("read", ("",))
    assert oracle.step(EMPTY, plain, Raised(ancestry("FileNotFoundException")))
    assert not oracle.step(EMPTY, plain, Returned(value))
    assert oracle.step(EMPTY, operation, Returned(value))
    assert not oracle.step(EMPTY, operation, Returned(told("read", ("7",))[1]))


def test_only_what_was_looked_at_is_kept() -> None:
    operation, value = told("seek 5; read", ("done", str(DATA[5])))
    found = {STREAM + "seek.post", STREAM + "read.post", STREAM + "close.no-exception"}
    assert set(kept(ROOT, operation, value)) == found


@pytest.mark.parametrize("text", ["", "reed", "read x", "seek", "seek 1 2", "pread 4", "read 3 at 1", "vectored 3"])
def test_no_action(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse(text)


def test_errors_are_told_with_an_ancestor_that_is_known() -> None:
    found = told_error(("org.x.OddException", "java.io.IOException", "java.lang.Exception"))
    assert found == "raised OddException IOException" and error_of(found) == ("OddException", "IOException")
    assert error_of(told_error(ancestry("EOFException"), "later"), "later") == ("EOFException", "EOFException")
    assert error_of("done") is None and error_of("3 abcdef") is None


@pytest.mark.parametrize(
    ("script", "answers", "broken"),
    [
        ("newSource 3; read 2; getPos", ("true", "2 {0}", "2"), ""),
        ("newSource 3; read 2; getPos", ("true", "2 {0}", "5"), "seekToNewSource.post.found"),
        ("newSource 3; read 2; drain", ("false", "2 {0}", "1 {1}"), "seekToNewSource.post.none"),
        ("newSource 3; read 2; getPos", ("true", "2 {0}", "4"), "getPos.post"),
        ("newSource 3; read 2; read 2; getPos", ("true", "2 {0}", "1 {1}", "2"), "getPos.post"),
        ("newSource 3; read 2; seek 1; getPos", ("true", "2 {0}", "done", "4"), "seek.post"),
        ("newSource 3; newSource 4; read 1; getPos", ("true", "true", "1 {2}", "4"), "seekToNewSource.post.found"),
    ],
)
def test_a_moved_stream_may_show_late(script: str, answers: tuple[str, ...], broken: str) -> None:
    """Where a file has the same bytes at both places, only a later answer says whether seekToNewSource moved."""
    content = contents.of(1, 3)
    data = b"".join(contents.chunks(content))
    shown = data[:2].hex(), data[2:].hex(), data[:1].hex()
    operation, value = told(script, tuple(answer.format(*shown) for answer in answers))
    root = put(EMPTY, ("a",), File(content + content))
    if not broken:
        assert Oracle(Contract(SEEKS)).step(root, operation, Returned(value))
        return
    assert not Oracle(Contract(SEEKS)).step(root, operation, Returned(value))
    assert READ_STREAM.differs is not None
    difference = READ_STREAM.differs(root, operation, value)
    assert difference is not None and difference.clause == STREAM + broken
