"""Listings as values: which entries are expected, whether statuses agree with them, and what is wrong where not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Case, raises, runtime_instead
from fsconform.model.filesystem.state import Dir, File, Node, State, locate, walk

Entries = Mapping[Path, Node]

NOT_NULL = "filesystem.listStatus.post.not-null"
DIRECTORY_STATUS = "filesystem.getFileStatus.post.directory"


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
