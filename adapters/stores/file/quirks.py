"""The quirks of Hadoop's LocalFileSystem, which keeps checksums beside its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fsconform.adapters.stores.file.stream_quirks import FLUSHES, TAKES
from fsconform.adapters.stores.quirks.checked_calls import (
    REMEMBERED,
    SIMULATED,
    hidden_from,
    listed_together,
    of_sort,
    remembered,
    unsummable,
)
from fsconform.adapters.stores.quirks.checksums import ODD, folded, is_hidden, whole
from fsconform.adapters.stores.quirks.local_media import local_media
from fsconform.adapters.stores.quirks.local_races import local_races
from fsconform.adapters.stores.quirks.local_trees import branch_of, is_settled, made, there, written
from fsconform.adapters.stores.quirks.shared import UNTIL, null_range, renamed_below_itself, renamed_to_itself
from fsconform.adapters.stores.quirks.stale_reads import READING, stale, stale_observed
from fsconform.adapters.stores.rawlocal import quirks as rawlocal
from fsconform.model.core import content as contents
from fsconform.model.core.operation import OPERATIONS, Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import REFUSED_CLAUSE, Branch, gives, lost, returns
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.protocols.iterators import Iterate
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import Dir, File, State
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered, ListMany
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.path_capabilities import HasPathCapability
from fsconform.model.filesystem.transfer.local_copies import CopyTreeFromLocal, CopyWithin, MoveFromLocal

_RENAME = "filesystem.rename"
_A, _B = contents.of(1, 3), contents.of(2, 5)

# --- checksums beside each file


LISTING = (ListStatus, ListFiles, ListFiltered, Iterate)


def _nothing_listed(root: State, op: Any) -> Iterator[Branch]:
    if op.path and is_hidden(op.path[-1]) and isinstance(there(whole(root), op.path), File):
        yield gives("filesystem.listStatus.post", "list nothing", lambda _root, _op, value: value == ())


def _beside(root: State, op: Any) -> Iterator[Branch]:
    if isinstance(op, LISTING):
        yield from _nothing_listed(root, op)
    elif isinstance(op, ListMany):
        yield from listed_together(root, op)
    elif isinstance(op, SIMULATED):
        yield from of_sort("beside")(root, op)


def _seen_otherwise(root: State, op: Operation, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    return iter(()) if isinstance(op, SIMULATED) else hidden_from(root, op, outcome)


def seen_back(_state: State, _viewed: State, _after: State) -> State | None:
    """After a call that changed something in another view: what it changed is not known."""
    return None


_WITH_PATHS = tuple(
    kind
    for kind in OPERATIONS.values()
    if kind is GlobStatus or any(name in kind.__dataclass_fields__ for name in ("path", "paths", "src"))  # type: ignore[attr-defined]
)

_BESIDE = Quirk(
    "file/checksums-stand-beside-files",
    "the checksums of each file stand beside it, under a name that is hidden and can be used",
    "filesystem.create.post",
    "data wrong",
    "a file a has its checksums in .a.crc: calls by that path meet them, and listings leave such names out",
    "file/hides-and-overwrites-a-file-that-is-named-like-a-checksum",
    UNTIL,
    (rawlocal.file(".a.crc"), Step(ListStatus(()))),
    _WITH_PATHS,
    _beside,
    as_if=_seen_otherwise,
    back=seen_back,
    remembers=REMEMBERED,
    remember=remembered,
)

# --- refused calls that take effect


def _refused(root: State, op: Any) -> Iterator[Branch]:
    """What is refused and done; of a file that is being written nothing is known after that."""
    yield from of_sort("refused")(root, op)
    if isinstance(op, Rename) and not is_settled(root, op) and unsummable(op):

        def effect(state: State, moved: Rename) -> State:
            return streams.astray(state, (moved.src, moved.dst))

        yield Branch(
            REFUSED_CLAUSE, "MUST", "raise IllegalArgumentException", effect, "java.lang.IllegalArgumentException"
        )


_REFUSED = Quirk(
    "file/refused-call-takes-effect",
    "a call that is refused as no checksums can have the name takes effect all the same, or in part",
    REFUSED_CLAUSE,
    "data lost",
    "the name of the checksums is made after the raw filesystem did what was asked",
    "file/leaves-what-it-refused",
    UNTIL,
    (rawlocal.file("a:b"),),
    SIMULATED,
    _refused,
)


def _leaves_parents(root: State, op: Any) -> Iterator[Branch]:
    if isinstance(op, (*rawlocal.MAKING, MoveFromLocal)):
        yield from rawlocal.leaves_parents(root, op)
    else:
        yield from of_sort("parents")(root, op)


_PARENTS = Quirk(
    "file/refused-long-name-makes-parents",
    "a call that is refused for the length of a name has made the parents",
    REFUSED_CLAUSE,
    "wrong answer",
    "the parents are made first, and the operating system refuses the name after that",
    "file/leaves-what-it-refused",
    UNTIL,
    (rawlocal.file("a/" + "n" * 256),),
    SIMULATED,
    _leaves_parents,
)

# --- one level too deep

_INTO = Quirk(
    "file/rename-of-a-file-goes-one-level-too-deep",
    "a file renamed into a directory that has a directory of its name goes into that directory",
    f"{_RENAME}.onto-directory",
    "wrong answer",
    "the destination is computed twice: a directory's name is added to it each time",
    "file/moves-a-file-one-level-too-deep",
    UNTIL,
    (rawlocal.file("a"), rawlocal.directory("b/a"), rawlocal.rename("a", "b")),
    (Rename,),
    of_sort("into", f"{_RENAME}.onto-directory"),
)
_TREE = Quirk(
    "file/copy-of-a-tree-goes-one-level-too-deep",
    "a directory that is copied over one of its name puts its own directories one level deeper",
    "filesystem.copyFromLocalFile.post.replaces",
    "data wrong",
    "a copy to a directory that is there goes into it, and each child is copied so",
    "file/copies-a-tree-one-level-too-deep",
    UNTIL,
    (rawlocal.directory("a/t/d"), Step(CopyTreeFromLocal(("a",), _A, False, True))),
    (CopyTreeFromLocal,),
    of_sort("copied deeper", "filesystem.copyFromLocalFile.post.replaces"),
)

# --- checksums that are not those of the bytes


def _stale(root: State, op: Any) -> Iterator[Branch]:
    return stale(root, op) if ODD in root.marks else iter(())


_STALE = Quirk(
    "file/old-checksums-are-left",
    "calls that are handed to the raw filesystem leave the checksums of other bytes, and the file can't be read",
    "filesystem.open.post",
    "data lost",
    "rename with options, copyFromLocalFile and an append in a context write files, and not their checksums",
    "file/leaves-old-checksums-behind",
    UNTIL,
    (rawlocal.file("a"), rawlocal.file("b", _B), Step(RenameWith(("a",), ("b",), True)), Step(Open(("b",)))),
    READING,
    _stale,
    as_if=stale_observed,
    remembers=REMEMBERED,
    remember=remembered,
)


# --- copies within the store


def _onto_itself(root: State, op: CopyWithin) -> Iterator[Branch]:
    if op.src == op.dst:
        yield from _copied_within(root, op, "filesystem.copyFromLocalFile.pre.different")


def _nested(root: State, op: CopyWithin) -> Iterator[Branch]:
    if op.src != op.dst:
        yield from _copied_within(root, op, "filesystem.copyFromLocalFile.pre.not-nested")


def _copied_within(root: State, op: CopyWithin, clause: str) -> Iterator[Branch]:
    tree = whole(root)
    node = there(tree, op.src)
    into = isinstance(there(tree, op.dst), Dir)
    dest = (*op.dst, *op.src[-1:]) if into else op.dst
    if node is None or (there(tree, dest) is not None and not op.overwrite):
        return
    if isinstance(node, File):
        result = written(tree, dest, contents.EMPTY if dest == op.src else node.content)
        if not result.error:
            yield branch_of(replace(result, tree=folded(result.tree)), clause)
    elif not op.src or is_ancestor(op.src, dest) or any(isinstance(one, Dir) for one in node.children.values()):
        yield returns(clause, None, effect=lost)  # it is copied into itself until a path is too long
    else:
        yield from _children_copied(tree, node, op.src, dest, clause)


def _children_copied(tree: State, node: Dir, src: Path, dest: Path, clause: str) -> Iterator[Branch]:
    start = made(tree, dest)
    if start.error or not start.value:
        return
    after = start.tree
    for name, child in node.children.items():
        if isinstance(child, File) and not is_hidden(name):
            content = contents.EMPTY if (*dest, name) == (*src, name) else child.content
            result = written(after, (*dest, name), content)
            if result.error:
                return
            after = result.tree
    state = folded(after)
    yield returns(clause, None, effect=lambda _root, _op: state)


_WITHIN = Quirk(
    "file/copy-onto-itself-destroys",
    "a path that is copied onto itself is emptied, or copied into itself, with success",
    "filesystem.copyFromLocalFile.pre.different",
    "data lost",
    "source and destination are read and written by two filesystems, and paths are compared only within one",
    "file/empties-a-file-that-is-copied-onto-itself",
    UNTIL,
    (rawlocal.file("a"), Step(CopyWithin(("a",), ("a",), True))),
    (CopyWithin,),
    _onto_itself,
)
_ABOVE = Quirk(
    "file/copy-above-or-below-itself-destroys",
    "a path that is copied onto one above or below it is emptied, or copied into itself, with success",
    "filesystem.copyFromLocalFile.pre.not-nested",
    "data lost",
    "source and destination are read and written by two filesystems, and paths are compared only within one",
    "file/copies-a-path-into-what-is-above-it",
    UNTIL,
    (rawlocal.file("a/b"), Step(CopyWithin(("a", "b"), ("a",), True))),
    (CopyWithin,),
    _nested,
)

# --- claims


def _truncates(_root: State, op: HasPathCapability) -> Iterator[Branch]:
    if op.capability == "fs.capability.paths.truncate":
        yield returns("pathcapabilities.hasPathCapability.post.no-false-claim", True)


_TRUNCATES = Quirk(
    "file/truncate-is-claimed",
    "truncate is claimed, and not supported",
    "pathcapabilities.hasPathCapability.post.no-false-claim",
    "wrong answer",
    "hasPathCapability is handed to the raw filesystem, which can truncate",
    "file/claims-to-truncate",
    UNTIL,
    (rawlocal.file("a"), Step(HasPathCapability(("a",), "fs.capability.paths.truncate"))),
    (HasPathCapability,),
    _truncates,
)

QUIRKS = (
    _BESIDE,
    _REFUSED,
    _PARENTS,
    _INTO,
    _TREE,
    rawlocal.moves_in_part("file", of_sort("halfway")),
    rawlocal.merges_deeper("file", of_sort("deeper", f"{_RENAME}.onto-directory")),
    rawlocal.merges_over("file", of_sort("over", f"{_RENAME}.onto-directory")),
    _STALE,
    _WITHIN,
    _ABOVE,
    _TRUNCATES,
    TAKES,
    FLUSHES,
    renamed_to_itself("file", "file/deletes-what-is-renamed-to-itself-with-overwrite"),
    renamed_below_itself("file", "file/deletes-a-destination-below-the-source-before-it-refuses"),
    null_range("file", "file/raises-nullpointerexception-for-a-range-that-is-null"),
)

RACES = (*local_races("file"), *local_media("file"))
