"""Releases, and programs of calls through a client of one, with a look at the bucket behind its back after each."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from fsconform.adapters.hadoop.release import Raised, ReleaseClient
from fsconform.adapters.jars import JarError, Progress, known_versions, load_profile, parse_profile, resolve
from fsconform.adapters.markers.bucket import Bucket
from fsconform.adapters.services.minio import MinioService
from fsconform.adapters.services.relay import Relay
from fsconform.engine.protocol import StoreLost
from fsconform.model.markers.calls import Call, Held, allowed
from fsconform.model.markers.judge import Departure, Seen, judge
from fsconform.model.markers.policy import AUTHORITATIVE_PATH, BUCKET_PREFIX, PREFIX, RETENTION, Retention

Program = tuple[Call, ...]
CONTENT = "content"


@dataclass(frozen=True, slots=True)
class Step:
    """A call that was made: the bucket before it, what was seen of it, and what it broke."""

    call: Call
    before: Held
    seen: Seen
    departures: tuple[Departure, ...]


@dataclass(slots=True)
class Bench:
    """A MinIO behind a relay, and clients of releases; buckets are made as they are needed."""

    service: MinioService
    relay: Relay
    logs: Path
    stack: ExitStack
    say: Any
    clients: dict[str, ReleaseClient] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def client(self, release: str) -> ReleaseClient:
        """The client of a release, which is started once. Raises JarError, NoJava or StoreLost."""
        if release not in self.clients:
            jars = jars_of(release, self.say)
            log = self.logs / f"hadoop-{release}.log"
            self.clients[release] = self.stack.enter_context(ReleaseClient(jars, log))
        return self.clients[release]

    def bucket(self, versioned: bool = False) -> Bucket:
        """A new bucket."""
        name, s3 = f"markers-{next(self.numbers)}", self.service.client()
        s3.create_bucket(Bucket=name)
        if versioned:
            s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        return Bucket(s3, name)

    def open(self, release: str, bucket: Bucket, retention: Retention | None, plain: bool = False) -> ReleaseClient:
        """A client with its FileSystem on a bucket; the policy is an option of the bucket, or with ``plain`` of all.

        Without a policy the release's own default holds. Raises StoreLost.
        """
        client = self.client(release)
        options = self.service.s3a_configuration() | {
            "fs.s3a.endpoint": self.relay.endpoint,
            "fs.s3a.buffer.dir": str(self.logs / "buffer"),
            # An option of a bucket has to win over the one of all.
            RETENTION: "delete" if retention and retention.policy == "keep" else "keep",
        }
        if retention is None:
            del options[RETENTION]
        else:
            prefix = PREFIX if plain else f"{BUCKET_PREFIX}{bucket.name}."
            options[prefix + RETENTION.removeprefix(PREFIX)] = str(retention.policy)
            paths = ",".join(f"/{path}" for path in retention.paths)
            options[prefix + AUTHORITATIVE_PATH.removeprefix(PREFIX)] = paths
        refused = client.open(f"s3a://{bucket.name}/", options)
        if refused is not None:
            raise StoreLost(f"Hadoop {release} does not open the bucket: {refused.why}")
        return client


@contextmanager
def bench(work: Path, say: Any) -> Iterator[Bench]:
    """A bench in a folder. Raises ServiceError."""
    with ExitStack() as stack:
        service = stack.enter_context(MinioService(work / "minio", progress=say))
        relay = stack.enter_context(Relay(service.endpoint))
        (work / "logs").mkdir(parents=True, exist_ok=True)
        yield Bench(service, relay, work / "logs", stack, say)


def held(bucket: Bucket) -> Held:
    """What a bucket holds."""
    keys = [entry.key for entry in bucket.entries()]
    return Held(frozenset(key for key in keys if key[-1] != "/"), frozenset(key for key in keys if key[-1] == "/"))


def run(
    place: Bench,
    release: str,
    retention: Retention,
    program: Program,
    versioned: bool = False,
    tombstones: bool = True,
) -> list[Step]:
    """Run a program in a new bucket and judge each call. Raises StoreLost and BucketError.

    Without ``tombstones`` a store is known to leave none where it should; that there are none too many is judged still.
    """
    bucket = place.bucket(versioned)
    client = place.open(release, bucket, retention)
    steps: list[Step] = []
    before = Held()
    for call in program:
        if not allowed(call, before):
            break  # an earlier departure left no ground for it
        seen = _one(place, client, bucket, call, versioned)
        steps.append(Step(call, before, seen, judge(call, before, seen, retention, tombstones)))
        before = seen.held
    return steps


def _one(place: Bench, client: ReleaseClient, bucket: Bucket, call: Call, versioned: bool) -> Seen:
    tombstones = _tombstones(bucket) if versioned else None
    place.relay.take()
    answer = make(client, call)
    requests = tuple(request.deletes for request in place.relay.take() if request.deletes)
    raised = answer.name if isinstance(answer, Raised) else "" if answer in (True, None) else f"nothing, but {answer}"
    more = frozenset(_tombstones(bucket) - tombstones) if tombstones is not None else None
    return Seen(held(bucket), raised, requests, more)


def _tombstones(bucket: Bucket) -> Counter[str]:
    return Counter(version.key for version in bucket.versions() if version.tombstone)


def make(client: ReleaseClient, call: Call) -> Any:
    """Make a call; what it returned, or Raised. Raises StoreLost."""
    path = f"/{call.path}"
    match call.what:
        case "create":
            return client.call("create", path=path, overwrite=True, text=CONTENT)
        case "delete":
            return client.call("delete", path=path, recursive=True)
        case "rename":
            return client.call("rename", path=path, to=f"/{call.to}")
        case "mkdirs":
            return client.call("mkdirs", path=path)


def known_releases() -> tuple[str, ...]:
    """The releases there are profiles for: whole ones, and those of S3A alone. Oldest first."""
    names = (entry.name for entry in files("fsconform.adapters").joinpath("profiles").iterdir())
    alone = {found[1] for name in names if (found := re.fullmatch(r"s3a-(.+)\.toml", name))}
    return tuple(sorted(alone | set(known_versions()), key=lambda one: [int(part) for part in re.findall(r"\d+", one)]))


def jars_of(release: str, progress: Progress) -> list[Path]:
    """The jars of a release's S3A client, fetched first if need be. Raises JarError.

    A profile of S3A alone comes first: it has what Hadoop's own commands need beside the client.
    """
    entry = files("fsconform.adapters").joinpath("profiles", f"s3a-{release}.toml")
    if entry.is_file():
        return resolve(parse_profile(entry.read_text("utf-8"), f"s3a-{release}"), ("s3a",), progress)
    if release not in known_versions():
        raise JarError(f"There is no profile for {release!r}; there are profiles for {', '.join(known_releases())}.")
    return resolve(load_profile(release), ("s3a",), progress)
