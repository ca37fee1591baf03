"""``fsconform markers compatibility``: trees that one release wrote, read and changed by another, in a real bucket."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from fsconform.adapters.hadoop.release import Lacking, Raised, ReleaseClient
from fsconform.adapters.jars import JarError
from fsconform.adapters.java import NoJava
from fsconform.adapters.markers.bucket import Bucket, BucketError
from fsconform.adapters.services.daemon import ServiceError
from fsconform.app.markers.running import Bench, bench, held, known_releases, make
from fsconform.app.markers.settings import INTERRUPTED, OK, USAGE, Ended, OwnUsage
from fsconform.engine.protocol import StoreLost
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import OUTPUT_FILE
from fsconform.harness.interrupts import in_two_steps
from fsconform.harness.leftovers import passing_logs
from fsconform.harness.output import write_json
from fsconform.harness.problems import DIVERGENCES
from fsconform.model.markers.calls import Call
from fsconform.model.markers.policy import AWARE, Policy, Retention
from fsconform.model.markers.reading import AGAIN, AUTHORITATIVE, PROBES, TREE, Loss, Probe, judge
from fsconform.reports.visible import visible

LAYOUTS = ("s3n", "presto")
"""What no S3A wrote: markers that end in ``_$folder$``; and no markers, as where each path is a directory."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A release with a policy, None for its default; or a layout, which boto3 writes."""

    name: str
    release: str = ""
    policy: Policy | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One writer and one reader: the keys that were written, what the reader says of itself, and what went wrong.

    ``aware`` is None where the reader cannot be asked.
    """

    writer: str
    reader: str
    keys: tuple[str, ...]
    aware: bool | None
    losses: tuple[Loss, ...]


def writer(text: str) -> Writer:
    """A writer as it is named: ``3.4.1``, ``3.3.6:keep`` or a layout. Raises Ended."""
    release, colon, policy = text.partition(":")
    if text in LAYOUTS:
        return Writer(text)
    if release not in known_releases():
        raise Ended(USAGE, f"{text!r}: name one of {', '.join((*known_releases(), *LAYOUTS))}, or RELEASE:POLICY")
    if colon and policy not in set(Policy):
        raise Ended(USAGE, f"{text!r}: the policies are {', '.join(Policy)}")
    return Writer(text, release, Policy(policy) if colon else None)


def written(place: Bench, by: Writer) -> Bucket:
    """A new bucket with the tree. Raises StoreLost."""
    bucket = place.bucket()
    if not by.release:
        s3 = place.service.client()
        for key in TREE:
            if not key.endswith("/"):
                s3.put_object(Bucket=bucket.name, Key=key, Body=b"content")
            elif by.name == "s3n":
                s3.put_object(Bucket=bucket.name, Key=f"{key[:-1]}_$folder$", Body=b"")
        return bucket
    retention = Retention(by.policy, AUTHORITATIVE if by.policy == "authoritative" else ()) if by.policy else None
    client = place.open(by.release, bucket, retention)
    for key in TREE:
        answer = make(client, Call("mkdirs" if key.endswith("/") else "create", key.rstrip("/")))
        if isinstance(answer, Raised):
            raise StoreLost(f"{by.name} could not write {key}: {answer.why}")
    return bucket


def cell(place: Bench, by: Writer, reader: str) -> Cell:
    """Write the tree twice, and let the reader at it. Raises StoreLost."""
    losses: list[Loss] = []
    keys: tuple[str, ...] = ()
    aware: bool | None = None
    for probes in (PROBES, AGAIN):
        bucket = written(place, by)
        keys = tuple(sorted(held(bucket).keys))
        client = place.open(reader, bucket, None)
        aware = _aware(client)
        losses += _probed(client, bucket, owed(probes, by))
    return Cell(by.name, reader, keys, aware, tuple(losses))


def owed(probes: Iterable[Probe], by: Writer) -> list[Probe]:
    """The probes that can be asked of what a writer leaves: without markers there is no empty directory."""
    return [one for one in probes if by.release or "/e" not in str(one)]


def _aware(client: ReleaseClient) -> bool | None:
    try:
        answer = client.call("stream_capability", name=AWARE)
    except Lacking:
        return None
    return answer if isinstance(answer, bool) else None


def _probed(client: ReleaseClient, bucket: Bucket, probes: Iterable[Probe]) -> list[Loss]:
    found = []
    for probe in probes:
        answer = client.call(probe.what, **probe.arguments)
        files = frozenset(key for key in held(bucket).files if not key.endswith("_$folder$"))
        if isinstance(answer, Raised):
            loss = judge(probe, None, answer.name, answer.classes, files)
        else:
            loss = judge(probe, answer, "", (), files)
        if loss is not None:
            found.append(loss)
            if files != frozenset(probe.left):
                break  # what follows is owed on another ground
    return found


@click.command("compatibility", cls=OwnUsage)
@click.option("--writer", "writers", multiple=True, metavar="RELEASE[:POLICY]|LAYOUT", help="May be repeated.")
@click.option("--reader", "readers", multiple=True, metavar="RELEASE", help="May be repeated.")
@click.option("--json", "json_file", type=OUTPUT_FILE, metavar="FILE", help="Write the table as JSON.")
@in_two_steps()
def compatibility(writers: tuple[str, ...], readers: tuple[str, ...], json_file: Path | None) -> None:
    """Let readers of some releases at trees that others wrote, each in a process of its own, and tell what they miss.

    Exit codes: 0 a client that says that it is aware of kept markers misses nothing; 1 one does; 42 usage; 3 a client
    or the server could not be used. What clients miss that do not say so is told, and is no failure; nor is what they
    do to layouts that no S3A wrote.
    """
    by = [writer(one) for one in writers or _all_writers()]
    for one in readers:
        if one not in known_releases():
            raise Ended(USAGE, f"--reader {one}: there are profiles for {', '.join(known_releases())}")
    cells = []
    with passing_logs("markers") as logs:
        try:
            with bench(logs.folder, lambda text: console.print(text, markup=False)) as place:
                for reader in readers or known_releases():
                    for who in by:
                        cells.append(cell(place, who, reader))
                        _tell(cells[-1])
        except NoJava as error:
            raise Ended(USAGE, visible(str(error))) from error
        except (JarError, ServiceError, StoreLost, BucketError, OSError) as error:
            raise Ended(INTERRUPTED, visible(str(error))) from error
    if json_file is not None:
        try:
            write_json(json_file, {"schema": 1, "cells": [asdict(one) for one in cells]})
        except OSError as error:
            raise Ended(USAGE, f"{json_file}: {error.strerror or error}: choose another file with --json") from error
    broken = [one for one in cells if one.aware and one.losses and one.writer not in LAYOUTS]
    console.print(
        f"{len(cells)} cells, {sum(bool(one.losses) for one in cells)} with losses, {len(broken)} of aware clients"
    )
    raise SystemExit(DIVERGENCES if broken else OK)


def _all_writers() -> list[str]:
    """All releases with their default policy, the policies of one that has all three, and the layouts."""
    with_all = [one for one in known_releases() if one.startswith(("3.3.", "3.4."))]
    return [*known_releases(), *(f"{one}:{policy}" for one in with_all[-1:] for policy in Policy), *LAYOUTS]


def _tell(one: Cell) -> None:
    said = {True: "aware", False: "not aware", None: "cannot be asked"}[one.aware]
    markers = " ".join(key for key in one.keys if key.endswith("/")) or "none"
    plain.print(visible(f"written by {one.writer} (markers {markers}), read by {one.reader} ({said}):"), markup=False)
    for loss in one.losses:
        how = "silently" if loss.silent else "with an error"
        plain.print(visible(f"    {loss.probe}: {how} {loss.came}, and not {loss.owed}", 4000), markup=False)
    if not one.losses:
        plain.print("    all as it should be", markup=False)
