"""What reads into byte buffers may answer, and what a stream says that it can, beside what it does.

Source: outputstream.md, "Interface StreamCapabilities", whose table names the calls of input streams; what bytes there
are is as in fsdatainputstream.md. No document asks a stream to have these calls: one that lacks them says so by
UnsupportedOperationException, and must not have claimed them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsconform.model.filesystem.input import clauses as clause
from fsconform.model.filesystem.input.rules import Departs, is_a, number_of, words_of
from fsconform.model.filesystem.input.scripts import Action, error_of
from fsconform.model.filesystem.output.stream_capabilities import UNKNOWN_CAPABILITY

if TYPE_CHECKING:
    from fsconform.model.filesystem.input.walk import Walk

NEEDED = {
    "bytebuffer": "in:readbytebuffer",
    "preadbuffer": "in:preadbytebuffer",
    "readahead": "in:readahead",
}
"""The capability that stands for an action."""

_UNTRUE = "a capability that is not there"


def is_refused(walk: Walk, action: Action, answer: str) -> bool:
    """True if an action was refused as unsupported. Raises Departs if the stream said that it can."""
    name = NEEDED[action.kind]
    if not is_a(error_of(answer), "UnsupportedOperationException"):
        return False
    if walk.claims.get(name) == "true":
        raise Departs(clause.SUPPORTED_ONLY, _UNTRUE, "MUST NOT")
    walk.lacking.add(name)
    return True


def capability(walk: Walk, action: Action, answer: str) -> None:
    """hasCapability."""
    before = walk.claims.get(action.name)
    if walk.closed:
        walk.keep(clause.CAPABILITY_CLOSED)
        if error_of(answer):
            raise Departs(clause.CAPABILITY_CLOSED, f"{words_of(answer)} from hasCapability of a closed stream")
        if answer == "true" and before == "false":
            raise Departs(clause.CAPABILITY_CLOSED, "a capability that only the closed stream has")
        return
    walk.claims[action.name] = answer
    if action.name == "in:unbuffer":
        _unbuffers(walk, answer)
    elif action.name in NEEDED.values() or action.name == UNKNOWN_CAPABILITY:
        walk.keep(clause.SUPPORTED_ONLY)
        if answer == "true" and (action.name in walk.lacking or action.name == UNKNOWN_CAPABILITY):
            raise Departs(clause.SUPPORTED_ONLY, _UNTRUE, "MUST NOT")


def _unbuffers(walk: Walk, answer: str) -> None:
    either = answer if answer in ("true", "false") else "true"
    wanted = {True: "true", False: "false", None: either}[walk.rules.unbuffers]
    if walk.rules.unbuffers:
        walk.keep(clause.CAPABILITY)
    if answer != wanted:
        walk.wanted = wanted
        words = answer if answer in ("true", "false") else words_of(answer)
        raise Departs(clause.CAPABILITY, f"{words} for in:unbuffer")


def free(walk: Walk, action: Action, answer: str) -> None:
    """No document says what it answers, but that what was claimed is not refused as unsupported."""
    if action.kind in NEEDED:
        is_refused(walk, action, answer)
    if action.kind == "skip":
        walk.pos = None


def _whole(broken: str, answer: str, what: str) -> None:
    """Raise Departs for a buffer that is not as such a read leaves it."""
    if answer.endswith(" misplaced"):
        raise Departs(broken, f"a byte buffer with another position or limit from {what}")
    if answer.endswith(" spilled"):
        raise Departs(broken, f"a byte buffer that was changed beside the bytes of {what}")


def byte_buffer(walk: Walk, action: Action, answer: str) -> None:
    """read into a byte buffer."""
    size = action.numbers[0]
    if is_refused(walk, action, answer):
        return
    if walk.closed:
        if size:
            walk.must_fail(clause.READ_OPEN, answer, "read of a closed stream")
        return
    _whole(clause.BUFFER_BYTES, answer, "read")
    if size == 0:
        walk.keep(clause.BUFFER_ZERO)
        at_end = walk.pos is None or walk.pos >= walk.length
        if answer != "0" and not (answer == "-1" and at_end):
            raise Departs(clause.BUFFER_ZERO, f"{words_of(answer)} from read into a byte buffer without room")
    elif answer != "0":  # which a read of a byte buffer may give
        walk.some(answer, size)


def from_place(walk: Walk, action: Action, answer: str) -> None:
    """A positioned read into a byte buffer: of what is there, one byte or more."""
    start, size = action.numbers
    walk.stays()
    if is_refused(walk, action, answer) or walk.closed or start < 0:
        return
    walk.keep(clause.PREAD)
    left = max(walk.length - start, 0)
    _whole(clause.PREAD, answer, "a positioned read")
    found = number_of(answer)
    if found is None or not -1 <= found <= size:
        raise Departs(clause.PREAD, f"{words_of(answer)} from a positioned read into a byte buffer")
    if found == -1 and left and size:
        raise Departs(clause.PREAD, "the end from a positioned read before it")
    if found > left:
        raise Departs(clause.PREAD, "more bytes than there are from a positioned read")
    if found > 0 and walk.bytes_of(start, found) not in (None, answer):
        raise Departs(clause.PREAD, "other bytes from a positioned read into a byte buffer")
