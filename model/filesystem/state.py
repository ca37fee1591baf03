"""The filesystem as a value: a tree of persistent maps, so that a step costs its path's depth and not the tree's size.

The specification's sets are read off the tree: Directories are the paths of Dir nodes, Files those of File nodes. That
every parent is a directory and that no path is two things at once holds by construction; ``invariants`` checks it, and
what construction can't give, on the sets themselves. Source: model.md, "Defining the Filesystem".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from immutables import Map

from fsconform.model.core.content import Content
from fsconform.model.core.outcomes import Fact
from fsconform.model.core.paths import Path

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

    __slots__ = ("_hash", "children", "meta")
    children: Map[str, Node]
    meta: Meta | None
    _hash: int

    def __init__(self, children: Map[str, Node], meta: Meta | None = None) -> None:
        self.children = children
        self.meta = meta

    # A tree is as deep as the longest path, and stores have paths of a thousand elements: nothing here calls itself
    # for what is below, nor leaves that to the maps.

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dir):
            return False
        pending = [(self, other)]
        while pending:
            one, two = pending.pop()
            if one is two:
                continue
            if one.meta != two.meta or len(one.children) != len(two.children):
                return False
            for name, child in one.children.items():
                against = two.children.get(name)
                if child is against:
                    continue
                if type(child) is Dir and type(against) is Dir:
                    pending.append((child, against))
                elif type(child) is Dir or type(against) is Dir or child != against:
                    return False
        return True

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            pass
        pending = [self]
        while pending:
            last = pending[-1]
            below = [one for one in last.children.values() if type(one) is Dir and not hasattr(one, "_hash")]
            if below:
                pending += below
                continue
            pending.pop()
            last._hash = hash(last.children) if last.meta is None else hash((last.children, last.meta))
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_walk, (tuple((path, node.meta if type(node) is Dir else node) for path, node in walk(self)),)

    def __repr__(self) -> str:
        told = (f"{'/'.join(path)!r}: {'Dir' if type(node) is Dir else node}" for path, node in walk(self) if path)
        return f"Dir({{{', '.join(told)}}})"


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
        return _put(Dir(root.children, _noted(root.meta, path, node)), path, node)
    return _put(root, path, node)


def written(meta: Meta | None) -> tuple[tuple[Path, Content], ...]:
    """The files that came to be, by their paths, while some stream read."""
    found: tuple[tuple[Path, Content], ...] = () if meta is None else cast(Any, meta.get(WRITTEN, ()))
    return found


def _noted(meta: Meta, path: Path, node: File) -> Meta:
    return meta.set(WRITTEN, cast(Any, (*written(meta), (path, node.content))))


def _put(root: Dir, path: Path, node: Node) -> Dir:
    above, last = [root], len(path) - 1
    for name in path[:last]:
        child = above[-1].children.get(name, EMPTY_DIR)
        assert type(child) is Dir
        above.append(child)
    parent = above.pop()
    made = Dir(parent.children.set(path[last], node), parent.meta if parent.meta is None else untimed(parent.meta))
    return _rebuilt(above, path, made)


def _rebuilt(above: list[Dir], path: Path, made: Dir) -> Dir:
    """The root of a tree in which a directory was made anew; ``above`` are those above it, from the root down."""
    for depth in range(len(above) - 1, -1, -1):
        made = Dir(above[depth].children.set(path[depth], made), above[depth].meta)
    return made


def remove(root: Dir, path: Path) -> Dir:
    """The tree without ``path``, which exists and is not the root."""
    above, last = [root], len(path) - 1
    for name in path[:last]:
        child = above[-1].children[name]
        assert type(child) is Dir
        above.append(child)
    parent = above.pop()
    made = Dir(parent.children.delete(path[last]), parent.meta if parent.meta is None else untimed(parent.meta))
    return _rebuilt(above, path, made)


def walk(root: Dir, base: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every path of the tree with its node, the root first, in the order of the names' code points."""
    pending: list[tuple[Path, Node]] = [(base, root)]
    while pending:
        path, node = pending.pop()
        yield path, node
        if type(node) is Dir:
            children = node.children
            pending += [((*path, name), children[name]) for name in sorted(children, reverse=True)]


def made_over(root: Dir, change: Callable[[Path, Dir, Map[str, Node]], Node]) -> Node:
    """What becomes of a tree where each directory is replaced by what ``change`` makes of it, from below upwards.

    ``change`` is given the directory's path, itself, and its entries as they are now.
    """
    directories = [(path, node) for path, node in walk(root) if type(node) is Dir]
    done: dict[Path, Node] = {}
    for path, node in reversed(directories):
        children = node.children
        for name, child in node.children.items():
            if type(child) is Dir:
                made = done.pop((*path, name))
                if made is not child:
                    children = children.set(name, made)
        done[path] = change(path, node, children)
    return done[()]


def _of_walk(rows: tuple[tuple[Path, File | Meta | None], ...]) -> Dir:
    """The tree of which ``walk`` gave these paths, with what a directory or a file holds beside its children."""
    made: dict[Path, Node] = {}
    below: dict[Path, dict[str, Node]] = {}
    for path, held in reversed(rows):  # what is below comes first
        node = held if isinstance(held, File) else Dir(Map(below.pop(path, {})), held)
        made[path] = node
        if path:
            below.setdefault(path[:-1], {})[path[-1]] = node
    root = made[()]
    assert type(root) is Dir
    return root
