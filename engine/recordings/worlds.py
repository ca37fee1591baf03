"""What is known, as states of the model that the oracle can be asked about.

Of the paths that a call names, each that may be several things is taken to be each of them in turn: a world. In a world
the oracle judges as always. What no world allows is a divergence; what is so in all worlds that allow an answer is
learned from it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

from immutables import Map

from fsconform.engine.recordings.cells import ABSENT, DIRECTORY, FILE, NEW_DIRECTORY, NOTHING, Cell, joined, put
from fsconform.engine.recordings.events import Event, content_of
from fsconform.model.core import content as contents
from fsconform.model.core.content import Content, Observed
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Returned, Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import Dir, File, Node, State, locate
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

MOST_SHOWN = 500
"""Entries of a directory, or of trees that may be merged, that the oracle is shown."""

MOST_WORLDS = 512
"""More of them than this are not looked at: nothing is judged of the call, nor learned from it."""

_OTHER = "\0other"
"""How an entry is called that stands for those of a directory that is not empty; its number comes after it."""
_UNSEEN = "?"
"""The digest of content of which nothing is known."""
_SINGLE = (FILE, DIRECTORY, ABSENT)
_BY_EMPTINESS = (Delete, Rename, RenameWith)


class TooMany(Exception):
    """There are too many worlds."""


@dataclass(slots=True)
class World:
    """One way in which what is known may be. ``root`` has the cells as they are in it, ``state`` is the model's.

    ``origin`` says which cell each node of the state stands for, ``shown`` which entries each directory has in it.
    """

    root: Cell
    state: State
    origin: dict[int, Cell]
    shown: dict[Path, frozenset[str]]


@dataclass(slots=True)
class Taken:
    """What a call may come to: the trees of cells after it, where an answer is allowed; the worlds it was asked in."""

    after: list[Cell] = field(default_factory=list)
    worlds: list[World] = field(default_factory=list)
    unjudged: bool = False
    """Some branch leads to a state that the model can't represent."""
    clauses: list[str] = field(default_factory=list)
    conforms: bool = False
    """Whether the specification allows the outcome in some world, without a known bug of the store."""
    quirks: set[str] = field(default_factory=set)
    """The known bugs that allow it."""

    @property
    def joined(self) -> Cell:
        """What is so in all that it may come to."""
        root = self.after[0]
        for other in self.after[1:]:
            root = joined(root, other)
        return root


def take(oracle: Oracle, root: Cell, event: Event) -> Taken:
    """Ask the oracle of a call in each world. Raises TooMany."""
    operation, taken = event.operation, Taken()
    assert operation is not None
    for world in worlds(root, event):
        taken.worlds.append(world)
        outcome = answer(world, event)
        allowed: list[tuple[Branch, State | None]] = list(oracle.step(world.state, operation, outcome))
        taken.conforms |= bool(allowed)
        for branch, after, quirk in oracle.offered(world.state, operation, outcome):
            allowed.append((branch, after))
            taken.quirks.add(quirk.id)
        for branch, after in allowed:
            taken.clauses.append(branch.clause)
            if after is None:
                taken.unjudged = True
            elif after is world.state:
                taken.after.append(world.root)
            else:
                taken.after.append(_translated(world, after.tree, (), world.root))
    return taken


def answer(world: World, event: Event) -> Outcome:
    """The outcome of a call; of a file that was read in part it is taken to be what the file holds."""
    if event.read_in_part and isinstance(event.outcome, Returned):
        node = locate(world.state, event.paths[0])
        if isinstance(node, File):
            return Returned(Data(contents.length(node.content), contents.digest(node.content) or ""))
    return event.outcome


def looked_at(operation: Operation) -> tuple[Path, ...]:
    """The paths on which an operation hangs: those it names, and the one in a directory that is renamed into."""
    if isinstance(operation, Rename):
        inside = (*operation.dst, operation.src[-1]) if operation.src else operation.dst
        return operation.src, operation.dst, inside
    if isinstance(operation, RenameWith):
        return operation.src, operation.dst
    path: Path = operation.path  # type: ignore[attr-defined]
    return (path,)


def worlds(root: Cell, event: Event) -> list[World]:
    """All ways in which what a call hangs on may be. Raises TooMany."""
    assert event.operation is not None
    operation = event.operation
    named = looked_at(operation)
    points = sorted(
        {path[:depth] for path in named for depth in range(1, len(path) + 1)}, key=lambda one: (len(one), one)
    )
    chosen: list[dict[Path, int]] = [{}]
    for point in points:
        further = []
        for choice in chosen:
            is_below = len(point) == 1 or choice[point[:-1]] == DIRECTORY
            kinds = _cell(root, point).kinds if is_below else ABSENT
            further += [{**choice, point: kind} for kind in (FILE, DIRECTORY, ABSENT) if kinds & kind]
        chosen = further
        if len(chosen) > MOST_WORLDS:
            raise TooMany
    found: list[World] = []
    for choice in chosen:
        found += _of_choice(root, event, operation, named, choice)
        if len(found) > MOST_WORLDS:
            raise TooMany
    return found


