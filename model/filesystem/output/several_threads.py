"""Streams that several threads use, and closes that fail.

Source: outputstream.md, "Concurrency", "write(Stream, data)" for limits, and "Persisting data" for a close after one
that failed.
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import ANY, Case, Difference, Meaning, gives, lost, raises, returns
from fsconform.model.filesystem.input.rules import is_a, words_of
from fsconform.model.filesystem.input.scripts import error_of
from fsconform.model.filesystem.metadata.attribute_entries import unsupported
from fsconform.model.filesystem.operations.mishaps import FailClose, WriteTogether
from fsconform.model.filesystem.options.attributes import SUPPORTS_QUOTAS
from fsconform.model.filesystem.output.phases import answer
from fsconform.model.filesystem.state import MISSING, State, locate
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES, flags

_SAFE = "outputstream.thread-safe"
_NO_RETRY = "outputstream.close.no-retry"
_RETHROW = "outputstream.close.rethrow"
_LIMIT = "outputstream.write.limit"

_MET, _ELSE = 1 << COMMON_BITS, 1 << COMMON_BITS + 1


def _classify(root: State, op: WriteTogether | FailClose) -> int:
    return _MET if locate(root, op.path) is MISSING and not flags(op.path) else _ELSE


def _elsewhere(broken: str) -> Case:
    # Only a free path of a plain name in a directory is asked of.
    return Case(
        "another place",
        broken,
        (
            returns(broken, ANY, effect=lost, level="UNDEFINED"),
            raises(broken, "Throwable", level="UNDEFINED"),
        ),
    )


def _is_whole(_root: State, _op: WriteTogether, value: Any) -> bool:
    if not isinstance(value, Facts) or answer(value) != "done":
        return False
    return value.get("whole") == value.get("writes") == value.get("length")


def _is_told(_root: State, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts)


WRITE_TOGETHER = Meaning(
    WriteTogether,
    (
        *COMMON_CASES,
        Case(
            "two threads",
            _SAFE,
            (
                gives(_SAFE, "each write in one piece, and none lost", _is_whole, level="SHOULD"),
                gives(_SAFE, "each write in one piece, and none lost", _is_told, level="SHOULD", deviates=True),
            ),
        ),
        _elsewhere("outputstream.concurrent.path-changed-writes"),
    ),
    _classify,
)


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
    return _keeps(value) if _classify(root, op) == _MET else None


_YES = (SUPPORTS_QUOTAS, True)

FAIL_CLOSE = Meaning(
    FailClose,
    (
        *COMMON_CASES,
        Case(
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
        ),
        _elsewhere("outputstream.concurrent.path-changed-writes"),
    ),
    _classify,
    _differs,
)

MEANINGS: tuple[Meaning, ...] = (WRITE_TOGETHER, FAIL_CLOSE)
