"""resolvePath. The specification has no section on it: source is introduction.md, "Operations and failures"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core.drawing import drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, meaning, raises, runtime_instead
from fsconform.model.filesystem.refusals import UNSUPPORTED, answers
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits


@operation
@dataclass(frozen=True, slots=True)
class ResolvePath(Operation):
    """``resolvePath(path)``. Returns facts ``path`` with ``path``."""

    NAME: ClassVar[str] = "resolvePath"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    via: str = ""


def _is_path(_root: State, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts) and isinstance(value.get("path"), str)


_MET = Cases(*COMMON_CASES)
_EXISTING = _MET.case("existing", UNSUPPORTED, answers("a path", _is_path))
_MISSING = _MET.case(
    "missing", UNSUPPORTED, (*answers("a path", _is_path), *runtime_instead((raises(UNSUPPORTED, "IOException"),)))
)


@meaning(ResolvePath, _MET)
def _classify(root: State, op: ResolvePath) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (_EXISTING if isinstance(node, File | Dir) else _MISSING)


drawn_plainly(ResolvePath)
