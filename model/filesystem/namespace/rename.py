"""rename, in the order of its section in the specification: destination, preconditions, postconditions.

Source: filesystem.md, "boolean rename(Path src, Path d)", whose ``d`` is ``dst`` here. docs/errata.md says how the
contradictory parts of the section are read. What its postconditions and implementation notes tell of single filesystems
are options of the cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from immutables import Map

from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.option import Literal
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import (
    ANY,
    Branch,
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

_RENAME = "filesystem.rename"
_FALSE_ON_FAILURE = (RENAME_RETURNS_FALSE_ON_FAILURE, True)
_OVERWRITES = (RENAME_OVERWRITES_DEST, True)
_KEEPS = (RENAME_OVERWRITES_DEST, False)
_FALSE_IF_EXISTS = (RENAME_RETURNS_FALSE_IF_DEST_EXISTS, True)
_RAISES_IF_EXISTS = (RENAME_RETURNS_FALSE_IF_DEST_EXISTS, False)
_FALSE_IF_MISSING = (RENAME_RETURNS_FALSE_IF_SOURCE_MISSING, True)
_RAISES_IF_MISSING = (RENAME_RETURNS_FALSE_IF_SOURCE_MISSING, False)
_MAKES_PARENTS = (RENAME_CREATES_DEST_DIRS, True)
_NEEDS_PARENT = (RENAME_CREATES_DEST_DIRS, False)


@operation
@dataclass(frozen=True, slots=True)
class Rename(Operation):
    """``rename(src, dst)``."""

    NAME: ClassVar[str] = "rename"
    MUTATES: ClassVar[bool] = True
    src: Path
    dst: Path


# --- the final destination, on which all checks are made


def destination(root: State, op: Rename) -> Path:
    """``dest``: below an existing directory under the name of the source, unless that is the source itself.

    The source is not the root.
    """
    if op.dst != op.src and op.src and type(locate(root, op.dst)) is Dir:
        return (*op.dst, op.src[-1])
    return op.dst


# --- what a rename does


def move(root: State, op: Rename) -> State:
    """What was at the source, and below it, is at ``dest``, and nowhere else."""
    return _moved_to(root, op.src, destination(root, op))


def take_place(root: State, op: Rename) -> State:
    """As ``move``, to ``dst`` itself, which is an empty directory, and not below it."""
    return _moved_to(root, op.src, op.dst)


def _moved_to(root: State, src: Path, dest: Path) -> State:
    node = locate(root, src)
    assert not isinstance(node, Absence)
    return put(remove(root, src), dest, node)


def merge(root: State, op: Rename) -> State:
    """What is in the source joins what is in the directory at ``dest``; directories of one name become one."""
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


# --- preconditions


def _refused(broken: str) -> tuple[Branch, ...]:
    return (
        *runtime_instead((raises(broken, "IOException"),)),
        returns(broken, False, _FALSE_ON_FAILURE, departs=True),
    )


def _refused_as_existing(broken: str, *when: Literal) -> tuple[Branch, ...]:
    existing, plain = (
        raises(broken, error, *when, _RAISES_IF_EXISTS) for error in ("FileAlreadyExistsException", "IOException")
    )
    return (*runtime_instead((existing, plain)), returns(broken, False, *when, _FALSE_IF_EXISTS, departs=True))


_MET = Cases(*COMMON_CASES)

# The source exists.

_SOURCE = f"{_RENAME}.pre.source-exists"
_SOURCE_MISSING = _MET.case(
    "source missing",
    _SOURCE,
    (
        *runtime_instead(
            (
                raises(_SOURCE, "FileNotFoundException", _RAISES_IF_MISSING),
                raises(_SOURCE, "IOException", _RAISES_IF_MISSING, RELAXED, departs=True),
            )
        ),
        returns(_SOURCE, False, _FALSE_IF_MISSING, departs=True),
    ),
)
_SOURCE_BELOW_FILE = _MET.add(below_a_file(_SOURCE))

# ``dest`` is no descendant of the source; so the source is not the root.

_ROOT = _MET.case("source is the root", f"{_RENAME}.pre.not-root", _refused(f"{_RENAME}.pre.not-root"))
_BELOW_SOURCE = _MET.case(
    "destination below the source",
    f"{_RENAME}.pre.not-below-itself",
    _refused(f"{_RENAME}.pre.not-below-itself"),
)

# The parent of ``dest`` exists. Where it does not, and a store makes it, what follows is the last postcondition.

_PARENT = f"{_RENAME}.pre.parent-exists"
_NO_PARENT = _MET.case(
    "parent of the destination missing",
    _PARENT,
    (
        *runtime_instead((raises(_PARENT, "IOException", _NEEDS_PARENT),)),
        returns(_PARENT, False, _NEEDS_PARENT, _FALSE_ON_FAILURE, departs=True),
        returns(f"{_RENAME}.missing-parent", True, _MAKES_PARENTS, effect=move, level="MAY"),
    ),
)

# The parent of ``dest`` is not a file, nor is any ancestor: of those beyond the parent an option may ask nothing.

_PARENT_FILE = f"{_RENAME}.pre.parent-not-a-file"
_REFUSED_BELOW_FILE = _refused(_PARENT_FILE)
_PARENT_NOT_DIRECTORY = _MET.case("an ancestor of the destination is a file", _PARENT_FILE, _REFUSED_BELOW_FILE)
_ANCESTOR_NOT_DIRECTORY = _MET.case(
    "an ancestor of the destination is a file",
    _PARENT_FILE,
    (
        *_REFUSED_BELOW_FILE,
        returns(
            _PARENT_FILE,
            True,
            _MAKES_PARENTS,
            (CREATE_FILE_UNDER_FILE_ALLOWED, True),
            effect=lost,
            departs=True,
            expected="return true and put the source below the file",
        ),
    ),
)

# There is no file at ``dest``.

_NO_FILE = f"{_RENAME}.pre.no-file-at-destination"
_FILE_ON_FILE = _MET.case(
    "file onto an existing file",
    _NO_FILE,
    (
        *_refused_as_existing(_NO_FILE, _KEEPS),
        returns(_NO_FILE, True, _OVERWRITES, effect=move, departs=True),
    ),
)
_FILE_ON_FILE_IN_DIRECTORY = _MET.case(
    "file into a directory that has a file of that name",
    _NO_FILE,
    (*_refused_as_existing(_NO_FILE), returns(_NO_FILE, True, _OVERWRITES, effect=move, departs=True)),
)
_DIRECTORY_ON_FILE = _MET.case("directory onto an existing file", _NO_FILE, _refused_as_existing(_NO_FILE))

# There is no directory at ``dest``, or nothing is lost by merging with it. This is no precondition of the section, but
# what is left of its postcondition "Renaming a directory onto a directory": the documents contradict one another.

_ONTO = f"{_RENAME}.onto-directory"
_NOT_MERGED = _refused_as_existing(_ONTO)
_MERGED = returns(_ONTO, True, _RAISES_IF_EXISTS, effect=merge, expected="return true and merge the directories")
_HAS_DIRECTORY = "directory into a directory that has a directory of that name"
_ON_DIRECTORY = _MET.case(_HAS_DIRECTORY, _ONTO, _NOT_MERGED)
_ON_MERGEABLE_DIRECTORY = _MET.case(_HAS_DIRECTORY, _ONTO, (*_NOT_MERGED, _MERGED))
_ON_DIRECTORY_MERGEABLE_BELOW = _MET.case(
    "directory onto one with directories of the same names", _ONTO, (*_NOT_MERGED, _MERGED)
)
_FILE_ON_DIRECTORY = _MET.case("file into a directory that has a directory of that name", _ONTO, _NOT_MERGED)
_MISSING_ON_DIRECTORY = _MET.case("into a directory that has a directory of that name", _ONTO, _NOT_MERGED)


def _failed(root: State, op: Rename, source: Node | Absence, target: Node | Absence, dest: Path) -> int:
    """The preconditions that are broken; ``target`` is what is at ``dst``, which need not be ``dest``."""
    failed = _SOURCE_MISSING if isinstance(source, Absence) else 0
    if source is UNDER_FILE:
        failed |= _SOURCE_BELOW_FILE
    if is_ancestor(op.src, dest):
        failed |= _BELOW_SOURCE
    there = target if dest == op.dst else locate(root, dest)
    if dest == op.dst and there is NO_PARENT:
        failed |= _NO_PARENT
    elif dest == op.dst and there is UNDER_FILE:
        parent = type(locate(root, dest[:-1]))
        failed |= _PARENT_NOT_DIRECTORY if parent is File else _ANCESTOR_NOT_DIRECTORY
    if dest == op.src:
        return failed
    if type(there) is File:
        onto_file = _FILE_ON_FILE if dest == op.dst else _FILE_ON_FILE_IN_DIRECTORY
        failed |= _DIRECTORY_ON_FILE if type(source) is Dir else onto_file
    elif type(there) is Dir:
        # Without the source: a directory that is renamed onto its own parent does not stand in its own way.
        rest = there if isinstance(source, Absence) else locate(remove(root, op.src), dest)
        failed |= _on_directory(source, rest if type(rest) is Dir else there)
    return failed


def _on_directory(source: Node | Absence, target: Dir) -> int:
    if type(source) is not Dir:
        return _FILE_ON_DIRECTORY if type(source) is File else _MISSING_ON_DIRECTORY
    if not any(name in target.children for name in source.children):
        return _ON_MERGEABLE_DIRECTORY
    return _ON_DIRECTORY_MERGEABLE_BELOW if _mergeable(source, target) else _ON_DIRECTORY


# --- postconditions

# Renaming a directory onto itself.

_ITSELF = f"{_RENAME}.post.directory-to-itself"
_DIRECTORY_TO_ITSELF = _MET.case(
    "directory to itself",
    _ITSELF,
    (returns(_ITSELF, ANY, level="UNDEFINED"), raises(_ITSELF, "IOException", level="UNDEFINED")),
)

# Renaming a file to itself.

_SAME_FILE = f"{_RENAME}.post.file-to-itself"
_FILE_TO_ITSELF = _MET.case("file to itself", _SAME_FILE, (returns(_SAME_FILE, True),))
_FILE_INTO_ITS_DIRECTORY = _MET.case("file into the directory it is in", _SAME_FILE, (returns(_SAME_FILE, True),))

# Renaming a file onto a nonexistent path.

_FILE_TO_FREE = _MET.case(
    "file to a free destination", f"{_RENAME}.post.file", (returns(f"{_RENAME}.post.file", True, effect=move),)
)

# Renaming a directory onto a directory: ``dest`` is below an existing one, or the directory comes to be there.

_INTO = f"{_RENAME}.post.into-directory"
_DIRECTORY_TO_FREE = _MET.case(
    "directory to a free destination",
    f"{_RENAME}.post.directory",
    (returns(f"{_RENAME}.post.directory", True, effect=move),),
)
_TO_EMPTY_DIRECTORY = _MET.case(
    "directory to an empty directory",
    _INTO,
    (
        returns(
            _INTO,
            True,
            (RENAME_REMOVE_DEST_IF_EMPTY_DIR, False),
            effect=move,
            expected="return true and move the source below the destination",
        ),
        returns(
            _INTO,
            True,
            (RENAME_REMOVE_DEST_IF_EMPTY_DIR, True),
            effect=take_place,
            departs=True,
            expected="return true and put the source in the destination's place",
        ),
    ),
)
_DIRECTORY_INTO_DIRECTORY = _MET.case("directory into a directory", _INTO, (returns(_INTO, True, effect=move),))


@meaning(Rename, _MET)
def _classify(root: State, op: Rename) -> int:
    src, dst = op.src, op.dst
    if not src:
        return _ROOT if dst else _DIRECTORY_TO_ITSELF
    source, target = locate(root, src), locate(root, dst)
    found = bits(src, source) | bits(dst, target)
    itself = _FILE_TO_ITSELF
    dest = dst
    if type(target) is Dir and src != dst:
        dest, itself = (*dst, src[-1]), _FILE_INTO_ITS_DIRECTORY
        found |= bits(dest, locate(root, dest))
    failed = 0 if src == dst and not isinstance(source, Absence) else _failed(root, op, source, target, dest)
    if failed:
        return found | failed
    if dest == src:
        return found | (itself if type(source) is File else _DIRECTORY_TO_ITSELF)
    if type(source) is File:
        return found | _FILE_TO_FREE
    if type(target) is not Dir:
        return found | _DIRECTORY_TO_FREE
    return found | (_DIRECTORY_INTO_DIRECTORY if target.children else _TO_EMPTY_DIRECTORY)
