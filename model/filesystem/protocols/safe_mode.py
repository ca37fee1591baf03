"""setSafeMode. Source: safemode.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, Difference, gives, meaning, raises
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_CASES

if TYPE_CHECKING:
    from random import Random

_SAFE_MODE = "safemode.setSafeMode"
_RESULT, _UNCHECKED = f"{_SAFE_MODE}.post.result", f"{_SAFE_MODE}.unchecked"
_ADMINISTRATORS = "safemode.administrators"

ACTIONS: dict[str, tuple[str, str]] = {
    "get": ("", f"{_SAFE_MODE}.get"),
    "enter": ("on", f"{_SAFE_MODE}.enter"),
    "leave": ("off", f"{_SAFE_MODE}.leave"),
    "force exit": ("off", f"{_SAFE_MODE}.force-exit"),
}
"""For each action the state that it leads to, empty for the one that changes none, and the clause that says so."""


@operation
@dataclass(frozen=True, slots=True)
class UseSafeMode(Operation):
    """``setSafeMode(action)`` for each of the actions ``get``, ``enter``, ``leave``, ``force exit``; then it is left.

    With ``checked`` it is ``setSafeMode(action, true)``. Returns facts ``safe mode``: ``before`` (what get says first),
    ``results`` (what each call returned) and ``states`` (what get says after each), all of them on or off; and, without
    ``checked``, ``alike`` (the same calls made again with false as their second argument give the same).
    """

    NAME: ClassVar[str] = "setSafeMode"
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"actions": tuple(ACTIONS)}
    actions: tuple[str, ...]
    checked: bool


def _differs(_root: State, op: UseSafeMode, value: object) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    state, results, states = value.get("before"), value.get("results"), value.get("states")
    if not isinstance(results, tuple) or not isinstance(states, tuple):
        return Difference(_RESULT, "MUST", "no results")
    if not len(results) == len(states) == len(op.actions):
        return Difference(_RESULT, "MUST", "another number of results than of calls")
    for action, result, after in zip(op.actions, results, states, strict=True):
        wanted, clause = ACTIONS[action]
        state = wanted or state
        if after != state:
            return Difference(clause, "MUST", f"safe mode {after} after {action}")
        if result != state:
            return Difference(_RESULT, "MUST", f"{result} from {action}")
    if value.get("alike") is False:
        return Difference(_UNCHECKED, "MUST", "something else of the same call with false as its second argument")
    return None


def _right(root: State, op: UseSafeMode, value: object) -> bool:
    return isinstance(value, Facts) and _differs(root, op, value) is None


_MET = Cases(*COMMON_CASES)
_ANY_STATE = _MET.case(
    "any state",
    _RESULT,
    (
        gives(
            _RESULT,
            "safe mode as each action leaves it",
            _right,
            also=(*(clause for _, clause in ACTIONS.values()), _UNCHECKED),
        ),
        raises(_ADMINISTRATORS, "AccessControlException", level="SHOULD"),
    ),
)


@meaning(UseSafeMode, _MET, differs=_differs)
def _classify(_root: State, _op: UseSafeMode) -> int:
    return _ANY_STATE


@drawn(UseSafeMode)
def _draw(_draft: Draft, dice: Random, _path: Path) -> UseSafeMode:
    return UseSafeMode(tuple(dice.choices(tuple(ACTIONS), k=dice.randint(1, 4))), dice.random() < 0.25)
