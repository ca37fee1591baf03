"""Copies a tree from one store to another and back: ``python -m fsconform.adapters.hadoop.copying SECRETS RESULT``.

A process of its own with its own JVM. The order comes as JSON on standard input: the configuration may hold secrets.
What the client resolves secrets to goes as JSON to the descriptor SECRETS before the stores are opened. RESULT becomes
a JSON file without secrets: the trees as the stores show them, or the error that kept one from being made.
Everything happens below one fresh directory in each store, and both are removed at the end.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, resolved, wire
from fsconform.engine.secrecy import KNOWN, in_uri, of_environment
from fsconform.model.core import content as contents

CHUNK = 1 << 16
OLD = 978_307_200_000
"""2001-01-01, in milliseconds: a modification time that no copy has by chance."""

Copier = Callable[[Any, Any, Any, Any, Any], None]
"""Copies a tree: file system and path of the source, of the target, and a configuration. Raises what Java raises."""


class NotCopied(Exception):
    """The tool ended with an error, or said that it had not copied."""


def main() -> int:
    """Carry an order out."""
    descriptor, target = int(sys.argv[1]), Path(sys.argv[2])
    order = json.loads(sys.stdin.buffer.read())
    KNOWN.learn(of_environment(os.environ).union(*(in_uri(order[end]["uri"]) for end in ("source", "target"))))
    result: dict[str, Any] = {"trees": {}, "versions": {}, "failed": "", "not_copied": ""}
    try:
        _carry_out(order, result, descriptor)
    except NotCopied as error:
        result["not_copied"] = str(error)
    except jvm.JavaError as error:
        result["failed"] = jvm.explain(error)
    ours = {part for one in order["tree"] for part in (one["path"], *one["path"].split("/"))}
    target.write_text(json.dumps(KNOWN.records(result, same=ours)), "utf-8", "surrogatepass")
    return 0


def _carry_out(order: dict[str, Any], result: dict[str, Any], descriptor: int) -> None:
    hello = wire.Hello(
        wire.VERSION,
        order["libjvm"],
        tuple(order["jvm_arguments"]),
        tuple(order["class_path"]),
    )
    jvm.start(hello)
    path_class = jpype.JClass("org.apache.hadoop.fs.Path")
    ends = order["source"], order["target"]
    configurations = [jvm.configured(one["configuration_files"], one["configuration"]) for one in ends]
    with os.fdopen(descriptor, "w", encoding="utf-8") as told:
        for find in (resolved.secrets, resolved.provided):
            KNOWN.learn(secret for one in configurations for secret in find(one))
            print(json.dumps(KNOWN.values), file=told, flush=True)
    stores = []
    for one, configuration in zip(ends, configurations, strict=True):
        base = path_class(path_class(one["uri"]), order["name"])
        stores.append((jpype.JClass("org.apache.hadoop.fs.FileSystem").newInstance(base.toUri(), configuration), base))
    (source, from_base), (target, to_base) = stores
    result["versions"] = {"source": jvm.versions(source), "target": jvm.versions(target)}
    original, copy, back = (path_class(base, name) for base, name in (
        (from_base, "original"), (to_base, "copy"), (from_base, "back")
    ))  # fmt: skip
    copier = COPIERS[order["copier"]]
    try:
        _make(source, original, order["tree"])
        target.mkdirs(to_base)
        result["trees"]["original"] = _read(source, original)
        _copy(copier, source, original, target, copy, order["source"]["uri"])
        result["trees"]["copy"] = _read(target, copy)
        _copy(copier, target, copy, source, back, order["target"]["uri"])
        result["trees"]["back"] = _read(source, back)
    finally:
        for store, base in stores:
            with suppress(jvm.JavaError):
                store.delete(base, True)
            with suppress(jvm.JavaError):
                store.close()


def _copy(copier: Copier, source: Any, path: Any, target: Any, copy: Any, uri: str) -> None:
    try:
        copier(source, path, target, copy, target.getConf())
    except jvm.JavaError as error:
        raise NotCopied(f"copying from {uri}: {jvm.explain(error)}") from error


def _make(store: Any, base: Any, tree: list[dict[str, Any]]) -> None:
    store.mkdirs(base)
    permission = jpype.JClass("org.apache.hadoop.fs.permission.FsPermission")(jpype.JShort(0o640))
    for one in tree:
        path = _below(base, one["path"])
        if one["directory"]:
            store.mkdirs(path)
            continue
        stream = store.create(path, True)
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
        with suppress(jvm.JavaError):
            store.setTimes(path, OLD, OLD)


def _below(base: Any, path: str) -> Any:
    """A path below another. Not from one string: Hadoop would take what it looks like for a URI."""
    for part in path.split("/"):
        base = jpype.JClass("org.apache.hadoop.fs.Path")(base, part)
    return base


def _read(store: Any, base: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    pending = [(base, "")]
    while pending:
        directory, prefix = pending.pop()
        for status in store.listStatus(directory):
            path = status.getPath()
            name = prefix + jvm.text(path.getName())
            is_directory = bool(status.isDirectory())
            entry = {"path": name, "directory": is_directory, "length": 0, "digest": "", "metadata": {}}
            if is_directory:
                pending.append((path, f"{name}/"))
            else:
                entry["length"] = int(status.getLen())
                entry["metadata"] = _metadata(store, status)
                entry["digest"] = _digest(store, path)
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


def file_util(source: Any, path: Any, target: Any, copy: Any, configuration: Any) -> None:
    """Hadoop's FileUtil.copy, which `hadoop fs -cp` and FileSystem.copyFromLocalFile go through."""
    tool = jpype.JClass("org.apache.hadoop.fs.FileUtil")
    if not tool.copy(source, path, target, copy, False, True, configuration):
        raise NotCopied(f"FileUtil.copy returned false for {path}")


