"""The meaning of the operations that need an administrator's rights, or another identity.

Source: safemode.md.
"""

from __future__ import annotations

from fsconform.model.branches import Case, Difference, Meaning, gives, raises
from fsconform.model.operations.administration import UseSafeMode
from fsconform.model.outcomes import Facts
from fsconform.model.state import Dir
from fsconform.model.validity import COMMON_CASES

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


def _differs(_root: Dir, op: UseSafeMode, value: object) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    state, results, states = value.get("before"), value.get("results"), value.get("states")
    if not isinstance(results, tuple) or not isinstance(states, tuple):
        return Difference(_RESULT, "MUST", "no results")
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


def _right(root: Dir, op: UseSafeMode, value: object) -> bool:
    return isinstance(value, Facts) and _differs(root, op, value) is None


USE_SAFE_MODE = Meaning(
    UseSafeMode,
    (
        *COMMON_CASES,
        Case(
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
        ),
    ),
    lambda _root, _op: 4,
    _differs,
)

MEANINGS: tuple[Meaning, ...] = (USE_SAFE_MODE,)
