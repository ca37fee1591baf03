"""How calls of the metadata family are drawn: what they take beside the path, in small sets of values on the edges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.operations import Operation
from fsconform.model.filesystem.operations import metadata as ops
from fsconform.model.filesystem.status.capabilities import KNOWN

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft

CAPABILITIES = (*sorted(KNOWN), "fs.capability.unheard-of", "fsconform.unheard-of", "FS.CAPABILITY.PATHS.APPEND")

Maker = Callable[["Draft", Random, Path], Operation]


def _via(kind: type[Operation], dice: Random) -> str:
    return dice.choice(("", "", *kind.VIAS))


def _plain(kind: Any, draft: Draft, dice: Random, path: Path) -> Operation:
    made: Operation = kind(path, via=_via(kind, dice)) if kind.VIAS else kind(path)
    return made


def _working(draft: Draft, dice: Random, path: Path) -> Operation:
    cut = dice.randint(0, len(path))
    return ops.WorkingDirectory(path[:cut], path[cut:], _via(ops.WorkingDirectory, dice))


MAKERS: dict[type[Operation], Maker] = {
    **{
        kind: partial(_plain, kind)
        for kind in (
            ops.GetAttributes,
            ops.GetBlockSize,
            ops.GetLength,
            ops.GetReplication,
            ops.GetDefaultBlockSize,
            ops.GetDefaultReplication,
            ops.GetServerDefaults,
            ops.ResolvePath,
            ops.GetEnclosingRoot,
            ops.GetFileChecksum,
            ops.GetEtag,
        )
    },
    ops.WorkingDirectory: _working,
    ops.Access: lambda draft, dice, path: ops.Access(path, dice.choice(("r", "w", "x", "rwx")), _via(ops.Access, dice)),
    ops.HasPathCapability: lambda draft, dice, path: ops.HasPathCapability(
        path, dice.choice(CAPABILITIES), _via(ops.HasPathCapability, dice)
    ),
}
"""Not here: GetHomeDirectory and Msync, which take no path."""
