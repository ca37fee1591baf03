"""Calls that look at the namespace: statuses, listings, summaries, and where a path leads to."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, wire
from fsconform.adapters.hadoop.calls import Caller, Outcome, Places, client, handles
from fsconform.adapters.hadoop.handlers.classes import (
    accept_all,
    array,
    drained,
    java,
    path_facts,
)
from fsconform.model.core.outcomes import Facts, Value, facts
from fsconform.model.core.paths import show
from fsconform.model.filesystem.status.block_locations import GetFileBlockLocations, LocateNull
from fsconform.model.filesystem.status.compare_listed import CompareListed
from fsconform.model.filesystem.status.enclosing_root import GetEnclosingRoot
from fsconform.model.filesystem.status.etags import CompareEtags, GetEtag
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.home_directory import GetHomeDirectory
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered, ListMany
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.msync import Msync
from fsconform.model.filesystem.status.path_capabilities import HasPathCapability
from fsconform.model.filesystem.status.predicates import Exists, IsDirectory, IsFile
from fsconform.model.filesystem.status.resolve_path import ResolvePath
from fsconform.model.filesystem.status.server_defaults import (
    GetDefaultBlockSize,
    GetDefaultReplication,
    GetServerDefaults,
)
from fsconform.model.filesystem.status.sizes_and_replication import GetBlockSize, GetLength, GetReplication
from fsconform.model.filesystem.status.summaries import GetContentSummary, GetQuotaUsage
from fsconform.model.filesystem.status.working_directory import WorkingDirectory


@handles(GetFileStatus)
def get_file_status(caller: Caller, op: GetFileStatus, places: Places) -> wire.AnyOutcome:
    path = places.java(op.path)
    if not op.via:
        return caller.status(path, places, op.path)
    found = caller.base.getFileLinkStatus(path) if op.via == "link" else caller.context().getFileStatus(path)
    return caller.statused(found, places, path, op.path)


@handles(Exists)
def exists(caller: Caller, op: Exists, places: Places) -> Value:
    if not op.via:
        return bool(caller.base.exists(places.java(op.path)))
    return bool(caller.context().util().exists(places.java(op.path)))


@handles(ListStatus)
def list_status(caller: Caller, op: ListStatus, places: Places) -> wire.AnyOutcome:
    path, fs = places.java(op.path), caller.base
    match op.via:
        case "":
            return caller.listing(path, places)
        case "filter":
            return caller.listed(fs.listStatus(path, accept_all()), places)
        case "array":
            return caller.listed(fs.listStatus(array("Path", path)), places)
        case "array and filter":
            return caller.listed(fs.listStatus(array("Path", path), accept_all()), places)
        case "iterator":
            return caller.listed(drained(fs.listStatusIterator(path)), places)
        case "located":
            return caller.listed(drained(fs.listLocatedStatus(path)), places)
        case _:
            return caller.listed(drained(caller.context().listStatus(path)), places)


@handles(GetBlockSize)
def get_block_size(caller: Caller, op: GetBlockSize, places: Places) -> Value:
    path = places.java(op.path)
    found = int(caller.base.getBlockSize(path))
    return facts("number", value=found, status=int(caller.base.getFileStatus(path).getBlockSize()))


def _number(value: Any) -> Facts:
    return facts("number", value=int(value))


@handles(GetLength)
def get_length(caller: Caller, op: GetLength, places: Places) -> Value:
    return _number(caller.base.getLength(places.java(op.path)))


@handles(GetReplication)
def get_replication(caller: Caller, op: GetReplication, places: Places) -> Value:
    return _number(caller.base.getReplication(places.java(op.path)))


@handles(GetDefaultBlockSize)
def get_default_block_size(caller: Caller, op: GetDefaultBlockSize, places: Places) -> Value:
    if op.via:
        return _number(caller.base.getDefaultBlockSize())
    return _number(caller.base.getDefaultBlockSize(places.java(op.path)))


@handles(GetDefaultReplication)
def get_default_replication(caller: Caller, op: GetDefaultReplication, places: Places) -> Value:
    if op.via:
        return _number(caller.base.getDefaultReplication())
    return _number(caller.base.getDefaultReplication(places.java(op.path)))


@handles(GetServerDefaults)
def get_server_defaults(caller: Caller, op: GetServerDefaults, places: Places) -> Value:
    if op.via == "plain":
        found = caller.base.getServerDefaults()
    else:
        found = client(caller, op).getServerDefaults(places.java(op.path))
    if found is None:
        return None
    return facts(
        "server defaults",
        blockSize=int(found.getBlockSize()),
        replication=int(found.getReplication()),
        bytesPerChecksum=int(found.getBytesPerChecksum()),
        fileBufferSize=int(found.getFileBufferSize()),
    )


@handles(Msync)
def msync(caller: Caller, op: Msync, places: Places) -> Value:
    caller.base.msync()
    return None


@handles(HasPathCapability)
def has_path_capability(caller: Caller, op: HasPathCapability, places: Places) -> Value:
    return bool(client(caller, op).hasPathCapability(places.java(op.path), op.capability))


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


@handles(GetEtag)
def get_etag(caller: Caller, op: GetEtag, places: Places) -> Value:
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


_SPECIAL = re.compile(r"([\\*?\[\]{}^,])")


@handles(IsFile)
def is_file(caller: Caller, op: IsFile, places: Places) -> Outcome:
    return bool(caller.base.isFile(places.java(op.path)))


@handles(IsDirectory)
def is_directory(caller: Caller, op: IsDirectory, places: Places) -> Outcome:
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


@handles(ListFiltered)
def list_filtered(caller: Caller, op: ListFiltered, places: Places) -> Outcome:
    path, accept = places.java(op.path), _beginning_with(op.prefix)
    if op.via == "located":
        return caller.listed(_located(caller, path, accept), places)
    lists = caller.context().util() if op.via == "context" else caller.base
    return caller.listed(lists.listStatus(path, accept), places)


@handles(ListMany)
def list_many(caller: Caller, op: ListMany, places: Places) -> Outcome:
    paths = array("Path", *map(places.java, op.paths))
    if op.via == "filter":
        return caller.listed(caller.base.listStatus(paths, accept_all()), places)
    return caller.listed(caller.base.listStatus(paths), places)


@handles(ListFiles)
def list_files(caller: Caller, op: ListFiles, places: Places) -> Outcome:
    lists = caller.context().util() if op.via == "context" else caller.base
    return caller.listed(drained(lists.listFiles(places.java(op.path), op.recursive)), places)


@handles(GlobStatus)
def glob_status(caller: Caller, op: GlobStatus, places: Places) -> Outcome:
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


@handles(GetContentSummary)
def get_content_summary(caller: Caller, op: GetContentSummary, places: Places) -> Outcome:
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


@handles(GetQuotaUsage)
def get_quota_usage(caller: Caller, op: GetQuotaUsage, places: Places) -> Outcome:
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


def _places_in(found: Any) -> list[tuple[str, ...]] | None:
    """The locations of each block, without the order of its places: of equally distant ones it is each time another."""
    return None if found is None else [_of_block(block) for block in found]


def _of_block(block: Any) -> tuple[str, ...]:
    places = zip(_texts(block.getNames()), _texts(block.getHosts()), _texts(block.getTopologyPaths()), strict=False)
    return (f"{int(block.getOffset())},{int(block.getLength())}", *sorted(map(" ".join, places)))


@handles(GetFileBlockLocations)
def get_file_block_locations(caller: Caller, op: GetFileBlockLocations, places: Places) -> Outcome:
    path, fs = places.java(op.path), caller.base
    start, length = jpype.JLong(op.start), jpype.JLong(op.length)
    if op.via == "context":
        return _locations(caller.context().getFileBlockLocations(path, start, length))
    return _locations(fs.getFileBlockLocations(fs.getFileStatus(path) if op.via == "status" else path, start, length))


@handles(LocateNull)
def locate_null(caller: Caller, op: LocateNull, places: Places) -> Outcome:
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


@handles(CompareListed)
def compare_listed(caller: Caller, op: CompareListed, places: Places) -> Outcome:
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
            elif not status.isDirectory() and _places_in(listed.getBlockLocations()) != _places_in(
                fs.getFileBlockLocations(status, jpype.JLong(0), status.getLen())
            ):
                misplaced += 1
    return facts(
        "comparison", entries=entries, differing=tuple(sorted(differing)), unlocated=unlocated, misplaced=misplaced
    )


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other) if one is not None and other is not None else one is other


_HERE = "."
"""The relative path of the working directory itself: Hadoop's Path refuses the empty text."""


