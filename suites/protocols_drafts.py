"""How operations that are a short protocol of calls are drawn."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.operations import Operation
from fsconform.model.filesystem.operations.protocols import (
    CompareEtags,
    ReadTimed,
    RenameTimed,
)

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft


def _etags(draft: Draft, dice: Random, path: Path) -> Operation:
    return CompareEtags(path, draft.content(dice), draft.content(dice))


MAKERS: dict[type[Operation], Callable[[Draft, Random, Path], Operation]] = {
    CompareEtags: _etags,
    RenameTimed: lambda draft, dice, path: RenameTimed(path),
    ReadTimed: lambda draft, dice, path: ReadTimed(path),
}
