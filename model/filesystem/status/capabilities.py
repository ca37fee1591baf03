"""What a store can do and says that it can: path capabilities, etags, msync, access and checksums.

A capability that an option speaks of is held against that option; a claim that no option speaks of can't be judged
here. Source: pathcapabilities.md; filesystem.md, "msync()" and "Etag probes through the interface EtagSource".
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.filesystem.branches import (
    Branch,
    Case,
    Difference,
    Meaning,
    gives,
    raises,
    returns,
    runtime_instead,
)
from fsconform.model.filesystem.metadata.setting import UNSUPPORTED
from fsconform.model.filesystem.operations.metadata import Access, GetEtag, GetFileChecksum, HasPathCapability, Msync
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
    SUPPORTS_MSYNC,
    SUPPORTS_UNIX_PERMISSIONS,
)
from fsconform.model.filesystem.state import Dir, File, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits, lenient_bits

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

_NAMED: dict[str, tuple[str, str, tuple[Branch, ...]]] = {
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
_FREE = ("a capability that no option tells of", _RESULT, (returns(_RESULT, True), returns(_RESULT, False)))
_UNKNOWN = ("a name that no filesystem knows", _RESULT, (returns(_RESULT, False),))
_NAMELESS = (
    "an empty name",
    _RESULT,
    (returns(_RESULT, False), raises(_RESULT, "IllegalArgumentException"), raises(_RESULT, "IOException")),
)
_GROUPS = (*_NAMED.values(), _FREE, _UNKNOWN, _NAMELESS)
_NUMBERS = {name: number for number, name in enumerate(_NAMED)}
_IS_FREE, _IS_UNKNOWN, _IS_NAMELESS = range(len(_NAMED), len(_GROUPS))


def _asked(name: str, clause: str, branches: tuple[Branch, ...], missing: bool) -> Case:
    also = (_NOT_UNSUPPORTED, _UNCHANGED, _RESULT)
    answers = tuple(
        Branch(
            one.clause, one.level, one.expected, one.effect, one.raises, one.value, None, one.when, one.departs,
            one.deviates, also,
        )
        for one in branches
    )  # fmt: skip
    if not missing:
        return Case(f"{name}, existing path", clause, answers)
    checked = raises(_NO_CHECK, "IOException", level="SHOULD NOT", deviates=True)
    return Case(f"{name}, missing path", clause, (*answers, checked))


def _group(op: HasPathCapability) -> int:
    name = op.capability.lower()
    if not name:
        return _IS_NAMELESS
    if name.startswith(UNHEARD_OF) or (name.startswith(_COMMON) and name not in KNOWN):
        return _IS_UNKNOWN
    # FileContext asks a class of its own, which may know less than the FileSystem; its append may be another too.
    return _IS_FREE if op.via and name not in _OF_CONTEXTS else _NUMBERS.get(name, _IS_FREE)


def _classify_capability(root: State, op: HasPathCapability) -> int:
    node = locate(root, op.path)
    there = isinstance(node, File | Dir)
    return lenient_bits(op.path, node) | (4 << (_group(op) + (0 if there else len(_GROUPS))))


HAS_PATH_CAPABILITY = Meaning(
    HasPathCapability,
    (
        *COMMON_CASES,
        *(_asked(*group, missing=False) for group in _GROUPS),
        *(_asked(*group, missing=True) for group in _GROUPS),
    ),
    _classify_capability,
)


def _etag_difference(root: State, op: GetEtag, value: Any) -> Difference | None:
    if not isinstance(value, Facts) or not isinstance(locate(root, op.path), File):
        return None
    if value.get("everywhere") is False:
        return Difference(f"{_ETAG}.everywhere", "MUST", "a status without an etag's interface")
    if not value.get("value"):
        return None
    if value.get("consistent") is False:
        return Difference(f"{_ETAG}.consistent", "MUST", "another etag in a listing")
    if value.get("serializable") is False:
        return Difference(f"{_ETAG}.serializable", "MUST", "a status that loses its etag when it is serialized")
    return None


def _has_etag(root: State, op: GetEtag, value: Any) -> bool:
    return isinstance(value, Facts) and bool(value.get("value")) and _etag_difference(root, op, value) is None


def _has_none(_root: State, _op: GetEtag, value: Any) -> bool:
    return isinstance(value, Facts) and not value.get("value")


def _is_source(_root: State, _op: GetEtag, value: Any) -> bool:
    return isinstance(value, Facts)


def _classify_etag(root: State, op: GetEtag) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (4 if type(node) is File else 8 if type(node) is Dir else 16)


_WITH, _WITHOUT = (ETAGS_AVAILABLE, True), (ETAGS_AVAILABLE, False)

GET_ETAG = Meaning(
    GetEtag,
    (
        *COMMON_CASES,
        Case(
            "file",
            f"{_ETAG}.provided",
            (
                gives(
                    f"{_ETAG}.provided",
                    "an etag, the same in all listings",
                    _has_etag,
                    _WITH,
                    also=tuple(f"{_ETAG}.{name}" for name in ("everywhere", "consistent", "serializable")),
                ),
                gives(f"{_ETAG}.provided", "no etag", _has_none, _WITHOUT),
                returns(f"{_ETAG}.provided", None, _WITHOUT, expected="give no etag"),
            ),
        ),
        Case(
            "directory",
            f"{_ETAG}.everywhere",
            (
                # The status of a directory need not have an etag; so it is let off being one that could.
                gives(f"{_ETAG}.everywhere", "a status that can have an etag", _is_source),
                returns(f"{_ETAG}.everywhere", None, expected="give no etag"),
            ),
        ),
        Case(
            "missing",
            "filesystem.getFileStatus.pre.exists",
            runtime_instead((raises("filesystem.getFileStatus.pre.exists", "FileNotFoundException"),)),
        ),
    ),
    _classify_etag,
    _etag_difference,
)

_MSYNC = "filesystem.msync"

MSYNC = Meaning(
    Msync,
    (
        *COMMON_CASES,
        Case(
            "any state",
            f"{_MSYNC}.unsupported",
            (
                raises(f"{_MSYNC}.unsupported", "UnsupportedOperationException", (SUPPORTS_MSYNC, False)),
                returns(f"{_MSYNC}.post", None, (SUPPORTS_MSYNC, True)),
            ),
        ),
    ),
    lambda _root, _op: 4,
)

_EXCEPTIONS = "introduction.failures.exceptions"
_FAILS = runtime_instead((raises(_EXCEPTIONS, "IOException", level="SHOULD"),))
_UNIMPLEMENTED = raises(UNSUPPORTED, "UnsupportedOperationException")


def _classify_access(root: State, op: Access) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (4 if isinstance(node, File | Dir) else 8)


ACCESS = Meaning(
    Access,
    (
        *COMMON_CASES,
        # Whether the caller is a superuser, whom nothing is denied, the program can't know.
        Case("existing", UNSUPPORTED, (returns(UNSUPPORTED, None), raises(UNSUPPORTED, "IOException"), _UNIMPLEMENTED)),
        Case(
            "missing",
            _EXCEPTIONS,
            (*_FAILS, returns(_EXCEPTIONS, None, level="SHOULD", deviates=True), _UNIMPLEMENTED),
        ),
    ),
    _classify_access,
)


def _is_checksum(_root: State, _op: GetFileChecksum, value: Any) -> bool:
    return isinstance(value, Facts) and value.kind == "checksum"


def _classify_checksum(root: State, op: GetFileChecksum) -> int:
    node = locate(root, op.path)
    return bits(op.path, node) | (4 if type(node) is File else 8)


_CHECKSUM = (
    gives(UNSUPPORTED, "a checksum", _is_checksum),
    returns(UNSUPPORTED, None, expected="give none"),
    _UNIMPLEMENTED,
)

GET_FILE_CHECKSUM = Meaning(
    GetFileChecksum,
    (
        *COMMON_CASES,
        Case("file", UNSUPPORTED, _CHECKSUM),
        Case("no file", _EXCEPTIONS, (*_FAILS, *_CHECKSUM)),
    ),
    _classify_checksum,
)

MEANINGS: tuple[Meaning, ...] = (ACCESS, GET_FILE_CHECKSUM, MSYNC, HAS_PATH_CAPABILITY, GET_ETAG)
