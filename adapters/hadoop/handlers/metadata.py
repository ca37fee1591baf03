"""Calls that read and set what a store keeps of a path beside its bytes."""

from __future__ import annotations

import time
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.calls import Caller, Outcome, Places, client, handles
from fsconform.adapters.hadoop.handlers.classes import java, java_bytes, permission
from fsconform.model.core.outcomes import Value, facts
from fsconform.model.core.paths import show
from fsconform.model.filesystem.metadata.access import Access
from fsconform.model.filesystem.metadata.acls import (
    GetAclStatus,
    ModifyAcl,
    RemoveAcl,
    RemoveAclEntries,
    RemoveDefaultAcl,
    SetAcl,
)
from fsconform.model.filesystem.metadata.file_checksum import GetFileChecksum
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes
from fsconform.model.filesystem.metadata.owner import SetOwner
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.metadata.quotas import SetQuota
from fsconform.model.filesystem.metadata.rename_and_access_times import ReadTimed, RenameTimed
from fsconform.model.filesystem.metadata.replication import SetReplication
from fsconform.model.filesystem.metadata.storage_policies import GetStoragePolicy, SetStoragePolicy, UnsetStoragePolicy
from fsconform.model.filesystem.metadata.times import SetTimes
from fsconform.model.filesystem.metadata.xattrs import GetXAttr, GetXAttrs, RemoveXAttr, SetXAttr


def _user() -> str:
    """The name of the user whom Hadoop takes the caller for."""
    return jvm.text(java("org.apache.hadoop.security.UserGroupInformation").getCurrentUser().getShortUserName())


@handles(GetAttributes)
def get_attributes(caller: Caller, op: GetAttributes, places: Places) -> Value:
    found = caller.base.getFileStatus(places.java(op.path))
    if found is None:
        return None
    return facts(
        "attributes",
        path=show(places.elements(found.getPath())),
        directory=bool(found.isDirectory()),
        length=int(found.getLen()),
        replication=int(found.getReplication()),
        blockSize=int(found.getBlockSize()),
        modified=int(found.getModificationTime()),
        accessed=int(found.getAccessTime()),
        permission=int(found.getPermission().toShort()),
        owner=jvm.text(found.getOwner()),
        group=jvm.text(found.getGroup()),
        user=_user(),
        symlink=jvm.text(found.getSymlink().toString()) if found.isSymlink() else None,
        encrypted=bool(found.isEncrypted()),
        erasureCoded=bool(found.isErasureCoded()),
        acl=bool(found.hasAcl()),
        snapshotEnabled=bool(found.isSnapshotEnabled()),
    )


@handles(SetPermission)
def set_permission(caller: Caller, op: SetPermission, places: Places) -> Value:
    client(caller, op).setPermission(places.java(op.path), permission(op.permission))
    return None


@handles(SetOwner)
def set_owner(caller: Caller, op: SetOwner, places: Places) -> Value:
    client(caller, op).setOwner(places.java(op.path), op.owner or None, op.group or None)
    return None


@handles(SetTimes)
def set_times(caller: Caller, op: SetTimes, places: Places) -> Value:
    client(caller, op).setTimes(places.java(op.path), jpype.JLong(op.modified), jpype.JLong(op.accessed))
    return None


@handles(SetReplication)
def set_replication(caller: Caller, op: SetReplication, places: Places) -> Outcome:
    if not -(1 << 15) <= op.replication < 1 << 15:
        return wire.NotExpressible("a number of replicas is a short")
    return bool(client(caller, op).setReplication(places.java(op.path), jpype.JShort(op.replication)))


@handles(Access)
def access(caller: Caller, op: Access, places: Places) -> Outcome:
    symbol = "".join(letter if letter in op.mode else "-" for letter in "rwx")
    action = java("permission.FsAction").getFsAction(symbol)
    if action is None:
        return wire.NotExpressible(f"no FsAction for {op.mode!r}")
    client(caller, op).access(places.java(op.path), action)
    return None


