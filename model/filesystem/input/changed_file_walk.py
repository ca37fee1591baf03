"""What a stream may answer once its file was changed, renamed or deleted, and where a script leaves a stream.

Each byte is that of one of the contents that may be met, or the read fails with an IOException. Where all of these
agree on a range, as they do on the old bytes of a file that was appended to, no other bytes can come out. Source:
fsdatainputstream.md, "Consistency".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.filesystem.branches import RUNTIME_CLAUSE
from fsconform.model.filesystem.input import clauses as clause
from fsconform.model.filesystem.input.script_walk import Start
from fsconform.model.filesystem.stream_answers import Departs, expected, is_a, number_of, words_of
from fsconform.model.filesystem.stream_scripts import POSITIONED, SHOWN_BYTES, Action, error_of, parse

_STILL = ("getPos", "available", "capability", "unbuffer", "readahead", "read null", *POSITIONED)
"""Actions after which a stream is where it was."""

_READS = ("read", "read into", "bytebuffer", "drain", "from", "pread", "readFully", "fill", "preadbuffer", "vectored")


class LooseWalk:
    """One pass over a script whose stream may meet several contents. ``runtime`` lets RuntimeExceptions pass."""

    def __init__(self, found: Sequence[Content], start: Start, runtime: bool) -> None:
        self.found, self.runtime = found, runtime
        self.pos, self.closed = start.pos, start.closed
        lengths = [contents.length(one) for one in found]
        self.least, self.most = min(lengths), max(lengths)

    def run(self, script: Sequence[str], answers: Sequence[str]) -> None:
        """Hold each answer against its action. Raises Departs."""
        for number, (text, answer) in enumerate(zip(script, answers, strict=True), 1):
            try:
                self.one(parse(text), answer)
            except Departs as wrong:
                wrong.number = number
                raise

    def one(self, action: Action, answer: str) -> None:
        """Hold one answer against its action. Raises Departs."""
        if action.kind in ("together", "overlapping") or self.closed:
            self._closed(action, answer)
        elif action.kind == "seek":
            self.pos = action.numbers[0] if answer == "done" and action.numbers[0] >= 0 else None
        elif action.kind in _READS and _is_sound(action):
            self._read(action, answer)
        elif action.kind not in _STILL:
            self.closed, self.pos = action.kind == "close", None

    def _closed(self, action: Action, answer: str) -> None:
        self.pos = None
        if self.closed and action.kind == "close" and answer != "done":
            raise Departs(clause.IDEMPOTENT, f"{words_of(answer)} from a second close")
        if self.closed and action.kind in ("read", "drain") and not is_a(error_of(answer), "Exception"):
            raise Departs(clause.READ_OPEN, f"{words_of(answer)} from read of a closed stream")

    def _read(self, action: Action, answer: str) -> None:
        places = list(_places(action, self.pos))
        moves = action.kind not in POSITIONED
        if moves:
            self.pos = None
        error = error_of(answer)
        if error is not None:
            self._failed(action, error)
            return
        for (start, size), told in zip(places, answer.split(", "), strict=False):
            late = error_of(told, "later")
            if late is not None:
                self._failed(action, late)
                continue
            if action.kind == "read":
                found = number_of(told)
                told = told if found is None or found < 0 else f"1 {found:02x}"
            count = self._held(action, start, size, told)
            if moves and start is not None and count is not None:
                self.pos = start + count

    def _failed(self, action: Action, error: tuple[str, str]) -> None:
        if is_a(error, "IOException") or (self.runtime and is_a(error, "RuntimeException")):
            return
        if action.kind in ("bytebuffer", "preadbuffer") and is_a(error, "UnsupportedOperationException"):
            return
        raise Departs(RUNTIME_CLAUSE, f"raised {error[0]} from a read of a file that changed", "SHOULD NOT")

    def _held(self, action: Action, start: int | None, size: int | None, told: str) -> int | None:
        """Hold what was read from a place against all contents; how many bytes there were."""
        broken = clause.FULLY if action.kind in ("readFully", "fill") else clause.BUFFER_BYTES
        found = number_of(told)
        if found is None or told.endswith((" spilled", " misplaced")) or (size is not None and found > size):
            raise Departs(broken, "no bytes that were asked for from a file that changed")
        whole = action.kind in ("readFully", "fill", "vectored")
        if whole and found != size:
            raise Departs(broken, "too few bytes from a file that changed")
        if start is None:
            return None
        end = start + max(found, 0)
        if found > 0 and end > self.most:
            raise Departs(broken, "more bytes than the file ever had")
        if (action.kind == "drain" or (found < 0 and size)) and end < self.least:
            raise Departs(broken, "the end before any that the file ever had")
        if found <= 0:
            return 0
        slices = [_bytes(one, start, found) for one in self.found]
        if None not in slices and told not in slices and not _is_mixture(told, self.found, start, found):
            raise Departs(broken, "bytes that the file never had")
        return found


def _is_sound(action: Action) -> bool:
    """True of a read whose arguments are as they should be."""
    if action.kind == "vectored":
        given = sorted(one for one in action.ranges if one is not None)
        ranges = bool(given) and len(given) == len(action.ranges) and not action.name.startswith("null")
        sound = all(offset >= 0 and size >= 0 for offset, size in given)
        return ranges and sound and all(second >= first + size for (first, size), (second, _) in pairwise(given))
    if action.kind in ("read into", "pread", "readFully"):
        size, offset, room = action.numbers[-3:]
        return min(action.numbers) >= 0 and offset + size <= room
    return min(action.numbers, default=0) >= 0


def _places(action: Action, pos: int | None) -> Sequence[tuple[int | None, int | None]]:
    """Where an action reads, and how many bytes at most; None where nobody can tell."""
    if action.kind == "vectored":
        return [one for one in action.ranges if isinstance(one, tuple)]
    if action.kind in ("pread", "readFully", "fill", "preadbuffer", "from"):
        return [(action.numbers[0], action.numbers[1])]
    return [(pos, {"read": 1, "drain": None}.get(action.kind, next(iter(action.numbers), None)))]


def _bytes(content: Content, start: int, size: int) -> str | None:
    """The answer for bytes of a content; the empty string where it has not so many."""
    return expected(content, start, size) if contents.length(content) >= start + size else ""


def _is_mixture(told: str, found: Sequence[Content], start: int, size: int) -> bool:
    """True if the bytes may be some of one content and some of another, or nobody can tell."""
    if size <= SHOWN_BYTES:
        try:
            data = bytes.fromhex("".join(told.split(" ")[1:2]))
        except ValueError:
            return False
        return len(data) == size and all(
            any(_bytes(one, start + number, 1) in (None, f"1 {byte:02x}") for one in found)
            for number, byte in enumerate(data)
        )
    first = _bytes(found[0], start, size)
    return any(_bytes(one, start, size) != first for one in found)


# --- where a script leaves a stream


def after(start: Start, script: Sequence[str], seeks: bool = True) -> Start:
    """The stream after a script whose answers were right, as far as the script alone tells.

    Where it does not seek, its seeks were refused, which may have moved it.
    """
    pos, closed, length = start.pos, start.closed, contents.length(start.content)
    for action in map(parse, script):
        if not closed:
            pos = _moved(action, pos, length) if seeks or action.kind != "seek" else None
        closed = closed or action.kind == "close"
    return Start(start.content, pos, closed)


def _moved(action: Action, pos: int | None, length: int) -> int | None:
    if action.kind in ("together", "overlapping"):
        kinds = {part.kind for part in action.parts}
        return pos if kinds <= set(_STILL) - {"vectored"} else None
    if action.kind == "vectored":
        return None
    if action.kind in _STILL:
        return pos
    if action.kind == "seek":
        to = action.numbers[0]
        return to if 0 <= to < length or to == length == 0 else None
    if action.kind == "drain":
        return None if pos is None else max(pos, length)
    if action.kind in ("read", "read into") and pos is not None:
        size, *room = (1,) if action.kind == "read" else action.numbers
        if pos >= length or size <= 0 or (room and room[0] + size > room[1]):
            return pos
        return pos + 1 if size == 1 and (not room or room[0] >= 0) else None
    return None
