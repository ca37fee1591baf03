"""Calls by another user than the client's own: what is denied to him, his home directory, his renames to the trash.

Source: introduction.md, "Core Expectations of a Hadoop Compatible FileSystem" and "Security Assumptions";
filesystem.md, "Path getHomeDirectory()"; rename.md, "TRASH".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn, drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    ANY,
    Cases,
    Difference,
    gives,
    meaning,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.options.metadata import SUPPORTS_UNIX_PERMISSIONS
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_DENIED, _TRASH, _HOME = (
    "introduction.security.denied",
    "rename.rename3.options.trash",
    "filesystem.getHomeDirectory.caller",
)
_STATUS = "filesystem.getFileStatus.pre.exists"

CALLS = ("list", "status", "open", "create", "append", "mkdirs", "delete", "rename")
"""What another user may try."""


@operation
@dataclass(frozen=True, slots=True)
class CallAsAnother(Operation):
    """One call by another user inside a directory, made below ``path`` for that, which nobody but its owner may enter.

    ``call`` is one of list, status, open, create, append, mkdirs, delete, rename. Afterwards the directory is removed.
    Returns facts ``denial``: ``refused`` (the call raised something) and ``unchanged`` (the directory holds what it
    held).
    """

    NAME: ClassVar[str] = "call as another user"
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"call": CALLS}
    path: Path
    call: str


@operation
@dataclass(frozen=True, slots=True)
class HomeOfAnother(Operation):
    """``getHomeDirectory()`` by another user. Returns facts ``homes``: ``different`` (it is not the caller's own)."""

    NAME: ClassVar[str] = "getHomeDirectory of another user"


@operation
@dataclass(frozen=True, slots=True)
class RenameToTrash(Operation):
    """Another user renames a directory that holds one which only its owner may enter, plainly and with TRASH.

    Both are made below ``path``, in a directory that anybody may write to, and removed then. Returns facts ``trash``:
    ``plain`` and ``trash``, true where the rename was done.
    """

    NAME: ClassVar[str] = "rename with TRASH by another user"
    path: Path


_Wrong = Callable[[State, Any, Any], Difference | None]


def _denial_wrong(_root: State, _op: CallAsAnother, value: Any) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    if value.get("refused") is not True:
        return Difference(_DENIED, "MUST", "success of a call for which there is no permission")
    return None if value.get("unchanged") else Difference(_DENIED, "MUST", "a change by a call that was refused")


def _trash_wrong(_root: State, _op: RenameToTrash, value: Any) -> Difference | None:
    # Where the plain rename is refused already nothing is seen of the option.
    if not isinstance(value, Facts) or value.get("plain") is not True or value.get("trash") is not True:
        return None
    return Difference(_TRASH, "MUST", "a rename to trash without the permission to delete")


def _home_wrong(_root: State, _op: HomeOfAnother, value: Any) -> Difference | None:
    if not isinstance(value, Facts) or value.get("different") is True:
        return None
    return Difference(_HOME, "MUST", "the home directory of another user than the caller")


def _right_by(wrong: _Wrong) -> Callable[[State, Any, Any], bool]:
    return lambda root, op, value: isinstance(value, Facts) and wrong(root, op, value) is None


def _in_a_directory(kind: type[CallAsAnother | RenameToTrash], clause: str, expected: str, wrong: _Wrong) -> None:
    """Enter the meaning of what another user tries in a directory that is made for it."""
    met = Cases(*COMMON_CASES)
    directory = met.case(
        "directory",
        clause,
        (
            gives(clause, expected, _right_by(wrong), (SUPPORTS_UNIX_PERMISSIONS, True)),
            returns(clause, ANY, (SUPPORTS_UNIX_PERMISSIONS, False)),
        ),
    )
    file = met.case("file", clause, (returns(clause, ANY), raises(clause, "IOException")))
    missing = met.case("missing", _STATUS, runtime_instead((raises(_STATUS, "FileNotFoundException"),)))

    @meaning(kind, met, differs=wrong)
    def _classify(root: State, op: CallAsAnother | RenameToTrash) -> int:
        node = locate(root, op.path)
        return bits(op.path, node) | (directory if type(node) is Dir else file if type(node) is File else missing)


_in_a_directory(CallAsAnother, _DENIED, "refuse the call, and change nothing", _denial_wrong)
_in_a_directory(RenameToTrash, _TRASH, "refuse to rename with TRASH what may not be deleted", _trash_wrong)

_MET = Cases(*COMMON_CASES)
_ANY_STATE = _MET.case(
    "any state", _HOME, (gives(_HOME, "another home directory than the caller's", _right_by(_home_wrong)),)
)


@meaning(HomeOfAnother, _MET, differs=_home_wrong)
def _classify_home(_root: State, _op: HomeOfAnother) -> int:
    return _ANY_STATE


@drawn(CallAsAnother)
def _draw(_draft: Draft, dice: Random, path: Path) -> CallAsAnother:
    return CallAsAnother(path, dice.choice(CALLS))


drawn_plainly(RenameToTrash)
