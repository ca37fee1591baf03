"""Java calls for the operations that read and set what a store keeps of a path beside its bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further import whereabouts
from fsconform.adapters.hadoop.further.ways import BUFFER, drained, java, permission
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Value, facts
from fsconform.model.core.paths import show
from fsconform.model.filesystem.metadata.access import Access
from fsconform.model.filesystem.metadata.file_checksum import GetFileChecksum
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes
from fsconform.model.filesystem.metadata.owner import SetOwner
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.metadata.replication import SetReplication
from fsconform.model.filesystem.metadata.times import SetTimes
from fsconform.model.filesystem.namespace.create import CreateWith
from fsconform.model.filesystem.namespace.mkdirs import MkdirsWith
from fsconform.model.filesystem.status.etags import GetEtag
from fsconform.model.filesystem.status.msync import Msync
from fsconform.model.filesystem.status.path_capabilities import HasPathCapability
from fsconform.model.filesystem.status.server_defaults import (
    GetDefaultBlockSize,
    GetDefaultReplication,
    GetServerDefaults,
)
from fsconform.model.filesystem.status.sizes_and_replication import GetBlockSize, GetLength, GetReplication

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places


def _user() -> str:
    """The name of the user whom Hadoop takes the caller for."""
    return jvm.text(java("org.apache.hadoop.security.UserGroupInformation").getCurrentUser().getShortUserName())


def _attributes(caller: Caller, op: GetAttributes, places: Places) -> Value:
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


def _mkdirs(caller: Caller, op: MkdirsWith, places: Places) -> Value:
    return bool(caller.base.mkdirs(places.java(op.path), permission(op.permission)))


def _create(caller: Caller, op: CreateWith, places: Places) -> wire.AnyOutcome:
    path, fs = places.java(op.path), caller.base
    replicas, block = jpype.JShort(fs.getDefaultReplication(path)), fs.getDefaultBlockSize(path)
    mode, buffer = permission(op.permission), jpype.JInt(BUFFER)
    return caller.write(lambda: fs.create(path, mode, op.overwrite, buffer, replicas, block, None), op.content)


def _place(caller: Caller, op: Any) -> Any:
    """The FileSystem, or the FileContext if the operation takes that way."""
    return caller.context() if op.via == "context" else caller.base


def _set_permission(caller: Caller, op: SetPermission, places: Places) -> Value:
    _place(caller, op).setPermission(places.java(op.path), permission(op.permission))
    return None


def _set_owner(caller: Caller, op: SetOwner, places: Places) -> Value:
    _place(caller, op).setOwner(places.java(op.path), op.owner or None, op.group or None)
    return None


def _set_times(caller: Caller, op: SetTimes, places: Places) -> Value:
    _place(caller, op).setTimes(places.java(op.path), jpype.JLong(op.modified), jpype.JLong(op.accessed))
    return None


def _set_replication(caller: Caller, op: SetReplication, places: Places) -> wire.AnyOutcome | Value:
    if not -(1 << 15) <= op.replication < 1 << 15:
        return wire.NotExpressible("a number of replicas is a short")
    return bool(_place(caller, op).setReplication(places.java(op.path), jpype.JShort(op.replication)))


def _block_size(caller: Caller, op: GetBlockSize, places: Places) -> Value:
    path = places.java(op.path)
    found = int(caller.base.getBlockSize(path))
    return facts("number", value=found, status=int(caller.base.getFileStatus(path).getBlockSize()))


def _number(value: Any) -> Facts:
    return facts("number", value=int(value))


def _length(caller: Caller, op: GetLength, places: Places) -> Value:
    return _number(caller.base.getLength(places.java(op.path)))


def _replication(caller: Caller, op: GetReplication, places: Places) -> Value:
    return _number(caller.base.getReplication(places.java(op.path)))


def _default_block_size(caller: Caller, op: GetDefaultBlockSize, places: Places) -> Value:
    if op.via:
        return _number(caller.base.getDefaultBlockSize())
    return _number(caller.base.getDefaultBlockSize(places.java(op.path)))


def _default_replication(caller: Caller, op: GetDefaultReplication, places: Places) -> Value:
    if op.via:
        return _number(caller.base.getDefaultReplication())
    return _number(caller.base.getDefaultReplication(places.java(op.path)))


def _server_defaults(caller: Caller, op: GetServerDefaults, places: Places) -> Value:
    if op.via == "plain":
        found = caller.base.getServerDefaults()
    else:
        found = _place(caller, op).getServerDefaults(places.java(op.path))
    if found is None:
        return None
    return facts(
        "server defaults",
        blockSize=int(found.getBlockSize()),
        replication=int(found.getReplication()),
        bytesPerChecksum=int(found.getBytesPerChecksum()),
        fileBufferSize=int(found.getFileBufferSize()),
    )


def _access(caller: Caller, op: Access, places: Places) -> wire.AnyOutcome | Value:
    symbol = "".join(letter if letter in op.mode else "-" for letter in "rwx")
    action = java("permission.FsAction").getFsAction(symbol)
    if action is None:
        return wire.NotExpressible(f"no FsAction for {op.mode!r}")
    _place(caller, op).access(places.java(op.path), action)
    return None


def _checksum(caller: Caller, op: GetFileChecksum, places: Places) -> Value:
    path = places.java(op.path)
    if op.via == "length":
        half = int(caller.base.getFileStatus(path).getLen()) // 2
        found = caller.base.getFileChecksum(path, jpype.JLong(half))
    else:
        found = _place(caller, op).getFileChecksum(path)
    if found is None:
        return None
    bytes_ = found.getBytes()
    return facts(
        "checksum",
        algorithm=jvm.text(found.getAlgorithmName()),
        bytes=bytes(bytes_).hex() if bytes_ is not None else None,
    )


def _msync(caller: Caller, op: Msync, places: Places) -> Value:
    caller.base.msync()
    return None


def _has_path_capability(caller: Caller, op: HasPathCapability, places: Places) -> Value:
    return bool(_place(caller, op).hasPathCapability(places.java(op.path), op.capability))


def _etag_of(status: Any) -> str:
    """The etag of a status, empty if it has none."""
    return jvm.text(status.getEtag()) if isinstance(status, java("EtagSource")) else ""


def _read_back(status: Any) -> str:
    """The etag of a status that went through Java's serialization; the error's class if it can't go through it."""
    # By Hadoop's means: Java's own look for the class with their caller's loader, and the caller is not in Java here.
    way, kind = java("org.apache.hadoop.io.serializer.JavaSerialization")(), status.getClass()
    sink = java("java.io.ByteArrayOutputStream")()
    try:
        writer, reader = way.getSerializer(kind), way.getDeserializer(kind)
        writer.open(sink)
        writer.serialize(status)
        writer.close()
        reader.open(java("java.io.ByteArrayInputStream")(sink.toByteArray()))
        return _etag_of(reader.deserialize(None))
    except jvm.JavaError as error:
        return jvm.ancestry(error)[0]


