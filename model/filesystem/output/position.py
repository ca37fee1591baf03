"""Where an output stream is.

Source: FSDataOutputStream.getPos (Javadoc); outputstream.md, "Output Stream Model" and the states after create and
append: a stream's buffer is what the file will hold, also of a file that is appended to, and the next byte goes to its
end. HDFS counts so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import ANY, Case, Cases, Difference, gives, meaning, raises, returns
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output.open_writer import drawn_on_stream
from fsconform.model.filesystem.output.stream_states import ASTRAY, phase
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_CASES

if TYPE_CHECKING:
    from random import Random


@operation
@dataclass(frozen=True, slots=True)
class WriterPosition(Operation):
    """``getPos()`` of an output stream. Returns facts ``position``: ``at``, in bytes."""

    NAME: ClassVar[str] = "getPos of a stream"
    stream: str


def _is_there(root: State, op: WriterPosition, value: Any) -> bool:
    return isinstance(value, Facts) and value.get("at") == root.writers[op.stream].length


def _differs(root: State, op: WriterPosition, value: Any) -> Difference | None:
    if phase(root, op.stream) or not isinstance(value, Facts):
        return None
    one, at = root.writers[op.stream], value.get("at")
    if one.held and at == one.length - one.held:
        return Difference(clause.POSITION, "MUST", "a position that leaves out what is appended to")
    return Difference(clause.POSITION, "MUST", "another position")


def _free(name: str) -> Case:
    broken = clause.POSITION_CLOSED
    anything = (returns(broken, ANY, level="UNDEFINED"), raises(broken, "Throwable", level="UNDEFINED"))
    return Case(name, broken, anything)


_MET = Cases(*COMMON_CASES)
_APPENDING = _MET.case("a stream that appends", clause.POSITION, (gives(clause.POSITION, "where it is", _is_there),))
_OPEN = _MET.case("an open stream", clause.POSITION, (gives(clause.POSITION, "where it is", _is_there),))
_BY_PHASE = _OPEN, _MET.add(_free("a closed stream")), _MET.add(_free("an aborted stream")), _MET.add(ASTRAY)


@meaning(WriterPosition, _MET, differs=_differs, derived=True)
def _classify(root: State, op: WriterPosition) -> int:
    met = phase(root, op.stream)
    return _APPENDING if not met and root.writers[op.stream].appends else _BY_PHASE[met]


@drawn_on_stream(WriterPosition)
def _draw(_draft: Draft, _dice: Random, name: str) -> WriterPosition:
    return WriterPosition(name)
