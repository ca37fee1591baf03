"""Calls of LocalFileSystem on states whose files may have other checksums than their own: results, marks, views."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from immutables import Map

from fsconform.adapters.stores.quirks.answers import as_listed, listed_by_several
from fsconform.adapters.stores.quirks.checksums import (
    IS_SUMS,
    ODD,
    SUMS,
    copied_in,
    created,
    created_unchecked,
    deleted,
    folded,
    is_hidden,
    is_odd_path,
    is_summable,
    meta_of,
    moved,
    moved_with,
    parents_asked,
    real_sums,
    sums_path,
    transferred,
    tree_copied_in,
    whole,
)
from fsconform.adapters.stores.quirks.local_trees import (
    COLON,
    DEEPER,
    OVER,
    Result,
    branch_of,
    is_long,
    is_settled,
    made,
    there,
)
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import Facts, Outcome, Returned
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import ANY, REFUSED_CLAUSE, Branch, gives, returns
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create, CreateUnchecked, CreateWith
from fsconform.model.filesystem.namespace.create_file import CreateFile, CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.delete_on_exit import DeleteOnExit
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs, MkdirsWith
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.protocols.trash import MoveToTrash, TrashCheckpoint
from fsconform.model.filesystem.quirks import fits, mark
from fsconform.model.filesystem.state import Dir, File, Node, State, Writer, made_over, remove, walk
from fsconform.model.filesystem.status import entries
from fsconform.model.filesystem.status.compare_listed import CompareListed
from fsconform.model.filesystem.status.etags import CompareEtags
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.list_filtered import ListMany
from fsconform.model.filesystem.status.patterns import compiled
from fsconform.model.filesystem.transfer.local_copies import CopyFromLocal, CopyTreeFromLocal, CopyWithin, MoveFromLocal

# --- what the calls do to the tree as the disk has it

_RAW = (RenameWith, MoveToTrash, TrashCheckpoint, CopyFromLocal, CopyTreeFromLocal, CreateUnchecked, CopyWithin)
"""The calls that change files, and not their checksums."""


_ASIDE: Path = ("taken by the trash",)


def simulated(tree: State, op: Any) -> Iterator[Result]:
    """All results that a call may have on a whole tree; none of a call of which nothing is known."""
    match op:
        case Create() | CreateWith() | CreateNonRecursive() | CreateFile():
            yield created(tree, op.path, op.content, op.overwrite, parents_asked(op))
        case CompareEtags():
            first = created(tree, op.path, op.content, True)
            yield first if first.error else created(first.tree, op.path, op.other, True)
        case OpenWriter() if op.mode != "append":
            yield created(tree, op.path, contents.EMPTY, op.mode == "overwrite")
        case CreateUnchecked():
            yield created_unchecked(tree, op.path, op.content, op.overwrite)
        case Mkdirs() | MkdirsWith():
            yield made(tree, op.path)
        case Delete() if op.path:
            yield deleted(tree, op.path, op.recursive)
        case DeleteOnExit() if op.path and op.via != "cancelled":
            result = deleted(tree, op.path, True)
            yield result if result.error else replace(result, value=there(tree, op.path) is not None)
        case Rename():
            yield from moved(tree, op.src, op.dst)
        case RenameWith():
            yield from moved_with(tree, op.src, op.dst, op.overwrite, op.via == "context")
        case MoveToTrash() if op.enabled:
            yield from _put_into_trash(tree, op.path)
        case TrashCheckpoint() if op.act != "create of nothing":
            yield from _put_into_trash(tree, op.path)
        case CopyFromLocal():
            yield copied_in(tree, op.path, "f", op.content, op.overwrite, False)
        case MoveFromLocal():
            yield copied_in(tree, op.path, "f", op.content, True, True)
        case CopyTreeFromLocal():
            yield from tree_copied_in(tree, op.path, op.content, op.overwrite)
        case _:
            return


def _put_into_trash(tree: State, path: Path) -> Iterator[Result]:
    """A rename with options takes it away; the trash is emptied then."""
    if not path or there(tree, _ASIDE) is not None:
        return
    for result in moved_with(tree, path, _ASIDE, False, False):
        gone = there(result.tree, _ASIDE) is not None
        yield replace(result, tree=remove(result.tree, _ASIDE)) if gone else result


SIMULATED = (
    *(Create, CreateWith, CreateNonRecursive, CreateFile, OpenWriter, CreateUnchecked, Mkdirs, MkdirsWith, Delete),
    *(DeleteOnExit, Rename, RenameWith, MoveToTrash, CopyFromLocal, MoveFromLocal, CopyTreeFromLocal, CompareEtags),
)

REMEMBERED = (*SIMULATED, TrashCheckpoint, CopyWithin, CloseWriter, Append)
"""The calls after which something is known of checksums that no later call shows by itself."""


@lru_cache(maxsize=64)
def results(root: State, op: Operation) -> tuple[Result, ...]:
    """The results of a call on a state, as states."""
    tree = whole(root)
    found = []
    for result in simulated(tree, op):
        after = root if result.tree is tree else folded(result.tree)
        found.append(replace(result, tree=after))
    return tuple(found)


def matching(result: Result, op: Any) -> Branch:
    """What a result looks like from outside."""
    if isinstance(op, CopyFromLocal | CopyTreeFromLocal | MoveFromLocal) and not result.error:
        left = isinstance(op, CopyTreeFromLocal | CopyFromLocal) and (not op.delete or result.value is False)
        return gives(
            REFUSED_CLAUSE,
            "succeed",
            lambda _root, _op, value: isinstance(value, Facts) and value.get("left") is left,
            effect=lambda _root, _op: result.tree,
        )
    if isinstance(op, MoveToTrash) and not result.error:
        return gives(
            REFUSED_CLAUSE,
            "succeed",
            lambda _root, _op, value: isinstance(value, Facts) and value.get("gone") is True,
            effect=lambda _root, _op: result.tree,
        )
    if isinstance(op, TrashCheckpoint) and not result.error:
        return returns(REFUSED_CLAUSE, ANY, effect=lambda _root, _op: result.tree)
    return branch_of(result)


def is_odd(root: State, op: Operation) -> bool:
    """True if a call names what is odd, or may meet it in the state."""
    return root.marks.get(ODD) is not None or any(map(is_odd_path, paths_of(op)))


# --- of which sort a result is


def _is_refused(root: State, result: Result) -> bool:
    return (bool(result.error) or result.value is False) and result.tree != root


def unsummable(op: Operation) -> bool:
    """True of a call with a name that no checksums can stand beside, and that is none too long."""
    return any(not is_summable(name) for path in paths_of(op) for name in path) and not _too_long(op)


def _too_long(op: Operation) -> bool:
    return any(map(is_long, paths_of(op)))


def sort_of(root: State, op: Operation, result: Result) -> str:
    """The name of the quirk that explains a result; empty if none is needed, as far as can be told here."""
    refused = _is_refused(root, result)
    if refused and _too_long(op):
        return "parents"
    if refused and (COLON in result.met or unsummable(op)):
        return "refused"
    if isinstance(op, Rename) and _is_into_directory(root, op) and result.value is True:
        return "into"
    if DEEPER in result.met and not result.error:
        return "copied deeper" if isinstance(op, CopyTreeFromLocal) else "deeper"
    if isinstance(op, Rename) and OVER in result.met and result.value is True:
        return "over"
    if refused and isinstance(op, Rename | CopyTreeFromLocal):
        return "halfway"
    return "beside" if is_odd(root, op) else ""


def _is_into_directory(root: State, op: Rename) -> bool:
    onto = (*op.dst, op.src[-1]) if op.src else op.dst
    return isinstance(there(root, op.src), File) and op.src not in (op.dst, onto) and isinstance(there(root, onto), Dir)


def _looked_at(root: State, op: Operation) -> bool:
    """True if results of a call may be quirks at all: most calls need not be done twice."""
    if is_odd(root, op):
        return True
    if isinstance(op, Rename):
        return isinstance(there(root, op.dst), Dir) or _has_odd_names(there(root, op.src))
    return isinstance(op, CopyTreeFromLocal)


def _has_odd_names(node: object) -> bool:
    return isinstance(node, Dir) and any(path and ":" in path[-1] for path, _ in walk(node))


def of_sort(name: str, clause: str = "") -> Callable[[State, Any], Iterator[Branch]]:
    """The results of one sort."""

    def behaviour(root: State, op: Any) -> Iterator[Branch]:
        if _looked_at(root, op) and is_settled(root, op):
            for result in results(root, op):
                if sort_of(root, op, result) == name and not (isinstance(op, OpenWriter) and not result.error):
                    branch = matching(result, op)
                    yield replace(branch, clause=clause) if clause else branch

    return behaviour


# --- what is remembered of checksums


def remembered(before: State, op: Any, outcome: Outcome, after: State) -> State:
    """The next state with what is known of checksums: of calls that leave them behind, or that meet what is odd."""
    if isinstance(op, CloseWriter):
        return _closed(before, op, after)
    if isinstance(op, Append):
        return _appended(before, op, outcome, after)
    odd = is_odd(before, op)
    if not odd and not isinstance(op, _RAW):
        return after
    if after is not before and is_settled(before, op):
        after = transferred(after, _after(before, op, outcome))
    if any(is_hidden(name) for path in paths_of(op) for name in path) and after.marks.get(ODD) is None:
        after = after.noting(ODD, True)
    return after


def _after(before: State, op: Any, outcome: Outcome) -> State:
    for result in results(before, op):
        if fits(matching(result, op), before, op, outcome):
            return result.tree
    return before


def _closed(before: State, op: CloseWriter, after: State) -> State:
    one = before.writers.get(op.stream)
    if one is None or not one.unchecked or one.phase != "open" or not isinstance(there(after, one.path), File):
        return after
    return mark(after, one.path, SUMS_MARK, "none").noting(ODD, True)


SUMS_MARK = SUMS.removeprefix("quirk ")


def _appended(before: State, op: Append, outcome: Outcome, after: State) -> State:
    """An append in a context writes the checksums of what is appended over those that are there."""
    if op.via != "context" or not isinstance(outcome, Returned) or not isinstance(there(after, op.path), File):
        return after
    return mark(after, op.path, SUMS_MARK, op.content).noting(ODD, True)


# --- how calls see what is hidden


def view(root: State, seen: Callable[[Path], bool]) -> State:
    """The tree as a call sees it: of hidden names those that it names itself, and nothing else.

    The checksums of a file that is being written are being written, too.
    """

    def change(path: Path, node: Dir, children: Map[str, Node]) -> Dir:
        for name, child in node.children.items():
            if is_hidden(name) and not seen((*path, name)):
                children = children.delete(name)
            elif not isinstance(child, Dir) and meta_of(child, IS_SUMS) is not None:
                children = children.set(name, File(real_sums(meta_of(child, IS_SUMS))))
        return Dir(children, node.meta)

    found = root.over(made_over(whole(root).tree, change))
    for name, one in root.writers.items():
        if not one.path or one.phase != "open" or one.unchecked:
            continue
        beside = sums_path(one.path)
        if isinstance(there(found, beside), File) and seen(beside):
            begun = Writer(beside, real_sums(one.content))
            found = replace(found, writers=found.writers.set(f"{name} beside", begun))
    return found


def _named(op: Operation) -> Callable[[Path], bool]:
    if isinstance(op, GlobStatus):
        pattern = compiled(op.pattern)
        texts = set(pattern.literals) if pattern is not None else set[str]()
        return lambda path: path[-1] in texts
    prefixes = {path[:depth] for path in paths_of(op) for depth in range(1, len(path) + 1)}
    return lambda path: path in prefixes


def hidden_from(root: State, op: Operation, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    """The state as a call sees it, where it names what is hidden, or such a thing may be there."""
    if isinstance(op, GlobStatus):
        if root.marks.get(ODD) is None and ".crc" not in op.pattern:
            return
    elif not is_odd(root, op):
        return
    seen = view(root, _named(op))
    yield seen, outcome
    if isinstance(op, Observe | CompareListed) and op.path and is_hidden(op.path[-1]):
        told = as_listed(outcome) if isinstance(op, Observe) else _as_compared(outcome)
        if told is not None:
            yield seen, told


def listed_together(root: State, op: ListMany) -> Iterator[Branch]:
    """A listing of several paths of which one names what is hidden: each path's own listing, without hidden names."""
    if not any(is_hidden(name) for path in op.paths for name in path):
        return
    trees = {path: view(root, _on_the_way(path)) for path in op.paths}
    if any(entries.existing(tree, path) is None for path, tree in trees.items()):
        return

    def shown(path: Path) -> entries.Entries:
        found = entries.listing(trees[path], path)
        return {one: node for one, node in found.items() if not (one and is_hidden(one[-1]))}

    yield listed_by_several(op, shown, any_length=True)


def _on_the_way(path: Path) -> Callable[[Path], bool]:
    return lambda one: one == path[: len(one)]


def _as_compared(outcome: Outcome) -> Outcome | None:
    """Of the listing of a file that is hidden, which is empty: as if its one entry were there."""
    if not isinstance(outcome, Returned) or not isinstance(outcome.value, Facts) or outcome.value.get("entries") != 0:
        return None
    known = dict(outcome.value.items) | {"entries": 1}
    return replace(outcome, value=replace(outcome.value, items=tuple(sorted(known.items()))))
