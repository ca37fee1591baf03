"""The streams of a program that write: a path, whether the stream is open, and its data, as the document has them.

What a stream has not yet saved may show or not: whoever opens the path reads the stream's data up to some place that is
not before ``least``. Source: outputstream.md, "Output Stream Model", "Concurrency", "Consistency and Visibility".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from typing import Literal as Choice

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Difference
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, Reader, State, Writer, locate, put, remove


def changed(root: State, name: str, **values: Any) -> State:
    """The state with one stream changed."""
    return replace(root, writers=root.writers.set(name, replace(root.writers[name], **values)))


def touched(root: State, operation: Operation) -> tuple[Path, ...]:
    """The paths that an operation names, be it by a stream."""
    name = getattr(operation, "stream", None)
    if name is None:
        return paths_of(operation)
    streams: tuple[Mapping[str, Writer | Reader], ...] = (root.writers, root.readers)
    return paths_of(operation) or tuple(known[name].path for known in streams if name in known)


def live(root: State) -> Iterator[tuple[str, Writer]]:
    """The streams at whose paths something may be seen or not."""
    return ((name, one) for name, one in root.writers.items() if one.phase not in ("closed", "aborted"))


def is_live(root: State) -> bool:
    """True while the bytes of some file are not settled: it is being written, or nothing is known of it."""
    return any(True for _ in live(root))


def related(path: Path, other: Path) -> bool:
    """True if they are one path, or one is above the other."""
    return path[: len(other)] == other or other[: len(path)] == path


def is_met(root: State, paths: tuple[Path, ...]) -> bool:
    """True if what is seen at one of these paths depends on a stream that is not settled."""
    return any(related(path, one.path) for _, one in live(root) for path in paths)


def astray(root: State, paths: tuple[Path, ...]) -> State:
    """Nothing is known any more of the streams to these paths, or of what is there."""
    known = root.writers
    for name, one in live(root):
        if any(related(path, one.path) for path in paths):
            known = known.set(name, replace(one, phase="astray"))
    # The other paths of a rename, say, may come to hold what such a stream writes.
    for path in paths:
        known = known.set(" " + "/".join(path), Writer(path, (), "astray"))
    return replace(root, writers=known)


# --- what can be seen


@dataclass(frozen=True, slots=True)
class View:
    """What may be at a path: a directory, nothing, or a file of the first bytes of ``content``, at least ``least``.

    Its length may be behind, but not behind ``held``, nor behind ``synced`` where hsync updates it.
    """

    kind: Choice["file", "directory", "missing"]
    content: Content = ()
    least: int = 0
    synced: int = 0
    held: int = 0
    growing: bool = False


MISSING_VIEW = View("missing")
DIRECTORY_VIEW = View("directory")


def _settled(node: object) -> View:
    if type(node) is File:
        return View("file", node.content, contents.length(node.content))
    return DIRECTORY_VIEW if type(node) is Dir else MISSING_VIEW


def views(root: State, path: Path) -> tuple[View, tuple[View, ...]] | None:
    """What is at a path; and what else may be seen there where new files can stay unseen until they are closed.

    None where nothing is known.
    """
    found: View | None = None
    others: list[View] = []
    for _, one in live(root):
        if not related(path, one.path):
            continue
        if one.phase == "astray":
            return None
        if one.path == path:
            found = View("file", one.content, one.least, one.synced, one.held, True)
            if one.is_hidden:
                others.append(MISSING_VIEW if one.before is None else _settled(one.before))
        elif len(path) < len(one.path):
            if one.is_hidden and len(path) > one.depth:
                others.append(MISSING_VIEW)
        else:
            found = MISSING_VIEW
    return found or _settled(locate(root, path)), tuple(others)


# --- what is wrong with what is seen


def wrong_length(view: View, length: int) -> Difference | None:
    """What is wrong with the length in a status of what is seen."""
    if view.growing and length > contents.length(view.content):
        if not view.content:
            return Difference(clause.OVERWRITE, "MUST", "a length, though nothing is written yet")
        return Difference(clause.NOT_AHEAD, "MUST NOT", "a length ahead of the data")
    if length < view.held:
        return Difference(clause.METADATA, "MUST", "a shorter length than before it was appended to")
    return None


def wrong_bytes(view: View, count: int, same: Callable[[contents.Content], bool | None]) -> Difference | None:
    """What is wrong with the bytes read; ``same`` tells whether they are those of a content."""
    total = contents.length(view.content)
    if count > total:
        if not view.content:
            return Difference(clause.OVERWRITE, "MUST", "bytes, though nothing is written yet")
        return Difference(clause.SAVED, "MUST", "more bytes than were written")
    if count < view.least:
        return Difference(clause.SYNC_VISIBLE, "MUST", "fewer bytes than were made visible")
    try:
        right = same(contents.slice_of(view.content, 0, count))
    except ValueError:
        return None
    return Difference(clause.SAVED, "MUST", "other bytes than were written") if right is False else None


def is_unpromised(view: View) -> bool:
    """True of a file with bytes none of which were there before the stream, or were made visible by it.

    What a store saves of them by itself need not be seen; nor have its checksums to be there.
    """
    return view.growing and bool(view.content) and not view.least and not view.held


# --- what streams do to the state


def begun(root: State, name: str, path: Path, mode: str, unchecked: bool = False) -> State:
    """A stream was opened: the file is there, empty unless it is to be appended to."""
    node = locate(root, path)
    before = node if type(node) is File else None
    depth = next((many for many in range(len(path), 0, -1) if isinstance(locate(root, path[:many]), Dir | File)), 0)
    content = before.content if before is not None and mode == "append" else contents.EMPTY
    least = contents.length(content)
    made = Writer(path, content, "open", least, 0, before, depth, mode == "append", unchecked=unchecked)
    tree = root if mode == "append" else put(root, path, File(contents.EMPTY))
    return replace(tree, writers=tree.writers.set(name, made))


def settled(root: State, name: str) -> State:
    """A stream was closed: the file holds all that was written."""
    one = root.writers[name]
    node = locate(root, one.path)
    if node is UNDER_FILE or type(node) is Dir:  # a known bug of the store put that there meanwhile
        return changed(root, name, phase="astray")
    return changed(put(root, one.path, File(one.content)), name, phase="closed", least=one.length)


def undone(root: State, name: str) -> State:
    """A stream was aborted: what was there before it is there still."""
    one = root.writers[name]
    # Whether its parents have come to be nobody can tell; nor what is left where a known bug moved its file.
    if one.depth < len(one.path) - 1 or type(locate(root, one.path)) is not File:
        return changed(root, name, phase="astray")
    tree = remove(root, one.path) if one.before is None else put(root, one.path, one.before)
    return changed(tree, name, phase="aborted")
