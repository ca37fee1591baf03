"""getDefaultBlockSize, getDefaultReplication and getServerDefaults.

Source: filesystem.md, "long getDefaultBlockSize()" and "long getDefaultBlockSize(Path p)".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fsconform.model.core.drawing import drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, gives, meaning
from fsconform.model.filesystem.refusals import UNSUPPORTED, answers
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.status.entries import at_least
from fsconform.model.filesystem.validity import COMMON_CASES, lenient_bits

_DEFAULT = "filesystem.getDefaultBlockSize"


@operation
@dataclass(frozen=True, slots=True)
class GetDefaultBlockSize(Operation):
    """``getDefaultBlockSize(path)``, via plain without the path. Returns facts ``number`` with ``value``, in bytes."""

    NAME: ClassVar[str] = "getDefaultBlockSize"
    VIAS: ClassVar[tuple[str, ...]] = ("plain",)
    path: Path
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class GetDefaultReplication(Operation):
    """``getDefaultReplication(path)``, via plain without the path. Returns facts ``number`` with ``value``."""

    NAME: ClassVar[str] = "getDefaultReplication"
    VIAS: ClassVar[tuple[str, ...]] = ("plain",)
    path: Path
    via: str = ""


@operation
@dataclass(frozen=True, slots=True)
class GetServerDefaults(Operation):
    """``getServerDefaults(path)``.

    Returns facts ``server defaults``: blockSize, replication, bytesPerChecksum, fileBufferSize.
    """

    NAME: ClassVar[str] = "getServerDefaults"
    VIAS: ClassVar[tuple[str, ...]] = (
        "plain",
        "context",
    )
    path: Path
    via: str = ""


_OF_PATHS = "a number that is not negative"

_BLOCKS = Cases(*COMMON_CASES)
_OF_FILESYSTEM = _BLOCKS.case(
    "of the filesystem", f"{_DEFAULT}.post", (gives(f"{_DEFAULT}.post", "a number above 0", at_least(1)),)
)
_OF_PATH = _BLOCKS.case("of a path", f"{_DEFAULT}.path.post", (gives(f"{_DEFAULT}.path.post", _OF_PATHS, at_least(0)),))
_OF_MISSING = _BLOCKS.case(
    "of a missing path", f"{_DEFAULT}.path.missing", (gives(f"{_DEFAULT}.path.missing", _OF_PATHS, at_least(0)),)
)


@meaning(GetDefaultBlockSize, _BLOCKS)
def _classify_block_size(root: State, op: GetDefaultBlockSize) -> int:
    if op.via:
        return _OF_FILESYSTEM
    node = locate(root, op.path)
    return lenient_bits(op.path, node) | (_OF_PATH if isinstance(node, File | Dir) else _OF_MISSING)


def _are_defaults(_root: State, _op: Any, value: Any) -> bool:
    return isinstance(value, Facts) and value.kind == "server defaults"


# Of these two queries the documents say nothing.

_REPLICATION = Cases(*COMMON_CASES)
_REPLICAS = _REPLICATION.case("any path", UNSUPPORTED, answers("return a number of replicas", at_least(0)))


@meaning(GetDefaultReplication, _REPLICATION)
def _classify_replication(root: State, op: GetDefaultReplication) -> int:
    return (0 if op.via == "plain" else lenient_bits(op.path, locate(root, op.path))) | _REPLICAS


_DEFAULTS = Cases(*COMMON_CASES)
_ALL = _DEFAULTS.case("any path", UNSUPPORTED, answers("return the defaults", _are_defaults))


@meaning(GetServerDefaults, _DEFAULTS)
def _classify_defaults(root: State, op: GetServerDefaults) -> int:
    return (0 if op.via == "plain" else lenient_bits(op.path, locate(root, op.path))) | _ALL


drawn_plainly(GetDefaultBlockSize, GetDefaultReplication, GetServerDefaults)
