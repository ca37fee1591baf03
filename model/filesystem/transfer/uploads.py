"""Uploads in parts: all parts are put, and the upload is completed or aborted. Source: multipartuploader.md."""

from __future__ import annotations

from fsconform.model.filesystem.branches import Branch, Case, Meaning, keep, lost, raises, returns
from fsconform.model.filesystem.operations.changes import Upload
from fsconform.model.filesystem.options.changes import SUPPORTS_MULTIPARTUPLOADER
from fsconform.model.filesystem.options.core import CREATE_FILE_UNDER_FILE_ALLOWED
from fsconform.model.filesystem.refusals import one_of
from fsconform.model.filesystem.state import EMPTY_DIR, NO_PARENT, UNDER_FILE, Dir, File, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_UPLOAD = "multipartuploader"
_SUPPORTED = (SUPPORTS_MULTIPARTUPLOADER, True)
_UNSUPPORTED = (SUPPORTS_MULTIPARTUPLOADER, False)


def write(root: State, op: Upload) -> State:
    """The file holds exactly the parts, by rising number."""
    return put(root, op.path, File(op.content))


def make_parents(root: State, op: Upload) -> State:
    """Nothing is at the destination; its parents have come to be."""
    return put(root, op.path[:-1], EMPTY_DIR)


_ROOT, _DIRECTORY, _BELOW_FILE, _ABORTED, _ABORTED_BELOW, _REVERSED, _COMPLETED, _IN_PARTS, _NO_PARTS, _NO_PARENT = (
    1 << bit for bit in range(2, 12)
)
_ABORTED_BELOW_FILE = 1 << 12


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


def _refused(*branches: Branch) -> tuple[Branch, ...]:
    clause = f"{_UPLOAD}.complete.post.data"
    return (*branches, raises(clause, "UnsupportedOperationException", _UNSUPPORTED))


def _completed(clause: str) -> Branch:
    return returns(clause, None, _SUPPORTED, effect=write)


# Which sizes a store takes is its own affair, and the failed upload leaves nothing behind that could be seen.
_PART_SIZE = raises(f"{_UPLOAD}.complete.pre.part-size", "IOException", _SUPPORTED)
_DATA, _ORDER, _ABORT = (f"{_UPLOAD}.{name}" for name in ("complete.post.data", "invariant.upload-order", "abort.post"))

UPLOAD = Meaning(
    Upload,
    (
        *COMMON_CASES,
        Case(
            "the root",
            f"{_UPLOAD}.startUpload.pre.not-root",
            _refused(*one_of(f"{_UPLOAD}.startUpload.pre.not-root", "IOException")),
        ),
        Case(
            "directory",
            f"{_UPLOAD}.startUpload.pre.not-a-directory",
            _refused(*one_of(f"{_UPLOAD}.startUpload.pre.not-a-directory", "IOException")),
        ),
        # No precondition forbids it; that every parent is a directory does.
        Case(
            "below a file",
            _DATA,
            _refused(
                *one_of(_DATA, "IOException"),
                returns(_DATA, None, _SUPPORTED, (CREATE_FILE_UNDER_FILE_ALLOWED, True), effect=lost, departs=True),
            ),
        ),
        Case("aborted", _ABORT, _refused(returns(_ABORT, None, _SUPPORTED))),
        Case(
            "aborted, and its parent missing",
            _ABORT,
            _refused(
                returns(_ABORT, None, _SUPPORTED, effect=keep), returns(_ABORT, None, _SUPPORTED, effect=make_parents)
            ),
        ),
        Case(
            "parts put in reverse order",
            _DATA,
            _refused(
                Branch(_ORDER, "MUST NOT", "put the parts in their order", write, when=(_SUPPORTED,), also=(_DATA,)),
                _PART_SIZE,
            ),
        ),
        Case("one part", _DATA, _refused(_completed(_DATA))),
        Case("parts", _DATA, _refused(_completed(_DATA), _PART_SIZE)),
        Case(
            "no parts",
            f"{_UPLOAD}.complete.pre.parts",
            _refused(*one_of(f"{_UPLOAD}.complete.pre.parts", "IOException", "IllegalArgumentException")),
        ),
        # Nothing says whether the parents have to be there; HDFS wants it, object stores have no need to ask.
        Case("parent missing", _DATA, _refused(_completed(_DATA), raises(_DATA, "IOException", _SUPPORTED))),
        # What is aborted need never have been possible.
        Case(
            "aborted, and below a file",
            _ABORT,
            _refused(returns(_ABORT, None, _SUPPORTED), *one_of(_ABORT, "IOException")),
        ),
    ),
    _classify,
)