def _etag(caller: Caller, op: GetEtag, places: Places) -> Value:
    path, fs = places.java(op.path), caller.base
    found = fs.getFileStatus(path)
    if found is None or not isinstance(found, java("EtagSource")):
        return None
    etag = _etag_of(found)
    if found.isDirectory() or not op.path:
        return facts("etag", value=etag)
    listed = [
        *fs.listStatus(path),
        *(one for one in fs.listStatus(path.getParent()) if one.getPath().equals(found.getPath())),
        *drained(fs.listStatusIterator(path)),
        *drained(fs.listFiles(path, False)),
    ]
    return facts(
        "etag",
        value=etag,
        everywhere=all(isinstance(one, java("EtagSource")) for one in listed),
        consistent=all(_etag_of(one) == etag for one in listed),
        serializable=_read_back(found) == etag,
    )


_PLAIN: dict[type[Operation], Any] = {
    GetAttributes: _attributes,
    MkdirsWith: _mkdirs,
    CreateWith: _create,
    SetPermission: _set_permission,
    SetOwner: _set_owner,
    SetTimes: _set_times,
    SetReplication: _set_replication,
    GetBlockSize: _block_size,
    GetLength: _length,
    GetReplication: _replication,
    GetDefaultBlockSize: _default_block_size,
    GetDefaultReplication: _default_replication,
    GetServerDefaults: _server_defaults,
    Access: _access,
    GetFileChecksum: _checksum,
    Msync: _msync,
    HasPathCapability: _has_path_capability,
    GetEtag: _etag,
    **whereabouts.CALLS,
}

HANDLERS: dict[tuple[type, str], Any] = {
    (kind, via): perform for kind, perform in _PLAIN.items() for via in ("", *kind.VIAS)
}
