"""Uploads in parts: all parts are put, and the upload is completed or aborted. Source: multipartuploader.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Few, Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    Branch,
    Cases,
    Effect,
    keep,
    lost,
    meaning,
    raises,
    returns,
)
from fsconform.model.filesystem.options.changes import SUPPORTS_MULTIPARTUPLOADER
from fsconform.model.filesystem.options.core import CREATE_FILE_UNDER_FILE_ALLOWED
from fsconform.model.filesystem.refusals import one_of, precisely, unnamed
from fsconform.model.filesystem.state import EMPTY_DIR, MISSING, NO_PARENT, UNDER_FILE, Dir, File, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_UPLOAD = "multipartuploader"
_SUPPORTED = (SUPPORTS_MULTIPARTUPLOADER, True)
_UNSUPPORTED = (SUPPORTS_MULTIPARTUPLOADER, False)
FIRST_UPLOAD = b"the first upload"
"""What is uploaded first where an upload is repeated."""


@operation
@dataclass(frozen=True, slots=True)
class Upload(Operation):
    """``createMultipartUploader(path)``: ``content`` in so many parts; ``ending`` is one of complete, reversed, abort.

    reversed puts the last part first and completes. Returns nothing.
    """

    NAME: ClassVar[str] = "upload in parts"
    MUTATES: ClassVar[bool] = True
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"ending": ("complete", "reversed", "abort")}
    path: Path
    content: Content
    parts: Few
    ending: str


@operation
@dataclass(frozen=True, slots=True)
class MisuseUpload(Operation):
    """An upload of ``content`` in one part that is used otherwise than :class:`Upload` does; an open one is aborted.

    ``manner`` is part 0 (put under that number), negative length (of the part), put after abort, complete twice,
    complete after abort, abort twice, abort after complete, other path (completed at ``other``), number 0 (in the map
    given to complete), duplicate (one part under two numbers there), omitted (a part put before is not in the map),
    repeated (once more, after another upload) or other uploader (which goes on with handles made again of their bytes).
    """

    NAME: ClassVar[str] = "upload misused"
    MUTATES: ClassVar[bool] = True
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "manner": (
            "part 0",
            "negative length",
            "put after abort",
            "complete twice",
            "complete after abort",
            "abort twice",
            "abort after complete",
            "other path",
            "number 0",
            "duplicate",
            "omitted",
            "repeated",
            "other uploader",
        )
    }
    path: Path
    content: Content
    manner: str
    other: Path


def write(root: State, op: Upload | MisuseUpload) -> State:
    """The file holds exactly the parts, by rising number."""
    return put(root, op.path, File(op.content))


def make_parents(root: State, op: Upload) -> State:
    """Nothing is at the destination; its parents have come to be."""
    return put(root, op.path[:-1], EMPTY_DIR)


_DATA, _ORDER, _ABORT = (f"{_UPLOAD}.{name}" for name in ("complete.post.data", "invariant.upload-order", "abort.post"))
_NONE_TO_CALL = raises(_DATA, "UnsupportedOperationException", _UNSUPPORTED)


def _or_unsupported(*branches: Branch) -> tuple[Branch, ...]:
    return (*branches, _NONE_TO_CALL)


def _completed(clause: str) -> Branch:
    return returns(clause, None, _SUPPORTED, effect=write)


# Which sizes a store takes is its own affair, and the failed upload leaves nothing behind that could be seen.
_PART_SIZE = raises(f"{_UPLOAD}.complete.pre.part-size", "IOException", _SUPPORTED)

_MET = Cases(*COMMON_CASES)
_ROOT = _MET.case(
    "the root",
    f"{_UPLOAD}.startUpload.pre.not-root",
    _or_unsupported(*one_of(f"{_UPLOAD}.startUpload.pre.not-root", "IOException")),
)
_DIRECTORY = _MET.case(
    "directory",
    f"{_UPLOAD}.startUpload.pre.not-a-directory",
    _or_unsupported(*one_of(f"{_UPLOAD}.startUpload.pre.not-a-directory", "IOException")),
)
# No precondition forbids it; that every parent is a directory does.
_BELOW_FILE = _MET.case(
    "below a file",
    _DATA,
    _or_unsupported(
        *one_of(_DATA, "IOException"),
        returns(_DATA, None, _SUPPORTED, (CREATE_FILE_UNDER_FILE_ALLOWED, True), effect=lost, departs=True),
    ),
)
_ABORTED = _MET.case("aborted", _ABORT, _or_unsupported(returns(_ABORT, None, _SUPPORTED)))
_ABORTED_BELOW = _MET.case(
    "aborted, and its parent missing",
    _ABORT,
    _or_unsupported(
        returns(_ABORT, None, _SUPPORTED, effect=keep), returns(_ABORT, None, _SUPPORTED, effect=make_parents)
    ),
)
_REVERSED = _MET.case(
    "parts put in reverse order",
    _DATA,
    _or_unsupported(
        Branch(_ORDER, "MUST NOT", "put the parts in their order", write, when=(_SUPPORTED,), also=(_DATA,)),
        _PART_SIZE,
    ),
)
_COMPLETED = _MET.case("one part", _DATA, _or_unsupported(_completed(_DATA)))
_IN_PARTS = _MET.case("parts", _DATA, _or_unsupported(_completed(_DATA), _PART_SIZE))
_NO_PARTS = _MET.case(
    "no parts",
    f"{_UPLOAD}.complete.pre.parts",
    _or_unsupported(*one_of(f"{_UPLOAD}.complete.pre.parts", "IOException", "IllegalArgumentException")),
)
# Nothing says whether the parents have to be there; HDFS wants it, object stores have no need to ask.
_NO_PARENT = _MET.case(
    "parent missing", _DATA, _or_unsupported(_completed(_DATA), raises(_DATA, "IOException", _SUPPORTED))
)
# What is aborted need never have been possible.
_ABORTED_BELOW_FILE = _MET.case(
    "aborted, and below a file",
    _ABORT,
    _or_unsupported(returns(_ABORT, None, _SUPPORTED), *one_of(_ABORT, "IOException")),
)


@meaning(Upload, _MET)
def _classify(root: State, op: Upload) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    empty = _NO_PARTS if op.parts < 1 and op.ending != "abort" else 0
    if type(node) is Dir:
        return found | empty | (_DIRECTORY if op.path else _ROOT)
    if node is UNDER_FILE:
        return found | empty | (_ABORTED_BELOW_FILE if op.ending == "abort" else _BELOW_FILE)
    if op.ending == "abort":
        return found | (_ABORTED_BELOW if node is NO_PARENT else _ABORTED)
    if op.parts < 1:
        return found | _NO_PARTS
    if node is NO_PARENT:
        return found | _NO_PARENT
    if op.parts == 1:
        return found | _COMPLETED
    return found | (_REVERSED if op.ending == "reversed" else _IN_PARTS)


@drawn(Upload)
def _draw(draft: Draft, dice: Random, path: Path) -> Upload:
    parts, ending = dice.choice((0, 1, 1, 1, 2, 3)), dice.choice(("complete", "complete", "reversed", "abort"))
    return Upload(path, draft.content(dice), parts, ending)


_MET_BY_MISUSE = Cases(*COMMON_CASES)
# What an upload does there is asked elsewhere.
_NO_PLACE = _MET_BY_MISUSE.case(
    "no place for a file",
    _DATA,
    (
        returns(_DATA, None, effect=lost),
        *(replace(one, effect=lost) for one in unnamed(_DATA)),
        raises(_DATA, "UnsupportedOperationException"),
    ),
)


def _supported(branches: tuple[Branch, ...], effect: Effect) -> tuple[Branch, ...]:
    return tuple(replace(one, when=(*one.when, _SUPPORTED), effect=effect) for one in branches)


def _misused(manner: str, part: str, *errors: str, after: Effect = keep) -> int:
    clause = f"{_UPLOAD}.{part}"
    branches = precisely(clause, *errors) if errors else unnamed(clause)
    return _MET_BY_MISUSE.case(manner, clause, (*_supported(branches, after), _NONE_TO_CALL))


def _done(manner: str, part: str, level: Any = "MUST", also: tuple[str, ...] = ()) -> int:
    clause = f"{_UPLOAD}.{part}"
    branch = Branch(clause, level, "succeed", write, when=(_SUPPORTED,), also=also)
    return _MET_BY_MISUSE.case(manner, clause, (branch, _NONE_TO_CALL))


_BY_MANNER = {
    "part 0": _misused("part 0", "putPart.pre.part-number"),
    "negative length": _misused("negative length", "putPart.pre.length"),
    "put after abort": _misused("put after abort", "putPart.pre.active-upload"),
    "complete twice": _misused("complete twice", "complete.pre.active-upload", "FileNotFoundException", after=write),
    "complete after abort": _misused("complete after abort", "complete.pre.active-upload", "FileNotFoundException"),
    "abort twice": _misused("abort twice", "abort.pre.active-upload", "FileNotFoundException"),
    "abort after complete": _misused(
        "abort after complete", "complete.post.upload-gone", "FileNotFoundException", after=write
    ),
    "other path": _misused("other path", "complete.pre.same-path"),
    "number 0": _misused("number 0", "complete.pre.part-numbers"),
    "duplicate": _misused("duplicate", "complete.pre.duplicate-parts"),
    "omitted": _done("omitted", "complete.post.omitted-parts", "MUST NOT"),
    "repeated": _done("repeated", "invariant.repeated-uploads"),
    "other uploader": _done(
        "other uploader", "invariant.any-instance", also=(f"{_UPLOAD}.invariant.handle-serializable",)
    ),
}

# An upload that is to be completed at another path, and that path is the one it was begun for: nothing is misused.
_OWN_PATH = _done("its own path", "complete.post.data")


@meaning(MisuseUpload, _MET_BY_MISUSE)
def _classify_misuse(root: State, op: MisuseUpload) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is not File and node is not MISSING:
        return found | _NO_PLACE
    if op.manner == "other path" and op.other == op.path:
        return found | _OWN_PATH
    return found | _BY_MANNER[op.manner]


@drawn(MisuseUpload)
def _draw_misuse(draft: Draft, dice: Random, path: Path) -> MisuseUpload:
    content, manner = draft.content(dice), dice.choice(tuple(_BY_MANNER))
    return MisuseUpload(path, content, manner, (*path[:-1], dice.choice(draft.names)))
