"""Calls of several users in a small tree whose owners and modes are given: which are denied, and what is left.

Sources: the paper on HDFS, IV.B; introduction.md, "Security Assumptions". The rules are in
:mod:`fsconform.model.filesystem.permissions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Mode, Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    ANY,
    Cases,
    Difference,
    Level,
    gives,
    meaning,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.options.metadata import SUPPORTS_UNIX_PERMISSIONS
from fsconform.model.filesystem.permissions import (
    ADMIN,
    CALLS,
    DENIED,
    DONE,
    LENGTH,
    STICKY,
    USERS,
    FilesAreExecuted,
    MostOfAll,
    NoGroups,
    OthersOnly,
    Owned,
    Play,
    Rules,
    Tree,
    tree_of,
)
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from collections.abc import Collection
    from random import Random

_PAPER = "hdfs-paper-2010.permissions"
_CHECKED, _CLASSES, _FILES, _IDENTITY = (
    f"{_PAPER}.checked",
    f"{_PAPER}.classes",
    f"{_PAPER}.files",
    f"{_PAPER}.identity",
)
_STATUS = "filesystem.getFileStatus.pre.exists"
_OUTCOMES, _LEFT = "outcomes", "left"

WORDS = tuple(f"{user} {call}" for user in (ADMIN, *USERS) for call in CALLS)
"""Who calls what."""


@operation
@dataclass(frozen=True, slots=True)
class CallsByUsers(Operation):
    """Calls of the users ann, bob, eve and of the client's own user, admin, made one after another.

    They are made in a directory below ``path``, which holds ``d`` (mode ``top``), in it the file ``f`` (mode ``file``)
    and the directory ``e`` (mode ``inner``), in that the file ``g`` (mode 644), each with its owner and all of one
    group. Modes are numbers up to 1777 octal. Afterwards that is removed. Returns facts ``calls by users``: ``members``
    (who of the users is in the group), ``outcomes`` (done, denied or failed, for each call) and ``left``, a text of
    path, owner, group, mode and length for each file and directory that is there in the end.
    """

    NAME: ClassVar[str] = "calls by users"
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "top_owner": USERS,
        "file_owner": USERS,
        "inner_owner": USERS,
        "calls": WORDS,
    }
    path: Path
    top: Mode
    top_owner: str
    file: Mode
    file_owner: str
    inner: Mode
    inner_owner: str
    calls: tuple[str, ...]


def tree_at_first(op: CallsByUsers) -> Tree:
    """The tree that the calls are made in."""
    return tree_of(Owned(op.top_owner, op.top), Owned(op.file_owner, op.file, LENGTH), Owned(op.inner_owner, op.inner))


def shown(path: str, node: Owned) -> str:
    """A file or directory as the facts have it: a sticky bit of a file is not said, nor the mode of what was made."""
    mode = node.mode if node.length is None else node.mode & ~STICKY
    return f"{path} {node.owner} {node.group} {'-' if node.made else f'{mode:o}'} {_length(node)}"


def _length(node: Owned) -> str:
    return "-" if node.length is None else str(node.length)


_EXPLAINED = ((OthersOnly, _CLASSES), (MostOfAll, _CLASSES), (NoGroups, _CLASSES), (FilesAreExecuted, _FILES))
"""What a store does by each of these rules breaks that clause; anything else breaks the one that permissions hold."""


def _wrong_call(
    op: CallsByUsers, outcomes: tuple[object, ...], members: Collection[str], due: frozenset[str]
) -> Difference:
    """What is wrong with the last of these outcomes, where these were due; all before it are right."""
    at = len(outcomes) - 1
    words, wanted = f"{outcomes[at]} of: {op.calls[at]}", f"{' or '.join(sorted(due))} of: {op.calls[at]}"
    for rules, clause in _EXPLAINED:
        if _fits(op, outcomes, members, rules()):
            return Difference(clause, "MUST", words, _OUTCOMES, wanted)
    level: Level = "SHOULD" if outcomes[at] != DONE and DONE not in due else "MUST"
    return Difference(_CHECKED, level, words, _OUTCOMES, wanted)


def _fits(op: CallsByUsers, outcomes: tuple[object, ...], members: Collection[str], rules: Rules) -> bool:
    """Whether a store by these rules may give these outcomes of the first calls."""
    play = Play(tree_at_first(op), members, rules)
    for outcome, word in zip(outcomes, op.calls, strict=False):
        if play.tree is None or outcome not in play.call(*_caller(word)):
            return False
    return True


def _caller(word: str) -> tuple[str, str]:
    user, _, call = word.partition(" ")
    return user, call


def _differs(_root: State, op: CallsByUsers, value: object) -> Difference | None:
    if not isinstance(value, Facts):
        return None
    members, outcomes, left = value.get("members"), value.get(_OUTCOMES), value.get(_LEFT)
    if not isinstance(members, tuple) or not isinstance(outcomes, tuple) or not isinstance(left, tuple):
        return Difference(_CHECKED, "MUST", "no outcomes")
    if len(outcomes) != len(op.calls):
        wanted = f"{len(op.calls)} of them"
        return Difference(_CHECKED, "MUST", "another number of outcomes than of calls", _OUTCOMES, wanted)
    play = Play(tree_at_first(op), members, Rules())
    for at, word in enumerate(op.calls):
        if play.tree is None:
            return None
        due = play.call(*_caller(word))
        if outcomes[at] not in due:
            return _wrong_call(op, outcomes[: at + 1], members, due)
    return None if play.tree is None else _wrong_end(play.tree, {str(row) for row in left}, outcomes)


def _wrong_end(tree: Tree, left: set[str], outcomes: tuple[object, ...]) -> Difference | None:
    due = {shown(path, node): node for path, node in tree.items() if path}
    rows = {_without_mode(row) if due_made(row, due) else row for row in left}
    if rows == set(due):
        return None
    wanted = f"[{', '.join(sorted(due))}]"
    there = {row.split(" ")[0]: row.split(" ") for row in rows}
    for row, node in due.items():
        found = there.get(row.split(" ")[0])
        if node.made and found is not None and found[1] != node.owner:
            words = "another owner of what a user made than that user"
            return Difference(_IDENTITY, "MUST", words, _LEFT, wanted)
    told = "a change by a call that was denied" if DENIED in outcomes else "something else than the calls leave"
    return Difference(_CHECKED, "MUST", told, _LEFT, wanted)


def due_made(row: str, due: Mapping[str, Owned]) -> bool:
    """Whether a row is of a path that one of the calls made."""
    return any(node.made and made.split(" ")[0] == row.split(" ")[0] for made, node in due.items())


def _without_mode(row: str) -> str:
    path, owner, group, _mode, length = row.split(" ")
    return f"{path} {owner} {group} - {length}"


def _right(root: State, op: CallsByUsers, value: object) -> bool:
    return isinstance(value, Facts) and _differs(root, op, value) is None


_MET = Cases(*COMMON_CASES)
_DIRECTORY = _MET.case(
    "directory",
    _CHECKED,
    (
        gives(
            _CHECKED,
            "grant and deny each call by owner, group and mode",
            _right,
            also=(_CLASSES, _FILES, _IDENTITY),
        ),
        returns(_CHECKED, ANY, (SUPPORTS_UNIX_PERMISSIONS, False)),
    ),
)
_FILE = _MET.case("file", _CHECKED, (returns(_CHECKED, ANY), raises(_CHECKED, "IOException")))
_MISSING = _MET.case("missing", _STATUS, runtime_instead((raises(_STATUS, "FileNotFoundException"),)))


@meaning(CallsByUsers, _MET, differs=_differs, derived=True)
def _classify(root: State, op: CallsByUsers) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (_DIRECTORY if type(node) is Dir else _FILE if type(node) is File else _MISSING)


_MODES = (0o700, 0o750, 0o755, 0o770, 0o777, 0o1777, 0o1770, 0o711, 0o733, 0o555, 0o077, 0o007, 0o070)
_FILE_MODES = (0o600, 0o640, 0o644, 0o660, 0o666, 0o444, 0o111, 0o066, 0o006, 0o1644, 0o000)
_MOST_CALLS = 6


@drawn(CallsByUsers)
def _draw(_draft: Draft, dice: Random, path: Path) -> CallsByUsers:
    return CallsByUsers(
        path,
        dice.choice(_MODES),
        dice.choice(USERS),
        dice.choice(_FILE_MODES),
        dice.choice(USERS),
        dice.choice(_MODES),
        dice.choice(USERS),
        tuple(dice.choice(WORDS) for _ in range(dice.randint(1, _MOST_CALLS))),
    )
