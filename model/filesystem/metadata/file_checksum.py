"""getFileChecksum. The specification has no section on it: source is introduction.md, "Operations and failures"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core.drawing import drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, gives, meaning, raises, returns, runtime_instead
from fsconform.model.filesystem.refusals import EXCEPTIONS, UNIMPLEMENTED, UNSUPPORTED
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits


@operation
@dataclass(frozen=True, slots=True)
class GetFileChecksum(Operation):
    """``getFileChecksum(path)``, via length that of its first half.

    Returns facts ``checksum``: algorithm, bytes; or nothing for null.
    """

    NAME: ClassVar[str] = "getFileChecksum"
    VIAS: ClassVar[tuple[str, ...]] = (
        "length",
        "context",
    )
    path: Path
    via: str = ""


def _is_checksum(_root: State, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts) and value.kind == "checksum"


_GIVEN = (
    gives(UNSUPPORTED, "a checksum", _is_checksum),
    returns(UNSUPPORTED, None, expected="give none"),
    UNIMPLEMENTED,
)

_MET = Cases(*COMMON_CASES)
_FILE = _MET.case("file", UNSUPPORTED, _GIVEN)
_NO_FILE = _MET.case(
    "no file",
    EXCEPTIONS,
    (*runtime_instead((raises(EXCEPTIONS, "IOException", level="SHOULD"),)), *_GIVEN),
)


@meaning(GetFileChecksum, _MET)
def _classify(root: State, op: GetFileChecksum) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (_FILE if type(node) is File else _NO_FILE)


drawn_plainly(GetFileChecksum)
