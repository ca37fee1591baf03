"""Units of work: which programs of which suite go to which store, told by numbers alone.

A campaign is cut into units once, by arithmetic. A unit names its programs by their place in an order that the seed
decides, so every process makes the same programs of it, and what is missing of a campaign is known by the units'
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any
from typing import Literal as Choice

Source = Choice["enumeration", "drawn", "races"]
"""How the programs of a unit are made; those of ``races`` are concurrent ones, by several clients at once."""

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


NO_RACES: Mapping[str, Sequence[str]] = MappingProxyType({})
"""No store has suites of races."""


def cut(
    stores: Sequence[tuple[str, str]],
    suites: Sequence[str],
    programs: int,
    size: int,
    enumerated: Callable[[str], int],
    races: Mapping[str, Sequence[str]] = NO_RACES,
) -> tuple[Unit, ...]:
    """The units of a campaign: ``programs`` for each store, shared by the suites, in units of at most ``size``.

    ``stores`` are names with the digests of their contracts, ``races`` has for a store the suites of races that it is
    tried with beside the others. Of a suite's share at most half is enumerated, up to the number of programs that
    ``enumerated`` says there are; the rest is drawn. Of races none is enumerated apart.
    """
    found: list[Unit] = []
    for store, contract in stores:
        concurrent = races.get(store, ())
        every = (*suites, *concurrent)
        for place, suite in enumerate(every):
            share = programs * (place + 1) // len(every) - programs * place // len(every)
            listed = 0 if suite in concurrent else min(enumerated(suite), share // 2)
            rest: Source = "races" if suite in concurrent else "drawn"
            shares: tuple[tuple[Source, int], ...] = (("enumeration", listed), (rest, share - listed))
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
