"""What whoever looks sees of a file: its status, its bytes and its entry in listings, together.

Of a file that nobody writes to they agree; of one that is being written, the length is not ahead of the bytes. Source:
outputstream.md, "Consistency and Visibility" and "HDFS: delayed visibility of metadata updates"; abortable.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, Check, Difference, gives, meaning
from fsconform.model.filesystem.options.listing import LISTED_TIMES_DIFFER
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED, METADATA_UPDATED_ON_HSYNC
from fsconform.model.filesystem.output import clauses as clause
from fsconform.model.filesystem.output import writers as streams
from fsconform.model.filesystem.output.open_writer import path_of_a_stream
from fsconform.model.filesystem.output.writers import View, is_unpromised, wrong_bytes, wrong_length
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.stream_answers import expected, is_a, number_of, words_of
from fsconform.model.filesystem.stream_scripts import error_of
from fsconform.model.filesystem.validity import COMMON_CASES, INVALID, INVALID_CLAUSE, flags

if TYPE_CHECKING:
    from random import Random

PARTS_BYTES = 5 * 1024 * 1024
"""Contents of more bytes than these are uploaded in parts, where anything is."""

_STATUS = "filesystem.getFileStatus"
_OPENED = "filesystem.open.post"
_LISTED = "filesystem.listStatus.post.directory"


@operation
@dataclass(frozen=True, slots=True)
class Observe(Operation):
    """A path is looked at: getFileStatus, then open and read to the end, then the listing of its parent.

    Returns facts ``seen``: ``status`` (file, directory, missing, or raised with the class), ``length`` of the status
    (-1 without), ``read`` (the bytes as :mod:`stream_scripts` tells them, or raised with the class), ``listed`` (the
    length in the listing; -1 where it is not listed, or a directory), ``disagree`` and ``untimely``: the kinds of
    listings whose status of the path differs from getFileStatus in length or kind, and in the time of modification.
    """

    NAME: ClassVar[str] = "observe"
    path: Path


def _same(answer: str) -> Callable[[contents.Content], bool | None]:
    def same(content: contents.Content) -> bool | None:
        wanted = expected(content, 0, contents.length(content))
        return None if wanted is None else wanted == answer

    return same


def _text(value: Facts, name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _number(value: Facts, name: str) -> int:
    found = value.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else -1


def _wrong_kind(view: View, status: str) -> Difference:
    broken = {"file": f"{_STATUS}.post.file", "directory": f"{_STATUS}.post.directory"}.get(
        view.kind, f"{_STATUS}.pre.exists"
    )
    what = "another error" if error_of(status) else f"a {status}" if status != "missing" else "nothing"
    return Difference(
        broken,
        "MUST",
        f"{what} in the place of {'nothing' if view.kind == 'missing' else 'a ' + view.kind}",
        "status",
        view.kind,
    )


def wrong(view: View, value: Facts, fresh: bool, timely: bool, unread: bool = False) -> Difference | None:
    """What is wrong with what was seen, if ``view`` is what there is to be seen.

    The length is to be ``fresh`` after hsync, and the times in listings are those of the status if it is ``timely``.
    The bytes don't count where the file may be ``unread``.
    """
    status, read, listed = _text(value, "status"), _text(value, "read"), _number(value, "listed")
    if status != view.kind:
        return _wrong_kind(view, status)
    if view.kind != "file":
        if view.kind == "missing" and not is_a(error_of(read), "IOException"):
            words = f"{words_of(read)} from open of what is missing"
            return Difference("filesystem.open.pre.is-file", "MUST", words, "read")
        if view.kind == "missing" and listed != -1:
            return Difference(_LISTED, "MUST", "an entry in the listing for what is missing", "listed", "-1")
        return None
    length = _number(value, "length")
    count = length if unread else number_of(read) if not error_of(read) else None
    if count is None:
        broken = clause.SYNC_VISIBLE if view.growing else _OPENED
        return Difference(broken, "MUST", f"{words_of(read)} from open", "read")
    if found := wrong_length(view, length):
        return replace(found, field="length")
    if unread:
        pass
    elif found := wrong_bytes(view, count, _same(read)):
        return replace(found, field="read", wanted=expected(view.content, 0, contents.length(view.content)) or "")
    if view.growing:
        if length > count:
            words = "a length ahead of what is read"
            return Difference(clause.NOT_AHEAD, "MUST NOT", words, "length", f"{count} bytes at most")
        if fresh and length < view.synced:
            wanted = f"{view.synced} bytes at least"
            return Difference(clause.SYNC_METADATA, "SHOULD", "a length behind hsync", "length", wanted)
        return None
    size = contents.length(view.content)
    if length != size:
        return Difference(f"{_STATUS}.post.file", "MUST", "a wrong length", "length", f"{size} bytes")
    if listed != length:
        return Difference(_LISTED, "MUST", "another length in the listing", "listed", str(length))
    if value.get("disagree"):
        return Difference(_LISTED, "MUST", "listings that disagree with the status", "disagree", "[]")
    if timely and value.get("untimely"):
        return Difference(_LISTED, "MUST", "listings with another time", "untimely", "[]")
    return None


def _fits_status(view: View, value: Facts) -> bool:
    if _text(value, "status") != view.kind or view.kind != "file":
        return _text(value, "status") == view.kind
    length = _number(value, "length")
    return wrong_length(view, length) is None if view.growing else length == contents.length(view.content)


def _fits_read(view: View, value: Facts) -> bool:
    read = _text(value, "read")
    if view.kind != "file":
        return is_a(error_of(read), "IOException")
    count = number_of(read) if not error_of(read) else None
    return count is not None and wrong_bytes(view, count, _same(read)) is None


def _fits_listed(view: View, value: Facts) -> bool:
    listed = _number(value, "listed")
    if view.kind != "file":
        return listed == -1
    if view.growing:
        return listed >= 0 and wrong_length(view, listed) is None
    return listed == contents.length(view.content)


def appears(before: View, now: View, value: Facts) -> bool:
    """True if the file of a stream came into sight between two of the questions: status, bytes, entry in a listing.

    Where a new file may be seen late each answer is of what was there ``before`` or of what there is ``now``; none goes
    back to what was before.
    """
    if not _fits_status(before, value) or not _fits_listed(now, value):
        return False
    return _fits_read(before, value) or _fits_read(now, value)


def _told(root: State, op: Observe, found: Difference) -> Difference:
    """What is wrong, as a breach of what the last stream to the path promised when it was closed or aborted."""
    ended = [one for one in root.writers.values() if one.path == op.path and one.phase in ("closed", "aborted")]
    if not ended or streams.is_met(root, (op.path,)):
        return found
    last = ended[-1]
    if any(one.phase == "aborted" for one in ended):
        aborted = next(one for one in ended if one.phase == "aborted")
        broken = clause.ABORT_NOT_VISIBLE if aborted.before is None else clause.ABORT_EXISTING
        return replace(found, clause=broken, level="MUST", words=f"{found.words}, though the stream was aborted")
    if found.clause == _LISTED:
        return replace(found, clause=clause.LISTINGS, level="MUST")
    if found.clause.startswith(_STATUS):
        return replace(found, clause=clause.METADATA, level="MUST")
    large = contents.length(last.content) > PARTS_BYTES
    return replace(found, clause=clause.UPLOADS if large else clause.SAVED, level="MUST")


def _sees(before: bool, fresh: bool, timely: bool = False) -> Check:
    def check(root: State, op: Observe, value: object) -> bool:
        found = streams.views(root, op.path)
        if found is None:
            return True
        if isinstance(value, Facts) and _is_refused(op, value):
            return found[0].kind == "missing"
        if not isinstance(value, Facts):
            return False
        if not before:
            return wrong(found[0], value, fresh, timely) is None
        return any(wrong(view, value, fresh, timely) is None or appears(view, found[0], value) for view in found[1])

    return check


def _unread(root: State, op: Observe, value: object, *errors: str) -> bool:
    """True if the bytes were refused by one of these errors, and all else is right."""
    found = streams.views(root, op.path)
    if found is None or not isinstance(value, Facts) or not is_a(error_of(_text(value, "read")), *errors):
        return False
    return found[0].kind == "file" and wrong(found[0], value, False, True, unread=True) is None


def _refuses_name(*errors: str) -> Check:
    """The file at a path that must be refused is not opened."""
    return lambda root, op, value: bool(flags(op.path) & INVALID) and _unread(root, op, value, *errors)


def _is_unsummed(root: State, op: Observe, value: object) -> bool:
    """True if what was saved so far, of what nobody need see, can't be read as its checksums were not saved."""
    found = streams.views(root, op.path)
    if found is None or not isinstance(value, Facts) or not is_unpromised(found[0]):
        return False
    summed = (error_of(_text(value, "read")) or ("",))[0] == "ChecksumException"
    return summed and _number(value, "length") > 0 and _unread(root, op, value, "IOException")


