"""What a stream may answer to each action of a script, by the content of its file.

Source: fsdatainputstream.md; outputstream.md, "Interface StreamCapabilities", whose table names the calls of input
streams. A walk goes through a script with the answers that a store gave, and stops at the first that is wrong. Where
the document leaves the position open (after a read or seek that failed, after readVectored) reads are held against
nothing but their form until the position is known again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fsconform.model.core import content as contents
from fsconform.model.filesystem.branches import Difference
from fsconform.model.filesystem.input import clauses as clause
from fsconform.model.filesystem.output.stream_capabilities import UNKNOWN_CAPABILITY
from fsconform.model.filesystem.stream_answers import (
    Departs,
    Rules,
    Wanted,
    expected,
    is_a,
    number_of,
    refusal,
    words_of,
)
from fsconform.model.filesystem.stream_scripts import OR, OVERLAPPING, POSITIONED, TOGETHER, Action, error_of, parse

_MOVED = {
    clause.SEEK: "another place than the one that seek was given",
    clause.SEEK_CURRENT: "a stream that was moved by seek to its own place",
    clause.SOURCE_FOUND: "a stream that was moved by seekToNewSource",
    clause.SOURCE_NONE: "a stream that was moved by seekToNewSource",
    clause.POSITION_UNCHANGED: "a stream that was moved by a positioned read",
    clause.ISOLATED: "a stream that was moved by reads beside each other",
}
"""What is said of a stream that is not where the last action should have left it."""


@dataclass(frozen=True, slots=True)
class Start:
    """A stream as a script finds it."""

    content: contents.Content
    pos: int | None = 0
    closed: bool = False


_SOURCES = (clause.SOURCE_FOUND, clause.SOURCE_NONE)
"""What a stream is blamed for that seekToNewSource moved: reads that leave the position alone don't take that on.

