"""Extended attributes, ACLs, storage policies, snapshots, quotas and symbolic links as Java calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.core.outcomes import Value, facts
from fsconform.model.core.paths import show
from fsconform.model.filesystem.metadata.acls import (
    GetAclStatus,
    ModifyAcl,
    RemoveAcl,
    RemoveAclEntries,
    RemoveDefaultAcl,
    SetAcl,
)
from fsconform.model.filesystem.metadata.quotas import SetQuota
from fsconform.model.filesystem.metadata.storage_policies import GetStoragePolicy, SetStoragePolicy, UnsetStoragePolicy
from fsconform.model.filesystem.metadata.xattrs import GetXAttr, GetXAttrs, RemoveXAttr, SetXAttr
from fsconform.model.filesystem.namespace.symlinks import CreateSymlink, GetLinkTarget, SupportsSymlinks
from fsconform.model.filesystem.protocols.snapshots import CreateSnapshot, DeleteSnapshot, RenameSnapshot

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

USER = "user."
SOME = ("user.a", "user.b")
"""The names that getXAttrs asks for via some."""


def _bytes(text: str) -> Any:
    return jpype.JArray(jpype.JByte)(text.encode("utf-8"))


def _text(value: Any) -> str:
    """The text of a Java byte array; bytes that are no UTF-8 show as escapes."""
    return bytes(number & 0xFF for number in value).decode("utf-8", "backslashreplace")


def _java_list(texts: tuple[str, ...]) -> Any:
    made = java("java.util.ArrayList")()
    for text in texts:
        made.add(text)
    return made


def _flags(flag: str) -> Any:
    kind, of = java("XAttrSetFlag"), java("java.util.EnumSet").of
    match flag:
        case "create":
            return of(kind.CREATE)
        case "replace":
            return of(kind.REPLACE)
        case _:
            return of(kind.CREATE, kind.REPLACE)


def _set_xattr(caller: Caller, op: SetXAttr, places: Places) -> Value:
    caller.base.setXAttr(places.java(op.path), op.name, _bytes(op.value), _flags(op.flag))
    return None


def _get_xattr(caller: Caller, op: GetXAttr, places: Places) -> Value:
    found = caller.base.getXAttr(places.java(op.path), op.name)
    return None if found is None else facts("xattr", value=_text(found))


def _get_xattrs(way: str) -> Any:
    def perform(caller: Caller, op: GetXAttrs, places: Places) -> Value:
        path = places.java(op.path)
        if way == "list":
            names = caller.base.listXAttrs(path)
            if names is None:
                return None
            return facts("xattrs", names=tuple(sorted(one for one in map(jvm.text, names) if one.startswith(USER))))
        found = caller.base.getXAttrs(path, _java_list(SOME)) if way == "some" else caller.base.getXAttrs(path)
        if found is None:
            return None
        pairs = sorted((jvm.text(entry.getKey()), entry.getValue()) for entry in found.entrySet())
        pairs = [(name, "" if value is None else _text(value)) for name, value in pairs if name.startswith(USER)]
        return facts("xattrs", names=tuple(name for name, _ in pairs), values=tuple(value for _, value in pairs))

    return perform


def _remove_xattr(caller: Caller, op: RemoveXAttr, places: Places) -> Value:
    caller.base.removeXAttr(places.java(op.path), op.name)
    return None


def _changing_acl(method: str, permissions: bool) -> Any:
    """A call that takes a path and entries. A list that Hadoop's own AclEntry cannot read never reaches the store."""

    def perform(caller: Caller, op: Any, places: Places) -> wire.AnyOutcome | Value:
        path = places.java(op.path)
        try:
            entries = java("permission.AclEntry").parseAclSpec(",".join(op.entries), permissions)
        except jvm.JavaError as error:
            return wire.NotExpressible(f"Hadoop's AclEntry refuses it: {jvm.message(error)}")
        getattr(caller.base, method)(path, entries)
        return None

    return perform


def _remove_default_acl(caller: Caller, op: RemoveDefaultAcl, places: Places) -> Value:
    caller.base.removeDefaultAcl(places.java(op.path))
    return None


def _remove_acl(caller: Caller, op: RemoveAcl, places: Places) -> Value:
    caller.base.removeAcl(places.java(op.path))
    return None


def _acl_status(caller: Caller, op: GetAclStatus, places: Places) -> Value:
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


def _set_policy(caller: Caller, op: SetStoragePolicy, places: Places) -> Value:
    caller.base.setStoragePolicy(places.java(op.path), op.policy)
    return None


def _unset_policy(caller: Caller, op: UnsetStoragePolicy, places: Places) -> Value:
    caller.base.unsetStoragePolicy(places.java(op.path))
    return None


def _get_policy(caller: Caller, op: GetStoragePolicy, places: Places) -> Value:
    found = caller.base.getStoragePolicy(places.java(op.path))
    return None if found is None else facts("storage policy", name=jvm.text(found.getName()))


def _path(found: Any, places: Places) -> Value:
    return None if found is None else facts("path", path=show(places.elements(found)))


def _create_snapshot(caller: Caller, op: CreateSnapshot, places: Places) -> Value:
    return _path(caller.base.createSnapshot(places.java(op.path), op.name), places)


def _rename_snapshot(caller: Caller, op: RenameSnapshot, places: Places) -> Value:
    caller.base.renameSnapshot(places.java(op.path), op.old, op.new)
    return None


def _delete_snapshot(caller: Caller, op: DeleteSnapshot, places: Places) -> Value:
    caller.base.deleteSnapshot(places.java(op.path), op.name)
    return None


def _set_quota(caller: Caller, op: SetQuota, places: Places) -> Value:
    caller.base.setQuota(places.java(op.path), jpype.JLong(op.names), jpype.JLong(op.space))
    return None


def _create_symlink(caller: Caller, op: CreateSymlink, places: Places) -> Value:
    caller.base.createSymlink(places.java(op.target), places.java(op.link), True)
    return None


def _link_target(caller: Caller, op: GetLinkTarget, places: Places) -> Value:
    return _path(caller.base.getLinkTarget(places.java(op.path)), places)


def _supports_symlinks(caller: Caller, op: SupportsSymlinks, places: Places) -> Value:
    return bool(caller.base.supportsSymlinks())


HANDLERS: dict[tuple[type, str], Any] = {
    (SetXAttr, ""): _set_xattr,
    (GetXAttr, ""): _get_xattr,
    **{(GetXAttrs, way): _get_xattrs(way) for way in ("", *GetXAttrs.VIAS)},
    (RemoveXAttr, ""): _remove_xattr,
    (SetAcl, ""): _changing_acl("setAcl", True),
    (ModifyAcl, ""): _changing_acl("modifyAclEntries", True),
    (RemoveAclEntries, ""): _changing_acl("removeAclEntries", False),
    (RemoveDefaultAcl, ""): _remove_default_acl,
    (RemoveAcl, ""): _remove_acl,
    (GetAclStatus, ""): _acl_status,
    (SetStoragePolicy, ""): _set_policy,
    (UnsetStoragePolicy, ""): _unset_policy,
    (GetStoragePolicy, ""): _get_policy,
    (CreateSnapshot, ""): _create_snapshot,
    (RenameSnapshot, ""): _rename_snapshot,
    (DeleteSnapshot, ""): _delete_snapshot,
    (SetQuota, ""): _set_quota,
    (CreateSymlink, ""): _create_symlink,
    (GetLinkTarget, ""): _link_target,
    (SupportsSymlinks, ""): _supports_symlinks,
}
