"""What opening a stream to write meets: what create and append meet, the stream being left open.

Source: filesystem.md, create and append; outputstream.md.
"""

from __future__ import annotations

from dataclasses import replace

from fsconform.model.core import content as contents
from fsconform.model.filesystem.branches import ANY, MEANINGS, Case, Cases, lost, meaning, returns
from fsconform.model.filesystem.namespace.append import Append, extend
from fsconform.model.filesystem.namespace.create import Create, rewrite, write
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.open_writer import UNCHECKED, OpenWriter
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES

_LOWEST = 1
_COMMON = (_LOWEST << COMMON_BITS) - 1


def _begin(root: State, op: OpenWriter) -> State:
    return streams.begun(root, op.stream, op.path, op.mode, op.via == UNCHECKED)


def _late(root: State, op: OpenWriter) -> State:
    return streams.changed(streams.begun(root, op.stream, op.path, op.mode), op.stream, phase="astray")


def _opening(case: Case) -> Case:
    """A case of create or append, the stream being left open."""
    begins = (write, rewrite, extend)
    return replace(
        case, branches=tuple(replace(one, effect=_begin) if one.effect in begins else one for one in case.branches)
    )


_DELAYED = (CREATE_VISIBILITY_DELAYED, True)


def _with_late_check(case: Case) -> Case:
    late = returns(clause.LATE_CHECK, None, _DELAYED, effect=_late, level="MAY")
    return replace(case, branches=(*case.branches, late)) if case.name == "file, not to be overwritten" else case


def _once_closed(case: Case) -> Case:
    """The case of a file that was written by a stream of the program before."""
    branches = (
        replace(one, clause=clause.LEASE, level="MUST") if one.effect is _begin else one for one in case.branches
    )
    return Case(f"{case.name}, once its stream is closed", clause.LEASE, tuple(branches))


_CREATING = tuple(_with_late_check(_opening(case)) for case in MEANINGS[Create].cases[COMMON_BITS:])
_APPENDING = tuple(map(_opening, MEANINGS[Append].cases[COMMON_BITS:]))
_MET = Cases(*COMMON_CASES)
_CREATES = [_MET.add(case) for case in _CREATING]
_APPENDS = [_MET.add(case) for case in _APPENDING]
_CREATES_AGAIN = [_MET.add(_once_closed(case)) for case in _CREATING]
_APPENDS_AGAIN = [_MET.add(_once_closed(case)) for case in _APPENDING]
_TAKEN = _MET.case(
    "a name that is taken",
    clause.PATH_CHANGED_WRITES,
    (returns(clause.PATH_CHANGED_WRITES, ANY, effect=lost, level="UNDEFINED"),),
)


@meaning(OpenWriter, _MET)
def _classify(root: State, op: OpenWriter) -> int:
    if root.writers.get(op.stream) is not None:
        return _TAKEN
    again = any(one.path == op.path and one.phase == "closed" for one in root.writers.values())
    again = again and type(locate(root, op.path)) is File
    if op.mode == "append":
        found = MEANINGS[Append].classify(root, Append(op.path, contents.EMPTY))
        bits = _APPENDS_AGAIN if again else _APPENDS
    else:
        found = MEANINGS[Create].classify(root, Create(op.path, contents.EMPTY, op.mode == "overwrite"))
        bits = _CREATES_AGAIN if again else _CREATES
    own = sum(bit for number, bit in enumerate(bits, COMMON_BITS) if found >> number & _LOWEST)
    return found & _COMMON | own
