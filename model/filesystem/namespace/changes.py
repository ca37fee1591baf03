"""The meaning of the operations that change the namespace or files beyond the core."""

from __future__ import annotations

from fsconform.model.filesystem.branches import Meaning
from fsconform.model.filesystem.input.open_file import COPY_TO_LOCAL, OPEN_FILE
from fsconform.model.filesystem.namespace.concat import CONCAT
from fsconform.model.filesystem.namespace.create_file import CREATE_FILE, CREATE_NON_RECURSIVE
from fsconform.model.filesystem.namespace.delete_on_exit import DELETE_ON_EXIT
from fsconform.model.filesystem.namespace.rename_options import RENAME_WITH
from fsconform.model.filesystem.namespace.truncate import TRUNCATE
from fsconform.model.filesystem.protocols.misuse import LEAVE_BUILDER, MISUSE_UPLOAD, OPEN_IN_STAGES
from fsconform.model.filesystem.transfer.bulk_delete import BULK_DELETE
from fsconform.model.filesystem.transfer.local_copies import (
    COPY_FROM_LOCAL,
    COPY_MISSING_FROM_LOCAL,
    COPY_TREE_FROM_LOCAL,
    MOVE_FROM_LOCAL,
)
from fsconform.model.filesystem.transfer.uploads import UPLOAD

MEANINGS: tuple[Meaning, ...] = (
    CREATE_NON_RECURSIVE,
    CONCAT,
    TRUNCATE,
    RENAME_WITH,
    DELETE_ON_EXIT,
    COPY_FROM_LOCAL,
    COPY_TREE_FROM_LOCAL,
    COPY_MISSING_FROM_LOCAL,
    MOVE_FROM_LOCAL,
    COPY_TO_LOCAL,
    CREATE_FILE,
    OPEN_FILE,
    BULK_DELETE,
    UPLOAD,
    MISUSE_UPLOAD,
    LEAVE_BUILDER,
    OPEN_IN_STAGES,
)
