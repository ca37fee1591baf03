"""Operations on extended attributes, ACLs, storage policies, snapshots, quotas and symbolic links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.metadata.quotas import SetQuota as SetQuota
from fsconform.model.filesystem.namespace.symlinks import CreateSymlink as CreateSymlink
from fsconform.model.filesystem.namespace.symlinks import GetLinkTarget as GetLinkTarget
from fsconform.model.filesystem.namespace.symlinks import SupportsSymlinks as SupportsSymlinks
from fsconform.model.filesystem.protocols.snapshots import CreateSnapshot as CreateSnapshot
from fsconform.model.filesystem.protocols.snapshots import DeleteSnapshot as DeleteSnapshot
from fsconform.model.filesystem.protocols.snapshots import RenameSnapshot as RenameSnapshot


@dataclass(frozen=True, slots=True)
class SetXAttr(Operation):
    """``setXAttr(path, name, value, flag)``; ``value`` is UTF-8, ``flag`` one of create, replace, both."""

    NAME: ClassVar[str] = "setXAttr"
    MUTATES: ClassVar[bool] = True
    path: Path
    name: str
    value: str
    flag: str


@dataclass(frozen=True, slots=True)
class GetXAttr(Operation):
    """``getXAttr(path, name)``. Returns facts ``xattr`` with ``value``; nothing for null."""

    NAME: ClassVar[str] = "getXAttr"
    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class GetXAttrs(Operation):
    """``getXAttrs(path)``, via list ``listXAttrs`` (names only), via some with the names ``user.a`` and ``user.b``.

    Returns facts ``xattrs``: ``names`` and ``values``, in the order of the names; only names of the namespace ``user.``
    """

    NAME: ClassVar[str] = "getXAttrs"
    VIAS: ClassVar[tuple[str, ...]] = (
        "list",
        "some",
    )
    path: Path
    via: str = ""


@dataclass(frozen=True, slots=True)
class RemoveXAttr(Operation):
    """``removeXAttr(path, name)``."""

    NAME: ClassVar[str] = "removeXAttr"
    MUTATES: ClassVar[bool] = True
    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class ModifyAcl(Operation):
    """``modifyAclEntries(path, entries)``; entries as in ``user:name:rwx`` and ``default:group::r--``."""

    NAME: ClassVar[str] = "modifyAclEntries"
    MUTATES: ClassVar[bool] = True
    path: Path
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoveAclEntries(Operation):
    """``removeAclEntries(path, entries)``; entries without permissions."""

    NAME: ClassVar[str] = "removeAclEntries"
    MUTATES: ClassVar[bool] = True
    path: Path
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoveDefaultAcl(Operation):
    """``removeDefaultAcl(path)``."""

    NAME: ClassVar[str] = "removeDefaultAcl"
    MUTATES: ClassVar[bool] = True
    path: Path


@dataclass(frozen=True, slots=True)
class RemoveAcl(Operation):
    """``removeAcl(path)``."""

    NAME: ClassVar[str] = "removeAcl"
    MUTATES: ClassVar[bool] = True
    path: Path


@dataclass(frozen=True, slots=True)
class SetAcl(Operation):
    """``setAcl(path, entries)``."""

    NAME: ClassVar[str] = "setAcl"
    MUTATES: ClassVar[bool] = True
    path: Path
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GetAclStatus(Operation):
    """``getAclStatus(path)``. Returns facts ``acl``: owner, group, sticky, entries."""

    NAME: ClassVar[str] = "getAclStatus"
    path: Path


@dataclass(frozen=True, slots=True)
class SetStoragePolicy(Operation):
    """``setStoragePolicy(path, policy)``."""

    NAME: ClassVar[str] = "setStoragePolicy"
    MUTATES: ClassVar[bool] = True
    path: Path
    policy: str


@dataclass(frozen=True, slots=True)
class UnsetStoragePolicy(Operation):
    """``unsetStoragePolicy(path)``."""

    NAME: ClassVar[str] = "unsetStoragePolicy"
    MUTATES: ClassVar[bool] = True
    path: Path


@dataclass(frozen=True, slots=True)
class GetStoragePolicy(Operation):
    """``getStoragePolicy(path)``. Returns facts ``storage policy`` with ``name``."""

    NAME: ClassVar[str] = "getStoragePolicy"
    path: Path


ALL: tuple[type[Operation], ...] = (
    SetXAttr,
    GetXAttr,
    GetXAttrs,
    RemoveXAttr,
    ModifyAcl,
    RemoveAclEntries,
    RemoveDefaultAcl,
    RemoveAcl,
    SetAcl,
    GetAclStatus,
    SetStoragePolicy,
    UnsetStoragePolicy,
    GetStoragePolicy,
    CreateSnapshot,
    RenameSnapshot,
    DeleteSnapshot,
    SetQuota,
    CreateSymlink,
    GetLinkTarget,
    SupportsSymlinks,
)
