"""Access control lists: setAcl, modifyAclEntries, removeAclEntries, removeDefaultAcl, removeAcl, getAclStatus.

Followed are the entries that name a user or a group: what unnamed ones become depends on permission bits and masks. The
specification has no section on these calls. Source: introduction.md, "Operations and failures", for calls that are not
implemented; the Javadoc of FileSystem; where it is silent, HDFS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn, drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Fact
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Case, Cases, Difference, gives, meaning, raises, returns
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
from fsconform.model.filesystem.options.attributes import SET_ACL_KEEPS_DEFAULT, SUPPORTS_ACLS
from fsconform.model.filesystem.state import Absence, Dir, File, Node, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

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

BASE = ("user::rwx", "group::r-x", "other::r-x")
ENTRIES = ("user:bob:rw-", "user:bob:--x", "user:eve:r--", "group:ops:r-x", "group:bob:---")
DEFAULTS = ("default:user:bob:r-x", "default:group:ops:rwx")
NAMED = ("user:bob", "user:eve", "group:ops", "default:user:bob")
"""Those that are drawn."""


@operation
@dataclass(frozen=True, slots=True)
class ModifyAcl(Operation):
    """``modifyAclEntries(path, entries)``; entries as in ``user:name:rwx`` and ``default:group::r--``."""

    NAME: ClassVar[str] = "modifyAclEntries"
    MUTATES: ClassVar[bool] = True
    path: Path
    entries: tuple[str, ...]


@operation
@dataclass(frozen=True, slots=True)
class RemoveAclEntries(Operation):
    """``removeAclEntries(path, entries)``; entries without permissions."""

    NAME: ClassVar[str] = "removeAclEntries"
    MUTATES: ClassVar[bool] = True
    path: Path
    entries: tuple[str, ...]


@operation
@dataclass(frozen=True, slots=True)
class RemoveDefaultAcl(Operation):
    """``removeDefaultAcl(path)``."""

    NAME: ClassVar[str] = "removeDefaultAcl"
    MUTATES: ClassVar[bool] = True
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class RemoveAcl(Operation):
    """``removeAcl(path)``."""

    NAME: ClassVar[str] = "removeAcl"
    MUTATES: ClassVar[bool] = True
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class SetAcl(Operation):
    """``setAcl(path, entries)``."""

    NAME: ClassVar[str] = "setAcl"
    MUTATES: ClassVar[bool] = True
    path: Path
    entries: tuple[str, ...]


@operation
@dataclass(frozen=True, slots=True)
class GetAclStatus(Operation):
    """``getAclStatus(path)``. Returns facts ``acl``: owner, group, sticky, entries."""

    NAME: ClassVar[str] = "getAclStatus"
    path: Path


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


def _of_defaults(parsed: _Parsed) -> bool:
    return any(entry[0] == "default" for entry in parsed)


def _has_default(node: Node) -> bool:
    """True if some default entry is known to be there."""
    prefix = f"{ACL}default:"
    return any(name.startswith(prefix) and isinstance(fact, str) for name, fact in entries(node).items())


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

_BEGIN = (*COMMON_CASES, *absent(_EXISTS, SUPPORTS_ACLS))

_TO_SET = Cases(*_BEGIN)
_SET_ODD = _TO_SET.add(_ODD_CASE)
_SET_ON_FILE = _TO_SET.add(_DEFAULT_ON_FILE_CASE)
_NO_BASE = _TO_SET.add(_NO_BASE_CASE)
_SET_WHOLE = _TO_SET.case("a whole list", _SET, _done(_SET, _replaced))
_SET_BESIDE_DEFAULT = _TO_SET.case(
    "a list without default entries, where there are some",
    _SET,
    (
        *_done(_SET, _replaced),
        returns(_SET, None, _YES, (SET_ACL_KEEPS_DEFAULT, True), effect=_replaced_access, departs=True),
    ),
)


def _has_base(parsed: _Parsed) -> bool:
    return parsed.keys() >= _BASE_ENTRIES


@meaning(SetAcl, _TO_SET)
def _classify_set(root: State, op: SetAcl) -> int:
    node, parsed = locate(root, op.path), _parsed(op.entries, True)
    if isinstance(node, Absence):
        lacking = _SET_ODD if parsed is None else 0 if _has_base(parsed) else _NO_BASE
        return absence(op.path, node) | lacking
    found = bits(op.path, node)
    if parsed is None:
        return found | _SET_ODD
    defaults = _of_defaults(parsed)
    if defaults and type(node) is File:
        return found | _SET_ON_FILE
    if not _has_base(parsed):
        return found | (_NO_BASE if any(entry[0] == "access" for entry in parsed) else _SET_ODD)
    return found | (_SET_BESIDE_DEFAULT if not defaults and _has_default(node) else _SET_WHOLE)


_TO_MODIFY = Cases(*_BEGIN)
_MODIFY_ODD = _TO_MODIFY.add(_ODD_CASE)
_MODIFY_ON_FILE = _TO_MODIFY.add(_DEFAULT_ON_FILE_CASE)
_MODIFY_ENTRIES = _TO_MODIFY.case("entries", _MODIFY, _done(_MODIFY, _merged))


@meaning(ModifyAcl, _TO_MODIFY)
def _classify_modify(root: State, op: ModifyAcl) -> int:
    node, parsed = locate(root, op.path), _parsed(op.entries, True)
    if isinstance(node, Absence):
        return absence(op.path, node) | (_MODIFY_ODD if parsed is None else 0)
    found = bits(op.path, node)
    if parsed is None:
        return found | _MODIFY_ODD
    return found | (_MODIFY_ON_FILE if _of_defaults(parsed) and type(node) is File else _MODIFY_ENTRIES)


_TO_REMOVE = Cases(*_BEGIN)
_REMOVE_ODD = _TO_REMOVE.add(_ODD_CASE)
_REMOVE_THERE = _TO_REMOVE.case("entries that are there", _REMOVE_ENTRIES, _done(_REMOVE_ENTRIES, _lessened))
_REMOVE_UNKNOWN = _TO_REMOVE.case(
    "an entry that is not known to be there",
    _REMOVE_ENTRIES,
    (*_done(_REMOVE_ENTRIES, _lessened), raises(_ODD, "IOException", _YES, level="MAY")),
)


@meaning(RemoveAclEntries, _TO_REMOVE)
def _classify_remove(root: State, op: RemoveAclEntries) -> int:
    node, parsed = locate(root, op.path), _parsed(op.entries, False)
    if isinstance(node, Absence):
        return absence(op.path, node) | (_REMOVE_ODD if parsed is None else 0)
    found = bits(op.path, node)
    # Of unnamed entries some must stay, a mask for one while there are named ones.
    if parsed is None or not all(entry[2] for entry in parsed):
        return found | _REMOVE_ODD
    known = entries(node)
    there = all(isinstance(known.get(_key(entry)), str) for entry in parsed)
    return found | (_REMOVE_THERE if there else _REMOVE_UNKNOWN)


def _kinds(op: Any, root: State, directory: int, file: int) -> int:
    """The cases of an operation that takes no entries: by what is at its path."""
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return absence(op.path, node)
    return bits(op.path, node) | (directory if type(node) is Dir else file)


_WITHOUT_DEFAULT = Cases(*_BEGIN)
_DEFAULT_OF_DIRECTORY = _WITHOUT_DEFAULT.case("directory", _REMOVE_DEFAULT, _done(_REMOVE_DEFAULT, _no_default))
_DEFAULT_OF_FILE = _WITHOUT_DEFAULT.case(
    "file",
    _REMOVE_DEFAULT,
    (*_done(_REMOVE_DEFAULT, _no_default), raises(_DEFAULT_ON_FILE, "IOException", _YES, level="SHOULD")),
)


@meaning(RemoveDefaultAcl, _WITHOUT_DEFAULT)
def _classify_remove_default(root: State, op: RemoveDefaultAcl) -> int:
    return _kinds(op, root, _DEFAULT_OF_DIRECTORY, _DEFAULT_OF_FILE)


_WITHOUT_ANY = Cases(*_BEGIN)
_ALL_OF_DIRECTORY = _WITHOUT_ANY.case("directory", _REMOVE_ALL, _done(_REMOVE_ALL, _no_acl))
_ALL_OF_FILE = _WITHOUT_ANY.case("file", _REMOVE_ALL, _done(_REMOVE_ALL, _no_acl))


@meaning(RemoveAcl, _WITHOUT_ANY)
def _classify_remove_all(root: State, op: RemoveAcl) -> int:
    return _kinds(op, root, _ALL_OF_DIRECTORY, _ALL_OF_FILE)


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

_TO_GET = Cases(*_BEGIN)
_GET_OF_DIRECTORY = _TO_GET.case("directory", _GET, _STATUS)
_GET_OF_FILE = _TO_GET.case("file", _GET, _STATUS)


@meaning(GetAclStatus, _TO_GET, differs=_differs)
def _classify_get(root: State, op: GetAclStatus) -> int:
    return _kinds(op, root, _GET_OF_DIRECTORY, _GET_OF_FILE)


def _some(dice: Random, entries: tuple[str, ...], most: int) -> tuple[str, ...]:
    """A few entries, no two for the same user or group."""
    chosen: dict[str, str] = {}
    for entry in dice.sample(entries, dice.randint(1, most)):
        chosen[entry.rpartition(":")[0]] = entry
    return tuple(chosen.values())


@drawn(SetAcl)
def _draw_set(_draft: Draft, dice: Random, path: Path) -> SetAcl:
    more = _some(dice, ENTRIES, 2) if dice.random() < 0.75 else ()
    defaults = _some(dice, DEFAULTS, 2) if dice.random() < 0.25 else ()
    return SetAcl(path, (*(BASE if dice.random() < 0.9 else BASE[:2]), *more, *defaults))


@drawn(ModifyAcl)
def _draw_modify(_draft: Draft, dice: Random, path: Path) -> ModifyAcl:
    return ModifyAcl(path, _some(dice, ENTRIES if dice.random() < 0.75 else DEFAULTS, 2))


@drawn(RemoveAclEntries)
def _draw_remove(_draft: Draft, dice: Random, path: Path) -> RemoveAclEntries:
    return RemoveAclEntries(path, _some(dice, NAMED, 2))


drawn_plainly(RemoveDefaultAcl, RemoveAcl, GetAclStatus)
