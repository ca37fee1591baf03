"""flush, hflush, hsync and close of a stream. Source: outputstream.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Branch, Case, Difference, Level, Meaning, gives, returns
from fsconform.model.filesystem.input.rules import words_of
from fsconform.model.filesystem.operations.writers import SYNCS, CloseWriter, Sync
from fsconform.model.filesystem.options.writers import SUPPORTS_HFLUSH, SUPPORTS_HSYNC
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.stream_states import (
    ASTRAY,
    PHASES,
    answer,
    by_phase,
    done,
    fails,
    is_raised,
    phase,
    told,
)
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES

CLOCK_MILLISECONDS = 15 * 60 * 1000
"""By so much the clocks of a client and its store may differ: stores refuse clients with more."""

UNITS = (60_000, 1000)
"""Milliseconds of the units in which stores count times, the largest first."""

MOMENT_MILLISECONDS = 20
"""By so much the clock that a file's time is taken from may lag behind that which is asked for the time."""


def _flushed(root: State, op: Sync) -> State:
    length = root.writers[op.stream].length
    if op.call == "hsync":
        return streams.changed(root, op.stream, least=length, synced=length, shown=True)
    return streams.changed(root, op.stream, least=length, shown=True)


def _kept_promise(_root: State, _op: Any, value: Any) -> bool:
    return answer(value) == "done" and told(value, "capability")


def _refused(_root: State, _op: Any, value: Any) -> bool:
    return is_raised(value, "UnsupportedOperationException") and not told(value, "capability")


def _made_a_flush(_root: State, _op: Any, value: Any) -> bool:
    return answer(value) == "done" and not told(value, "capability") and not told(value, "syncable")


def _synced(option: str, broken: str, first: Branch) -> tuple[Branch, ...]:
    """The branches of hflush or hsync: ``first`` where it is supported."""
    without = (option, False)
    return (
        replace(first, when=(*first.when, (option, True))),
        gives(clause.UNSUPPORTED, "raise UnsupportedOperationException", _refused, without),
        gives(
            clause.ALWAYS, "raise UnsupportedOperationException", _made_a_flush, without, level="SHOULD", deviates=True
        ),
    )


_SAVES = gives(clause.SYNC_VISIBLE, "save all that was written", _kept_promise, effect=_flushed)
_SAVES_UNCHECKED = gives(
    clause.UNCHECKED_SYNC, "save all that was written", _kept_promise, effect=_flushed, also=(clause.SYNC_VISIBLE,)
)
_CLOSED_SYNC = gives(clause.SYNC_OPEN, "raise IOException", fails("IOException"))


def _classify_sync(root: State, op: Sync) -> int:
    met, call = phase(root, op.stream), SYNCS.index(op.call)
    if not met and call and root.writers[op.stream].unchecked:
        return 1 << COMMON_BITS + len(SYNCS) * len(PHASES) + 2 + call - 1
    if not met and call and root.writers[op.stream].appends:
        return 1 << COMMON_BITS + len(SYNCS) * len(PHASES) + call - 1
    return 1 << COMMON_BITS + call * len(PHASES) + met


def _sync_differs(root: State, op: Sync, value: Any) -> Difference | None:
    if op.call == "flush" or phase(root, op.stream) > 2 or not isinstance(value, Facts):
        return None
    if is_raised(value, "UnsupportedOperationException") and told(value, "capability"):
        return Difference(clause.SYNC_ONLY_IF_KEPT, "MUST NOT", f"{words_of(answer(value))}, declared as a capability")
    if not phase(root, op.stream) and root.writers[op.stream].unchecked:
        words = "no capability, without checksums" if answer(value) == "done" else words_of(answer(value))
        return Difference(clause.UNCHECKED_SYNC, "MUST", words)
    if answer(value) == "done":
        if phase(root, op.stream) and told(value, "capability"):
            return (
                Difference(clause.SYNC_OPEN, "MUST", "no error from a closed stream")
                if told(value, "syncable")
                else None
            )
        if told(value, "syncable") and not told(value, "capability"):
            return Difference(clause.UNSUPPORTED, "MUST", "no error, without the capability")
        return None
    if is_raised(value, "UnsupportedOperationException"):
        return None
    return Difference(
        clause.SYNC_OPEN if phase(root, op.stream) else clause.SYNC_VISIBLE, "MUST", words_of(answer(value))
    )


