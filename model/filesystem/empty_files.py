"""A store on which a file without bytes is a directory: what its contract says so changes in the model.

Such a store keeps names with bytes alone, and takes a name without bytes for a directory. So what is created without
bytes is a directory once it is closed, and a directory that is opened as a file has no bytes. Nothing of this is
inferred: it holds under a contract that declares it.
"""

from __future__ import annotations

from dataclasses import replace

from immutables import Map

from fsconform.model.core import content as contents
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch
from fsconform.model.filesystem.contract import EMPTY_FILES_ARE_DIRECTORIES
from fsconform.model.filesystem.input import readers as open_readers
from fsconform.model.filesystem.operations import Open, Operation
from fsconform.model.filesystem.operations.changes import OpenFile, OpenInStages
from fsconform.model.filesystem.operations.streams import OpenReader, ReadStream
from fsconform.model.filesystem.output.writers import live
from fsconform.model.filesystem.state import EMPTY_DIR, Dir, File, locate, put, walk

OPENING = (Open, ReadStream, OpenReader, OpenFile, OpenInStages)
"""The operations that open a path to be read."""

_NAME = "file"
_ALONE = Dir(Map({_NAME: File(())}))


def declared(branch: Branch) -> Branch:
    """The branch as one that the option alone allows."""
    return replace(branch, when=(*branch.when, (EMPTY_FILES_ARE_DIRECTORIES, True)), departs=True)


def as_directories(root: Dir) -> Dir:
    """The state in which each file without bytes is a directory; ``root`` itself where there is none.

    What a stream writes that is open has no bytes yet, and stays a file.
    """
    written: set[Path] | None = None
    for path, node in walk(root):
        if type(node) is File and not contents.length(node.content):
            if written is None:
                written = {one.path for _, one in live(root)}
            if path not in written:
                root = put(root, path, EMPTY_DIR)
    return root


def as_file(root: Dir, operation: Operation) -> tuple[Dir, Operation] | None:
    """Where a directory is opened to be read: a state with a file without bytes alone, and the same call on that."""
    if isinstance(operation, OPENING) and type(locate(root, operation.path)) is Dir:
        return _ALONE, replace(operation, path=(_NAME,))
    return None


def opened(root: Dir, operation: Operation) -> Dir:
    """The state after a directory was opened as a file; of a stream that stays open nothing is known."""
    if isinstance(operation, OpenReader):
        return open_readers.kept(root, operation.stream, open_readers.Reader(operation.path, None))
    return root
