"""DistCp as a job of Hadoop's local runner, and the journey on which it takes a tree: copied, changed, updated, back.

Between two HDFS clusters it copies files of other block sizes and the difference of two snapshots besides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, trees
from fsconform.adapters.hadoop.trees import NotCopied

BLOCK = 1 << 19
"""Bytes of a block of the files whose copies get blocks of another size."""

BLOCKY = ({"path": "three-blocks", "directory": False, "length": 2 * BLOCK + 5, "seed": 77},)

WAYS: Mapping[str, tuple[str, ...]] = {
    "blocks-plain": (),
    "blocks-pb": ("-pb",),
    "blocks-composite": ("-Ddfs.checksum.combine.mode=COMPOSITE_CRC",),
    "blocks-unchecked": ("-update", "-skipcrccheck"),
}
"""How files of other block sizes are copied: the checksum of a file on HDFS is by default made of its blocks'."""

LOCAL = {
    "fs.defaultFS": "file:///",
    "mapreduce.framework.name": "local",
    "mapreduce.client.completion.pollinterval": "100",
    "mapreduce.client.progressmonitor.pollinterval": "100",
    "mapreduce.map.maxattempts": "1",
}
"""What makes a job run in this JVM, and not wait seconds to see that it is done."""

Spoil = Callable[[Any, Any], None]
"""Damages a tree after it was copied: file system and path of the copy. Raises what Java raises."""


def _unspoilt(store: Any, tree: Any) -> None:
    """No fault."""


@dataclass(frozen=True, slots=True)
class Variant:
    """DistCp with a seeded fault: what happens to a copy once made, and which options of later runs it takes for which.

    With ``skipped`` the runs after the first are left out.
    """

    spoil: Spoil = _unspoilt
    options: Mapping[str, tuple[str, ...]] | None = None
    skipped: bool = False

    def read(self, options: Sequence[str]) -> list[str]:
        """The options as this variant takes them."""
        known = self.options or {}
        kinds = ["-p" if option.startswith("-p") else option for option in options]
        return [word for kind, option in zip(kinds, options, strict=True) for word in known.get(kind, (option,))]


VARIANTS: Mapping[str, Variant] = {
    "DistCp": Variant(),
    "deletes-nothing": Variant(options={"-delete": ()}),
    "updates-nothing": Variant(skipped=True),
    "copies-all-again": Variant(options={"-update": ("-overwrite",)}),
    "preserves-nothing": Variant(options={"-p": ()}),
}
"""DistCp, and the same with a seeded fault each."""


@dataclass(frozen=True, slots=True)
class Job:
    """DistCp under one configuration. ``log`` is where Hadoop's errors go, out of which a failure is explained."""

    configuration: Any
    log: Path

    def run(self, options: Sequence[str], source: Any, target: Any) -> None:
        """Copy as the command does. Raises NotCopied."""
        configuration = jpype.JClass("org.apache.hadoop.conf.Configuration")(self.configuration)
        words = [word for word in options if not word.startswith("-D")]
        for word in options:
            if word.startswith("-D"):
                configuration.set(*word[2:].split("=", 1))
                # A client that another run made would go on under its own configuration.
                configuration.set("fs.hdfs.impl.disable.cache", "true")
        words += [jvm.text(source.toString()), jvm.text(target.toString())]
        known = self.log.stat().st_size
        code = int(
            jpype.JClass("org.apache.hadoop.tools.DistCp")(configuration, None).run(jpype.JArray(jpype.JString)(words))
        )
        if code:
            raise NotCopied(f"distcp {' '.join(options)} ended with {code}: {self._why(known)}")

    def _why(self, known: int) -> str:
        """The innermost cause that was logged since the log had so many bytes."""
        with self.log.open("rb") as lines:
            lines.seek(known)
            found = [line.decode("utf-8", "replace").strip() for line in lines]
        causes = [line for line in found if line.startswith("Caused by: ")] or [line for line in found if line]
        return causes[-1] if causes else "nothing was logged"


def configured(ends: Sequence[Mapping[str, Any]], scratch: Path) -> Job:
    """DistCp for two stores at once. Where both set a property the second one's value holds."""
    configuration = jvm.configured(
        [file for end in ends for file in end["configuration_files"]],
        {name: value for end in ends for name, value in end["configuration"].items()} | LOCAL,
    )
    configuration.set("hadoop.tmp.dir", str(scratch / "jobs"))
    log = scratch / "distcp.log"
    root = jpype.JClass("org.apache.log4j.Logger").getRootLogger()
    layout = jpype.JClass("org.apache.log4j.PatternLayout")("%m%n")
    root.addAppender(jpype.JClass("org.apache.log4j.FileAppender")(layout, str(log), True))
    root.setLevel(jpype.JClass("org.apache.log4j.Level").ERROR)
    return Job(configuration, log)


