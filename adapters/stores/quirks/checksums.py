"""What ChecksumFileSystem keeps beside each file, and what its calls do with it.

The checksums of ``a`` stand in ``.a.crc`` beside it. The state has no such files: that they are there and right is what
is taken for granted of each file, and a mark says where it is otherwise. ``whole`` gives the tree as the disk has it,
``folded`` takes one back to a state. Between the two the calls are done step by step, as the source has them.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar, cast

from immutables import Map

from fsconform.adapters.stores.quirks.local_trees import (
    LONGEST_NAME,
    Result,
    is_long,
    made,
    renamed,
    size,
    there,
    written,
)
from fsconform.model.core import content as contents
from fsconform.model.core.content import Content, Observed
from fsconform.model.core.outcomes import Fact
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.namespace.create_file import CreateNonRecursive
from fsconform.model.filesystem.quirks import MARK
from fsconform.model.filesystem.state import Dir, File, Node, State, locate, made_over, put, remove, walk

SUMS = MARK + "sums"
"""The mark of a file whose checksums are not its own: those of a content, or none."""
ORPHANS = MARK + "orphans"
"""The mark of a directory with checksums of no file there: names with the content that they are of."""
IS_SUMS = MARK + "is sums of"
"""The mark of a file of checksums in a whole tree, with the content that they are of."""
ODD = "odd"
"""The mark of a state in which something of the kind may be."""
NONE = "none"

CHUNK = 512
"""Bytes that one checksum is of."""
_HEADER = b"crc\0" + CHUNK.to_bytes(4, "big")

_Node = TypeVar("_Node", File, Dir)
Orphans = tuple[tuple[str, Content], ...]


def sums_name(name: str) -> str:
    """The name of the file with the checksums of a file."""
    return f".{name}.crc"


def sums_path(path: Path) -> Path:
    """The path of the file with the checksums of the file at a path, which is not the root."""
    return (*path[:-1], sums_name(path[-1]))


def is_hidden(name: str) -> bool:
    """True if listings leave a name out."""
    return name.startswith(".") and name.endswith(".crc")


def is_summable(name: str) -> bool:
    """True if checksums can stand beside a file of a name."""
    return ":" not in name and size(name) + 5 <= LONGEST_NAME


def meta_of(node: Node, name: str) -> Any:
    """An entry of a node's metadata; None without."""
    return None if node.meta is None else node.meta.get(name)


def with_meta(node: _Node, name: str, fact: Any) -> _Node:
    """A node with an entry of its metadata; None takes it away."""
    if meta_of(node, name) == fact:
        return node
    known: dict[str, Fact] = dict(node.meta or {})
    known.pop(name, None)
    if fact is not None:
        known[name] = fact
    meta = Map(known) if known else None
    return File(node.content, meta) if isinstance(node, File) else Dir(node.children, meta)


