"""Access control lists: setAcl, modifyAclEntries, removeAclEntries, removeDefaultAcl, removeAcl, getAclStatus.

Followed are the entries that name a user or a group: what unnamed ones become depends on permission bits and masks. The
specification has no section on these calls. Source: introduction.md, "Operations and failures", for calls that are not
implemented; the Javadoc of FileSystem; where it is silent, HDFS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from fsconform.model.core.outcomes import Fact
from fsconform.model.filesystem.branches import Branch, Case, Difference, Meaning, gives, raises, returns
from fsconform.model.filesystem.metadata.attribute_entries import (
    ACL,
    OWN,
    absence,
    absent,
    entries,
    existing,
    refused,
    said,
    unsupported,
    with_entries,
)
from fsconform.model.filesystem.operations.attributes import (
    GetAclStatus,
    ModifyAcl,
    RemoveAcl,
    RemoveAclEntries,
    RemoveDefaultAcl,
    SetAcl,
)
from fsconform.model.filesystem.options.attributes import SET_ACL_KEEPS_DEFAULT, SUPPORTS_ACLS
from fsconform.model.filesystem.state import Absence, Dir, File, Node, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_YES = (SUPPORTS_ACLS, True)
_EXISTS = "filesystem.acls.pre.exists"
_DEFAULT_ON_FILE = "filesystem.acls.pre.directory"
_ODD = "filesystem.acls.limits"
_BASE = "filesystem.setAcl.pre.base"
_SET, _MODIFY = "filesystem.setAcl.post", "filesystem.modifyAclEntries.post"
_REMOVE_ENTRIES = "filesystem.removeAclEntries.post"
_REMOVE_DEFAULT, _REMOVE_ALL = "filesystem.removeDefaultAcl.post", "filesystem.removeAcl.post"
_GET = "filesystem.getAclStatus.post"

SURE_COUNT = 16
"""Lists of up to so many entries are taken as always permitted; HDFS permits 32."""

WHOLE = "whole"
"""In place of an entry: true where all named entries of a scope are known."""

_ENTRY = re.compile(r"(default:)?(user|group|mask|other)(?::([A-Za-z0-9_]*))?(?::([r-][w-][x-]))?")

_Entry = tuple[str, str, str]
"""Scope (``access`` or ``default``), type and name of an entry; the name is empty for one that names nobody."""

_Parsed = dict[_Entry, str]
"""Permissions by entry, empty where an entry has none."""


def _parsed(texts: tuple[str, ...], permissions: bool) -> _Parsed | None:
    """The entries of a list; None for one that a store may refuse or take as it sees fit."""
    found: _Parsed = {}
    for text in texts:
        match = _ENTRY.fullmatch(text)
        if match is None or bool(match[4]) is not permissions:
            return None
        entry = ("default" if match[1] else "access", match[2], match[3] or "")
        if entry in found or (entry[2] and entry[1] in ("mask", "other")):
            return None
        found[entry] = match[4] or ""
    return found if 0 < len(found) <= SURE_COUNT else None


def _key(entry: _Entry) -> str:
    return ACL + ":".join(entry)


def _whole(scope: str) -> str:
    return f"{ACL}{scope}:{WHOLE}"


def _named(parsed: _Parsed, scope: str) -> dict[_Entry, str]:
    return {entry: permission for entry, permission in parsed.items() if entry[0] == scope and entry[2]}


def _without(node: Node, *scopes: str) -> dict[str, Fact]:
    """What stays known of a node once entries of the scopes are no longer, and with them its permission."""
    gone = tuple(f"{ACL}{scope}:" for scope in scopes)
    return {
        name: fact
        for name, fact in entries(node).items()
        if name.startswith(OWN) and not (gone and name.startswith(gone))
    }


def _replaced(root: State, op: SetAcl) -> State:
    """The named entries are those given, and no others."""
    known = _without(existing(root, op.path), "access", "default")
    return with_entries(root, op.path, {**known, **_given(op, "access"), **_given(op, "default")})


def _replaced_access(root: State, op: SetAcl) -> State:
    """As ``_replaced``, of the access entries alone: the default entries that were there stay."""
    return with_entries(root, op.path, {**_without(existing(root, op.path), "access"), **_given(op, "access")})


def _given(op: SetAcl, scope: str) -> dict[str, Fact]:
    parsed = _parsed(op.entries, True)
    assert parsed is not None
    return {_whole(scope): True, **{_key(entry): permission for entry, permission in _named(parsed, scope).items()}}


def _merged(root: State, op: ModifyAcl) -> State:
    """The entries given have their permissions, all others stay."""
    node, parsed = existing(root, op.path), _parsed(op.entries, True)
    assert parsed is not None
    known = _without(node)
    known.update((_key(entry), permission) for entry, permission in parsed.items() if entry[2])
    return with_entries(root, op.path, known)


def _lessened(root: State, op: RemoveAclEntries) -> State:
    """The entries given are gone, all others stay."""
    node, parsed = existing(root, op.path), _parsed(op.entries, False)
    assert parsed is not None
    return with_entries(root, op.path, {**_without(node), **{_key(entry): None for entry in parsed}})


def _no_default(root: State, op: RemoveDefaultAcl) -> State:
    """No default entry is left."""
    return with_entries(root, op.path, {**_without(existing(root, op.path), "default"), _whole("default"): True})


def _no_acl(root: State, op: RemoveAcl) -> State:
    """Only the entries for user, group and others are left."""
    known = _without(existing(root, op.path), "access", "default")
    return with_entries(root, op.path, {**known, _whole("access"): True, _whole("default"): True})


def _forgotten(root: State, op: Any) -> State:
    """Nothing is known of the list any more."""
    return with_entries(root, op.path, _without(existing(root, op.path), "access", "default"))


_BASE_ENTRIES = {("access", "user", ""), ("access", "group", ""), ("access", "other", "")}


def _classify_change(root: State, op: SetAcl | ModifyAcl | RemoveAclEntries) -> int:
    node, parsed = locate(root, op.path), _parsed(op.entries, not isinstance(op, RemoveAclEntries))
    if isinstance(node, Absence):
        lacks = isinstance(op, SetAcl) and parsed is not None and not parsed.keys() >= _BASE_ENTRIES
        return absence(op.path, node) | (16 if parsed is None else 64 if lacks else 0)
    found = bits(op.path, node)
    if parsed is None:
        return found | 16
    if isinstance(op, RemoveAclEntries):
        # Of unnamed entries some must stay, a mask for one while there are named ones.
        if not all(entry[2] for entry in parsed):
            return found | 16
        known = entries(node)
        return found | (32 if all(isinstance(known.get(_key(entry)), str) for entry in parsed) else 64)
    defaults = any(entry[0] == "default" for entry in parsed)
    if defaults and type(node) is File:
        return found | 32
    if isinstance(op, SetAcl) and not parsed.keys() >= _BASE_ENTRIES:
        return found | (64 if any(entry[0] == "access" for entry in parsed) else 16)
    if not defaults and isinstance(op, SetAcl) and _has_default(node):
        return found | 256
    return found | 128


def _has_default(node: Node) -> bool:
    """True if some default entry is known to be there."""
    prefix = f"{ACL}default:"
    return any(name.startswith(prefix) and isinstance(fact, str) for name, fact in entries(node).items())


_LIST = (*COMMON_CASES, *absent(_EXISTS, SUPPORTS_ACLS))

_ODD_CASE = Case(
    "a list that a store may refuse",
    _ODD,
    (
        returns(_ODD, None, _YES, effect=_forgotten, level="MAY"),
        raises(_ODD, "IOException", _YES, level="MAY"),
        raises(_ODD, "RuntimeException", _YES, level="MAY"),
        unsupported(SUPPORTS_ACLS),
    ),
)

_DEFAULT_ON_FILE_CASE = Case(
    "default entries for a file",
    _DEFAULT_ON_FILE,
    (
        *refused(_DEFAULT_ON_FILE, "IOException", SUPPORTS_ACLS),
        returns(_DEFAULT_ON_FILE, None, _YES, effect=_forgotten, level="SHOULD", deviates=True),
    ),
)


def _done(clause: str, effect: Callable[[State, Any], State]) -> tuple[Branch, ...]:
    return (returns(clause, None, _YES, effect=effect), unsupported(SUPPORTS_ACLS))


_NO_BASE_CASE = Case(
    "a list without the entries for user, group and others",
    _BASE,
    (
        *refused(_BASE, "IOException", SUPPORTS_ACLS),
        returns(_BASE, None, _YES, effect=_forgotten, level="SHOULD", deviates=True),
    ),
)

SET_ACL = Meaning(
    SetAcl,
    (
        *_LIST,
        _ODD_CASE,
        _DEFAULT_ON_FILE_CASE,
        _NO_BASE_CASE,
        Case("a whole list", _SET, _done(_SET, _replaced)),
        Case(
            "a list without default entries, where there are some",
            _SET,
            (
                *_done(_SET, _replaced),
                returns(_SET, None, _YES, (SET_ACL_KEEPS_DEFAULT, True), effect=_replaced_access, departs=True),
            ),
        ),
    ),
    _classify_change,
)

MODIFY_ACL = Meaning(
    ModifyAcl,
    (*_LIST, _ODD_CASE, _DEFAULT_ON_FILE_CASE, _NO_BASE_CASE, Case("entries", _MODIFY, _done(_MODIFY, _merged))),
    _classify_change,
)

REMOVE_ACL_ENTRIES = Meaning(
    RemoveAclEntries,
    (
        *_LIST,
        _ODD_CASE,
        Case("entries that are there", _REMOVE_ENTRIES, _done(_REMOVE_ENTRIES, _lessened)),
        Case(
            "an entry that is not known to be there",
            _REMOVE_ENTRIES,
            (*_done(_REMOVE_ENTRIES, _lessened), raises(_ODD, "IOException", _YES, level="MAY")),
        ),
    ),
    _classify_change,
)


def _classify_node(root: State, op: RemoveDefaultAcl | RemoveAcl | GetAclStatus) -> int:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return absence(op.path, node)
    return bits(op.path, node) | (16 if type(node) is Dir else 32)


REMOVE_DEFAULT_ACL = Meaning(
    RemoveDefaultAcl,
    (
        *_LIST,
        Case("directory", _REMOVE_DEFAULT, _done(_REMOVE_DEFAULT, _no_default)),
        Case(
            "file",
            _REMOVE_DEFAULT,
            (*_done(_REMOVE_DEFAULT, _no_default), raises(_DEFAULT_ON_FILE, "IOException", _YES, level="SHOULD")),
        ),
    ),
    _classify_node,
)

REMOVE_ACL = Meaning(
    RemoveAcl,
    (
        *_LIST,
        Case("directory", _REMOVE_ALL, _done(_REMOVE_ALL, _no_acl)),
        Case("file", _REMOVE_ALL, _done(_REMOVE_ALL, _no_acl)),
    ),
    _classify_node,
)


def _wrong(known: Mapping[str, Fact], value: Any) -> str:
    texts = said(value, "acl", "entries")
    listed = _parsed_all(texts) if isinstance(texts, tuple) else None
    if listed is None:
        return "something other than a list"
    for name, permission in known.items():
        if not name.startswith(ACL) or name.endswith(f":{WHOLE}"):
            continue
        if isinstance(permission, str) and name not in listed:
            return "a list without an entry that was set"
        if listed.get(name) != permission:
            return "a list with an entry that was removed" if permission is None else "an entry with other permissions"
    for scope in ("access", "default"):
        if _whole(scope) in known and any(name.startswith(f"{ACL}{scope}:") and name not in known for name in listed):
            return "a list with an entry that is not to be there"
    return ""


def _parsed_all(texts: tuple[str, ...]) -> dict[str, str] | None:
    """The named entries of a list that a store returned, by their names in the metadata."""
    found = {}
    for text in texts:
        match = _ENTRY.fullmatch(text)
        if match is None:
            continue
        if match[3]:
            found[_key(("default" if match[1] else "access", match[2], match[3]))] = match[4] or ""
    return found


def _right_list(root: State, op: GetAclStatus, value: Any) -> bool:
    return not _wrong(entries(existing(root, op.path)), value)


def _differs(root: State, op: GetAclStatus, value: Any) -> Difference | None:
    node = locate(root, op.path)
    wrong = "" if isinstance(node, Absence) else _wrong(entries(node), value)
    return Difference(_GET, "MUST", wrong, "entries") if wrong else None


_STATUS = (gives(_GET, "the entries that were set", _right_list), unsupported(SUPPORTS_ACLS))

GET_ACL_STATUS = Meaning(
    GetAclStatus,
    (*_LIST, Case("directory", _GET, _STATUS), Case("file", _GET, _STATUS)),
    _classify_node,
    _differs,
)

MEANINGS: tuple[Meaning, ...] = (
    SET_ACL,
    MODIFY_ACL,
    REMOVE_ACL_ENTRIES,
    REMOVE_DEFAULT_ACL,
    REMOVE_ACL,
    GET_ACL_STATUS,
)
