"""The quirks of MinIO, as they show through a connector that runs on it: they are the server's, not the connector's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from fsconform.adapters.stores.quirks.shared import UNTIL, refused
from fsconform.model.core import content as contents
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import Branch, returns
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename, destination
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import Absence, Dir, File, State, locate, put, remove
from fsconform.model.filesystem.transfer.uploads import MisuseUpload, write

LONGEST_DIRECTORY = 246
"""Bytes of a directory's name for which MinIO can keep a marker: with what it appends, the disk takes 255."""


def _is_long(name: str) -> bool:
    return len(name.encode("utf-8", "surrogatepass")) > LONGEST_DIRECTORY


def _left_without(root: State, parent: Path) -> Iterator[State]:
    """The states in which a directory that can have no marker is gone, and those above it that are empty then, too."""
    if not any(map(_is_long, parent)) or cast(Dir, locate(root, parent)).children:
        return
    while parent and not cast(Dir, locate(root, parent)).children:
        root, parent = remove(root, parent), parent[:-1]
        yield root


def _deleted(root: State, op: Delete) -> Iterator[Branch]:
    node = locate(root, op.path)
    goes = isinstance(node, File) or (isinstance(node, Dir) and (op.recursive or not node.children))
    if op.path and goes:
        for after in _left_without(remove(root, op.path), op.path[:-1]):
            yield refused("filesystem.delete.post.file", "IOException", after)


def _renamed(root: State, op: Rename | RenameWith) -> Iterator[Branch]:
    node = locate(root, op.src)
    if not op.src or isinstance(node, Absence):
        return
    final = destination(root, op) if isinstance(op, Rename) else op.dst
    if is_ancestor(op.src, final) or final == op.src or not isinstance(locate(root, final), Absence):
        return
    if type(locate(root, final[:-1])) is Dir:
        for after in _left_without(put(remove(root, op.src), final, node), op.src[:-1]):
            yield refused("filesystem.rename.post.file", "IOException", after)


_LONG = "n" * 255
_CONTENT = contents.of(1, 3)


def _marker(name: str, call: str, operations: tuple[type, ...], behaviour: Callable[..., Iterator[Branch]]) -> Quirk:
    step = Step(Delete((_LONG, "a"), False)) if Delete in operations else Step(Rename((_LONG, "a"), ("a",)))
    return Quirk(
        f"minio/{name}",
        f"a {call} that empties a directory with a long name is done, fails, and leaves the directory gone",
        "filesystem.delete.post.file" if Delete in operations else "filesystem.rename.post.file",
        "wrong error",
        "MinIO keeps an object whose key ends with a slash in a folder whose longer name the disk does not take",
        "s3a/on-minio-can-not-empty-a-directory-with-a-long-name",
        UNTIL,
        (Step(Create((_LONG, "a"), _CONTENT, False)), step),
        operations,
        behaviour,
    )


def _aborts_again(root: State, op: MisuseUpload) -> Iterator[Branch]:
    if type(locate(root, op.path)) is Dir or not isinstance(locate(root, op.path), File | Absence):
        return
    if op.manner == "abort twice":
        yield returns("multipartuploader.abort.pre.active-upload", None)
    if op.manner == "abort after complete" and type(locate(root, op.path[:-1])) is Dir:
        yield returns("multipartuploader.complete.post.upload-gone", None, effect=write)


_ABORTS = Quirk(
    "minio/abort-of-a-gone-upload-succeeds",
    "an upload that was aborted or completed can be aborted again",
    "multipartuploader.abort.pre.active-upload",
    "wrong error",
    "MinIO answers the abort of an upload that it does not have as done",
    "s3a/on-minio-aborts-an-upload-that-is-gone",
    UNTIL,
    (Step(MisuseUpload(("a",), contents.of(1, 5), "abort twice", ("b",))),),
    (MisuseUpload,),
    _aborts_again,
)

QUIRKS = (
    _marker("delete-that-empties-a-long-directory-fails", "delete", (Delete,), _deleted),
    _marker("rename-that-empties-a-long-directory-fails", "rename", (Rename, RenameWith), _renamed),
    _ABORTS,
)
