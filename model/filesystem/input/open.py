"""open, and reading to the end of the file.

Source: filesystem.md, "FSDataInputStream open(Path f, int bufferSize)"; introduction.md, "Consistency".
"""

from __future__ import annotations

from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Data
from fsconform.model.filesystem.branches import Case, Meaning, gives, raises, runtime_instead
from fsconform.model.filesystem.operations import Open
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_OPEN = "filesystem.open"


def _right_data(root: State, op: Open, data: object) -> bool:
    node = locate(root, op.path)
    assert type(node) is File
    if not isinstance(data, Data) or data.length != contents.length(node.content):
        return False
    digest = contents.digest(node.content)
    return digest is None or digest == data.digest


def _classify(root: State, op: Open) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (8 if type(node) is File else 4)


OPEN = Meaning(
    Open,
    (
        *COMMON_CASES,
        Case(
            "not a file",
            f"{_OPEN}.pre.is-file",
            runtime_instead(
                (
                    raises(f"{_OPEN}.pre.is-file", "FileNotFoundException"),
                    raises(f"{_OPEN}.pre.is-file", "IOException"),
                )
            ),
        ),
        Case("file", f"{_OPEN}.post", (gives(f"{_OPEN}.post", "the bytes of the file", _right_data),)),
    ),
    _classify,
)