@handles(GetFileChecksum)
def get_file_checksum(caller: Caller, op: GetFileChecksum, places: Places) -> Value:
    path = places.java(op.path)
    if op.via == "length":
        half = int(caller.base.getFileStatus(path).getLen()) // 2
        found = caller.base.getFileChecksum(path, jpype.JLong(half))
    else:
        found = client(caller, op).getFileChecksum(path)
    if found is None:
        return None
    bytes_ = found.getBytes()
    return facts(
        "checksum",
        algorithm=jvm.text(found.getAlgorithmName()),
        bytes=bytes(bytes_).hex() if bytes_ is not None else None,
    )


USER = "user."
SOME = ("user.a", "user.b")
"""The names that getXAttrs asks for via some."""


def _text_of(value: Any) -> str:
    """The text of a Java byte array; bytes that are no UTF-8 show as escapes."""
    return bytes(number & 0xFF for number in value).decode("utf-8", "backslashreplace")


def _java_list(texts: tuple[str, ...]) -> Any:
    made = java("java.util.ArrayList")()
    for text in texts:
        made.add(text)
    return made


def _xattr_flags(flag: str) -> Any:
    kind, of = java("XAttrSetFlag"), java("java.util.EnumSet").of
    match flag:
        case "create":
            return of(kind.CREATE)
        case "replace":
            return of(kind.REPLACE)
        case _:
            return of(kind.CREATE, kind.REPLACE)


@handles(SetXAttr)
def set_xattr(caller: Caller, op: SetXAttr, places: Places) -> Value:
    caller.base.setXAttr(places.java(op.path), op.name, java_bytes(op.value.encode("utf-8")), _xattr_flags(op.flag))
    return None


@handles(GetXAttr)
def get_xattr(caller: Caller, op: GetXAttr, places: Places) -> Value:
    found = caller.base.getXAttr(places.java(op.path), op.name)
    return None if found is None else facts("xattr", value=_text_of(found))


@handles(GetXAttrs)
def get_xattrs(caller: Caller, op: GetXAttrs, places: Places) -> Value:
    path = places.java(op.path)
    if op.via == "list":
        names = caller.base.listXAttrs(path)
        if names is None:
            return None
        return facts("xattrs", names=tuple(sorted(one for one in map(jvm.text, names) if one.startswith(USER))))
    found = caller.base.getXAttrs(path, _java_list(SOME)) if op.via == "some" else caller.base.getXAttrs(path)
    if found is None:
        return None
    pairs = sorted((jvm.text(entry.getKey()), entry.getValue()) for entry in found.entrySet())
    pairs = [(name, "" if value is None else _text_of(value)) for name, value in pairs if name.startswith(USER)]
    return facts("xattrs", names=tuple(name for name, _ in pairs), values=tuple(value for _, value in pairs))


@handles(RemoveXAttr)
def remove_xattr(caller: Caller, op: RemoveXAttr, places: Places) -> Value:
    caller.base.removeXAttr(places.java(op.path), op.name)
    return None


_ACL_CALLS = {
    SetAcl: ("setAcl", True),
    ModifyAcl: ("modifyAclEntries", True),
    RemoveAclEntries: ("removeAclEntries", False),
}
"""By operation the method, and whether entries have permissions."""


@handles(*_ACL_CALLS)
def change_acl(caller: Caller, op: SetAcl | ModifyAcl | RemoveAclEntries, places: Places) -> Outcome:
    """A list that Hadoop's own AclEntry cannot read never reaches the store."""
    path = places.java(op.path)
    method, permissions = _ACL_CALLS[type(op)]
    try:
        entries = java("permission.AclEntry").parseAclSpec(",".join(op.entries), permissions)
    except jvm.JavaError as error:
        return wire.NotExpressible(f"Hadoop's AclEntry refuses it: {jvm.message(error)}")
    getattr(caller.base, method)(path, entries)
    return None


