"""Trees that are copied from store to store: what is put into them, and what of a copy differs from its original.

Judged are names, kinds, lengths and contents. Metadata is only compared: a tool that copies says what it keeps, and
what it does not claim to keep is a declared loss.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

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

    ``metadata`` has the kinds that the store tells of.
    """

    path: str
    directory: bool
    length: int = 0
    digest: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """What is wrong with one entry of a copy: ``what`` is missing, surplus, kind, length, content, or kept metadata."""

    path: str
    what: str
    original: str = ""
    copy: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A copy against its original. ``lost`` counts what lost metadata, by the kinds that need not be kept."""

    differences: tuple[Difference, ...]
    lost: Mapping[str, int]


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
