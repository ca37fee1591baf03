"""A close that fails for want of space, and the close after it.

Source: outputstream.md, "write(Stream, data)" for limits, and "Persisting data" for a close after one that failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, Difference, gives, meaning
from fsconform.model.filesystem.metadata.attribute_entries import unsupported
from fsconform.model.filesystem.options.attributes import SUPPORTS_QUOTAS
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output.stream_states import elsewhere, is_free
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.stream_answers import is_a, words_of
from fsconform.model.filesystem.stream_scripts import error_of
from fsconform.model.filesystem.validity import COMMON_CASES

if TYPE_CHECKING:
    from random import Random

_NO_RETRY = "outputstream.close.no-retry"
_RETHROW = "outputstream.close.rethrow"
_LIMIT = "outputstream.write.limit"
_YES = (SUPPORTS_QUOTAS, True)


@operation
@dataclass(frozen=True, slots=True)
class FailClose(Operation):
    """A file is written in a new directory beyond its quota of space, closed, closed again once the quota is gone.

    ``path`` is the directory. Returns facts ``failed close``: ``refused`` (what the first call raised that failed, done
    if none did), ``again`` (the answer of the second close), ``before`` and ``after`` (the length of the file
    before and after that, -1 where it is missing).
    """

    NAME: ClassVar[str] = "close beyond a quota"
    MUTATES: ClassVar[bool] = True
    path: Path


def _keeps(value: Any) -> Difference | None:
    """What the second close does wrong."""
    if not isinstance(value, Facts):
        return Difference(_NO_RETRY, "MUST NOT", "no facts")
    again = value.get("again")
    error = error_of(again) if isinstance(again, str) else None
    if value.get("after") != value.get("before"):
        return Difference(_NO_RETRY, "MUST NOT", "another attempt at writing the data")
    if again != "done" and not is_a(error, "IOException"):
        return Difference(_RETHROW, "MAY", f"{words_of(str(again))} from the close after one that failed")
    return None


def _refused(_root: State, _op: FailClose, value: Any) -> bool:
    refused = value.get("refused") if isinstance(value, Facts) else None
    return isinstance(refused, str) and is_a(error_of(refused), "IOException") and _keeps(value) is None


def _not_refused(_root: State, _op: FailClose, value: Any) -> bool:
    return isinstance(value, Facts) and _keeps(value) is None


def _differs(root: State, op: FailClose, value: Any) -> Difference | None:
    return _keeps(value) if is_free(root, op.path) else None


_MET = Cases(*COMMON_CASES)
_FREE = _MET.case(
    "a free path",
    _NO_RETRY,
    (
        gives(
            _NO_RETRY,
            "refuse what is beyond the quota, and never write it again",
            _refused,
            _YES,
            level="MUST NOT",
            also=(_RETHROW, _LIMIT),
        ),
        gives(_LIMIT, "raise IOException", _not_refused, _YES, level="SHOULD", deviates=True),
        unsupported(SUPPORTS_QUOTAS),
    ),
)
_ELSEWHERE = _MET.add(elsewhere(clause.PATH_CHANGED_WRITES))


@meaning(FailClose, _MET, differs=_differs)
def _classify(root: State, op: FailClose) -> int:
    return _FREE if is_free(root, op.path) else _ELSEWHERE


@drawn(FailClose)
def _draw(draft: Draft, _dice: Random, _path: Path) -> FailClose:
    return FailClose(draft.aside())
