"""Where an output stream is.

Source: FSDataOutputStream.getPos (Javadoc); outputstream.md, "Output Stream Model" and the states after create and
append: a stream's buffer is what the file will hold, also of a file that is appended to, and the next byte goes to its
end. HDFS counts so.
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import ANY, Case, Difference, Meaning, gives, raises, returns
from fsconform.model.filesystem.operations.writers import WriterPosition
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output.phases import ASTRAY, by_phase, phase
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_CASES


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


POSITION = Meaning(
    WriterPosition,
    (
        *COMMON_CASES,
        Case("a stream that appends", clause.POSITION, (gives(clause.POSITION, "where it is", _is_there),)),
        Case("an open stream", clause.POSITION, (gives(clause.POSITION, "where it is", _is_there),)),
        _free("a closed stream"),
        _free("an aborted stream"),
        ASTRAY,
    ),
    lambda root, op: by_phase(lambda _: root.writers[op.stream].appends, lambda _: True)(root, op),
    _differs,
    derived=True,
)

MEANINGS: tuple[Meaning, ...] = (POSITION,)