@dataclass(frozen=True, slots=True)
class Ends:
    """Two stores, and a directory of ours in each."""

    source: Any
    from_base: Any
    target: Any
    to_base: Any


def journey(job: Job, variant: Variant, ends: Ends, order: Mapping[str, Any], result: dict[str, Any]) -> None:
    """Carry the journey out, and note each tree in ``result``. Raises NotCopied and what Java raises."""
    preserved = variant.read(["-p" + order["preserved"]] if order["preserved"] else [])
    seen = result["trees"]
    original, copy, back = (
        trees.below(base, name)
        for base, name in ((ends.from_base, "original"), (ends.to_base, "copy"), (ends.from_base, "back"))
    )
    trees.make(ends.source, original, order["tree"])
    ends.target.mkdirs(ends.to_base)
    seen["original"] = trees.read(ends.source, original)
    job.run(preserved, original, copy)
    variant.spoil(ends.target, copy)
    seen["copy"] = trees.read(ends.target, copy)
    for side, store, base in (("source", ends.source, original), ("target", ends.target, copy)):
        change(store, base, [one for one in order["changes"] if one["side"] == side])
    seen["changed"] = trees.read(ends.source, original)
    seen["before"] = trees.read(ends.target, copy)
    if not variant.skipped:
        job.run(variant.read([*preserved, "-update", "-delete"]), original, copy)
    seen["updated"] = trees.read(ends.target, copy)
    job.run(preserved, copy, back)
    variant.spoil(ends.source, back)
    seen["back"] = trees.read(ends.source, back)
    if all(jvm.text(store.getUri().getScheme()) == "hdfs" for store in (ends.source, ends.target)):
        _blocks(job, variant, ends, result)
        _snapshots(job, variant, ends, order, result)


def change(store: Any, base: Any, changes: Sequence[Mapping[str, Any]]) -> None:
    """Change a tree: what is gone is deleted, all else is written anew, and is as new as it is."""
    for one in changes:
        if one["gone"]:
            store.delete(trees.below(base, one["entry"]["path"]), True)
    trees.make(store, base, [one["entry"] for one in changes if not one["gone"]], old=False)


def _blocks(job: Job, variant: Variant, ends: Ends, result: dict[str, Any]) -> None:
    """Copy a file of several blocks to where blocks have another size, in each way."""
    place = trees.below(ends.from_base, "blocks")
    trees.make(ends.source, place, BLOCKY, block=BLOCK)
    result["trees"]["blocks"] = trees.read(ends.source, place)
    for name, options in WAYS.items():
        copy = trees.below(ends.to_base, name)
        try:
            job.run(options, place, copy)
        except NotCopied as error:
            result["refused"][name] = str(error)
        else:
            variant.spoil(ends.target, copy)
        result["trees"][name] = trees.read(ends.target, copy) if ends.target.exists(copy) else []


def _snapshots(job: Job, variant: Variant, ends: Ends, order: Mapping[str, Any], result: dict[str, Any]) -> None:
    """Copy a snapshot, and then the difference to a later one: what is changed after that is not copied."""
    live, copy = trees.below(ends.from_base, "live"), trees.below(ends.to_base, "live")
    taken: list[tuple[Any, Any, str]] = []
    try:
        trees.make(ends.source, live, [one for one in order["tree"] if one["length"] <= BLOCK])
        _snapshot(ends.source, live, "one", taken)
        job.run((), trees.below(live, ".snapshot/one"), copy)
        _snapshot(ends.target, copy, "one", taken)
        change(ends.source, live, [one for one in order["changes"] if one["side"] == "source"])
        for old, new in order["renames"]:
            ends.source.rename(trees.below(live, old), trees.below(live, new))
        _snapshot(ends.source, live, "two", taken)
        late = {"path": "late", "directory": False, "length": 9, "seed": 9}
        trees.make(ends.source, live, [late], old=False)
        result["trees"]["snapshot"] = trees.read(ends.source, trees.below(live, ".snapshot/two"))
        if not variant.skipped:
            job.run(("-update", "-diff", "one", "two"), live, copy)
        variant.spoil(ends.target, copy)
        result["trees"]["synced"] = trees.read(ends.target, copy)
    finally:
        for store, base, name in reversed(taken):
            with suppress(jvm.JavaError):
                store.deleteSnapshot(base, name)
        for store, base in ((ends.source, live), (ends.target, copy)):
            with suppress(jvm.JavaError):
                store.disallowSnapshot(base)


def _snapshot(store: Any, base: Any, name: str, taken: list[tuple[Any, Any, str]]) -> None:
    store.allowSnapshot(base)
    store.createSnapshot(base, name)
    taken.append((store, base, name))
