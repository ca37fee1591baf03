"""What is allowed of a file that a stream is writing where new files may stay unseen until they are closed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from immutables import Map

from fsconform.model.core import content as contents
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned, facts
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import UNCHECKED, OpenWriter
from fsconform.model.filesystem.output.position import WriterPosition
from fsconform.model.filesystem.output.stream_capabilities import WriterCapability
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.state import EMPTY, Dir, File, Node, State
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.model.filesystem.stream_scripts import told_bytes, told_error

PATH = ("a",)
OLD, NEW = contents.of(1, 4), contents.of(2, 3)
OPTIONS = {"create-visibility-delayed": True, "supports-hflush": True, "supports-hsync": True}
MISSING = Raised(ancestry("FileNotFoundException"))
SYNCED = Returned(facts("sync", answer="done", capability=True, syncable=True))
ABORTED = Returned(facts("abort", answer="done", capability=True, path=True, abortable=True, already=False))
NO_ABORT_TOLD = told_error(ancestry("UnsupportedOperationException"))
NO_ABORT = facts("abort", answer=NO_ABORT_TOLD)


def data(content: contents.Content) -> Returned:
    return Returned(Data(contents.length(content), contents.digest(content) or ""))


def after(*steps: tuple[Operation, Outcome], **options: bool) -> tuple[Oracle, State]:
    """The state that steps lead to, each of which is allowed."""
    oracle, state = Oracle(Contract({**OPTIONS, **options})), EMPTY
    for operation, outcome in steps:
        ((_, found),) = oracle.step(state, operation, outcome)
        assert found is not None
        state = found
    return oracle, state


OPENED = (OpenWriter(PATH, "w", "overwrite"), Returned(None))
MADE, WRITTEN = (Create(PATH, OLD, False), Returned(None)), (Write("w", NEW), Returned(None))


@pytest.mark.parametrize("call", ["hflush", "hsync"])
def test_what_was_made_visible_is_hidden_no_more(call: str) -> None:
    oracle, hidden = after(MADE, OPENED, WRITTEN)
    _, shown = after(MADE, OPENED, WRITTEN, (Sync("w", call), SYNCED))
    assert oracle.step(hidden, Open(PATH), data(OLD)) and not oracle.step(shown, Open(PATH), data(OLD))
    assert oracle.step(hidden, AbortWriter("w"), ABORTED) and not oracle.step(shown, AbortWriter("w"), ABORTED)
    _, fresh = after(OPENED)
    _, seen = after(OPENED, (Sync("w", call), SYNCED))
    for asked, outcome in ((Open(PATH), MISSING), (GetFileStatus(PATH), MISSING), (Exists(PATH), Returned(False))):
        assert oracle.step(fresh, asked, outcome) and not oracle.step(seen, asked, outcome)


def test_what_is_not_seen_yet_is_missing_in_any_way() -> None:
    oracle, fresh = after(OPENED)
    for error in ("IOException", "FileNotFoundException"):
        ((branch, _),) = oracle.step(fresh, Open(PATH), Raised(ancestry(error)))
        assert not branch.deviates
    ((branch, _),) = oracle.step(fresh, GetFileStatus(PATH), Raised(ancestry("UnsupportedOperationException")))
    assert branch.deviates
    assert not oracle.step(fresh, GetFileStatus(PATH), Raised(ancestry("IOException")))


def test_a_position_counts_what_is_appended_to() -> None:
    oracle, open_ = after(MADE, (OpenWriter(PATH, "w", "append"), Returned(None)), WRITTEN, **{"supports-append": True})
    asked = WriterPosition("w")
    for at, allowed in ((7, 1), (3, 0), (4, 0), (0, 0)):
        assert len(oracle.step(open_, asked, Returned(facts("position", at=at)))) == allowed
    ((_, closed),) = oracle.step(open_, CloseWriter("w"), Returned(None))
    assert closed is not None
    for outcome in (Returned(facts("position", at=1)), MISSING):
        assert oracle.step(closed, asked, outcome)


def test_no_bytes_one_by_one_are_no_call() -> None:
    oracle, closed = after(OPENED, (CloseWriter("w"), Returned(None)))
    assert oracle.step(closed, Write("w", (), via="bytes"), Returned(None))
    assert not oracle.step(closed, Write("w", ()), Returned(None))


def test_an_aborted_stream_was_abortable() -> None:
    oracle, aborted = after(OPENED, (AbortWriter("w"), ABORTED))
    assert not oracle.step(aborted, AbortWriter("w"), Returned(NO_ABORT))


@pytest.mark.parametrize(
    ("steps", "changed", "broken"),
    [
        ((OPENED,), {}, None),
        ((OPENED,), {"answer": NO_ABORT_TOLD}, "capability.stream.unsupported"),
        ((OPENED,), {"answer": NO_ABORT_TOLD, "capability": False}, "capability.path.unsupported"),
        ((OPENED,), {"answer": NO_ABORT_TOLD, "capability": False, "path": False}, None),
        ((OPENED,), {"answer": told_error(ancestry("IOException"))}, "abort.pre.supported"),
        ((OPENED, (AbortWriter("w"), ABORTED)), {"answer": told_error(ancestry("IOException"))}, "abort.post.closed"),
        ((OPENED,), {"already": True}, "result.already-closed"),
        ((OPENED, WRITTEN, (Sync("w", "hflush"), SYNCED)), {}, "abort.pre.visible-on-close"),
        ((OPENED,), {"capability": False}, "capability.stream.supported"),
        ((OPENED,), {"abortable": False}, "abort.pre.interfaces"),
    ],
)
def test_what_is_wrong_with_an_abort_is_named_by_its_clause(
    steps: tuple[tuple[Operation, Outcome], ...], changed: dict[str, object], broken: str | None
) -> None:
    _, state = after(*steps)
    differs = MEANINGS[AbortWriter].differs
    assert differs is not None
    told = {"answer": "done", "capability": True, "path": True, "abortable": True, "already": False} | changed
    found = differs(state, AbortWriter("w"), facts("abort", **told))  # type: ignore[arg-type]
    assert (found and found.clause.removeprefix("abortable.")) == broken
    assert differs(state, AbortWriter("w"), None) is None


ABSENT = told_error(ancestry("FileNotFoundException"))
NOTHING = {"status": "missing", "length": -1, "read": ABSENT, "listed": -1}
FRESH = {"status": "file", "length": 0, "read": told_bytes(b""), "listed": 0}
FORMER = {"status": "file", "length": 4, "read": told_bytes(b"".join(contents.chunks(OLD))), "listed": 4}


def allows(steps: tuple[tuple[Operation, Outcome], ...], seen: dict[str, object], **options: bool) -> bool:
    """Whether an observation of the path may come after steps."""
    oracle, state = after(*steps, **options)
    found = facts("seen", **(seen | {"disagree": (), "untimely": ()}))  # type: ignore[arg-type]
    return bool(oracle.step(state, Observe(PATH), Returned(found)))


@pytest.mark.parametrize(("steps", "before"), [((OPENED,), NOTHING), ((MADE, OPENED), FORMER)])
def test_a_file_may_come_into_sight_while_it_is_looked_at(
    steps: tuple[tuple[Operation, Outcome], ...], before: dict[str, object]
) -> None:
    status = {name: before[name] for name in ("status", "length")}
    for seen in (before, FRESH, FRESH | status, FRESH | status | {"read": before["read"]}):
        assert allows(steps, seen)
        assert allows(steps, seen, **{"create-visibility-delayed": False}) is (seen == FRESH)


@pytest.mark.parametrize(("steps", "before"), [((OPENED,), NOTHING), ((MADE, OPENED), FORMER)])
def test_a_file_that_came_into_sight_stays(
    steps: tuple[tuple[Operation, Outcome], ...], before: dict[str, object]
) -> None:
    assert not allows(steps, FRESH | {"read": before["read"], "listed": before["listed"]})
    assert not allows(steps, before | {"read": FRESH["read"]})
    assert not allows(steps, FRESH | {"status": before["status"], "length": before["length"], "read": "1 00"})
    assert not allows(steps, FRESH | {"length": 5})


def closing(opened: int, began: int, ended: int, modified: int, *reference: int) -> Returned:
    """The outcome of a close at these times; of a file that was made later the begin, the end and its time."""
    names = ("reference_began", "reference_ended", "reference_modified")
    times = dict(zip(names, reference, strict=False))
    return Returned(facts("closing", opened=opened, began=began, ended=ended, modified=modified, **times))


NOON = 1_700_000_000_123


@pytest.mark.parametrize(
    ("modified", "reference", "within"),
    [
        (NOON + 105, (NOON + 120, NOON + 130, NOON + 125), True),
        (NOON, (NOON + 120, NOON + 130, NOON + 125), False),
        (NOON + 200, (NOON + 120, NOON + 130, NOON + 125), False),
        (NOON + 60_105, (NOON + 120, NOON + 130, NOON + 60_125), True),
        (NOON + 60_000, (NOON + 120, NOON + 130, NOON + 60_125), False),
        (NOON + 77 - 200, (NOON + 120, NOON + 130, NOON + 77 - 200), True),
        (NOON // 60_000 * 60_000, (NOON + 120, NOON + 130, NOON // 60_000 * 60_000 + 60_000), True),
        (NOON + 85, (NOON + 120, NOON + 130, NOON + 120), True),
        (NOON, (NOON + 120, NOON + 130, -1), True),
        (NOON, (), True),
    ],
    ids=[
        "during close",
        "as opened",
        "later",
        "another clock",
        "as opened by another clock",
        "seconds",
        "minutes",
        "a clock that lags",
        "no other file",
        "nothing known",
    ],
)
def test_a_time_of_modification_is_one_during_close_by_the_stores_clock(
    modified: int, reference: tuple[int, ...], within: bool
) -> None:
    oracle, open_ = after(OPENED, WRITTEN)
    told = closing(NOON, NOON + 100, NOON + 110, modified, *reference)
    ((branch, state),) = oracle.step(open_, CloseWriter("w", "window"), told)
    assert state is not None and branch.clause == "outputstream.close.post.modification-time-window"
    assert (branch.level, branch.deviates) == ("SHOULD", not within)


def test_a_time_of_another_day_is_not_allowed_during_close_either() -> None:
    oracle, open_ = after(OPENED, WRITTEN)
    assert not oracle.step(open_, CloseWriter("w", "window"), closing(NOON, NOON + 100, NOON + 110, 0))


@pytest.mark.parametrize("capability", ["hflush", "hsync"])
def test_without_checksums_a_stream_that_syncs_says_so_while_it_is_open(capability: str) -> None:
    """A store that syncs only without checksums declares neither; once the stream is closed it may say either."""
    neither = {"supports-hflush": False, "supports-hsync": False}
    opened = (OpenWriter(PATH, "w", "create", UNCHECKED), Returned(None))
    asked = WriterCapability("w", capability)
    oracle, state = after(opened, **neither)
    assert [bool(oracle.step(state, asked, Returned(answer))) for answer in (True, False)] == [True, False]
    oracle, state = after(opened, (CloseWriter("w"), Returned(None)), **neither)
    assert [bool(oracle.step(state, asked, Returned(answer))) for answer in (True, False)] == [True, True]


def test_what_was_not_made_visible_may_have_unfinished_checksums() -> None:
    checksums = Raised(("org.apache.hadoop.fs.ChecksumException", "java.io.IOException"))
    now = {"create-visibility-delayed": False}
    oracle, written = after(OPENED, WRITTEN, **now)
    ((branch, left),) = oracle.step(written, Open(PATH), checksums)
    assert (branch.clause, branch.level, left) == ("outputstream.write.visible", "MAY", written)
    assert not oracle.step(written, Open(PATH), MISSING)
    oracle, visible = after(OPENED, WRITTEN, (Sync("w", "hflush"), SYNCED), **now)
    assert not oracle.step(visible, Open(PATH), checksums)


@pytest.mark.parametrize("end", [CloseWriter("w"), AbortWriter("w")])
@pytest.mark.parametrize("there", [{"d": File(OLD)}, {"d": Dir(Map({"f": EMPTY.tree}))}, {}])
def test_a_stream_whose_place_a_known_bug_took_ends_astray(end: Operation, there: dict[str, Node]) -> None:
    """s3a, deep, seed 4: a rename put a file beside the directory in which a stream was writing."""
    path = ("d", "f")
    oracle, state = after((Mkdirs(("d",)), Returned(True)), (OpenWriter(path, "w", "create"), Returned(None)))
    taken = replace(state, tree=Dir(Map(there)))
    found = [reached for reached in oracle.expected(taken, end) if reached is not None]
    assert found
    if there or isinstance(end, AbortWriter):
        assert {reached.writers["w"].phase for reached in found} <= {"astray", "open"}
