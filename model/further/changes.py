"""The meaning of the operations that change the namespace or files beyond the core."""

from __future__ import annotations

from fsconform.model.branches import Meaning
from fsconform.model.further.builders import COPY_TO_LOCAL, OPEN_FILE
from fsconform.model.further.bulk import BULK_DELETE
from fsconform.model.further.concat import CONCAT
from fsconform.model.further.copying import (
    COPY_FROM_LOCAL,
    COPY_MISSING_FROM_LOCAL,
    COPY_TREE_FROM_LOCAL,
    MOVE_FROM_LOCAL,
)
from fsconform.model.further.creating import CREATE_FILE, CREATE_NON_RECURSIVE
from fsconform.model.further.handles import OPEN_BY_HANDLE
from fsconform.model.further.leaving import DELETE_ON_EXIT
from fsconform.model.further.misuse import LEAVE_BUILDER, MISUSE_UPLOAD, OPEN_IN_STAGES
from fsconform.model.further.rename_with import RENAME_WITH
from fsconform.model.further.truncate import TRUNCATE
from fsconform.model.further.uploads import UPLOAD

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
    OPEN_BY_HANDLE,
    BULK_DELETE,
    UPLOAD,
    MISUSE_UPLOAD,
    LEAVE_BUILDER,
    OPEN_IN_STAGES,
)
