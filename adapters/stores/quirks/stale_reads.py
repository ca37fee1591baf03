"""Reading a file whose checksums are those of other bytes, as Hadoop's checker of checksums does it.

The checker reads whole chunks, and raises ChecksumException where one of them has another checksum, or none. It is at
the beginning of a chunk then. All answers of a script but these errors are judged as ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fsconform.adapters.stores.quirks.checksums import CHUNK, chunks_with_sums, stale_chunks
from fsconform.adapters.stores.quirks.local_trees import there
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Facts, Outcome, Returned
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Check, Effect, gives, keep
from fsconform.model.filesystem.input import clauses as stream_clauses
from fsconform.model.filesystem.input import readers as open_readers
from fsconform.model.filesystem.input.changed_file_walk import after
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_file import OpenFile, OpenInStages
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream, start_of, walked
from fsconform.model.filesystem.input.script_walk import Start, Walk
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.state import File, State
from fsconform.model.filesystem.stream_answers import Departs, Rules, expected, number_of
from fsconform.model.filesystem.stream_scripts import Action, error_of, told_pieces
from fsconform.model.filesystem.transfer.local_copies import CopyToLocal

CLAUSE = "filesystem.open.post"
ERROR = "ChecksumException"
FULL_ERROR = "org.apache.hadoop.fs.ChecksumException"
RULES = Rules(rejects=True, unbuffers=False, early=True)
"""What the streams of LocalFileSystem do where options say so."""

READING = (Open, OpenFile, CopyToLocal, OpenInStages, ReadStream, ReadOn, Observe)
"""The calls that read."""

_POSITIONED = ("pread", "readFully", "fill")


def _is_checksum_error(answer: str, word: str = "raised") -> bool:
    error = error_of(answer, word)
    return error is not None and error[0] == ERROR


class StaleWalk(Walk):
    """A pass over a script that reads a file with ``bad`` chunks, only the first of which, ``summed``, have checksums.

    ``excused`` holds something once an answer was an error that only bad chunks explain. ``places`` are where the
    stream may be after such an error, where that is not one place.
    """

    def __init__(self, start: Start, rules: Rules, bad: frozenset[int], summed: int) -> None:
        super().__init__(start, rules)
        self.bad, self.summed = bad, summed
        self.excused: list[Action] = []
        self.places: frozenset[int] = frozenset()

    def beside(self, pos: int | None) -> Walk:
        aside = StaleWalk(replace(self.start, pos=pos), self.rules, self.bad, self.summed)
        aside.excused = self.excused
        return aside

    def one(self, action: Action, answer: str) -> None:
        if self.closed or action.parts:
            super().one(action, answer)
        elif action.kind == "vectored":
            super().one(action, self._mended(action, answer))
        elif not _is_checksum_error(answer) or not self._fails(action):
            self._placed(action, answer)
            super().one(action, answer)

    def _placed(self, action: Action, answer: str) -> None:
        """Raise Departs if the stream is at no place where an error may have left it."""
        if action.kind == "getPos" and self.pos is None and self.places and number_of(answer) not in self.places:
            raise Departs(stream_clauses.GET_POS, "another position from getPos")
        if action.kind not in ("getPos", "available", "capability", *_POSITIONED):
            self.places = frozenset()

    def _met(self, start: int, end: int) -> frozenset[int]:
        """The bad chunks that are read for a range of bytes, from the beginning of a chunk on."""
        first, last = max(start, 0) // CHUNK, -(-min(end, self.length) // CHUNK)
        return self.bad.intersection(range(first, last))

    def _fails(self, action: Action) -> bool:
        """Take an error for what an action met; false if it met no bad chunk."""
        kind, numbers = action.kind, action.numbers
        if kind in _POSITIONED:
            sound = min(numbers[:2]) >= 0 and bool(self._met(numbers[0], numbers[0] + numbers[1]))
            self.excused += [action] * sound
            return sound
        if kind not in ("read", "read into", "drain", "seek", "skip", "from"):
            return False
        known = kind in ("seek", "from") or self.pos is not None
        start = numbers[0] if kind in ("seek", "from") else self.pos or 0
        if not known:
            self.pos, self.places, self.blame = None, frozenset(), ""
        elif not (self._fails_to_seek if kind in ("seek", "skip") else self._fails_to_read)(action, start):
            return False
        self.excused.append(action)
        return True

    def _fails_to_seek(self, action: Action, start: int) -> bool:
        to = start + action.numbers[0] if action.kind == "skip" else start
        to = min(to, self.length)
        before = to // CHUNK * CHUNK
        if not self._met(before, to):
            return False
        self.pos, self.places, self.blame = before, frozenset(), ""
        return True

    def _fails_to_read(self, action: Action, start: int) -> bool:
        size = {"read": 1, "drain": self.length}.get(action.kind) or action.numbers[
            0 if action.kind == "read into" else 1
        ]
        met = self._met(start, start + size)
        if not met:
            return False
        first = start if action.kind == "from" else start + CHUNK - 1
        self.places = frozenset(range(first // CHUNK * CHUNK, min(met) * CHUNK + 1, CHUNK))
        self.pos, self.blame = min(self.places) if len(self.places) == 1 else None, ""
        return True

    def _mended(self, action: Action, answer: str) -> str:
        """The answer of a vectored read, with the bytes in the place of errors of ranges that meet bad chunks."""
        given = answer.split(", ")
        if len(given) != len(action.ranges):
            return answer
        for number, (told, one) in enumerate(zip(given, action.ranges, strict=True)):
            if one is None or not self._is_late(told, *one):
                continue
            bytes_due = expected(self.content, *one)
            given[number] = bytes_due if bytes_due is not None else f"{one[1]} unknown"
            self.excused.append(action)
        return ", ".join(given)

    def _is_late(self, told: str, offset: int, size: int) -> bool:
        if _is_checksum_error(told, "later"):
            return bool(self._met(offset, offset + size))
        return told == "later EOFException" and offset + size > self.summed * CHUNK


def path_read(root: State, op: Any) -> Path | None:
    """The path of the file that a call reads."""
    if not isinstance(op, ReadOn):
        path: Path = op.path
        return path
    one = root.readers.get(op.stream)
    return None if one is None else one.path


def _script(bad: frozenset[int], summed: int) -> Check:
    def check(root: State, op: ReadStream | ReadOn, value: object) -> bool:
        try:
            walk = walked(root, op, value, lambda start: StaleWalk(start, RULES, bad, summed))
        except Departs:
            return False
        return walk is not None and bool(walk.excused) and not walk.soft

    return check


def _left(root: State, op: ReadOn) -> State:
    """Where the stream is then is not known."""
    start = start_of(root, op)
    assert start is not None
    return open_readers.changed(root, op.stream, pos=None, closed=after(start, op.script).closed)


def _stages(_root: State, _op: OpenInStages, value: object) -> bool:
    return isinstance(value, Facts) and value.get("failed") == "read"


def stale(root: State, op: Any) -> Iterator[Branch]:
    """What a call that reads a file with bad chunks may do beside what is right."""
    path = path_read(root, op)
    bad = frozenset[int]() if path is None else stale_chunks(root, path)
    if path is None or not bad:
        return
    if isinstance(op, ReadStream | ReadOn):
        effect: Effect = _left if isinstance(op, ReadOn) else keep
        check = _script(bad, chunks_with_sums(root, path))
        yield gives(CLAUSE, f"raise {ERROR} where a chunk is bad", check, effect=effect)
    elif isinstance(op, OpenInStages):
        if 0 in bad:
            yield gives(CLAUSE, f"raise {ERROR} from the first read", _stages)
    elif isinstance(op, Open | OpenFile | CopyToLocal):
        yield Branch(CLAUSE, "MUST", f"raise {ERROR}", raises=FULL_ERROR)


def stale_observed(root: State, op: Any, outcome: Outcome) -> Iterator[tuple[State, Outcome]]:
    """What was observed of such a file, with its bytes in the place of the error."""
    node = there(root, op.path) if isinstance(op, Observe) and stale_chunks(root, op.path) else None
    if not isinstance(node, File) or not isinstance(outcome, Returned) or not isinstance(outcome.value, Facts):
        return
    read = outcome.value.get("read")
    if isinstance(read, str) and _is_checksum_error(read):
        try:
            known = dict(outcome.value.items) | {"read": told_pieces(contents.chunks(node.content))}
        except ValueError:
            return
        yield root, replace(outcome, value=replace(outcome.value, items=tuple(sorted(known.items()))))
