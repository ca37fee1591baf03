"""What streams that write do by the documents in the store in memory, as a filesystem's and as an object store's.

A row is a program on a tree, and what its last operation gives: the short name of an error, or facts of which those
named count. Each seeded fault of streams is shown by some short program.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from fsconform.engine.protocol import Job
from fsconform.model.core.content import Content, chunks, of
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, NotExpressible, Outcome, Returned
from fsconform.model.core.paths import parse
from fsconform.model.filesystem import operations as ops
from fsconform.model.filesystem.input.scripts import told_bytes
from fsconform.model.filesystem.operations import metadata as me
from fsconform.model.filesystem.operations import writers as w
from fsconform.model.filesystem.programs import Step
from fsconform.proving.faults import EVERY, mishaps, readers
from fsconform.proving.kept import Abilities, able
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import Behaviour
from fsconform.specs.catalogue import catalogue

Row = tuple[tuple[Operation, ...], Any]
Play = Callable[..., tuple[Outcome, ...]]
Meets = Callable[[Any, Any], bool]

DELAYED = Abilities(delayed=True)
IO, FNF, EXISTS, NULL = "IOException", "FileNotFoundException", "FileAlreadyExistsException", "NullPointerException"
CHANNEL, INDEX = "ClosedChannelException", "IndexOutOfBoundsException"
REFUSED, SHUT = "raised UnsupportedOperationException", "raised ClosedChannelException IOException"
ROOT, D, F, NO, NONO, BELOW = map(parse, ("/", "/d", "/d/f", "/no", "/no/no", "/d/f/x"))
OLD, FEW, MANY, LARGE = of(ord("f"), 10), of(5, 6), of(7, 5000), of(7, 5 * 1024 * 1024 + 10)
MADE, OVER, MORE = w.OpenWriter(NO, "s", "create"), w.OpenWriter(F, "s", "overwrite"), w.OpenWriter(F, "s", "append")
WROTE, ABORT, CLOSE, LOOK = w.Write("s", FEW), w.AbortWriter("s"), w.CloseWriter("s"), w.Observe(NO)
FLUSH, HFLUSH, HSYNC = (w.Sync("s", call) for call in w.SYNCS)
LOOK_F = w.Observe(F)
WHERE, BARE = w.WriterPosition("s"), w.OpenWriter(NO, "s", "create", w.UNCHECKED)


def held(*parts: Content, length: int | None = None) -> dict[str, Any]:
    """What is seen of a file that holds some content, or so many bytes of it."""
    data = b"".join(piece for part in parts for piece in chunks(part))[:length]
    length = len(data)
    return {
        "status": "file",
        "length": length,
        "listed": length,
        "read": told_bytes(data),
        "disagree": (),
        "untimely": (),
    }


MISSING = {
    "status": "missing",
    "length": -1,
    "listed": -1,
    "read": "raised FileNotFoundException",
    "disagree": (),
    "untimely": (),
}
VALUES = ("true", "false", "null")

EITHER: list[Row] = [
    ((w.OpenWriter(F, "s", "create"),), EXISTS),
    ((w.OpenWriter(D, "s", "overwrite"),), EXISTS),
    ((w.OpenWriter(D, "s", "append"),), EXISTS),
    ((w.OpenWriter(NO, "s", "append"),), FNF),
    ((w.OpenWriter(BELOW, "s", "overwrite"),), "ParentNotDirectoryException"),
    ((MADE, WROTE, WROTE, CLOSE, LOOK), held(FEW, FEW)),
    ((MADE, CLOSE, LOOK), held(())),
    ((OVER, WROTE, CLOSE, LOOK_F), held(FEW)),
    ((MORE, WROTE, CLOSE, LOOK_F), held(OLD, FEW)),
    ((MADE, w.Write("s", LARGE), CLOSE, LOOK), held(LARGE)),
    ((w.OpenWriter(NONO, "s", "create"), CLOSE, ops.GetFileStatus(NONO)), "/no/no:0"),
    *[((MADE, WROTE, w.Write("s", MANY, via), CLOSE, LOOK), held(FEW, MANY)) for via in w.Write.VIAS],
    ((MADE, w.WriteWrongly("s", "null")), NULL),
    *[((MADE, w.WriteWrongly("s", how)), INDEX) for how in w.MISUSES[1:]],
    ((MADE, WROTE, CLOSE, CLOSE, LOOK), held(FEW)),
    ((MADE, CLOSE, WROTE), CHANNEL),
    ((MADE, CLOSE, w.Write("s", FEW, "bytes")), CHANNEL),
    ((MADE, CLOSE, w.Write("s", ())), CHANNEL),
    ((MADE, CLOSE, w.WriteWrongly("s", "null")), CHANNEL),
    ((MADE, FLUSH), {"answer": "done", "capability": False}),
    ((MADE, CLOSE, FLUSH), {"answer": "done"}),
    ((MADE, CLOSE, HFLUSH), {"answer": SHUT}),
    ((MADE, CLOSE, HSYNC), {"answer": SHUT}),
    *[
        ((MADE, w.SetDropBehind("s", value)), {"answer": "done", "capability": True})
        for value in ("true", "false", "null")
    ],
    *[((MADE, w.WriterCapability("s", name)), False) for name in w.CAPABILITIES[4:]],
    ((MADE, WHERE), {"at": 0}),
    ((MADE, WROTE, w.Write("s", MANY), WHERE), {"at": 5006}),
    ((OVER, WROTE, WHERE), {"at": 6}),
    ((MORE, WHERE), {"at": 10}),
    ((MORE, WROTE, WHERE), {"at": 16}),
    ((MADE, CLOSE, w.OpenWriter(NO, "t", "append")), None),
    ((OVER, w.OpenWriter(F, "t", "overwrite")), IO),
    ((OVER, w.OpenWriter(F, "t", "append")), IO),
    ((MADE, ops.Create(NO, FEW, True)), IO),
    ((OVER, ops.Append(F, FEW)), IO),
    ((w.RecoverLease(F),), {"first": True, "closed": True, "finally": True}),
    ((OVER, w.RecoverLease(F)), {"first": True, "closed": True, "finally": True}),
    ((OVER, w.RecoverLease(F), WROTE), IO),
    ((OVER, w.RecoverLease(F), CLOSE), IO),
    ((OVER, w.RecoverLease(F), CLOSE, CLOSE), None),
    ((OVER, w.RecoverLease(F), FLUSH), {"answer": "done"}),
    ((OVER, w.RecoverLease(F), HSYNC), {"answer": "raised IOException"}),
    ((OVER, w.RecoverLease(F), w.OpenWriter(F, "t", "append")), None),
    ((w.RecoverLease(D),), IO),
    ((w.RecoverLease(NO),), FNF),
    ((w.IsFileClosed(D),), IO),
    ((w.IsFileClosed(NO),), FNF),
    ((w.IsFileClosed(F),), True),
    ((MORE, w.IsFileClosed(F)), False),
    ((MORE, w.IsFileClosed(F), CLOSE, w.IsFileClosed(F)), True),
    ((me.HasPathCapability(F, "fs.capability.lease.recoverable"),), True),
    ((w.Observe(D),), {"status": "directory", "length": -1, "listed": -1, "read": "", "disagree": (), "untimely": ()}),
    ((w.Observe(ROOT),), {"status": "directory", "length": -1, "listed": -1}),
    ((LOOK,), MISSING),
    ((w.Observe(BELOW),), MISSING),
]
"""What both kinds of store do."""

AT_ONCE: list[Row] = [
    ((BARE, WROTE, HSYNC, LOOK), held(FEW)),
    ((MADE, LOOK), held(())),
    ((OVER, LOOK_F), held(())),
    ((MORE, LOOK_F), held(OLD)),
    ((MADE, WROTE, LOOK), held(())),
    ((MADE, w.Write("s", MANY), LOOK), held(MANY, length=4096)),
    ((MADE, WROTE, HFLUSH, LOOK), held(FEW)),
    ((MADE, WROTE, HSYNC, WROTE, HSYNC, LOOK), held(FEW, FEW)),
    ((MADE, HFLUSH), {"answer": "done", "capability": True, "syncable": True}),
    ((MADE, HSYNC), {"answer": "done", "capability": True, "syncable": True}),
    ((MADE, w.OpenWriter(NO, "t", "create")), EXISTS),
    *[((MADE, CLOSE, w.WriterCapability("s", name)), True) for name in w.CAPABILITIES[:3]],
    ((MADE, w.WriterCapability("s", w.ABORTABLE)), False),
    ((MADE, ABORT), {"answer": REFUSED, "already": False, "capability": False, "path": False, "abortable": False}),
    ((MADE, w.RecoverLease(NO), LOOK), held(())),
    ((MADE, WROTE, ops.Delete(NO, False), HSYNC), {"answer": "raised FileNotFoundException"}),
    ((MADE, WROTE, ops.Delete(NO, False), CLOSE), FNF),
    ((MADE, WROTE, ops.Rename(NO, D), CLOSE), FNF),
    ((MADE, ops.Delete(NO, False), ops.Create(NO, MANY, False), CLOSE), FNF),
]
"""What only a filesystem does."""

ON_CLOSE: list[Row] = [
    ((MADE, w.Write("s", MANY), FLUSH, LOOK), MISSING),
    ((w.OpenWriter(NONO, "s", "create"), WROTE, LOOK), MISSING),
    ((OVER, WROTE, LOOK_F), held(OLD)),
    ((MORE, WROTE, LOOK_F), held(OLD)),
    ((MADE, HFLUSH), {"answer": REFUSED, "capability": False, "syncable": True}),
    ((MADE, HSYNC), {"answer": REFUSED, "capability": False, "syncable": True}),
    ((MADE, w.OpenWriter(NO, "t", "create")), IO),
    ((MADE, w.RecoverLease(NO)), FNF),
    *[((MADE, w.WriterCapability("s", name)), False) for name in w.SYNCS[1:]],
    *[((MADE, w.WriterCapability("s", name)), True) for name in w.CAPABILITIES[2:4]],
    ((MADE, ABORT), {"answer": "done", "already": False, "capability": True, "path": True, "abortable": True}),
    ((MADE, ABORT, ABORT), {"answer": "done", "already": True}),
    ((MADE, CLOSE, ABORT), {"answer": "done", "already": True}),
    ((MADE, WROTE, CLOSE, ABORT, LOOK), held(FEW)),
    ((MADE, WROTE, ABORT, CLOSE, LOOK), MISSING),
    ((OVER, WROTE, ABORT, CLOSE, LOOK_F), held(OLD)),
    ((MADE, ABORT, WROTE), CHANNEL),
    ((MADE, ABORT, w.Write("s", ())), CHANNEL),
    ((MADE, ABORT, FLUSH), {"answer": "done"}),
    ((MADE, w.AbortWriter("s", "threads")), {"answer": "done", "already": False}),
    ((MADE, w.AbortWriter("s", "threads"), CLOSE, LOOK), MISSING),
    ((MADE, ops.Mkdirs(NO), CLOSE), EXISTS),
]
"""What only an object store does."""


@pytest.mark.parametrize(("program", "expected"), EITHER + AT_ONCE)
def test_streams_of_a_filesystem(play: Play, meets: Meets, program: tuple[Operation, ...], expected: Any) -> None:
    assert meets(play(ProvingStore(), program)[-1], expected)


@pytest.mark.parametrize(("program", "expected"), EITHER + ON_CLOSE)
def test_streams_of_an_object_store(play: Play, meets: Meets, program: tuple[Operation, ...], expected: Any) -> None:
    assert meets(play(ProvingStore(behaviour=DELAYED), program)[-1], expected)


@pytest.mark.parametrize("behaviour", [Behaviour(), DELAYED])
def test_close_sets_the_time(play: Play, behaviour: Behaviour) -> None:
    *_, closing, told = play(
        ProvingStore(behaviour=behaviour), (MADE, WROTE, w.CloseWriter("s", "timed"), me.GetAttributes(NO))
    )
    opened, began, modified, ended = (fact(closing, name) for name in ("opened", "began", "modified", "ended"))
    assert opened < began <= modified <= ended and modified == fact(told, "modified")


def fact(outcome: Outcome, name: str) -> Any:
    """A fact of an outcome."""
    assert isinstance(outcome, Returned) and isinstance(outcome.value, Facts)
    return outcome.value.get(name)


NAMELESS: list[tuple[Operation, ...]] = [
    (WROTE,),
    (CLOSE,),
    (MADE, w.OpenWriter(F, "s", "append")),
    (MADE, CLOSE, MADE),
    (w.OpenWriter(NO, "s", "append"), WROTE),
]


def test_an_object_store_has_no_checksums_to_leave_out(play: Play) -> None:
    assert isinstance(play(ProvingStore(behaviour=DELAYED), (BARE,))[-1], NotExpressible)


@pytest.mark.parametrize("program", NAMELESS)
def test_streams_that_have_no_name_or_another(play: Play, program: tuple[Operation, ...]) -> None:
    assert isinstance(play(ProvingStore(), program)[-1], NotExpressible)


def test_streams_belong_to_one_program() -> None:
    session = ProvingStore().session()
    for execution in session.execute([Job((Step(MADE), Step(WROTE)))] * 2):
        assert [event.outcome for event in execution.trace.events] == [Returned(None)] * 2
    (last,) = session.execute([Job((Step(CLOSE),))])
    assert isinstance(last.trace.events[0].outcome, NotExpressible)


# --- seeded faults

DOCUMENTS = ("outputstream.", "abortable.", "leaserecoverable.")
SEEDED = [
    name
    for name, fault in EVERY.items()
    if fault.clause.startswith(DOCUMENTS) and fault.kind.__module__ not in (readers.__name__, mishaps.__name__)
]
UNSEEN = {"outputstream.close.no-retry": "the episode of a close beyond a quota shows it"}
LEFT = (
    (MADE, WROTE, CLOSE, w.OpenWriter(NO, "t", "append")),
    (MADE, w.Write("s", LARGE), CLOSE, LOOK),
    (MADE, WROTE, CLOSE, WROTE, LOOK),
    (MADE, WROTE, HSYNC, w.Write("s", MANY), LOOK),
    (MADE, WROTE, HFLUSH, CLOSE, LOOK),
    (MADE, w.CloseWriter("s", "timed")),
    (MADE, w.CloseWriter("s", "window")),
    (BARE, WROTE, HSYNC, LOOK),
    (BARE, w.WriterCapability("s", "hsync")),
    (MADE, WROTE, HSYNC, WROTE, HSYNC, LOOK),
    (MADE, WROTE, CLOSE, ABORT, LOOK),
    (MADE, CLOSE, w.WriterCapability("s", "dropbehind")),
    (OVER, ABORT, LOOK_F),
    (MADE, ABORT, LOOK),
    (MADE, CLOSE, w.IsFileClosed(NO)),
    (MADE, me.HasPathCapability(NO, w.ABORTABLE)),
)
SHORT = [program for program, _ in (*EITHER, *AT_ONCE, *ON_CLOSE)] + list(LEFT)


@cache
def sound(program: tuple[Operation, ...], behaviour: Behaviour, play: Play) -> tuple[Outcome, ...]:
    return play(ProvingStore(behaviour=behaviour), program)


@pytest.mark.parametrize("name", SEEDED)
def test_a_short_program_shows_the_fault(play: Play, name: str) -> None:
    behaviour = able(Behaviour(), EVERY[name].abilities)
    assert any(
        len(program) <= 6 and play(ProvingStore(fault=name), program) != sound(program, behaviour, play)
        for program in SHORT
    )


def test_each_clause_that_must_hold_has_a_fault() -> None:
    wanted = {
        clause.id
        for clause in catalogue().values()
        if clause.id.startswith(DOCUMENTS) and clause.level.startswith("MUST") and clause.status != "untestable"
    }
    assert wanted - {EVERY[name].clause for name in SEEDED} == UNSEEN.keys()