def _cell(root: Cell, path: Path) -> Cell:
    """What may be at a path if all above it are directories."""
    for name in path:
        root = root.child(name) if root.kinds & DIRECTORY else NOTHING
    return root


def _of_choice(
    root: Cell, event: Event, operation: Operation, named: tuple[Path, ...], choice: Mapping[Path, int]
) -> Iterator[World]:
    """The worlds in which the paths are of the kinds chosen: one, or two for a directory that may be empty or not."""
    refined = root
    for path in sorted(choice, key=len):
        if choice[path] == DIRECTORY:
            refined = put(refined, path, _cell(refined, path).as_directory())
        elif choice[path] == FILE:
            refined = put(refined, path, Cell(FILE, _file_content(_cell(refined, path), path, event)))
        elif len(path) == 1 or choice[path[:-1]] == DIRECTORY:
            refined = put(refined, path, NOTHING)
    if isinstance(operation, ListStatus) and choice.get(operation.path, DIRECTORY) == DIRECTORY:
        listed = event.outcome.value if isinstance(event.outcome, Returned) else None
        if isinstance(listed, tuple):
            refined = put(refined, operation.path, _listed(_cell(refined, operation.path), operation.path, listed))
    open_ends = [
        path
        for path in dict.fromkeys(named)
        if isinstance(operation, _BY_EMPTINESS) and (not path or choice.get(path) == DIRECTORY)
    ]
    filled: list[dict[Path, bool]] = [{}]
    for path in open_ends:
        ways = _ways(_cell(refined, path), {point[-1]: choice[point] for point in choice if point[:-1] == path})
        filled = [{**one, path: way} for one in filled for way in ways]
    for fill in filled:
        yield _world(refined, operation, choice, fill)


def _ways(cell: Cell, named: Mapping[str, int]) -> tuple[bool, ...]:
    """Whether a directory may hold what is not shown of it; both only where that decides whether it is empty."""
    if _is_shown_whole(cell, named):
        return (False,)
    is_filled = any(kind != ABSENT for kind in named.values())
    is_filled |= any(child.is_surely_there() for name, child in cell.children.items() if name not in named)
    return (True,) if is_filled else (False, True)


def _is_shown_whole(cell: Cell, named: Container[str] = ()) -> bool:
    """Whether a directory can be shown with all that is in it."""
    return (
        cell.complete
        and len(cell.children) <= MOST_SHOWN
        and all(child.kinds in _SINGLE for name, child in cell.children.items() if name not in named)
    )


def _file_content(cell: Cell, path: Path, event: Event) -> Content | None:
    """The content of a file in a world: what is known of it, and else what an answer would have it be."""
    known = cell.content
    value = event.outcome.value if isinstance(event.outcome, Returned) else None
    told: Content | None = None
    if isinstance(event.operation, GetFileStatus | ListStatus) and event.operation.path == path:
        statuses = value if isinstance(value, tuple) else (value,)
        told = next(
            (content_of(one.length, "") for one in statuses if isinstance(one, Status) and not one.is_dir), None
        )
    elif isinstance(event.operation, Open) and isinstance(value, Data) and not event.read_in_part:
        told = content_of(value.length, value.digest)
    if known is None:
        return told
    if told is not None and contents.digest(known) == "" and contents.length(known) == contents.length(told):
        return told
    return known


def _listed(cell: Cell, path: Path, listed: tuple[Status, ...]) -> Cell:
    """The directory with what a listing says of entries of which nothing was known."""
    by_name = {one.path[-1]: one for one in listed if isinstance(one, Status) and one.path[:-1] == path and one.path}
    made = Cell(DIRECTORY, None, True)
    for name in {**cell.children, **by_name}:
        child, status = cell.child(name), by_name.get(name)
        if status is None:
            kind = next(kind for kind in (ABSENT, FILE, DIRECTORY) if child.kinds & kind)
        else:
            wanted = DIRECTORY if status.is_dir else FILE
            kind = (
                wanted if child.kinds & wanted else next(one for one in (FILE, DIRECTORY, ABSENT) if child.kinds & one)
            )
        if kind == DIRECTORY:
            made = made.with_child(name, child.as_directory())
        elif kind == FILE:
            content = child.content
            if content is None and status is not None:
                content = content_of(status.length, "")
            made = made.with_child(name, Cell(FILE, content))
    return made


