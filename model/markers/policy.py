"""The retention policies of directory markers, and the options of S3A that choose one for a bucket and a path.

Source: the document on directory markers, its sections on controlling retention and on probing for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

PREFIX = "fs.s3a."
BUCKET_PREFIX = "fs.s3a.bucket."
RETENTION = "fs.s3a.directory.marker.retention"
AUTHORITATIVE_PATH = "fs.s3a.authoritative.path"

CAPABILITY = "fs.s3a.capability.directory.marker."
AWARE = CAPABILITY + "aware"
"""Does the client read buckets in which markers were kept?"""


class Policy(StrEnum):
    """What becomes of the markers above a file or directory that is made."""

    DELETE = "delete"
    KEEP = "keep"
    AUTHORITATIVE = "authoritative"


class PolicyError(ValueError):
    """An option that has no meaning. The text names it, and the values it may have."""


def for_bucket(properties: Mapping[str, str], bucket: str) -> dict[str, str]:
    """The options of S3A as they hold for a bucket: what is said of the bucket itself wins over what is said of all."""
    own = f"{BUCKET_PREFIX}{bucket}."
    plain = {name: value for name, value in properties.items() if not name.startswith(BUCKET_PREFIX)}
    return plain | {
        PREFIX + name.removeprefix(own): value for name, value in properties.items() if name.startswith(own)
    }


@dataclass(frozen=True, slots=True)
class Retention:
    """A policy, and the authoritative directories: keys of markers, empty for the root."""

    policy: Policy
    paths: tuple[str, ...] = ()

    def authoritative(self, key: str) -> bool:
        """Whether what has this key, a file or a marker, is an authoritative directory or below one."""
        slashed = key if key.endswith("/") or not key else f"{key}/"
        return any(slashed.startswith(path) for path in self.paths)

    def keeps(self, key: str) -> bool:
        """Whether markers above this key are kept when it is made."""
        return self.policy is Policy.KEEP or (self.policy is Policy.AUTHORITATIVE and self.authoritative(key))

    def capability(self, name: str, key: str) -> bool:
        """The answer that a client with this policy owes to one of the six probes. Raises KeyError for another."""
        return {
            AWARE: True,
            f"{CAPABILITY}policy.delete": self.policy is Policy.DELETE,
            f"{CAPABILITY}policy.keep": self.policy is Policy.KEEP,
            f"{CAPABILITY}policy.authoritative": self.policy is Policy.AUTHORITATIVE,
            f"{CAPABILITY}action.delete": not self.keeps(key),
            f"{CAPABILITY}action.keep": self.keeps(key),
        }[name]


CAPABILITIES = (
    AWARE,
    f"{CAPABILITY}policy.delete",
    f"{CAPABILITY}policy.keep",
    f"{CAPABILITY}policy.authoritative",
    f"{CAPABILITY}action.delete",
    f"{CAPABILITY}action.keep",
)
"""The six probes."""


def retention(properties: Mapping[str, str], bucket: str, default: Policy = Policy.DELETE) -> Retention:
    """The policy that options give a bucket; ``default`` where none is named. Raises PolicyError."""
    options = for_bucket(properties, bucket)
    named = options.get(RETENTION, default).strip().lower()
    if named not in set(Policy):
        known = ", ".join(Policy)
        raise PolicyError(f"{RETENTION} is {named!r}: the policies are {known}")
    return Retention(Policy(named), _paths(options.get(AUTHORITATIVE_PATH, ""), bucket))


def _paths(text: str, bucket: str) -> tuple[str, ...]:
    """The directories that the option names; those of other filesystems are passed over, as S3A does."""
    found = []
    for one in filter(None, (part.strip() for part in text.split(","))):
        url = urlsplit(one)
        if url.scheme not in ("", "s3a") or url.netloc not in ("", bucket):
            continue
        if not url.path.startswith("/") and not url.netloc:
            raise PolicyError(f"{AUTHORITATIVE_PATH} names {one!r}: write an absolute path")
        path = url.path.strip("/")
        found.append(f"{path}/" if path else "")
    return tuple(found)
