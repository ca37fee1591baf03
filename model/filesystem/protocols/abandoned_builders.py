"""Builders of createFile, appendFile and openFile that are left alone: nothing happens before they build.

Source: openfile.md; fsdatainputstreambuilder.md; fsdataoutputstreambuilder.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Cases, Level, keep, meaning
from fsconform.model.filesystem.state import State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_OUTPUT, _INPUT = "fsdataoutputstreambuilder", "fsdatainputstreambuilder"
_PROMISES: dict[str, tuple[str, Level, tuple[str, ...]]] = {
    "create": (f"{_OUTPUT}.invariant.nothing-before-build", "MUST NOT", ("filesystem.createFile.lazy",)),
    "append": ("filesystem.appendFile.lazy", "MUST", (f"{_OUTPUT}.invariant.nothing-before-build",)),
    "open": (f"{_INPUT}.invariant.no-early-checks", "MUST NOT", ()),
}
"""By the kind of builder the clause that promises it, its level, and other clauses that do."""

KINDS = tuple(_PROMISES)


@operation
@dataclass(frozen=True, slots=True)
class LeaveBuilder(Operation):
    """``createFile(path)``, ``appendFile(path)`` or ``openFile(path)``, by ``kind`` create, append or open.

    Options are set, also such as no store knows, and nothing is built.
    """

    NAME: ClassVar[str] = "builder that is left alone"
    MUTATES: ClassVar[bool] = True
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"kind": KINDS}
    path: Path
    kind: str


_MET = Cases(*COMMON_CASES)
_LEFT = {
    kind: _MET.case(f"builder of {kind}", clause, (Branch(clause, level, "change nothing", keep, also=also),))
    for kind, (clause, level, also) in _PROMISES.items()
}


@meaning(LeaveBuilder, _MET)
def _classify(root: State, op: LeaveBuilder) -> int:
    return bits(op.path, locate(root, op.path)) | _LEFT[op.kind]


@drawn(LeaveBuilder)
def _draw(_draft: Draft, dice: Random, path: Path) -> LeaveBuilder:
    return LeaveBuilder(path, dice.choice(KINDS))
