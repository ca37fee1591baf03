"""Ctrl-C in two steps: the first ends the work in good order and reports, the second leaves at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from fsconform.app.problems import INCONCLUSIVE

FIRST = "\ninterrupted: stopping what was started, then reporting; interrupt again to leave at once\n"
SECOND = (
    "\ninterrupted again: no report; processes end by themselves, `fsconform clean` removes what stays in a sandbox\n"
)


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


@contextmanager
def in_two_steps() -> Iterator[None]:
    """While it is open the first SIGINT raises KeyboardInterrupt, and the second ends this process with exit code 3.

    So does the first where nobody handles it. Workers and daemons end when this process has ended, however it did. For
    the main thread.
    """
    heard = False

    def hear(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        # The second may come while this is still at work on the first.
        again, heard = heard, True
        # Not through rich: what was interrupted may hold its lock, or be half-way through a line.
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
    before = signal.signal(signal.SIGINT, hear)
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(INCONCLUSIVE) from None
    finally:
        _lost.clear()
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = told
        # An interrupt within exec of a text, as dataclasses do while a module is loaded, is kept as unhandled whoever
        # handles it, and Python would end by SIGINT whatever the exit code. The next exec forgets it.
        exec("")
