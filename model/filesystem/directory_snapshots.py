"""What snapshots of a directory keep while calls go on in it, and what the difference of two of them reports.

Pure: a tree as a value and calls as words; :func:`play` says what may come of a call and what each outcome leaves.
Source: Hadoop's HDFS Snapshots, "Snapshottable Directories", "Snapshot Paths" and "Snapshot Operations"; where it is
silent, ``SnapshotManager``, ``FSDirSnapshotOp`` and ``SnapshotDiffInfo`` of Hadoop 3.5.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

ROOT = "d"
"""The directory of which snapshots are taken."""
NAMES = ("s1", "s2")

AT_FIRST, APPENDED, WRITTEN = "aaa", "bbbb", "ccccc"
"""The bytes of files: as they were made, added by an append, and written by a call."""
CUT = 1
"""The bytes that a file is cut to in the middle of a block."""

DONE, FAILED = "done", "failed"


@dataclass(frozen=True, slots=True)
class Node:
    """A file with its bytes, or a directory without; ``identity`` is the same whatever it is called and wherever."""

    identity: int
    data: str | None = None


Tree = Mapping[str, Node]


@dataclass(frozen=True, slots=True)
class World:
    """What is there: the tree, whether ``d`` and ``d/e`` are snapshottable, and the snapshots of ``d`` by name.

    Snapshots are from the oldest to the newest, and their paths are those of the tree. ``made`` numbers what is made.
    """

    tree: Tree
    allowed: bool = False
    inner_allowed: bool = False
    snapshots: Mapping[str, Tree] = field(default_factory=dict)
    made: int = 0


Left = Mapping[str, World | None]
"""By outcome what is there then; None where that is not known."""

_CREATES = {"create n": "d/n", "create f": "d/f", "create e/n": "d/e/n"}
_MKDIRS = {"mkdir m": "d/m"}
_CHANGES = ("append f", "truncate f", "cut f", "overwrite f", "append g")
_DELETES = {"delete f": "d/f", "delete e": "d/e", "delete n": "d/n", "delete r": "d/r", "delete d": "d"}
_RENAMES = {
    "rename f r": ("d/f", "d/r"),
    "rename f into e": ("d/f", "d/e/r"),
    "rename g up": ("d/e/g", "d/p"),
    "rename e q": ("d/e", "d/q"),
    "rename f out": ("d/f", "o/f"),
    "rename e out": ("d/e", "o/e"),
    "rename k in": ("o/k", "d/k"),
    "rename d out": ("d", "o/d"),
}
_IN_SNAPSHOT = ("create s1/n", "append s1/f", "delete s1/f", "mkdir s1/m", "rename s1/f out", "rename k into s1")
_ADMINISTRATION = ("allow d", "disallow d", "allow e")
_SNAPS = {f"snap {name}": name for name in NAMES}
_UNSNAPS = {f"unsnap {name}": name for name in NAMES}
_RESNAPS = {"resnap s1 s2": ("s1", "s2"), "resnap s2 s1": ("s2", "s1")}
NOW = "."
_DIFFS = {"diff s1 s2": ("s1", "s2"), "diff s1 now": ("s1", NOW), "diff s2 now": ("s2", NOW)}

CALLS = (
    *_CREATES,
    *_MKDIRS,
    *_CHANGES,
    *_DELETES,
    *_RENAMES,
    *_IN_SNAPSHOT,
    *_ADMINISTRATION,
    *_SNAPS,
    *_UNSNAPS,
    *_RESNAPS,
    *_DIFFS,
)
"""All calls, by what they do and to which path."""

CREATED: Mapping[str, str] = _CREATES
DIRECTORIES: Mapping[str, str] = _MKDIRS
DELETED: Mapping[str, str] = _DELETES
RENAMED: Mapping[str, tuple[str, str]] = _RENAMES
TAKEN: Mapping[str, str] = _SNAPS
GIVEN_UP: Mapping[str, str] = _UNSNAPS
RECALLED: Mapping[str, tuple[str, str]] = _RESNAPS
COMPARED: Mapping[str, tuple[str, str]] = _DIFFS
READ_ONLY: tuple[str, ...] = _IN_SNAPSHOT
"""Calls by their words, with paths and names, for those who make them."""

AT_BEGINNING = World(
    {
        "d": Node(0),
        "d/f": Node(1, AT_FIRST),
        "d/e": Node(2),
        "d/e/g": Node(3, AT_FIRST),
        "o": Node(4),
        "o/k": Node(5, AT_FIRST),
    },
    made=6,
)
"""What is there before the first call."""


def above(path: str) -> str:
    """The parent of a path."""
    return path.rpartition("/")[0]


def below(tree: Tree, path: str) -> Iterator[str]:
    """A path and all that is in it."""
    return (other for other in tree if other == path or other.startswith(path + "/"))


class Rules:
    """The rules, each by itself: seeded faults override one of them."""

    def may_write_to_snapshots(self) -> bool:
        """Whether what a snapshot holds can be changed."""
        return False

    def holds_its_directory(self, world: World) -> bool:
        """Whether snapshots keep a directory from being deleted and renamed, and from no more being allowed any."""
        return bool(world.snapshots)

    def nests(self) -> bool:
        """Whether a directory in a snapshottable one, or above one, can be snapshottable."""
        return False

    def asks_leave(self) -> bool:
        """Whether snapshots are taken only of directories that are snapshottable."""
        return True

    def kept(self, snapshot: Tree, _before: Tree, _after: Tree) -> Tree:
        """What a snapshot has after a change of the tree: what it had."""
        return snapshot

    def entries(self, earlier: Tree, later: Tree) -> frozenset[str] | None:
        """What a report of the difference says of two states of ``d``; None where the document leaves it open."""
        return report(earlier, later)


def relative(path: str) -> str:
    """A path as a report has it: below ``d``, which is a dot."""
    return path[len(ROOT) + 1 :] or "."


def report(earlier: Tree, later: Tree) -> frozenset[str] | None:
    """The entries of a report: created, deleted, modified and renamed. None where it is not said what they are.

    A change below a renamed directory is reported by the path from before the rename.
    """
    old = {node.identity: path for path, node in earlier.items()}
    new = {node.identity: path for path, node in later.items()}
    found = set[str]()
    for identity, path in old.items():
        if identity not in new:
            if earlier[above(path)].identity in new:
                found.add(f"- {relative(path)}")
            continue
        there = new[identity]
        if _place(earlier, path) != _place(later, there) and path != ROOT:
            if earlier[above(path)].identity not in new:
                return None  # moved away from a directory that was deleted: no document says how that is reported
            found.add(f"R {relative(path)} -> {relative(there)}")
        node, other = earlier[path], later[there]
        if node.data != other.data or (node.data is None and _entries(earlier, path) != _entries(later, there)):
            found.add(f"M {relative(path)}")
    for identity, path in new.items():
        if identity not in old and later[above(path)].identity in old:
            found.add(f"+ {relative(path)}")
    return frozenset(found)


def _place(tree: Tree, path: str) -> tuple[int, str]:
    parent = tree.get(above(path))
    return parent.identity if parent else -1, path.rpartition("/")[2]


def _entries(tree: Tree, path: str) -> frozenset[tuple[str, int]]:
    return frozenset((other.rpartition("/")[2], tree[other].identity) for other in tree if above(other) == path)


def state_of(world: World, name: str) -> Tree | None:
    """``d`` in a snapshot, or as it is now; None if there is no such snapshot."""
    if name == NOW:
        return {path: world.tree[path] for path in below(world.tree, ROOT)}
    return world.snapshots.get(name)


def reported(world: World, call: str, rules: Rules) -> frozenset[str] | None:
    """What the report of a call says; None of another call, and where it is not known."""
    if call not in _DIFFS:
        return None
    earlier, later = (state_of(world, name) for name in _DIFFS[call])
    order = [*world.snapshots, NOW]
    old, new = _DIFFS[call]
    if earlier is None or later is None or order.index(old) > order.index(new):
        return None
    return rules.entries(earlier, later)


def play(world: World, call: str, rules: Rules) -> Left:
    """What may come of a call, and what each outcome leaves."""
    if call in _IN_SNAPSHOT:
        return _in_snapshot(world, call, rules)
    if call in _ADMINISTRATION:
        return _administer(world, call, rules)
    if call in _DIFFS:
        there = all(state_of(world, name) is not None for name in _DIFFS[call]) and ROOT in world.tree
        return {DONE if there and world.allowed else FAILED: world}
    if call in _SNAPS:
        return _snap(world, _SNAPS[call], rules)
    if call in _UNSNAPS:
        name = _UNSNAPS[call]
        if name not in world.snapshots:
            return {FAILED: world}
        return {DONE: replace(world, snapshots={key: tree for key, tree in world.snapshots.items() if key != name})}
    if call in _RESNAPS:
        return _resnap(world, *_RESNAPS[call])
    return {outcome: _settled(world, after, rules) for outcome, after in _change(world, call, rules).items()}


def _settled(world: World, after: World | None, rules: Rules) -> World | None:
    if after is None or after is world:
        return after
    snapshots = {name: rules.kept(tree, world.tree, after.tree) for name, tree in after.snapshots.items()}
    return replace(after, snapshots=snapshots)


def _in_snapshot(world: World, call: str, rules: Rules) -> Left:
    if ROOT not in world.tree and call in ("create s1/n", "mkdir s1/m"):
        return {FAILED: None}  # parents may have been made before it was refused: that is judged of mkdirs and create
    snapshot = world.snapshots.get("s1")
    if snapshot is None or not rules.may_write_to_snapshots() or call != "delete s1/f" or "d/f" not in snapshot:
        return {FAILED: world}
    spoilt = {path: node for path, node in snapshot.items() if path != "d/f"}
    return {DONE: replace(world, snapshots={**world.snapshots, "s1": spoilt})}


def _administer(world: World, call: str, rules: Rules) -> Left:
    if (ROOT if call.endswith("d") else "d/e") not in world.tree:
        return {FAILED: world}
    match call:
        case "allow d":
            refused = world.inner_allowed and not rules.nests()
            return {FAILED: world} if refused else {DONE: replace(world, allowed=True)}
        case "allow e":
            refused = world.allowed and not rules.nests()
            return {FAILED: world} if refused else {DONE: replace(world, inner_allowed=True)}
        case _:
            if not world.allowed:
                return {DONE: world, FAILED: world}
            return {FAILED: world} if rules.holds_its_directory(world) else {DONE: replace(world, allowed=False)}


def _snap(world: World, name: str, rules: Rules) -> Left:
    if ROOT not in world.tree or name in world.snapshots or (rules.asks_leave() and not world.allowed):
        return {FAILED: world}
    taken = {path: world.tree[path] for path in below(world.tree, ROOT)}
    return {DONE: replace(world, snapshots={**world.snapshots, name: taken})}


def _resnap(world: World, old: str, new: str) -> Left:
    if old not in world.snapshots or new in world.snapshots:
        return {FAILED: world}
    return {DONE: replace(world, snapshots={new if key == old else key: tree for key, tree in world.snapshots.items()})}


def _change(world: World, call: str, rules: Rules) -> Left:
    tree = world.tree
    if call in _CREATES or call in _MKDIRS:
        path = _CREATES.get(call) or _MKDIRS[call]
        if path in tree:
            return {DONE if call in _MKDIRS else FAILED: world}
        if above(path) not in tree:
            return {DONE: None, FAILED: None}  # missing parents would be made: mkdirs and create are judged elsewhere
        return {DONE: _put(world, path, WRITTEN if call in _CREATES else None)}
    if call in _CHANGES:
        return _write(world, call)
    return _delete(world, _DELETES[call], rules) if call in _DELETES else _rename(world, *_RENAMES[call], rules)


def _put(world: World, path: str, data: str | None) -> World:
    return replace(world, tree={**world.tree, path: Node(world.made, data)}, made=world.made + 1)


def _write(world: World, call: str) -> Left:
    path = "d/e/g" if call == "append g" else "d/f"
    node = world.tree.get(path)
    if node is None or node.data is None:
        # An overwrite makes what is missing: what comes of that is judged of create.
        return {DONE: None, FAILED: None} if call == "overwrite f" else {FAILED: world}
    match call:
        case "overwrite f":
            return {DONE: _put(world, path, WRITTEN)}
        case "truncate f":
            data = ""
        case "cut f" if len(node.data) < CUT:
            return {FAILED: world}  # a file is not truncated to more than it has
        case "cut f":
            data = node.data[:CUT]
        case _:
            data = node.data + APPENDED
    return {DONE: replace(world, tree={**world.tree, path: replace(node, data=data)})}


def _delete(world: World, path: str, rules: Rules) -> Left:
    if path not in world.tree or (path == ROOT and rules.holds_its_directory(world)):
        return {FAILED: world}
    gone = set(below(world.tree, path))
    tree = {other: node for other, node in world.tree.items() if other not in gone}
    inner = world.inner_allowed and "d/e" in tree
    if path == ROOT:
        return {DONE: World(tree, made=world.made)}
    return {DONE: replace(world, tree=tree, inner_allowed=inner)}


def _rename(world: World, old: str, new: str, rules: Rules) -> Left:
    tree = world.tree
    if old not in tree or new in tree or above(new) not in tree:
        return {FAILED: world}
    if old == ROOT:
        # What is then at another path is out of sight.
        return {FAILED: world} if rules.holds_its_directory(world) else {DONE: None, FAILED: None}
    if world.inner_allowed and old == "d/e":
        return {DONE: None, FAILED: None}
    moving = set(below(tree, old))
    after = {path: node for path, node in tree.items() if path not in moving}
    after |= {new + path[len(old) :]: tree[path] for path in moving}
    return {DONE: replace(world, tree=after)}