The text can be read in two ways: the stream stays, or goes to the place that it was given. It goes nowhere else.
"""

ASTRAY = "a stream that seekToNewSource left neither where it was nor where it was asked for"

_NEEDED = {
    "bytebuffer": "in:readbytebuffer",
    "preadbuffer": "in:preadbytebuffer",
    "readahead": "in:readahead",
}
"""The capability that stands for an action."""

_UNTRUE = "a capability that is not there"

_POSITIONED = {
    "pread": (clause.PREAD_POSITION, clause.PREAD_RANGE, clause.PREAD),
    "readFully": (clause.FULLY_POSITION, clause.FULLY_RANGE, clause.FULLY),
    "fill": (clause.FULLY_POSITION, clause.FULLY_RANGE, clause.FULLY),
}
_EOF = Wanted(clause.SEEK_RANGE, ("EOFException",), "out of range")
_NULL = Wanted(clause.VECTORED_NULL, ("NullPointerException",), "of null")


class Walk:
    """One pass over a script. ``pos`` is None where nobody can tell, ``soft`` what broke a SHOULD only.

    ``kept`` collects the clauses that answers were held against, ``blame`` is the clause that is broken if the next
    action shows the stream at another place, ``claims`` are the answers to hasCapability, ``lacking`` the capabilities
    whose calls were refused as unsupported. ``source`` is what seekToNewSource is held against that was called last,
    ``moved`` are the walks of a stream that it moved, as long as the answers fit them: bytes may be the same at both
    places, and only a later answer show where the stream is.
    """

    def __init__(self, start: Start, rules: Rules) -> None:
        self.start, self.rules = start, rules
        self.content, self.pos, self.closed = start.content, start.pos, start.closed
        self.length = contents.length(start.content)
        self.claims: dict[str, str] = {}
        self.lacking: set[str] = set()
        self.blame = self.source = ""
        self.moved: list[Walk] = []
        self.wanted = ""
        self.soft: list[Difference] = []
        self.kept: dict[str, None] = {}

    def run(self, script: Sequence[str], answers: Sequence[str]) -> None:
        """Hold each answer against its action. Raises Departs."""
        for number, (text, answer) in enumerate(zip(script, answers, strict=True), 1):
            self.wanted = ""
            try:
                self.one(parse(text), answer)
            except Departs as wrong:
                wrong.number, wrong.wanted = number, self.wanted
                raise

    def one(self, action: Action, answer: str) -> None:
        """Hold one answer against its action. Raises Departs."""
        self.moved = [walk for walk in self.moved if walk.fits(action, answer)]
        try:
            self._one(action, answer)
        except Departs as wrong:
            if self.moved:
                raise Departs(self.source, _MOVED[self.source]) from wrong
            if wrong.instead is not None:
                raise wrong.instead from wrong
            raise
        self.moved = [walk for walk in self.moved if (walk.pos, walk.closed) != (self.pos, self.closed)]

    def _one(self, action: Action, answer: str) -> None:
        if action.kind in ("together", "overlapping"):
            self._several(action, answer)
        elif action.kind in self.rules.refused:
            self.unsupported(action, answer)
        else:
            _ACTIONS[action.kind](self, action, answer)

    def fits(self, action: Action, answer: str) -> bool:
        """True if an answer is right of its action."""
        try:
            self.one(action, answer)
        except Departs:
            return False
        return True

    def stays(self) -> None:
        """Blame a positioned read that was made, unless what went before may have moved the stream unseen."""
        if self.blame not in _SOURCES:
            self.blame = clause.POSITION_UNCHANGED

    def bytes_of(self, start: int, size: int) -> str | None:
        """The answer for so many bytes of the file; None where they are not known."""
        found = expected(self.content, start, size)
        self.wanted = found or ""
        return found

    def keep(self, *clauses: str) -> None:
        """Note what is looked at."""
        self.kept.update(dict.fromkeys(clauses))

    def wrong(self, broken: str, words: str) -> Departs:
        """An answer is wrong: for the action that moved the stream, if there was one."""
        if not self.blame:
            return Departs(broken, words)
        return Departs(
            self.blame, _MOVED[self.blame], instead=Departs(broken, ASTRAY) if self.blame in _SOURCES else None
        )

    def last_close(self, answer: str) -> None:
        """The close at the end."""
        if not self.closed:
            self.close(Action("close"), answer)

    # --- the plain stream

    def close(self, action: Action, answer: str) -> None:
        """close."""
        if self.closed:
            self.keep(clause.IDEMPOTENT)
            if answer != "done":
                raise Departs(clause.IDEMPOTENT, f"{words_of(answer)} from a second close")
        else:
            self.keep(clause.NO_EXCEPTION)
            if answer != "done":
                self.soft.append(Difference(clause.NO_EXCEPTION, "SHOULD NOT", f"{words_of(answer)} from close"))
        self.closed = True

    def unbuffer(self, action: Action, answer: str) -> None:
        """unbuffer."""
        self.keep(clause.NO_UNBUFFER)
        if answer == "done":
            return
        refused = is_a(error_of(answer), "UnsupportedOperationException")
        incapable = self.claims.get("in:unbuffer") == "false"
        if self.closed or incapable or self.rules.unbuffers or not refused:
            raise Departs(
                clause.NO_UNBUFFER, f"{words_of(answer)} from unbuffer" + (" of a closed stream" if self.closed else "")
            )

    def get_pos(self, action: Action, answer: str) -> None:
        """getPos."""
        if self.closed:
            return
        self.keep(clause.GET_POS, *filter(None, [self.blame]))
        found = number_of(answer)
        if found is None or found < 0:
            raise Departs(clause.GET_POS, f"{words_of(answer)} from getPos")
        if self.pos is not None and found != self.pos:
            self.wanted = str(self.pos)
            raise self.wrong(clause.GET_POS, "another position from getPos")
        self.pos = found

    def must_fail(self, broken: str, answer: str, what: str) -> None:
        """Raise Departs unless the answer is an error."""
        self.keep(broken)
        if not is_a(error_of(answer), "Exception"):
            raise Departs(broken, f"{words_of(answer)} from {what}")

    def _late(self, error: tuple[str, str] | None) -> None:
        """Raise Departs for an error of a read at a place that seek should have refused."""
        if error is not None and self.pos is not None and self.pos > self.length:
            raise Departs(clause.LAZY_CHECKED, "an error from the read after a seek beyond the end, not from the seek")

    def read(self, action: Action, answer: str) -> None:
        """read()."""
        if self.closed:
            self.must_fail(clause.READ_OPEN, answer, "read of a closed stream")
            return
        self.keep(clause.READ, *filter(None, [self.blame]))
        self._late(error_of(answer))
        found = number_of(answer)
        if found is None or not -1 <= found <= 255:
            raise self.wrong(clause.READ, f"{words_of(answer)} from read")
        if self.pos is None:
            return
        if self.pos >= self.length:
            self.keep(*((clause.PAST_END,) if self.pos > self.length else ()))
            if found != -1:
                raise self.wrong(clause.READ, "a byte from read at the end")
            return
        if found == -1:
            raise self.wrong(clause.READ, "the end from read before it")
        wanted = expected(self.content, self.pos, 1)
        if wanted is not None and wanted != f"1 {found:02x}":
            self.wanted = str(int(wanted.partition(" ")[2], 16))
            raise self.wrong(clause.READ, "another byte from read")
        self._moved(self.pos + 1)

    def _moved(self, pos: int) -> None:
        self.pos, self.blame = pos, ""

    def read_null(self, action: Action, answer: str) -> None:
        """read into null."""
        if self.closed:
            self.must_fail(clause.READ_OPEN, answer, "read of a closed stream")
            return
        self.keep(clause.BUFFER_NULL)
        if not is_a(error_of(answer), "RuntimeException"):
            raise Departs(clause.BUFFER_NULL, f"{words_of(answer)} from read into null")

    def read_into(self, action: Action, answer: str) -> None:
        """read into a buffer."""
        size, offset, room = action.numbers
        error = error_of(answer)
        if size < 0 or offset < 0 or offset + size > room:
            self.keep(clause.BUFFER_RANGE)
            # The preconditions let an offset below 0 pass; at the end no byte is put at it.
            ended = not self.closed and (self.pos is None or self.pos >= self.length)
            if answer == "-1" and ended and size > 0 and offset < 0 and offset + size <= room:
                return
            if not is_a(error, "RuntimeException") and not (self.closed and is_a(error, "Exception")):
                raise Departs(clause.BUFFER_RANGE, f"{words_of(answer)} from read out of the buffer's range")
            return
        if size == 0:
            self.keep(clause.BUFFER_ZERO)
            if answer != "0" and not ((self.closed or offset == room) and is_a(error, "Exception")):
                raise Departs(clause.BUFFER_ZERO, f"{words_of(answer)} from read of length 0")
            return
        if self.closed:
            self.must_fail(clause.READ_OPEN, answer, "read of a closed stream")
            return
        self.some(answer, size)

    def some(self, answer: str, size: int) -> None:
        """Bytes, at most ``size``, from the position on."""
        self.keep(clause.BUFFER_BYTES, *filter(None, [self.blame]))
        self._late(error_of(answer))
        found = number_of(answer)
        if found is None or not -1 <= found <= size:
            raise self.wrong(clause.BUFFER_BYTES, f"{words_of(answer)} from read into a buffer")
        if answer.endswith(" spilled"):
            raise Departs(clause.BUFFER_BYTES, "a buffer that was changed beside the bytes read")
        if self.pos is None:
            return
        if self.pos >= self.length:
            self.keep(clause.BUFFER_END, *((clause.PAST_END,) if self.pos > self.length else ()))
            if found != -1:
                raise self.wrong(clause.BUFFER_END, "no end from read into a buffer at the end")
            return
        self.keep(clause.AT_LEAST_ONE)
        if found <= 0:
            raise self.wrong(clause.AT_LEAST_ONE, "no bytes from read into a buffer before the end")
        self._same(clause.BUFFER_BYTES, answer, self.pos, found, "read into a buffer")
        if found < min(size, self.length - self.pos):
            self.keep(clause.SHORT)
        self._moved(self.pos + found)

    def _same(self, broken: str, answer: str, start: int, size: int, what: str) -> None:
        if start + size > self.length:
            raise self.wrong(broken, f"more bytes than there are from {what}")
        wanted = expected(self.content, start, size)
        if wanted is not None and wanted != answer:
            raise self.wrong(broken, f"{'error' if error_of(answer) else 'other bytes'} from {what}")

    def drain(self, action: Action, answer: str) -> None:
        """Reading on to the end."""
        if self.closed:
            self.must_fail(clause.READ_OPEN, answer, "read of a closed stream")
            return
        if self.pos == 0:
            self.keep(clause.LENGTH)
        self.keep(clause.AT_LEAST_ONE, clause.BUFFER_END)
        self._late(error_of(answer))
        if answer == "stuck":
            raise Departs(clause.AT_LEAST_ONE, "no bytes from read into a buffer before the end")
        found = number_of(answer)
        if found is None:
            raise self.wrong(clause.BUFFER_BYTES, f"{words_of(answer)} from reading on")
        if self.pos is not None:
            left = max(self.length - self.pos, 0)
            if found != left:
                broken = clause.LENGTH if self.pos == 0 else clause.BUFFER_BYTES
                raise self.wrong(broken, f"too {'few' if found < left else 'many'} bytes from reading on")
            self._same(clause.BUFFER_BYTES, answer, min(self.pos, self.length), found, "reading on")
            self._moved(max(self.pos, self.length))
        elif found:
            self._moved(self.length)

    # --- seeking

    def seek(self, action: Action, answer: str) -> None:
        """seek."""
        to, error = action.numbers[0], error_of(answer)
        if self.closed:
            self.keep(clause.SEEK_OPEN)
            if not is_a(error, "Exception") and not self.rules.seeks_closed:
                self.soft.append(Difference(clause.SEEK_OPEN, "SHOULD", "no error from seek of a closed stream"))
            return
        before, self.pos = self.pos, None
        if to < 0:
            self.keep(clause.SEEK_RANGE)
            if not is_a(error, "IOException"):
                raise Departs(clause.SEEK_RANGE, f"{words_of(answer)} from seek below 0")
        elif to > self.length or to == self.length > 0:
            self._seek_beyond(to, answer, before == to)
        else:
            kept = clause.SEEK_ZERO if to == 0 else clause.SEEK_CURRENT if to == before else clause.SEEK
            self.keep(kept)
            if answer != "done":
                raise Departs(kept, f"{words_of(answer)} from seek within the file")
            self.pos, self.blame = to, clause.SEEK_CURRENT if to == before else clause.SEEK

    def _seek_beyond(self, to: int, answer: str, stays: bool) -> None:
        error = error_of(answer)
        free = to == self.length or stays  # the very end is past no byte, and staying asks for no check
        rejects = None if free else self.rules.rejects
        if error is not None:
            self.keep(clause.SEEK_RANGE, clause.LAZY_CHECKED, clause.SEEK_FAILED)
            if not is_a(error, "IOException"):
                raise Departs(clause.SEEK_RANGE, f"{words_of(answer)} from seek beyond the end")
            if rejects is False:
                raise Departs(clause.PAST_END, f"{words_of(answer)} from seek beyond the end")
        elif answer != "done":
            raise Departs(clause.SEEK_RANGE, f"{words_of(answer)} from seek beyond the end")
        elif rejects:
            raise Departs(clause.SEEK_RANGE, "no error from seek beyond the end")
        else:
            if stays:
                self.keep(clause.SEEK_UNCHECKED)
            self.pos, self.blame = to, clause.SEEK

    def seek_and_read(self, action: Action, answer: str) -> None:
        """seek, and read into a buffer."""
        to, size = action.numbers
        if self.closed:
            self.must_fail(clause.READ_OPEN, answer, "seek and read of a closed stream")
            return
        if 0 <= to < self.length or to == self.length == 0:
            self.pos, self.blame = to, clause.SEEK
            self.some(answer, size)
            return
        self.keep(clause.SEEK_RANGE)
        self.pos = None
        if answer != "-1" and not is_a(error_of(answer), "IOException"):
            raise Departs(clause.SEEK_RANGE, f"{words_of(answer)} from seek and read out of range")

    def new_source(self, action: Action, answer: str) -> None:
        """seekToNewSource."""
        error = error_of(answer)
        if self.closed:
            self.keep(clause.SOURCE_OPEN)
            if answer == "true":
                raise Departs(clause.SOURCE_OPEN, "true from seekToNewSource of a closed stream")
            return
        self.keep(clause.SOURCE_UNSUPPORTED)
        if answer in ("true", "false"):
            self.blame = self.source = clause.SOURCE_FOUND if answer == "true" else clause.SOURCE_NONE
            if action.numbers[0] >= 0:
                self.moved.append(self.beside(action.numbers[0]))
                self.moved[-1].claims, self.moved[-1].lacking = self.claims, self.lacking
        elif not is_a(error, "IOException", "UnsupportedOperationException"):
            raise Departs(clause.SOURCE_UNSUPPORTED, f"{words_of(answer)} from seekToNewSource")

    # --- what a stream says that it can

    def capability(self, action: Action, answer: str) -> None:
        """hasCapability."""
        before = self.claims.get(action.name)
        if self.closed:
            self.keep(clause.CAPABILITY_CLOSED)
            if error_of(answer):
                raise Departs(clause.CAPABILITY_CLOSED, f"{words_of(answer)} from hasCapability of a closed stream")
            if answer == "true" and before == "false":
                raise Departs(clause.CAPABILITY_CLOSED, "a capability that only the closed stream has")
            return
        self.claims[action.name] = answer
        if action.name == "in:unbuffer":
            self._unbuffers(answer)
        elif action.name in _NEEDED.values() or action.name == UNKNOWN_CAPABILITY:
            self.keep(clause.SUPPORTED_ONLY)
            if answer == "true" and (action.name in self.lacking or action.name == UNKNOWN_CAPABILITY):
                raise Departs(clause.SUPPORTED_ONLY, _UNTRUE, "MUST NOT")

    def _unbuffers(self, answer: str) -> None:
        either = answer if answer in ("true", "false") else "true"
        wanted = {True: "true", False: "false", None: either}[self.rules.unbuffers]
        if self.rules.unbuffers:
            self.keep(clause.CAPABILITY)
        if answer != wanted:
            self.wanted = wanted
            words = answer if answer in ("true", "false") else words_of(answer)
            raise Departs(clause.CAPABILITY, f"{words} for in:unbuffer")

    def free(self, action: Action, answer: str) -> None:
        """No document says what it answers, but that what was claimed is not refused as unsupported."""
        if action.kind in _NEEDED:
            self._is_refused(action, answer)
        if action.kind == "skip":
            self.pos = None

    def _is_refused(self, action: Action, answer: str) -> bool:
        """True if an action was refused as unsupported. Raises Departs if the stream said that it can."""
        name = _NEEDED[action.kind]
        if not is_a(error_of(answer), "UnsupportedOperationException"):
            return False
        if self.claims.get(name) == "true":
            raise Departs(clause.SUPPORTED_ONLY, _UNTRUE, "MUST NOT")
        self.lacking.add(name)
        return True

    # --- byte buffers: no document asks a stream to have these reads, but one that claims them must not lack them

    def byte_buffer(self, action: Action, answer: str) -> None:
        """read into a byte buffer."""
        size = action.numbers[0]
        if self._is_refused(action, answer):
            return
        if self.closed:
            if size:
                self.must_fail(clause.READ_OPEN, answer, "read of a closed stream")
            return
        _whole(clause.BUFFER_BYTES, answer, "read")
        if size == 0:
            self.keep(clause.BUFFER_ZERO)
            at_end = self.pos is None or self.pos >= self.length
            if answer != "0" and not (answer == "-1" and at_end):
                raise Departs(clause.BUFFER_ZERO, f"{words_of(answer)} from read into a byte buffer without room")
        elif answer != "0":  # which a read of a byte buffer may give
            self.some(answer, size)

    def positioned_buffer(self, action: Action, answer: str) -> None:
        """A positioned read into a byte buffer: of what is there, one byte or more."""
        start, size = action.numbers
        self.stays()
        if self._is_refused(action, answer) or self.closed or start < 0:
            return
        self.keep(clause.PREAD)
        left = max(self.length - start, 0)
        _whole(clause.PREAD, answer, "a positioned read")
        found = number_of(answer)
        if found is None or not -1 <= found <= size:
            raise Departs(clause.PREAD, f"{words_of(answer)} from a positioned read into a byte buffer")
        if found == -1 and left and size:
            raise Departs(clause.PREAD, "the end from a positioned read before it")
        if found > left:
            raise Departs(clause.PREAD, "more bytes than there are from a positioned read")
        if found > 0 and self.bytes_of(start, found) not in (None, answer):
            raise Departs(clause.PREAD, "other bytes from a positioned read into a byte buffer")

    # --- positioned and vectored reads

    def positioned(self, action: Action, answer: str) -> None:
        if self.closed:
            return
        start, size, offset, room = _arguments(action)
        post = _POSITIONED[action.kind][-1]
        wanted = self._missing(action)
        self.keep(*(one.broken for one in wanted))
        self.stays()
        if wanted and not (size == 0 and 0 <= offset <= room and answer in ("0", "-1")):
            refusal(wanted, answer, action.kind)
            return
        self.keep(post)
        if answer.endswith(" spilled"):
            raise Departs(post, f"a buffer that was changed beside the bytes of {action.kind}")
        left = max(self.length - start, 0)
        if action.kind == "pread" and not left:
            if answer != "-1" and not (size == 0 and answer == "0"):
                raise Departs(post, f"{words_of(answer)} from pread at the end")
            self.keep(*((clause.PREAD_ZERO,) if size == 0 else ()))
            return
        if not wanted:
            right = expected(self.content, start, min(size, left))
            given = number_of(answer)
            if given is not None and 0 < given < min(size, left):
                raise Departs(post, f"too few bytes from {action.kind}")
            if error_of(answer) or given != min(size, left) or (right is not None and right != answer):
                words = words_of(answer) if error_of(answer) else "the end" if answer == "-1" else "other bytes"
                raise Departs(post, f"{words} from {action.kind}")

    def _missing(self, action: Action) -> list[Wanted]:
        """The preconditions of a positioned read that fail, that of support aside."""
        start, size, offset, room = _arguments(action)
        at, within, _ = _POSITIONED[action.kind]
        wanted: list[Wanted] = []
        if start < 0:
            wanted.append(Wanted(at, ("IOException", "RuntimeException"), "below 0"))
        if size < 0 or offset < 0:
            wanted.append(Wanted(within, ("Exception",), "with a negative number"))
        elif offset + size > room:
            wanted.append(Wanted(within, ("RuntimeException",), "out of the buffer's range"))
        if action.kind != "pread" and start + size > self.length:
            wanted.append(Wanted(clause.FULLY_ENOUGH, ("IOException",), "beyond the end"))
        return wanted

    def vectored(self, action: Action, answer: str) -> None:
        """Hold what readVectored gave against its ranges."""
        self.pos, self.blame = None, ""
        if self.closed:
            return
        if action.name.startswith("null"):
            self.keep(clause.VECTORED_NULL)
            refusal([Wanted(clause.VECTORED_NULL, ("NullPointerException",), "of null")], answer, "readVectored")
            return
        if not action.ranges:
            return  # no valid list, and no error is named for it
        sure, free = self._faults_of(action)
        beyond = [one is not None and one[0] >= 0 and one[0] + max(one[1], 1) > self.length for one in action.ranges]
        late = Wanted(clause.VECTORED_END, ("EOFException",), "beyond the end")
        for past, one in zip(beyond, action.ranges, strict=True):
            if past and one is not None and one[1] >= 0:
                (free if one[1] == 0 or self.rules.early is not True else sure).append(late)
        self.keep(*(one.broken for one in (*sure, *free)))
        if sure:
            refusal([*sure, *free], answer, "readVectored")
            return
        if error_of(answer):
            if self.rules.early is False and not any(one is not late for one in free):
                free = []
            refusal([*free, Wanted(clause.VECTORED_BYTES, (), "of ranges within the file")], answer, "readVectored")
            return
        given = answer.split(", ")
        if len(given) != len(action.ranges):
            raise Departs(clause.VECTORED_FUTURE, "another number of ranges from readVectored")
        self.keep(clause.VECTORED_FUTURE, clause.VECTORED_BYTES)
        for past, found, one in zip(beyond, given, action.ranges, strict=True):
            assert one is not None
            self._ranged(past, found, *one)

    def _faults_of(self, action: Action) -> tuple[list[Wanted], list[Wanted]]:
        """The preconditions that fail for sure, and those that need not be looked at as a range is empty."""
        sure: list[Wanted] = []
        free: list[Wanted] = []
        given = [one for one in action.ranges if one is not None]
        if len(given) < len(action.ranges):
            sure.append(Wanted(clause.VECTORED_RANGE_NULL, ("IllegalArgumentException",), "with a range that is null"))
        for offset, size in given:
            into = free if size == 0 else sure
            if offset < 0:
                into.append(Wanted(clause.VECTORED_OFFSET, ("EOFException",), "below 0"))
            if size < 0:
                into.append(Wanted(clause.VECTORED_LENGTH, ("IllegalArgumentException",), "of a negative length"))
        ordered = sorted(given)
        for (first, size), (second, other) in pairwise(ordered):
            into = free if size == 0 or other == 0 or self.rules.overlaps else sure
            if first == second:
                into.append(Wanted(clause.VECTORED_ORDER, ("Exception",), "of two ranges from one place"))
            if second < first + size or first == second:
                into.append(Wanted(clause.VECTORED_OVERLAP, ("IllegalArgumentException",), "of ranges that overlap"))
        return sure, free

    def _ranged(self, past: bool, found: str, offset: int, size: int) -> None:
        if size == 0:
            self.keep(clause.VECTORED_ZERO)
        if found == "no future":
            raise Departs(clause.VECTORED_FUTURE, "no future from readVectored")
        error = error_of(found, "later")
        if past and size:
            if not is_a(error, "EOFException"):
                words = f"later {error[0]}" if error else "no error"
                raise Departs(clause.VECTORED_END, f"{words} from readVectored beyond the end")
            return
        if error and not (past or offset < 0):
            raise Departs(clause.VECTORED_BYTES, f"later {error[0]} from readVectored")
        wanted = expected(self.content, offset, size)
        if not error and (number_of(found) != size or (wanted is not None and found != wanted)):
            raise Departs(clause.VECTORED_BYTES, "other bytes from readVectored")

    # --- what a stream that can't seek may answer: where another precondition fails too its error will do as well

    def unsupported(self, action: Action, answer: str) -> None:
        """Hold the answer to what the stream does not support. Raises Departs.

        Reads of no bytes may be answered without a look at anything else. A vectored read is the reads of its ranges,
        so each of them may be refused by its future.
        """
        if action.kind in ("seek", "from"):
            self.pos = None  # a seek that fails may have moved the stream
            to = action.numbers[0]
            _refused(error_of(answer), answer, [_EOF] if to < 0 or to >= max(self.length, 1) else [])
        elif self.closed:
            return
        elif action.kind == "vectored":
            self.pos, self.blame = None, ""
            self._unsupported_vectored(action, answer)
        elif _is_empty(action) and not error_of(answer):
            self.positioned(action, answer)
        else:
            start, size, *_ = _arguments(action)
            beyond = [_EOF] if start + max(size, 1) > self.length else []
            _refused(error_of(answer), answer, [*self._missing(action), *beyond])

    def _unsupported_vectored(self, action: Action, answer: str) -> None:
        error = error_of(answer)
        if action.name.startswith("null"):
            _refused(error, answer, [_NULL])
            return
        if not action.ranges:
            return  # no valid list, and no error is named for it
        sure, free = self._faults_of(action)
        late = [one is not None and one[0] + max(one[1], 1) > self.length for one in action.ranges]
        given = answer.split(", ")
        if error or sure or len(given) != len(action.ranges):
            _refused(error, answer, [*sure, *free, *([_EOF] if any(late) else [])])
            return
        for past, one, found in zip(late, action.ranges, given, strict=True):
            if one is not None and one[1] == 0 and found == "0":
                continue
            _refused(error_of(found, "later"), found, [_EOF] if past or (one is not None and one[0] < 0) else [])

    # --- several at once

    def beside(self, pos: int | None) -> Walk:
        """A walk by which an action that is done beside others is judged."""
        return Walk(replace(self.start, pos=pos), self.rules)

    def _several(self, action: Action, answer: str) -> None:
        together = action.kind == "together"
        given = answer.split(TOGETHER if together else OVERLAPPING)
        kinds = [part.kind for part in action.parts]
        if self.closed:
            return
        if "vectored" in kinds:
            broken = clause.VECTORED_SEVERAL if set(kinds) == {"vectored"} else clause.VECTORED_WITH_READS
        else:
            broken = clause.THREAD_SAFE if set(kinds) <= POSITIONED else clause.ISOLATED
        self.keep(broken)
        if len(given) != len(kinds):
            raise Departs(broken, f"{words_of(answer)} from several reads at once")
        pos: int | None = self.pos
        for part, answers in zip(action.parts, given, strict=True):
            for one in answers.split(OR):
                unknown = part.kind == "getPos" or "vectored" in kinds
                aside = self.beside(None if unknown else self.pos)
                try:
                    aside.one(part, one)
                except Departs as wrong:
                    raise Departs(broken, f"{wrong.words}, beside others", wrong.level) from wrong
            if part.kind == "from":
                pos = None
        self.pos = None if "vectored" in kinds else pos
        if self.pos is None:
            self.blame = ""
        elif self.blame not in _SOURCES:
            self.blame = clause.ISOLATED if together else ""


def _whole(broken: str, answer: str, what: str) -> None:
    """Raise Departs for a buffer that is not as such a read leaves it."""
    if answer.endswith(" misplaced"):
        raise Departs(broken, f"a byte buffer with another position or limit from {what}")
    if answer.endswith(" spilled"):
        raise Departs(broken, f"a byte buffer that was changed beside the bytes of {what}")


def _arguments(action: Action) -> tuple[int, int, int, int]:
    """Where a positioned read begins, how many bytes it wants, where they go, and the buffer's size."""
    start, size, offset, room = action.numbers if action.kind != "fill" else (*action.numbers, 0, action.numbers[1])
    return start, size, offset, room


