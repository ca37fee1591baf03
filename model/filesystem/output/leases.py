"""Leases: whether a file is closed, and the recovery of one that a writer left open. Source: leaserecoverable.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import ANY, Branch, Cases, Difference, gives, meaning, raises, returns
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.open_writer import path_of_a_stream
from fsconform.model.filesystem.state import Absence, Dir, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


@operation
@dataclass(frozen=True, slots=True)
class RecoverLease(Operation):
    """``recoverLease(path)``, again and again until it returns true, or for a while.

    Returns facts ``recovery``: ``first`` (what the first call returned), ``closed`` (isFileClosed after it) and
    ``finally`` (what the last call returned).
    """

    NAME: ClassVar[str] = "recoverLease"
    MUTATES: ClassVar[bool] = True
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class IsFileClosed(Operation):
    """``isFileClosed(path)``."""

    NAME: ClassVar[str] = "isFileClosed"
    path: Path


def _recovered(root: State, op: RecoverLease) -> State:
    """The file is closed, with what of its data was saved; its streams are of no use."""
    for name, one in streams.live(root):
        if one.path == op.path:
            root = streams.changed(root, name, phase="recovered")
    return root


def is_recovery(value: object) -> bool:
    """Whether the value of a recoverLease says that the lease was ended: not that it was before the file was closed."""
    if not isinstance(value, Facts) or value.get("finally") is not True:
        return False
    return value.get("first") is not True or value.get("closed") is True


def _recovers(_root: State, _op: Any, value: Any) -> bool:
    return is_recovery(value)


def _closed_already(_root: State, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts) and value.get("first") is True


_Phase = Literal["directory", "missing", "closed", "being written", "a file that nothing is known of"]


def _phase(root: State, path: Path) -> _Phase:
    node = locate(root, path)
    if streams.is_met(root, (path,)):
        phases = {one.phase for _, one in streams.live(root) if one.path == path}
        if phases == {"open"}:
            return "being written"
        return "closed" if phases == {"recovered"} else "a file that nothing is known of"
    return "missing" if isinstance(node, Absence) else "directory" if isinstance(node, Dir) else "closed"


def _differs(root: State, op: RecoverLease, value: Any) -> Difference | None:
    phase = _phase(root, op.path)
    if not isinstance(value, Facts) or phase not in ("being written", "closed"):
        return None
    if phase == "closed":
        return Difference(clause.RECOVER_CLOSED, "MUST", "false for a file that is closed")
    if value.get("finally") is not True:
        return Difference(clause.RECOVERY, "MUST", "false for ever")
    return Difference(clause.RECOVER_UNFINISHED, "MUST", "true, though the file is open still")


def _enter(
    kind: type[RecoverLease | IsFileClosed],
    of_directory: str,
    of_closed: str,
    closed: Branch,
    written: Branch,
    differs: Any = None,
    derived: bool = False,
) -> None:
    """Enter what a call on leases means, by the clauses of a directory and of a closed file, and what others answer."""
    met = Cases(*COMMON_CASES)
    unknown = clause.PATH_CHANGED_WRITES
    cases: dict[_Phase, int] = {
        "directory": met.case("directory", of_directory, (raises(of_directory, "IOException"),)),
        # The document is silent on it; stores raise, or say that nobody has it open.
        "missing": met.case("missing", of_closed, (raises(of_closed, "IOException"), returns(of_closed, ANY))),
        "closed": met.case("closed", of_closed, (closed,)),
        "being written": met.case("being written", written.clause, (written,)),
        "a file that nothing is known of": met.case(
            "a file that nothing is known of",
            unknown,
            (returns(unknown, ANY, level="UNDEFINED"), raises(unknown, "Throwable", level="UNDEFINED")),
        ),
    }

    @meaning(kind, met, differs=differs, derived=derived)
    def _classify(root: State, op: RecoverLease | IsFileClosed) -> int:
        known = 0 if streams.is_met(root, (op.path,)) else bits(op.path, locate(root, op.path))
        return known | cases[_phase(root, op.path)]


_enter(
    RecoverLease,
    clause.RECOVER_DIRECTORY,
    clause.RECOVER_CLOSED,
    gives(clause.RECOVER_CLOSED, "return true", _closed_already),
    gives(
        clause.RECOVERY,
        "end the lease, and return true once that is done",
        _recovers,
        effect=_recovered,
        also=(clause.RECOVER_UNFINISHED,),
    ),
    differs=_differs,
)
_enter(
    IsFileClosed,
    clause.CLOSED_DIRECTORY,
    clause.CLOSED_CLOSED,
    returns(clause.CLOSED_CLOSED, True),
    returns(clause.CLOSED_OPEN, False, also=(clause.CLOSED_UNCHANGED,)),
    derived=True,
)


@drawn(RecoverLease)
def _draw_recovery(draft: Draft, dice: Random, path: Path) -> RecoverLease:
    return RecoverLease(path_of_a_stream(draft, dice, path))


@drawn(IsFileClosed)
def _draw_question(draft: Draft, dice: Random, path: Path) -> IsFileClosed:
    return IsFileClosed(path_of_a_stream(draft, dice, path))
