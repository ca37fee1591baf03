"""The meaning of the operations that read and set what a store keeps of a path beside its bytes.

A status with all its fields, and the calls that ask for one of them. What was set of a path is known from its node's
``meta``; of everything else the documents say little, and that little is judged. Source: filesystem.md,
"FileStatus getFileStatus(Path p)", "long getBlockSize(Path p)", "long getDefaultBlockSize()"; introduction.md, "Object
Stores vs. Filesystems" and "Timestamps".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconform.model import content as contents
from fsconform.model.branches import Branch, Case, Check, Difference, Meaning, gives, raises, runtime_instead
from fsconform.model.contract import DIRECTORIES_HAVE_LENGTH
from fsconform.model.create import CREATE
from fsconform.model.further import capabilities, setters, whereabouts
from fsconform.model.further.setters import GROUP, OWNER, PERMISSION, TIMED_AT
from fsconform.model.mkdirs import MKDIRS
from fsconform.model.operations.metadata import (
    CreateWith,
    GetAttributes,
    GetBlockSize,
    GetDefaultBlockSize,
    GetDefaultReplication,
    GetLength,
    GetReplication,
    GetServerDefaults,
    MkdirsWith,
)
from fsconform.model.options.metadata import ERASURE_CODED, IN_ENCRYPTION_ZONE, SUPPORTS_UNIX_PERMISSIONS
from fsconform.model.outcomes import Facts
from fsconform.model.paths import show
from fsconform.model.state import ACCESSED, MODIFIED, Dir, File, locate
from fsconform.model.validity import COMMON_CASES, bits

_STATUS = "filesystem.getFileStatus"
_ENCRYPTED = f"{_STATUS}.post.encrypted"
_ENCRYPTED_ALWAYS = f"{_STATUS}.post.encrypted-without-permissions"
_CODED = f"{_STATUS}.post.erasure-coded"
_OWNERS = "introduction.object-stores.owner"
_PERMISSIONS = "introduction.object-stores.permissions"
_TIMES = "introduction.timestamps.hdfs.set-times"
_LONG_DIRECTORIES = (DIRECTORIES_HAVE_LENGTH, True)

_SECOND = 1000
"""Milliseconds; a store whose times are coarser than what was asked for rounds to whole seconds."""


def missing(clause: str) -> Case:
    """The case of a path that does not exist, for a query that is then refused."""
    return Case("missing", clause, runtime_instead((raises(clause, "FileNotFoundException"),)))


def classify_query(root: Dir, op: Any) -> int:
    """The cases of a query of one path: file, directory, missing."""
    node = locate(root, op.path)
    return bits(op.path, node) | (4 if type(node) is File else 8 if type(node) is Dir else 16)


def _long(root: Dir, op: GetAttributes, value: Any) -> bool:
    return type(locate(root, op.path)) is Dir and bool(value.get("length"))


def _named(asked: object, found: object) -> bool:
    """True if a time is the one that was named, as finely as the store keeps times."""
    if found == asked:
        return True
    if type(found) is not int or type(asked) is not int or found % _SECOND:
        return False
    return abs(found - asked) < _SECOND


def _wrong(root: Dir, op: GetAttributes, value: Any) -> Difference | None:
    """What no option makes right of the fields that say what is at the path, and of the times that were set."""
    if not isinstance(value, Facts):
        return Difference(f"{_STATUS}.post.file", "MUST", "no status")
    node = locate(root, op.path)
    if isinstance(node, File):
        clause = f"{_STATUS}.post.file"
        if value.get("directory") is not False:
            return Difference(clause, "MUST", "a directory for a file")
        if value.get("length") != contents.length(node.content):
            return Difference(clause, "MUST", "a wrong length")
        block = value.get("blockSize")
        if type(block) is not int or block <= 0:
            return Difference(clause, "MUST", "no block size above 0")
    else:
        clause = f"{_STATUS}.post.directory"
        if value.get("directory") is not True:
            return Difference(clause, "MUST", "a file for a directory")
    if value.get("path") != show(op.path):
        return Difference(clause, "MUST", "a status with another path")
    return _wrong_times(op, node, value) if isinstance(node, File) else None


def _wrong_times(op: GetAttributes, node: File, value: Facts) -> Difference | None:
    known = node.meta
    # A store other than HDFS may give a renamed file new times.
    if known is None or known.get(TIMED_AT) != show(op.path):
        return None
    if MODIFIED in known and not _named(known[MODIFIED], value.get("modified")):
        return Difference(_TIMES, "MUST", "another time of modification than was set")
    asked, found = known.get(ACCESSED), value.get("accessed")
    # A store may do without times of access, and reading moves them on.
    if type(asked) is int and type(found) is int and found and found < asked and not _named(asked, found):
        return Difference(_TIMES, "MUST", "an earlier time of access than was set")
    return None


def _another(root: Dir, op: GetAttributes, value: Facts) -> Difference | None:
    """A permission, owner or group that differs from what was set on a store that keeps them."""
    node = locate(root, op.path)
    known = node.meta if isinstance(node, File | Dir) else None
    if known is None:
        return None
    if PERMISSION in known and known[PERMISSION] != value.get("permission"):
        return Difference(_PERMISSIONS, "SHOULD", "another permission than was set")
    if OWNER in known and known[OWNER] != value.get("owner"):
        return Difference(_OWNERS, "SHOULD", "another owner than was set")
    if GROUP in known and known[GROUP] != value.get("group"):
        return Difference(_OWNERS, "SHOULD", "another group than was set")
    return None


def _kept(zone: bool, coded: bool, long: bool) -> Check:
    """The status of a store that keeps owner, group and permissions."""

    def check(root: Dir, op: GetAttributes, value: Any) -> bool:
        return (
            _wrong(root, op, value) is None
            and (long or not _long(root, op, value))
            and value.get("encrypted") is zone
            and value.get("erasureCoded") is coded
            and _another(root, op, value) is None
        )

    return check


def _stand_ins(coded: bool, long: bool, permission: bool, owner: bool) -> Check:
    """The status of a store that keeps neither, with the stand-ins that are recommended where the flags ask so."""

    def check(root: Dir, op: GetAttributes, value: Any) -> bool:
        if _wrong(root, op, value) is not None or (not long and _long(root, op, value)):
            return False
        if value.get("encrypted") is not True or value.get("erasureCoded") is not coded:
            return False
        if permission and value.get("permission") != (0o777 if value.get("directory") else 0o666):
            return False
        user = value.get("user")
        return not owner or user is None or (value.get("owner") == user and value.get("group") == user)

    return check


def _statuses(clause: str, directory: bool) -> tuple[Branch, ...]:
    """What getFileStatus gives, under each combination of the options that bear on its fields."""
    found: list[Branch] = []
    keeps, lacks = (SUPPORTS_UNIX_PERMISSIONS, True), (SUPPORTS_UNIX_PERMISSIONS, False)
    for long in (False, True) if directory else (False,):
        for coded in (False, True):
            when = ((ERASURE_CODED, coded), *((_LONG_DIRECTORIES,) if long else ()))
            for zone in (False, True):
                found.append(
                    gives(
                        _CODED if coded else _ENCRYPTED if zone else clause,
                        "status of what is there, with the owner, the permission and the times that were set",
                        _kept(zone, coded, long),
                        keeps,
                        (IN_ENCRYPTION_ZONE, zone),
                        *when,
                        departs=long,
                        also=(clause, _ENCRYPTED, _CODED),
                    )
                )
            also = (clause, _ENCRYPTED_ALWAYS, _CODED)
            for name, permission, owner in (
                (_ENCRYPTED_ALWAYS, True, True),
                (_PERMISSIONS, False, True),
                (_OWNERS, False, False),
            ):
                found.append(
                    gives(
                        name,
                        "status of what is there, encrypted, with stand-ins for owner and permission",
                        _stand_ins(coded, long, permission, owner),
                        lacks,
                        *when,
                        level="MUST" if permission else "SHOULD",
                        departs=long,
                        deviates=not permission,
                        also=(*also, _PERMISSIONS, _OWNERS) if permission else also,
                    )
                )
    return tuple(found)


def _differs(root: Dir, op: GetAttributes, value: Any) -> Difference | None:
    found = _wrong(root, op, value)
    if found is not None or not isinstance(value, Facts):
        return found
    return None if value.get("encrypted") else _another(root, op, value)


GET_ATTRIBUTES = Meaning(
    GetAttributes,
    (
        *COMMON_CASES,
        Case("file", f"{_STATUS}.post.file", _statuses(f"{_STATUS}.post.file", directory=False)),
        Case("directory", f"{_STATUS}.post.directory", _statuses(f"{_STATUS}.post.directory", directory=True)),
        missing(f"{_STATUS}.pre.exists"),
    ),
    classify_query,
    _differs,
)


def number(value: Any) -> int | None:
    """The number that a call gave, None if it gave none."""
    found = value.get("value") if isinstance(value, Facts) else None
    return found if type(found) is int else None


def _at_least(least: int) -> Check:
    def check(_root: Dir, _op: Any, value: Any) -> bool:
        found = number(value)
        return found is not None and found >= least

    return check


_BLOCK = "filesystem.getBlockSize"


def _block_difference(root: Dir, op: GetBlockSize, value: Any) -> Difference | None:
    found, node = number(value), locate(root, op.path)
    if found is None:
        return Difference(f"{_BLOCK}.post", "MUST", "no number")
    if isinstance(node, File) and found <= 0:
        filled = contents.length(node.content) > 0
        return Difference(f"{_BLOCK}.post.positive" if filled else f"{_STATUS}.post.file", "MUST", "no number above 0")
    status = value.get("status")
    if status is not None and status != found:
        return Difference(f"{_BLOCK}.post", "MUST", "another block size than the status has")
    return None


def _right_block(root: Dir, op: GetBlockSize, value: Any) -> bool:
    return _block_difference(root, op, value) is None


def _classify_block(root: Dir, op: GetBlockSize) -> int:
    node = locate(root, op.path)
    if type(node) is File and node.content:
        return bits(op.path, node) | 4
    return bits(op.path, node) | (8 if isinstance(node, File | Dir) else 16)


GET_BLOCK_SIZE = Meaning(
    GetBlockSize,
    (
        *COMMON_CASES,
        Case(
            "file that is not empty",
            f"{_BLOCK}.post.positive",
            (
                gives(
                    f"{_BLOCK}.post.positive",
                    "the status's block size, above 0",
                    _right_block,
                    also=(f"{_BLOCK}.post",),
                ),
            ),
        ),
        Case(
            "empty file or directory",
            f"{_BLOCK}.post",
            (gives(f"{_BLOCK}.post", "the status's block size", _right_block),),
        ),
        missing(f"{_BLOCK}.pre.exists"),
    ),
    _classify_block,
    _block_difference,
)


def _right_length(root: Dir, op: GetLength, value: Any) -> bool:
    node = locate(root, op.path)
    return number(value) == (contents.length(node.content) if isinstance(node, File) else 0)


def _length_difference(root: Dir, op: GetLength, value: Any) -> Difference | None:
    node = locate(root, op.path)
    if isinstance(node, File) and not _right_length(root, op, value):
        return Difference(f"{_STATUS}.post.file", "MUST", "a wrong length")
    return None


GET_LENGTH = Meaning(
    GetLength,
    (
        *COMMON_CASES,
        Case(
            "file",
            f"{_STATUS}.post.file",
            (gives(f"{_STATUS}.post.file", "the number of the file's bytes", _right_length),),
        ),
        Case(
            "directory",
            f"{_STATUS}.post.directory",
            (
                gives(f"{_STATUS}.post.directory", "0", _right_length),
                gives(f"{_STATUS}.post.directory", "a number", _at_least(0), _LONG_DIRECTORIES, departs=True),
            ),
        ),
        missing(f"{_STATUS}.pre.exists"),
    ),
    classify_query,
    _length_difference,
)

GET_REPLICATION = Meaning(
    GetReplication,
    (
        *COMMON_CASES,
        Case("file", f"{_STATUS}.post.file", (gives(f"{_STATUS}.post.file", "a number of replicas", _at_least(0)),)),
        Case(
            "directory",
            f"{_STATUS}.post.directory",
            (gives(f"{_STATUS}.post.directory", "a number of replicas", _at_least(0)),),
        ),
        missing(f"{_STATUS}.pre.exists"),
    ),
    classify_query,
)

_DEFAULT = "filesystem.getDefaultBlockSize"


def _classify_default(root: Dir, op: GetDefaultBlockSize) -> int:
    if op.via:
        return 4
    node = locate(root, op.path)
    return bits(op.path, node) | (8 if isinstance(node, File | Dir) else 16)


GET_DEFAULT_BLOCK_SIZE = Meaning(
    GetDefaultBlockSize,
    (
        *COMMON_CASES,
        Case("of the filesystem", f"{_DEFAULT}.post", (gives(f"{_DEFAULT}.post", "a number above 0", _at_least(1)),)),
        Case(
            "of a path",
            f"{_DEFAULT}.path.post",
            (gives(f"{_DEFAULT}.path.post", "a number that is not negative", _at_least(0)),),
        ),
        Case(
            "of a missing path",
            f"{_DEFAULT}.path.missing",
            (gives(f"{_DEFAULT}.path.missing", "a number that is not negative", _at_least(0)),),
        ),
    ),
    _classify_default,
)


def _classify_any(root: Dir, op: Any) -> int:
    return (0 if op.via == "plain" else bits(op.path, locate(root, op.path))) | 4


def _defaults(kind: type, expected: str, check: Callable[[Dir, Any, Any], bool]) -> Meaning:
    """A query of defaults of which the documents say nothing: it answers, or is not implemented."""
    return Meaning(
        kind, (*COMMON_CASES, Case("any path", setters.UNSUPPORTED, setters.answers(expected, check))), _classify_any
    )


def _are_defaults(_root: Dir, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts) and value.kind == "server defaults"


MEANINGS: tuple[Meaning, ...] = (
    GET_ATTRIBUTES,
    Meaning(MkdirsWith, MKDIRS.cases, MKDIRS.classify),
    Meaning(CreateWith, CREATE.cases, CREATE.classify),
    *setters.MEANINGS,
    GET_BLOCK_SIZE,
    GET_LENGTH,
    GET_REPLICATION,
    GET_DEFAULT_BLOCK_SIZE,
    _defaults(GetDefaultReplication, "return a number of replicas", _at_least(0)),
    _defaults(GetServerDefaults, "return the defaults", _are_defaults),
    *whereabouts.MEANINGS,
    *capabilities.MEANINGS,
)
