"""Ctrl-C in steps: the first ends the work in good order and reports, the next leaves as soon as that is written.

SIGTERM, as CI servers and containers send it, and SIGHUP, of a terminal that was closed, may be the first only. What is
not to be torn apart is done while signals are :func:`held`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from fsconform.engine.events import Event, Listener
from fsconform.harness.problems import INCONCLUSIVE

FIRST = "\ninterrupted: stopping what was started, then reporting; interrupt again to leave at once\n"
SECOND = (
    "\ninterrupted again: no report; processes end by themselves, `fsconform clean` removes what stays in a sandbox\n"
)
WRITING = "\ninterrupted again: leaving as soon as what was found is written; interrupt once more to leave at once\n"
WRITTEN = (
    "\ninterrupted again: what was found is written; processes end by themselves, `fsconform clean` removes what stays "
    "in a sandbox\n"
)

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_lost: list[bool] = []
"""Not empty while an interrupt was heard that nobody has met yet: see :func:`meet`."""


class _State:
    """Where a command stands. ``count`` is of signals that were acted upon."""

    def __init__(self) -> None:
        self.count = self.holding = 0
        self.unwritten = self.wrote = self.waiting = self.leaving = False
        self.code = INCONCLUSIVE


_state = _State()


def meet() -> None:
    """Raise KeyboardInterrupt if one was raised where it is swallowed, such as in a callback of the garbage collector.

    Loops that work for long call it now and then.
    """
    if _lost:
        _lost.clear()
        raise KeyboardInterrupt


def meeting(hear: Listener, meet: Callable[[], None] = meet) -> Listener:
    """Tells of events as well, in a thread that is to be interrupted: before each of them an interrupt is met."""

    def met_first(event: Event) -> None:
        meet()
        hear(event)

    return met_first


def met() -> None:
    """Note that the interrupt was met: it is being acted upon."""
    _lost.clear()


@contextmanager
def held(raising: bool = True) -> Iterator[None]:
    """Work that no signal tears apart. One that comes meanwhile is raised at the end, or never without ``raising``."""
    _state.holding += 1
    try:
        yield
    finally:
        _state.holding -= 1
    if raising and _state.waiting and not _state.holding:
        _state.waiting = False
        raise KeyboardInterrupt


def to_write() -> None:
    """From now on something may have been found that is to be written before the process leaves."""
    _state.unwritten = True


def written(code: int) -> None:
    """What was found so far is written, and ``code`` is what the command ends with. Leaves if that was asked for."""
    _state.unwritten, _state.wrote, _state.code = False, True, code
    if _state.leaving:
        _leave()


def _leave() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError, RuntimeError):
            stream.flush()
    os._exit(_state.code)


def _say(text: str) -> None:
    # Not through rich: what was interrupted may hold its lock, or be half-way through a line. The terminal may be gone.
    with suppress(OSError):
        os.write(2, text.encode())


def _ignored(number: signal.Signals) -> bool:
    return number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN


def _hear(number: int, frame: FrameType | None) -> None:
    # A later one may come while this is still at work on the first.
    state, again = _state, _state.count
    # CI servers send SIGINT, then SIGTERM, and still want what was found. SIGKILL is theirs to send.
    if again and number != signal.SIGINT:
        return
    state.count += 1
    if not again:
        _say(FIRST)
        _lost.append(True)
        if state.holding:
            state.waiting = True
            return
        raise KeyboardInterrupt
    if again == 1 and state.unwritten:
        _say(WRITING)
        state.leaving = True
        return
    _say(WRITTEN if state.wrote and not state.unwritten else SECOND)
    os._exit(state.code)


@contextmanager
def in_two_steps() -> Iterator[None]:
    """While it is open the first signal to end raises KeyboardInterrupt; a later SIGINT ends this process.

    That is with code 3, or the one that :func:`written` was told; not before what was found is written, unless a third
    comes. A first that nobody handles ends with 3, too. Signals to end are :data:`ENDING`, but SIGHUP is left alone
    where it is ignored, as under nohup. Workers and daemons end when this process has ended, however it did. For the
    main thread.
    """
    global _state
    before_state, _state = _state, _State()

    def swallowed(lost: sys.UnraisableHookArgs) -> None:
        # It is met by the next turn: to a reader it was not lost.
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            told(lost)

    told, sys.unraisablehook = sys.unraisablehook, swallowed
    before = {number: signal.signal(number, _hear) for number in ENDING if not _ignored(number)}
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(_state.code) from None
    finally:
        _lost.clear()
        for number, handler in before.items():
            # None: a handler that is not Python's stood there, and can't be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        sys.unraisablehook = told
        _state = before_state
        # An interrupt within exec of a text, as dataclasses do while a module is loaded, is kept as unhandled whoever
        # handles it, and Python would end by SIGINT whatever the exit code. The next exec forgets it.
        exec("")
