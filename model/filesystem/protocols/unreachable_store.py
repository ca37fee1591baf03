"""A call to a store that does not answer at its address. Source: introduction.md, "Networking Assumptions"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import Cases, Difference, gives, meaning
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_CASES

_NETWORK = "introduction.network.ioexception"


@operation
@dataclass(frozen=True, slots=True)
class CallNowhere(Operation):
    """A status is asked for by a client like this one whose store does not answer at its address.

    Returns facts ``nowhere``: ``error`` (the call raised something) and ``io`` (it was an IOException).
    """

    NAME: ClassVar[str] = "call to nowhere"


def _is_io(_root: State, _op: CallNowhere, value: Any) -> bool:
    return isinstance(value, Facts) and value.get("io") is True


def _differs(root: State, op: CallNowhere, value: Any) -> Difference | None:
    if not isinstance(value, Facts) or _is_io(root, op, value):
        return None
    return Difference(_NETWORK, "MUST", "another error than an IOException" if value.get("error") else "no error")


_MET = Cases(*COMMON_CASES)
_ANY_STATE = _MET.case("any state", _NETWORK, (gives(_NETWORK, "fail with an IOException", _is_io),))


@meaning(CallNowhere, _MET, differs=_differs)
def _classify(_root: State, _op: CallNowhere) -> int:
    return _ANY_STATE
