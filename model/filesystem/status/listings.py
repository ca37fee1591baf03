"""isFile, isDirectory, and the listings: with a filter, of several paths, of files alone.

Source: filesystem.md, "boolean isDirectory(Path p)", "boolean isFile(Path p)", the sections on listStatus, and
"RemoteIterator[LocatedFileStatus] listFiles(Path path, boolean recursive)".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn, drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    Branch,
    Cases,
    Difference,
    Level,
    below_a_file,
    gives,
    meaning,
    returns,
)
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.options.listing import FILTERED_LISTING_SHOWS_HIDDEN_FILES
from fsconform.model.filesystem.state import MISSING, UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.status.entries import DIRECTORY_STATUS, NOT_NULL, missing
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


PREFIXES = ("", "a", "ab", "b")
"""With what names begin that a drawn filter accepts."""

Wanted = Callable[[State, Any], of.Entries]


@operation
@dataclass(frozen=True, slots=True)
class IsFile(Operation):
    """``isFile(path)``. Returns true or false."""

    NAME: ClassVar[str] = "isFile"
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class IsDirectory(Operation):
    """``isDirectory(path)``. Returns true or false."""

    NAME: ClassVar[str] = "isDirectory"
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class ListFiltered(Operation):
    """``listStatus(path, filter)``, where the filter accepts the names that begin with ``prefix``. Returns statuses."""

    NAME: ClassVar[str] = "listStatus with filter"
    VIAS: ClassVar[tuple[str, ...]] = (
        "located",
        "context",
    )
    path: Path
    prefix: str
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class ListMany(Operation):
    """``listStatus(paths)``. Returns the statuses of all."""

    NAME: ClassVar[str] = "listStatus of several"
    VIAS: ClassVar[tuple[str, ...]] = ("filter",)
    paths: tuple[Path, ...]
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class ListFiles(Operation):
    """``listFiles(path, recursive)``, drained. Returns statuses."""

    NAME: ClassVar[str] = "listFiles"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    recursive: bool
    via: str = ""


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


def _enter_predicate(kind: type[IsFile | IsDirectory], clause: str, node_type: type) -> None:
    name, other = ("file", "directory") if node_type is File else ("directory", "file")
    met = Cases(*COMMON_CASES)
    asked = met.case(name, clause, (returns(clause, True),))
    of_other = met.case(other, clause, (returns(clause, False),))
    nothing = met.case("missing", clause, (returns(clause, False),))

    @meaning(kind, met, derived=True)
    def _classify(root: State, op: IsFile | IsDirectory) -> int:
        node = locate(root, op.path)
        found = bits(op.path, node)
        if type(node) is node_type:
            return found | asked
        return found | (of_other if of.existing(root, op.path) is not None else nothing)


_enter_predicate(IsFile, "filesystem.isFile", File)
_enter_predicate(IsDirectory, "filesystem.isDirectory", Dir)


# listStatus with a filter.

_LIST = "filesystem.listStatus"
_LOCATED = "filesystem.listLocatedStatus"


def _accepted(root: State, op: ListFiltered) -> of.Entries:
    found = of.listing(root, op.path)
    return {path: node for path, node in found.items() if path and path[-1].startswith(op.prefix)}


def _with_hidden_files(root: State, op: ListFiltered, listed: object) -> bool:
    """What is wanted, and files that begin with a dot, of which the model knows nothing."""
    if not isinstance(listed, tuple):
        return False
    hidden = [one for one in listed if one.path and one.path[-1].startswith(".") and locate(root, one.path) is MISSING]
    return of.same(tuple(one for one in listed if one not in hidden), _accepted(root, op), any_length=True)


_FILTERED = Cases(*COMMON_CASES)
_DIRECTORY = _FILTERED.case(
    "directory",
    f"{_LIST}.post.filtered",
    _statuses(f"{_LIST}.post.filtered", "the statuses of the children that the filter accepts", _accepted, (NOT_NULL,)),
)
_FILE = _FILTERED.case(
    "file",
    f"{_LIST}.post.filtered",
    _statuses(f"{_LIST}.post.filtered", "the status of the file if the filter accepts it", _accepted, (NOT_NULL,)),
)
_ABSENT = _FILTERED.add(missing(f"{_LIST}.pre.exists"))
_BELOW_FILE = _FILTERED.add(below_a_file(f"{_LIST}.pre.exists"))
_BY_LOCATED = _FILTERED.case(
    "located",
    f"{_LOCATED}.post",
    (
        *_statuses(
            f"{_LOCATED}.post",
            "the statuses of the entries that the filter accepts",
            _accepted,
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
)
_ABSENT_LOCATED = _FILTERED.case(
    "missing, located", f"{_LOCATED}.pre.exists", missing(f"{_LOCATED}.pre.exists").branches
)


@meaning(
    ListFiltered,
    _FILTERED,
    differs=_differs(lambda op: f"{_LOCATED}.post" if op.via == "located" else f"{_LIST}.post.filtered", _accepted),
    derived=True,
)
def _classify_filtered(root: State, op: ListFiltered) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    located = op.via == "located"
    if type(node) is Dir:
        return found | (_BY_LOCATED if located else _DIRECTORY)
    if type(node) is File:
        return found | (_BY_LOCATED if located else _FILE)
    return found | (_ABSENT_LOCATED if located else _ABSENT) | (_BELOW_FILE if node is UNDER_FILE else 0)


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


def _many_differs(root: State, op: ListMany, value: Any) -> Difference | None:
    if value is None:
        return Difference(NOT_NULL, "MUST NOT", "null")
    if not isinstance(value, tuple) or any(of.existing(root, path) is None for path in op.paths):
        return None
    words = of.wrong(value, *_of_all(root, op))
    return Difference(f"{_LIST}.many.post", "MUST", words) if words else None


_ALL_OF_THEM = "the statuses of each path's listing"

_SEVERAL = Cases(*COMMON_CASES)
_ALL_EXIST = _SEVERAL.case(
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
)
_ONE_ABSENT = _SEVERAL.add(missing(f"{_LIST}.many.pre.exist"))
_ONE_BELOW_FILE = _SEVERAL.add(below_a_file(f"{_LIST}.many.pre.exist"))


@meaning(ListMany, _SEVERAL, differs=_many_differs, derived=True)
def _classify_many(root: State, op: ListMany) -> int:
    found, lacking = 0, 0
    for path in op.paths:
        node = locate(root, path)
        found |= bits(path, node)
        if type(node) is not File and type(node) is not Dir:
            lacking |= (_ONE_ABSENT | _ONE_BELOW_FILE) if node is UNDER_FILE else _ONE_ABSENT
    return found | (lacking or _ALL_EXIST)


# listFiles: the words speak of files alone, the formulas of directories too, and of no file that is asked for itself
# recursively.

_LIST_FILES = "filesystem.listFiles"
_UNSETTLED = f"{_LIST_FILES}.unsettled"


def _files(root: State, op: ListFiles) -> of.Entries:
    return of.files(of.descendants(root, op.path) if op.recursive else of.listing(root, op.path))


def _with_directories(root: State, op: ListFiles) -> of.Entries:
    return of.descendants(root, op.path) if op.recursive else of.listing(root, op.path)


def _file_itself(root: State, op: ListFiles) -> of.Entries:
    return of.listing(root, op.path)


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
    return Difference(f"{_LIST_FILES}.post.{'recursive' if op.recursive else 'flat'}", "MUST", words) if words else None


_OF_FILES = Cases(*COMMON_CASES)
_FLAT = _OF_FILES.case(
    "directory, not recursive",
    f"{_LIST_FILES}.post.flat",
    _listed_files(f"{_LIST_FILES}.post.flat", "the statuses of the files in the directory"),
)
_RECURSIVE = _OF_FILES.case(
    "directory, recursive",
    f"{_LIST_FILES}.post.recursive",
    _listed_files(f"{_LIST_FILES}.post.recursive", "the statuses of all files below the directory"),
)
_FILE_FLAT = _OF_FILES.case(
    "file, not recursive",
    f"{_LIST_FILES}.post.flat",
    (gives(f"{_LIST_FILES}.post.flat", "the status of the file", _exactly(_file_itself, any_length=False)),),
)
_FILE_RECURSIVE = _OF_FILES.case(
    "file, recursive",
    _UNSETTLED,
    (
        gives(_UNSETTLED, "the status of the file", _exactly(_file_itself, False), level="UNDEFINED"),
        gives(_UNSETTLED, "nothing", _exactly(_files, False), level="UNDEFINED"),
    ),
)
_NO_ROOT = _OF_FILES.add(missing(f"{_LIST_FILES}.pre.exists"))
_ROOT_BELOW_FILE = _OF_FILES.add(below_a_file(f"{_LIST_FILES}.pre.exists"))


@meaning(ListFiles, _OF_FILES, differs=_files_differ, derived=True)
def _classify_files(root: State, op: ListFiles) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is Dir:
        return found | (_RECURSIVE if op.recursive else _FLAT)
    if type(node) is File:
        return found | (_FILE_RECURSIVE if op.recursive else _FILE_FLAT)
    return found | _NO_ROOT | (_ROOT_BELOW_FILE if node is UNDER_FILE else 0)


drawn_plainly(IsFile, IsDirectory)


@drawn(ListFiltered)
def _draw_filtered(_draft: Draft, dice: Random, path: Path) -> ListFiltered:
    return ListFiltered(path, dice.choice(PREFIXES), dice.choice(("", *ListFiltered.VIAS)))


@drawn(ListMany)
def _draw_many(draft: Draft, dice: Random, path: Path) -> ListMany:
    others = [draft.anywhere(dice, True) for _ in range(dice.randint(0, 2))]
    return ListMany((path, *others), dice.choice(("", *ListMany.VIAS)))


@drawn(ListFiles)
def _draw_files(_draft: Draft, dice: Random, path: Path) -> ListFiles:
    return ListFiles(path, dice.random() < 0.5, dice.choice(("", *ListFiles.VIAS)))
