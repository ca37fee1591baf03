"""Java calls for the operations that list, match and sum up."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.further.ways import accept_all, drained, java, path_array
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Value, facts
from fsconform.model.filesystem.status.block_locations import GetFileBlockLocations, LocateNull
from fsconform.model.filesystem.status.compare_listed import CompareListed
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered, ListMany
from fsconform.model.filesystem.status.predicates import IsDirectory, IsFile
from fsconform.model.filesystem.status.summaries import GetContentSummary, GetQuotaUsage

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

_SPECIAL = re.compile(r"([\\*?\[\]{}^,])")

Outcome = wire.AnyOutcome | Value


def _is_file(caller: Caller, op: IsFile, places: Places) -> Outcome:
    return bool(caller.base.isFile(places.java(op.path)))


def _is_directory(caller: Caller, op: IsDirectory, places: Places) -> Outcome:
    return bool(caller.base.isDirectory(places.java(op.path)))


def _beginning_with(prefix: str) -> Any:
    accept = {"accept": lambda path: jvm.text(path.getName()).startswith(prefix)}
    return jpype.JProxy("org.apache.hadoop.fs.PathFilter", dict=accept)


@cache
def _list_located() -> Any:
    """The form of listLocatedStatus with a filter, which is protected: layered file systems alone call it."""
    method = java("FileSystem").class_.getDeclaredMethod(
        "listLocatedStatus", [java("Path").class_, java("PathFilter").class_]
    )
    method.setAccessible(True)
    return method


def _located(caller: Caller, path: Any, accept: Any) -> list[Any]:
    try:
        iterator = _list_located().invoke(caller.filesystem, [path, accept])
    except java("java.lang.reflect.InvocationTargetException") as error:
        raise error.getCause() from None
    return drained(jpype.JObject(iterator, java("RemoteIterator")))


def _list_filtered(caller: Caller, op: ListFiltered, places: Places) -> Outcome:
    path, accept = places.java(op.path), _beginning_with(op.prefix)
    if op.via == "located":
        return caller.listed(_located(caller, path, accept), places)
    lists = caller.context().util() if op.via == "context" else caller.base
    return caller.listed(lists.listStatus(path, accept), places)


def _list_many(caller: Caller, op: ListMany, places: Places) -> Outcome:
    paths = path_array(*map(places.java, op.paths))
    if op.via == "filter":
        return caller.listed(caller.base.listStatus(paths, accept_all()), places)
    return caller.listed(caller.base.listStatus(paths), places)


def _list_files(caller: Caller, op: ListFiles, places: Places) -> Outcome:
    lists = caller.context().util() if op.via == "context" else caller.base
    return caller.listed(drained(lists.listFiles(places.java(op.path), op.recursive)), places)


def _glob(caller: Caller, op: GlobStatus, places: Places) -> Outcome:
    if any(element in (".", "..") for element in re.split(r"[/{},\\]", op.pattern)):
        return wire.NotExpressible("Hadoop's Path takes the elements . and .. out of a pattern")
    root = places.java(())
    base = _SPECIAL.sub(r"\\\1", places.base)
    pattern = "/".join((base, op.pattern.lstrip("/")))
    try:
        path = java("Path")(root.toUri().getScheme(), root.toUri().getAuthority(), pattern or "/")
    except UnicodeError as error:
        return wire.NotExpressible(f"a pattern has no UTF-8 form: {error}")
    if op.via == "context":
        return caller.listed(caller.context().util().globStatus(path), places)
    if op.via == "filter":
        return caller.listed(caller.base.globStatus(path, accept_all()), places)
    return caller.listed(caller.base.globStatus(path), places)


def _summary(caller: Caller, op: GetContentSummary, places: Places) -> Outcome:
    asked = caller.context().util() if op.via == "context" else caller.base
    found = asked.getContentSummary(places.java(op.path))
    if found is None:
        return None
    return facts(
        "summary",
        length=int(found.getLength()),
        files=int(found.getFileCount()),
        directories=int(found.getDirectoryCount()),
        quota=int(found.getQuota()),
        spaceConsumed=int(found.getSpaceConsumed()),
        spaceQuota=int(found.getSpaceQuota()),
    )


def _quota_usage(caller: Caller, op: GetQuotaUsage, places: Places) -> Outcome:
    found = caller.base.getQuotaUsage(places.java(op.path))
    if found is None:
        return None
    return facts(
        "quota usage",
        entries=int(found.getFileAndDirectoryCount()),
        quota=int(found.getQuota()),
        spaceConsumed=int(found.getSpaceConsumed()),
        spaceQuota=int(found.getSpaceQuota()),
    )


def _texts(strings: Any) -> tuple[str, ...]:
    return () if strings is None else tuple(jvm.text(one) for one in strings)


def _locations(found: Any) -> Value:
    if found is None:
        return None
    names: dict[str, None] = {}
    hosts: dict[str, None] = {}
    topologies: dict[str, None] = {}
    blocks = []
    for block in found:
        own = _texts(block.getHosts())
        hosts.update(dict.fromkeys(own))
        names.update(dict.fromkeys(_texts(block.getNames())))
        topologies.update(dict.fromkeys(_texts(block.getTopologyPaths())))
        blocks.append(f"{int(block.getOffset())},{int(block.getLength())},{len(own)}")
    return facts(
        "locations", blocks=tuple(blocks), names=tuple(names), hosts=tuple(hosts), topologies=tuple(topologies)
    )


def _block_locations(caller: Caller, op: GetFileBlockLocations, places: Places) -> Outcome:
    path, fs = places.java(op.path), caller.base
    start, length = jpype.JLong(op.start), jpype.JLong(op.length)
    if op.via == "context":
        return _locations(caller.context().getFileBlockLocations(path, start, length))
    return _locations(fs.getFileBlockLocations(fs.getFileStatus(path) if op.via == "status" else path, start, length))


def _locate_null(caller: Caller, op: LocateNull, places: Places) -> Outcome:
    nothing = jpype.JObject(None, java("FileStatus" if op.via == "status" else "Path"))
    return _locations(caller.base.getFileBlockLocations(nothing, jpype.JLong(0), jpype.JLong(1)))


_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "path": lambda status: status.getPath(),
    "directory": lambda status: status.isDirectory(),
    "length": lambda status: status.getLen(),
    "replication": lambda status: status.getReplication(),
    "blockSize": lambda status: status.getBlockSize(),
    "modified": lambda status: status.getModificationTime(),
    "accessed": lambda status: status.getAccessTime(),
    "permission": lambda status: status.getPermission(),
    "owner": lambda status: status.getOwner(),
    "group": lambda status: status.getGroup(),
    "symlink": lambda status: status.isSymlink(),
    "encrypted": lambda status: status.isEncrypted(),
    "erasureCoded": lambda status: status.isErasureCoded(),
    "acl": lambda status: status.hasAcl(),
    "snapshotEnabled": lambda status: status.isSnapshotEnabled(),
}


MOMENT = 0.002
"""Seconds. A store whose directories have the time of asking for a time is seen to do so each time it is asked."""


def _compare(caller: Caller, op: CompareListed, places: Places) -> Outcome:
    path, fs = places.java(op.path), caller.base
    match op.via:
        case "iterator":
            found = drained(fs.listStatusIterator(path))
        case "located":
            found = drained(fs.listLocatedStatus(path))
        case "files":
            found = drained(fs.listFiles(path, True))
        case _:
            found = fs.listStatus(path)
    if found is None:
        return None
    entries = unlocated = misplaced = 0
    differing: dict[str, None] = {}
    with_locations = java("LocatedFileStatus")
    for listed in found:
        entries += 1
        status = fs.getFileStatus(listed.getPath())
        told = {name: ask(listed) for name, ask in _ATTRIBUTES.items()}
        if status.isDirectory():
            time.sleep(MOMENT)
        differing.update(
            dict.fromkeys(name for name, ask in _ATTRIBUTES.items() if not _equal(told[name], ask(status)))
        )
        if op.via in ("located", "files"):
            if not isinstance(listed, with_locations):
                unlocated += 1
            elif not status.isDirectory() and _locations(listed.getBlockLocations()) != _locations(
                fs.getFileBlockLocations(status, jpype.JLong(0), status.getLen())
            ):
                misplaced += 1
    return facts(
        "comparison", entries=entries, differing=tuple(sorted(differing)), unlocated=unlocated, misplaced=misplaced
    )


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other) if one is not None and other is not None else one is other


_PERFORM: dict[type[Operation], Any] = {
    IsFile: _is_file,
    IsDirectory: _is_directory,
    ListFiltered: _list_filtered,
    ListMany: _list_many,
    ListFiles: _list_files,
    GlobStatus: _glob,
    GetContentSummary: _summary,
    GetQuotaUsage: _quota_usage,
    GetFileBlockLocations: _block_locations,
    LocateNull: _locate_null,
    CompareListed: _compare,
}

HANDLERS: dict[tuple[type, str], Any] = {
    (kind, via): perform for kind, perform in _PERFORM.items() for via in ("", *kind.VIAS)
}
