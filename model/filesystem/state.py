"""The filesystem as a value: a tree of persistent maps, so that a step costs its path's depth and not the tree's size.

Beside the tree a state has the streams that are open, or were, and what stores remember that no file shows.

The specification's sets are read off the tree: Directories are the paths of Dir nodes, Files those of File nodes. That
every parent is a directory and that no path is two things at once holds by construction; ``invariants`` checks it, and
what construction can't give, on the sets themselves. Source: model.md, "Defining the Filesystem".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final
from typing import Literal as Choice

from immutables import Map

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.outcomes import Fact
from fsconform.model.core.paths import Path

Meta = Map[str, Fact]
"""What is known of the metadata of a file or a directory, by name; None where nothing is."""


@dataclass(frozen=True, slots=True)
class File:
    """A file and its bytes. ``meta`` holds what is known of its metadata: see ``model.filesystem.metadata``."""

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


Phase = Choice["open", "closed", "aborted", "astray", "recovered"]


@dataclass(frozen=True, slots=True)
class Writer:
    """An output stream.

    ``content`` is what the file holds once all is saved, ``least`` how many bytes of it everybody reads by now,
    ``synced`` how many there were when hsync last returned, and ``shown`` whether hsync or hflush ever did.
    ``before`` is the file that was at the path, and so many elements of the path were there (``depth``) when the
    stream was opened. Of one that is astray nothing is known, as others wrote to its path, or that was renamed or
    deleted; of one that was recovered, only that the file is closed. ``unchecked`` is one without checksums.
    """

    path: Path
    content: Content
    phase: Phase = "open"
    least: int = 0
    synced: int = 0
    before: File | None = None
    depth: int = 0
    appends: bool = False
    shown: bool = False
    unchecked: bool = False

    @property
    def length(self) -> int:
        """Bytes of the file once all is saved."""
        return contents.length(self.content)

    @property
    def held(self) -> int:
        """Bytes of the file that is appended to: what had been told of it when it was closed holds on."""
        return contents.length(self.before.content) if self.appends and self.before is not None else 0

    @property
    def is_hidden(self) -> bool:
        """True of a stream whose data nobody need see before close, where new files can stay unseen until then."""
        return self.phase == "open" and not self.shown


@dataclass(frozen=True, slots=True)
class Reader:
    """An input stream. ``pos`` is None where nobody can tell.

    ``file`` is what was opened, None of one that was being written, with its data up to then in ``versions``; there
    is neither of a stream that nothing is known of. ``strayed`` is true once it was read after its file had changed,
    ``versions`` are what else it may have met. ``around`` is the tree when it was opened: what is in there still as it
    was can't have come to be the stream's file; so many files had been ``written`` by then while some stream read.
    """

    path: Path
    file: File | None
    pos: int | None = 0
    closed: bool = False
    strayed: bool = False
    versions: tuple[Content, ...] = ()
    around: Dir = field(default=EMPTY_DIR, compare=False)
    written: int = 0

    @property
    def is_known(self) -> bool:
        """True if something is known of what it reads."""
        return self.file is not None or bool(self.versions)


Writers = Map[str, Writer]
Readers = Map[str, Reader]
Marks = Map[str, Any]
_NO_WRITERS: Final[Writers] = Map()
_NO_READERS: Final[Readers] = Map()
_NO_MARKS: Final[Marks] = Map()


@dataclass(slots=True, unsafe_hash=True)
class State:
    """The filesystem and its streams, by their names. Immutable by agreement, as it is made on the hot path.

    ``written`` are all files that came to be, with their paths, while some stream read. ``marks`` are what a store
    remembers of no single file, by names that the quirks of the store give. ``quotas`` is true once some directory was
    given a quota: before that none need be looked for.
    """

    tree: Dir
    writers: Writers = _NO_WRITERS
    readers: Readers = _NO_READERS
    written: tuple[tuple[Path, Content], ...] = ()
    marks: Marks = _NO_MARKS
    quotas: bool = False

    def over(self, tree: Dir) -> State:
        """The state with another tree."""
        return State(tree, self.writers, self.readers, self.written, self.marks, self.quotas)

    def noting(self, name: str, mark: Any) -> State:
        """The state with a mark; None takes it away."""
        if mark is not None:
            return replace(self, marks=self.marks.set(name, mark))
        return replace(self, marks=self.marks.delete(name)) if name in self.marks else self


EMPTY: Final = State(EMPTY_DIR)


def locate(state: State, path: Path) -> Node | Absence:
    """The node at a path, or why there is none."""
    node: Node | None = state.tree
    for name in path:
        if type(node) is Dir:
            node = node.children.get(name)
        else:
            return NO_PARENT if node is None else UNDER_FILE
    return MISSING if node is None else node


def node_at(tree: Dir, path: Path) -> Node | Absence:
    """The node at a path of a tree alone, or why there is none."""
    return locate(State(tree), path)


def put(state: State, path: Path, node: Node) -> State:
    """The state with ``node`` at ``path``; missing parents become directories. No ancestor may be a file."""
    if not path:
        assert type(node) is Dir
        return state.over(node)
    if state.readers and type(node) is File:
        state = replace(state, written=(*state.written, (path, node.content)))
    above, last = [state.tree], len(path) - 1
    for name in path[:last]:
        child = above[-1].children.get(name, EMPTY_DIR)
        assert type(child) is Dir
        above.append(child)
    parent = above.pop()
    made = Dir(parent.children.set(path[last], node), parent.meta if parent.meta is None else untimed(parent.meta))
    return state.over(_rebuilt(above, path, made))


def _rebuilt(above: list[Dir], path: Path, made: Dir) -> Dir:
    """The root of a tree in which a directory was made anew; ``above`` are those above it, from the root down."""
    for depth in range(len(above) - 1, -1, -1):
        made = Dir(above[depth].children.set(path[depth], made), above[depth].meta)
    return made


def placed(root: Dir, path: Path, node: Node) -> Dir:
    """The tree with another node at a path whose parent exists, and to which nothing has happened by that."""
    if not path:
        assert type(node) is Dir
        return node
    above = [root]
    for name in path[:-1]:
        child = above[-1].children[name]
        assert type(child) is Dir
        above.append(child)
    parent = above.pop()
    return _rebuilt(above, path, Dir(parent.children.set(path[-1], node), parent.meta))


def remove(state: State, path: Path) -> State:
    """The state without ``path``, which exists and is not the root."""
    above, last = [state.tree], len(path) - 1
    for name in path[:last]:
        child = above[-1].children[name]
        assert type(child) is Dir
        above.append(child)
    parent = above.pop()
    made = Dir(parent.children.delete(path[last]), parent.meta if parent.meta is None else untimed(parent.meta))
    return state.over(_rebuilt(above, path, made))


def walk(root: State | Dir, base: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every path of the tree with its node, the root first, in the order of the names' code points."""
    pending: list[tuple[Path, Node]] = [(base, root.tree if isinstance(root, State) else root)]
    while pending:
        path, node = pending.pop()
        yield path, node
        if type(node) is Dir:
            children = node.children
            pending += [((*path, name), children[name]) for name in sorted(children, reverse=True)]


def made_over(root: Dir, change: Callable[[Path, Dir, Map[str, Node]], Dir]) -> Dir:
    """What becomes of a tree where each directory is replaced by what ``change`` makes of it, from below upwards.

    ``change`` is given the directory's path, itself, and its entries as they are now.
    """
    directories = [(path, node) for path, node in walk(root) if type(node) is Dir]
    done: dict[Path, Dir] = {}
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
