"""access. The specification has no section on it: source is introduction.md, "Operations and failures"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, any_way, drawn
from fsconform.model.core.operation import Operation, brief, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, meaning, raises, returns, runtime_instead
from fsconform.model.filesystem.refusals import EXCEPTIONS, UNIMPLEMENTED, UNSUPPORTED
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


@operation
@dataclass(frozen=True, slots=True)
class Access(Operation):
    """``access(path, mode)``; ``mode`` is of letters r, w and x."""

    NAME: ClassVar[str] = "access"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    mode: str
    via: str = ""

    def check(self) -> None:
        """Raise ValueError for a mode that is not of these letters."""
        if not set(self.mode) <= set("rwx"):
            raise ValueError(f"mode of {self.NAME} is {brief(self.mode)}: write letters of rwx")


_MET = Cases(*COMMON_CASES)
# Whether the caller is a superuser, whom nothing is denied, the program can't know.
_EXISTING = _MET.case(
    "existing", UNSUPPORTED, (returns(UNSUPPORTED, None), raises(UNSUPPORTED, "IOException"), UNIMPLEMENTED)
)
_MISSING = _MET.case(
    "missing",
    EXCEPTIONS,
    (
        *runtime_instead((raises(EXCEPTIONS, "IOException", level="SHOULD"),)),
        returns(EXCEPTIONS, None, level="SHOULD", deviates=True),
        UNIMPLEMENTED,
    ),
)


@meaning(Access, _MET)
def _classify(root: State, op: Access) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (_EXISTING if isinstance(node, File | Dir) else _MISSING)


@drawn(Access)
def _draw(_draft: Draft, dice: Random, path: Path) -> Access:
    return Access(path, dice.choice(("r", "w", "x", "rwx")), any_way(Access, dice))
