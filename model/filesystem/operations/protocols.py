"""Operations that are a short protocol of calls: what is promised of them can't be seen from one call alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path


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
    once but without one made; run emptier for at least one round, beside a checkpoint that has expired; move again
    what was moved. With create of nothing nothing was moved there. Returns facts ``checkpoint``: ``checkpoints`` (their
    number), ``current`` (the current trash directory exists), ``kept`` (what was moved is in the trash still) and, for
    move again, ``moved``, for run emptier, ``expired`` (the checkpoint that has expired is there still).
    """

    NAME: ClassVar[str] = "trash checkpoint"
    MUTATES: ClassVar[bool] = True
    path: Path
    act: str


@dataclass(frozen=True, slots=True)
class CompareEtags(Operation):
    """``path`` is written twice, with overwrite, and the etag in its status is asked for after each time.

    Returns facts ``etags``: ``first`` and ``second``, empty where there is none; nothing if a status is no EtagSource.
    """

    NAME: ClassVar[str] = "getEtag of two contents"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    other: Content


@dataclass(frozen=True, slots=True)
class OpenForeignHandle(Operation):
    """``open(handle)`` of a path handle of a class that the store does not know. Returns a length if it opens."""

    NAME: ClassVar[str] = "open of a foreign handle"


@dataclass(frozen=True, slots=True)
class CopyWithin(Operation):
    """``copyFromLocalFile(false, overwrite, src, dst)`` where the store itself is the local disk.

    It is made where both paths are one, or one is below the other.
    """

    NAME: ClassVar[str] = "copyFromLocalFile within the store"
    MUTATES: ClassVar[bool] = True
    src: Path
    dst: Path
    overwrite: bool


@dataclass(frozen=True, slots=True)
class RenameTimed(Operation):
    """A file is renamed into a new directory beside it, and back; the new directory is removed then.

    Returns facts ``times``: ``kept`` (it has its modification time there), ``directories`` (those of both directories
    are later than before), ``least`` (the least time of all statuses seen); nothing if the path is a directory.
    """

    NAME: ClassVar[str] = "times over a rename"
    path: Path


@dataclass(frozen=True, slots=True)
class ReadTimed(Operation):
    """A file is opened half an hour and, again, two hours after its time of access, which setTimes put there.

    Returns facts ``access``: ``soon`` and ``late``, true where the time of access has moved on; nothing if the path is
    a directory.
    """

    NAME: ClassVar[str] = "times of access"
    MUTATES: ClassVar[bool] = True
    path: Path


@dataclass(frozen=True, slots=True)
class CallNowhere(Operation):
    """A status is asked for by a client like this one whose store does not answer at its address.

    Returns facts ``nowhere``: ``error`` (the call raised something) and ``io`` (it was an IOException).
    """

    NAME: ClassVar[str] = "call to nowhere"


ALL: tuple[type[Operation], ...] = (
    Iterate,
    MoveToTrash,
    TrashCheckpoint,
    CompareEtags,
    OpenForeignHandle,
    CopyWithin,
    RenameTimed,
    ReadTimed,
    CallNowhere,
)
