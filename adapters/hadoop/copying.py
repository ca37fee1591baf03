"""Copies a tree from one store to another and back: ``python -m fsconform.adapters.hadoop.copying SECRETS RESULT``.

A process of its own with its own JVM. The order comes as JSON on standard input: the configuration may hold secrets.
What the client resolves secrets to goes as JSON to the descriptor SECRETS before the stores are opened. RESULT becomes
a JSON file without secrets: the trees as the stores show them, or the error that kept one from being made.
Everything happens below one fresh directory in each store, and both are removed at the end.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import distcp, jvm, resolved, trees, wire
from fsconform.adapters.hadoop.distcp import Ends, Spoil
from fsconform.adapters.hadoop.trees import NotCopied
from fsconform.engine.secrecy import KNOWN, in_uri, of_environment

Copier = Callable[[Any, Any, Any, Any, Any], None]
"""Copies a tree: file system and path of the source, of the target, and a configuration. Raises what Java raises."""


def main() -> int:
    """Carry an order out."""
    descriptor, target = int(sys.argv[1]), Path(sys.argv[2])
    order = json.loads(sys.stdin.buffer.read())
    KNOWN.learn(of_environment(os.environ).union(*(in_uri(order[end]["uri"]) for end in ("source", "target"))))
    result: dict[str, Any] = {
        "trees": {},
        "versions": {},
        "failed": "",
        "not_copied": "",
        "refused": {},
        "counters": {},
    }
    try:
        _carry_out(order, result, descriptor)
    except NotCopied as error:
        result["not_copied"] = str(error)
    except jvm.JavaError as error:
        result["failed"] = jvm.explain(error)
    planned = [*order["tree"], *(change["entry"] for change in order["changes"])]
    ours = {part for one in planned for part in (one["path"], *one["path"].split("/"))}
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
    both = Ends(source, from_base, target, to_base)
    try:
        if order["tool"] == "DistCp":
            variant = distcp.VARIANTS.get(order["copier"]) or distcp.Variant(SPOILERS[order["copier"]])
            distcp.journey(distcp.configured(ends, Path(order["scratch"])), variant, both, order, result)
        else:
            _there_and_back(both, order, result)
    finally:
        for store, base in stores:
            with suppress(jvm.JavaError):
                store.delete(base, True)
            with suppress(jvm.JavaError):
                store.close()


def _there_and_back(ends: Ends, order: dict[str, Any], result: dict[str, Any]) -> None:
    """The journey with FileUtil: to the target and back."""
    original, copy, back = (
        trees.below(base, name)
        for base, name in ((ends.from_base, "original"), (ends.to_base, "copy"), (ends.from_base, "back"))
    )
    copier = COPIERS[order["copier"]]
    trees.make(ends.source, original, order["tree"])
    ends.target.mkdirs(ends.to_base)
    result["trees"]["original"] = trees.read(ends.source, original)
    _copy(copier, ends.source, original, ends.target, copy, order["source"]["uri"])
    result["trees"]["copy"] = trees.read(ends.target, copy)
    _copy(copier, ends.target, copy, ends.source, back, order["target"]["uri"])
    result["trees"]["back"] = trees.read(ends.source, back)


def _copy(copier: Copier, source: Any, path: Any, target: Any, copy: Any, uri: str) -> None:
    try:
        copier(source, path, target, copy, target.getConf())
    except jvm.JavaError as error:
        raise NotCopied(f"copying from {uri}: {jvm.explain(error)}") from error


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


def _drops_an_empty_file(target: Any, copy: Any) -> None:
    target.delete(_first(target, copy, empty=True), False)


def _rewrites(change: Callable[[bytes], bytes]) -> Spoil:
    def spoil(target: Any, copy: Any) -> None:
        victim = _first(target, copy, empty=False)
        size = int(target.getFileStatus(victim).getLen())
        buffer = jpype.JArray(jpype.JByte)(size)
        stream = target.open(victim)
        stream.readFully(0, buffer)
        stream.close()
        written = target.create(victim, True)
        written.write(jpype.JArray(jpype.JByte)(change(bytes(buffer[:]))))
        written.close()

    return spoil


def _next(byte: int) -> int:
    """The byte with one bit flipped, as in Gray's code: where the way back flips one more, the first is not undone."""
    if byte.bit_count() % 2 == 0:
        return byte ^ 1
    return byte ^ min((byte & -byte) << 1, 0x80)


def _adds_a_file(target: Any, copy: Any) -> None:
    target.create(trees.below(copy, "surplus"), True).close()


def _renames_a_file(target: Any, copy: Any) -> None:
    victim = _first(target, copy, empty=False)
    target.rename(victim, trees.below(victim.getParent(), "renamed"))


SPOILERS: dict[str, Spoil] = {
    "drops-an-empty-file": _drops_an_empty_file,
    "truncates": _rewrites(lambda data: data[:-1]),
    "flips-a-bit": _rewrites(lambda data: bytes([_next(data[0])]) + data[1:]),
    "adds-a-file": _adds_a_file,
    "renames-a-file": _renames_a_file,
}
"""What a seeded fault does to a copy once the tool has made it."""


def _spoiling(spoil: Spoil) -> Copier:
    def copier(source: Any, path: Any, target: Any, copy: Any, configuration: Any) -> None:
        file_util(source, path, target, copy, configuration)
        spoil(target, copy)

    return copier


COPIERS: dict[str, Copier] = {
    "FileUtil": file_util,
    **{name: _spoiling(spoil) for name, spoil in SPOILERS.items()},
}
"""FileUtil, and the same with a seeded fault each."""


if __name__ == "__main__":
    raise SystemExit(main())
