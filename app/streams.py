"""Standard output and standard error of a process that goes on when nobody reads them any more.

A reader that leaves (``| head -1``), a full disk or a stream that was closed by whoever began the process takes nothing
from a run: what could not be written is dropped, and the results in files and the exit code stay what they are.
"""

from __future__ import annotations

import io
import os
import select
import sys
from typing import TextIO

PATIENCE = 30.0
"""Seconds for which a stream that does not block, and takes nothing now, is waited for."""

_lost: set[int] = set()
"""Descriptors that could not be written to."""


class _Patient(io.RawIOBase):
    """Writes to a descriptor for as long as that works, and to nowhere afterwards."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def fileno(self) -> int:
        """The descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: object) -> int:
        """Write all of it. Never raises for what is at the other end."""
        whole = memoryview(data).cast("B")  # type: ignore[arg-type]
        left = whole
        while left and self._descriptor not in _lost:
            try:
                left = left[os.write(self._descriptor, left) :]
            except BlockingIOError:  # another program left it so; whoever reads it may only be slow
                if not select.select((), (self._descriptor,), (), PATIENCE)[1]:
                    _lost.add(self._descriptor)
            except OSError:
                _lost.add(self._descriptor)
        return len(whole)


def mend() -> None:
    """Make the standard streams of this process such ones, if they are the process's own.

    What was closed by whoever began the process leads nowhere, and its number goes to no file that is opened later.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            _lost.update({descriptor} - {0})
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, closefd=False)
    if sys.stdout is sys.__stdout__:
        sys.stdout = _patient(1, sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _patient(2, sys.stderr)


def output_lost() -> bool:
    """Whether standard output could not be written to."""
    return 1 in _lost


def _patient(descriptor: int, before: TextIO | None) -> TextIO:
    if before is not None:
        try:
            before.flush()
        except OSError:
            _lost.add(descriptor)
    raw = _Patient(descriptor)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=getattr(before, "encoding", None) or "utf-8",
        errors="backslashreplace" if descriptor == 2 else getattr(before, "errors", None) or "backslashreplace",
        line_buffering=descriptor == 2 or raw.isatty(),
    )
