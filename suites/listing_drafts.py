"""How listings, patterns, summaries and block locations are drawn."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.operations import Operation
from fsconform.model.filesystem.operations import listing as ops

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft

PREFIXES = ("", "a", "ab", "b")


def _way(kind: type[Operation], dice: Random) -> str:
    return dice.choice(("", *kind.VIAS))


def _filtered(_draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.ListFiltered(path, dice.choice(PREFIXES), _way(ops.ListFiltered, dice))


def _many(draft: Draft, dice: Random, path: Path) -> Operation:
    others = [draft.anywhere(dice, True) for _ in range(dice.randint(0, 2))]
    return ops.ListMany((path, *others), _way(ops.ListMany, dice))


def _files(_draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.ListFiles(path, dice.random() < 0.5, _way(ops.ListFiles, dice))


MAKERS = {
    ops.ListFiltered: _filtered,
    ops.ListMany: _many,
    ops.ListFiles: _files,
}
