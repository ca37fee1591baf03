"""Operations that are a short protocol of calls: what is promised of them can't be seen from one call alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.protocols.iterators import Iterate as Iterate
from fsconform.model.filesystem.protocols.path_handles import OpenForeignHandle as OpenForeignHandle
from fsconform.model.filesystem.protocols.trash import MoveToTrash as MoveToTrash
from fsconform.model.filesystem.protocols.trash import TrashCheckpoint as TrashCheckpoint
from fsconform.model.filesystem.protocols.unreachable_store import CallNowhere as CallNowhere
from fsconform.model.filesystem.transfer.local_copies import CopyWithin as CopyWithin


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
