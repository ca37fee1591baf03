"""How the operations that change the namespace or files beyond the core are drawn."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.operations import Operation
from fsconform.model.filesystem.operations import changes as ops

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


def _open_file(draft: Draft, dice: Random, path: Path) -> Operation:
    drawn = [dice.sample(_INPUT_OPTIONS, dice.choice(counts)) for counts in ((0, 0, 0, 1), (0, 1, 1, 2))]
    must, opt = (tuple({option.partition("=")[0]: option for option in options}.values()) for options in drawn)
    return ops.OpenFile(path, must, opt, _via(ops.OpenFile, dice))


def _stages(draft: Draft, dice: Random, path: Path) -> Operation:
    return ops.OpenInStages(path, (_UNKNOWN,) if dice.random() < 0.25 else ())


MAKERS: dict[type[Operation], Callable[[Draft, Random, Path], Operation]] = {
    ops.OpenFile: _open_file,
    ops.LeaveBuilder: lambda draft, dice, path: ops.LeaveBuilder(path, dice.choice(("create", "append", "open"))),
    ops.OpenInStages: _stages,
}
