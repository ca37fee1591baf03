"""getFileBlockLocations.

Source: filesystem.md, "BlockLocation[] getFileBlockLocations(FileStatus f, int s, int l)" and "BlockLocation[]
getFileBlockLocations(Path P, int S, int L)".
"""

from __future__ import annotations

from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import (
    Case,
    Difference,
    Meaning,
    below_a_file,
    gives,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.operations.listing import GetFileBlockLocations, LocateNull
from fsconform.model.filesystem.options.core import DIRECTORIES_HAVE_LENGTH
from fsconform.model.filesystem.options.listing import (
    REFUSES_LOCATIONS_OF_DIRECTORIES,
    REFUSES_NEGATIVE_RANGES_BY_IOEXCEPTION,
    SUPPORTS_BLOCK_LOCALITY,
)
from fsconform.model.filesystem.state import UNDER_FILE, Dir, File, State, locate
from fsconform.model.filesystem.status import entries as of
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_LOCATIONS = "filesystem.getFileBlockLocations"
_RANGE = f"{_LOCATIONS}.pre.range"
_BEYOND = f"{_LOCATIONS}.post.beyond-end"
_BLOCKS = f"{_LOCATIONS}.post.blocks"
_DEFAULT = f"{_LOCATIONS}.post.default"
_OF_PATH = f"{_LOCATIONS}.path.post"

_AWARE = (SUPPORTS_BLOCK_LOCALITY, True)
_UNAWARE = (SUPPORTS_BLOCK_LOCALITY, False)

_LOCALHOST = {"names": ("localhost:9866",), "hosts": ("localhost",), "topologies": ("/default/localhost",)}


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


def _classify(root: State, op: GetFileBlockLocations) -> int:
    node = locate(root, op.path)
    found = bits(op.path, node)
    negative = op.start < 0 or op.length < 0
    if type(node) is File:
        return found | (4 if negative else 64 if op.start < contents.length(node.content) else 32)
    if type(node) is Dir:
        return found | (4 if negative else 128)
    return found | 8 | (16 if node is UNDER_FILE else 0) | (4 if negative else 0)


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


GET_FILE_BLOCK_LOCATIONS = Meaning(
    GetFileBlockLocations,
    (
        *COMMON_CASES,
        # InvalidArgumentException, beside HadoopIllegalArgumentException, names no class that a store could raise.
        Case(
            "negative range",
            _RANGE,
            (
                raises(_RANGE, "IllegalArgumentException"),
                raises(_RANGE, "IOException", (REFUSES_NEGATIVE_RANGES_BY_IOEXCEPTION, True), departs=True),
            ),
        ),
        Case(
            "missing",
            f"{_LOCATIONS}.path.pre.exists",
            runtime_instead((raises(f"{_LOCATIONS}.path.pre.exists", "FileNotFoundException"),)),
        ),
        below_a_file(f"{_LOCATIONS}.path.pre.exists"),
        Case("beyond the end", _BEYOND, (gives(_BEYOND, "no locations", _none, also=(_OF_PATH,)),)),
        Case(
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
        ),
        Case(
            "directory",
            _BEYOND,
            (
                gives(_BEYOND, "no locations", _none, also=(_OF_PATH,)),
                gives(_BEYOND, "locations of a length", _anything, (DIRECTORIES_HAVE_LENGTH, True), departs=True),
                raises(_BEYOND, "FileNotFoundException", (REFUSES_LOCATIONS_OF_DIRECTORIES, True), departs=True),
            ),
        ),
    ),
    _classify,
    _differs,
    derived=True,
)

_NULL_PATH = f"{_LOCATIONS}.path.pre.not-null"
_NULL_STATUS = f"{_LOCATIONS}.post.null"

LOCATE_NULL = Meaning(
    LocateNull,
    (
        *COMMON_CASES,
        Case("null path", _NULL_PATH, (raises(_NULL_PATH, "NullPointerException"),)),
        Case("null status", _NULL_STATUS, (returns(_NULL_STATUS, None, expected="return null"),)),
    ),
    lambda _root, op: 8 if op.via == "status" else 4,
    derived=True,
)
