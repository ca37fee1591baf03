"""The meaning of the operations that need an administrator's rights, or another identity.

Source: safemode.md; introduction.md, "Core Expectations of a Hadoop Compatible FileSystem" and "Security
Assumptions"; filesystem.md, "Path getHomeDirectory()"; rename.md, "TRASH".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import (
    ANY,
    Case,
    Difference,
    Meaning,
    gives,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.operations.administration import (
    CallAsAnother,
    HomeOfAnother,
    RenameToTrash,
    UseSafeMode,
)
from fsconform.model.filesystem.options.metadata import SUPPORTS_UNIX_PERMISSIONS
from fsconform.model.filesystem.state import Dir, File, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

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

CALLS = ("list", "status", "open", "create", "append", "mkdirs", "delete", "rename")
"""What another user may try."""

_DENIED, _TRASH, _HOME = (
    "introduction.security.denied",
    "rename.rename3.options.trash",
    "filesystem.getHomeDirectory.caller",
)
_STATUS = "filesystem.getFileStatus.pre.exists"

Wrong = Callable[[Dir, Any, Any], Difference | None]


def _denial_wrong(_root: Dir, _op: CallAsAnother, value: Any) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    if value.get("refused") is not True:
        return Difference(_DENIED, "MUST", "success of a call for which there is no permission")
    return None if value.get("unchanged") else Difference(_DENIED, "MUST", "a change by a call that was refused")


def _trash_wrong(_root: Dir, _op: RenameToTrash, value: Any) -> Difference | None:
    # Where the plain rename is refused already nothing is seen of the option.
    if not isinstance(value, Facts) or value.get("plain") is not True or value.get("trash") is not True:
        return None
    return Difference(_TRASH, "MUST", "a rename to trash without the permission to delete")


def _home_wrong(_root: Dir, _op: HomeOfAnother, value: Any) -> Difference | None:
    if not isinstance(value, Facts) or value.get("different") is True:
        return None
    return Difference(_HOME, "MUST", "the home directory of another user than the caller")


def _right_by(wrong: Wrong) -> Callable[[Dir, Any, Any], bool]:
    return lambda root, op, value: isinstance(value, Facts) and wrong(root, op, value) is None


def _classify_place(root: Dir, op: CallAsAnother | RenameToTrash) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (4 if type(node) is Dir else 8 if type(node) is File else 16)


def _in_directory(operation: type, clause: str, expected: str, wrong: Wrong) -> Meaning:
    return Meaning(
        operation,
        (
            *COMMON_CASES,
            Case(
                "directory",
                clause,
                (
                    gives(clause, expected, _right_by(wrong), (SUPPORTS_UNIX_PERMISSIONS, True)),
                    returns(clause, ANY, (SUPPORTS_UNIX_PERMISSIONS, False)),
                ),
            ),
            Case("file", clause, (returns(clause, ANY), raises(clause, "IOException"))),
            Case("missing", _STATUS, runtime_instead((raises(_STATUS, "FileNotFoundException"),))),
        ),
        _classify_place,
        wrong,
    )


MEANINGS: tuple[Meaning, ...] = (
    USE_SAFE_MODE,
    _in_directory(CallAsAnother, _DENIED, "refuse the call, and change nothing", _denial_wrong),
    _in_directory(RenameToTrash, _TRASH, "refuse to rename with TRASH what may not be deleted", _trash_wrong),
    Meaning(
        HomeOfAnother,
        (
            *COMMON_CASES,
            Case(
                "any state", _HOME, (gives(_HOME, "another home directory than the caller's", _right_by(_home_wrong)),)
            ),
        ),
        lambda _root, _op: 4,
        _home_wrong,
    ),
)
