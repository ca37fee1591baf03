"""Statuses, listings and numbers as values: what is expected, whether an answer agrees, and what is wrong where not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Facts, Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Case, Check, raises, runtime_instead
from fsconform.model.filesystem.state import Dir, File, Node, State, locate, walk

Entries = Mapping[Path, Node]
Wanted = Callable[[State, Any], Entries]
"""From the state and the operation to what a listing holds."""

NOT_NULL = "filesystem.listStatus.post.not-null"
EXISTS = "filesystem.getFileStatus.pre.exists"
FILE_STATUS, DIRECTORY_STATUS = "filesystem.getFileStatus.post.file", "filesystem.getFileStatus.post.directory"


def missing(clause: str) -> Case:
    """The precondition that a path exists."""
    return Case("missing", clause, runtime_instead((raises(clause, "FileNotFoundException"),)))


def existing(root: State, path: Path) -> Node | None:
    """The node at a path, None if there is none."""
    node = locate(root, path)
    return node if type(node) is File or type(node) is Dir else None


def listing(root: State, path: Path) -> Entries:
    """What a listing of a path holds: a file for itself, a directory's children."""
    node = existing(root, path)
    if type(node) is Dir:
        return {(*path, name): child for name, child in node.children.items()}
    return {} if node is None else {path: node}


def files(entries: Entries) -> Entries:
    """Those entries that are files."""
    return {path: node for path, node in entries.items() if type(node) is File}


def descendants(root: State, path: Path) -> Entries:
    """Everything below a path."""
    node = existing(root, path)
    return {below: one for below, one in walk(node, path) if below != path} if type(node) is Dir else {}


def agrees(status: Status, node: Node, any_length: bool) -> bool:
    """True if a status is that of a node; ``any_length`` is for directories."""
    if type(node) is File:
        return not status.is_dir and status.length == contents.length(node.content) and status.block_size > 0
    return status.is_dir and (any_length or not status.length)


def same(listed: object, wanted: Entries, any_length: bool) -> bool:
    """True if each wanted entry is listed once, with its status, and nothing else."""
    return isinstance(listed, tuple) and len(listed) == len(wanted) and covers(listed, wanted, any_length)


def exactly(wanted: Wanted, any_length: bool) -> Callable[[State, Any, object], bool]:
    """A check that a listing is the one that is wanted."""
    return lambda root, op, listed: same(listed, wanted(root, op), any_length)


def covers(listed: object, wanted: Entries, any_length: bool) -> bool:
    """True if each wanted entry is listed, once or more often, with its status, and nothing else."""
    if not isinstance(listed, tuple):
        return False
    seen = set()
    for status in listed:
        node = wanted.get(status.path)
        if node is None or not agrees(status, node, any_length):
            return False
        seen.add(status.path)
    return len(seen) == len(wanted)


def wrong(listed: Iterable[Status], wanted: Entries, times: Counter[Path] | None = None) -> str:
    """What is wrong with a listing, in words without names and sizes; empty if nothing is.

    ``times`` says how often each entry may be listed, which is once without.
    """
    found = tuple(listed)
    count = Counter(status.path for status in found)
    words = []
    if any(number > (times[path] if times is not None else 1) for path, number in count.items() if path in wanted):
        words.append("repeated entries")
    if any(path not in wanted for path in count):
        words.append("extra entries")
    if any(path not in count for path in wanted):
        words.append("missing entries")
    if not words and not covers(found, wanted, any_length=True):
        words.append("other statuses")
    if not words and not covers(found, wanted, any_length=False):
        words.append("a directory with a length")
    return "a listing with " + " and ".join(words) if words else ""


def number(value: Any) -> int | None:
    """The number that a call gave, None if it gave none."""
    found = value.get("value") if isinstance(value, Facts) else None
    return found if type(found) is int else None


def at_least(least: int) -> Check:
    """A check that a call gave a number that is no smaller."""

    def check(_root: State, _op: Any, value: Any) -> bool:
        found = number(value)
        return found is not None and found >= least

    return check