def _plain_path(path: Any) -> str:
    """The path of a Java path without scheme and authority."""
    return jvm.text(path.toUri().getPath())


def _names_store(caller: Caller, path: Any) -> bool:
    """True if a path has no scheme, or names the caller's store."""
    mine, uri = caller.filesystem.getUri(), path.toUri()
    scheme, authority = jvm.text(uri.getScheme()), jvm.text(uri.getAuthority())
    if not scheme:
        return True
    return scheme.lower() == jvm.text(mine.getScheme()).lower() and (
        not authority or authority.lower() == jvm.text(mine.getAuthority()).lower()
    )


@handles(GetHomeDirectory)
def get_home_directory(caller: Caller, op: GetHomeDirectory, places: Places) -> Value:
    found = caller.context().getHomeDirectory() if op.via else caller.base.getHomeDirectory()
    if found is None:
        return None
    return facts(
        "home",
        absolute=_plain_path(found).startswith("/"),
        qualified=bool(jvm.text(found.toUri().getScheme())),
        ofThisStore=_names_store(caller, found),
    )


def _relative(path: tuple[str, ...]) -> Any:
    """The relative Java path for a program's path; None if Hadoop's Path makes another one of it.

    That goes for ".." too, which stays in a relative path and then leads out of the program's directory.
    """
    if not path:
        return java("Path")(_HERE)
    wanted = "/".join(path)
    if any("/" in name or name == ".." for name in path):
        return None
    try:
        made = java("Path")(None, None, jpype.JString(wanted))
        return made if _plain_path(made) == wanted and not made.isAbsolute() else None
    except (jvm.JavaError, UnicodeError):
        return None


