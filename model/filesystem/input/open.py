"""open, and reading to the end of the file.

Source: filesystem.md, "FSDataInputStream open(Path f, int bufferSize)"; introduction.md, "Consistency".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core.content import is_of
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, gives, meaning, raises, runtime_instead
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_OPEN = "filesystem.open"


@operation
@dataclass(frozen=True, slots=True)
class Open(Operation):
    """``open(path)``, read to the end, close."""

    NAME: ClassVar[str] = "open"
    VIAS: ClassVar[tuple[str, ...]] = ("buffer", "builder", "builder and status", "builder and length", "context")
    path: Path
    via: str = ""


def right_data(root: State, op: Any, data: object) -> bool:
    """True if what was read is the file's bytes."""
    node = locate(root, op.path)
    return type(node) is File and is_of(node.content, data)


_MET = Cases(*COMMON_CASES)
_NO_FILE = _MET.case(
    "not a file",
    f"{_OPEN}.pre.is-file",
    runtime_instead(
        (raises(f"{_OPEN}.pre.is-file", "FileNotFoundException"), raises(f"{_OPEN}.pre.is-file", "IOException"))
    ),
)
_FILE = _MET.case("file", f"{_OPEN}.post", (gives(f"{_OPEN}.post", "the bytes of the file", right_data),))


@meaning(Open, _MET)
def _classify(root: State, op: Open) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (_FILE if type(node) is File else _NO_FILE)
