"""``fsconform markers judge``: does S3A treat markers as its document says? Seen in the bucket, call by call."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import click

from fsconform.adapters.hadoop.release import Raised
from fsconform.adapters.jars import DEFAULT, JarError
from fsconform.adapters.java import NoJava
from fsconform.adapters.markers.bucket import BucketError
from fsconform.adapters.services.daemon import ServiceError
from fsconform.app.markers.exploring import Outcome, explore, programs, runner
from fsconform.app.markers.running import Bench, bench, known_releases
from fsconform.app.markers.settings import INTERRUPTED, OK, USAGE, Ended, OwnUsage
from fsconform.app.options import SEED
from fsconform.engine.protocol import StoreLost
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import OUTPUT_FILE
from fsconform.harness.interrupts import in_two_steps
from fsconform.harness.leftovers import passing_logs
from fsconform.harness.output import write_json
from fsconform.harness.problems import DIVERGENCES
from fsconform.harness.versions import completed
from fsconform.model.markers.clauses import CLAUSES
from fsconform.model.markers.policy import AWARE, CAPABILITIES, Policy, Retention
from fsconform.reports.visible import visible

AUTHORITATIVE = ("a/b/",)
"""The authoritative directory of the policy of that name, unless others are named: a half of the universe."""

CAPABLE = (3, 3)
"""The first line of releases with the probes and, but for 3.3.0, with the policies."""


@click.command("judge", cls=OwnUsage)
@click.option(
    "--hadoop",
    "release",
    default=DEFAULT,
    show_default=True,
    metavar="VERSION",
    shell_complete=completed,
    help="The client.",
)
@click.option(
    "--policy",
    type=click.Choice(("delete", "keep", "authoritative")),
    default="keep",
    show_default=True,
    help="The retention of markers that S3A is told to have.",
)
@click.option("--versioned", is_flag=True, help="In buckets that keep all versions.")
@click.option(
    "--programs",
    "count",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="Random programs.",
)
@click.option(
    "--length", type=click.IntRange(0, 3), default=1, show_default=True, help="All programs of up to so many calls."
)
@click.option("--seed", type=SEED, default=0, show_default=True, metavar="N", help="The seed of random programs.")
@click.option("--json", "json_file", type=OUTPUT_FILE, metavar="FILE", help="Write what was found as JSON.")
@in_two_steps()
def judge(
    release: str, policy: str, versioned: bool, count: int, length: int, seed: int, json_file: Path | None
) -> None:
    """Run programs on S3A over a MinIO, and judge by the rules which markers are there after each call.

    Exit codes: 0 no departure; 1 departures; 42 usage; 3 the client or the server could not be used.
    """
    if release not in known_releases():
        raise Ended(USAGE, f"--hadoop {release}: there are profiles for {', '.join(known_releases())}")
    held = Retention(Policy(policy), AUTHORITATIVE if policy == Policy.AUTHORITATIVE else ())
    with passing_logs("markers") as logs:
        try:
            with bench(logs.folder, lambda text: console.print(text, markup=False)) as place:
                seen = ghosts(place)
                outcome = _explored(place, release, held, versioned, count, length, seed, seen)
                probes = capabilities(place, release, held) if has_probes(release) else []
        except NoJava as error:
            raise Ended(USAGE, visible(str(error))) from error
        except (JarError, ServiceError, StoreLost, BucketError, OSError) as error:
            raise Ended(INTERRUPTED, visible(str(error))) from error
    _tell(outcome, probes, seen, versioned)
    if json_file is not None:
        document = {
            "schema": 1,
            "hadoop": release,
            "policy": policy,
            "versioned": versioned,
            "seed": seed,
            "programs": outcome.programs,
            "calls": outcome.calls,
            "store": asdict(seen),
            "probes": probes,
            "departures": [
                asdict(one) | {"program": [str(call) for call in one.program]} for one in outcome.found.values()
            ],
        }
        try:
            write_json(json_file, document)
        except OSError as error:
            raise Ended(USAGE, f"{json_file}: {error.strerror or error}: choose another file with --json") from error
    raise SystemExit(DIVERGENCES if outcome.found or probes else OK)


def has_probes(release: str) -> bool:
    """Whether clients of the release can be asked for capabilities."""
    return tuple(int(part) for part in release.split(".")[:2]) >= CAPABLE


def _explored(
    place: Bench, release: str, held: Retention, versioned: bool, count: int, length: int, seed: int, seen: Ghosts
) -> Outcome:
    deletes = not (versioned and seen.prefixes)
    execute = runner(place, release, held, versioned, not seen.tombstones)
    return explore(execute, programs(count, seed, length, deletes))


def _tell(outcome: Outcome, probes: list[str], seen: Ghosts, versioned: bool) -> None:
    for one in outcome.found.values():
        row = CLAUSES[one.clause]
        plain.print(f"{one.clause} ({row.section}): {row.statement}", markup=False)
        plain.print(f"    {'; '.join(map(str, one.program))}", markup=False)
        plain.print(visible(f"    {one.why} (seen {one.seen} times; again in {one.replays} of 3)"), markup=False)
    for text in probes:
        plain.print(f"markers.capability: {text}", markup=False)
    if versioned:
        for text in seen.told():
            console.print(text, markup=False, soft_wrap=True)
    console.print(
        f"{outcome.programs} programs, {outcome.calls} calls, {len(outcome.found)} departures, {len(probes)} of probes",
        markup=False,
    )


PATHS = ("a", "a/b", "a/b/c", "a/bc", "d/f")


@dataclass(frozen=True, slots=True)
class Ghosts:
    """What a store does in versioned buckets that S3 does not; asked of it directly, without any connector.

    ``tombstones``: a deleted object whose key ends in a slash leaves none. ``prefixes``: a listing by directories shows
    directories all of whose objects were deleted.
    """

    tombstones: bool
    prefixes: bool

    def told(self) -> list[str]:
        """A sentence for each."""
        found = []
        if self.tombstones:
            found.append("the store: PUT x/, DELETE x/ in a versioned bucket leaves no tombstone; requests are judged")
        if self.prefixes:
            found.append(
                "the store: after PUT a/b/f, DELETE a/b/f a versioned bucket lists the prefix a/b/; only programs "
                "without deletes and renames were run"
            )
        return found


def ghosts(place: Bench) -> Ghosts:
    """Ask the store. Raises BucketError."""
    bucket = place.bucket(versioned=True)
    s3 = place.service.client()
    for key in ("x/", "a/b/f"):
        s3.put_object(Bucket=bucket.name, Key=key, Body=b"")
        bucket.delete([key], 1)
    left = any(version.key == "x/" and version.tombstone for version in bucket.versions())
    listed = s3.list_objects_v2(Bucket=bucket.name, Prefix="a/", Delimiter="/")
    return Ghosts(not left, bool(listed.get("CommonPrefixes")))


def capabilities(place: Bench, release: str, retention: Retention) -> list[str]:
    """The probes that a client answers otherwise than its policy says. Raises StoreLost."""
    client = place.open(release, place.bucket(), retention)
    wrong = []
    for path in PATHS:
        for name in CAPABILITIES:
            right = retention.capability(name, path)
            answer = client.call("capability", name=name, path=f"/{path}")
            if answer is not right:
                told = answer.why if isinstance(answer, Raised) else answer
                wrong.append(f"hasPathCapability(/{path}, {name}) is {told}, the policy is {retention.policy}")
    answer = client.call("stream_capability", name=AWARE)
    if answer is not True:
        wrong.append(f"hasCapability({AWARE}) is {answer}")
    return wrong
