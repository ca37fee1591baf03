"""What Hadoop's uploader for filesystems without one of their own does: shared by the stores that hand it out.

``FileSystemMultipartUploader`` keeps the parts of an upload to ``/a/b/c.x`` in a directory ``/a/bc_multipart_UUID``,
made with its parents, and renames the file to its place in the end. What it does wrong comes from that directory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import REFUSED_CLAUSE, Branch, keep, raises, returns
from fsconform.model.filesystem.state import EMPTY_DIR, MISSING, NO_PARENT, Dir, File, State, locate, put
from fsconform.model.filesystem.transfer.uploads import MisuseUpload, Upload

UPLOAD = "multipartuploader"
FOLDER_BYTES = len("_multipart_") + 36
"""Bytes that are added to the name of the directory for parts: a word and a UUID."""


PROGRAM_DIRECTORY = 16
"""Bytes that the name of the directory may have in which a program plays: it is the parent of what lies in its root."""


def stem(path: Path) -> str | None:
    """What is left of the last name before its first dot; None of a name of dots alone, or of the root."""
    pieces = path[-1].rstrip(".").split(".") if path else [""]
    return pieces[0] if pieces != [""] else None


def no_folder(root: State, op: Upload | MisuseUpload) -> Iterator[Branch]:
    """Nothing is left of a name with a dot in front, and the upload is refused before anything is made."""
    left = stem(op.path)
    if op.path and not left:
        yield raises(REFUSED_CLAUSE, "IndexOutOfBoundsException" if left is None else "IllegalArgumentException")


def long_folder(longest: int, root: State, op: Upload | MisuseUpload) -> Iterator[Branch]:
    """The name of parent and file together is too long for one name, and the upload is refused.

    ``longest`` is the store's limit in bytes of a name. The parents of the directory for parts are made before.
    """
    left = stem(op.path)
    if left:
        parent = len(op.path[-2].encode("utf-8", "surrogatepass")) if len(op.path) > 1 else PROGRAM_DIRECTORY
        if parent + len(left.encode("utf-8", "surrogatepass")) + FOLDER_BYTES > longest:
            made = above(root, op.path)
            yield replace(raises(REFUSED_CLAUSE, "IOException"), effect=lambda _root, _op: made or root)


def above(root: State, path: Path) -> State | None:
    """The tree with the parents of the directory for parts; None where they are there, or can't be made."""
    beside = path[:-2]
    return put(root, beside, EMPTY_DIR) if beside and locate(root, beside) in (MISSING, NO_PARENT) else None


def leaves_parents(root: State, op: Upload) -> Iterator[Branch]:
    """An upload that is aborted, or refused for want of a parent, leaves the parents of the directory for parts."""
    made = above(root, op.path)
    if made is None or not stem(op.path):
        return
    clause = f"{UPLOAD}.abort.post"
    if op.ending == "abort":
        yield returns(clause, None, effect=lambda _root, _op: made)
    elif op.parts < 1:
        yield replace(raises(REFUSED_CLAUSE, "IllegalArgumentException"), effect=lambda _root, _op: made)
    elif op.content:
        yield replace(raises(REFUSED_CLAUSE, "IOException"), effect=lambda _root, _op: made)


def onto_directory(root: State, op: Upload) -> Iterator[Branch]:
    """An upload to a directory begins, and can be aborted."""
    if op.path and op.ending == "abort" and type(locate(root, op.path)) is Dir:
        yield returns(f"{UPLOAD}.startUpload.pre.not-a-directory", None, effect=keep)


def elsewhere(root: State, op: MisuseUpload) -> Iterator[Branch]:
    """An upload that was begun for one path is completed at another one below the same directory."""
    if op.manner != "other path" or op.other == op.path:
        return
    if not op.other or op.other[: len(op.path) - 1] != op.path[:-1]:
        return
    there = locate(root, op.other)
    # A file of no bytes is created at its place, and create makes parents.
    if type(there) is File or there is MISSING or (there is NO_PARENT and not op.content):
        yield returns(f"{UPLOAD}.complete.pre.same-path", None, effect=_completed)


def _completed(root: State, op: MisuseUpload) -> State:
    return put(root, op.other, File(op.content))
