"""Symbolic links. createSymlink ends what the model can follow: it knows no links.

The specification has no section on the calls. Source: introduction.md, "Operations and failures", for calls that are
not implemented; the Javadoc of FileSystem and FileContext; where these are silent, HDFS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, lost, meaning, returns
from fsconform.model.filesystem.metadata.attribute_entries import absence, absent, refused, unsupported
from fsconform.model.filesystem.options.attributes import SUPPORTS_SYMLINKS
from fsconform.model.filesystem.state import UNDER_FILE, Absence, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_FREE = "filesystem.createSymlink.pre.free"
_PARENT = "filesystem.createSymlink.pre.parent"
_MADE = "filesystem.createSymlink.post"
_LINK = "filesystem.getLinkTarget.pre.link"
_SUPPORTS = "filesystem.supportsSymlinks"


@operation
@dataclass(frozen=True, slots=True)
class CreateSymlink(Operation):
    """``createSymlink(target, link, true)``."""

    NAME: ClassVar[str] = "createSymlink"
    MUTATES: ClassVar[bool] = True
    target: Path
    link: Path


@operation
@dataclass(frozen=True, slots=True)
class GetLinkTarget(Operation):
    """``getLinkTarget(path)``. Returns facts ``path`` with ``path``."""

    NAME: ClassVar[str] = "getLinkTarget"
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class SupportsSymlinks(Operation):
    """``supportsSymlinks()``. Returns true or false."""

    NAME: ClassVar[str] = "supportsSymlinks"


_MET = Cases(*COMMON_CASES)
_EXISTING = _MET.case("existing", _FREE, refused(_FREE, "FileAlreadyExistsException", SUPPORTS_SYMLINKS))
_UNDER_FILE = _MET.case("under a file", _PARENT, refused(_PARENT, "ParentNotDirectoryException", SUPPORTS_SYMLINKS))
_MISSING = _MET.case(
    "missing",
    _MADE,
    (returns(_MADE, None, (SUPPORTS_SYMLINKS, True), effect=lost), unsupported(SUPPORTS_SYMLINKS)),
)


@meaning(CreateSymlink, _MET)
def _classify(root: State, op: CreateSymlink) -> int:
    node = locate(root, op.link)
    if not isinstance(node, Absence):
        return bits(op.link, node) | _EXISTING
    return bits(op.link, node) | (_UNDER_FILE if node is UNDER_FILE else _MISSING)


@drawn(CreateSymlink)
def _draw(draft: Draft, dice: Random, path: Path) -> CreateSymlink:
    return CreateSymlink(draft.anywhere(dice, False), path)


_MET_BY_TARGET = Cases(*COMMON_CASES, *absent(_LINK, SUPPORTS_SYMLINKS))
_NO_LINK = _MET_BY_TARGET.case("no link", _LINK, refused(_LINK, "IOException", SUPPORTS_SYMLINKS))


@meaning(GetLinkTarget, _MET_BY_TARGET)
def _classify_target(root: State, op: GetLinkTarget) -> int:
    node = locate(root, op.path)
    return absence(op.path, node) if isinstance(node, Absence) else bits(op.path, node) | _NO_LINK


_MET_BY_SUPPORT = Cases(*COMMON_CASES)
_ANY = _MET_BY_SUPPORT.case(
    "any",
    _SUPPORTS,
    (
        returns(_SUPPORTS, False, (SUPPORTS_SYMLINKS, False), level="SHOULD"),
        returns(_SUPPORTS, True, (SUPPORTS_SYMLINKS, True), level="SHOULD"),
        returns(_SUPPORTS, True, (SUPPORTS_SYMLINKS, False), level="SHOULD", deviates=True),
        returns(_SUPPORTS, False, (SUPPORTS_SYMLINKS, True), level="SHOULD", deviates=True),
    ),
)


@meaning(SupportsSymlinks, _MET_BY_SUPPORT)
def _classify_support(_root: State, _op: SupportsSymlinks) -> int:
    return _ANY


@drawn(GetLinkTarget)
def _draw_target(_draft: Draft, _dice: Random, path: Path) -> GetLinkTarget:
    return GetLinkTarget(path)


@drawn(SupportsSymlinks)
def _draw_support(_draft: Draft, _dice: Random, _path: Path) -> SupportsSymlinks:
    return SupportsSymlinks()
