"""Operations that are a short protocol of calls: what is promised of them can't be seen from one call alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.operations.shape import Operation
from fsconform.model.paths import Path


@dataclass(frozen=True, slots=True)
class Iterate(Operation):
    """``listStatusIterator(path)``, via located ``listLocatedStatus``, via files ``listFiles(path, true)``.

    ``manner`` says how it is walked: alone calls next until it raises, asked calls hasNext before each next, twice
    calls it two times; these return the statuses. beyond calls next once more after the last element and raises what
    that raises. honest returns facts ``iteration``: ``agreed``, true if hasNext told each time whether next gave
    something and said the same when asked again.
    """

    NAME: ClassVar[str] = "iterate"
    VIAS: ClassVar[tuple[str, ...]] = ("located", "files")
    path: Path
    manner: str
    via: str = ""


@dataclass(frozen=True, slots=True)
class MoveToTrash(Operation):
    """``TrashPolicy.moveToTrash(path)`` with a trash inside the program's root, which is emptied afterwards.

    Without ``enabled`` the deletion interval is 0. Returns facts ``trash``: ``moved`` (what the call returned),
    ``gone`` (nothing is at the path), ``kept`` (it is below the current trash directory under its full path) and
    ``current`` (getCurrentTrashDir(path) is the directory in which it is).
    """

    NAME: ClassVar[str] = "moveToTrash"
    MUTATES: ClassVar[bool] = True
    path: Path
    enabled: bool


@dataclass(frozen=True, slots=True)
class TrashCheckpoint(Operation):
    """A checkpoint of a trash inside the program's root, into which ``path`` was moved before; emptied afterwards.

    ``act`` says what is made of the trash then: create a checkpoint; delete the expired ones, of which there is none;
    delete expired, after one was made that has expired; delete at once, after one was made; delete all but current, at
    once but without one made; move again what was moved. With create of nothing nothing was moved there. Returns facts
    ``checkpoint``: ``checkpoints`` (their number), ``current`` (the current trash directory exists), ``kept`` (what was
    moved is in the trash still) and, for move again, ``moved``.
    """

    NAME: ClassVar[str] = "trash checkpoint"
    MUTATES: ClassVar[bool] = True
    path: Path
    act: str


ALL: tuple[type[Operation], ...] = (Iterate, MoveToTrash, TrashCheckpoint)