@cache
def _bystander(caller: Caller) -> Any:
    """Another client of the caller's store."""
    made = java("FileSystem").newInstance(caller.filesystem.getUri(), caller.filesystem.getConf())
    return jpype.JObject(made, java("FileSystem"))


def _relative_facts(status: Any, working: Any, places: Places, **more: bool) -> Facts:
    return facts(
        "relative",
        working=show(places.elements(working)),
        path=show(places.elements(status.getPath())),
        directory=bool(status.isDirectory()),
        length=int(status.getLen()),
        **more,
    )


@handles(WorkingDirectory)
def working_directory(caller: Caller, op: WorkingDirectory, places: Places) -> Outcome:
    path, below = places.java(op.path), _relative(op.below)
    if below is None:
        return wire.NotExpressible("Hadoop's Path can't name it as a relative path")
    if op.via:
        # A context of its own: FileContext takes no working directory back that does not exist.
        uri, conf = caller.context().getDefaultFileSystem().getUri(), caller.filesystem.getConf()
        context = java("FileContext").getFileContext(uri, conf)
        context.setWorkingDirectory(path)
        return _relative_facts(context.getFileStatus(below), context.getWorkingDirectory(), places)
    fs, other = caller.base, _bystander(caller)
    before, elsewhere = fs.getWorkingDirectory(), other.getWorkingDirectory()
    fs.setWorkingDirectory(path)
    try:
        others = bool(other.getWorkingDirectory().equals(elsewhere))
        return _relative_facts(fs.getFileStatus(below), fs.getWorkingDirectory(), places, others=others)
    finally:
        fs.setWorkingDirectory(before)


@handles(ResolvePath)
def resolve_path(caller: Caller, op: ResolvePath, places: Places) -> Value:
    path = places.java(op.path)
    found = caller.context().resolvePath(path) if op.via else caller.base.resolvePath(path)
    return path_facts(found, places)


@handles(GetEnclosingRoot)
def get_enclosing_root(caller: Caller, op: GetEnclosingRoot, places: Places) -> Outcome:
    path, fs = places.java(op.path), caller.base
    if not hasattr(fs, "getEnclosingRoot"):
        return wire.NotExpressible("this version of Hadoop has no getEnclosingRoot")
    found = fs.getEnclosingRoot(path)
    if found is None:
        return None
    root, whole = _plain_path(found), _plain_path(path)
    return facts(
        "enclosing root",
        directory=bool(fs.getFileStatus(found).isDirectory()),
        above=_names_store(caller, found) and (root in ("/", whole) or whole.startswith(root.rstrip("/") + "/")),
        again=_plain_path(fs.getEnclosingRoot(found)) == root,
    )


@handles(CompareEtags)
def compare_etags(caller: Caller, op: CompareEtags, places: Places) -> Outcome:
    path, fs, source = places.java(op.path), caller.base, java("EtagSource")
    found = []
    for content in (op.content, op.other):
        caller.write(lambda: fs.create(path, True), content)
        status = fs.getFileStatus(path)
        if not isinstance(status, source):
            caller.write(lambda: fs.create(path, True), op.other)
            return None
        found.append(jvm.text(status.getEtag()))
    return facts("etags", first=found[0], second=found[1])
