"""How the operations that change the namespace or files beyond the core are drawn."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core import content as contents
from fsconform.model.core.paths import ROOT, Path
from fsconform.model.filesystem.operations import Operation
from fsconform.model.filesystem.operations import changes as ops
from fsconform.model.filesystem.protocols.misuse import MANNERS
from fsconform.model.filesystem.state import File

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft

_OPEN = "fs.option.openfile."
_UNKNOWN = "fsconform.unknown=1"
_INPUT_OPTIONS = (
    _UNKNOWN,
    *(
        f"{_OPEN}read.policy={policy}"
        for policy in ("random", "sequential", "vector", "whole-file", "fsconform,random")
    ),
    *(
        f"{_OPEN}{name}={value}"
        for name in ("length", "split.start", "split.end")
        for value in ("-1", "0", "1", "none")
    ),
)


def _coin(dice: Random) -> bool:
    return dice.random() < 0.5


def _via(kind: type[Operation], dice: Random) -> str:
    return dice.choice(kind.VIAS) if dice.random() < 0.25 else ""


def _other(draft: Draft, dice: Random) -> Path:
    return draft.anywhere(dice, root=False)


def _create(draft: Draft, dice: Random, path: Path) -> Operation:
    via = dice.choice(("", *ops.CreateNonRecursive.VIAS))
    return ops.CreateNonRecursive(path, draft.content(dice), _coin(dice), via)


def _concat(draft: Draft, dice: Random, path: Path) -> Operation:
    count = dice.choice((0, 1, 1, 2, 2, 3))
    sources = [
        (*path[:-1], dice.choice(draft.names)) if dice.random() < 0.75 else _other(draft, dice) for _ in range(count)
    ]
    return ops.Concat(path, tuple(sources))


def _truncate(draft: Draft, dice: Random, path: Path) -> Operation:
    node = draft.node(path)
    length = contents.length(node.content) if isinstance(node, File) else 1
    return ops.Truncate(
        path, dice.choice((-1, 0, length // 2, length - 1, length, length + 1)), _via(ops.Truncate, dice)
    )


def _rename(draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.RenameWith(path, _other(draft, dice), _coin(dice), _via(ops.RenameWith, dice))


def _copy(draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.CopyFromLocal(path, draft.content(dice), _coin(dice), _coin(dice))


def _copy_tree(draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.CopyTreeFromLocal(path, draft.content(dice), _coin(dice), _coin(dice))


def _create_file(draft: Draft, dice: Random, path: Path) -> Operation:
    must, opt = ((_UNKNOWN,) if dice.random() < chance else () for chance in (0.1, 0.3))
    return ops.CreateFile(path, draft.content(dice), _coin(dice), _coin(dice), must, opt)


def _open_file(draft: Draft, dice: Random, path: Path) -> Operation:
    drawn = [dice.sample(_INPUT_OPTIONS, dice.choice(counts)) for counts in ((0, 0, 0, 1), (0, 1, 1, 2))]
    must, opt = (tuple({option.partition("=")[0]: option for option in options}.values()) for options in drawn)
    return ops.OpenFile(path, must, opt, _via(ops.OpenFile, dice))


def _bulk(draft: Draft, dice: Random, path: Path) -> Operation:
    base = dice.choice((ROOT, path[:-1]))
    paths = (path, *(_other(draft, dice) for _ in range(dice.choice((0, 0, 0, 1, 2)))))
    return ops.BulkDelete(base, paths, _via(ops.BulkDelete, dice))


def _upload(draft: Draft, dice: Random, path: Path) -> Operation:
    parts, ending = dice.choice((0, 1, 1, 1, 2, 3)), dice.choice(("complete", "complete", "reversed", "abort"))
    return ops.Upload(path, draft.content(dice), parts, ending)


def _misuse(draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.MisuseUpload(path, draft.content(dice), dice.choice(MANNERS), (*path[:-1], dice.choice(draft.names)))


def _stages(draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.OpenInStages(path, (_UNKNOWN,) if dice.random() < 0.25 else ())


MAKERS: dict[type[Operation], Callable[[Draft, Random, Path], Operation]] = {
    ops.CreateNonRecursive: _create,
    ops.Concat: _concat,
    ops.Truncate: _truncate,
    ops.RenameWith: _rename,
    ops.DeleteOnExit: lambda draft, dice, path: ops.DeleteOnExit(path, _via(ops.DeleteOnExit, dice)),
    ops.CopyFromLocal: _copy,
    ops.CopyTreeFromLocal: _copy_tree,
    ops.CopyMissingFromLocal: lambda draft, dice, path: ops.CopyMissingFromLocal(path, _coin(dice)),
    ops.MoveFromLocal: lambda draft, dice, path: ops.MoveFromLocal(path, draft.content(dice)),
    ops.CopyToLocal: lambda draft, dice, path: ops.CopyToLocal(path),
    ops.CreateFile: _create_file,
    ops.OpenFile: _open_file,
    ops.BulkDelete: _bulk,
    ops.Upload: _upload,
    ops.MisuseUpload: _misuse,
    ops.LeaveBuilder: lambda draft, dice, path: ops.LeaveBuilder(path, dice.choice(("create", "append", "open"))),
    ops.OpenInStages: _stages,
}
