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
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import IsFileClosed, RecoverLease
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import UNCHECKED, OpenWriter
from fsconform.model.filesystem.output.position import WriterPosition
from fsconform.model.filesystem.output.stream_capabilities import (
    ABORTABLE,
    CAPABILITIES,
    SetDropBehind,
    WriterCapability,
)
from fsconform.model.filesystem.output.sync import SYNCS, Sync
from fsconform.model.filesystem.output.write import MISUSES, Write, WriteWrongly
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.path_capabilities import HasPathCapability
from fsconform.model.filesystem.stream_scripts import told_bytes
from fsconform.proving.faults import EVERY, readers, shared_streams
from fsconform.proving.keeping_store import Abilities, able
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import Behaviour
from fsconform.specs.catalogue import JUDGED, catalogue

Row = tuple[tuple[Operation, ...], Any]
Play = Callable[..., tuple[Outcome, ...]]
Meets = Callable[[Any, Any], bool]

DELAYED = Abilities(delayed=True)
IO, FNF, EXISTS, NULL = "IOException", "FileNotFoundException", "FileAlreadyExistsException", "NullPointerException"
CHANNEL, INDEX = "ClosedChannelException", "IndexOutOfBoundsException"
REFUSED, SHUT = "raised UnsupportedOperationException", "raised ClosedChannelException IOException"
ROOT, D, F, NO, NONO, BELOW = map(parse, ("/", "/d", "/d/f", "/no", "/no/no", "/d/f/x"))
OLD, FEW, MANY, LARGE = of(ord("f"), 10), of(5, 6), of(7, 5000), of(7, 5 * 1024 * 1024 + 10)
MADE, OVER, MORE = OpenWriter(NO, "s", "create"), OpenWriter(F, "s", "overwrite"), OpenWriter(F, "s", "append")
WROTE, ABORT, CLOSE, LOOK = Write("s", FEW), AbortWriter("s"), CloseWriter("s"), Observe(NO)
FLUSH, HFLUSH, HSYNC = (Sync("s", call) for call in SYNCS)
LOOK_F = Observe(F)
WHERE, BARE = WriterPosition("s"), OpenWriter(NO, "s", "create", UNCHECKED)


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
    ((OpenWriter(F, "s", "create"),), EXISTS),
    ((OpenWriter(D, "s", "overwrite"),), EXISTS),
    ((OpenWriter(D, "s", "append"),), EXISTS),
    ((OpenWriter(NO, "s", "append"),), FNF),
    ((OpenWriter(BELOW, "s", "overwrite"),), "ParentNotDirectoryException"),
    ((MADE, WROTE, WROTE, CLOSE, LOOK), held(FEW, FEW)),
    ((MADE, CLOSE, LOOK), held(())),
    ((OVER, WROTE, CLOSE, LOOK_F), held(FEW)),
    ((MORE, WROTE, CLOSE, LOOK_F), held(OLD, FEW)),
    ((MADE, Write("s", LARGE), CLOSE, LOOK), held(LARGE)),
    ((OpenWriter(NONO, "s", "create"), CLOSE, GetFileStatus(NONO)), "/no/no:0"),
    *[((MADE, WROTE, Write("s", MANY, via), CLOSE, LOOK), held(FEW, MANY)) for via in Write.VIAS],
    ((MADE, WriteWrongly("s", "null")), NULL),
    *[((MADE, WriteWrongly("s", how)), INDEX) for how in MISUSES[1:]],
    ((MADE, WROTE, CLOSE, CLOSE, LOOK), held(FEW)),
    ((MADE, CLOSE, WROTE), CHANNEL),
    ((MADE, CLOSE, Write("s", FEW, "bytes")), CHANNEL),
    ((MADE, CLOSE, Write("s", ())), CHANNEL),
    ((MADE, CLOSE, WriteWrongly("s", "null")), CHANNEL),
    ((MADE, FLUSH), {"answer": "done", "capability": False}),
    ((MADE, CLOSE, FLUSH), {"answer": "done"}),
    ((MADE, CLOSE, HFLUSH), {"answer": SHUT}),
    ((MADE, CLOSE, HSYNC), {"answer": SHUT}),
    *[
        ((MADE, SetDropBehind("s", value)), {"answer": "done", "capability": True})
        for value in ("true", "false", "null")
    ],
    *[((MADE, WriterCapability("s", name)), False) for name in CAPABILITIES[4:]],
    ((MADE, WHERE), {"at": 0}),
    ((MADE, WROTE, Write("s", MANY), WHERE), {"at": 5006}),
    ((OVER, WROTE, WHERE), {"at": 6}),
    ((MORE, WHERE), {"at": 10}),
    ((MORE, WROTE, WHERE), {"at": 16}),
    ((MADE, CLOSE, OpenWriter(NO, "t", "append")), None),
    ((OVER, OpenWriter(F, "t", "overwrite")), IO),
    ((OVER, OpenWriter(F, "t", "append")), IO),
    ((MADE, Create(NO, FEW, True)), IO),
    ((OVER, Append(F, FEW)), IO),
    ((RecoverLease(F),), {"first": True, "closed": True, "finally": True}),
    ((OVER, RecoverLease(F)), {"first": True, "closed": True, "finally": True}),
    ((OVER, RecoverLease(F), WROTE), IO),
    ((OVER, RecoverLease(F), CLOSE), IO),
    ((OVER, RecoverLease(F), CLOSE, CLOSE), None),
    ((OVER, RecoverLease(F), FLUSH), {"answer": "done"}),
    ((OVER, RecoverLease(F), HSYNC), {"answer": "raised IOException"}),
    ((OVER, RecoverLease(F), OpenWriter(F, "t", "append")), None),
    ((RecoverLease(D),), IO),
    ((RecoverLease(NO),), FNF),
    ((IsFileClosed(D),), IO),
    ((IsFileClosed(NO),), FNF),
    ((IsFileClosed(F),), True),
    ((MORE, IsFileClosed(F)), False),
    ((MORE, IsFileClosed(F), CLOSE, IsFileClosed(F)), True),
    ((HasPathCapability(F, "fs.capability.lease.recoverable"),), True),
    ((Observe(D),), {"status": "directory", "length": -1, "listed": -1, "read": "", "disagree": (), "untimely": ()}),
    ((Observe(ROOT),), {"status": "directory", "length": -1, "listed": -1}),
    ((LOOK,), MISSING),
    ((Observe(BELOW),), MISSING),
]
"""What both kinds of store do."""

