"""Trees that are copied from store to store: what is put into them, and what of a copy differs from its original.

Judged are names, kinds, lengths and contents. Metadata is only compared: a tool that copies says what it keeps, and
what it does not claim to keep is a declared loss.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

METADATA = (
    "permission",
    "owner",
    "group",
    "replication",
    "block-size",
    "modification-time",
    "access-time",
    "acl",
    "xattrs",
)
"""The kinds of metadata that are compared."""

PART = 5 << 20
"""Bytes of the smallest part that S3 takes, so that a larger file is copied in several."""


@dataclass(frozen=True, slots=True)
class Planned:
    """An entry of the original: a directory, or a file of ``length`` bytes out of ``seed``."""

    path: str
    directory: bool = False
    length: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as a store shows it: ``path`` is relative to the tree, ``digest`` the SHA-256 of a file in hexadecimal.

    ``metadata`` has the kinds that the store tells of, ``checksum`` what the store itself says of a file, with its
    kind, empty if nothing.
    """

    path: str
    directory: bool
    length: int = 0
    digest: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    checksum: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """What is wrong with one entry of a copy.

    ``what`` is missing, surplus, kind, length, content, copied-again, not-copied, or kept metadata.
    """

    path: str
    what: str
    original: str = ""
    copy: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A copy against its original. ``lost`` counts what lost metadata, by the kinds that need not be kept.

    ``left`` has files that an update may leave as they are: equal in length, and without checksums that compare.
    """

    differences: tuple[Difference, ...]
    lost: Mapping[str, int]
    left: tuple[str, ...] = ()


SIZES = (0, 1, 4095, 4096, 4097, 65536, PART - 1, PART, PART + 1)
NAMES = (
    *("a", "ab", "A", ".hidden", "_temporary", "with space", "plus+sign", "per%2Fcent", "hash#", "question?"),
    *(
        "caf\u00e9",
        "cafe\u0301",
        "\u65e5\u672c",
        "\U0001f418",
        "n" * 128,
        "-rf",
        "tilde~",
        "a.b.c",
        "quote'\"",
        "[x]{y}*",
    ),
)
"""Names that are told apart by one character, or mean something to a shell, to a URI or to a store's listing."""


def tree() -> tuple[Planned, ...]:
    """What the original holds: each size and each name once, an empty file and an empty directory at every depth."""
    found = [Planned("sizes", True), Planned("names", True)]
    found += [Planned(f"sizes/{size}", length=size, seed=size + 1) for size in SIZES]
    for number, name in enumerate(NAMES):
        found += [Planned(f"names/{name}", True), Planned(f"names/{name}/{name}", length=number, seed=number)]
    for depth in range(1, 6):
        place = "/".join(f"d{level}" for level in range(1, depth + 1))
        found += [Planned(place, True), Planned(f"{place}/empty-file"), Planned(f"{place}/empty-directory", True)]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to an entry of the source or of the target between a copy and its update."""

    side: Literal["source", "target"]
    entry: Planned
    gone: bool = False


def changes() -> tuple[Change, ...]:
    """One change of each kind that an update has to bring over, undo or remove."""
    at_source = (
        Change("source", Planned("sizes/1"), gone=True),
        Change("source", Planned("d1/d2", True), gone=True),
        Change("source", Planned("sizes/4097", length=4098, seed=901)),
        Change("source", Planned("sizes/4095", length=100, seed=902)),
        Change("source", Planned("sizes/65536", length=65536, seed=903)),
        Change("source", Planned("new", True)),
        Change("source", Planned("new/file", length=77, seed=904)),
        Change("source", Planned("new/empty-directory", True)),
    )
    at_target = (
        Change("target", Planned("names/ab/ab"), gone=True),
        Change("target", Planned(f"sizes/{PART - 1}", length=11, seed=905)),
        Change("target", Planned("sizes/4096", length=4096, seed=906)),
        Change("target", Planned("surplus", True)),
        Change("target", Planned("surplus/file", length=5, seed=907)),
        Change("target", Planned("surplus/empty-directory", True)),
    )
    return at_source + at_target


RENAMES = (("sizes/4096", "d1/renamed"), ("names/a", "names/another"))
"""What is renamed between two snapshots, from and to."""


def judge_update(source: Sequence[Entry], before: Sequence[Entry], after: Sequence[Entry]) -> Verdict:
    """Compare a target with its source after ``-update -delete``; ``before`` is what the target was.

    DistCp's guide copies a file only if the target lacks it, or has it with another length or checksum. So a file that
    differs in content alone may be left where the two checksums do not exist, and one that does not differ must be.
    """
    plain = judge(source, after)
    origins, olds, news = ({one.path: one for one in tree} for tree in (source, before, after))
    left = tuple(
        one.path
        for one in plain.differences
        if one.what == "content" and one.path in olds and _unseen(origins[one.path], olds[one.path])
    )
    found = [one for one in plain.differences if one.path not in left]
    for path, origin in origins.items():
        old, new = olds.get(path), news.get(path)
        if old is None or new is None or origin.directory or old.directory or origin.digest != old.digest:
            continue
        if origin.checksum and old.checksum and origin.checksum != old.checksum:
            continue
        times = [one.metadata.get("modification-time", "") for one in (old, new)]
        if times[0] != times[1]:
            found.append(Difference(path, "copied-again", *times))
    return Verdict(tuple(found), plain.lost, left)


def _unseen(origin: Entry, old: Entry) -> bool:
    """Whether length and checksums do not tell two files apart."""
    return origin.length == old.length and not (origin.checksum and old.checksum)


def judge(original: Sequence[Entry], copy: Sequence[Entry], kept: Collection[str] = ()) -> Verdict:
    """Compare a copy with its original. ``kept`` names the metadata that must not be lost."""
    olds, news = {one.path: one for one in original}, {one.path: one for one in copy}
    found, lost = list[Difference](), dict[str, int]()
    for path, old in olds.items():
        new = news.get(path)
        if new is None:
            found.append(Difference(path, "missing", _told(old)))
            continue
        found += _content(old, new)
        for kind in METADATA:
            before, after = old.metadata.get(kind, ""), new.metadata.get(kind, "")
            if before and before != after:
                if kind in kept:
                    found.append(Difference(path, kind, before, after))
                else:
                    lost[kind] = lost.get(kind, 0) + 1
    found += [Difference(path, "surplus", copy=_told(new)) for path, new in news.items() if path not in olds]
    return Verdict(tuple(found), lost)


def _content(old: Entry, new: Entry) -> list[Difference]:
    if old.directory != new.directory:
        return [Difference(old.path, "kind", _told(old), _told(new))]
    if old.length != new.length:
        return [Difference(old.path, "length", str(old.length), str(new.length))]
    return [Difference(old.path, "content", old.digest, new.digest)] if old.digest != new.digest else []


def _told(entry: Entry) -> str:
    return "a directory" if entry.directory else f"a file of {entry.length} bytes"
