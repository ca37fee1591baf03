"""Path validity, as it bears on every operation.

A path with a forbidden element names nothing: queries find it missing, and an operation that would make it exist is
refused, SHOULD be with InvalidPathException or an IOException. A store MAY forbid further strings and has limits that
were never defined; names that stay within the portable character set and modest sizes are taken as always permitted,
all others as ones that a store may refuse. Source: model.md, "Paths and Path Elements"; introduction.md, "Path Names"
and "Undefined capacity limits"; filesystem.md, "FSDataOutputStream create(Path, ...)".
"""

from __future__ import annotations

import re
from functools import lru_cache

from fsconform.model.core.paths import Path, valid
from fsconform.model.filesystem.branches import VALID_PATHS, Case, raises, returns
from fsconform.model.filesystem.state import Absence, Node

INVALID = 1
ODD = 2
COMMON_BITS = 2

SURE_ELEMENT_BYTES = 128
SURE_DEPTH = 32
SURE_PATH_BYTES = 512

_PORTABLE = re.compile(r"[A-Za-z0-9._-]*[A-Za-z0-9_-]", re.ASCII)

INVALID_CLAUSE = "model.paths.invalid-path-exception"
_OTHER_CLAUSE = "model.paths.other-strings"
_REJECTION_CLAUSE = "filesystem.create.rejections"

INVALID_CASE = Case(
    "invalid path",
    VALID_PATHS,
    (
        raises(INVALID_CLAUSE, "InvalidPathException", level="SHOULD"),
        raises(_REJECTION_CLAUSE, "IOException", level="SHOULD"),
        raises(INVALID_CLAUSE, "RuntimeException", level="SHOULD", deviates=True),
    ),
)

ODD_CASE = Case(
    "a name that a store may forbid",
    _OTHER_CLAUSE,
    (
        raises(_OTHER_CLAUSE, "InvalidPathException", level="MAY"),
        raises(_REJECTION_CLAUSE, "IOException", level="SHOULD"),
        raises(_REJECTION_CLAUSE, "RuntimeException", level="SHOULD", deviates=True),
        returns("introduction.failures.exceptions", False, level="SHOULD", deviates=True),
    ),
)

COMMON_CASES = (INVALID_CASE, ODD_CASE)


@lru_cache(maxsize=1 << 16)
def flags(path: Path) -> int:
    """INVALID for a path the specification forbids, ODD for one that a store may refuse, else 0."""
    if not valid(path):
        return INVALID
    if len(path) > SURE_DEPTH or sum(len(name.encode("utf-8", "surrogatepass")) + 1 for name in path) > SURE_PATH_BYTES:
        return ODD
    if all(_PORTABLE.fullmatch(name) and len(name) <= SURE_ELEMENT_BYTES for name in path):
        return 0
    return ODD


def bits(path: Path, node: Node | Absence) -> int:
    """The flags of a path as they bear on an operation: what exists was accepted once, so it can't be refused again."""
    found = flags(path)
    return found & INVALID if found and not isinstance(node, Absence) else found


def lenient_bits(path: Path, node: Node | Absence) -> int:
    """As :func:`bits`, for calls that ask nothing of what is at the path: a forbidden one may be refused or not."""
    found = bits(path, node)
    return ODD if found & INVALID else found