def _differs(root: State, op: Observe, value: object) -> Difference | None:
    found = streams.views(root, op.path)
    if found is None or not isinstance(value, Facts):
        return None
    broken = wrong(found[0], value, False, True)
    return None if broken is None else _told(root, op, broken)


def _is_refused(op: Observe, value: Facts) -> bool:
    """True if a path that stores may refuse, or must, was refused: there is nothing at it."""
    error = error_of(_text(value, "status"))
    return flags(op.path) != 0 and is_a(error, "IOException", "RuntimeException")


_AGREEING = "status, bytes and listings that agree"
_KEPT = (
    clause.METADATA,
    clause.LISTINGS,
    clause.SAVED,
    clause.UPLOADS,
    clause.ABORT_NOT_VISIBLE,
    clause.ABORT_EXISTING,
)

# What is at a path that must be refused may be there all the same: opening it is refused as it ever is.
_REFUSED = tuple(
    gives(INVALID_CLAUSE, f"raise {error} from open", _refuses_name(error), level="SHOULD", deviates=deviates)
    for error, deviates in (("InvalidPathException", False), ("IOException", False), ("RuntimeException", True))
)

_MET = Cases(*COMMON_CASES)
_SETTLED = _MET.case(
    "settled",
    clause.METADATA,
    (
        gives(clause.METADATA, _AGREEING, _sees(False, False, True), also=_KEPT),
        gives(
            clause.LISTINGS,
            _AGREEING,
            _sees(False, False),
            (LISTED_TIMES_DIFFER, True),
            departs=True,
            also=_KEPT,
        ),
        *_REFUSED,
    ),
)
_GROWING = _MET.case(
    "being written",
    clause.SYNC_VISIBLE,
    (
        gives(
            clause.SYNC_VISIBLE,
            "the bytes so far, and a length that is not ahead of them",
            _sees(False, False),
            (METADATA_UPDATED_ON_HSYNC, False),
            also=(clause.NOT_AHEAD, clause.BEHIND, clause.OVERWRITE, clause.SAVED),
        ),
        gives(
            clause.SYNC_METADATA,
            "the bytes so far, and their number in the status after hsync",
            _sees(False, True),
            (METADATA_UPDATED_ON_HSYNC, True),
            level="SHOULD",
            also=(clause.SYNC_VISIBLE, clause.NOT_AHEAD, clause.OVERWRITE, clause.SAVED),
        ),
        gives(
            clause.INVISIBLE,
            "what was there before, or that the file comes into sight",
            _sees(True, False),
            (CREATE_VISIBILITY_DELAYED, True),
            level="MAY",
            also=(clause.BUFFERED,),
        ),
        gives(
            clause.WRITE_VISIBLE,
            "refuse to read what was not made visible yet",
            _is_unsummed,
            level="MAY",
            also=(clause.NOT_AHEAD,),
        ),
        *_REFUSED,
    ),
)


@meaning(Observe, _MET, differs=_differs, derived=True)
def _classify(root: State, op: Observe) -> int:
    return _GROWING if streams.is_met(root, (op.path,)) else _SETTLED


@drawn(Observe)
def _draw(draft: Draft, dice: Random, path: Path) -> Observe:
    return Observe(path_of_a_stream(draft, dice, path))