def _first(store: Any, base: Any, empty: bool) -> Any:
    files = store.listFiles(base, True)
    while files.hasNext():
        status = files.next()
        if (int(status.getLen()) == 0) is empty:
            return status.getPath()
    raise NotCopied("the tree has no such file")


def _drops_an_empty_file(source: Any, path: Any, target: Any, copy: Any, configuration: Any) -> None:
    file_util(source, path, target, copy, configuration)
    target.delete(_first(target, copy, empty=True), False)


def _rewrites(change: Callable[[bytes], bytes]) -> Copier:
    def copier(source: Any, path: Any, target: Any, copy: Any, configuration: Any) -> None:
        file_util(source, path, target, copy, configuration)
        victim = _first(target, copy, empty=False)
        size = int(target.getFileStatus(victim).getLen())
        buffer = jpype.JArray(jpype.JByte)(size)
        stream = target.open(victim)
        stream.readFully(0, buffer)
        stream.close()
        written = target.create(victim, True)
        written.write(jpype.JArray(jpype.JByte)(change(bytes(buffer[:]))))
        written.close()

    return copier


def _next(byte: int) -> int:
    """The byte with one bit flipped, as in Gray's code: where the way back flips one more, the first is not undone."""
    if byte.bit_count() % 2 == 0:
        return byte ^ 1
    return byte ^ min((byte & -byte) << 1, 0x80)


def _adds_a_file(source: Any, path: Any, target: Any, copy: Any, configuration: Any) -> None:
    file_util(source, path, target, copy, configuration)
    target.create(_below(copy, "surplus"), True).close()


def _renames_a_file(source: Any, path: Any, target: Any, copy: Any, configuration: Any) -> None:
    file_util(source, path, target, copy, configuration)
    victim = _first(target, copy, empty=False)
    target.rename(victim, _below(victim.getParent(), "renamed"))


COPIERS: dict[str, Copier] = {
    "FileUtil": file_util,
    "drops-an-empty-file": _drops_an_empty_file,
    "truncates": _rewrites(lambda data: data[:-1]),
    "flips-a-bit": _rewrites(lambda data: bytes([_next(data[0])]) + data[1:]),
    "adds-a-file": _adds_a_file,
    "renames-a-file": _renames_a_file,
}
"""The tools: FileUtil, and the same with a seeded fault each."""


if __name__ == "__main__":
    raise SystemExit(main())
