"""What a call breaks by itself, whatever order the calls took: by what came of it alone.

Where the network failed, that it never returned. Where a daemon was killed and serves again, that a file can't be read
to which an append failed meanwhile: what was in it before was closed and acknowledged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fsconform.engine.histories.concurrent import History
from fsconform.engine.injection import ABORT, Crash, Wire
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import Raised, Returned, Unknown
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.stream_states import answer, is_raised, told

CAUGHT, CLEANUP_EXCEPTION, NO_RETRY = (
    "abortable.cleanup.failure-caught",
    "abortable.result.cleanup-exception",
    "abortable.cleanup.no-retry",
)
FAILING = frozenset(("reset", "lose-reply", "slow-down", "too-many", "server-error"))
"""What lets a request fail that has no body to lose."""

SURELY = 9
"""Requests in a row that fail until a client has given up to try again."""

COMPLETE, OPENED = "introduction.failures.complete", "filesystem.open.post"

HANGS = "a call did not return"
"""What is wrong of a history in which a call hangs, long after all time-outs of its client."""

UNREADABLE = "a file can't be read any more to which an append failed"
"""What is wrong of a history in which what was there before an append is not given, once all daemons serve again."""

_IO_ERROR, _MISSING = ancestry("IOException")[0], ancestry("FileNotFoundException")[0]


@dataclass(frozen=True, slots=True)
class Breach:
    """That a ``call``, by its place in the history, broke a ``clause``; ``reason`` says how."""

    call: int
    clause: str
    reason: str


def breaches(history: History) -> tuple[Breach, ...]:
    """What the calls broke by themselves, in the order of the calls."""
    if isinstance(history.program.fault, Crash):
        return tuple(_unreadable(history))
    fault = history.program.fault
    if not isinstance(fault, Wire):
        return ()
    hanging = (
        Breach(number, COMPLETE, HANGS)
        for number, (call, place) in enumerate(history.rows)
        if place >= 0 and isinstance(call.outcome, Unknown) and call.outcome.hung
    )
    return (*hanging, *_failed_cleanups(history, fault))


def without_breaches(history: History, found: tuple[Breach, ...]) -> History:
    """The history as if nobody had heard of the calls that broke something by themselves."""
    broken = {one.call for one in found}
    calls = tuple(replace(call, returned=None) if n in broken else call for n, call in enumerate(history.calls))
    return replace(history, calls=calls)


def _unreadable(history: History) -> Iterator[Breach]:
    """Each open that fails, by an error that does not say that the file is missing, once the daemon is back.

    The file was created before, and all that was done to it since were appends, of the last of which nobody heard.
    """
    for number, (call, _) in enumerate(history.rows):
        if not isinstance(call.operation, Open) or not isinstance(call.outcome, Raised) or call.returned is None:
            continue
        if _IO_ERROR not in call.outcome.classes or _MISSING in call.outcome.classes:
            continue
        if history.away is None or call.invoked <= history.away.ended:
            continue
        path = call.operation.path
        changes = [
            one
            for one in history.calls
            if one.operation.MUTATES and path in paths_of(one.operation) and one.invoked < call.invoked
        ]
        made = bool(changes) and isinstance(changes[0].operation, Create) and changes[0].returned is not None
        appended = bool(changes[1:]) and all(isinstance(one.operation, Append) for one in changes[1:])
        if made and appended and changes[-1].returned is None:
            yield Breach(number, OPENED, UNREADABLE)


def clauses_of_cleanups(operation: Operation, fault: Wire) -> tuple[str, ...]:
    """The clauses on cleanup that an abort is to keep whose requests fail; none for other calls and faults."""
    if fault.request != ABORT or fault.fault not in FAILING or not isinstance(operation, AbortWriter):
        return ()
    return CAUGHT, NO_RETRY if fault.times < SURELY else CLEANUP_EXCEPTION


def _failed_cleanups(history: History, fault: Wire) -> Iterator[Breach]:
    """What aborts made of a cleanup that failed, as one does whose request the server refuses or never answers.

    One request that fails, and no exception: it was made again. All that fail, and none: it is hidden.
    """
    away = history.away
    if fault.request != ABORT or fault.fault not in FAILING or away is None or away.began == away.ended:
        return
    for number, (call, place) in enumerate(history.rows):
        if place < 0 or not isinstance(call.operation, AbortWriter) or not isinstance(call.outcome, Returned):
            continue
        value = call.outcome.value
        if is_raised(value, "UnsupportedOperationException"):
            continue
        if answer(value) != "done":
            yield Breach(number, CAUGHT, "an abort raises that its cleanup failed")
        elif not told(value, "cleanup"):
            again = fault.times < SURELY
            yield Breach(
                number,
                NO_RETRY if again else CLEANUP_EXCEPTION,
                "a cleanup that failed was tried again" if again else "an abort hides that its cleanup failed",
            )
