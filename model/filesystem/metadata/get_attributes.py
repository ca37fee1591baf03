"""getFileStatus with all its fields.

What was set of a path is known from its node's ``meta``; of everything else the documents say little, and that little
is judged. Source: filesystem.md, "FileStatus getFileStatus(Path p)"; introduction.md, "Object Stores vs. Filesystems"
and "Timestamps".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.drawing import drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.option import Literal
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.branches import Branch, Cases, Check, Difference, Level, gives, meaning
from fsconform.model.filesystem.metadata import changed_times
from fsconform.model.filesystem.metadata.attribute_entries import ACL
from fsconform.model.filesystem.metadata.owner import GROUP, OWNER
from fsconform.model.filesystem.metadata.permission import PERMISSION
from fsconform.model.filesystem.options.attributes import SUPPORTS_ACLS
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.options.metadata import ERASURE_CODED, IN_ENCRYPTION_ZONE, SUPPORTS_UNIX_PERMISSIONS
from fsconform.model.filesystem.state import ACCESSED, MODIFIED, TIMED_AT, Dir, File, State, locate
from fsconform.model.filesystem.status.entries import DIRECTORY_STATUS, EXISTS, FILE_STATUS, missing
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_STATUS = "filesystem.getFileStatus"
_ENCRYPTED = f"{_STATUS}.post.encrypted"
_ENCRYPTED_ALWAYS = f"{_STATUS}.post.encrypted-without-permissions"
_HAS_ACL = f"{_STATUS}.post.acl"
_CODED = f"{_STATUS}.post.erasure-coded"
_OWNERS = "introduction.object-stores.owner"
_PERMISSIONS = "introduction.object-stores.permissions"
_TIMES = "introduction.timestamps.hdfs.set-times"
_LONG_DIRECTORIES = (DIRECTORIES_HAVE_LENGTH, True)

_SECOND = 1000
"""Milliseconds; a store whose times are coarser than what was asked for rounds to whole seconds."""


@operation
@dataclass(frozen=True, slots=True)
class GetAttributes(Operation):
    """``getFileStatus(path)`` with every field asked for.

    Returns facts ``attributes``: path, directory, length, replication, blockSize, modified, accessed, permission (a
    number), owner, group, symlink, encrypted, erasureCoded, acl, snapshotEnabled; and user, the caller's name.
    """

    NAME: ClassVar[str] = "getFileStatus, all of it"
    path: Path


def _long(root: State, op: GetAttributes, value: Any) -> bool:
    return type(locate(root, op.path)) is Dir and bool(value.get("length"))


def _named(asked: object, found: object) -> bool:
    """True if a time is the one that was named, as finely as the store keeps times."""
    if found == asked:
        return True
    if type(found) is not int or type(asked) is not int or found % _SECOND:
        return False
    return abs(found - asked) < _SECOND


def _wrong(root: State, op: GetAttributes, value: Any) -> Difference | None:
    """What no option makes right of the fields that say what is at the path, and of the times that were set."""
    if not isinstance(value, Facts):
        return Difference(FILE_STATUS, "MUST", "no status")
    node = locate(root, op.path)
    if isinstance(node, File):
        clause = FILE_STATUS
        if value.get("directory") is not False:
            return Difference(clause, "MUST", "a directory for a file")
        if value.get("length") != contents.length(node.content):
            return Difference(clause, "MUST", "a wrong length")
        block = value.get("blockSize")
        if type(block) is not int or block <= 0:
            return Difference(clause, "MUST", "no block size above 0")
    else:
        clause = DIRECTORY_STATUS
        if value.get("directory") is not True:
            return Difference(clause, "MUST", "a file for a directory")
    if value.get("path") != show(op.path):
        return Difference(clause, "MUST", "a status with another path", "path", show(op.path))
    if value.get("acl") is False and _named_in_acl(node):
        return Difference(_HAS_ACL, "MUST", "no access control list where there is one")
    return _wrong_times(op, node, value) if isinstance(node, File) else None


def _named_in_acl(node: Any) -> bool:
    """True if somebody is known to be named in the access control list of a node."""
    known = node.meta if isinstance(node, File | Dir) else None
    return known is not None and any(name.startswith(ACL) and isinstance(fact, str) for name, fact in known.items())


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


def _another(root: State, op: GetAttributes, value: Facts) -> Difference | None:
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


def _kept(zone: bool, coded: bool, long: bool, acl: bool) -> Check:
    """The status of a store that keeps owner, group and permissions."""

    def check(root: State, op: GetAttributes, value: Any) -> bool:
        return (
            _wrong(root, op, value) is None
            and (long or not _long(root, op, value))
            and value.get("encrypted") is zone
            and value.get("erasureCoded") is coded
            and (acl or value.get("acl") is not True)
            and _another(root, op, value) is None
        )

    return check


def _stand_ins(coded: bool, long: bool, acl: bool, permission: bool, owner: bool) -> Check:
    """The status of a store that keeps neither, with the stand-ins that are recommended where the flags ask so."""

    def check(root: State, op: GetAttributes, value: Any) -> bool:
        if _wrong(root, op, value) is not None or (not long and _long(root, op, value)):
            return False
        if value.get("encrypted") is not True or value.get("erasureCoded") is not coded:
            return False
        if not acl and value.get("acl") is True:
            return False
        if permission and value.get("permission") != (0o777 if value.get("directory") else 0o666):
            return False
        user = value.get("user")
        return not owner or user is None or (value.get("owner") == user and value.get("group") == user)

    return check


_STANDING = ((_ENCRYPTED_ALWAYS, True, True), (_PERMISSIONS, False, True), (_OWNERS, False, False))
"""By the clause that is kept, or that a status deviates from: whether permission and owner are as recommended."""


def _statuses(clause: str, directory: bool) -> tuple[Branch, ...]:
    """What getFileStatus gives, under each combination of the options that bear on its fields."""
    found: list[Branch] = []
    for long, coded, acl in product((False, True) if directory else (False,), (False, True), (False, True)):
        declared: list[Literal] = [(ERASURE_CODED, coded)]
        if acl:
            declared.append((SUPPORTS_ACLS, True))
        if long:
            declared.append(_LONG_DIRECTORIES)
        found.extend(
            gives(
                _CODED if coded else _ENCRYPTED if zone else _HAS_ACL if acl else clause,
                "status of what is there, with the owner, the permission and the times that were set",
                _kept(zone, coded, long, acl),
                (SUPPORTS_UNIX_PERMISSIONS, True),
                (IN_ENCRYPTION_ZONE, zone),
                *declared,
                departs=long,
                also=(clause, _ENCRYPTED, _CODED, _HAS_ACL),
            )
            for zone in (False, True)
        )
        also = (clause, _ENCRYPTED_ALWAYS, _CODED, _HAS_ACL)
        found.extend(
            gives(
                name,
                "status of what is there, encrypted, with stand-ins for owner and permission",
                _stand_ins(coded, long, acl, permission, owner),
                (SUPPORTS_UNIX_PERMISSIONS, False),
                *declared,
                level="MUST" if permission else "SHOULD",
                departs=long,
                deviates=not permission,
                also=(*also, _PERMISSIONS, _OWNERS) if permission else also,
            )
            for name, permission, owner in _STANDING
        )
    return tuple(found)


def _differs(root: State, op: GetAttributes, value: Any) -> Difference | None:
    found = _wrong(root, op, value)
    if found is not None or not isinstance(value, Facts):
        return found
    return None if value.get("encrypted") else _another(root, op, value)


_MET = Cases(*COMMON_CASES)
_FILE = _MET.case("file", FILE_STATUS, _statuses(FILE_STATUS, directory=False))
_DIRECTORY = _MET.case("directory", DIRECTORY_STATUS, _statuses(DIRECTORY_STATUS, directory=True))
_MISSING = _MET.add(missing(EXISTS))
_CHANGED = {
    kind: _MET.add(case) for kind, case in changed_times.cases(lambda: _statuses(FILE_STATUS, directory=False)).items()
}

_OF_FIELDS: dict[str, tuple[str, Level]] = {
    "permission": (_PERMISSIONS, "SHOULD"),
    "owner": (_OWNERS, "SHOULD"),
    "group": (_OWNERS, "SHOULD"),
    "encrypted": (_ENCRYPTED, "MUST"),
    "erasureCoded": (_CODED, "MUST"),
    "acl": (_HAS_ACL, "MUST"),
}


@meaning(GetAttributes, _MET, differs=_differs, clauses=_OF_FIELDS)
def _classify(root: State, op: GetAttributes) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    if type(node) is not File:
        return found | (_DIRECTORY if type(node) is Dir else _MISSING)
    before = changed_times.stale(root, op.path)
    return found | (_FILE if before is None else _CHANGED[before[0]])


drawn_plainly(GetAttributes)
