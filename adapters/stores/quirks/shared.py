"""Quirks that stores have from Hadoop's own base classes: each is made for a store."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from fsconform.adapters.stores.quirks.answers import SCRIPTED, VECTORED, mended
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Outcome
from fsconform.model.core.paths import is_ancestor
from fsconform.model.filesystem.branches import REFUSED_CLAUSE, Branch, raises
from fsconform.model.filesystem.input import clauses as stream_clauses
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import Dir, File, State, locate, remove
from fsconform.model.filesystem.stream_scripts import Action

UNTIL = datetime.date(2027, 11, 30)
_CONTENT = contents.of(1, 3)


def refused(clause: str, error: str, after: State) -> Branch:
    """A call that raises an error, and has changed the state to ``after`` all the same."""
    branch = raises(clause, error)
    return Branch(branch.clause, branch.level, branch.expected, lambda _root, _op: after, branch.raises)


# --- FileSystem.rename with options


def _deletes_itself(root: State, op: RenameWith) -> Iterator[Branch]:
    node = locate(root, op.src)
    if op.src != op.dst or not op.src or not op.overwrite or op.via == "context":
        return
    if type(node) is File or (type(node) is Dir and not node.children):
        yield refused("rename.rename3.pre.not-itself", "IOException", remove(root, op.src))


def renamed_to_itself(store: str, link: str) -> Quirk:
    """What FileSystem.rename with options does to a path that is renamed to itself."""
    return Quirk(
        f"{store}/overwriting-rename-to-itself-deletes",
        "a path that is renamed to itself with OVERWRITE is deleted first",
        "rename.rename3.pre.not-itself",
        "data lost",
        "FileSystem.rename with options deletes the destination before it renames, and the destination is the source",
        link,
        UNTIL,
        (Step(Create(("a",), _CONTENT, False)), Step(RenameWith(("a",), ("a",), True))),
        (RenameWith,),
        _deletes_itself,
    )


def _deletes_below(root: State, op: RenameWith) -> Iterator[Branch]:
    source, target = locate(root, op.src), locate(root, op.dst)
    if not op.overwrite or not is_ancestor(op.src, op.dst):
        return
    if type(source) is Dir and type(target) is Dir and not target.children:
        yield refused("rename.rename3.pre.not-below-itself", "IOException", remove(root, op.dst))


def renamed_below_itself(store: str, link: str) -> Quirk:
    """What FileSystem.rename with options does to an empty destination below the source."""
    return Quirk(
        f"{store}/overwriting-rename-below-itself-deletes-destination",
        "an empty destination is deleted with OVERWRITE before the rename below itself is refused",
        REFUSED_CLAUSE,
        "wrong answer",
        "FileSystem.rename with options deletes an empty destination before the rename is tried",
        link,
        UNTIL,
        (Step(Mkdirs(("a", "b"))), Step(RenameWith(("a",), ("a", "b"), True))),
        (RenameWith,),
        _deletes_below,
    )


# --- PositionedReadable.readVectored


def _null_range(action: Action, answer: str) -> str | None:
    if action.kind == VECTORED and None in action.ranges and answer == "raised NullPointerException":
        return "raised IllegalArgumentException"
    return None


def _null_pointer_due(state: State, op: ReadStream | ReadOn, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    return ((state, due) for due in mended(op, outcome, _null_range))


def null_range(store: str, link: str) -> Quirk:
    """What readVectored does with a range that is null."""
    return Quirk(
        f"{store}/null-range-raises-null-pointer",
        "a range that is null raises NullPointerException",
        stream_clauses.VECTORED_RANGE_NULL,
        "wrong error",
        "VectoredReadUtils sorts and validates the ranges without a look whether one is null",
        link,
        UNTIL,
        (
            Step(Create(("a",), contents.of(1, 4), False)),
            Step(ReadStream(("a",), ("vectored 0+4 null",))),
        ),
        SCRIPTED,
        as_if=_null_pointer_due,
    )
