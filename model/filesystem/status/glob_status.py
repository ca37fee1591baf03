"""globStatus. Source: FileSystem.globStatus (Javadoc); the specification has no section on it."""

from __future__ import annotations

import re
from dataclasses import replace

from fsconform.model.core.outcomes import Status
from fsconform.model.core.paths import show, valid
from fsconform.model.filesystem.branches import (
    ANY,
    Branch,
    Case,
    Check,
    Difference,
    Meaning,
    below_a_file,
    gives,
    raises,
    returns,
)
from fsconform.model.filesystem.operations.listing import GlobStatus
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.options.listing import MISREADS_ESCAPES_IN_PATTERNS
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.status import misread_patterns as misread
from fsconform.model.filesystem.status.patterns import Pattern, compiled, leads_below_file, matches, meets_forbidden
from fsconform.model.filesystem.validity import COMMON_CASES, ODD, flags

_GLOB = "filesystem.globStatus"
_MATCHES = f"{_GLOB}.post.matches"
_SORTED = f"{_GLOB}.post.sorted"
_NULL = f"{_GLOB}.post.null"
_EMPTY = f"{_GLOB}.post.empty"
_UNSETTLED = f"{_GLOB}.unsettled"

_MISREADING = (MISREADS_ESCAPES_IN_PATTERNS, True)

_SIMPLE = re.compile(r"[A-Za-z0-9._/-]*", re.ASCII)


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


def _classify(root: State, op: GlobStatus) -> int:
    pattern = compiled(op.pattern)
    if pattern is None:
        return 32
    besides = (64 if pattern.plain_escapes else 0) | (128 if leads_below_file(root, pattern) else 0)
    besides |= 256 if meets_forbidden(root, pattern, "{" in op.pattern) else 0
    if matches(root, pattern):
        return 4 | besides
    return (8 if pattern.special else 16) | _odd(pattern) | besides


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

GLOB_STATUS = Meaning(
    GlobStatus,
    (
        *COMMON_CASES,
        Case("paths that match", _MATCHES, _all_matches()),
        Case("wildcards that nothing matches", _EMPTY, (gives(_EMPTY, "an empty array", _none),)),
        Case("a missing path without wildcards", _NULL, (returns(_NULL, None, expected="return null"),)),
        Case(
            "a pattern of unsettled meaning",
            _UNSETTLED,
            (
                returns(_UNSETTLED, ANY, level="UNDEFINED"),
                raises(_UNSETTLED, "IOException", level="UNDEFINED"),
                raises(_UNSETTLED, "RuntimeException", level="UNDEFINED"),
            ),
        ),
        Case(
            "a letter or digit that is escaped",
            _MATCHES,
            _MISREAD,
        ),
        below_a_file(_MATCHES),
        # Such a name is matched like any other, or the whole call is refused.
        Case(
            "names that the specification forbids",
            _UNSETTLED,
            tuple(raises(_UNSETTLED, error, level="UNDEFINED") for error in ("IOException", "RuntimeException")),
        ),
    ),
    _classify,
    _differs,
    derived=True,
)
