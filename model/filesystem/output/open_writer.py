"""A stream is opened to write a file, and meets what create and append meet; and how calls on such streams are drawn.

Source: outputstream.md; filesystem.md, create and append.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.drawing import MAKERS, Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import ANY, MEANINGS, Case, Cases, lost, meaning, returns
from fsconform.model.filesystem.namespace.append import Append, extend
from fsconform.model.filesystem.namespace.create import Create, rewrite, write
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_BITS, COMMON_CASES, INVALID, INVALID_CASE, ODD, ODD_CASE

if TYPE_CHECKING:
    from random import Random

MODES = ("create", "overwrite", "append")
"""How a file is opened to be written: ``create(path, false)``, ``create(path, true)``, ``append(path)``."""

UNCHECKED = "unchecked"
"""The way by which a stream is opened that writes no checksums."""


@operation
@dataclass(frozen=True, slots=True)
class OpenWriter(Operation):
    """A stream is opened to write a file, by one of ``MODES``; via builder by createFile or appendFile.

    Via unchecked by a client that writes no checksums: ``setWriteChecksum(false)`` comes before it.
    """

    NAME: ClassVar[str] = "open to write"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("builder", UNCHECKED)
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"mode": MODES}
    path: Path
    stream: str
    mode: str
    via: str = ""


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


_CREATING = {case: _with_late_check(_opening(case)) for case in MEANINGS[Create].cases[COMMON_BITS:]}
_APPENDING = {case: _opening(case) for case in MEANINGS[Append].cases[COMMON_BITS:]}
_MET = Cases(*COMMON_CASES)
_COMMON = {INVALID_CASE: INVALID, ODD_CASE: ODD}
_CREATES = _COMMON | {case: _MET.add(opening) for case, opening in _CREATING.items()}
_APPENDS = _COMMON | {case: _MET.add(opening) for case, opening in _APPENDING.items()}
_CREATES_AGAIN = _COMMON | {case: _MET.add(_once_closed(opening)) for case, opening in _CREATING.items()}
_APPENDS_AGAIN = _COMMON | {case: _MET.add(_once_closed(opening)) for case, opening in _APPENDING.items()}
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
    call: Append | Create = Append(op.path, contents.EMPTY)
    own = _APPENDS_AGAIN if again else _APPENDS
    if op.mode != "append":
        call = Create(op.path, contents.EMPTY, op.mode == "overwrite")
        own = _CREATES_AGAIN if again else _CREATES
    return sum(own[case] for case in MEANINGS[type(call)].met(root, call))


_ENDED = 2
"""Of eight calls, how many are on a stream that was closed or aborted, where there is one."""

_EIGHTHS = 8


@drawn(OpenWriter)
def _draw(draft: Draft, dice: Random, path: Path) -> OpenWriter:
    known = draft.state.writers if draft.state is not None else {}
    name = f"w{sum(not one.startswith(' ') for one in known) + 1}"
    way = dice.randrange(2 * _EIGHTHS)
    via = "builder" if way < 2 else UNCHECKED if way == 2 else ""
    return OpenWriter(path, name, dice.choice(MODES), via)


def path_of_a_stream(draft: Draft, dice: Random, path: Path) -> Path:
    """The path of a stream that writes, or wrote, more often than another one."""
    known = sorted(one.path for one in draft.state.writers.values()) if draft.state is not None else []
    return dice.choice(known) if known and dice.randrange(_EIGHTHS) < 6 else path


OnStream = Callable[[Draft, "Random", str], Operation]
"""From a draft, dice and the name of a stream to an operation."""


def drawn_on_stream(kind: type[Operation]) -> Callable[[OnStream], OnStream]:
    """Enter how a call on a stream is drawn: mostly on one that is open; without any, one is opened. A decorator."""

    def enter(make: OnStream) -> OnStream:
        def maker(draft: Draft, dice: Random, path: Path) -> Operation:
            known = draft.state.writers if draft.state is not None else {}
            names = {name: one for name, one in known.items() if not name.startswith(" ")}
            opened = sorted(name for name, one in names.items() if one.phase == "open")
            ended = sorted(names.keys() - set(opened))
            if ended and (not opened or dice.randrange(_EIGHTHS) < _ENDED):
                opened = ended
            return make(draft, dice, dice.choice(opened)) if opened else _draw(draft, dice, path)

        MAKERS[kind] = maker
        return make

    return enter