def _sync_cases() -> tuple[Case, ...]:
    flush = (
        Case("flush", clause.SAVED, (gives(clause.SAVED, "succeed", done, also=(clause.FLUSH_VISIBLE,)),)),
        Case(
            "flush of a closed stream",
            clause.FLUSH_CLOSED,
            (
                gives(clause.FLUSH_CLOSED, "succeed", done, level="SHOULD"),
                gives(
                    clause.FLUSH_CLOSED,
                    "succeed",
                    fails("IOException", "RuntimeException"),
                    level="SHOULD",
                    deviates=True,
                ),
            ),
        ),
        Case("flush of an aborted stream", clause.ABORT_FLUSH, (gives(clause.ABORT_FLUSH, "succeed", done),)),
        ASTRAY,
    )
    both = [
        (
            Case(name, clause.SYNC_VISIBLE, _synced(option, clause.SYNC_VISIBLE, _SAVES)),
            *(
                Case(
                    f"{name} of {ended} stream",
                    clause.SYNC_OPEN,
                    (*_synced(option, clause.SYNC_OPEN, _CLOSED_SYNC), _CLOSED_SYNC),
                )
                for ended in ("a closed", "an aborted")
            ),
            ASTRAY,
        )
        for name, option in (("hflush", SUPPORTS_HFLUSH), ("hsync", SUPPORTS_HSYNC))
    ]
    appending = (replace(one[0], name=f"{one[0].name} of a stream that appends") for one in both)
    unchecked = (
        Case(f"{one[0].name} of a stream without checksums", clause.UNCHECKED_SYNC, (_SAVES_UNCHECKED,)) for one in both
    )
    return (*flush, *both[0], *both[1], *appending, *unchecked)


SYNC = Meaning(Sync, (*COMMON_CASES, *_sync_cases()), _classify_sync, _sync_differs)

# --- close


def _settle(root: State, op: CloseWriter) -> State:
    return streams.settled(root, op.stream)


def _times(value: Any, *names: str) -> list[int]:
    """The facts of these names, in milliseconds; none unless all are known."""
    found = [value.get(name) for name in names] if isinstance(value, Facts) else []
    times = [one for one in found if isinstance(one, int)]
    return times if len(times) == len(names) else []


def _on_time(_root: State, _op: Any, value: Any) -> bool:
    times = _times(value, "opened", "modified", "ended")
    if not times:
        return False
    opened, modified, ended = times
    return opened - CLOCK_MILLISECONDS <= modified <= ended + CLOCK_MILLISECONDS


def _within_close(root: State, op: Any, value: Any) -> bool:
    """Whether the time is one that the store's clock showed during the close, or that can't be told.

    A file that was made later has a time of that clock too: how far the clocks are apart lies within what it took to
    make it. A store whose times are whole seconds or minutes may cut off most of one.
    """
    if not _on_time(root, op, value):
        return False
    times = _times(value, "began", "modified", "ended", "reference_began", "reference_modified", "reference_ended")
    if not times:
        return True
    began, modified, ended, reference_began, reference, reference_ended = times
    blur = next((unit for unit in UNITS if modified % unit == reference % unit == 0), MOMENT_MILLISECONDS)
    return reference < 0 or began - reference_ended - blur <= modified - reference <= ended - reference_began + blur


_DURING = gives(clause.MODIFIED_IN_CLOSE, "set a time during close", _within_close, level="SHOULD", effect=_settle)


def _closed_again(broken: str, name: str, level: Level, *also: str) -> Case:
    again = gives(broken, "succeed", lambda _root, _op, value: isinstance(value, Facts), level=level, also=also)
    return Case(name, broken, (returns(broken, None, level=level, also=also), again))


def _close_differs(root: State, op: CloseWriter, value: Any) -> Difference | None:
    if phase(root, op.stream) == 0 and isinstance(value, Facts) and not _on_time(root, op, value):
        return Difference(clause.MODIFIED, "MUST", "a time of modification of another day")
    return None


CLOSE_WRITER = Meaning(
    CloseWriter,
    (
        *COMMON_CASES,
        Case(
            "timed",
            clause.MODIFIED,
            (gives(clause.MODIFIED, "set the time of modification", _on_time, effect=_settle),),
        ),
        Case(
            "a time during close",
            clause.MODIFIED_IN_CLOSE,
            (_DURING, replace(_DURING, check=_on_time, deviates=True)),
        ),
        Case("an open stream", clause.METADATA, (returns(clause.METADATA, None, effect=_settle),)),
        _closed_again(clause.IDEMPOTENT, "a closed stream", "MUST", clause.CLOSED),
        _closed_again(clause.ABORT_NO_EXCEPTION, "an aborted stream", "MUST NOT"),
        ASTRAY,
    ),
    by_phase(lambda op: op.via == "timed", lambda op: op.via == "window", lambda op: True),
    _close_differs,
)

MEANINGS: tuple[Meaning, ...] = (SYNC, CLOSE_WRITER)
