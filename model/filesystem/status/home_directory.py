"""getHomeDirectory. Source: filesystem.md, "Path getHomeDirectory()"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Cases, Difference, gives, meaning
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_CASES

_HOME = "filesystem.getHomeDirectory.post"


@operation
@dataclass(frozen=True, slots=True)
class GetHomeDirectory(Operation):
    """``getHomeDirectory()``. Returns facts ``home``: absolute, qualified, ofThisStore."""

    NAME: ClassVar[str] = "getHomeDirectory"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    via: str = ""


def _differs(_root: State, _op: GetHomeDirectory, value: Any) -> Difference | None:
    if not isinstance(value, Facts) or value.get("absolute") is not True:
        return Difference(_HOME, "MUST", "no absolute path")
    if value.get("ofThisStore") is not True:
        return Difference(_HOME, "MUST", "a path of another store")
    return None


def _is_home(root: State, op: GetHomeDirectory, value: Any) -> bool:
    return _differs(root, op, value) is None


_MET = Cases(*COMMON_CASES)
_ANY_STATE = _MET.case("any state", _HOME, (gives(_HOME, "a path of the filesystem", _is_home),))


@meaning(GetHomeDirectory, _MET, differs=_differs)
def _classify(_root: State, _op: GetHomeDirectory) -> int:
    return _ANY_STATE
