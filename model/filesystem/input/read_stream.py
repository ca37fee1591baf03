"""A file is read step by step through one stream, by a script: at once, or through a stream that stays open.

Sources: fsdatainputstream.md; filesystem.md, "FSDataInputStream open(Path f, int bufferSize)";
fsdatainputstreambuilder.md, "CompletableFuture build()"; outputstream.md, "Concurrency". What an option bears on is a
case of its own; where several are met at once nothing is said of which of them a store takes, and all are allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from fsconform.model.core import content as contents
from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.option import Literal
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    ANY,
    RUNTIME_CLAUSE,
    Branch,
    Case,
    Cases,
    Check,
    Difference,
    Level,
    gives,
    meaning,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.input import clauses as clause
from fsconform.model.filesystem.input import readers as open_readers
from fsconform.model.filesystem.input.changed_file_walk import LooseWalk, after
from fsconform.model.filesystem.input.drawn_scripts import any_script, leading_script
from fsconform.model.filesystem.input.open_reader import POLICIES, draw_opening
from fsconform.model.filesystem.input.script_walk import Start, Walk
from fsconform.model.filesystem.options.streams import (
    REJECTS_SEEK_PAST_EOF,
    SUPPORTS_POSITIONED_READABLE,
    SUPPORTS_SEEK,
    SUPPORTS_SEEK_ON_CLOSED_FILE,
    SUPPORTS_UNBUFFER,
    VECTOR_IO_EARLY_EOF_CHECK,
    VECTOR_IO_OVERLAPPING_RANGES,
)
from fsconform.model.filesystem.state import File, Reader, State, locate
from fsconform.model.filesystem.stream_answers import LENIENT, STRICT, Departs, Rules
from fsconform.model.filesystem.stream_scripts import Action, check_script, error_of, parse
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

KIND = "input stream"

AnyWalk = TypeVar("AnyWalk", bound=Walk)

_OPEN = "filesystem.open.pre.is-file"
_CHECK_TIME = "fsdatainputstreambuilder.build.check-time"
_WITHOUT_IO = "fsdatainputstreambuilder.post.calls-without-io"
_SEEKING = ("seek", "from")
_POSITIONED = ("pread", "readFully", "fill", "vectored")
_READING = ("read", "read into", "drain", *_SEEKING[1:], *_POSITIONED)


@operation
@dataclass(frozen=True, slots=True)
class ReadStream(Operation):
    """``open(path)``, then the actions of ``script`` one after another, then ``close()`` unless the script closed it.

    :mod:`stream_scripts` has the form of actions and of what is told of them. Via a read policy, length or status the
    stream comes from openFile with that option. Returns facts ``input stream``: the answer of each action, named by its
    number from 1 on, and ``close``, that of the last close.
    """

    NAME: ClassVar[str] = "read by stream"
    VIAS: ClassVar[tuple[str, ...]] = (*POLICIES, "length", "status")
    path: Path
    script: tuple[str, ...]
    via: str = ""

    def check(self) -> None:
        """Raise ValueError for a script that is none."""
        check_script(self.script)


@operation
@dataclass(frozen=True, slots=True)
class ReadOn(Operation):
    """The actions of ``script`` one after another, on a stream that was opened to read and goes on where it is.

    Returns facts ``input stream``, as ``ReadStream`` does, without that of a last close.
    """

    NAME: ClassVar[str] = "read on"
    stream: str
    script: tuple[str, ...]

    def check(self) -> None:
        """Raise ValueError for a script that is none."""
        check_script(self.script)


Script = ReadStream | ReadOn

Verdict = tuple[Difference | None, tuple[Difference, ...], tuple[str, ...]]
"""What is wrong, what is wrong by a SHOULD only, and the clauses that were looked at."""


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
    """A check that all actions of these kinds were refused, that there is one, and that all else is right."""
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


_CASES: dict[str, Case] = {
    "": _case(
        "file",
        clause.BUFFER_BYTES,
        _given(clause.BUFFER_BYTES, replace(STRICT, unbuffers=True)),
        _given(clause.NO_UNBUFFER, replace(STRICT, unbuffers=False), (SUPPORTS_UNBUFFER, False)),
    ),
    "beyond": _case(
        "file, with seeks beyond its end",
        clause.SEEK_RANGE,
        _given(clause.SEEK_RANGE, STRICT, (REJECTS_SEEK_PAST_EOF, True)),
        _given(clause.PAST_END, replace(STRICT, rejects=False), (REJECTS_SEEK_PAST_EOF, False), level="MAY"),
    ),
    "closed": _case(
        "file, with seeks once closed",
        clause.SEEK_OPEN,
        _given(clause.SEEK_OPEN, STRICT, level="SHOULD"),
        _given(clause.SEEK_OPEN, LENIENT, (SUPPORTS_SEEK_ON_CLOSED_FILE, True), level="SHOULD", departs=True),
        _given(clause.SEEK_OPEN, STRICT, level="SHOULD", soft=clause.SEEK_OPEN),
    ),
    "unbuffer": _case(
        "file, asked whether it can unbuffer",
        clause.CAPABILITY,
        _given(clause.CAPABILITY, replace(STRICT, unbuffers=True), (SUPPORTS_UNBUFFER, True)),
        _given(clause.NO_UNBUFFER, replace(STRICT, unbuffers=False), (SUPPORTS_UNBUFFER, False)),
    ),
    "end": _case(
        "file, with ranges beyond its end",
        clause.VECTORED_END,
        _given(clause.VECTORED_END, replace(STRICT, early=True), (VECTOR_IO_EARLY_EOF_CHECK, True)),
        _given(clause.VECTORED_END, replace(STRICT, early=False), (VECTOR_IO_EARLY_EOF_CHECK, False)),
    ),
    "overlap": _case(
        "file, with ranges that overlap",
        clause.VECTORED_OVERLAP,
        _given(clause.VECTORED_OVERLAP, STRICT),
        _given(clause.VECTORED_OVERLAP, LENIENT, (VECTOR_IO_OVERLAPPING_RANGES, True), departs=True),
    ),
    "several": _case(
        "file, with several that options bear on", clause.BUFFER_BYTES, _given(clause.BUFFER_BYTES, LENIENT)
    ),
}
"""By what a script meets that options bear on."""


def _bearing(op: Script, start: Start) -> str:
    """What a script meets that options bear on: the key of its case."""
    found, closed, length = set[str](), start.closed, contents.length(start.content)
    for action, _ in _actions(op):
        if action.kind == "close":
            closed = True
        elif action.kind == "seek":
            found |= {"closed"} if closed else {"beyond"} if action.numbers[0] > length else set()
        elif action.kind == "from" and action.numbers[0] > length:
            found.add("beyond")
        elif action.name == "in:unbuffer":
            found |= set() if closed else {"unbuffer"}
        elif action.kind == "vectored" and not closed:
            found |= _of_ranges(action, length)
    return "several" if len(found) > 1 else "".join(found)


def _of_ranges(action: Action, length: int) -> set[str]:
    given = sorted(one for one in action.ranges if one is not None)
    found = {"end"} if any(size > 0 and offset + size > length for offset, size in given) else set[str]()
    pairs = pairwise(given)
    return found | ({"overlap"} if any(second < first + size for (first, size), (second, _) in pairs) else set())


# --- at once

_AT_ONCE = Cases(*COMMON_CASES)
_NO_FILE = _AT_ONCE.case(
    "not a file",
    _OPEN,
    (
        *runtime_instead((raises(_OPEN, "FileNotFoundException"), raises(_OPEN, "IOException"))),
        gives(_CHECK_TIME, "a stream that can't be read", _late, level="MAY", also=(_WITHOUT_IO,)),
    ),
)
_READ = {bearing: _AT_ONCE.add(case) for bearing, case in _CASES.items()}


@meaning(ReadStream, _AT_ONCE, differs=differs, derived=True)
def _classify(root: State, op: ReadStream) -> int:
    node = locate(root, op.path)
    if type(node) is not File:
        return bits(op.path, node) | _NO_FILE
    return bits(op.path, node) | _READ[_bearing(op, Start(node.content))]


def _length(node: object) -> int:
    return contents.length(node.content) if isinstance(node, File) else 10


@drawn(ReadStream)
def _draw(draft: Draft, dice: Random, path: Path) -> ReadStream:
    via = dice.choice(ReadStream.VIAS) if dice.random() < 0.25 else ""
    return ReadStream(path, any_script(dice, _length(draft.node(path))), via)


# --- through a stream that stays open


def _goes_on(root: State, op: ReadOn, seeks: bool = True) -> State:
    start = start_of(root, op)
    assert start is not None
    left = after(start, op.script, seeks)
    return open_readers.changed(root, op.stream, pos=left.pos, closed=left.closed)


def _goes_on_unmoved(root: State, op: ReadOn) -> State:
    return _goes_on(root, op, seeks=False)


def _strays(root: State, op: ReadOn) -> State:
    one = root.readers[op.stream]
    left = after(Start((), None, one.closed), op.script)
    met = open_readers.sources(root, one)
    return open_readers.changed(root, op.stream, pos=None, closed=left.closed, strayed=True, versions=met)


def _wrong(root: State, op: ReadOn, value: object, runtime: bool) -> Difference | None:
    one, answers = root.readers[op.stream], answers_of(op, value)
    if answers is None:
        return Difference(clause.LENGTH, "MUST", "no answers")
    try:
        LooseWalk(open_readers.sources(root, one), Start((), one.pos, one.closed), runtime).run(op.script, answers)
    except Departs as wrong:
        return wrong.difference
    return None


def _loosely(runtime: bool) -> Check:
    return lambda root, op, value: _wrong(root, op, value, runtime) is None


def _strayed(name: str, broken: str, level: Level, expected: str) -> Case:
    return Case(
        name,
        broken,
        (
            gives(broken, expected, _loosely(False), level=level, effect=_strays),
            gives(RUNTIME_CLAUSE, expected, _loosely(True), level="SHOULD NOT", deviates=True, effect=_strays),
        ),
    )


_SAME = tuple(
    replace(
        case,
        branches=tuple(
            replace(branch, effect=_goes_on_unmoved if branch.clause == clause.SEEK_SUPPORTED else _goes_on)
            for branch in case.branches
        ),
    )
    for case in _CASES.values()
)
_ON = Cases(*COMMON_CASES)
_READ_ON = {bearing: _ON.add(case) for bearing, case in zip(_CASES, _SAME, strict=True)}
_STRAYED = {
    "gone": _ON.add(_strayed("a file that is gone since", clause.DELETED, "MAY", "the old bytes, or an IOException")),
    "changed": _ON.add(
        _strayed("a file that was changed since", clause.CHANGED, "UNDEFINED", "old bytes or new, or an IOException")
    ),
    "written": _ON.add(
        _strayed(
            "a file that is written meanwhile", clause.EARLIER_READER, "MAY", "old bytes or new, or an IOException"
        )
    ),
    "unknown": _ON.case(
        "a stream that nothing is known of",
        clause.CHANGED,
        (returns(clause.CHANGED, ANY, level="UNDEFINED"), raises(clause.CHANGED, "Throwable", level="UNDEFINED")),
    ),
}


def _on_differs(root: State, op: ReadOn, value: Any) -> Difference | None:
    one = root.readers.get(op.stream)
    if one is None or open_readers.standing(root, one) == "unknown":
        return None
    return differs(root, op, value) if start_of(root, op) is not None else _wrong(root, op, value, False)


@meaning(ReadOn, _ON, differs=_on_differs, derived=True)
def _classify_on(root: State, op: ReadOn) -> int:
    one, start = root.readers.get(op.stream), start_of(root, op)
    if start is not None:
        return _READ_ON[_bearing(op, start)]
    return _STRAYED["unknown" if one is None else open_readers.standing(root, one)]


@drawn(ReadOn)
def _draw_on(draft: Draft, dice: Random, path: Path) -> Operation:
    """Actions on a stream that is open; without any, one is opened. Most leave it where its script tells."""
    known: dict[str, Reader] = {} if draft.state is None else dict(draft.state.readers)
    if not known:
        return draw_opening(draft, dice, path)
    opened = sorted(name for name, one in known.items() if not one.closed)
    name = dice.choice(opened if opened and dice.random() < 0.9 else sorted(known))
    length = _length(known[name].file)
    script = leading_script(dice, length)
    return ReadOn(name, (*script, "close") if dice.random() < 0.1 else script)
