"""isFile, isDirectory, and the listings: with a filter, of several paths, of files alone.

Source: filesystem.md, "boolean isDirectory(Path p)", "boolean isFile(Path p)", the sections on listStatus, and
"RemoteIterator[LocatedFileStatus] listFiles(Path path, boolean recursive)".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    Branch,
    Case,
    Difference,
    Level,
    Meaning,
    below_a_file,
    gives,
    returns,
)
from fsconform.model.filesystem.operations.listing import IsDirectory, IsFile, ListFiles, ListFiltered, ListMany
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.options.listing import FILTERED_LISTING_SHOWS_HIDDEN_FILES
from fsconform.model.filesystem.state import MISSING, UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.status.entries import DIRECTORY_STATUS, NOT_NULL, missing
from fsconform.model.filesystem.validity import COMMON_CASES, bits

Wanted = Callable[[State, Any], of.Entries]


def _exactly(wanted: Wanted, any_length: bool) -> Callable[[State, Any, object], bool]:
    return lambda root, op, listed: of.same(listed, wanted(root, op), any_length)


def _statuses(clause: str, expected: str, wanted: Wanted, also: tuple[str, ...] = ()) -> tuple[Branch, ...]:
    return (
        gives(clause, expected, _exactly(wanted, any_length=False), also=also),
        gives(
            DIRECTORY_STATUS,
            expected,
            _exactly(wanted, any_length=True),
            (DIRECTORIES_HAVE_LENGTH, True),
            departs=True,
            also=also,
        ),
    )


def _differs(clause: Callable[[Any], str], wanted: Wanted) -> Callable[[State, Any, Any], Difference | None]:
    def difference(root: State, op: Any, value: Any) -> Difference | None:
        if value is None:
            return Difference(NOT_NULL, "MUST NOT", "null")
        if not isinstance(value, tuple) or any(of.existing(root, path) is None for path in _paths(op)):
            return None
        words = of.wrong(value, wanted(root, op))
        level: Level = "MUST"
        return Difference(clause(op), level, words) if words else None

    return difference


def _paths(op: Any) -> tuple[Path, ...]:
    return op.paths if isinstance(op, ListMany) else (op.path,)


# isFile and isDirectory.


def _predicate(kind: type, clause: str, node_type: type) -> Meaning:
    def classify(root: State, op: Any) -> int:
        node = locate(root, op.path)
        found = bits(op.path, node)
        if type(node) is node_type:
            return found | 4
        return found | (8 if of.existing(root, op.path) is not None else 16)

    name = "file" if node_type is File else "directory"
    other = "directory" if node_type is File else "file"
    return Meaning(
        kind,
        (
            *COMMON_CASES,
            Case(name, clause, (returns(clause, True),)),
            Case(other, clause, (returns(clause, False),)),
            Case("missing", clause, (returns(clause, False),)),
        ),
        classify,
        derived=True,
    )


IS_FILE = _predicate(IsFile, "filesystem.isFile", File)
IS_DIRECTORY = _predicate(IsDirectory, "filesystem.isDirectory", Dir)


# listStatus with a filter.

_LIST = "filesystem.listStatus"
_LOCATED = "filesystem.listLocatedStatus"


def _filtered(root: State, op: ListFiltered) -> of.Entries:
    found = of.listing(root, op.path)
    return {path: node for path, node in found.items() if path and path[-1].startswith(op.prefix)}


def _with_hidden_files(root: State, op: ListFiltered, listed: object) -> bool:
    """What is wanted, and files that begin with a dot, of which the model knows nothing."""
    if not isinstance(listed, tuple):
        return False
    hidden = [one for one in listed if one.path and one.path[-1].startswith(".") and locate(root, one.path) is MISSING]
    return of.same(tuple(one for one in listed if one not in hidden), _filtered(root, op), any_length=True)


def _classify_filtered(root: State, op: ListFiltered) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    located = op.via == "located"
    if type(node) is Dir:
        return found | (64 if located else 4)
    if type(node) is File:
        return found | (64 if located else 8)
    return found | (128 if located else 16) | (32 if node is UNDER_FILE else 0)


LIST_FILTERED = Meaning(
    ListFiltered,
    (
        *COMMON_CASES,
        Case(
            "directory",
            f"{_LIST}.post.filtered",
            _statuses(
                f"{_LIST}.post.filtered", "the statuses of the children that the filter accepts", _filtered, (NOT_NULL,)
            ),
        ),
        Case(
            "file",
            f"{_LIST}.post.filtered",
            _statuses(
                f"{_LIST}.post.filtered", "the status of the file if the filter accepts it", _filtered, (NOT_NULL,)
            ),
        ),
        missing(f"{_LIST}.pre.exists"),
        below_a_file(f"{_LIST}.pre.exists"),
        Case(
            "located",
            f"{_LOCATED}.post",
            (
                *_statuses(
                    f"{_LOCATED}.post",
                    "the statuses of the entries that the filter accepts",
                    _filtered,
                    (f"{_LOCATED}.mandatory",),
                ),
                gives(
                    f"{_LOCATED}.post",
                    "hidden files too",
                    _with_hidden_files,
                    (FILTERED_LISTING_SHOWS_HIDDEN_FILES, True),
                    departs=True,
                ),
            ),
        ),
        Case("missing, located", f"{_LOCATED}.pre.exists", missing(f"{_LOCATED}.pre.exists").branches),
    ),
    _classify_filtered,
    _differs(lambda op: f"{_LOCATED}.post" if op.via == "located" else f"{_LIST}.post.filtered", _filtered),
    derived=True,
)


# listStatus of several paths.


def _of_all(root: State, op: ListMany) -> tuple[of.Entries, Counter[Path]]:
    found: dict[Path, Any] = {}
    times: Counter[Path] = Counter()
    for path in op.paths:
        listed = of.listing(root, path)
        found.update(listed)
        times.update(listed.keys())
    return found, times


def _many(any_length: bool, merged: bool) -> Callable[[State, ListMany, object], bool]:
    def check(root: State, op: ListMany, listed: object) -> bool:
        wanted, times = _of_all(root, op)
        if not of.covers(listed, wanted, any_length):
            return False
        assert isinstance(listed, tuple)
        count = Counter(status.path for status in listed)
        return count <= times if merged else count == times

    return check


def _classify_many(root: State, op: ListMany) -> int:
    found, lacking = 0, 0
    for path in op.paths:
        node = locate(root, path)
        found |= bits(path, node)
        if type(node) is not File and type(node) is not Dir:
            lacking |= 24 if node is UNDER_FILE else 8
    return found | (lacking or 4)


def _many_differs(root: State, op: ListMany, value: Any) -> Difference | None:
    if value is None:
        return Difference(NOT_NULL, "MUST NOT", "null")
    if not isinstance(value, tuple) or any(of.existing(root, path) is None for path in op.paths):
        return None
    words = of.wrong(value, *_of_all(root, op))
    return Difference(f"{_LIST}.many.post", "MUST", words) if words else None


_ALL_OF_THEM = "the statuses of each path's listing"

LIST_MANY = Meaning(
    ListMany,
    (
        *COMMON_CASES,
        Case(
            "existing",
            f"{_LIST}.many.post",
            (
                gives(f"{_LIST}.many.post", _ALL_OF_THEM, _many(False, False), also=(NOT_NULL,)),
                gives(f"{_LIST}.many.duplicates", _ALL_OF_THEM, _many(False, True), level="MAY"),
                gives(
                    DIRECTORY_STATUS,
                    _ALL_OF_THEM,
                    _many(True, True),
                    (DIRECTORIES_HAVE_LENGTH, True),
                    departs=True,
                ),
            ),
        ),
        missing(f"{_LIST}.many.pre.exist"),
        below_a_file(f"{_LIST}.many.pre.exist"),
    ),
    _classify_many,
    _many_differs,
    derived=True,
)


# listFiles: the words speak of files alone, the formulas of directories too, and of no file that is asked for itself
# recursively.

_FILES = "filesystem.listFiles"
_UNSETTLED = f"{_FILES}.unsettled"


def _files(root: State, op: ListFiles) -> of.Entries:
    return of.files(of.descendants(root, op.path) if op.recursive else of.listing(root, op.path))


def _with_directories(root: State, op: ListFiles) -> of.Entries:
    return of.descendants(root, op.path) if op.recursive else of.listing(root, op.path)


def _file_itself(root: State, op: ListFiles) -> of.Entries:
    return of.listing(root, op.path)


def _classify_files(root: State, op: ListFiles) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is Dir:
        return found | (8 if op.recursive else 4)
    if type(node) is File:
        return found | (32 if op.recursive else 16)
    return found | 64 | (128 if node is UNDER_FILE else 0)


def _listed_files(clause: str, expected: str) -> tuple[Branch, ...]:
    return (
        gives(clause, expected, _exactly(_files, any_length=False)),
        gives(
            _UNSETTLED,
            "directories too",
            _exactly(_with_directories, any_length=True),
            level="UNDEFINED",
            deviates=True,
        ),
    )


def _files_differ(root: State, op: ListFiles, value: Any) -> Difference | None:
    # That null is forbidden is said of listStatus; of a listing that is an iterator no answer is said at all.
    if not isinstance(value, tuple) or type(of.existing(root, op.path)) is not Dir:
        return None
    words = of.wrong(value, _files(root, op))
    return Difference(f"{_FILES}.post.{'recursive' if op.recursive else 'flat'}", "MUST", words) if words else None


LIST_FILES = Meaning(
    ListFiles,
    (
        *COMMON_CASES,
        Case(
            "directory, not recursive",
            f"{_FILES}.post.flat",
            _listed_files(f"{_FILES}.post.flat", "the statuses of the files in the directory"),
        ),
        Case(
            "directory, recursive",
            f"{_FILES}.post.recursive",
            _listed_files(f"{_FILES}.post.recursive", "the statuses of all files below the directory"),
        ),
        Case(
            "file, not recursive",
            f"{_FILES}.post.flat",
            (gives(f"{_FILES}.post.flat", "the status of the file", _exactly(_file_itself, any_length=False)),),
        ),
        Case(
            "file, recursive",
            _UNSETTLED,
            (
                gives(_UNSETTLED, "the status of the file", _exactly(_file_itself, False), level="UNDEFINED"),
                gives(_UNSETTLED, "nothing", _exactly(_files, False), level="UNDEFINED"),
            ),
        ),
        missing(f"{_FILES}.pre.exists"),
        below_a_file(f"{_FILES}.pre.exists"),
    ),
    _classify_files,
    _files_differ,
    derived=True,
)

MEANINGS: tuple[Meaning, ...] = (
    IS_FILE,
    IS_DIRECTORY,
    LIST_FILTERED,
    LIST_MANY,
    LIST_FILES,
)
