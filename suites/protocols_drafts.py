"""How operations that are a short protocol of calls are drawn."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.operations import Operation
from fsconform.model.filesystem.operations.protocols import (
    CompareEtags,
    CopyWithin,
    ReadTimed,
    RenameTimed,
)

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft


def _etags(draft: Draft, dice: Random, path: Path) -> Operation:
    return CompareEtags(path, draft.content(dice), draft.content(dice))


def _copy(_draft: Draft, dice: Random, path: Path) -> Operation:
    other = dice.choice((path, path[:-1], (*path, "a")))
    return CopyWithin(*dice.choice(((path, other), (other, path))), dice.random() < 0.5)


MAKERS: dict[type[Operation], Callable[[Draft, Random, Path], Operation]] = {
    CompareEtags: _etags,
    CopyWithin: _copy,
    RenameTimed: lambda draft, dice, path: RenameTimed(path),
    ReadTimed: lambda draft, dice, path: ReadTimed(path),
}
