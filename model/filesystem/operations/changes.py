"""Operations that change the namespace or the content of files beyond the core."""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.input.open_file import OpenFile as OpenFile
from fsconform.model.filesystem.input.open_file import OpenInStages as OpenInStages
from fsconform.model.filesystem.namespace.concat import Concat as Concat
from fsconform.model.filesystem.namespace.create_file import CreateFile as CreateFile
from fsconform.model.filesystem.namespace.create_file import CreateNonRecursive as CreateNonRecursive
from fsconform.model.filesystem.namespace.delete_on_exit import DeleteOnExit as DeleteOnExit
from fsconform.model.filesystem.namespace.rename_options import RenameWith as RenameWith
from fsconform.model.filesystem.namespace.truncate import Truncate as Truncate
from fsconform.model.filesystem.protocols.abandoned_builders import LeaveBuilder as LeaveBuilder
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
