"""getFileBlockLocations.

Source: filesystem.md, "BlockLocation[] getFileBlockLocations(FileStatus f, int s, int l)" and "BlockLocation[]
getFileBlockLocations(Path P, int S, int L)".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core import content as contents
from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Long, Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import (
    Cases,
    Difference,
    below_a_file,
    gives,
    meaning,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.options.listing import (
    REFUSES_LOCATIONS_OF_DIRECTORIES,
    REFUSES_NEGATIVE_RANGES_BY_IOEXCEPTION,
    SUPPORTS_BLOCK_LOCALITY,
)
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random


_LOCATIONS = "filesystem.getFileBlockLocations"
_RANGE = f"{_LOCATIONS}.pre.range"
_BEYOND = f"{_LOCATIONS}.post.beyond-end"
_BLOCKS = f"{_LOCATIONS}.post.blocks"
_DEFAULT = f"{_LOCATIONS}.post.default"
_OF_PATH = f"{_LOCATIONS}.path.post"

RANGES = (0, 0, 1, 511, 512, 4096, 2**40, -1)
"""Where ranges that are drawn begin, and how long they are."""

_AWARE = (SUPPORTS_BLOCK_LOCALITY, True)
_UNAWARE = (SUPPORTS_BLOCK_LOCALITY, False)

_LOCALHOST = {"names": ("localhost:9866",), "hosts": ("localhost",), "topologies": ("/default/localhost",)}


@operation
@dataclass(frozen=True, slots=True)
class GetFileBlockLocations(Operation):
    """``getFileBlockLocations(path, start, length)``, in bytes; via status the overload that takes a FileStatus.

    Returns facts ``locations`` with ``blocks``, a text ``offset,length,number of hosts`` each, and the ``names``,
    ``hosts`` and ``topologies`` of all blocks, each once; nothing for null.
    """

    NAME: ClassVar[str] = "getFileBlockLocations"
    VIAS: ClassVar[tuple[str, ...]] = (
        "status",
        "context",
    )
    path: Path
    start: Long
    length: Long
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class LocateNull(Operation):
    """``getFileBlockLocations(null, 0, 1)``, the null being a path, or via status a FileStatus.

    Returns nothing for null, else as GetFileBlockLocations.
    """

    NAME: ClassVar[str] = "getFileBlockLocations of null"
    VIAS: ClassVar[tuple[str, ...]] = ("status",)
    via: str = ""


def _blocks(value: object) -> list[tuple[int, int, int]] | None:
    """Offset, length and number of hosts of each block; None if these are no locations."""
    blocks = value.get("blocks") if isinstance(value, Facts) else None
    if not isinstance(blocks, tuple):
        return None
    found = []
    for text in blocks:
        try:
            offset, length, hosts = map(int, text.split(","))
        except ValueError:
            return None
        found.append((offset, length, hosts))
    return found


def _length(root: State, op: GetFileBlockLocations) -> int:
    node = of.existing(root, op.path)
    return contents.length(node.content) if type(node) is File else 0


def _none(_root: State, _op: GetFileBlockLocations, value: object) -> bool:
    return _blocks(value) == []


def _anything(_root: State, _op: GetFileBlockLocations, value: object) -> bool:
    return _blocks(value) is not None


def _one_on_localhost(root: State, op: GetFileBlockLocations, value: object) -> bool:
    if _blocks(value) != [(0, _length(root, op), 1)]:
        return False
    assert isinstance(value, Facts)
    return all(value.get(name) == texts for name, texts in _LOCALHOST.items())


def _of_the_range(root: State, op: GetFileBlockLocations, value: object) -> bool:
    """Blocks of the file, each with hosts and bytes of the range, that hold the whole range between them."""
    blocks = _blocks(value)
    if blocks is None:
        return False
    size = _length(root, op)
    end = min(op.start + op.length, size)
    reached = op.start
    for offset, length, hosts in sorted(blocks):
        # The text does not say that an empty range has no block: the one that it lies in is allowed.
        inside = offset < max(end, op.start + 1) and offset + length > op.start
        if hosts < 1 or length < 1 or offset > reached or offset + length > size or not inside:
            return False
        reached = offset + length
    return reached >= end


def _differs(root: State, op: GetFileBlockLocations, value: object) -> Difference | None:
    if of.existing(root, op.path) is None:
        return None
    clause = _BLOCKS if op.start < _length(root, op) else _BEYOND
    if op.start < 0 or op.length < 0:
        clause = _RANGE
    blocks = _blocks(value)
    if blocks is None:
        return Difference(clause, "MUST", "null in place of locations", "blocks") if value is None else None
    if clause == _RANGE:
        return Difference(clause, "MUST", "locations of a range that begins or ends before 0", "blocks")
    if clause == _BEYOND:
        return Difference(clause, "MUST", "locations of bytes that there are not", "blocks")
    if any(hosts < 1 for _, _, hosts in blocks):
        return Difference(clause, "MUST", "locations without hosts", "blocks")
    return Difference(clause, "MUST", "locations of other blocks", "blocks")


_MET = Cases(*COMMON_CASES)
# InvalidArgumentException, beside HadoopIllegalArgumentException, names no class that a store could raise.
_NEGATIVE = _MET.case(
    "negative range",
    _RANGE,
    (
        raises(_RANGE, "IllegalArgumentException"),
        raises(_RANGE, "IOException", (REFUSES_NEGATIVE_RANGES_BY_IOEXCEPTION, True), departs=True),
    ),
)
_MISSING = _MET.case(
    "missing",
    f"{_LOCATIONS}.path.pre.exists",
    runtime_instead((raises(f"{_LOCATIONS}.path.pre.exists", "FileNotFoundException"),)),
)
_BELOW_FILE = _MET.add(below_a_file(f"{_LOCATIONS}.path.pre.exists"))
_BEYOND_END = _MET.case("beyond the end", _BEYOND, (gives(_BEYOND, "no locations", _none, also=(_OF_PATH,)),))
_INSIDE = _MET.case(
    "inside of the file",
    _BLOCKS,
    (
        gives(_BLOCKS, "the blocks of the range with their hosts", _of_the_range, _AWARE, also=(_OF_PATH,)),
        gives(
            _DEFAULT,
            "one block of the file's length on localhost",
            _one_on_localhost,
            _UNAWARE,
            level="SHOULD",
            also=(_OF_PATH,),
        ),
        gives(_DEFAULT, "other locations", _anything, _UNAWARE, level="SHOULD", deviates=True),
    ),
)
_DIRECTORY = _MET.case(
    "directory",
    _BEYOND,
    (
        gives(_BEYOND, "no locations", _none, also=(_OF_PATH,)),
        gives(_BEYOND, "locations of a length", _anything, (DIRECTORIES_HAVE_LENGTH, True), departs=True),
        raises(_BEYOND, "FileNotFoundException", (REFUSES_LOCATIONS_OF_DIRECTORIES, True), departs=True),
    ),
)


@meaning(GetFileBlockLocations, _MET, differs=_differs, derived=True)
def _classify(root: State, op: GetFileBlockLocations) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    negative = op.start < 0 or op.length < 0
    if type(node) is File:
        return found | (_NEGATIVE if negative else _INSIDE if op.start < contents.length(node.content) else _BEYOND_END)
    if type(node) is Dir:
        return found | (_NEGATIVE if negative else _DIRECTORY)
    return found | _MISSING | (_BELOW_FILE if node is UNDER_FILE else 0) | (_NEGATIVE if negative else 0)


_NULL_PATH = f"{_LOCATIONS}.path.pre.not-null"
_NULL_STATUS = f"{_LOCATIONS}.post.null"


_OF_NULL = Cases(*COMMON_CASES)
_NO_PATH = _OF_NULL.case("null path", _NULL_PATH, (raises(_NULL_PATH, "NullPointerException"),))
_NO_STATUS = _OF_NULL.case("null status", _NULL_STATUS, (returns(_NULL_STATUS, None, expected="return null"),))


@meaning(LocateNull, _OF_NULL, derived=True)
def _classify_null(_root: State, op: LocateNull) -> int:
    return _NO_STATUS if op.via == "status" else _NO_PATH


@drawn(GetFileBlockLocations)
def _draw(_draft: Draft, dice: Random, path: Path) -> GetFileBlockLocations:
    start, length = dice.choice(RANGES), dice.choice(RANGES)
    return GetFileBlockLocations(path, start, length, dice.choice(("", *GetFileBlockLocations.VIAS)))


@drawn(LocateNull)
def _draw_null(_draft: Draft, dice: Random, _path: Path) -> LocateNull:
    return LocateNull(dice.choice(("", *LocateNull.VIAS)))
