"""Where a path leads to: home and working directory, relative paths, resolved paths and enclosing roots.

Source: filesystem.md, "class org.apache.hadoop.fs.FileSystem", "Path getHomeDirectory()" and
"Path getEnclosingRoot(Path p)".
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import show
from fsconform.model.filesystem.branches import (
    Case,
    Difference,
    Meaning,
    below_a_file,
    gives,
    raises,
    runtime_instead,
)
from fsconform.model.filesystem.metadata.setting import UNSUPPORTED, answers
from fsconform.model.filesystem.operations.metadata import (
    GetEnclosingRoot,
    GetHomeDirectory,
    ResolvePath,
    WorkingDirectory,
)
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits, lenient_bits

_HOME = "filesystem.getHomeDirectory.post"


def _home_difference(_root: State, _op: GetHomeDirectory, value: Any) -> Difference | None:
    if not isinstance(value, Facts) or value.get("absolute") is not True:
        return Difference(_HOME, "MUST", "no absolute path")
    if value.get("ofThisStore") is not True:
        return Difference(_HOME, "MUST", "a path of another store")
    return None


def _is_home(root: State, op: GetHomeDirectory, value: Any) -> bool:
    return _home_difference(root, op, value) is None


GET_HOME_DIRECTORY = Meaning(
    GetHomeDirectory,
    (*COMMON_CASES, Case("any state", _HOME, (gives(_HOME, "a path of the filesystem", _is_home),))),
    lambda _root, _op: 4,
    _home_difference,
)

_RELATIVE = "filesystem.relative-paths"
_WORKING = "filesystem.working-directory"
_STATUS = "filesystem.getFileStatus"


def _relative_difference(root: State, op: WorkingDirectory, value: Any) -> Difference | None:
    path = op.path + op.below
    node = locate(root, path)
    if not isinstance(value, Facts) or value.get("path") != show(path):
        return Difference(_RELATIVE, "MUST", "the status of another path", "path", show(path))
    if value.get("working") != show(op.path):
        return Difference(_RELATIVE, "MUST", "another working directory than was set", "working", show(op.path))
    if value.get("others") is False:
        return Difference(_WORKING, "MUST", "a change of another client's working directory")
    if value.get("directory") is not (type(node) is Dir):
        return Difference(_RELATIVE, "MUST", "a status of another type")
    if isinstance(node, File) and value.get("length") != contents.length(node.content):
        return Difference(_RELATIVE, "MUST", "a wrong length", "length", f"{contents.length(node.content)} bytes")
    return None


def _right_relative(root: State, op: WorkingDirectory, value: Any) -> bool:
    return _long_relative(root, op, value) and (value.get("directory") is False or not value.get("length"))


def _long_relative(root: State, op: WorkingDirectory, value: Any) -> bool:
    return _relative_difference(root, op, value) is None


def _classify_working(root: State, op: WorkingDirectory) -> int:
    path = op.path + op.below
    node = locate(root, path)
    found = bits(path, node)
    if isinstance(node, File | Dir):
        return found | (16 if type(node) is File and not op.below else 4)
    return found | 8


_BELOW = (
    gives(_RELATIVE, "status of the path below the working directory", _right_relative, also=(_WORKING,)),
    gives(
        f"{_STATUS}.post.directory",
        "status of the path below the working directory",
        _long_relative,
        (DIRECTORIES_HAVE_LENGTH, True),
        departs=True,
        also=(_RELATIVE, _WORKING),
    ),
)

WORKING_DIRECTORY = Meaning(
    WorkingDirectory,
    (
        *COMMON_CASES,
        Case("existing", _RELATIVE, _BELOW),
        Case(
            "missing",
            f"{_STATUS}.pre.exists",
            runtime_instead((raises(f"{_STATUS}.pre.exists", "FileNotFoundException"),)),
        ),
        # That a file may be refused as a working directory is not said, nor that it may not.
        Case("a file as working directory", _RELATIVE, (*_BELOW, raises(_RELATIVE, "IOException"))),
    ),
    _classify_working,
    _relative_difference,
)


def _is_path(_root: State, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts) and isinstance(value.get("path"), str)


def _classify_resolve(root: State, op: ResolvePath) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (4 if isinstance(node, File | Dir) else 8)


RESOLVE_PATH = Meaning(
    ResolvePath,
    (
        *COMMON_CASES,
        Case("existing", UNSUPPORTED, answers("a path", _is_path)),
        Case(
            "missing",
            UNSUPPORTED,
            (*answers("a path", _is_path), *runtime_instead((raises(UNSUPPORTED, "IOException"),))),
        ),
    ),
    _classify_resolve,
)

_ENCLOSING = "filesystem.getEnclosingRoot"
_OF_ROOTS = tuple(f"{_ENCLOSING}.post.{name}" for name in ("ancestor", "directory", "idempotent", "default"))


def _enclosing_difference(_root: State, _op: GetEnclosingRoot, value: Any) -> Difference | None:
    if not isinstance(value, Facts):
        return Difference(f"{_ENCLOSING}.post.default", "MUST", "no path")
    if value.get("above") is not True:
        return Difference(f"{_ENCLOSING}.post.ancestor", "MUST", "neither the path nor an ancestor")
    if value.get("directory") is not True:
        return Difference(f"{_ENCLOSING}.post.directory", "MUST", "what is no directory")
    if value.get("again") is False:
        return Difference(f"{_ENCLOSING}.post.idempotent", "MUST", "a root with another enclosing root")
    return None


def _encloses(root: State, op: GetEnclosingRoot, value: Any) -> bool:
    return _enclosing_difference(root, op, value) is None


def _classify_enclosing(root: State, op: GetEnclosingRoot) -> int:
    node = locate(root, op.path)
    below = 16 if node is UNDER_FILE else 0
    return lenient_bits(op.path, node) | below | (4 if isinstance(node, File | Dir) else 8)


GET_ENCLOSING_ROOT = Meaning(
    GetEnclosingRoot,
    (
        *COMMON_CASES,
        Case(
            "existing",
            f"{_ENCLOSING}.post.ancestor",
            (gives(f"{_ENCLOSING}.post.ancestor", "the path, or a directory above it", _encloses, also=_OF_ROOTS[1:]),),
        ),
        Case(
            "missing",
            f"{_ENCLOSING}.missing",
            (gives(f"{_ENCLOSING}.missing", "the path, or a directory above it", _encloses, also=_OF_ROOTS),),
        ),
        # What is below a file can't come to exist: this case may fail beside "missing", and answer beside it.
        below_a_file(f"{_ENCLOSING}.missing"),
    ),
    _classify_enclosing,
    _enclosing_difference,
)

MEANINGS: tuple[Meaning, ...] = (GET_HOME_DIRECTORY, WORKING_DIRECTORY, RESOLVE_PATH, GET_ENCLOSING_ROOT)
