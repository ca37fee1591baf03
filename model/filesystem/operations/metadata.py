"""Operations on what a store keeps of a path beside its bytes and its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.metadata.owner import SetOwner as SetOwner
from fsconform.model.filesystem.metadata.permission import SetPermission as SetPermission
from fsconform.model.filesystem.metadata.replication import SetReplication as SetReplication
from fsconform.model.filesystem.metadata.times import SetTimes as SetTimes
from fsconform.model.filesystem.namespace.create import CreateWith as CreateWith
from fsconform.model.filesystem.namespace.mkdirs import MkdirsWith as MkdirsWith


@dataclass(frozen=True, slots=True)
class GetAttributes(Operation):
    """``getFileStatus(path)`` with every field asked for.

    Returns facts ``attributes``: path, directory, length, replication, blockSize, modified, accessed, permission (a
    number), owner, group, symlink, encrypted, erasureCoded, acl, snapshotEnabled; and user, the caller's name.
    """

    NAME: ClassVar[str] = "getFileStatus, all of it"
    path: Path


@dataclass(frozen=True, slots=True)
class GetBlockSize(Operation):
    """``getBlockSize(path)``. Returns facts ``number`` with ``value``, in bytes, and that of the ``status``."""

    NAME: ClassVar[str] = "getBlockSize"
    path: Path


@dataclass(frozen=True, slots=True)
class GetLength(Operation):
    """``getLength(path)``. Returns facts ``number`` with ``value``, in bytes."""

    NAME: ClassVar[str] = "getLength"
    path: Path


@dataclass(frozen=True, slots=True)
class GetReplication(Operation):
    """``getReplication(path)``. Returns facts ``number`` with ``value``."""

    NAME: ClassVar[str] = "getReplication"
    path: Path


@dataclass(frozen=True, slots=True)
class GetDefaultBlockSize(Operation):
    """``getDefaultBlockSize(path)``, via plain without the path. Returns facts ``number`` with ``value``, in bytes."""

    NAME: ClassVar[str] = "getDefaultBlockSize"
    VIAS: ClassVar[tuple[str, ...]] = ("plain",)
    path: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class GetDefaultReplication(Operation):
    """``getDefaultReplication(path)``, via plain without the path. Returns facts ``number`` with ``value``."""

    NAME: ClassVar[str] = "getDefaultReplication"
    VIAS: ClassVar[tuple[str, ...]] = ("plain",)
    path: Path
    via: str = ""


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


@dataclass(frozen=True, slots=True)
class GetHomeDirectory(Operation):
    """``getHomeDirectory()``. Returns facts ``home``: absolute, qualified, ofThisStore."""

    NAME: ClassVar[str] = "getHomeDirectory"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    via: str = ""


@dataclass(frozen=True, slots=True)
class WorkingDirectory(Operation):
    """``setWorkingDirectory(path)``; then, and before it is set back, the status of the relative path ``below``.

    Returns facts ``relative``: working (what getWorkingDirectory says), path (of the status), directory, length, others
    (true if the working directory of another client is what it was).
    Raises what getFileStatus of the relative path raises.
    """

    NAME: ClassVar[str] = "setWorkingDirectory"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    below: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class ResolvePath(Operation):
    """``resolvePath(path)``. Returns facts ``path`` with ``path``."""

    NAME: ClassVar[str] = "resolvePath"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class GetEnclosingRoot(Operation):
    """``getEnclosingRoot(path)``.

    Returns facts ``enclosing root``: directory, above (true if it is the path or an ancestor), again (true if it is its
    own enclosing root).
    """

    NAME: ClassVar[str] = "getEnclosingRoot"
    path: Path


@dataclass(frozen=True, slots=True)
class Access(Operation):
    """``access(path, mode)``; ``mode`` is of letters r, w and x."""

    NAME: ClassVar[str] = "access"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    mode: str
    via: str = ""


@dataclass(frozen=True, slots=True)
class GetFileChecksum(Operation):
    """``getFileChecksum(path)``, via length that of its first half.

    Returns facts ``checksum``: algorithm, bytes; or nothing for null.
    """

    NAME: ClassVar[str] = "getFileChecksum"
    VIAS: ClassVar[tuple[str, ...]] = (
        "length",
        "context",
    )
    path: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class Msync(Operation):
    """``msync()``."""

    NAME: ClassVar[str] = "msync"


@dataclass(frozen=True, slots=True)
class HasPathCapability(Operation):
    """``hasPathCapability(path, capability)``. Returns true or false."""

    NAME: ClassVar[str] = "hasPathCapability"
    VIAS: ClassVar[tuple[str, ...]] = ("context",)
    path: Path
    capability: str
    via: str = ""


@dataclass(frozen=True, slots=True)
class GetEtag(Operation):
    """``getFileStatus(path).getEtag()`` where the status is an EtagSource.

    Returns facts ``etag`` with ``value``; of a file also everywhere (true if the statuses of all listings are such),
    consistent (true if they have the same etag) and serializable; nothing if it is none.
    """

    NAME: ClassVar[str] = "getEtag"
    path: Path


ALL: tuple[type[Operation], ...] = (
    GetAttributes,
    MkdirsWith,
    CreateWith,
    SetPermission,
    SetOwner,
    SetTimes,
    SetReplication,
    GetBlockSize,
    GetLength,
    GetReplication,
    GetDefaultBlockSize,
    GetDefaultReplication,
    GetServerDefaults,
    GetHomeDirectory,
    WorkingDirectory,
    ResolvePath,
    GetEnclosingRoot,
    Access,
    GetFileChecksum,
    Msync,
    HasPathCapability,
    GetEtag,
)
