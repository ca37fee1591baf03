"""Extended attributes: setXAttr, getXAttr, getXAttrs and listXAttrs, removeXAttr.

The specification has no section on them. Source: introduction.md, "Operations and failures", for calls that are not
implemented; the Javadoc of FileSystem and of XAttrSetFlag; where these are silent, HDFS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Fact, Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    RUNTIME_CLAUSE,
    Branch,
    Case,
    Cases,
    Difference,
    gives,
    lost,
    meaning,
    raises,
    returns,
)
from fsconform.model.filesystem.metadata.attribute_entries import (
    XATTR,
    absence,
    absent,
    changed,
    entries,
    existing,
    refused,
    said,
    unsupported,
)
from fsconform.model.filesystem.options.attributes import DIRECTORIES_WITHOUT_XATTRS, SUPPORTS_XATTRS
from fsconform.model.filesystem.state import Absence, Dir, Node, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_YES, _NO = (SUPPORTS_XATTRS, True), (SUPPORTS_XATTRS, False)
_SET, _GET, _ALL, _REMOVE = (
    "filesystem.setXAttr",
    "filesystem.getXAttr",
    "filesystem.getXAttrs",
    "filesystem.removeXAttr",
)
_EXISTS = "filesystem.xattrs.pre.exists"
_EXISTING = "filesystem.getXAttrs.existing"
_LIMITS = f"{_SET}.limits"
_NAMED = f"{_SET}.pre.name"
_FRESH = f"{_ALL}.fresh"
_NOT_THERE = f"{_GET}.missing"
_MADE_BY_STORE = f"{_ALL}.read-only"

USER = "user."
SOME = ("user.a", "user.b")
"""The names that getXAttrs asks for via some."""
SURE_BYTES = 1024
"""Names and values together up to this size are taken as always permitted; HDFS has 16384 as its default."""
SURE_COUNT = 16
"""So many attributes of one path are taken as always permitted; HDFS has 32 as its default."""

NAMES = ("user.a", "user.a", "user.b", "user.A", "user.a.b", "a")
VALUES = ("", "1", "22", "\u00e4\u20ac", "x" * 900)
FLAGS = ("create", "replace", "both", "both")
"""Those that are drawn."""


@operation
@dataclass(frozen=True, slots=True)
class SetXAttr(Operation):
    """``setXAttr(path, name, value, flag)``; ``value`` is UTF-8, ``flag`` one of create, replace, both."""

    NAME: ClassVar[str] = "setXAttr"
    MUTATES: ClassVar[bool] = True
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"flag": ("create", "replace", "both")}
    path: Path
    name: str
    value: str
    flag: str


@operation
@dataclass(frozen=True, slots=True)
class GetXAttr(Operation):
    """``getXAttr(path, name)``. Returns facts ``xattr`` with ``value``; nothing for null."""

    NAME: ClassVar[str] = "getXAttr"
    path: Path
    name: str


@operation
@dataclass(frozen=True, slots=True)
class GetXAttrs(Operation):
    """``getXAttrs(path)``, via list ``listXAttrs`` (names only), via some with the names ``user.a`` and ``user.b``.

    Returns facts ``xattrs``: ``names`` and ``values``, in the order of the names; only names of the namespace ``user.``
    """

    NAME: ClassVar[str] = "getXAttrs"
    VIAS: ClassVar[tuple[str, ...]] = (
        "list",
        "some",
    )
    path: Path
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class RemoveXAttr(Operation):
    """``removeXAttr(path, name)``."""

    NAME: ClassVar[str] = "removeXAttr"
    MUTATES: ClassVar[bool] = True
    path: Path
    name: str


_NEVER = object()


def _known(node: Node, name: str) -> Fact | object:
    """The value of an attribute, None if it was removed, ``_NEVER`` if it was never set."""
    return entries(node).get(XATTR + name, _NEVER)


def _values(node: Node) -> dict[str, str]:
    """The attributes that are known to be there."""
    return {
        name[len(XATTR) :]: value
        for name, value in entries(node).items()
        if name.startswith(XATTR) and isinstance(value, str)
    }


def _store(root: State, op: SetXAttr) -> State:
    """The attribute has the value."""
    return changed(root, op.path, {XATTR + op.name: op.value})


def _take_away(root: State, op: RemoveXAttr) -> State:
    """The attribute is gone."""
    return changed(root, op.path, {XATTR + op.name: None})


def _beyond(op: SetXAttr, node: Node) -> bool:
    size = len(op.name.encode("utf-8", "surrogatepass")) + len(op.value.encode("utf-8", "surrogatepass"))
    return size > SURE_BYTES or len(_values(node)) >= SURE_COUNT or op.name == USER


_RUNTIME = raises(RUNTIME_CLAUSE, "RuntimeException", level="SHOULD NOT", deviates=True)
_STORED = returns(f"{_SET}.post", None, _YES, effect=_store)


_TO_SET = Cases(*COMMON_CASES, *absent(_EXISTS, SUPPORTS_XATTRS))
_UNNAMED = _TO_SET.case(
    "a name without a namespace",
    _NAMED,
    (
        raises(_NAMED, "IllegalArgumentException", level="SHOULD"),
        *refused(_NAMED, "IOException", SUPPORTS_XATTRS),
        returns(_NAMED, None, _YES, effect=lost, level="SHOULD", deviates=True),
    ),
)
_ANOTHER_NAMESPACE = _TO_SET.case(
    "a name of another namespace",
    _LIMITS,
    (
        raises(_LIMITS, "IOException", _YES, level="MAY"),
        raises(_LIMITS, "RuntimeException", _YES, level="MAY"),
        unsupported(SUPPORTS_XATTRS),
        returns(_LIMITS, None, _YES, effect=lost, level="MAY"),
    ),
)
_BEYOND = _TO_SET.case(
    "more than a store must keep",
    _LIMITS,
    (
        returns(_LIMITS, None, _YES, effect=_store, level="MAY"),
        raises(_LIMITS, "IOException", _YES, level="MAY"),
        raises(_LIMITS, "RuntimeException", _YES, level="MAY"),
        unsupported(SUPPORTS_XATTRS),
    ),
)
_CREATE_THERE = _TO_SET.case(
    "create of an attribute that is there",
    f"{_SET}.flag.create",
    (raises(f"{_SET}.flag.create", "IOException", _YES), unsupported(SUPPORTS_XATTRS), _RUNTIME),
)
_REPLACE_REMOVED = _TO_SET.case(
    "replace of an attribute that was removed",
    f"{_SET}.flag.replace",
    (raises(f"{_SET}.flag.replace", "IOException", _YES), unsupported(SUPPORTS_XATTRS), _RUNTIME),
)
_CREATE_FRESH = _TO_SET.case(
    "create of an attribute that was never set",
    f"{_SET}.post",
    (_STORED, unsupported(SUPPORTS_XATTRS), raises(_FRESH, "IOException", _YES, level="SHOULD", deviates=True)),
)
_REPLACE_FRESH = _TO_SET.case(
    "replace of an attribute that was never set",
    f"{_SET}.flag.replace",
    (
        raises(f"{_SET}.flag.replace", "IOException", _YES),
        unsupported(SUPPORTS_XATTRS),
        _RUNTIME,
        returns(_FRESH, None, _YES, effect=_store, level="SHOULD", deviates=True),
    ),
)
_SET_IT = _TO_SET.case("an attribute to be set", f"{_SET}.post", (_STORED, unsupported(SUPPORTS_XATTRS)))


@meaning(SetXAttr, _TO_SET)
def _classify_set(root: State, op: SetXAttr) -> int:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return absence(op.path, node) | (0 if "." in op.name else _UNNAMED)
    found = bits(op.path, node)
    if "." not in op.name:
        return found | _UNNAMED
    if not op.name.startswith(USER):
        return found | _ANOTHER_NAMESPACE
    if _beyond(op, node):
        return found | _BEYOND
    known = _known(node, op.name)
    if op.flag == "create":
        return found | (_CREATE_THERE if isinstance(known, str) else _CREATE_FRESH if known is _NEVER else _SET_IT)
    if op.flag == "replace":
        return found | (_SET_IT if isinstance(known, str) else _REPLACE_FRESH if known is _NEVER else _REPLACE_REMOVED)
    return found | _SET_IT


def _anything(_root: State, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts)


def _right_value(root: State, op: GetXAttr, value: Any) -> bool:
    return said(value, "xattr", "value") == _known(existing(root, op.path), op.name)


def _unread(clause: str) -> tuple[Branch, ...]:
    """How a store may answer that lets no attributes be set: it has no such call, or shows what it makes itself."""
    return (
        unsupported(SUPPORTS_XATTRS),
        gives(_MADE_BY_STORE, "attributes that the store makes itself", _anything, _NO, level="MAY"),
        returns(_MADE_BY_STORE, None, _NO, level="MAY"),
        raises(clause, "IOException", _NO, level="SHOULD"),
    )


_DIRECTORY_CASE = Case(
    "directory",
    _EXISTING,
    (raises(_EXISTING, "FileNotFoundException", (DIRECTORIES_WITHOUT_XATTRS, True), level="SHOULD", departs=True),),
)
"""What a store may declare of directories; it applies beside the other cases."""

_UNNAMED_CASE = Case(
    "a name without a namespace",
    _NAMED,
    (raises(_NAMED, "IllegalArgumentException", level="SHOULD"), *refused(_NAMED, "IOException", SUPPORTS_XATTRS)),
)
"""A name that is at fault too where the path does not exist."""

_NOT_FOUND = (
    raises(_NOT_THERE, "IOException", level="SHOULD"),
    returns(_NOT_THERE, None, level="SHOULD"),
)


def _differs_value(root: State, op: GetXAttr, value: Any) -> Difference | None:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return None
    known = _known(node, op.name)
    if known is _NEVER:
        return None
    if known is None:
        return Difference(f"{_REMOVE}.post", "MUST", "the value of a removed attribute") if value is not None else None
    if value is None:
        return Difference(f"{_GET}.post", "MUST", "nothing for an attribute that was set")
    if said(value, "xattr", "value") != known:
        return Difference(f"{_GET}.post", "MUST", "another value of the attribute")
    return None


_TO_GET = Cases(*COMMON_CASES, *absent(_EXISTS, SUPPORTS_XATTRS))
_GET_LIMITS = _TO_GET.case(
    "a name of another namespace, or of none",
    _LIMITS,
    (
        raises(_LIMITS, "IOException", level="MAY"),
        raises(_LIMITS, "RuntimeException", level="MAY"),
        returns(_LIMITS, None, level="MAY"),
        gives(_LIMITS, "any value", _anything, level="MAY"),
    ),
)
_GET_THERE = _TO_GET.case(
    "an attribute that was set",
    f"{_GET}.post",
    (gives(f"{_GET}.post", "the value that was set", _right_value, _YES), *_unread(_NOT_THERE)),
)
_GET_REMOVED = _TO_GET.case("an attribute that was removed", _NOT_THERE, (*_NOT_FOUND, *_unread(_NOT_THERE), _RUNTIME))
_GET_FRESH = _TO_GET.case(
    "an attribute that was never set",
    _NOT_THERE,
    (
        *_NOT_FOUND,
        *_unread(_NOT_THERE),
        _RUNTIME,
        gives(_FRESH, "a value that nobody set", _anything, _YES, level="SHOULD", deviates=True),
    ),
)
_GET_UNNAMED = _TO_GET.add(_UNNAMED_CASE)
_GET_OF_DIRECTORY = _TO_GET.add(_DIRECTORY_CASE)


@meaning(GetXAttr, _TO_GET, differs=_differs_value)
def _classify_get(root: State, op: GetXAttr) -> int:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return absence(op.path, node) | (0 if "." in op.name else _GET_UNNAMED)
    found = bits(op.path, node)
    if not op.name.startswith(USER) or op.name == USER:
        return found | _GET_LIMITS
    known = _known(node, op.name)
    found |= _GET_THERE if isinstance(known, str) else _GET_FRESH if known is _NEVER else _GET_REMOVED
    return found | (_GET_OF_DIRECTORY if type(node) is Dir else 0)


_TO_REMOVE = Cases(*COMMON_CASES, *absent(_EXISTS, SUPPORTS_XATTRS))
_REMOVE_LIMITS = _TO_REMOVE.case(
    "a name of another namespace, or of none",
    _LIMITS,
    (
        raises(_LIMITS, "IOException", _YES, level="MAY"),
        raises(_LIMITS, "RuntimeException", _YES, level="MAY"),
        unsupported(SUPPORTS_XATTRS),
        returns(_LIMITS, None, _YES, level="MAY", effect=lost),
    ),
)
_REMOVE_THERE = _TO_REMOVE.case(
    "an attribute that is there",
    f"{_REMOVE}.post",
    (returns(f"{_REMOVE}.post", None, _YES, effect=_take_away), unsupported(SUPPORTS_XATTRS)),
)
_REMOVE_REMOVED = _TO_REMOVE.case(
    "an attribute that was removed",
    f"{_REMOVE}.missing",
    (
        *refused(f"{_REMOVE}.missing", "IOException", SUPPORTS_XATTRS),
        returns(f"{_REMOVE}.missing", None, _YES, level="SHOULD"),
    ),
)
_REMOVE_FRESH = _TO_REMOVE.case(
    "an attribute that was never set",
    f"{_REMOVE}.missing",
    (
        *refused(f"{_REMOVE}.missing", "IOException", SUPPORTS_XATTRS),
        returns(f"{_REMOVE}.missing", None, _YES, effect=_take_away, level="SHOULD"),
    ),
)
_REMOVE_UNNAMED = _TO_REMOVE.add(_UNNAMED_CASE)


@meaning(RemoveXAttr, _TO_REMOVE)
def _classify_remove(root: State, op: RemoveXAttr) -> int:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return absence(op.path, node) | (0 if "." in op.name else _REMOVE_UNNAMED)
    found = bits(op.path, node)
    if not op.name.startswith(USER) or op.name == USER:
        return found | _REMOVE_LIMITS
    known = _known(node, op.name)
    return found | (_REMOVE_THERE if isinstance(known, str) else _REMOVE_FRESH if known is _NEVER else _REMOVE_REMOVED)


def _listed(op: GetXAttrs, value: Any) -> dict[str, str | None] | None:
    """The attributes that a call returned by name, with a value of None where only names are told."""
    names = said(value, "xattrs", "names")
    if not isinstance(names, tuple):
        return None
    if op.via == "list":
        return dict.fromkeys(names)
    values = said(value, "xattrs", "values")
    return dict(zip(names, values, strict=False)) if isinstance(values, tuple) else None


def _wanted(node: Node, op: GetXAttrs) -> dict[str, str]:
    values = _values(node)
    return {name: value for name, value in values.items() if op.via != "some" or name in SOME}


def _right_attributes(strangers: bool) -> Callable[[State, GetXAttrs, Any], bool]:
    def check(root: State, op: GetXAttrs, value: Any) -> bool:
        node, listed = existing(root, op.path), _listed(op, value)
        return listed is not None and _wrong(node, op, listed, strangers) == ""

    return check


_ANOTHER_VALUE = "another value of an attribute"


def _wrong(node: Node, op: GetXAttrs, listed: dict[str, str | None], strangers: bool) -> str:
    wanted = _wanted(node, op)
    if not wanted.keys() <= listed.keys():
        return "attributes without one that was set"
    if op.via != "list" and any(listed[name] != value for name, value in wanted.items()):
        return _ANOTHER_VALUE
    others = [_known(node, name) for name in listed if name not in wanted]
    if any(known is not _NEVER for known in others):
        return "attributes with one that is not to be there"
    return "" if strangers or not others else "attributes that nobody set"


def _differs_all(root: State, op: GetXAttrs, value: Any) -> Difference | None:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return None
    listed = _listed(op, value)
    wrong = "other attributes" if listed is None else _wrong(node, op, listed, strangers=True)
    if not wrong:
        return None
    wanted = _wanted(node, op)
    names, values = said(value, "xattrs", "names"), said(value, "xattrs", "values")
    of_values = isinstance(names, tuple) and isinstance(values, tuple) and len(names) == len(wanted) > len(values)
    name = "values" if wrong == _ANOTHER_VALUE or of_values else "names"
    shown = sorted(wanted) if name == "names" else [wanted[one] for one in sorted(wanted)]
    return Difference(f"{_ALL}.post", "MUST", wrong, name, f"[{', '.join(shown)}]")


_GIVEN = (
    gives(f"{_ALL}.post", "the attributes that were set, with their values", _right_attributes(False), _YES),
    *_unread(_NOT_THERE)[:2],
    gives(_FRESH, "attributes that nobody set", _right_attributes(True), _YES, level="SHOULD", deviates=True),
)

_ALL_OF = Cases(*COMMON_CASES, *absent(_EXISTS, SUPPORTS_XATTRS))
_ALL_THERE = _ALL_OF.case("existing", f"{_ALL}.post", _GIVEN)
_ONE_LACKS = _ALL_OF.case(
    "names of which one is not there",
    f"{_ALL}.post",
    (*_GIVEN, raises(_NOT_THERE, "IOException", level="SHOULD")),
)
_ALL_OF_DIRECTORY = _ALL_OF.add(_DIRECTORY_CASE)


@meaning(GetXAttrs, _ALL_OF, differs=_differs_all)
def _classify_all(root: State, op: GetXAttrs) -> int:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return absence(op.path, node)
    lacks = op.via == "some" and len(_wanted(node, op)) < len(SOME)
    found = bits(op.path, node) | (_ONE_LACKS if lacks else _ALL_THERE)
    return found | (_ALL_OF_DIRECTORY if type(node) is Dir else 0)


@drawn(SetXAttr)
def _draw_set(_draft: Draft, dice: Random, path: Path) -> SetXAttr:
    return SetXAttr(path, dice.choice(NAMES), dice.choice(VALUES), dice.choice(FLAGS))


@drawn(GetXAttr)
def _draw_get(_draft: Draft, dice: Random, path: Path) -> GetXAttr:
    return GetXAttr(path, dice.choice(NAMES))


@drawn(GetXAttrs)
def _draw_all(_draft: Draft, dice: Random, path: Path) -> GetXAttrs:
    return GetXAttrs(path, dice.choice(("", *GetXAttrs.VIAS)))


@drawn(RemoveXAttr)
def _draw_remove(_draft: Draft, dice: Random, path: Path) -> RemoveXAttr:
    return RemoveXAttr(path, dice.choice(NAMES))
