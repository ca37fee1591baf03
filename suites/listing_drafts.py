"""How listings, patterns, summaries and block locations are drawn."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.operations import Operation
from fsconform.model.filesystem.operations import listing as ops

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft

PREFIXES = ("", "a", "ab", "b")
RANGES = (0, 0, 1, 511, 512, 4096, 1 << 40, -1)
WILD = ("*", "?", "a*", "*b", "[ab]", "[a-c]*", "[^a]", "{a,b}", "{a,{b,ab}}", "a{,b}")

_SPECIAL = re.compile(r"([\\*?\[\]{}^,])")


def _way(kind: type[Operation], dice: Random) -> str:
    return dice.choice(("", *kind.VIAS))


def _filtered(_draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.ListFiltered(path, dice.choice(PREFIXES), _way(ops.ListFiltered, dice))


def _many(draft: Draft, dice: Random, path: Path) -> Operation:
    others = [draft.anywhere(dice, True) for _ in range(dice.randint(0, 2))]
    return ops.ListMany((path, *others), _way(ops.ListMany, dice))


def _files(_draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.ListFiles(path, dice.random() < 0.5, _way(ops.ListFiles, dice))


def _glob(_draft: Draft, dice: Random, path: Path) -> Operation:
    elements = [dice.choice(WILD) if dice.random() < 0.4 else _SPECIAL.sub(r"\\\1", name) for name in path]
    if dice.random() < 0.2:
        elements.append("*")
    return ops.GlobStatus("/".join(elements), _way(ops.GlobStatus, dice))


def _summary(_draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.GetContentSummary(path, _way(ops.GetContentSummary, dice))


def _locations(_draft: Draft, dice: Random, path: Path) -> Operation:
    start, length = dice.choice(RANGES), dice.choice(RANGES)
    return ops.GetFileBlockLocations(path, start, length, _way(ops.GetFileBlockLocations, dice))


def _compared(_draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.CompareListed(path, _way(ops.CompareListed, dice))


MAKERS = {
    ops.ListFiltered: _filtered,
    ops.ListMany: _many,
    ops.ListFiles: _files,
    ops.GlobStatus: _glob,
    ops.GetContentSummary: _summary,
    ops.GetFileBlockLocations: _locations,
    ops.CompareListed: _compared,
    ops.LocateNull: lambda _draft, dice, _path: ops.LocateNull(_way(ops.LocateNull, dice)),
}
