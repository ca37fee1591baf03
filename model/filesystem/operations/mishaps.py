"""What can go wrong with a stream that writes, as whole episodes: several threads use it, or its close fails.

Each leaves nothing behind: what it made at ``path``, where nothing was before, is deleted again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path

TOGETHER = ("write", "sync", "close")
"""What a second thread does while one writes: write, or hsync; or it closes while the first calls hsync."""


NOT_ASKED = ""
"""The answer of a call that the store has no word for."""


@dataclass(frozen=True, slots=True)
class WriteTogether(Operation):
    """A file is written through one stream by two threads at once, closed and read.

    Returns facts ``together``: ``answer`` (of the close), ``writes`` (how many were made, each of bytes of its own),
    ``whole`` (how many of these are in the file in one piece) and ``length`` (that of the file, in writes; -1 where it
    is no number of them).
    """

    NAME: ClassVar[str] = "write by two threads"
    MUTATES: ClassVar[bool] = True
    path: Path
    beside: str


@dataclass(frozen=True, slots=True)
class FailClose(Operation):
    """A file is written in a new directory beyond its quota of space, closed, closed again once the quota is gone.

    ``path`` is the directory. Returns facts ``failed close``: ``refused`` (what the first call raised that failed, done
    if none did), ``again`` (the answer of the second close), ``before`` and ``after`` (the length of the file
    before and after that, -1 where it is missing).
    """

    NAME: ClassVar[str] = "close beyond a quota"
    MUTATES: ClassVar[bool] = True
    path: Path


@dataclass(frozen=True, slots=True)
class FillUp(Operation):
    """A file is written until the store has no space left for it, closed, deleted, and another one written.

    The store has little space to begin with, or, where directories have quotas of space, the directory is given one;
    ``path`` is that directory, and is made. With ``synced`` hsync follows each write, where the stream says that it
    keeps its promise. Returns facts ``full``: ``refused`` (what the first call raised that failed, done if none did)
    and ``by`` (which it was: write, hsync or close; empty if none); ``closed`` and ``again`` (the answers of the first
    close and a second one), ``later`` (that of a write thereafter); ``acknowledged`` (true if hsync returned before, or
    the close did), ``kept`` (all that was acknowledged can be read), ``sound`` (what can be read begins what was
    written); ``deleted`` (true if delete returned true and the file is gone) and ``anew`` (done if a file that had room
    at the beginning is then written and read, else what was raised, or other bytes).
    """

    NAME: ClassVar[str] = "fill up"
    MUTATES: ClassVar[bool] = True
    path: Path
    synced: bool


ALL: tuple[type[Operation], ...] = (WriteTogether, FailClose, FillUp)
"""All of them."""
