"""Keys of a bucket as paths of a filesystem, and the keys that no path has."""

from __future__ import annotations

from collections.abc import Iterator

S3N_SUFFIX = "_$folder$"
"""How the connector s3n marked a directory. S3A neither reads nor removes such objects."""


def is_directory(key: str) -> bool:
    """Whether a key is that of a directory marker: it ends in a slash."""
    return key.endswith("/")


def is_s3n(key: str) -> bool:
    """Whether a key is that of a marker of s3n."""
    return key.endswith(S3N_SUFFIX)


def is_path(key: str) -> bool:
    """Whether the key is the one that Hadoop gives to some path below the root.

    Hadoop drops empty components and resolves ``.`` and ``..``: what has one of these is reached by no path, or, worse,
    by that of another key.
    """
    return all(part not in ("", ".", "..") for part in key.removesuffix("/").split("/"))


def above(key: str) -> Iterator[str]:
    """The keys of the markers of all directories above this key, the nearest first, without the root."""
    end = key.rstrip("/").rfind("/")
    while end > 0:
        yield key[: end + 1]
        end = key.rfind("/", 0, end)
