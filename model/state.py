"""The filesystem as a value: a tree of persistent maps, so that a step costs its path's depth and not the tree's size.

The specification's sets are read off the tree: Directories are the paths of Dir nodes, Files those of File nodes. That
every parent is a directory and that no path is two things at once holds by construction; ``invariants`` checks it, and
what construction can't give, on the sets themselves. Source: model.md, "Defining the Filesystem".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from immutables import Map

from fsconform.model.content import Content
from fsconform.model.outcomes import Fact
from fsconform.model.paths import Path

Meta = Map[str, Fact]
"""What is known of the metadata of a file or a directory, by name; None where nothing is."""


@dataclass(frozen=True, slots=True)
class File:
    """A file and its bytes. ``meta`` holds what is known of its metadata: see ``model.further``."""

    content: Content
    meta: Meta | None = None


class Dir:
    """A directory and its entries by name. Equal by value; immutable by agreement, as it is made on the hot path.

    ``meta`` holds what is known of its metadata, as with a file.
    """

    __slots__ = ("children", "meta")
    children: Map[str, Node]
    meta: Meta | None

    def __init__(self, children: Map[str, Node], meta: Meta | None = None) -> None:
        self.children = children
        self.meta = meta

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dir) and self.children == other.children and self.meta == other.meta

    def __hash__(self) -> int:
        return hash(self.children) if self.meta is None else hash((self.children, self.meta))

    def __repr__(self) -> str:
        return f"Dir({dict(self.children)!r})"


Node = File | Dir


MODIFIED, ACCESSED = "modified", "accessed"
"""Times that were set, in milliseconds since 1970: known until something changes the file or the directory."""


TIMED_AT = "timed at"
"""The path at which a file's times were set."""

STALE = "stale"
"""How the content was changed after a time of modification was set, and that time: ``append 1000``."""


def untimed(meta: Meta | None, how: str = "") -> Meta | None:
    """What stays known of a file's or directory's metadata after its content changed; ``how`` remembers the time."""
    if meta is None or (MODIFIED not in meta and ACCESSED not in meta):
        return meta
    left = {name: fact for name, fact in meta.items() if name not in (MODIFIED, ACCESSED)}
    if how and MODIFIED in meta:
        left[STALE] = f"{how} {meta[MODIFIED]}"
    return Map(left) if left else None


class Absence:
    """Why a path names nothing; three instances, compared by identity."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


MISSING: Final = Absence("missing")
"""The parent is a directory that lacks the name."""
NO_PARENT: Final = Absence("missing parent")
"""The parent is missing too, and the nearest existing ancestor is a directory."""
UNDER_FILE: Final = Absence("under a file")
"""An ancestor is a file."""

EMPTY_DIR: Final = Dir(Map())


def locate(root: Dir, path: Path) -> Node | Absence:
    """The node at a path, or why there is none."""
    node: Node | None = root
    for name in path:
        if type(node) is Dir:
            node = node.children.get(name)
        else:
            return NO_PARENT if node is None else UNDER_FILE
    return MISSING if node is None else node


READERS, WRITTEN = "readers", "written"
"""Entries of the root's metadata: the streams that read, and all files that came to be while there were any."""


def put(root: Dir, path: Path, node: Node) -> Dir:
    """The tree with ``node`` at ``path``; missing parents become directories. No ancestor may be a file."""
    if not path:
        assert type(node) is Dir
        return node
    if root.meta is not None and READERS in root.meta and type(node) is File:
        return _put(Dir(root.children, _noted(root.meta, path, node)), path, 0, node)
    return _put(root, path, 0, node)


def written(meta: Meta | None) -> tuple[tuple[Path, Content], ...]:
    """The files that came to be, by their paths, while some stream read."""
    found: tuple[tuple[Path, Content], ...] = () if meta is None else cast(Any, meta.get(WRITTEN, ()))
    return found


def _noted(meta: Meta, path: Path, node: File) -> Meta:
    return meta.set(WRITTEN, cast(Any, (*written(meta), (path, node.content))))


def _put(parent: Dir, path: Path, depth: int, node: Node) -> Dir:
    name = path[depth]
    if depth + 1 == len(path):
        return Dir(parent.children.set(name, node), parent.meta if parent.meta is None else untimed(parent.meta))
    child = parent.children.get(name, EMPTY_DIR)
    assert type(child) is Dir
    return Dir(parent.children.set(name, _put(child, path, depth + 1, node)), parent.meta)


def remove(root: Dir, path: Path) -> Dir:
    """The tree without ``path``, which exists and is not the root."""
    return _remove(root, path, 0)


def _remove(parent: Dir, path: Path, depth: int) -> Dir:
    name = path[depth]
    if depth + 1 == len(path):
        return Dir(parent.children.delete(name), parent.meta if parent.meta is None else untimed(parent.meta))
    child = parent.children[name]
    assert type(child) is Dir
    return Dir(parent.children.set(name, _remove(child, path, depth + 1)), parent.meta)


def walk(root: Dir, base: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every path of the tree with its node, the root first, in the order of the names' code points."""
    yield base, root
    for name in sorted(root.children):
        child = root.children[name]
        if type(child) is Dir:
            yield from walk(child, (*base, name))
        else:
            yield (*base, name), child
