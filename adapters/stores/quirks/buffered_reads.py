"""What Hadoop's buffer in front of a stream that reads holds, and how seekToNewSource drops it.

The buffer reads ahead, and knows its own place in front of that of the file. seekToNewSource forgets what it holds, so
that the stream is where the file is: bytes that nobody has read yet are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from fsconform.adapters.stores.quirks.local_trees import BUFFER
from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Outcome, Returned
from fsconform.model.filesystem.branches import Branch, Check, Effect, gives, keep
from fsconform.model.filesystem.input import clauses as stream_clauses
from fsconform.model.filesystem.input import readers as open_readers
from fsconform.model.filesystem.input.changed_file_walk import after
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream, Script, answers_of, start_of, walked
from fsconform.model.filesystem.input.script_walk import Start, Walk
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.stream_answers import LENIENT, Departs, Rules
from fsconform.model.filesystem.stream_scripts import Action, error_of, parse


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer: the place of the stream, that of the file behind it, and how many bytes were read at last."""

    place: int
    behind: int
    count: int = 0

    def read(self, size: int, length: int) -> Buffer:
        """The buffer once so many bytes of a file of a length were read into an array."""
        place, behind, count, got = self.place, self.behind, self.count, 0
        while got < size:
            direct = size - got >= BUFFER
            if place == behind:
                many = max(min(size - got if direct else BUFFER, length - behind), 0)
                if not many:
                    break
                behind += many
                count = many
            many = min(behind - place, size - got)
            place, got = place + many, got + many
            if behind >= length:
                break
        return Buffer(place, behind, count)

    def sought(self, to: int) -> Buffer:
        """The buffer after seek."""
        if self.place != self.behind and self.behind - self.count <= to < self.behind:
            return replace(self, place=to)
        return Buffer(to, to)


_STILL = ("getPos", "available", "capability", "unbuffer", "readahead", "read null", "close")
_POSITIONED = ("pread", "readFully", "fill", "preadbuffer", "vectored", "bytebuffer")


def later(buffer: Buffer | None, action: Action, answer: str, length: int) -> Buffer | None:
    """The buffer after an action with its answer; None where it is not known."""
    kind, numbers = action.kind, action.numbers
    if action.parts:
        return buffer if {part.kind for part in action.parts} <= {*_STILL, *_POSITIONED} else None
    if kind in _STILL or kind in _POSITIONED or error_of(answer) is not None:
        return buffer
    if kind in ("seek", "from"):
        start = buffer.sought(numbers[0]) if buffer is not None else None
        return start.read(numbers[1], length) if start is not None and kind == "from" else start
    if buffer is None:
        return None
    if kind == "read":
        return buffer.read(1, length)
    if kind == "read into":
        return buffer.read(numbers[0], length)
    if kind == "drain":
        end = max(buffer.behind, length)
        return Buffer(end, end)
    if kind == "skip":
        return buffer.sought(buffer.place + numbers[0]) if numbers[0] > 0 else buffer
    return Buffer(buffer.behind, buffer.behind)  # newSource


class BufferedWalk(Walk):
    """A pass over a script; ``dropped`` is true once seekToNewSource has skipped what the buffer held."""

    def __init__(self, start: Start, rules: Rules, buffer: Buffer | None) -> None:
        super().__init__(start, rules)
        self.buffer, self.dropped = buffer, False

    def one(self, action: Action, answer: str) -> None:
        super().one(action, answer)
        before, self.buffer = self.buffer, later(self.buffer, action, answer, self.length)
        if action.kind != "newSource" or answer != "false" or self.closed:
            return
        if before is None or before.place != before.behind:
            self.dropped, self.blame, self.moved = True, "", []
            self.pos = None if before is None else before.behind


def _mark(stream: str) -> str:
    return f"buffered {stream}"


_FRESH = Buffer(0, 0)


def _buffer(root: State, op: Script) -> Buffer | None:
    """The buffer that a script finds; that of a stream that was just opened where nothing is remembered."""
    found = root.marks.get(_mark(op.stream)) if isinstance(op, ReadOn) else None
    return _FRESH if found is None else Buffer(*found) if found else None


def _check(buffer: Buffer | None, rules: Rules) -> Check:
    def check(root: State, op: Script, value: object) -> bool:
        try:
            walk = walked(root, op, value, lambda start: BufferedWalk(start, rules, buffer))
        except Departs:
            return False
        return walk is not None and walk.dropped and not walk.soft

    return check


def _left(root: State, op: ReadOn) -> State:
    start = start_of(root, op)
    assert start is not None
    return open_readers.changed(root, op.stream, pos=None, closed=after(start, op.script).closed)


def _dropping(rules: Rules) -> Callable[[State, Script], Iterator[Branch]]:
    """A script in which seekToNewSource skips what the buffer holds."""

    def behaviour(root: State, op: Script) -> Iterator[Branch]:
        if any(parse(text).kind == "newSource" for text in op.script) and start_of(root, op) is not None:
            effect: Effect = _left if isinstance(op, ReadOn) else keep
            check = _check(_buffer(root, op), rules)
            yield gives(stream_clauses.GET_POS, "skip what is in the buffer", check, effect=effect)

    return behaviour


def _remembered(before: State, op: ReadOn, outcome: Outcome, next_state: State) -> State:
    """The next state with what the buffer of a stream holds; an empty mark where that is not known."""
    start = start_of(before, op)
    answers = answers_of(op, outcome.value) if isinstance(outcome, Returned) else None
    buffer = _buffer(before, op) if start is not None and answers is not None else None
    for text, answer in zip(op.script, answers or (), strict=False):
        buffer = later(buffer, parse(text), answer, contents.length(start.content) if start is not None else 0)
    if buffer == _FRESH:
        return next_state.noting(_mark(op.stream), None)
    fact = () if buffer is None else (buffer.place, buffer.behind, buffer.count)
    return next_state.noting(_mark(op.stream), fact)


def drops_the_buffer(store: str, link: str, rules: Rules = LENIENT) -> Quirk:
    """What BufferedFSInputStream makes of seekToNewSource; ``rules`` are what the store's streams do by its options."""
    return Quirk(
        f"{store}/new-source-drops-the-buffer",
        "seekToNewSource returns false, and skips the bytes that were read ahead",
        stream_clauses.GET_POS,
        "data wrong",
        "the buffer forgets what it holds before the stream behind is asked, and goes where that one is",
        link,
        UNTIL,
        (
            Step(Create(("a",), contents.of(1, 9), False)),
            Step(ReadStream(("a",), ("read 3", "newSource 8", "getPos"))),
        ),
        (ReadStream, ReadOn),
        _dropping(rules),
        remembers=(ReadOn,),
        remember=_remembered,
    )