@handles(RemoveDefaultAcl)
def remove_default_acl(caller: Caller, op: RemoveDefaultAcl, places: Places) -> Value:
    caller.base.removeDefaultAcl(places.java(op.path))
    return None


@handles(RemoveAcl)
def remove_acl(caller: Caller, op: RemoveAcl, places: Places) -> Value:
    caller.base.removeAcl(places.java(op.path))
    return None


@handles(GetAclStatus)
def get_acl_status(caller: Caller, op: GetAclStatus, places: Places) -> Value:
    found = caller.base.getAclStatus(places.java(op.path))
    if found is None:
        return None
    return facts(
        "acl",
        owner=jvm.text(found.getOwner()),
        group=jvm.text(found.getGroup()),
        sticky=bool(found.isStickyBit()),
        entries=tuple(sorted(jvm.text(entry.toStringStable()) for entry in found.getEntries())),
    )


@handles(SetStoragePolicy)
def set_storage_policy(caller: Caller, op: SetStoragePolicy, places: Places) -> Value:
    caller.base.setStoragePolicy(places.java(op.path), op.policy)
    return None


@handles(UnsetStoragePolicy)
def unset_storage_policy(caller: Caller, op: UnsetStoragePolicy, places: Places) -> Value:
    caller.base.unsetStoragePolicy(places.java(op.path))
    return None


@handles(GetStoragePolicy)
def get_storage_policy(caller: Caller, op: GetStoragePolicy, places: Places) -> Value:
    found = caller.base.getStoragePolicy(places.java(op.path))
    return None if found is None else facts("storage policy", name=jvm.text(found.getName()))


@handles(SetQuota)
def set_quota(caller: Caller, op: SetQuota, places: Places) -> Value:
    caller.base.setQuota(places.java(op.path), jpype.JLong(op.names), jpype.JLong(op.space))
    return None


_TICK_SECONDS = 0.02
"""After so long what is done has another time, where times are in milliseconds."""
_MINUTES = 60_000


def _modified(status: Any) -> int:
    return int(status.getModificationTime())


@handles(RenameTimed)
def rename_timed(caller: Caller, op: RenameTimed, places: Places) -> Outcome:
    path, fs = places.java(op.path), caller.base
    file = fs.getFileStatus(path)
    if file.isDirectory():
        return None
    parent = path.getParent()
    aside = java("Path")(parent, "fsconform-aside")
    try:
        fs.mkdirs(aside)
        place = java("Path")(aside, "f")
        before = [fs.getFileStatus(one) for one in (parent, aside)]
        time.sleep(_TICK_SECONDS)
        if not fs.rename(path, place):
            return wire.NotExpressible("the file was not moved")
        moved = fs.getFileStatus(place)
        after = [fs.getFileStatus(one) for one in (parent, aside)]
        fs.rename(place, path)
    finally:
        fs.delete(aside, True)
    seen = [file, moved, *before, *after]
    return facts(
        "times",
        kept=_modified(moved) == _modified(file),
        directories=all(_modified(then) > _modified(once) for once, then in zip(before, after, strict=True)),
        least=min(min(_modified(one), int(one.getAccessTime())) for one in seen),
    )


@handles(ReadTimed)
def read_timed(caller: Caller, op: ReadTimed, places: Places) -> Outcome:
    path, fs = places.java(op.path), caller.base
    if fs.getFileStatus(path).isDirectory():
        return None
    moved = []
    for minutes in (30, 120):
        then = int(time.time() * 1000) - minutes * _MINUTES
        fs.setTimes(path, jpype.JLong(-1), jpype.JLong(then))
        before = int(fs.getFileStatus(path).getAccessTime())
        caller.read(path)
        moved.append(int(fs.getFileStatus(path).getAccessTime()) > before)
    return facts("access", soon=moved[0], late=moved[1])
