"""globStatus. Source: FileSystem.globStatus (Javadoc); the specification has no section on it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Status
from fsconform.model.core.paths import Path, show, valid
from fsconform.model.filesystem.branches import (
    ANY,
    Branch,
    Cases,
    Check,
    Difference,
    below_a_file,
    gives,
    meaning,
    raises,
    returns,
)
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.options.listing import MISREADS_ESCAPES_IN_PATTERNS
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.status import misread_patterns as misread
from fsconform.model.filesystem.status.patterns import Pattern, compiled, leads_below_file, matches, meets_forbidden
from fsconform.model.filesystem.validity import COMMON_CASES, ODD, flags

if TYPE_CHECKING:
    from random import Random


_GLOB = "filesystem.globStatus"
_MATCHES = f"{_GLOB}.post.matches"
_SORTED = f"{_GLOB}.post.sorted"
_NULL = f"{_GLOB}.post.null"
_EMPTY = f"{_GLOB}.post.empty"
_UNSETTLED = f"{_GLOB}.unsettled"

_MISREADING = (MISREADS_ESCAPES_IN_PATTERNS, True)

WILD = ("*", "?", "a*", "*b", "[ab]", "[a-c]*", "[^a]", "{a,b}", "{a,{b,ab}}", "a{,b}")
_SPECIAL = re.compile(r"([\\*?\[\]{}^,])")

_SIMPLE = re.compile(r"[A-Za-z0-9._/-]*", re.ASCII)


@operation
@dataclass(frozen=True, slots=True)
class GlobStatus(Operation):
    """``globStatus(pattern)``, the pattern being relative to the program's root.

    Returns statuses, or nothing for null.
    """

    NAME: ClassVar[str] = "globStatus"
    VIAS: ClassVar[tuple[str, ...]] = (
        "filter",
        "context",
    )
    pattern: str
    via: str = ""


def _wanted(root: State, op: GlobStatus) -> of.Entries:
    pattern = compiled(op.pattern)
    return {} if pattern is None else matches(root, pattern)


def _in_order(listed: tuple[Status, ...]) -> bool:
    """Sorted by name: as texts or element by element, as nothing says which. Of odd names no order is certain."""
    texts = [show(status.path) for status in listed]
    if not all(map(_SIMPLE.fullmatch, texts)):
        return True
    return texts == sorted(texts) or [status.path for status in listed] == sorted(status.path for status in listed)


def _right(root: State, op: GlobStatus, listed: object, any_length: bool) -> bool:
    # Alternatives may name a path twice; nothing says that it is given once then.
    wanted = _wanted(root, op)
    if not of.covers(listed, wanted, any_length):
        return False
    assert isinstance(listed, tuple)
    return _in_order(listed) and (len(listed) == len(wanted) or "{" in op.pattern)


def _found(root: State, op: GlobStatus, listed: object) -> bool:
    return _right(root, op, listed, any_length=False)


def _found_with_any_length(root: State, op: GlobStatus, listed: object) -> bool:
    return _right(root, op, listed, any_length=True)


def _none(_root: State, _op: GlobStatus, listed: object) -> bool:
    return listed == ()


def _odd(pattern: Pattern) -> int:
    """Refusals are open to a store where no element that is written out in full is sure to be allowed."""
    return ODD if valid(pattern.literals) and flags(pattern.literals) else 0


def _differs(root: State, op: GlobStatus, value: object) -> Difference | None:
    pattern = compiled(op.pattern)
    if pattern is None:
        return None
    wanted = matches(root, pattern)
    if value is None:
        if wanted:
            return Difference(_MATCHES, "MUST", "null")
        return Difference(_EMPTY, "MUST", "null") if pattern.special else None
    if not isinstance(value, tuple):
        return None
    if not wanted and not value:
        return None if pattern.special else Difference(_NULL, "MUST", "an empty array")
    words = of.wrong(value, wanted)
    if words:
        return Difference(_MATCHES, "MUST", words)
    return None if _in_order(value) else Difference(_SORTED, "MUST", "a listing in another order")


def _all_matches() -> tuple[Branch, ...]:
    expected = "the statuses of all paths that match, sorted"
    return (
        gives(_MATCHES, expected, _found, also=(_SORTED,)),
        gives(
            of.DIRECTORY_STATUS,
            expected,
            _found_with_any_length,
            (DIRECTORIES_HAVE_LENGTH, True),
            departs=True,
            also=(_SORTED,),
        ),
    )


def _misread(any_length: bool) -> Check:
    """A check that what was found is what Hadoop's classes find, which misread escapes."""

    def check(root: State, op: GlobStatus, listed: object) -> bool:
        try:
            wanted = misread.found(root, op.pattern)
        except misread.Misread:
            return False
        if not of.covers(listed, wanted, any_length):
            return False
        assert isinstance(listed, tuple)
        return _in_order(listed) and (len(listed) == len(wanted) or "{" in op.pattern)

    return check