def _world(refined: Cell, operation: Operation, choice: Mapping[Path, int], fill: Mapping[Path, bool]) -> World:
    """The model's state of a choice: the paths that were chosen, and what a directory that is looked into holds."""
    origin: dict[int, Cell] = {}
    shown: dict[Path, frozenset[str]] = {}
    below: dict[Path, dict[str, Node]] = {}
    if isinstance(operation, ListStatus) and choice.get(operation.path, DIRECTORY) == DIRECTORY:
        cell = _cell(refined, operation.path)
        below[operation.path] = {
            name: _node(child, origin) for name, child in cell.children.items() if child.kinds in (FILE, DIRECTORY)
        }
    merges = isinstance(operation, Rename | RenameWith) and sum(choice.get(path) == DIRECTORY for path in fill) > 1
    count = _Count()
    for path, is_filled in fill.items():
        cell = _cell(refined, path)
        named = {point[-1] for point in choice if point[:-1] == path}
        if len(cell.children) <= MOST_SHOWN:
            for name, child in cell.children.items():
                if name not in named and child.kinds in (FILE, DIRECTORY):
                    below.setdefault(path, {})[name] = _subtree(child, (*path, name), origin, shown, merges, count)
        if is_filled:
            below.setdefault(path, {})[count.other()] = File(contents.EMPTY)
    made: Node
    for path in sorted((*choice, ()), key=len, reverse=True):
        kind = choice.get(path, DIRECTORY) if path else DIRECTORY
        if kind == ABSENT:
            continue
        cell = _cell(refined, path)
        if kind == FILE:
            made = _node(cell, origin)
        else:
            entries = below.get(path, {})
            made = Dir(Map(entries))
            shown[path] = frozenset(entries)
            if path in fill and not fill[path]:
                hidden = [name for name, child in cell.children.items() if name not in entries]
                for name in hidden:
                    cell = cell.with_child(name, NOTHING)
                cell = cell.as_directory(complete=True)
                refined = put(refined, path, cell)
            origin[id(made)] = cell
        if path:
            below.setdefault(path[:-1], {})[path[-1]] = made
    assert isinstance(made, Dir)
    return World(refined, State(made), origin, shown)


@dataclass(slots=True)
class _Count:
    """Counts what is shown in a world."""

    others: int = 0
    nodes: int = 0

    def other(self) -> str:
        """The name of an entry that stands for those which are not shown: each directory has one of its own."""
        self.others += 1
        return f"{_OTHER} {self.others}"


def _subtree(
    cell: Cell, path: Path, origin: dict[int, Cell], shown: dict[Path, frozenset[str]], merges: bool, count: _Count
) -> Node:
    """What is known below a path that is not named: whole where directories may be merged. Raises TooMany."""
    count.nodes += 1
    if cell.kinds == FILE or not merges:
        return _node(cell, origin)
    if count.nodes > MOST_SHOWN or not _is_shown_whole(cell):
        raise TooMany
    entries = {
        name: _subtree(child, (*path, name), origin, shown, merges, count)
        for name, child in cell.children.items()
        if child.kinds != ABSENT
    }
    made = Dir(Map(entries))
    shown[path] = frozenset(entries)
    origin[id(made)] = cell
    return made


def _node(cell: Cell, origin: dict[int, Cell]) -> Node:
    """A node of its own for a cell of one kind; of a directory without what is in it."""
    content = (Observed(0, _UNSEEN),) if cell.content is None else cell.content
    made: Node = Dir(Map()) if cell.kinds == DIRECTORY else File(content)
    origin[id(made)] = cell
    return made


def _translated(world: World, node: Node, path: Path, old: Cell) -> Cell:
    """The cell of a node of the state after a call, where it is now. ``old`` is what was at its path."""
    known = world.origin.get(id(node))
    if known is not None:
        return known
    if isinstance(node, File):
        unseen = any(isinstance(part, Observed) and part.digest == _UNSEEN for part in node.content)
        return Cell(FILE, None if unseen else node.content)
    before = world.shown.get(path)
    others = {name for name in node.children if name.startswith(_OTHER)}
    if before is not None and old.kinds == DIRECTORY and others <= before:
        emptied = not others and any(name.startswith(_OTHER) for name in before)
        cell = NEW_DIRECTORY if emptied else old
        for name in before:
            if not name.startswith(_OTHER) and name not in node.children:
                cell = cell.with_child(name, NOTHING)
    else:  # new, or what another directory holds came into it
        cell = Cell(DIRECTORY, None, not others)
    for name, child in node.children.items():
        if name not in others:
            cell = cell.with_child(name, _translated(world, child, (*path, name), old.child(name)))
    return cell
