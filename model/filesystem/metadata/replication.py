"""setReplication, of which no document speaks beyond introduction.md, "Operations and failures"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, any_way, drawn
from fsconform.model.core.operation import Operation, Short, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, meaning, raises, returns
from fsconform.model.filesystem.metadata.shared_by_setters import FAILURE
from fsconform.model.filesystem.refusals import EXCEPTIONS, UNSUPPORTED
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

REPLICAS = (-1, 0, 1, 2, 3, 4, 513)

_ORDINARY = 3
"""Beyond this number, and below 1, a store may have limits."""


@operation
@dataclass(frozen=True, slots=True)
class SetReplication(Operation):
    """``setReplication(path, replication)``. Returns true or false."""

    NAME: ClassVar[str] = "setReplication"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    replication: Short
    via: str = ""


# false for what is no file, and true without any effect, are known answers; no document speaks of them.
_REPLICATED = (
    returns(UNSUPPORTED, True),
    returns(UNSUPPORTED, False),
    raises(UNSUPPORTED, "UnsupportedOperationException"),
)

_MET = Cases(*COMMON_CASES)
_FILE = _MET.case("file", UNSUPPORTED, _REPLICATED)
_OTHERWISE = _MET.case("missing, a directory, or an odd number", EXCEPTIONS, (*_REPLICATED, *FAILURE))


@meaning(SetReplication, _MET)
def _classify(root: State, op: SetReplication) -> int:
    """Which cases are met."""
    node = locate(root, op.path)
    ordinary = 0 < op.replication <= _ORDINARY
    return bits(op.path, node) | (_FILE if type(node) is File and ordinary else _OTHERWISE)


@drawn(SetReplication)
def _draw(_draft: Draft, dice: Random, path: Path) -> SetReplication:
    return SetReplication(path, dice.choice(REPLICAS), any_way(SetReplication, dice))
