"""A namespace of which only a part is known: each node is a set of possibilities, the whole a product of them.

A node says which kinds it may have (absent, file, directory, link), and, for the case that it is a directory, what its
children may be. A directory that is *complete* has no children but those listed; one that is not may have any. So a
tree stands for exactly the namespaces in which every node is of one of its kinds, and a set of trees for their union.
Trees are immutable and carry a digest, so that equal ones are found at no cost.

What is *gone* needs care: a call that fails half-way leaves no line but may leave the directories that it made for its
parents (a component too long, a quota). So unless that is ruled out, gone means absent or an unlogged chain of
directories, and never a file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from immutables import Map

from fsconform.engine.audit.lines import Names

ABSENT, FILE, DIRECTORY, LINK = 1, 2, 4, 8
ANY = ABSENT | FILE | DIRECTORY | LINK
EXISTS = FILE | DIRECTORY | LINK

_MASK = (1 << 61) - 1
_NO_CHILDREN: Final[Map[str, Node]] = Map()


class Node:
    """What may be at one path. Immutable by agreement; equal by digest. ``total`` sums up the children's digests."""

    __slots__ = ("children", "complete", "digest", "kinds", "total")

    def __init__(
        self, kinds: int, complete: bool = False, children: Map[str, Node] = _NO_CHILDREN, total: int = 0
    ) -> None:
        self.kinds = kinds
        self.complete = complete
        self.children = children
        self.total = total
        self.digest = hash((kinds, complete, total))

    def with_child(self, name: str, child: Node | None) -> Node:
        """The same with another child; None takes it from the list."""
        old = self.children.get(name)
        total = self.total
        if old is not None:
            total -= hash((name, old.digest))
        if child is None:
            children = self.children if old is None else self.children.delete(name)
        else:
            total += hash((name, child.digest))
            children = self.children.set(name, child)
        return Node(self.kinds, self.complete, children, total & _MASK)

    def as_only(self, mask: int) -> Node | None:
        """The same, known to be of one of the kinds in the mask; None if that can't be."""
        kinds = self.kinds & mask
        if kinds == self.kinds:
            return self
        if not kinds:
            return None
        if kinds & DIRECTORY:
            return Node(kinds, self.complete, self.children, self.total)
        return Node(kinds)


UNKNOWN = Node(ANY)
SURELY_ABSENT = Node(ABSENT)
A_FILE = Node(FILE)
A_LINK = Node(LINK)
NEW_DIRECTORY = Node(DIRECTORY, True)
UNKNOWN_ROOT = Node(DIRECTORY)
PERHAPS_SILENT = Node(ABSENT | DIRECTORY, True)

Change = Callable[[Node], Node | None]
"""From what may be at a path to what may be there after; None if that can't be."""


def only(mask: int) -> Change:
    """Learn that a node is of one of these kinds."""
    return lambda node: node.as_only(mask)


class Shape:
    """How trees are read and changed; ``gone`` is what stands for what no line has made."""

    def __init__(self, gone: Node = PERHAPS_SILENT) -> None:
        self.gone = gone

    def child(self, node: Node, name: str) -> Node:
        """What may be under a name of a node that is a directory."""
        found = node.children.get(name)
        if found is not None:
            return found
        return self.gone if node.complete else UNKNOWN

    def at(self, root: Node, path: Names) -> Node:
        """What may be at a path, whatever it is that the nodes above it turn out to be."""
        node = root
        for name in path:
            if not node.kinds & DIRECTORY:
                return SURELY_ABSENT
            node = self.child(node, name)
        return node

    def changed(self, node: Node, path: Names, change: Change, make: bool = False) -> Node | None:
        """The tree with a change at a path, below which all must be directories; ``make`` makes those that are not.

        None if no namespace of the tree allows it.
        """
        above: list[tuple[Node, Node]] = []  # a path has up to a thousand names: nothing here calls itself for the next
        for name in path:
            parent = self.directory(node, make)
            if parent is None:
                return None
            above.append((node, parent))
            node = self.child(parent, name)
        after = change(node)
        for name, (before, parent) in zip(reversed(path), reversed(above), strict=True):
            if after is None:
                return None
            after = before if after is node and parent is before else self.put(parent, name, after)
            node = before
        return after

    def put(self, parent: Node, name: str, child: Node) -> Node:
        """The directory with what may be under a name; what goes without saying is not listed."""
        unsaid = self.gone if parent.complete else UNKNOWN
        return parent.with_child(name, None if child.digest == unsaid.digest else child)

    def directory(self, node: Node, make: bool) -> Node | None:
        """The node known to be a directory, or made one; None if it can't be."""
        if node.kinds == DIRECTORY:
            return node
        if not node.kinds & DIRECTORY:
            return NEW_DIRECTORY if make and node.kinds & ABSENT else None
        known = Node(DIRECTORY, node.complete, node.children, node.total)
        return self.joined(known, NEW_DIRECTORY) if make and node.kinds & ABSENT and node.children else known

    def joined(self, one: Node, other: Node) -> Node:
        """A tree that stands for all that either stands for, and may stand for more."""
        if one is other or one.digest == other.digest:
            return one
        pending: list[tuple[Node, Node] | tuple[Node, list[str]]] = [(one, other)]
        done: list[Node] = []
        while pending:
            first, second = pending.pop()
            if isinstance(second, list):
                for name in second:
                    first = self.put(first, name, done.pop())
                done.append(first)
            elif first is second or first.digest == second.digest:
                done.append(first)
            elif not first.kinds & second.kinds & DIRECTORY:
                has = first if first.kinds & DIRECTORY else second
                done.append(Node(first.kinds | second.kinds, has.complete, has.children, has.total))
            else:
                names = list({*first.children, *second.children})
                pending.append((Node(first.kinds | second.kinds, first.complete and second.complete), names))
                pending += [(self.child(first, name), self.child(second, name)) for name in names]
        return done.pop()

    def empty_for_sure_not(self, node: Node) -> bool:
        """Whether a directory must have a child."""
        return any(not child.kinds & ABSENT for child in node.children.values())

    def forgotten(self, root: Node, path: Names) -> Node:
        """The tree with nothing known of what is at a path and below it, nor of whether what is above it is there."""
        if not path:
            return UNKNOWN_ROOT
        above: list[Node] = []
        node = root
        for name in path:
            if not node.kinds & DIRECTORY:
                break
            above.append(node)
            node = self.child(node, name)
        if len(above) == len(path) or node.kinds & ABSENT:
            node = UNKNOWN
        for name, parent in zip(reversed(path[: len(above)]), reversed(above), strict=True):
            node = self.put(parent, name, node)
        return node
