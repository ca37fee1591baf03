"""Object stores in which a file can come to stand beside a directory of its own name.

Keys that differ by a slash are two objects. The state has the file at the path and remembers the directory as a mark on
it: the directory is back once the file is gone, and listings of the parent have the name twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, cast

from fsconform.adapters.stores.quirks.answers import as_listed
from fsconform.model.core.operation import OPERATIONS, Operation, paths_of
from fsconform.model.core.outcomes import Outcome, Returned
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import ANY, Branch, lost, raises, returns
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.quirks import mark, marked, nodes_marked
from fsconform.model.filesystem.state import MISSING, Dir, File, State, locate, put
from fsconform.model.filesystem.status.list_status import ListStatus

HIDDEN = "directory beside"
ANYWHERE = "beside"

QUERIES: tuple[type[Operation], ...] = tuple(
    kind
    for kind in OPERATIONS.values()
    if not kind.MUTATES and {"path", "paths"} & {one.name for one in fields(cast(Any, kind))}
)
"""Calls that change nothing: at such a pair they meet the file, and below it what the directory holds."""


def beside(root: State, path: Path, file: File, directory: Dir) -> State:
    """The state with a file at a path, and a directory hidden behind it."""
    return mark(put(root, path, file), path, HIDDEN, directory).noting(ANYWHERE, True)


def hidden(root: State) -> list[tuple[Path, Dir]]:
    """The directories that stand behind a file, with their paths."""
    if ANYWHERE not in root.marks:
        return []
    return [(path, marked(node, HIDDEN)) for path, node in nodes_marked(root, HIDDEN)]


def seen_again(before: State, op: Delete | RenameWith, _outcome: Outcome, after: State) -> State:
    """Once the file is deleted, be it by a rename to itself, the directory behind it is seen."""
    gone = op.path if isinstance(op, Delete) else op.dst if op.src == op.dst else None
    for path, directory in hidden(before):
        if path == gone and locate(after, path) is MISSING:
            return put(after, path, directory)
    return after


def listed_twice(root: State, op: Any, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    """A listing has the name of such a file a second time, as that of a directory; what is below it may be seen."""
    pairs = hidden(root)
    if not pairs:
        return
    if isinstance(op, ListStatus) and isinstance(outcome, Returned) and isinstance(outcome.value, tuple):
        twice = {path for path, _ in pairs if path[:-1] == op.path}
        rows = outcome.value
        once = tuple(row for row in rows if not (row.is_dir and row.path in twice))
        if len(once) < len(rows) <= len(once) + len(twice):
            yield root, Returned(once)
    for path, directory in pairs:
        if any(is_ancestor(path, other) for other in paths_of(op)):
            seen = put(root, path, directory)
            yield seen, outcome
            if isinstance(op, Observe) and op.path[:-1] == path and (due := as_listed(outcome)) is not None:
                # The listing of what holds it is that of the file.
                yield seen, due


def looked(root: State, viewed: State, after: State) -> State | None:
    """The state after a call that changed nothing but streams; None if it changed more."""
    if after.tree.children is not viewed.tree.children:
        return None
    return after.over(Dir(root.tree.children, after.tree.meta))


def unknown(root: State, op: Any) -> Iterator[Branch]:
    """What other calls make of such a pair, or of what is above or below it, is not modelled."""
    if isinstance(op, QUERIES):
        return
    for path, _ in hidden(root):
        met = [other for other in paths_of(op) if path == other or is_ancestor(path, other) or is_ancestor(other, path)]
        if met and not (isinstance(op, Delete) and met == [path]):
            clause = "model.filesystem.exclusivity"
            yield returns(clause, ANY, effect=lost)
            yield Branch(clause, "MUST", "anything", lost, check=lambda *_: True)
            yield raises(clause, "Throwable")
            return


AFFECTED: tuple[type[Operation], ...] = (*QUERIES, *(kind for kind in OPERATIONS.values() if kind.MUTATES))
