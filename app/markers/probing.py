"""Asks store and client about themselves: what the store does with versions, what the client's probes answer."""

from __future__ import annotations

from dataclasses import dataclass

from fsconform.adapters.hadoop.release import Raised
from fsconform.app.markers.running import Bench
from fsconform.model.markers.policy import AWARE, CAPABILITIES, Retention

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
