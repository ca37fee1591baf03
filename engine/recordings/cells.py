"""What is known of a filesystem of which only a part was seen: for each path what may be there, as a tree of cells.

A cell says of which kinds a path may be, and, for the case that it is a directory, what its entries may be. A directory
that is *complete* has no entries but those that are listed. Cells are immutable and compared by a digest, so that trees
cost no more than the paths that changed. Nothing here recurses deeper than a path is long.
"""

from __future__ import annotations

from typing import Final

from immutables import Map

from fsconform.model.core.content import Content
from fsconform.model.core.paths import Path

ABSENT, FILE, DIRECTORY = 1, 2, 4
ANY = ABSENT | FILE | DIRECTORY

_MASK = (1 << 61) - 1
_NO_CHILDREN: Final[Map[str, Cell]] = Map()


class Cell:
    """What may be at one path. ``content`` is a file's, None where nothing is known of it.

    A content of one observed part with an empty digest is one of which the length is known.
    """

    __slots__ = ("children", "complete", "content", "digest", "kinds", "total")

    def __init__(
        self,
        kinds: int,
        content: Content | None = None,
        complete: bool = False,
        children: Map[str, Cell] = _NO_CHILDREN,
        total: int = 0,
    ) -> None:
        self.kinds = kinds
        self.content = content
        self.complete = complete
        self.children = children
        self.total = total
        self.digest = hash((kinds, content, complete, total))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and self.digest == other.digest

    def __hash__(self) -> int:
        return self.digest

    def child(self, name: str) -> Cell:
        """What may be under a name, if this is a directory."""
        found = self.children.get(name)
        if found is not None:
            return found
        return NOTHING if self.complete else UNKNOWN

    def with_child(self, name: str, child: Cell) -> Cell:
        """The directory with another entry."""
        old = self.children.get(name)
        if old is child:
            return self
        total = self.total if old is None else self.total - hash((name, old.digest))
        if child == (NOTHING if self.complete else UNKNOWN):
            if old is None:
                return self
            return Cell(self.kinds, self.content, self.complete, self.children.delete(name), total & _MASK)
        total += hash((name, child.digest))
        return Cell(self.kinds, self.content, self.complete, self.children.set(name, child), total & _MASK)

    def as_directory(self, complete: bool | None = None) -> Cell:
        """The same, known to be a directory; with ``complete`` its list of entries is, or is not."""
        whole = self.complete if complete is None else complete
        if self.kinds == DIRECTORY and whole == self.complete:
            return self
        if self.kinds & DIRECTORY:
            return Cell(DIRECTORY, None, whole, self.children, self.total)
        return Cell(DIRECTORY, None, whole)

    def is_surely_there(self) -> bool:
        """Whether a file or directory is at the path for sure."""
        return not self.kinds & ABSENT


UNKNOWN = Cell(ANY)
NOTHING = Cell(ABSENT)
SOME_FILE = Cell(FILE)
UNKNOWN_ROOT = Cell(DIRECTORY)
NEW_DIRECTORY = Cell(DIRECTORY, complete=True)


def is_directory(root: Cell, path: Path) -> bool:
    """Whether there is a directory at a path for sure."""
    for name in path:
        if root.kinds != DIRECTORY:
            return False
        root = root.child(name)
    return root.kinds == DIRECTORY


def put(root: Cell, path: Path, cell: Cell) -> Cell:
    """The tree with a cell at a path; all above it are directories from then on."""
    above: list[Cell] = []
    for name in path:
        parent = root.as_directory(None if root.kinds & DIRECTORY else True)
        above.append(parent)
        root = parent.child(name)
    for name, parent in zip(reversed(path), reversed(above), strict=True):
        cell = parent.with_child(name, cell)
    return cell


def forgotten(root: Cell, path: Path) -> Cell:
    """The tree with nothing known of what is at a path and below it, nor of what may have been made above it."""
    if not path:
        return UNKNOWN_ROOT
    cell = root
    for depth, name in enumerate(path):
        cell = cell.child(name)
        if cell.kinds != DIRECTORY:
            return put(root, path[: depth + 1], UNKNOWN)
    return put(root, path, UNKNOWN)


def joined(one: Cell, other: Cell) -> Cell:
    """What is so in both: a cell that stands for all that either stands for, and may stand for more."""
    if one is other or one.digest == other.digest:
        return one
    content = one.content if one.content == other.content else None
    if not one.kinds & FILE:
        content = other.content
    elif not other.kinds & FILE:
        content = one.content
    if not one.kinds & other.kinds & DIRECTORY:
        has = one if one.kinds & DIRECTORY else other
        return Cell(one.kinds | other.kinds, content, has.complete, has.children, has.total)
    made = Cell(one.kinds | other.kinds, content, one.complete and other.complete)
    for name in {**one.children, **other.children}:
        made = made.with_child(name, joined(one.child(name), other.child(name)))
    return made
