"""msync. Source: filesystem.md, "void msync()"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation, operation
from fsconform.model.filesystem.branches import Cases, meaning, raises, returns
from fsconform.model.filesystem.options.metadata import SUPPORTS_MSYNC
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_CASES

_MSYNC = "filesystem.msync"


@operation
@dataclass(frozen=True, slots=True)
class Msync(Operation):
    """``msync()``."""

    NAME: ClassVar[str] = "msync"


_MET = Cases(*COMMON_CASES)
_ANY_STATE = _MET.case(
    "any state",
    f"{_MSYNC}.unsupported",
    (
        raises(f"{_MSYNC}.unsupported", "UnsupportedOperationException", (SUPPORTS_MSYNC, False)),
        returns(f"{_MSYNC}.post", None, (SUPPORTS_MSYNC, True)),
    ),
)


@meaning(Msync, _MET)
def _classify(_root: State, _op: Msync) -> int:
    return _ANY_STATE
