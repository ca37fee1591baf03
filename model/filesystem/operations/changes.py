"""Operations that change the namespace or the content of files beyond the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.namespace.concat import Concat as Concat
from fsconform.model.filesystem.namespace.create_file import CreateFile as CreateFile
from fsconform.model.filesystem.namespace.create_file import CreateNonRecursive as CreateNonRecursive
from fsconform.model.filesystem.namespace.delete_on_exit import DeleteOnExit as DeleteOnExit
from fsconform.model.filesystem.namespace.rename_options import RenameWith as RenameWith
from fsconform.model.filesystem.namespace.truncate import Truncate as Truncate
from fsconform.model.filesystem.protocols.path_handles import HANDLE_APPENDED as HANDLE_APPENDED
from fsconform.model.filesystem.protocols.path_handles import OpenByHandle as OpenByHandle
from fsconform.model.filesystem.transfer.bulk_delete import BulkDelete as BulkDelete
from fsconform.model.filesystem.transfer.local_copies import LOCAL_FILE as LOCAL_FILE
from fsconform.model.filesystem.transfer.local_copies import LOCAL_TREE as LOCAL_TREE
from fsconform.model.filesystem.transfer.local_copies import CopyFromLocal as CopyFromLocal
from fsconform.model.filesystem.transfer.local_copies import CopyMissingFromLocal as CopyMissingFromLocal
from fsconform.model.filesystem.transfer.local_copies import CopyToLocal as CopyToLocal
from fsconform.model.filesystem.transfer.local_copies import CopyTreeFromLocal as CopyTreeFromLocal
from fsconform.model.filesystem.transfer.local_copies import MoveFromLocal as MoveFromLocal
from fsconform.model.filesystem.transfer.uploads import FIRST_UPLOAD as FIRST_UPLOAD
from fsconform.model.filesystem.transfer.uploads import MisuseUpload as MisuseUpload
from fsconform.model.filesystem.transfer.uploads import Upload as Upload


@dataclass(frozen=True, slots=True)
class OpenFile(Operation):
    """``openFile(path)``, with options ``key=value``, build, read to the end, close; via status with the file's status.

    Options that may be honoured are set last. Returns length and digest.
    """

    NAME: ClassVar[str] = "openFile"
    VIAS: ClassVar[tuple[str, ...]] = ("status",)
    path: Path
    must: tuple[str, ...]
    opt: tuple[str, ...]
    via: str = ""


@dataclass(frozen=True, slots=True)
class LeaveBuilder(Operation):
    """``createFile(path)``, ``appendFile(path)`` or ``openFile(path)``, by ``kind`` create, append or open.

    Options are set, also such as no store knows, and nothing is built.
    """

    NAME: ClassVar[str] = "builder that is left alone"
    MUTATES: ClassVar[bool] = True
    path: Path
    kind: str


@dataclass(frozen=True, slots=True)
class OpenInStages(Operation):
    """``openFile(path)`` with mandatory options ``key=value``, build, get of the future, one read, close.

    Returns facts ``stages`` with ``failed``: openFile, build, get, read or nothing.
    """

    NAME: ClassVar[str] = "openFile in stages"
    path: Path
    must: tuple[str, ...]


ALL: tuple[type[Operation], ...] = (
    CreateNonRecursive,
    Concat,
    Truncate,
    RenameWith,
    DeleteOnExit,
    CopyFromLocal,
    CopyTreeFromLocal,
    CopyMissingFromLocal,
    MoveFromLocal,
    CopyToLocal,
    CreateFile,
    OpenFile,
    OpenByHandle,
    BulkDelete,
    Upload,
    MisuseUpload,
    LeaveBuilder,
    OpenInStages,
)
