"""getEnclosingRoot. Source: filesystem.md, "Path getEnclosingRoot(Path p)"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core.drawing import drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, Difference, below_a_file, gives, meaning
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, lenient_bits

_ENCLOSING = "filesystem.getEnclosingRoot"
_OF_ROOTS = tuple(f"{_ENCLOSING}.post.{name}" for name in ("ancestor", "directory", "idempotent", "default"))


@operation
@dataclass(frozen=True, slots=True)
class GetEnclosingRoot(Operation):
    """``getEnclosingRoot(path)``.

    Returns facts ``enclosing root``: directory, above (true if it is the path or an ancestor), again (true if it is its
    own enclosing root).
    """

    NAME: ClassVar[str] = "getEnclosingRoot"
    path: Path


def _differs(_root: State, _op: GetEnclosingRoot, value: Any) -> Difference | None:
    if not isinstance(value, Facts):
        return Difference(f"{_ENCLOSING}.post.default", "MUST", "no path")
    if value.get("above") is not True:
        return Difference(f"{_ENCLOSING}.post.ancestor", "MUST", "neither the path nor an ancestor")
    if value.get("directory") is not True:
        return Difference(f"{_ENCLOSING}.post.directory", "MUST", "what is no directory")
    if value.get("again") is False:
        return Difference(f"{_ENCLOSING}.post.idempotent", "MUST", "a root with another enclosing root")
    return None


def _encloses(root: State, op: GetEnclosingRoot, value: Any) -> bool:
    return _differs(root, op, value) is None


_EXPECTED = "the path, or a directory above it"

_MET = Cases(*COMMON_CASES)
_EXISTING = _MET.case(
    "existing",
    f"{_ENCLOSING}.post.ancestor",
    (gives(f"{_ENCLOSING}.post.ancestor", _EXPECTED, _encloses, also=_OF_ROOTS[1:]),),
)
_MISSING = _MET.case(
    "missing",
    f"{_ENCLOSING}.missing",
    (gives(f"{_ENCLOSING}.missing", _EXPECTED, _encloses, also=_OF_ROOTS),),
)
# What is below a file can't come to exist: this case may fail beside "missing", and answer beside it.
_BELOW_FILE = _MET.add(below_a_file(f"{_ENCLOSING}.missing"))


@meaning(GetEnclosingRoot, _MET, differs=_differs)
def _classify(root: State, op: GetEnclosingRoot) -> int:
    node = locate(root, op.path)
    found = lenient_bits(op.path, node) | (_EXISTING if isinstance(node, File | Dir) else _MISSING)
    return found | (_BELOW_FILE if node is UNDER_FILE else 0)


drawn_plainly(GetEnclosingRoot)