AT_ONCE: list[Row] = [
    ((BARE, WROTE, HSYNC, LOOK), held(FEW)),
    ((MADE, LOOK), held(())),
    ((OVER, LOOK_F), held(())),
    ((MORE, LOOK_F), held(OLD)),
    ((MADE, WROTE, LOOK), held(())),
    ((MADE, Write("s", MANY), LOOK), held(MANY, length=4096)),
    ((MADE, WROTE, HFLUSH, LOOK), held(FEW)),
    ((MADE, WROTE, HSYNC, WROTE, HSYNC, LOOK), held(FEW, FEW)),
    ((MADE, HFLUSH), {"answer": "done", "capability": True, "syncable": True}),
    ((MADE, HSYNC), {"answer": "done", "capability": True, "syncable": True}),
    ((MADE, OpenWriter(NO, "t", "create")), EXISTS),
    *[((MADE, CLOSE, WriterCapability("s", name)), True) for name in CAPABILITIES[:3]],
    ((MADE, WriterCapability("s", ABORTABLE)), False),
    ((MADE, ABORT), {"answer": REFUSED, "already": False, "capability": False, "path": False, "abortable": False}),
    ((MADE, RecoverLease(NO), LOOK), held(())),
    ((MADE, WROTE, Delete(NO, False), HSYNC), {"answer": "raised FileNotFoundException"}),
    ((MADE, WROTE, Delete(NO, False), CLOSE), FNF),
    ((MADE, WROTE, Rename(NO, D), CLOSE), FNF),
    ((MADE, Delete(NO, False), Create(NO, MANY, False), CLOSE), FNF),
]
"""What only a filesystem does."""