def _is_empty(action: Action) -> bool:
    _, size, offset, room = _arguments(action)
    return size == 0 and 0 <= offset <= room


def _refused(error: tuple[str, str] | None, answer: str, others: list[Wanted]) -> None:
    """Raise Departs unless it is an error of what is unsupported, or of one of the other preconditions that fail."""
    if any(is_a(error, *one.classes) for one in others):
        return
    if is_a(error, "EOFException") or not is_a(error, "UnsupportedOperationException", "IOException"):
        raise Departs(clause.SEEK_SUPPORTED, f"{words_of(answer)} from what is not supported")


_ACTIONS: dict[str, Callable[[Walk, Action, str], None]] = {
    "read": Walk.read,
    "read null": Walk.read_null,
    "read into": Walk.read_into,
    "drain": Walk.drain,
    "getPos": Walk.get_pos,
    "available": Walk.free,
    "skip": Walk.free,
    "readahead": Walk.free,
    "capability": Walk.capability,
    "unbuffer": Walk.unbuffer,
    "close": Walk.close,
    "seek": Walk.seek,
    "from": Walk.seek_and_read,
    "newSource": Walk.new_source,
    "pread": Walk.positioned,
    "readFully": Walk.positioned,
    "fill": Walk.positioned,
    "vectored": Walk.vectored,
    "bytebuffer": Walk.byte_buffer,
    "preadbuffer": Walk.positioned_buffer,
}
