"""Operations that are a short protocol of calls: what is promised of them can't be seen from one call alone."""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.metadata.rename_and_access_times import ReadTimed as ReadTimed
from fsconform.model.filesystem.metadata.rename_and_access_times import RenameTimed as RenameTimed
from fsconform.model.filesystem.protocols.iterators import Iterate as Iterate
from fsconform.model.filesystem.protocols.path_handles import OpenForeignHandle as OpenForeignHandle
from fsconform.model.filesystem.protocols.trash import MoveToTrash as MoveToTrash
from fsconform.model.filesystem.protocols.trash import TrashCheckpoint as TrashCheckpoint
from fsconform.model.filesystem.protocols.unreachable_store import CallNowhere as CallNowhere
from fsconform.model.filesystem.status.etags import CompareEtags as CompareEtags
from fsconform.model.filesystem.transfer.local_copies import CopyWithin as CopyWithin

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
