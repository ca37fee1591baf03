"""Operations that need the rights of an administrator, or an identity beside the client's own."""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.protocols.other_users import CallAsAnother as CallAsAnother
from fsconform.model.filesystem.protocols.other_users import HomeOfAnother as HomeOfAnother
from fsconform.model.filesystem.protocols.other_users import RenameToTrash as RenameToTrash
from fsconform.model.filesystem.protocols.safe_mode import UseSafeMode as UseSafeMode

ALL: tuple[type[Operation], ...] = (UseSafeMode, CallAsAnother, HomeOfAnother, RenameToTrash)
