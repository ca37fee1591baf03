"""A store on which a file without bytes is a directory: what its contract says so changes in the model.

Such a store keeps names with bytes alone, and takes a name without bytes for a directory. So what is created without
bytes is a directory once it is closed, and a directory that is opened as a file has no bytes.
"""

from __future__ import annotations

from dataclasses import replace

from immutables import Map

from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input import readers as open_readers
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_file import OpenFile, OpenInStages
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadStream
from fsconform.model.filesystem.options.core import EMPTY_FILES_ARE_DIRECTORIES
from fsconform.model.filesystem.output.writers import live
from fsconform.model.filesystem.rules.rule import RULES, Rule
from fsconform.model.filesystem.state import EMPTY_DIR, Dir, File, Reader, State, locate, put, walk

_OPENING = (Open, ReadStream, OpenReader, OpenFile, OpenInStages)
"""The operations that open a path to be read."""

_NAME = "file"
_ALONE = State(Dir(Map({_NAME: File(())})))


def _as_directories(root: State) -> State:
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


def _as_file(root: State, operation: Operation) -> tuple[State, Operation, State] | None:
    """A directory that is opened to be read is judged as a file without bytes, which stands alone."""
    if not isinstance(operation, _OPENING) or type(locate(root, operation.path)) is not Dir:
        return None
    after = root
    if isinstance(operation, OpenReader):
        # Of a stream that stays open nothing is known.
        after = open_readers.kept(root, operation.stream, Reader(operation.path, None))
    return _ALONE, replace(operation, path=(_NAME,)), after


RULES.append(Rule(when=(EMPTY_FILES_ARE_DIRECTORIES, True), after=_as_directories, seen_as=_as_file))
