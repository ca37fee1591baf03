"""Trees in a store: written through Hadoop's client by a plan, and read back with all that is compared of a copy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm
from fsconform.model.core import content as contents

CHUNK = 1 << 16
OLD = 978_307_200_000
"""2001-01-01, in milliseconds: a modification time that no copy has by chance."""


class NotCopied(Exception):
    """The tool ended with an error, or said that it had not copied."""


def make(store: Any, base: Any, tree: Iterable[Mapping[str, Any]], old: bool = True, block: int = 0) -> None:
    """Write the entries of a plan below a directory; ``old`` files are of 2001, ``block`` is another size in bytes.

    Raises what Java raises.
    """
    store.mkdirs(base)
    permission = jpype.JClass("org.apache.hadoop.fs.permission.FsPermission")(jpype.JShort(0o640))
    for one in tree:
        path = below(base, one["path"])
        if one["directory"]:
            store.mkdirs(path)
            continue
        other = (4096, jpype.JShort(store.getDefaultReplication(path)), jpype.JLong(block)) if block else ()
        stream = store.create(path, True, *other)
        try:
            for chunk in contents.chunks(contents.of(one["seed"], one["length"])):
                stream.write(jpype.JArray(jpype.JByte)(chunk))
        finally:
            stream.close()
        # Where a store takes these, the copy shows whether they were kept.
        with suppress(jvm.JavaError):
            store.setPermission(path, permission)
        with suppress(jvm.JavaError):
            store.setXAttr(path, "user.fsconform", jpype.JArray(jpype.JByte)(b"kept"))
        if old:
            with suppress(jvm.JavaError):
                store.setTimes(path, OLD, OLD)


def below(base: Any, path: str) -> Any:
    """A path below another. Not from one string: Hadoop would take what it looks like for a URI."""
    for part in path.split("/"):
        base = jpype.JClass("org.apache.hadoop.fs.Path")(base, part)
    return base


def read(store: Any, base: Any) -> list[dict[str, Any]]:
    """What is below a directory, as ``engine.copies.Entry`` has it. Raises what Java raises."""
    found: list[dict[str, Any]] = []
    pending = [(base, "")]
    while pending:
        directory, prefix = pending.pop()
        for status in store.listStatus(directory):
            path = status.getPath()
            name = prefix + jvm.text(path.getName())
            is_directory = bool(status.isDirectory())
            entry = {"path": name, "directory": is_directory, "length": 0, "digest": "", "checksum": "", "metadata": {}}
            if is_directory:
                pending.append((path, f"{name}/"))
            else:
                entry["length"] = int(status.getLen())
                entry["metadata"] = _metadata(store, status)
                entry["digest"] = _digest(store, path)
                entry["checksum"] = _checksum(store, path)
            found.append(entry)
    return sorted(found, key=lambda one: str(one["path"]))


def _metadata(store: Any, status: Any) -> dict[str, str]:
    found = {
        "permission": jvm.text(status.getPermission().toString()),
        "owner": jvm.text(status.getOwner()),
        "group": jvm.text(status.getGroup()),
        "replication": str(status.getReplication()),
        "block-size": str(status.getBlockSize()),
        "modification-time": str(status.getModificationTime()),
        "access-time": str(status.getAccessTime()),
    }
    with suppress(jvm.JavaError):
        rows = {jvm.text(key): bytes(value).hex() for key, value in store.getXAttrs(status.getPath()).items()}
        # S3A tells the headers of an object as attributes; what a user sets has the prefix of users.
        found["xattrs"] = json.dumps({key: value for key, value in rows.items() if key.startswith("user.")})
    with suppress(jvm.JavaError):
        found["acl"] = jvm.text(store.getAclStatus(status.getPath()).toString())
    return found


def _checksum(store: Any, path: Any) -> str:
    """What the store says is the checksum of a file, with its kind; empty where it has none or does not say."""
    try:
        found = store.getFileChecksum(path)
    except jvm.JavaError:
        return ""
    return "" if found is None else jvm.text(found.toString())


def _digest(store: Any, path: Any) -> str:
    """The SHA-256 of what a file gives when it is read, and not of its length's worth."""
    digest = hashlib.sha256()
    buffer = jpype.JArray(jpype.JByte)(CHUNK)
    stream = store.open(path)
    try:
        while (count := int(stream.read(buffer, 0, CHUNK))) >= 0:
            digest.update(bytes(buffer[:count]))
    finally:
        stream.close()
    return digest.hexdigest()
