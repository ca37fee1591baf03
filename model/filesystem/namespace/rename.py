"""rename. Source: filesystem.md, "boolean rename(Path src, Path d)".

The final destination ``dest`` is ``d/filename(src)`` where ``d`` is a directory other than the source, else ``d``; all
checks are made on ``dest``. docs/errata.md says how the contradictory parts of the section are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from immutables import Map

from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import (
    ANY,
    Cases,
    below_a_file,
    lost,
    meaning,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.options.core import (
    CREATE_FILE_UNDER_FILE_ALLOWED,
    RENAME_CREATES_DEST_DIRS,
    RENAME_OVERWRITES_DEST,
    RENAME_REMOVE_DEST_IF_EMPTY_DIR,
    RENAME_RETURNS_FALSE_IF_DEST_EXISTS,
    RENAME_RETURNS_FALSE_IF_SOURCE_MISSING,
    RENAME_RETURNS_FALSE_ON_FAILURE,
)
from fsconform.model.filesystem.refusals import RELAXED
from fsconform.model.filesystem.state import (
    NO_PARENT,
    UNDER_FILE,
    Absence,
    Dir,
    File,
    Node,
    State,
    locate,
    made_over,
    node_at,
    put,
    remove,
    untimed,
    walk,
)
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    pass


_RENAME = "filesystem.rename"
_FALSE_ON_FAILURE = (RENAME_RETURNS_FALSE_ON_FAILURE, True)
_OVERWRITES = (RENAME_OVERWRITES_DEST, True)
_KEEPS = (RENAME_OVERWRITES_DEST, False)
_FALSE_IF_EXISTS = (RENAME_RETURNS_FALSE_IF_DEST_EXISTS, True)
_RAISES_IF_EXISTS = (RENAME_RETURNS_FALSE_IF_DEST_EXISTS, False)


@operation
@dataclass(frozen=True, slots=True)
class Rename(Operation):
    """``rename(src, dst)``."""

    NAME: ClassVar[str] = "rename"
    MUTATES: ClassVar[bool] = True
    src: Path
    dst: Path


def destination(root: State, op: Rename) -> Path:
    """The final destination of a rename whose source is not the root."""
    if op.dst != op.src and op.src and type(locate(root, op.dst)) is Dir:
        return (*op.dst, op.src[-1])
    return op.dst


def move(root: State, op: Rename) -> State:
    """What was at the source, and below it, is at the final destination, and nowhere else."""
    dest = (*op.dst, op.src[-1]) if type(locate(root, op.dst)) is Dir else op.dst
    return _moved_to(root, op.src, dest)


def replace(root: State, op: Rename) -> State:
    """As ``move``, to the named destination itself, which is an empty directory."""
    return _moved_to(root, op.src, op.dst)


def merge(root: State, op: Rename) -> State:
    """What is in the source joins what is in the destination directory; directories of one name become one."""
    dest, left = destination(root, op), remove(root, op.src)
    source, target = locate(root, op.src), locate(left, dest)
    assert type(source) is Dir and type(target) is Dir
    return put(left, dest, _merged(source, target))


def _merged(source: Dir, target: Dir) -> Dir:
    """Two trees in one: where both have an entry that of ``source`` counts, unless both have a directory there."""

    def change(path: Path, node: Dir, children: Map[str, Node]) -> Dir:
        met = node_at(target, path)
        if type(met) is not Dir:
            return Dir(children, node.meta) if children is not node.children else node
        return Dir(met.children.update(children), untimed(met.meta))

    return made_over(source, change)


def _mergeable(source: Dir, target: Dir) -> bool:
    """True if nothing is lost by a merge: only directories have names that are taken, and by directories."""
    for path, node in walk(source):
        met = node_at(target, path)
        if not isinstance(met, Absence) and path and not (type(node) is Dir and type(met) is Dir):
            return False
    return True


def _moved_to(root: State, src: Path, dest: Path) -> State:
    node = locate(root, src)
    assert not isinstance(node, Absence)
    return put(remove(root, src), dest, node)


_REFUSED_BELOW_FILE = (
    *runtime_instead((raises(f"{_RENAME}.pre.parent-not-a-file", "IOException"),)),
    returns(f"{_RENAME}.pre.parent-not-a-file", False, _FALSE_ON_FAILURE, departs=True),
)

_REFUSED_ON_DIRECTORY = (
    *runtime_instead(
        (
            raises(f"{_RENAME}.onto-directory", "FileAlreadyExistsException", _RAISES_IF_EXISTS),
            raises(f"{_RENAME}.onto-directory", "IOException", _RAISES_IF_EXISTS),
        )
    ),
    returns(f"{_RENAME}.onto-directory", False, _FALSE_IF_EXISTS, departs=True),
)

_REFUSED_OR_MERGED = (
    *_REFUSED_ON_DIRECTORY,
    returns(
        f"{_RENAME}.onto-directory",
        True,
        _RAISES_IF_EXISTS,
        effect=merge,
        expected="return true and merge the directories",
    ),
)

_MET = Cases(*COMMON_CASES)
_SOURCE_MISSING = _MET.case(
    "source missing",
    f"{_RENAME}.pre.source-exists",
    (
        *runtime_instead(
            (
                raises(
                    f"{_RENAME}.pre.source-exists",
                    "FileNotFoundException",
                    (RENAME_RETURNS_FALSE_IF_SOURCE_MISSING, False),
                ),
                raises(
                    f"{_RENAME}.pre.source-exists",
                    "IOException",
                    (RENAME_RETURNS_FALSE_IF_SOURCE_MISSING, False),
                    RELAXED,
                    departs=True,
                ),
            )
        ),
        returns(
            f"{_RENAME}.pre.source-exists",
            False,
            (RENAME_RETURNS_FALSE_IF_SOURCE_MISSING, True),
            departs=True,
        ),
    ),
)
_ROOT = _MET.case(
    "source is the root",
    f"{_RENAME}.pre.not-root",
    (
        *runtime_instead((raises(f"{_RENAME}.pre.not-root", "IOException"),)),
        returns(f"{_RENAME}.pre.not-root", False, _FALSE_ON_FAILURE, departs=True),
    ),
)
_BELOW_SOURCE = _MET.case(
    "destination below the source",
    f"{_RENAME}.pre.not-below-itself",
    (
        *runtime_instead((raises(f"{_RENAME}.pre.not-below-itself", "IOException"),)),
        returns(f"{_RENAME}.pre.not-below-itself", False, _FALSE_ON_FAILURE, departs=True),
    ),
)
_NO_PARENT = _MET.case(
    "parent of the destination missing",
    f"{_RENAME}.pre.parent-exists",
    (
        *runtime_instead((raises(f"{_RENAME}.pre.parent-exists", "IOException", (RENAME_CREATES_DEST_DIRS, False)),)),
        returns(
            f"{_RENAME}.pre.parent-exists",
            False,
            (RENAME_CREATES_DEST_DIRS, False),
            _FALSE_ON_FAILURE,
            departs=True,
        ),
        returns(f"{_RENAME}.missing-parent", True, (RENAME_CREATES_DEST_DIRS, True), effect=move, level="MAY"),
    ),
)
_PARENT_NOT_DIRECTORY = _MET.case(
    "an ancestor of the destination is a file", f"{_RENAME}.pre.parent-not-a-file", _REFUSED_BELOW_FILE
)
_FILE_ON_FILE = _MET.case(
    "file onto an existing file",
    f"{_RENAME}.pre.no-file-at-destination",
    (
        *runtime_instead(
            (
                raises(
                    f"{_RENAME}.pre.no-file-at-destination",
                    "FileAlreadyExistsException",
                    _KEEPS,
                    _RAISES_IF_EXISTS,
                ),
                raises(f"{_RENAME}.pre.no-file-at-destination", "IOException", _KEEPS, _RAISES_IF_EXISTS),
            )
        ),
        returns(f"{_RENAME}.pre.no-file-at-destination", False, _KEEPS, _FALSE_IF_EXISTS, departs=True),
        returns(f"{_RENAME}.pre.no-file-at-destination", True, _OVERWRITES, effect=move, departs=True),
    ),
)
_FILE_ON_FILE_IN_DIRECTORY = _MET.case(
    "file into a directory that has a file of that name",
    f"{_RENAME}.pre.no-file-at-destination",
    (
        *runtime_instead(
            (
                raises(f"{_RENAME}.pre.no-file-at-destination", "FileAlreadyExistsException", _RAISES_IF_EXISTS),
                raises(f"{_RENAME}.pre.no-file-at-destination", "IOException", _RAISES_IF_EXISTS),
            )
        ),
        returns(f"{_RENAME}.pre.no-file-at-destination", False, _FALSE_IF_EXISTS, departs=True),
        returns(f"{_RENAME}.pre.no-file-at-destination", True, _OVERWRITES, effect=move, departs=True),
    ),
)
_DIRECTORY_ON_FILE = _MET.case(
    "directory onto an existing file",
    f"{_RENAME}.pre.no-file-at-destination",
    (
        *runtime_instead(
            (
                raises(f"{_RENAME}.pre.no-file-at-destination", "FileAlreadyExistsException", _RAISES_IF_EXISTS),
                raises(f"{_RENAME}.pre.no-file-at-destination", "IOException", _RAISES_IF_EXISTS),
            )
        ),
        returns(f"{_RENAME}.pre.no-file-at-destination", False, _FALSE_IF_EXISTS, departs=True),
    ),
)
_ON_DIRECTORY = _MET.case(
    "directory into a directory that has a directory of that name",
    f"{_RENAME}.onto-directory",
    _REFUSED_ON_DIRECTORY,
)
_FILE_TO_ITSELF = _MET.case(
    "file to itself",
    f"{_RENAME}.post.file-to-itself",
    (returns(f"{_RENAME}.post.file-to-itself", True),),
)
_DIRECTORY_TO_ITSELF = _MET.case(
    "directory to itself",
    f"{_RENAME}.post.directory-to-itself",
    (
        returns(f"{_RENAME}.post.directory-to-itself", ANY, level="UNDEFINED"),
        raises(f"{_RENAME}.post.directory-to-itself", "IOException", level="UNDEFINED"),
    ),
)
_TO_EMPTY_DIRECTORY = _MET.case(
    "directory to an empty directory",
    f"{_RENAME}.post.into-directory",
    (
        returns(
            f"{_RENAME}.post.into-directory",
            True,
            (RENAME_REMOVE_DEST_IF_EMPTY_DIR, False),
            effect=move,
            expected="return true and move the source below the destination",
        ),
        returns(
            f"{_RENAME}.post.into-directory",
            True,
            (RENAME_REMOVE_DEST_IF_EMPTY_DIR, True),
            effect=replace,
            departs=True,
            expected="return true and put the source in the destination's place",
        ),
    ),
)
_FILE_TO_FREE = _MET.case(
    "file to a free destination",
    f"{_RENAME}.post.file",
    (returns(f"{_RENAME}.post.file", True, effect=move),),
)
_DIRECTORY_TO_FREE = _MET.case(
    "directory to a free destination",
    f"{_RENAME}.post.directory",
    (returns(f"{_RENAME}.post.directory", True, effect=move),),
)
_SOURCE_BELOW_FILE = _MET.add(below_a_file(f"{_RENAME}.pre.source-exists"))
_ON_MERGEABLE_DIRECTORY = _MET.case(
    "directory into a directory that has a directory of that name",
    f"{_RENAME}.onto-directory",
    _REFUSED_OR_MERGED,
)
_REMOTE_ANCESTOR_NOT_DIRECTORY = _MET.case(
    "an ancestor of the destination is a file",
    f"{_RENAME}.pre.parent-not-a-file",
    (
        *_REFUSED_BELOW_FILE,
        returns(
            f"{_RENAME}.pre.parent-not-a-file",
            True,
            (RENAME_CREATES_DEST_DIRS, True),
            (CREATE_FILE_UNDER_FILE_ALLOWED, True),
            effect=lost,
            departs=True,
            expected="return true and put the source below the file",
        ),
    ),
)
_FILE_INTO_ITS_DIRECTORY = _MET.case(
    "file into the directory it is in",
    f"{_RENAME}.post.file-to-itself",
    (returns(f"{_RENAME}.post.file-to-itself", True),),
)
_FILE_ON_DIRECTORY = _MET.case(
    "file into a directory that has a directory of that name",
    f"{_RENAME}.onto-directory",
    _REFUSED_ON_DIRECTORY,
)
_DIRECTORY_INTO_DIRECTORY = _MET.case(
    "directory into a directory",
    f"{_RENAME}.post.into-directory",
    (returns(f"{_RENAME}.post.into-directory", True, effect=move),),
)
_MISSING_ON_DIRECTORY = _MET.case(
    "into a directory that has a directory of that name", f"{_RENAME}.onto-directory", _REFUSED_ON_DIRECTORY
)
_ON_DIRECTORY_MERGEABLE_BELOW = _MET.case(
    "directory onto one with directories of the same names", f"{_RENAME}.onto-directory", _REFUSED_OR_MERGED
)


@meaning(Rename, _MET)
def _classify(root: State, op: Rename) -> int:
    src, dst = op.src, op.dst
    if not src:
        return _ROOT if dst else _DIRECTORY_TO_ITSELF
    source, target = locate(root, src), locate(root, dst)
    found = bits(src, source) | bits(dst, target)
    if src == dst and not isinstance(source, Absence):
        return found | (_FILE_TO_ITSELF if type(source) is File else _DIRECTORY_TO_ITSELF)
    dest = dst
    if type(target) is Dir and src != dst:
        dest = (*dst, src[-1])
        found |= bits(dest, locate(root, dest))
    failed = _failed(root, op, source, target, dest)
    if failed:
        return found | failed
    if dest == src:
        return found | (_FILE_INTO_ITS_DIRECTORY if type(source) is File else _DIRECTORY_TO_ITSELF)
    if type(source) is File:
        return found | _FILE_TO_FREE
    if type(target) is not Dir:
        return found | _DIRECTORY_TO_FREE
    return found | (_DIRECTORY_INTO_DIRECTORY if target.children else _TO_EMPTY_DIRECTORY)


def _failed(root: State, op: Rename, source: Node | Absence, target: Node | Absence, dest: Path) -> int:
    failed = _SOURCE_MISSING if isinstance(source, Absence) else 0
    if source is UNDER_FILE:
        failed |= _SOURCE_BELOW_FILE
    if is_ancestor(op.src, dest):
        failed |= _BELOW_SOURCE
    if dest == op.dst:
        found = target
        if found is UNDER_FILE:
            parent = type(locate(root, dest[:-1]))
            failed |= _PARENT_NOT_DIRECTORY if parent is File else _REMOTE_ANCESTOR_NOT_DIRECTORY
        elif found is NO_PARENT:
            failed |= _NO_PARENT
    else:
        found = locate(root, dest)
    if dest == op.src:
        return failed
    if type(found) is File:
        if type(source) is Dir:
            failed |= _DIRECTORY_ON_FILE
        elif dest == op.dst:
            failed |= _FILE_ON_FILE
        else:
            failed |= _FILE_ON_FILE_IN_DIRECTORY
    elif type(found) is Dir:
        # Without the source: a directory that is renamed onto its own parent does not stand in its own way.
        rest = found if isinstance(source, Absence) else locate(remove(root, op.src), dest)
        failed |= _on_directory(source, rest if type(rest) is Dir else found)
    return failed


def _on_directory(source: Node | Absence, target: Dir) -> int:
    if type(source) is not Dir:
        return _FILE_ON_DIRECTORY if type(source) is File else _MISSING_ON_DIRECTORY
    if not any(name in target.children for name in source.children):
        return _ON_MERGEABLE_DIRECTORY
    return _ON_DIRECTORY_MERGEABLE_BELOW if _mergeable(source, target) else _ON_DIRECTORY
