"""Faults that are seeded in the object store in memory, each of a kind that stores have had, or could have."""

from __future__ import annotations

from fsconform.proving.objects.faults import listings, races, uploads, versions
from fsconform.proving.objects.faults import objects as objects_faults
from fsconform.proving.objects.lists import ListingObjects
from fsconform.proving.objects.raced import RacedObjects
from fsconform.proving.objects.store import MemoryObjects


def _name(kind: type) -> str:
    return "".join(f"-{char.lower()}" if char.isupper() else char for char in kind.__name__).strip("-")


_KINDS = (*listings.KINDS, *objects_faults.KINDS, *versions.KINDS, *uploads.KINDS)

FAULTS: dict[str, tuple[type[MemoryObjects], str]] = {
    _name(kind): (kind, (kind.__doc__ or "").strip()) for kind in _KINDS
}
"""The faults by name, each with what it does."""

RACES: dict[str, tuple[type[RacedObjects], str]] = {
    _name(kind): (kind, (kind.__doc__ or "").strip()) for kind in races.KINDS
}
"""The faults that only several clients at once can show, by name, each with what it does."""


def objects(fault: str = "") -> ListingObjects:
    """The store, with a fault if one is named. Raises KeyError for one there is none of."""
    if not fault:
        return ListingObjects()
    kind = FAULTS[fault][0]
    if issubclass(kind, ListingObjects):
        return kind()
    # A fault of the objects alone comes before the listings, which call what it changes.
    made: ListingObjects = type(kind.__name__, (kind, ListingObjects), {})()
    return made


def raced(fault: str = "") -> RacedObjects:
    """The store for several clients, with a fault of either kind if one is named.

    Raises KeyError for one there is none of.
    """
    if fault in RACES:
        return RACES[fault][0]()
    if not fault:
        return RacedObjects()
    kind = FAULTS[fault][0]
    made: RacedObjects = type(kind.__name__, (kind, RacedObjects), {})()
    return made
