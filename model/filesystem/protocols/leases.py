"""Leases: whether a file is closed, and the recovery of one that a writer left open. Source: leaserecoverable.md."""

from __future__ import annotations

from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import ANY, Case, Difference, Meaning, gives, raises, returns
from fsconform.model.filesystem.operations.writers import IsFileClosed, RecoverLease
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.state import Absence, Dir, locate
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES, bits

_DIRECTORY, _MISSING, _CLOSED, _OPEN, _FREE = (1 << COMMON_BITS + bit for bit in range(5))


def _classify(root: Dir, op: RecoverLease | IsFileClosed) -> int:
    node = locate(root, op.path)
    if streams.is_met(root, (op.path,)):
        phases = {one.phase for _, one in streams.live(root) if one.path == op.path}
        return _OPEN if phases == {"open"} else _CLOSED if phases == {"recovered"} else _FREE
    if isinstance(node, Absence):
        return bits(op.path, node) | _MISSING
    return bits(op.path, node) | (_DIRECTORY if isinstance(node, Dir) else _CLOSED)


def _recovered(root: Dir, op: RecoverLease) -> Dir:
    """The file is closed, with what of its data was saved; its streams are of no use."""
    for name, one in streams.live(root):
        if one.path == op.path:
            root = streams.changed(root, name, phase="recovered")
    return root


def _recovers(_root: Dir, _op: Any, value: Any) -> bool:
    if not isinstance(value, Facts) or value.get("finally") is not True:
        return False
    return value.get("first") is not True or value.get("closed") is True


def _closed_already(_root: Dir, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts) and value.get("first") is True


def _differs(root: Dir, op: RecoverLease, value: Any) -> Difference | None:
    met = _classify(root, op)
    if not isinstance(value, Facts) or not met & (_OPEN | _CLOSED):
        return None
    if met & _CLOSED:
        return Difference(clause.RECOVER_CLOSED, "MUST", "false for a file that is closed")
    if value.get("finally") is not True:
        return Difference(clause.RECOVERY, "MUST", "false for ever")
    return Difference(clause.RECOVER_UNFINISHED, "MUST", "true, though the file is open still")


def _missing(broken: str) -> Case:
    # The document is silent on it; stores raise, or say that nobody has it open.
    return Case("missing", broken, (raises(broken, "IOException"), returns(broken, ANY)))


def _free(broken: str) -> Case:
    return Case(
        "a file that nothing is known of",
        broken,
        (returns(broken, ANY, level="UNDEFINED"), raises(broken, "Throwable", level="UNDEFINED")),
    )


RECOVER_LEASE = Meaning(
    RecoverLease,
    (
        *COMMON_CASES,
        Case("directory", clause.RECOVER_DIRECTORY, (raises(clause.RECOVER_DIRECTORY, "IOException"),)),
        _missing(clause.RECOVER_CLOSED),
        Case("closed", clause.RECOVER_CLOSED, (gives(clause.RECOVER_CLOSED, "return true", _closed_already),)),
        Case(
            "being written",
            clause.RECOVERY,
            (
                gives(
                    clause.RECOVERY,
                    "end the lease, and return true once that is done",
                    _recovers,
                    effect=_recovered,
                    also=(clause.RECOVER_UNFINISHED,),
                ),
            ),
        ),
        _free(clause.PATH_CHANGED_WRITES),
    ),
    _classify,
    _differs,
)

IS_FILE_CLOSED = Meaning(
    IsFileClosed,
    (
        *COMMON_CASES,
        Case("directory", clause.CLOSED_DIRECTORY, (raises(clause.CLOSED_DIRECTORY, "IOException"),)),
        _missing(clause.CLOSED_CLOSED),
        Case("closed", clause.CLOSED_CLOSED, (returns(clause.CLOSED_CLOSED, True),)),
        Case(
            "being written", clause.CLOSED_OPEN, (returns(clause.CLOSED_OPEN, False, also=(clause.CLOSED_UNCHANGED,)),)
        ),
        _free(clause.PATH_CHANGED_WRITES),
    ),
    _classify,
    derived=True,
)

MEANINGS: tuple[Meaning, ...] = (RECOVER_LEASE, IS_FILE_CLOSED)