def _refused_by(error: str) -> Branch:
    """The error by which Hadoop's classes refuse what they can't read, and only there."""

    def check(root: State, op: GlobStatus, _value: object) -> bool:
        try:
            misread.found(root, op.pattern)
        except misread.Misread as refused:
            return refused.error == error
        return False

    return replace(raises(_MATCHES, error, _MISREADING, departs=True), check=check)


_MISREAD_WORDS = "what the pattern gives as a regular expression, in which an escaped letter is no plain one"
_MISREAD = (
    gives(_MATCHES, _MISREAD_WORDS, _misread(False), _MISREADING, departs=True),
    gives(_MATCHES, _MISREAD_WORDS, _misread(True), _MISREADING, (DIRECTORIES_HAVE_LENGTH, True), departs=True),
    _refused_by("IOException"),
    _refused_by("RuntimeException"),
)

_MET = Cases(*COMMON_CASES)
_MATCHING = _MET.case("paths that match", _MATCHES, _all_matches())
_NOTHING_MATCHES = _MET.case("wildcards that nothing matches", _EMPTY, (gives(_EMPTY, "an empty array", _none),))
_PLAIN_MISSING = _MET.case("a missing path without wildcards", _NULL, (returns(_NULL, None, expected="return null"),))
_OF_UNSETTLED_MEANING = _MET.case(
    "a pattern of unsettled meaning",
    _UNSETTLED,
    (
        returns(_UNSETTLED, ANY, level="UNDEFINED"),
        raises(_UNSETTLED, "IOException", level="UNDEFINED"),
        raises(_UNSETTLED, "RuntimeException", level="UNDEFINED"),
    ),
)
_ESCAPED_LETTER = _MET.case("a letter or digit that is escaped", _MATCHES, _MISREAD)
_BELOW_FILE = _MET.add(below_a_file(_MATCHES))
# Such a name is matched like any other, or the whole call is refused.
_FORBIDDEN = _MET.case(
    "names that the specification forbids",
    _UNSETTLED,
    tuple(raises(_UNSETTLED, error, level="UNDEFINED") for error in ("IOException", "RuntimeException")),
)


@meaning(GlobStatus, _MET, differs=_differs, derived=True)
def _classify(root: State, op: GlobStatus) -> int:
    pattern = compiled(op.pattern)
    if pattern is None:
        return _OF_UNSETTLED_MEANING
    besides = (_ESCAPED_LETTER if pattern.plain_escapes else 0) | (
        _BELOW_FILE if leads_below_file(root, pattern) else 0
    )
    besides |= _FORBIDDEN if meets_forbidden(root, pattern, "{" in op.pattern) else 0
    if matches(root, pattern):
        return _MATCHING | besides
    return (_NOTHING_MATCHES if pattern.special else _PLAIN_MISSING) | _odd(pattern) | besides


@drawn(GlobStatus)
def _draw(_draft: Draft, dice: Random, path: Path) -> GlobStatus:
    elements = [dice.choice(WILD) if dice.random() < 0.4 else _SPECIAL.sub(r"\\\1", name) for name in path]
    if dice.random() < 0.2:
        elements.append("*")
    return GlobStatus("/".join(elements), dice.choice(("", *GlobStatus.VIAS)))
