"""What a person sees of a campaign: units done, how fast, and when it will end, on standard error."""

from __future__ import annotations

import time

from fsconform.app.console import console

STEPS = 10
"""Without a terminal a line is printed for each such part of the whole."""


class Units:
    """Tells how a campaign goes; in one line that is written anew where there is a terminal."""

    def __init__(self, programs: int) -> None:
        self._programs = programs
        self._begun = time.monotonic()
        self._first: int | None = None
        self._told = -1

    def hear(self, done: int, total: int) -> None:
        """Hear how many units are done, of how many."""
        if self._first is None:
            self._first = done
        if console.is_terminal:
            if done != self._told:
                self._told = done
                console.print(self.line(done, total), markup=False, end="\n" if done == total else "\r")
            return
        step = done * STEPS // max(total, 1)
        if step > self._told:
            self._told = step
            console.print(self.line(done, total), markup=False, soft_wrap=True)

    def line(self, done: int, total: int, now: float | None = None) -> str:
        """Where it stands: units, programs a second in this run, and the time that is left at that pace."""
        seconds = (time.monotonic() if now is None else now) - self._begun
        fresh = done - (self._first or 0)
        text = f"campaign: {done} of {total} units"
        if fresh > 0 and seconds > 0:
            pace = fresh / seconds
            left = (total - done) / pace
            programs = pace * self._programs / max(total, 1)
            text += f", {programs:.1f} programs/s, {left // 60:.0f} min {left % 60:02.0f} s left"
        return text