ON_CLOSE: list[Row] = [
    ((MADE, Write("s", MANY), FLUSH, LOOK), MISSING),
    ((OpenWriter(NONO, "s", "create"), WROTE, LOOK), MISSING),
    ((OVER, WROTE, LOOK_F), held(OLD)),
    ((MORE, WROTE, LOOK_F), held(OLD)),
    ((MADE, HFLUSH), {"answer": REFUSED, "capability": False, "syncable": True}),
    ((MADE, HSYNC), {"answer": REFUSED, "capability": False, "syncable": True}),
    ((MADE, OpenWriter(NO, "t", "create")), IO),
    ((MADE, RecoverLease(NO)), FNF),
    *[((MADE, WriterCapability("s", name)), False) for name in SYNCS[1:]],
    *[((MADE, WriterCapability("s", name)), True) for name in CAPABILITIES[2:4]],
    ((MADE, ABORT), {"answer": "done", "already": False, "capability": True, "path": True, "abortable": True}),
    ((MADE, ABORT, ABORT), {"answer": "done", "already": True}),
    ((MADE, CLOSE, ABORT), {"answer": "done", "already": True}),
    ((MADE, WROTE, CLOSE, ABORT, LOOK), held(FEW)),
    ((MADE, WROTE, ABORT, CLOSE, LOOK), MISSING),
    ((OVER, WROTE, ABORT, CLOSE, LOOK_F), held(OLD)),
    ((MADE, ABORT, WROTE), CHANNEL),
    ((MADE, ABORT, Write("s", ())), CHANNEL),
    ((MADE, ABORT, FLUSH), {"answer": "done"}),
    ((MADE, AbortWriter("s", "threads")), {"answer": "done", "already": False}),
    ((MADE, AbortWriter("s", "threads"), CLOSE, LOOK), MISSING),
    ((MADE, Mkdirs(NO), CLOSE), EXISTS),
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
        ProvingStore(behaviour=behaviour), (MADE, WROTE, CloseWriter("s", "timed"), GetAttributes(NO))
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
    (MADE, OpenWriter(F, "s", "append")),
    (MADE, CLOSE, MADE),
    (OpenWriter(NO, "s", "append"), WROTE),
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
    if fault.clause.startswith(DOCUMENTS) and fault.kind.__module__ not in (readers.__name__, shared_streams.__name__)
]
UNSEEN = {
    "abortable.cleanup.failure-caught": "a network that fails below an abort shows it",
    "outputstream.close.no-retry": "the episode of a close beyond a quota shows it",
    "outputstream.hsync.post.durable": "a daemon that is killed shows it",
    "outputstream.close.post.durable": "a daemon that is killed shows it",
}
LEFT = (
    (MADE, WROTE, CLOSE, OpenWriter(NO, "t", "append")),
    (MADE, Write("s", LARGE), CLOSE, LOOK),
    (MADE, WROTE, CLOSE, WROTE, LOOK),
    (MADE, WROTE, HSYNC, Write("s", MANY), LOOK),
    (MADE, WROTE, HFLUSH, CLOSE, LOOK),
    (MADE, CloseWriter("s", "timed")),
    (MADE, CloseWriter("s", "window")),
    (BARE, WROTE, HSYNC, LOOK),
    (BARE, WriterCapability("s", "hsync")),
    (MADE, WROTE, HSYNC, WROTE, HSYNC, LOOK),
    (MADE, WROTE, CLOSE, ABORT, LOOK),
    (MADE, CLOSE, WriterCapability("s", "dropbehind")),
    (OVER, ABORT, LOOK_F),
    (MADE, ABORT, LOOK),
    (MADE, CLOSE, IsFileClosed(NO)),
    (MADE, HasPathCapability(NO, ABORTABLE)),
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
        if clause.id.startswith(DOCUMENTS) and clause.level.startswith("MUST") and clause.status in JUDGED
    }
    assert wanted - {EVERY[name].clause for name in SEEDED} == UNSEEN.keys()
