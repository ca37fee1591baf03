"""hasPathCapability.

A capability that an option speaks of is held against that option; a claim that no option speaks of can't be judged
here. Source: pathcapabilities.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fsconform.model.core.drawing import Draft, any_way, drawn
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Case, Cases, meaning, raises, returns
from fsconform.model.filesystem.options.attributes import (
    SUPPORTS_ACLS,
    SUPPORTS_SNAPSHOTS,
    SUPPORTS_STORAGE_POLICIES,
    SUPPORTS_SYMLINKS,
    SUPPORTS_XATTRS,
)
from fsconform.model.filesystem.options.changes import SUPPORTS_CONCAT, SUPPORTS_MULTIPARTUPLOADER, SUPPORTS_TRUNCATE
from fsconform.model.filesystem.options.core import SUPPORTS_APPEND
from fsconform.model.filesystem.options.metadata import (
    ETAGS_AVAILABLE,
    ETAGS_PRESERVED_IN_RENAME,
    SUPPORTS_UNIX_PERMISSIONS,
)
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, lenient_bits

if TYPE_CHECKING:
    from random import Random

_COMMON = "fs.capability."
_PATHS = (
    "acls",
    "append",
    "checksums",
    "concat",
    "list-corrupt-file-blocks",
    "pathhandles",
    "permissions",
    "read-only-connector",
    "snapshots",
    "storagepolicy",
    "symlinks",
    "truncate",
    "xattrs",
)
_OTHERS = (
    "batch.listing",
    "bulk.delete",
    "directory.listing.inconsistent",
    "etags.available",
    "etags.consistent.across.rename",
    "etags.preserved.in.rename",
    "lease.recoverable",
    "multipart.uploader",
    "outputstream.abortable",
    "virtual.block.locations",
)
KNOWN = frozenset((*(f"{_COMMON}paths.{name}" for name in _PATHS), *(_COMMON + name for name in _OTHERS)))
"""The capabilities common to all filesystems."""

UNHEARD_OF = "fsconform."
"""No filesystem has a capability whose name begins so."""

_HAS = "pathcapabilities.hasPathCapability"
_RESULT = f"{_HAS}.post.result"
_NO_CLAIM = f"{_HAS}.post.no-false-claim"
_NOT_UNSUPPORTED = f"{_HAS}.post.not-unsupported"
_UNCHANGED = f"{_HAS}.post.unchanged"
_NO_CHECK = f"{_HAS}.no-existence-check"
_ETAG = "filesystem.etagSource"

CAPABILITIES = (*sorted(KNOWN), "fs.capability.unheard-of", "fsconform.unheard-of", "FS.CAPABILITY.PATHS.APPEND")
"""Those that are drawn."""


@operation
@dataclass(frozen=True, slots=True)
class HasPathCapability(Operation):
    """``hasPathCapability(path, capability)``. Returns true or false."""

    NAME: ClassVar[str] = "hasPathCapability"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    capability: str
    via: str = ""


def _claimed(option: str) -> tuple[Branch, ...]:
    """A capability that can be claimed where the option holds; silence is never a claim."""
    return (
        returns(_NO_CLAIM, True, (option, True), level="MUST NOT"),
        returns(_NO_CLAIM, False, level="MUST NOT"),
    )


def _exactly(clause: str, option: str) -> tuple[Branch, ...]:
    return (returns(clause, True, (option, True)), returns(clause, False, (option, False)))


_OPTIONS = {
    "paths.acls": SUPPORTS_ACLS,
    "paths.append": SUPPORTS_APPEND,
    "paths.concat": SUPPORTS_CONCAT,
    "paths.permissions": SUPPORTS_UNIX_PERMISSIONS,
    "paths.snapshots": SUPPORTS_SNAPSHOTS,
    "paths.storagepolicy": SUPPORTS_STORAGE_POLICIES,
    "paths.symlinks": SUPPORTS_SYMLINKS,
    "paths.truncate": SUPPORTS_TRUNCATE,
    "paths.xattrs": SUPPORTS_XATTRS,
    "multipart.uploader": SUPPORTS_MULTIPARTUPLOADER,
}
"""The options that tell of the calls which a capability stands for."""

CLAIMED = frozenset(_OPTIONS.values())
"""The options of capabilities that a store can claim by hasPathCapability."""

_OF_CONTEXTS = frozenset(
    _COMMON + name for name in _OPTIONS if name not in ("paths.append", "paths.concat", "multipart.uploader")
)
"""The capabilities that FileContext is held to as well."""

_Group = tuple[str, str, tuple[Branch, ...]]
"""Words for capabilities that are judged alike, the clause, and what may be answered."""

_NAMED: dict[str, _Group] = {
    **{_COMMON + name: (name, _NO_CLAIM, _claimed(option)) for name, option in _OPTIONS.items()},
    f"{_COMMON}etags.available": ("etags", f"{_ETAG}.available", _exactly(f"{_ETAG}.available", ETAGS_AVAILABLE)),
    f"{_COMMON}etags.preserved.in.rename": (
        "etags that renames keep",
        f"{_ETAG}.rename-declared",
        (
            returns(f"{_ETAG}.rename-declared", False, (ETAGS_PRESERVED_IN_RENAME, False), level="SHOULD"),
            returns(f"{_ETAG}.rename-declared", True, (ETAGS_PRESERVED_IN_RENAME, True), level="SHOULD"),
            returns(
                f"{_ETAG}.rename-declared", False, (ETAGS_PRESERVED_IN_RENAME, True), level="SHOULD", deviates=True
            ),
        ),
    ),
    f"{_COMMON}etags.consistent.across.rename": (
        "etags that renames keep, by the other name",
        f"{_ETAG}.rename-consistent",
        _exactly(f"{_ETAG}.rename-consistent", ETAGS_PRESERVED_IN_RENAME),
    ),
}
_FREE: _Group = ("a capability that no option tells of", _RESULT, (returns(_RESULT, True), returns(_RESULT, False)))
_UNKNOWN: _Group = ("a name that no filesystem knows", _RESULT, (returns(_RESULT, False),))
_NAMELESS: _Group = (
    "an empty name",
    _RESULT,
    (returns(_RESULT, False), raises(_RESULT, "IllegalArgumentException"), raises(_RESULT, "IOException")),
)
_GROUPS = (*_NAMED.values(), _FREE, _UNKNOWN, _NAMELESS)


def _asked(name: str, clause: str, branches: tuple[Branch, ...], missing: bool) -> Case:
    also = (_NOT_UNSUPPORTED, _UNCHANGED, _RESULT)
    answers = tuple(replace(one, also=also) for one in branches)
    if not missing:
        return Case(f"{name}, existing path", clause, answers)
    checked = raises(_NO_CHECK, "IOException", level="SHOULD NOT", deviates=True)
    return Case(f"{name}, missing path", clause, (*answers, checked))


_MET = Cases(*COMMON_CASES)
_EXISTING = {group[0]: _MET.add(_asked(*group, missing=False)) for group in _GROUPS}
_MISSING = {group[0]: _MET.add(_asked(*group, missing=True)) for group in _GROUPS}


def _group(op: HasPathCapability) -> str:
    """The words for capabilities that are judged as this one is."""
    name = op.capability.lower()
    if not name:
        return _NAMELESS[0]
    if name.startswith(UNHEARD_OF) or (name.startswith(_COMMON) and name not in KNOWN):
        return _UNKNOWN[0]
    # FileContext asks a class of its own, which may know less than the FileSystem; its append may be another too.
    return (_FREE if op.via and name not in _OF_CONTEXTS else _NAMED.get(name, _FREE))[0]


@meaning(HasPathCapability, _MET)
def _classify(root: State, op: HasPathCapability) -> int:
    node = locate(root, op.path)
    return lenient_bits(op.path, node) | (_EXISTING if isinstance(node, File | Dir) else _MISSING)[_group(op)]


@drawn(HasPathCapability)
def _draw(_draft: Draft, dice: Random, path: Path) -> HasPathCapability:
    return HasPathCapability(path, dice.choice(CAPABILITIES), any_way(HasPathCapability, dice))
