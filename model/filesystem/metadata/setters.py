"""setPermission, setOwner, setTimes and setReplication, and what is known of a path after them.

The documents give these calls no section. What they say of stores that can't keep owners, permissions or times says by
that what the others do; the options tell which store is which. A call that nothing speaks against works, or raises
UnsupportedOperationException. Source: introduction.md, "Object Stores vs. Filesystems", "Timestamps" and "Operations
and failures".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from immutables import Map

from fsconform.model.core.outcomes import Fact
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.branches import Branch, Case, Check, Meaning, gives, raises, returns
from fsconform.model.filesystem.operations.metadata import SetOwner, SetPermission, SetReplication, SetTimes
from fsconform.model.filesystem.options.metadata import IS_BLOBSTORE, SUPPORTS_SETTIMES, SUPPORTS_UNIX_PERMISSIONS
from fsconform.model.filesystem.state import ACCESSED, MODIFIED, STALE, TIMED_AT, Dir, File, locate, put, untimed
from fsconform.model.filesystem.validity import COMMON_CASES, bits

PERMISSION, OWNER, GROUP = "permission", "owner", "group"
"""What was set on a store that keeps it: a number, and two names."""
UNSUPPORTED = "introduction.failures.unsupported"
_EXCEPTIONS = "introduction.failures.exceptions"
_SETTERS = "introduction.object-stores.setters"
_TIMES = "introduction.timestamps.hdfs.set-times"
_TIMES_IGNORED = "introduction.timestamps.object-stores.set-times"
_KEEPS, _LACKS = (SUPPORTS_UNIX_PERMISSIONS, True), (SUPPORTS_UNIX_PERMISSIONS, False)
_TIMED, _UNTIMED = (SUPPORTS_SETTIMES, True), (SUPPORTS_SETTIMES, False)
_OBJECTS, _NO_OBJECTS = (IS_BLOBSTORE, True), (IS_BLOBSTORE, False)

_PERMISSION_BITS = 0o777


def answers(expected: str, check: Check) -> tuple[Branch, ...]:
    """The branches of a query that no document limits: it answers, or is not implemented."""
    return (gives(UNSUPPORTED, expected, check), raises(UNSUPPORTED, "UnsupportedOperationException"))


def know(root: Dir, path: Path, known: Mapping[str, Fact], forget: tuple[str, ...] = ()) -> Dir:
    """The tree with more known of the node at a path, and some of it forgotten."""
    node = locate(root, path)
    assert isinstance(node, File | Dir)
    facts = {name: fact for name, fact in (node.meta or {}).items() if name not in forget} | dict(known)
    meta = Map(facts) if facts else None
    return put(root, path, File(node.content, meta) if isinstance(node, File) else Dir(node.children, meta))


def set_permission(root: Dir, op: SetPermission) -> Dir:
    """The permission is known; of bits beyond the nine it is not said what a store does with them."""
    if op.permission & ~_PERMISSION_BITS:
        return know(root, op.path, {}, (PERMISSION, MODIFIED, ACCESSED, STALE))
    return know(root, op.path, {PERMISSION: op.permission}, (MODIFIED, ACCESSED, STALE))


def set_owner(root: Dir, op: SetOwner) -> Dir:
    """Owner and group are known as far as they were named."""
    named = {name: value for name, value in ((OWNER, op.owner), (GROUP, op.group)) if value}
    return know(root, op.path, named, (MODIFIED, ACCESSED, STALE))


def set_times(root: Dir, op: SetTimes) -> Dir:
    """The times of a file are known as far as they were named; those of directories change with their entries."""
    node = locate(root, op.path)
    if not isinstance(node, File):
        return root
    times: dict[str, Fact] = {
        name: time for name, time in ((MODIFIED, op.modified), (ACCESSED, op.accessed)) if time >= 0
    }
    if not times:
        return root
    if node.meta is not None and node.meta.get(TIMED_AT) != show(op.path):
        root = put(root, op.path, File(node.content, untimed(node.meta)))
    times[TIMED_AT] = show(op.path)
    return know(root, op.path, times, (STALE,) if MODIFIED in times else ())


_FAILURE = (
    raises(_EXCEPTIONS, "IOException", level="SHOULD"),
    raises("introduction.failures.no-runtime-exception", "RuntimeException", level="SHOULD NOT", deviates=True),
)

_NOT_KEPT = (
    returns(_SETTERS, None, _LACKS, level="SHOULD"),
    raises(_SETTERS, "UnsupportedOperationException", _LACKS, level="SHOULD", deviates=True),
)


def _missing(*more: Branch) -> Case:
    """A setter of a path that does not exist: no precondition is written down, but nothing was set."""
    return Case("missing", _EXCEPTIONS, (*_FAILURE, *more))


def _classify(root: Dir, op: Any) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (4 if type(node) is File else 8 if type(node) is Dir else 16)


_QUIETLY = returns(_EXCEPTIONS, None, _KEEPS, level="SHOULD", deviates=True)

_PERMITTED = (returns(_SETTERS, None, _KEEPS, level="SHOULD", effect=set_permission), *_NOT_KEPT)

SET_PERMISSION = Meaning(
    SetPermission,
    (
        *COMMON_CASES,
        Case("file", _SETTERS, _PERMITTED),
        Case("directory", _SETTERS, _PERMITTED),
        _missing(_QUIETLY, *_NOT_KEPT),
    ),
    _classify,
)

# Whether the caller may give a file away, and whether there is such a user, the program can't know.
_OWNED = (
    returns(_SETTERS, None, _KEEPS, level="SHOULD", effect=set_owner),
    raises(_SETTERS, "IOException", _KEEPS, level="SHOULD"),
    *_NOT_KEPT,
)


def _classify_owner(root: Dir, op: SetOwner) -> int:
    if op.owner or op.group:
        return _classify(root, op)
    return bits(op.path, locate(root, op.path)) | 32


SET_OWNER = Meaning(
    SetOwner,
    (
        *COMMON_CASES,
        Case("file", _SETTERS, _OWNED),
        Case("directory", _SETTERS, _OWNED),
        _missing(_QUIETLY, *_NOT_KEPT),
        Case(
            "neither owner nor group",
            _EXCEPTIONS,
            (
                returns(_EXCEPTIONS, None, level="SHOULD"),
                # The Javadoc says that not both may be null, and names this error.
                raises(_EXCEPTIONS, "IllegalArgumentException", level="SHOULD"),
                *_FAILURE,
                raises(UNSUPPORTED, "UnsupportedOperationException", _LACKS),
            ),
        ),
    ),
    _classify_owner,
)

_IGNORED = (
    returns(_TIMES_IGNORED, None, _UNTIMED, level="MAY"),
    raises(UNSUPPORTED, "UnsupportedOperationException", _UNTIMED),
)


def _classify_times(root: Dir, op: SetTimes) -> int:
    found = _classify(root, op)
    # Nothing is asked for then, and so nothing fails if there is nothing.
    return found ^ 48 if found & 16 and op.modified < 0 and op.accessed < 0 else found


SET_TIMES = Meaning(
    SetTimes,
    (
        *COMMON_CASES,
        Case(
            "file",
            _TIMES,
            (
                returns(_TIMES, None, _TIMED, _NO_OBJECTS, effect=set_times),
                returns(_TIMES_IGNORED, None, _TIMED, _OBJECTS, level="MAY"),
                *_IGNORED,
            ),
        ),
        Case(
            "directory",
            _EXCEPTIONS,
            (
                returns(_EXCEPTIONS, None, _TIMED, level="SHOULD"),
                raises(_EXCEPTIONS, "IOException", _TIMED, level="SHOULD"),
                *_IGNORED,
            ),
        ),
        _missing(returns(_EXCEPTIONS, None, _TIMED, level="SHOULD", deviates=True), *_IGNORED),
        Case(
            "no time that is named, missing path",
            _EXCEPTIONS,
            (returns(_EXCEPTIONS, None, _TIMED, level="SHOULD"), *_FAILURE, *_IGNORED),
        ),
    ),
    _classify_times,
)

# false for what is no file, and true without any effect, are known answers; no document speaks of them.
_REPLICATED = (
    returns(UNSUPPORTED, True),
    returns(UNSUPPORTED, False),
    raises(UNSUPPORTED, "UnsupportedOperationException"),
)


def _classify_replication(root: Dir, op: SetReplication) -> int:
    node = locate(root, op.path)
    ordinary = 0 < op.replication <= _ORDINARY_REPLICATION
    return bits(op.path, node) | (4 if type(node) is File and ordinary else 8)


_ORDINARY_REPLICATION = 3
"""Beyond this number, and below 1, a store may have limits."""

SET_REPLICATION = Meaning(
    SetReplication,
    (
        *COMMON_CASES,
        Case("file", UNSUPPORTED, _REPLICATED),
        Case("missing, a directory, or an odd number", _EXCEPTIONS, (*_REPLICATED, *_FAILURE)),
    ),
    _classify_replication,
)

MEANINGS: tuple[Meaning, ...] = (SET_PERMISSION, SET_OWNER, SET_TIMES, SET_REPLICATION)
