"""The streams of a program that read: a path, the file as it was when the stream was opened, and where the stream is.

They stand in the metadata of the root, beside those that write. What a stream gives is certain while its file stays as
it was; once that was changed, renamed or deleted it may give the old data, the new, or some of each. Sources:
fsdatainputstream.md, "Consistency"; outputstream.md, "Concurrency".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, cast
from typing import Literal as Choice

from immutables import Map

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.writers import View
from fsconform.model.filesystem.state import EMPTY_DIR, READERS, Dir, File, Meta, locate, walk, written

Standing = Choice["same", "gone", "changed", "written", "unknown"]
"""What became of a stream's file: it is at its path as it was; it is elsewhere, or nowhere; other data may be met; a
stream writes, or wrote, to it since before it was opened; nobody can tell."""


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


Readers = Map[str, Reader]
_NONE: Readers = Map()


def readers(root: Dir) -> Readers:
    """The input streams by their names."""
    return _NONE if root.meta is None else cast(Readers, root.meta.get(READERS, cast(Any, _NONE)))


def reader(root: Dir, name: str) -> Reader | None:
    """The input stream of a name."""
    return readers(root).get(name)


def kept(root: Dir, name: str, one: Reader) -> Dir:
    """The state with that stream."""
    meta: Meta = Map() if root.meta is None else root.meta
    return Dir(root.children, meta.set(READERS, cast(Any, readers(root).set(name, one))))


def changed(root: Dir, name: str, **values: Any) -> Dir:
    """The state with one stream changed."""
    return kept(root, name, replace(readers(root)[name], **values))


def begun(root: Dir, name: str, path: Path) -> Dir:
    """A stream was opened: of a file, of one that is being written, or of what nothing is known of."""
    found = streams.views(root, path) if streams.is_met(root, (path,)) else None
    if found is not None and found[0].kind == "file":
        versions = tuple(dict.fromkeys(one for view in (found[0], *found[1]) for one in _versions(view)))
        return kept(root, name, Reader(path, None, versions=versions, around=_bare(root), written=_count(root)))
    node = None if streams.is_met(root, (path,)) else locate(root, path)
    file = node if type(node) is File else None
    return kept(root, name, Reader(path, file, around=_bare(root), written=_count(root)))


def _count(root: Dir) -> int:
    return len(written(root.meta))


def _later(root: Dir, one: Reader) -> tuple[Content, ...]:
    """What was written to a stream's path since it was opened, whatever became of it."""
    return tuple(content for path, content in written(root.meta)[one.written :] if path == one.path)


def _bare(root: Dir) -> Dir:
    return Dir(root.children)


def _versions(view: View) -> tuple[Content, ...]:
    """What a view may be read as: as much as must be seen, and all."""
    if view.kind != "file":
        return ()
    try:
        return contents.slice_of(view.content, 0, view.least), view.content
    except ValueError:
        return (view.content,)


def standing(root: Dir, one: Reader) -> Standing:
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


def _new_files(root: Dir, one: Reader) -> tuple[Content, ...]:
    """What files hold that the stream's file may have become, unless that is still what it was, be it elsewhere."""
    found: list[Content] = []
    for path, node in walk(root):
        if node is one.file:
            return ()
        if type(node) is File and locate(one.around, path) is not node:
            found.append(node.content)
    return tuple(found)


def sources(root: Dir, one: Reader) -> tuple[Content, ...]:
    """All that may be met by a stream that reads on, its own file as it was first."""
    found = [] if one.file is None else [one.file.content]
    found += one.versions
    if standing(root, one) not in ("same", "gone"):
        new, node = _new_files(root, one), locate(root, one.path)
        if type(node) is File:
            found.append(node.content)
        # What was written to the path, or to that which the file was moved to, may have been met already.
        written = ((name, other) for name, other in streams.writers(root).items() if not name.startswith(" "))
        found += [*new, *_later(root, one), *(other.content for _, other in written if new or other.path == one.path)]
    return tuple(dict.fromkeys(found))
