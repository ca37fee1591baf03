"""Ctrl-C in two steps: the first ends the work in good order and reports, the second leaves at once.

SIGTERM, as CI servers and containers send it, and SIGHUP, of a terminal that was closed, may be the first only.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from fsconform.app.problems import INCONCLUSIVE

FIRST = "\ninterrupted: stopping what was started, then reporting; interrupt again to leave at once\n"
SECOND = (
    "\ninterrupted again: no report; processes end by themselves, `fsconform clean` removes what stays in a sandbox\n"
)

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_lost: list[bool] = []
"""Not empty while an interrupt was heard that nobody has met yet: see :func:`meet`."""


def meet() -> None:
    """Raise KeyboardInterrupt if one was raised where it is swallowed, such as in a callback of the garbage collector.

    Loops that work for long call it now and then.
    """
    if _lost:
        _lost.clear()
        raise KeyboardInterrupt


def met() -> None:
    """Note that the interrupt was met: it is being acted upon."""
    _lost.clear()


def _ignored(number: signal.Signals) -> bool:
    return number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN


@contextmanager
def in_two_steps() -> Iterator[None]:
    """While it is open the first signal to end raises KeyboardInterrupt; a later SIGINT ends this process with code 3.

    So does the first where nobody handles it. Signals to end are :data:`ENDING`, but SIGHUP is left alone where it is
    ignored, as under nohup. Workers and daemons end when this process has ended, however it did. For the main thread.
    """
    heard = False

    def hear(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        # The second may come while this is still at work on the first.
        again, heard = heard, True
        # CI servers send SIGINT, then SIGTERM, and still want what was found. SIGKILL is theirs to send.
        if again and number != signal.SIGINT:
            return
        # Not through rich: what was interrupted may hold its lock, or be half-way through a line. The terminal may
        # be gone.
        with suppress(OSError):
            os.write(2, (SECOND if again else FIRST).encode())
        if again:
            os._exit(INCONCLUSIVE)
        _lost.append(True)
        raise KeyboardInterrupt

    def swallowed(lost: sys.UnraisableHookArgs) -> None:
        # It is met by the next turn: to a reader it was not lost.
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            told(lost)

    told, sys.unraisablehook = sys.unraisablehook, swallowed
    before = {number: signal.signal(number, hear) for number in ENDING if not _ignored(number)}
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(INCONCLUSIVE) from None
    finally:
        _lost.clear()
        for number, handler in before.items():
            # None: a handler that is not Python's stood there, and can't be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        sys.unraisablehook = told
        # An interrupt within exec of a text, as dataclasses do while a module is loaded, is kept as unhandled whoever
        # handles it, and Python would end by SIGINT whatever the exit code. The next exec forgets it.
        exec("")
