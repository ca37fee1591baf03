"""How paths are looked at that a stream writes to, and files without checksums made."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.operations.writers import Observe

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft

_EIGHTHS = 8
Maker = Callable[["Draft", Random, Path], Operation]


def _written(path: Path, draft: Draft, dice: Random) -> Path:
    """The path of a stream, more often than another one."""
    known = sorted(one.path for one in draft.state.writers.values()) if draft.state is not None else []
    return dice.choice(known) if known and dice.randrange(_EIGHTHS) < 6 else path


MAKERS: dict[type[Operation], Maker] = {
    Observe: lambda draft, dice, path: Observe(_written(path, draft, dice)),
}
