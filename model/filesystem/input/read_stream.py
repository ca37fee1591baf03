"""The meaning of a file that is read step by step.

Source: fsdatainputstream.md; filesystem.md, "FSDataInputStream open(Path f, int bufferSize)";
fsdatainputstreambuilder.md, "CompletableFuture build()". What an option bears on is a case of its own; where several
are met at once nothing is said of which of them a store takes, and all are allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

from fsconform.model.core import content as contents
from fsconform.model.core.option import Literal
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import (
    Branch,
    Case,
    Check,
    Difference,
    Level,
    Meaning,
    gives,
    raises,
    runtime_instead,
)
from fsconform.model.filesystem.input import clauses as clause
from fsconform.model.filesystem.input import readers as open_readers
from fsconform.model.filesystem.input.rules import LENIENT, STRICT, Departs, Rules
from fsconform.model.filesystem.input.scripts import Action, error_of, parse
from fsconform.model.filesystem.input.walk import Start, Walk
from fsconform.model.filesystem.operations.streams import ReadOn, ReadStream
from fsconform.model.filesystem.options.streams import (
    REJECTS_SEEK_PAST_EOF,
    SUPPORTS_POSITIONED_READABLE,
    SUPPORTS_SEEK,
    SUPPORTS_SEEK_ON_CLOSED_FILE,
    SUPPORTS_UNBUFFER,
    VECTOR_IO_EARLY_EOF_CHECK,
    VECTOR_IO_OVERLAPPING_RANGES,
)
from fsconform.model.filesystem.state import File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

KIND = "input stream"

AnyWalk = TypeVar("AnyWalk", bound=Walk)

_OPEN = "filesystem.open.pre.is-file"
_CHECK_TIME = "fsdatainputstreambuilder.build.check-time"
_WITHOUT_IO = "fsdatainputstreambuilder.post.calls-without-io"
_SEEKING = ("seek", "from")
_POSITIONED = ("pread", "readFully", "fill", "vectored")
_READING = ("read", "read into", "drain", *_SEEKING[1:], *_POSITIONED)

Verdict = tuple[Difference | None, tuple[Difference, ...], tuple[str, ...]]
"""What is wrong, what is wrong by a SHOULD only, and the clauses that were looked at."""


Script = ReadStream | ReadOn


def start_of(root: State, op: Script) -> Start | None:
    """The stream as a script finds it; None where there is no file, or nobody can tell of what the stream gives."""
    if isinstance(op, ReadStream):
        node = locate(root, op.path)
        return Start(node.content) if type(node) is File else None
    one = root.readers.get(op.stream)
    if one is None or one.file is None or open_readers.standing(root, one) != "same":
        return None
    return Start(one.file.content, one.pos, one.closed)


def answers_of(op: Script, value: object) -> tuple[str, ...] | None:
    """What was told of each action; None where that is not what facts of this kind are."""
    if not isinstance(value, Facts) or value.kind != KIND:
        return None
    told = [value.get(str(number)) for number in range(1, len(op.script) + 1)]
    return tuple(one for one in told if isinstance(one, str)) if all(isinstance(one, str) for one in told) else None


def walked(root: State, op: Script, value: object, make: Callable[[Start], AnyWalk]) -> AnyWalk | None:
    """The walk over a whole script with its answers, the close at its end included; None where there are no answers.

    ``make`` begins it. Raises Departs.
    """
    start, answers = start_of(root, op), answers_of(op, value)
    if start is None or answers is None or not isinstance(value, Facts):
        return None
    walk, last = make(start), value.get("close")
    walk.run(op.script, answers)
    if isinstance(last, str):
        walk.last_close(last)
    return walk


def verdict(root: State, op: Script, value: object, rules: Rules) -> Verdict:
    """Hold what was told of a script against it."""
    try:
        walk = walked(root, op, value, lambda start: Walk(start, rules))
    except Departs as wrong:
        return wrong.difference, (), ()
    if walk is None:
        return Difference(clause.LENGTH, "MUST", "no answers"), (), ()
    return None, tuple(walk.soft), tuple(walk.kept)


def _right(rules: Rules, soft: str = "") -> Check:
    """A check that all is right, but for breaches of the SHOULD ``soft`` where that is given."""

    def check(root: State, op: Script, value: Any) -> bool:
        wrong, breaches, _ = verdict(root, op, value, rules)
        return wrong is None and bool(breaches) is bool(soft) and all(one.clause == soft for one in breaches)

    return check


def kept(root: State, op: Script, value: object) -> tuple[str, ...]:
    """The clauses that the answers keep."""
    return verdict(root, op, value, LENIENT)[2]


def _actions(op: Script) -> list[tuple[Action, str]]:
    """All actions, those within others too, each beside its number."""
    found: list[tuple[Action, str]] = []
    for number, text in enumerate(op.script, 1):
        action = parse(text)
        found.extend((part, str(number)) for part in (action, *action.parts))
    return found


def _refused(kinds: tuple[str, ...]) -> Check:
    """A check that all of these kinds was refused, that there is one, and that all else is right."""
    without = _right(replace(LENIENT, refused=kinds))

    def check(root: State, op: Script, value: Any) -> bool:
        return any(action.kind in kinds for action, _ in _actions(op)) and without(root, op, value)

    return check


def _late(_root: State, op: ReadStream, value: Any) -> bool:
    """A stream of what is no file: builders may find that out as late as in the first read."""
    if not op.via or answers_of(op, value) is None:
        return False
    return all(
        error_of(str(value.get(number))) or action.parts for action, number in _actions(op) if action.kind in _READING
    )


def differs(root: State, op: Script, value: object) -> Difference | None:
    """What is wrong with what was told of a script."""
    if start_of(root, op) is None or answers_of(op, value) is None:
        return None
    wrong = verdict(root, op, value, LENIENT)[0]
    return wrong or verdict(root, op, value, STRICT)[0]


def _given(
    broken: str, rules: Rules, *when: Literal, level: Level = "MUST", departs: bool = False, soft: str = ""
) -> Branch:
    branch = gives(
        broken,
        "what the stream's data and position give",
        _right(rules, soft),
        *when,
        level=level,
        departs=departs,
        deviates=bool(soft),
        also=clause.ALL,
    )
    return replace(branch, kept=kept)


def _case(name: str, broken: str, *branches: Branch) -> Case:
    return Case(
        name,
        broken,
        (
            *branches,
            _given(clause.NO_EXCEPTION, LENIENT, level="SHOULD NOT", soft=clause.NO_EXCEPTION),
            gives(
                clause.SEEK_SUPPORTED,
                "refuse what needs a stream that can seek",
                _refused((*_SEEKING, *_POSITIONED)),
                (SUPPORTS_SEEK, False),
            ),
            gives(
                clause.POSITIONED_SUPPORTED,
                "refuse positioned reads",
                _refused(_POSITIONED),
                (SUPPORTS_POSITIONED_READABLE, False),
            ),
        ),
    )


_BEYOND, _CLOSED, _UNBUFFER, _END, _OVERLAP = (1 << bit for bit in range(5))

CASES: tuple[tuple[int, Case], ...] = (
    (
        0,
        _case(
            "file",
            clause.BUFFER_BYTES,
            _given(clause.BUFFER_BYTES, replace(STRICT, unbuffers=True)),
            _given(clause.NO_UNBUFFER, replace(STRICT, unbuffers=False), (SUPPORTS_UNBUFFER, False)),
        ),
    ),
    (
        _BEYOND,
        _case(
            "file, with seeks beyond its end",
            clause.SEEK_RANGE,
            _given(clause.SEEK_RANGE, STRICT, (REJECTS_SEEK_PAST_EOF, True)),
            _given(clause.PAST_END, replace(STRICT, rejects=False), (REJECTS_SEEK_PAST_EOF, False), level="MAY"),
        ),
    ),
    (
        _CLOSED,
        _case(
            "file, with seeks once closed",
            clause.SEEK_OPEN,
            _given(clause.SEEK_OPEN, STRICT, level="SHOULD"),
            _given(clause.SEEK_OPEN, LENIENT, (SUPPORTS_SEEK_ON_CLOSED_FILE, True), level="SHOULD", departs=True),
            _given(clause.SEEK_OPEN, STRICT, level="SHOULD", soft=clause.SEEK_OPEN),
        ),
    ),
    (
        _UNBUFFER,
        _case(
            "file, asked whether it can unbuffer",
            clause.CAPABILITY,
            _given(clause.CAPABILITY, replace(STRICT, unbuffers=True), (SUPPORTS_UNBUFFER, True)),
            _given(clause.NO_UNBUFFER, replace(STRICT, unbuffers=False), (SUPPORTS_UNBUFFER, False)),
        ),
    ),
    (
        _END,
        _case(
            "file, with ranges beyond its end",
            clause.VECTORED_END,
            _given(clause.VECTORED_END, replace(STRICT, early=True), (VECTOR_IO_EARLY_EOF_CHECK, True)),
            _given(clause.VECTORED_END, replace(STRICT, early=False), (VECTOR_IO_EARLY_EOF_CHECK, False)),
        ),
    ),
    (
        _OVERLAP,
        _case(
            "file, with ranges that overlap",
            clause.VECTORED_OVERLAP,
            _given(clause.VECTORED_OVERLAP, STRICT),
            _given(clause.VECTORED_OVERLAP, LENIENT, (VECTOR_IO_OVERLAPPING_RANGES, True), departs=True),
        ),
    ),
)
SEVERAL = _case("file, with several that options bear on", clause.BUFFER_BYTES, _given(clause.BUFFER_BYTES, LENIENT))
_NUMBERS = {met: number for number, (met, _) in enumerate(CASES)}
_FIRST = 8


def met_by(op: Script, start: Start) -> int:
    """What a script meets that options bear on, as bits."""
    found, closed, length = 0, start.closed, contents.length(start.content)
    for action, _ in _actions(op):
        if action.kind == "close":
            closed = True
        elif action.kind == "seek":
            found |= _CLOSED if closed else _BEYOND if action.numbers[0] > length else 0
        elif action.kind == "from" and action.numbers[0] > length:
            found |= _BEYOND
        elif action.name == "in:unbuffer":
            found |= 0 if closed else _UNBUFFER
        elif action.kind == "vectored" and not closed:
            found |= _ranges(action, length)
    return found


def number_of_case(op: Script, start: Start) -> int:
    """The number of the case among ``CASES``, or that of ``SEVERAL``, which comes after these."""
    return _NUMBERS.get(met_by(op, start), len(CASES))


def _ranges(action: Action, length: int) -> int:
    given = sorted(one for one in action.ranges if one is not None)
    found = _END if any(size > 0 and offset + size > length for offset, size in given) else 0
    pairs = pairwise(given)
    return found | (_OVERLAP if any(second < first + size for (first, size), (second, _) in pairs) else 0)


def _classify(root: State, op: ReadStream) -> int:
    node = locate(root, op.path)
    if type(node) is not File:
        return bits(op.path, node) | 4
    return bits(op.path, node) | _FIRST << number_of_case(op, Start(node.content))


READ_STREAM = Meaning(
    ReadStream,
    (
        *COMMON_CASES,
        Case(
            "not a file",
            _OPEN,
            (
                *runtime_instead((raises(_OPEN, "FileNotFoundException"), raises(_OPEN, "IOException"))),
                gives(_CHECK_TIME, "a stream that can't be read", _late, level="MAY", also=(_WITHOUT_IO,)),
            ),
        ),
        *(case for _, case in CASES),
        SEVERAL,
    ),
    _classify,
    differs,
    derived=True,
)

MEANINGS: tuple[Meaning, ...] = (READ_STREAM,)