def sums_of(content: Content) -> File:
    """A file with the checksums of a content."""
    many = -(-contents.length(content) // CHUNK)
    return File((Observed(len(_HEADER) + 4 * many, ""),), Map({IS_SUMS: cast(Fact, content)}))


@lru_cache(maxsize=256)
def real_sums(content: Content) -> Content:
    """The bytes of the checksums of a content, as far as anybody knows them: by length and digest."""
    many = -(-contents.length(content) // CHUNK)
    try:
        found, rest = bytearray(_HEADER), b""
        for piece in contents.chunks(content):
            rest += piece
            cut = len(rest) // CHUNK * CHUNK
            for start in range(0, cut, CHUNK):
                found += zlib.crc32(rest[start : start + CHUNK]).to_bytes(4, "big")
            rest = rest[cut:]
        if rest:
            found += zlib.crc32(rest).to_bytes(4, "big")
    except ValueError:
        return (Observed(len(_HEADER) + 4 * many, ""),)
    return (Observed(len(found), hashlib.sha256(found).hexdigest()),)


def whole(root: State) -> State:
    """The tree with all files of checksums."""
    return root.over(made_over(root.tree, _with_sums))


def _with_sums(_path: Path, root: Dir, children: Map[str, Node]) -> Dir:
    for name, child in root.children.items():
        if isinstance(child, Dir):
            continue
        kept = meta_of(child, SUMS)
        children = children.set(name, with_meta(child, SUMS, None))
        beside = sums_name(name)
        if is_summable(name) and kept != NONE and beside not in root.children:
            children = children.set(beside, sums_of(child.content if kept is None else kept))
    orphans: Orphans = meta_of(root, ORPHANS) or ()
    for name, content in orphans:
        if name not in children:
            children = children.set(name, sums_of(content))
    return with_meta(Dir(children, root.meta), ORPHANS, None)


def folded(root: State) -> State:
    """The state of a tree that ``whole`` has made, and calls have changed."""
    found = root.over(made_over(root.tree, _without_sums))
    return found.noting(ODD, True if _is_odd(found) else None)


def _without_sums(_path: Path, root: Dir, children: Map[str, Node]) -> Dir:
    orphans = []
    for name, child in root.children.items():
        if isinstance(child, Dir):
            continue
        if meta_of(child, IS_SUMS) is not None and is_hidden(name):
            content, its = meta_of(child, IS_SUMS), name[1:-4]
            owner = root.children.get(its)
            children = children.delete(name)
            # A file of checksums that took the place of another file has those of that file beside it.
            is_sums = is_hidden(its) and isinstance(owner, File) and meta_of(owner, IS_SUMS) is not None
            if not isinstance(owner, File) or not is_summable(its) or is_sums:
                orphans.append((name, content))
        elif meta_of(child, IS_SUMS) is not None:
            children = children.set(name, File(real_sums(meta_of(child, IS_SUMS))))
    for name, child in children.items():
        if isinstance(child, File) and is_summable(name):
            children = children.set(name, with_meta(child, SUMS, _mark_of(root, name, child)))
    return with_meta(Dir(children, root.meta), ORPHANS, tuple(sorted(orphans)) or None)


def _mark_of(root: Dir, name: str, child: File) -> Any:
    beside = root.children.get(sums_name(name))
    if beside is None:
        return NONE
    content = meta_of(beside, IS_SUMS)
    return None if content is None or content == child.content else content


def _is_odd(root: State) -> bool:
    return any(
        (path and is_hidden(path[-1])) or meta_of(node, ORPHANS if isinstance(node, Dir) else SUMS) is not None
        for path, node in walk(root)
    )


def transferred(after: State, simulated: State) -> State:
    """A state with the marks of another one of equal names and contents; as it is where those differ."""
    if not _alike(after, simulated):
        return after
    return _marked_as(after, simulated).noting(ODD, simulated.marks.get(ODD))


def _alike(one: State, other: State) -> bool:
    return _contents(one) == _contents(other)


def _contents(root: State) -> list[tuple[Path, Content | None]]:
    return [(path, node.content if isinstance(node, File) else None) for path, node in walk(root)]


def _marked_as(one: State, other: State) -> State:
    def change(path: Path, node: Dir, children: Map[str, Node]) -> Dir:
        like = cast(Dir, locate(other, path))
        for name, child in node.children.items():
            if not isinstance(child, Dir):
                children = children.set(name, with_meta(child, SUMS, meta_of(like.children[name], SUMS)))
        return with_meta(Dir(children, node.meta), ORPHANS, meta_of(like, ORPHANS))

    return one.over(made_over(one.tree, change))


def stale_chunks(root: State, path: Path) -> frozenset[int]:
    """The numbers of the chunks of the file at a path that have another checksum, or none."""
    node = there(root, path)
    kept = meta_of(node, SUMS) if isinstance(node, File) else None
    if not isinstance(node, File) or kept is None or kept == NONE:
        return frozenset()
    return _differing(node.content, kept)


@lru_cache(maxsize=256)
def _differing(content: Content, other: Content) -> frozenset[int]:
    length, known = contents.length(content), contents.length(other)
    return frozenset(
        start // CHUNK for start in range(0, length, CHUNK) if start >= known or not _same(content, other, start)
    )


def _same(content: Content, other: Content, start: int) -> bool:
    try:
        mine, its = (contents.digest(contents.slice_of(one, start, CHUNK)) for one in (content, other))
    except ValueError:
        return False
    return mine is not None and mine == its


def chunks_with_sums(root: State, path: Path) -> int:
    """How many chunks of the file at a path there are checksums for."""
    node = there(root, path)
    kept = meta_of(node, SUMS) if isinstance(node, File) else None
    return 0 if kept is None or kept == NONE else -(-contents.length(kept) // CHUNK)


# --- calls, on whole trees


def created(root: State, path: Path, content: Content, overwrite: bool, parents: bool = True) -> Result:
    """``create``, with what is written and its checksums."""
    if not path:
        return Result(root, None, "FileNotFoundException")
    if not parents and there(root, path[:-1]) is None:
        return Result(root, None, "FileNotFoundException")
    data = written(root, path, contents.EMPTY, overwrite)
    if data.error:
        above = made(root, path[:-1])  # parents are made before anything is asked of the path
        return data if above.error else replace(data, tree=above.tree)
    if ":" in path[-1]:
        return Result(data.tree, None, "IllegalArgumentException")
    beside = sums_path(path)
    if size(beside[-1]) > LONGEST_NAME or isinstance(there(data.tree, beside), Dir):
        return Result(data.tree, None, "FileNotFoundException")
    node = cast(File, there(data.tree, path))
    tree = put(data.tree, path, File(content, with_meta(node, IS_SUMS, None).meta))
    return Result(put(tree, beside, sums_of(content)), None)


def created_unchecked(root: State, path: Path, content: Content, overwrite: bool) -> Result:
    """``create`` by a client that writes no checksums: those that are there are deleted."""
    data = written(root, path, content, overwrite)
    if data.error or not path:
        return data
    if ":" in path[-1]:
        return Result(put(data.tree, path, File(contents.EMPTY)), None, "IllegalArgumentException")
    return Result(_without(data.tree, sums_path(path)), None)


def _without(root: State, path: Path) -> State:
    return root if there(root, path) is None else remove(root, path)


def deleted(root: State, path: Path, recursive: bool) -> Result:
    """``delete`` of anything but the root."""
    node = there(root, path)
    if node is None:
        return Result(root, False)
    if isinstance(node, Dir):
        if node.children and not recursive:
            return Result(root, None, "IOException")
        return Result(remove(root, path))
    if ":" in path[-1]:
        return Result(root, None, "IllegalArgumentException")
    return Result(remove(_without(root, sums_path(path)), path))


def moved(root: State, src: Path, dst: Path) -> Iterator[Result]:
    """``rename``."""
    if isinstance(there(root, src), Dir):
        yield from renamed(root, src, dst)
        return
    if isinstance(there(root, dst), Dir) and src:
        if ":" in src[-1]:
            yield Result(root, None, "IllegalArgumentException")
            return
        dst = (*dst, src[-1])
    for result in renamed(root, src, dst):
        if result.error or not result.value:
            yield result
        elif ":" in src[-1] or ":" in dst[-1]:
            yield Result(result.tree, None, "IllegalArgumentException", result.met)
        else:
            yield from _sums_moved(result, sums_path(src), sums_path(dst))


def _sums_moved(result: Result, src: Path, dst: Path) -> Iterator[Result]:
    if there(result.tree, src) is not None:
        for one in renamed(result.tree, src, dst):
            yield replace(one, met=one.met | result.met)
    else:
        yield replace(result, tree=_without(result.tree, dst))


def moved_with(root: State, src: Path, dst: Path, overwrite: bool, context: bool) -> Iterator[Result]:
    """``rename`` with options, which the raw filesystem does and leaves the checksums where they are."""
    source, target = there(root, src), there(root, dst)
    if source is None:
        yield Result(root, None, "FileNotFoundException")
        return
    tree = root
    if context and src == dst:
        yield Result(root, None, "FileAlreadyExistsException")
        return
    if target is not None:
        if isinstance(source, Dir) is not isinstance(target, Dir) or (isinstance(target, Dir) and target.children):
            yield Result(root, None, "IOException")
            return
        if not overwrite:
            yield Result(root, None, "FileAlreadyExistsException")
            return
        tree = remove(root, dst)
    elif not isinstance(there(root, dst[:-1]), Dir):
        yield Result(root, None, "IOException")
        return
    if is_ancestor(src, dst) or src == dst:
        yield Result(tree, None, "IOException" if src != dst else "FileNotFoundException")
        return
    for result in renamed(tree, src, dst):
        yield (
            result if result.error else Result(result.tree, None) if result.value else Result(tree, None, "IOException")
        )


def copied_in(root: State, path: Path, name: str, content: Content, overwrite: bool, checked: bool) -> Result:
    """A local file of a name is copied to a path; by the raw filesystem unless ``checked``."""
    dest = _copy_goes(root, path, name, overwrite)
    if isinstance(dest, Result):
        return dest
    return created(root, dest, content, overwrite) if checked else written(root, dest, content, overwrite)


def _copy_goes(root: State, path: Path, name: str, overwrite: bool) -> Path | Result:
    dest = (*path, name) if isinstance(there(root, path), Dir) else path
    node = there(root, dest)
    if node is not None and not overwrite:
        return Result(root, None, "PathExistsException")
    return dest


def tree_copied_in(root: State, path: Path, content: Content, overwrite: bool) -> Iterator[Result]:
    """A local directory ``t`` with a file ``f`` and a directory ``d`` with an empty file ``g`` is copied to a path."""
    dest = _copy_goes(root, path, "t", overwrite)
    if isinstance(dest, Result):
        yield dest
        return
    start = made(root, dest)
    if start.error or not start.value:
        yield start
        return
    deeper = isinstance(there(start.tree, (*dest, "d")), Dir)
    met = frozenset(("deeper",)) if deeper else frozenset[str]()
    for order in ("fd", "df"):
        result = start
        for one in order:
            result = _child_copied_in(result.tree, (*dest, one), one, content, overwrite)
            if result.error:
                break
        yield replace(result, met=met)


def _child_copied_in(root: State, dest: Path, name: str, content: Content, overwrite: bool) -> Result:
    if name == "f":
        return copied_in(root, dest, "f", content, overwrite, False)
    goes = _copy_goes(root, dest, "d", overwrite)
    if isinstance(goes, Result):
        return goes
    inner = made(root, goes)
    if inner.error or not inner.value:
        return inner
    return copied_in(inner.tree, (*goes, "g"), "g", contents.EMPTY, overwrite, False)


def parents_asked(op: Any) -> bool:
    """True of a call that makes missing parents."""
    return not isinstance(op, CreateNonRecursive) and getattr(op, "recursive", True) is True


def is_odd_name(name: str) -> bool:
    """True of a name of checksums, and of one that no checksums can stand beside."""
    return is_hidden(name) or not is_summable(name)


def is_odd_path(path: Path) -> bool:
    """True of a path with such a name, or one that is too long."""
    return any(map(is_odd_name, path)) or is_long(path)
