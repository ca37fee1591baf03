"""How calls of administrators, and of others than the caller, are drawn."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.operations import Operation
from fsconform.model.filesystem.operations.administration import CallAsAnother, RenameToTrash, UseSafeMode
from fsconform.model.filesystem.protocols.administration import ACTIONS, CALLS

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft


def _safe_mode(_draft: Draft, dice: Random, _path: Path) -> Operation:
    return UseSafeMode(tuple(dice.choices(tuple(ACTIONS), k=dice.randint(1, 4))), dice.random() < 0.25)


MAKERS: dict[type[Operation], Callable[[Draft, Random, Path], Operation]] = {
    UseSafeMode: _safe_mode,
    CallAsAnother: lambda draft, dice, path: CallAsAnother(path, dice.choice(CALLS)),
    RenameToTrash: lambda draft, dice, path: RenameToTrash(path),
}
