"""A dataset directory: rows in files, perhaps in partitions, with a marker that says the last job was committed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

PARTS = ("x", "y", "z")
"""The values of the partition column; which one a row has follows from its number."""

MARKER = "_SUCCESS"

TEMPORARIES = ("_temporary", "__magic", ".spark-staging")
"""How the names begin under which committers keep what is not committed."""


def part_of(number: int) -> str:
    """The partition of a row."""
    return PARTS[number % len(PARTS)]


def row_of(number: int) -> str:
    """A row as it is read back: its number and its partition."""
    return f"{number}:{part_of(number)}"


def rows_of(numbers: Iterable[int]) -> Counter[str]:
    """Rows by their numbers, as a multiset."""
    return Counter(map(row_of, numbers))


@dataclass(frozen=True, slots=True)
class Dataset:
    """What is known of a dataset between two steps.

    ``rows`` is sorted, and a row that stands twice is there twice. ``debris`` are names and keys of what
    jobs left that did not clean up behind themselves.
    """

    exists: bool = False
    rows: tuple[str, ...] = ()
    marker: bool = False
    debris: frozenset[str] = frozenset()

    def counted(self) -> Counter[str]:
        """The rows as a multiset."""
        return Counter(self.rows)


EMPTY = Dataset()


@dataclass(frozen=True, slots=True)
class Look:
    """What stands below a dataset's directory, and what a reader gets.

    ``names`` are the paths below it, of directories with a slash at their end. ``uploads`` are the keys of uploads that
    were begun below it and neither completed nor aborted. ``unreadable`` is the error of the reader, if it got one.
    """

    exists: bool
    names: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    unreadable: str = ""
    uploads: tuple[str, ...] = ()

    @property
    def marker(self) -> bool:
        """Whether the marker stands at the dataset's root."""
        return MARKER in self.names

    @property
    def temporaries(self) -> frozenset[str]:
        """The topmost names of what is not committed, and the pending uploads."""
        found = set()
        for name in self.names:
            parts = name.rstrip("/").split("/")
            for depth, part in enumerate(parts, 1):
                if part.startswith(TEMPORARIES):
                    found.add("/".join(parts[:depth]))
                    break
        return frozenset(found)

    def counted(self) -> Counter[str]:
        """The rows as a multiset."""
        return Counter(self.rows)
