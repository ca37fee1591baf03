"""Changes of the namespace and of files beyond the core: concat, truncate, renames with options, copies, uploads."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_file import OpenFile, OpenInStages
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.create_file import CreateFile, CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.delete_on_exit import DeleteOnExit
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.namespace.truncate import Truncate
from fsconform.model.filesystem.protocols.abandoned_builders import LeaveBuilder
from fsconform.model.filesystem.protocols.path_handles import OpenByHandle
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.transfer.abort_uploads import AbortUploads
from fsconform.model.filesystem.transfer.bulk_delete import BulkDelete
from fsconform.model.filesystem.transfer.local_copies import (
    CopyFromLocal,
    CopyMissingFromLocal,
    CopyToLocal,
    CopyTreeFromLocal,
    MoveFromLocal,
)
from fsconform.model.filesystem.transfer.uploads import MisuseUpload, Upload

CHANGES = Suite(
    "changes",
    "changes",
    "concat, truncate, renames with options, copies from and to the local disk, builders, handles, uploads",
    witnesses=("changes", "again"),
    grammar=Grammar(
        weights=(
            *((kind, 2) for kind in (Mkdirs, Create)),
            *((kind, 1) for kind in (Append, Delete, Rename, Open, ListStatus)),
            *((kind, 2) for kind in (Concat, Truncate, RenameWith)),
            *((kind, 1) for kind in (CreateNonRecursive, DeleteOnExit, CopyFromLocal, CopyTreeFromLocal)),
            *((kind, 1) for kind in (CopyMissingFromLocal, MoveFromLocal, CopyToLocal, CreateFile, OpenFile)),
            *((kind, 1) for kind in (OpenByHandle, BulkDelete, Upload, MisuseUpload, LeaveBuilder, OpenInStages)),
            (AbortUploads, 1),
        ),
        spiced=1,
        clients=2,
    ),
)
