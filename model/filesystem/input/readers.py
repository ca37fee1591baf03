"""The streams of a program that read: a path, the file as it was when the stream was opened, and where the stream is.

What a stream gives is certain while its file stays as it was; once that was changed, renamed or deleted it may give the
old data, the new, or some of each. Sources: fsdatainputstream.md, "Consistency"; outputstream.md, "Concurrency".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from typing import Literal as Choice

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.writers import View
from fsconform.model.filesystem.state import File, Reader, State, locate, node_at, walk

Standing = Choice["same", "gone", "changed", "written", "unknown"]
"""What became of a stream's file: it is at its path as it was; it is elsewhere, or nowhere; other data may be met; a
stream writes, or wrote, to it since before it was opened; nobody can tell."""


def kept(root: State, name: str, one: Reader) -> State:
    """The state with that stream."""
    return replace(root, readers=root.readers.set(name, one))


def changed(root: State, name: str, **values: Any) -> State:
    """The state with one stream changed."""
    return kept(root, name, replace(root.readers[name], **values))


def begun(root: State, name: str, path: Path) -> State:
    """A stream was opened: of a file, of one that is being written, or of what nothing is known of."""
    found = streams.views(root, path) if streams.is_met(root, (path,)) else None
    if found is not None and found[0].kind == "file":
        versions = tuple(dict.fromkeys(one for view in (found[0], *found[1]) for one in _versions(view)))
        return kept(root, name, Reader(path, None, versions=versions, around=root.tree, written=len(root.written)))
    node = None if streams.is_met(root, (path,)) else locate(root, path)
    file = node if type(node) is File else None
    return kept(root, name, Reader(path, file, around=root.tree, written=len(root.written)))


def _later(root: State, one: Reader) -> tuple[Content, ...]:
    """What was written to a stream's path since it was opened, whatever became of it."""
    return tuple(content for path, content in root.written[one.written :] if path == one.path)


def _versions(view: View) -> tuple[Content, ...]:
    """What a view may be read as: as much as must be seen, and all."""
    if view.kind != "file":
        return ()
    try:
        return contents.slice_of(view.content, 0, view.least), view.content
    except ValueError:
        return (view.content,)


def standing(root: State, one: Reader) -> Standing:
    """What became of a stream's file."""
    if not one.is_known or any(
        other.phase == "astray" and streams.related(one.path, other.path) for _, other in streams.live(root)
    ):
        return "unknown"
    if one.file is None or any(other.path == one.path for _, other in streams.live(root)):
        return "written"
    node = locate(root, one.path)
    if node is one.file:
        return "gone" if one.strayed else "same"
    if type(node) is File or one.versions or _later(root, one):
        return "changed"
    return "gone" if not _new_files(root, one) else "changed"


def _new_files(root: State, one: Reader) -> tuple[Content, ...]:
    """What files hold that the stream's file may have become, unless that is still what it was, be it elsewhere."""
    found: list[Content] = []
    for path, node in walk(root):
        if node is one.file:
            return ()
        if type(node) is File and node_at(one.around, path) is not node:
            found.append(node.content)
    return tuple(found)


def sources(root: State, one: Reader) -> tuple[Content, ...]:
    """All that may be met by a stream that reads on, its own file as it was first."""
    found = [] if one.file is None else [one.file.content]
    found += one.versions
    if standing(root, one) not in ("same", "gone"):
        new, node = _new_files(root, one), locate(root, one.path)
        if type(node) is File:
            found.append(node.content)
        # What was written to the path, or to that which the file was moved to, may have been met already.
        written = ((name, other) for name, other in root.writers.items() if not name.startswith(" "))
        found += [*new, *_later(root, one), *(other.content for _, other in written if new or other.path == one.path)]
    return tuple(dict.fromkeys(found))
