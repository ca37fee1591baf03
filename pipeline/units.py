"""Units of work: which programs of which suite go to which store, told by numbers alone.

A campaign is cut into units once, by arithmetic. A unit names its programs by their place in an order that the seed
decides, so every process makes the same programs of it, and what is missing of a campaign is known by the units'
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from typing import Literal as Choice

Source = Choice["enumeration", "drawn"]

COLUMNS = "number long, store string, suite string, source string, first long, count long, contract string"
"""A unit as a row of a DataFrame."""


@dataclass(frozen=True, slots=True)
class Unit:
    """So many programs, from place ``first`` on, of a source of a suite, for a store under a contract.

    ``contract`` is the digest of the options that the store is judged by.
    """

    number: int
    store: str
    suite: str
    source: Source
    first: int
    count: int
    contract: str = ""


def cut(
    stores: Sequence[tuple[str, str]],
    suites: Sequence[str],
    programs: int,
    size: int,
    enumerated: Callable[[str], int],
) -> tuple[Unit, ...]:
    """The units of a campaign: ``programs`` for each store, shared by the suites, in units of at most ``size``.

    ``stores`` are names with the digests of their contracts. Of a suite's share at most half is enumerated, up to the
    number of programs that ``enumerated`` says there are; the rest is drawn.
    """
    found: list[Unit] = []
    for store, contract in stores:
        for place, suite in enumerate(suites):
            share = programs * (place + 1) // len(suites) - programs * place // len(suites)
            listed = min(enumerated(suite), share // 2)
            shares: tuple[tuple[Source, int], ...] = (("enumeration", listed), ("drawn", share - listed))
            for source, count in shares:
                for first, many in _slices(count, size):
                    found.append(Unit(len(found), store, suite, source, first, many, contract))
    return tuple(found)


def _slices(count: int, size: int) -> Iterator[tuple[int, int]]:
    for first in range(0, count, size):
        yield first, min(size, count - first)


def row_of(unit: Unit) -> dict[str, Any]:
    """A unit as a row."""
    return asdict(unit)


def of_row(row: dict[str, Any]) -> Unit:
    """The inverse of :func:`row_of`; other columns are ignored. Raises KeyError."""
    return Unit(**{name: row[name] for name in Unit.__dataclass_fields__})
