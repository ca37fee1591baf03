"""What quotas of names and space allow in a small tree, and what they count, exactly.

Pure: a tree as a value and calls as words; :func:`play` says what may come of a call and what each outcome leaves.
Sources: the paper on HDFS, IV.B; Hadoop's HDFS Quotas Guide, "Name Quotas" and "Space Quotas"; where both are silent,
``DirectoryWithQuotaFeature``, ``INodeFile`` and the ``FSDir*Op`` classes of Hadoop 3.5.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

BLOCK = 1024 * 1024
"""Bytes of a block of all files here: the least that a NameNode allows unless it is configured otherwise."""
NONE = -1
"""The quota of a directory that has none."""

LENGTH, WRITTEN, APPENDED, OPENED = 3, 5, 4, 2
"""Bytes of files: as they were made, as a call makes them, added by an append, and written to a stream left open."""
LONG = BLOCK + 1

DONE, NAMES, SPACE, FAILED = "done", "names", "space", "failed"
"""What comes of a call: done, refused by a quota of names or of space, or refused for another reason."""
OUTCOMES = (DONE, NAMES, SPACE, FAILED)

LIMITED = ("d", "d/e", "o/e")
"""The directories that have quotas, or may come to have one: the usage of those that are there is looked at."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or a directory (without a ``length``), which may have quotas.

    ``open``: a stream writes to the file, whose last block is not finished. ``held``: a write was refused for want
    of space, and whether it can be written to again no document says.
    """

    length: int | None = None
    replication: int = 1
    names: int = NONE
    space: int = NONE
    open: bool = False
    held: bool = False


Tree = Mapping[str, Entry]
Left = Mapping[str, Tree | None]
"""By outcome what is there then; None where that is not known."""

_CREATES: dict[str, tuple[str, int, int]] = {
    "create n": ("d/n", WRITTEN, 1),
    "create n twice": ("d/n", WRITTEN, 2),
    "create long n": ("d/n", LONG, 1),
    "touch n": ("d/n", 0, 1),
    "create e/n": ("d/e/n", WRITTEN, 1),
    "touch e/n": ("d/e/n", 0, 1),
}
"""Calls that make a file: its path, length and replication."""
_MKDIRS = {"mkdir m": "d/m", "mkdir e/m": "d/e/m"}
_DELETES = {"delete f": "d/f", "delete e": "d/e", "delete n": "d/n"}
_RENAMES = {
    "rename f into e": ("d/f", "d/e/r"),
    "rename f out": ("d/f", "o/r"),
    "rename g up": ("d/e/g", "d/q"),
    "rename e out": ("d/e", "o/e"),
    "rename e back": ("o/e", "d/e"),
    "rename h into d": ("o/h", "d/h"),
    "rename h into e": ("o/h", "d/e/h"),
    "rename p into d": ("o/p", "d/p"),
}
_REPLICATES = {"replicate f 2": ("d/f", 2), "replicate f 1": ("d/f", 1), "replicate g 3": ("d/e/g", 3)}
_OPEN, _CLOSE, _APPEND, _TRUNCATE = "open n", "close n", "append f", "truncate f"
_LIMITS = {
    f"{kind} {directory} {value}": (path, kind, value)
    for directory, path in (("d", "d"), ("e", "d/e"))
    for kind, values in (("names", (NONE, 1, 2, 4, 6)), ("space", (NONE, 0, BLOCK, BLOCK + 2 * LENGTH)))
    for value in values
}

CALLS = (
    *_CREATES,
    *_MKDIRS,
    *_DELETES,
    *_RENAMES,
    *_REPLICATES,
    _OPEN,
    _CLOSE,
    _APPEND,
    _TRUNCATE,
    *_LIMITS,
)
"""All calls, by what they do and to which path."""

FILES: Mapping[str, tuple[str, int, int]] = _CREATES
DIRECTORIES: Mapping[str, str] = _MKDIRS
DELETED: Mapping[str, str] = _DELETES
RENAMED: Mapping[str, tuple[str, str]] = _RENAMES
REPLICATED: Mapping[str, tuple[str, int]] = _REPLICATES
SET: Mapping[str, tuple[str, str, int]] = _LIMITS
"""Calls by their words, with path and numbers, for those who make them."""


def tree_at_first(names: int, space: int, inner_names: int, inner_space: int) -> Tree:
    """The tree at the beginning, with the quotas of ``d`` and of ``d/e`` in it."""
    return {
        "d": Entry(names=names, space=space),
        "d/f": Entry(LENGTH),
        "d/e": Entry(names=inner_names, space=inner_space),
        "d/e/g": Entry(LENGTH),
        "o": Entry(),
        "o/h": Entry(),
        "o/h/k": Entry(LENGTH, 2),
        "o/p": Entry(0),
    }


def above(path: str) -> str:
    """The parent of a path; of one that has none the empty text."""
    return path.rpartition("/")[0]


def ancestors(path: str) -> Iterator[str]:
    """The directories above a path, the nearest first."""
    path = above(path)
    while path:
        yield path
        path = above(path)


def below(tree: Tree, path: str) -> Iterator[str]:
    """A path and all that is in it."""
    return (other for other in tree if other == path or other.startswith(path + "/"))


class Rules:
    """The rules, each by itself: seeded faults and explanations of what a store did override one of them."""

    def names_of(self, tree: Tree, path: str) -> int:
        """How many names a directory's quota counts: files and directories of the whole tree, and itself."""
        return sum(1 for _ in below(tree, path))

    def replicas_of(self, entry: Entry) -> int:
        """How many replicas of a file's bytes count: as many as are wanted."""
        return entry.replication

    def block_in_work(self, _written: int) -> int:
        """What a block counts that is being written: a whole one, whatever was written of it."""
        return BLOCK

    def exceeds(self, quota: int, used: int, more: int) -> bool:
        """Whether a quota that is this much used refuses more; what exactly reaches it is allowed."""
        return quota != NONE and more > 0 and used + more > quota

    def limits(self, tree: Tree, path: str) -> tuple[str, ...]:
        """The directories whose quotas bear on a change at a path."""
        return tuple(directory for directory in ancestors(path) if directory in tree)

    def limits_renames(self) -> bool:
        """Whether what is renamed is counted where it comes to."""
        return True

    def limits_replication(self) -> bool:
        """Whether more replicas of what is there are held against quotas."""
        return True

    def moved(self, entry: Entry) -> Entry:
        """What becomes of a directory that is renamed: its quotas stick to it."""
        return entry

    def left_by_refusal(self, before: Tree, _after: Tree) -> Tree:
        """What a call that was refused leaves: all as it was."""
        return before

    # --- what follows from these

    def space_of(self, entry: Entry) -> int:
        """What a file counts against a quota of space; directories count nothing."""
        if entry.length is None:
            return 0
        whole = entry.length // BLOCK * BLOCK
        length = whole + self.block_in_work(entry.length - whole) if entry.open else entry.length
        return length * self.replicas_of(entry)

    def used(self, tree: Tree, path: str) -> tuple[int, int]:
        """Names and space that are counted of a directory, or of a file."""
        if tree[path].length is not None:
            return 1, self.space_of(tree[path])
        return self.names_of(tree, path), sum(self.space_of(tree[other]) for other in below(tree, path))

    def refused(self, tree: Tree, path: str, names: int, space: int, shared: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Which quotas refuse more names or space at a path; those of ``shared`` directories are not asked."""
        found = []
        for directory in self.limits(tree, path):
            if directory in shared:
                continue
            entry, (used_names, used_space) = tree[directory], self.used(tree, directory)
            if self.exceeds(entry.names, used_names, names):
                found.append(NAMES)
            if self.exceeds(entry.space, used_space, space):
                found.append(SPACE)
        return tuple(dict.fromkeys(found))


class WithoutItself(Rules):
    """A directory does not count against its own quota."""

    def names_of(self, tree: Tree, path: str) -> int:
        """What is in the directory."""
        return super().names_of(tree, path) - 1


class OneReplica(Rules):
    """The bytes of a file count once, however many replicas there are to be."""

    def replicas_of(self, entry: Entry) -> int:
        """One."""
        return 1


class WrittenBytes(Rules):
    """Of a block that is being written count the bytes that were written."""

    def block_in_work(self, written: int) -> int:
        """These."""
        return max(written, 1)


class RenamesUnchecked(Rules):
    """A rename is held against no quota."""

    def limits_renames(self) -> bool:
        """No."""
        return False


class ReplicationUnchecked(Rules):
    """More replicas are held against no quota."""

    def limits_replication(self) -> bool:
        """No."""
        return False


class QuotasLeftBehind(Rules):
    """A directory that is renamed has no quotas any more."""

    def moved(self, entry: Entry) -> Entry:
        """The same without quotas."""
        return replace(entry, names=NONE, space=NONE)


def play(tree: Tree, call: str, rules: Rules) -> Left:
    """What may come of a call, and what each outcome leaves."""
    if call in _CREATES:
        return _create(tree, *_CREATES[call], rules)
    if call in _MKDIRS:
        return _mkdir(tree, _MKDIRS[call], rules)
    if call in _DELETES:
        return _delete(tree, _DELETES[call])
    if call in _RENAMES:
        return _rename(tree, *_RENAMES[call], rules)
    if call in _REPLICATES:
        return _replicate(tree, *_REPLICATES[call], rules)
    if call in _LIMITS:
        return _limit(tree, *_LIMITS[call], rules)
    match call:
        case "open n":
            return _open(tree, rules)
        case "close n":
            return _close(tree)
        case "append f":
            return _append(tree, rules)
        case _:
            return _truncate(tree)


def _with(tree: Tree, path: str, entry: Entry) -> Tree:
    return {**tree, path: entry}


def _refusal(tree: Tree, after: Tree, by: tuple[str, ...], rules: Rules) -> Left:
    left = rules.left_by_refusal(tree, after)
    return dict.fromkeys(by, left)


def _add(tree: Tree, path: str, entry: Entry, rules: Rules) -> Left:
    """A name is made, of an empty file or a directory."""
    if path in tree or above(path) not in tree:
        return {FAILED: tree}
    after = _with(tree, path, entry)
    by = rules.refused(tree, path, 1, 0)
    return _refusal(tree, after, by, rules) if by else {DONE: after}


def _mkdir(tree: Tree, path: str, rules: Rules) -> Left:
    if path in tree:
        return {DONE: tree}
    if above(path) not in tree:
        # Missing parents would be made: what a quota does then is judged of mkdirs by itself.
        return dict.fromkeys(OUTCOMES)
    return _add(tree, path, Entry(), rules)


def _create(tree: Tree, path: str, length: int, replication: int, rules: Rules) -> Left:
    if path not in tree and above(path) not in tree:
        return dict.fromkeys(OUTCOMES)
    made = _add(tree, path, Entry(0, replication), rules)
    empty = made.get(DONE)
    if not length or empty is None:
        return made
    # The block is counted whole while it is written, and by its bytes once it is finished.
    block = rules.block_in_work(min(length, BLOCK)) * rules.replicas_of(empty[path])
    if rules.refused(empty, path, 0, block):
        return {SPACE: _with(empty, path, replace(empty[path], held=True))}
    if length > BLOCK:
        first = _with(empty, path, Entry(BLOCK, replication))
        rest = rules.block_in_work(length - BLOCK) * rules.replicas_of(first[path])
        if rules.refused(first, path, 0, rest):
            return {SPACE: None}  # how much of the first block is there no document says
    return {DONE: _with(empty, path, Entry(length, replication))}


def _open(tree: Tree, rules: Rules) -> Left:
    path = "d/n"
    if above(path) not in tree:
        return dict.fromkeys(OUTCOMES)
    made = _create(tree, path, OPENED, 1, rules)
    after = made.get(DONE)
    return made if after is None else {DONE: _with(after, path, replace(after[path], open=True))}


def _close(tree: Tree) -> Left:
    entry = tree.get("d/n")
    if entry is not None and entry.held:
        # What closing a stream says of a write that was refused before no document has: HDFS raises the refusal again.
        return dict.fromkeys((DONE, SPACE, FAILED), tree)
    if entry is None or not entry.open:
        return {FAILED: tree}
    return {DONE: _with(tree, "d/n", replace(entry, open=False))}


def _append(tree: Tree, rules: Rules) -> Left:
    path = "d/f"
    entry = tree.get(path)
    if entry is None or entry.length is None:
        return {FAILED: tree}
    if entry.held:
        return dict.fromkeys(OUTCOMES)
    after = _with(tree, path, replace(entry, length=entry.length + APPENDED))
    # A block that is begun again counts whole; one that is new is allocated once the file is open.
    more = rules.space_of(replace(entry, open=True)) - rules.space_of(entry)
    if rules.refused(tree, path, 0, more):
        return {SPACE: rules.left_by_refusal(_with(tree, path, replace(entry, held=not entry.length)), after)}
    return {DONE: after}


def _truncate(tree: Tree) -> Left:
    entry = tree.get("d/f")
    if entry is None:
        return {FAILED: tree}
    return dict.fromkeys(OUTCOMES) if entry.held else {DONE: _with(tree, "d/f", replace(entry, length=0))}


def _delete(tree: Tree, path: str) -> Left:
    if path not in tree:
        return {FAILED: tree}
    if any(tree[gone].open for gone in below(tree, path)):
        return dict.fromkeys(OUTCOMES)
    gone = set(below(tree, path))
    return {DONE: {other: entry for other, entry in tree.items() if other not in gone}}


def _rename(tree: Tree, old: str, new: str, rules: Rules) -> Left:
    if old not in tree or new in tree or above(new) not in tree:
        return {FAILED: tree}
    moving = set(below(tree, old))
    after = {other: entry for other, entry in tree.items() if other not in moving}
    after |= {new + other[len(old) :]: rules.moved(tree[other]) for other in moving}
    shared = tuple(set(ancestors(old)) & set(ancestors(new)))
    # What moves is counted with its own name, whatever counts against its own quota.
    names, space = len(moving), rules.used(tree, old)[1]
    by = rules.refused(tree, new, names, space, shared) if rules.limits_renames() else ()
    return _refusal(tree, after, by, rules) if by else {DONE: after}


def _replicate(tree: Tree, path: str, replication: int, rules: Rules) -> Left:
    entry = tree.get(path)
    if entry is None:
        return {FAILED: tree}
    wanted = replace(entry, replication=replication)
    after, more = _with(tree, path, wanted), rules.space_of(wanted) - rules.space_of(entry)
    by = rules.refused(tree, path, 0, more) if rules.limits_replication() else ()
    return _refusal(tree, after, by, rules) if by else {DONE: after}


def _limit(tree: Tree, path: str, kind: str, value: int, rules: Rules) -> Left:
    entry = tree.get(path)
    if entry is None:
        return {FAILED: tree}
    after = _with(tree, path, replace(entry, names=value) if kind == NAMES else replace(entry, space=value))
    names, space = rules.used(tree, path)
    if value != NONE and value < (names if kind == NAMES else space):
        # The guide says both: that a quota below the usage is set, and that the command reports a fault.
        return {DONE: after, FAILED: tree, NAMES: tree, SPACE: tree}
    return {DONE: after}
