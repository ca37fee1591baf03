"""Which directory markers of a listing are leaves and which are surplus. Pure: a listing goes in, a table comes out.

A leaf marker has nothing below it and stands for an empty directory, which would be gone without it. A surplus marker
has files or markers below it. Source: the document on directory markers, its glossary and its example of an audit, by
which a marker that is above other markers only is surplus too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fsconform.model.markers.keys import above, is_directory, is_path, is_s3n


@dataclass(frozen=True, slots=True)
class Entry:
    """An object of a listing: its key, and its size in bytes."""

    key: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """What a listing holds. Keys are sorted.

    ``objects`` counts what was looked at, markers of s3n apart; ``complete`` is false if a limit ended the scan.
    ``full`` are keys that end in a slash and hold bytes: markers by their name, and data. ``odd`` are keys that no path
    of Hadoop has.
    """

    objects: int = 0
    files: int = 0
    leaf: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()
    s3n: tuple[str, ...] = ()
    complete: bool = True

    @property
    def markers(self) -> tuple[str, ...]:
        """The keys of all markers."""
        return tuple(sorted((*self.leaf, *self.surplus)))


def scan(listing: Iterable[Entry], limit: int = 0) -> Scan:
    """Sort the objects of a listing, whatever its order; ``limit`` ends it after so many objects, 0 is no limit.

    Objects of no path make nothing surplus: nobody can say what a client takes them for. Reaching the limit with the
    last object of a listing counts as reaching it.
    """
    objects = files = 0
    markers: list[str] = []
    full: list[str] = []
    odd: list[str] = []
    s3n: list[str] = []
    parents: set[str] = set()
    complete = True
    for entry in listing:
        if is_s3n(entry.key):
            s3n.append(entry.key)
            continue
        objects += 1
        if not is_path(entry.key):
            odd.append(entry.key)
        else:
            _note_parents(entry.key, parents)
            if not is_directory(entry.key):
                files += 1
            elif entry.size:
                full.append(entry.key)
            else:
                markers.append(entry.key)
        if limit and objects >= limit:
            complete = False
            break
    return Scan(
        objects,
        files,
        tuple(sorted(key for key in markers if key not in parents)),
        tuple(sorted(key for key in markers if key in parents)),
        tuple(sorted(full)),
        tuple(sorted(odd)),
        tuple(sorted(s3n)),
        complete,
    )


def _note_parents(key: str, parents: set[str]) -> None:
    for parent in above(key):
        if parent in parents:
            return  # those above it were noted with it
        parents.add(parent)
