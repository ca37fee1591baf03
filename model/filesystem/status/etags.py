"""Etags: that of a status, and those of two contents, written one after the other.

Source: filesystem.md, "Etag probes through the interface EtagSource".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.content import Content, digest, length
from fsconform.model.core.drawing import Draft, drawn, drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    ANY,
    Branch,
    Cases,
    Check,
    Difference,
    gives,
    lost,
    meaning,
    raises,
    returns,
)
from fsconform.model.filesystem.options.metadata import ETAGS_AVAILABLE
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate, put
from fsconform.model.filesystem.status.entries import EXISTS, missing
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_ETAG = "filesystem.etagSource"
_PROVIDED, _EVERYWHERE, _CONTENTS = f"{_ETAG}.provided", f"{_ETAG}.everywhere", f"{_ETAG}.contents"
_TAGGED, _UNTAGGED = (ETAGS_AVAILABLE, True), (ETAGS_AVAILABLE, False)


@operation
@dataclass(frozen=True, slots=True)
class GetEtag(Operation):
    """``getFileStatus(path).getEtag()`` where the status is an EtagSource.

    Returns facts ``etag`` with ``value``; of a file also everywhere (true if the statuses of all listings are such),
    consistent (true if they have the same etag) and serializable; nothing if it is none.
    """

    NAME: ClassVar[str] = "getEtag"
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class CompareEtags(Operation):
    """``path`` is written twice, with overwrite, and the etag in its status is asked for after each time.

    Returns facts ``etags``: ``first`` and ``second``, empty where there is none; nothing if a status is no EtagSource.
    """

    NAME: ClassVar[str] = "getEtag of two contents"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    other: Content


def _wrong_etag(root: State, op: GetEtag, value: Any) -> Difference | None:
    if not isinstance(value, Facts) or not isinstance(locate(root, op.path), File):
        return None
    if value.get("everywhere") is False:
        return Difference(_EVERYWHERE, "MUST", "a status without an etag's interface")
    if not value.get("value"):
        return None
    if value.get("consistent") is False:
        return Difference(f"{_ETAG}.consistent", "MUST", "another etag in a listing")
    if value.get("serializable") is False:
        return Difference(f"{_ETAG}.serializable", "MUST", "a status that loses its etag when it is serialized")
    return None


def _has_etag(root: State, op: GetEtag, value: Any) -> bool:
    return isinstance(value, Facts) and bool(value.get("value")) and _wrong_etag(root, op, value) is None


def _has_none(_root: State, _op: GetEtag, value: Any) -> bool:
    return isinstance(value, Facts) and not value.get("value")


def _is_source(_root: State, _op: GetEtag, value: Any) -> bool:
    return isinstance(value, Facts)


_MET = Cases(*COMMON_CASES)
_FILE = _MET.case(
    "file",
    _PROVIDED,
    (
        gives(
            _PROVIDED,
            "an etag, the same in all listings",
            _has_etag,
            _TAGGED,
            also=(_EVERYWHERE, f"{_ETAG}.consistent", f"{_ETAG}.serializable"),
        ),
        gives(_PROVIDED, "no etag", _has_none, _UNTAGGED),
        returns(_PROVIDED, None, _UNTAGGED, expected="give no etag"),
    ),
)
_DIRECTORY = _MET.case(
    "directory",
    _EVERYWHERE,
    (
        # The status of a directory need not have an etag; so it is let off being one that could.
        gives(_EVERYWHERE, "a status that can have an etag", _is_source),
        returns(_EVERYWHERE, None, expected="give no etag"),
    ),
)
_MISSING = _MET.add(missing(EXISTS))


@meaning(GetEtag, _MET, differs=_wrong_etag)
def _classify(root: State, op: GetEtag) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (_FILE if type(node) is File else _DIRECTORY if type(node) is Dir else _MISSING)


def same(one: Content, other: Content) -> bool:
    """True of the same bytes."""
    return length(one) == length(other) and digest(one) == digest(other)


def written(root: State, op: CompareEtags) -> State:
    """The file holds what was written last."""
    return put(root, op.path, File(op.other))


def _etags_differ(_root: State, _op: CompareEtags, value: Any) -> bool:
    return isinstance(value, Facts) and bool(value.get("first")) and value.get("first") != value.get("second")


def _etags(_root: State, _op: CompareEtags, value: Any) -> bool:
    return isinstance(value, Facts) and bool(value.get("first")) and bool(value.get("second"))


def _no_etags(_root: State, _op: CompareEtags, value: Any) -> bool:
    return isinstance(value, Facts) and not value.get("first") and not value.get("second")


def _etags_wrong(_root: State, op: CompareEtags, value: Any) -> Difference | None:
    if same(op.content, op.other) or not _etags(_root, op, value) or _etags_differ(_root, op, value):
        return None
    return Difference(_CONTENTS, "MUST", "one etag for two contents")


def _tagged(expected: str, check: Check) -> tuple[Branch, ...]:
    return (
        gives(_CONTENTS, expected, check, _TAGGED, effect=written),
        gives(_CONTENTS, "no etags", _no_etags, _UNTAGGED, effect=written),
        returns(_CONTENTS, None, _UNTAGGED, effect=written, expected="give no etags"),
    )


_OF_TWO = Cases(*COMMON_CASES)
# What create does there is asked elsewhere.
_NO_PLACE = _OF_TWO.case(
    "no place for a file", _CONTENTS, (raises(_CONTENTS, "Exception"), returns(_CONTENTS, ANY, effect=lost))
)
_SAME = _OF_TWO.case("the same bytes twice", _CONTENTS, _tagged("etags", _etags))
_DIFFERENT = _OF_TWO.case("different bytes", _CONTENTS, _tagged("different etags", _etags_differ))


@meaning(CompareEtags, _OF_TWO, differs=_etags_wrong)
def _classify_two(root: State, op: CompareEtags) -> int:
    node = locate(root, op.path)
    if type(node) is Dir or node is UNDER_FILE:
        return bits(op.path, node) | _NO_PLACE
    return bits(op.path, node) | (_SAME if same(op.content, op.other) else _DIFFERENT)


drawn_plainly(GetEtag)


@drawn(CompareEtags)
def _draw_two(draft: Draft, dice: Random, path: Path) -> CompareEtags:
    return CompareEtags(path, draft.content(dice), draft.content(dice))
