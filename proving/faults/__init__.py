"""Seeded faults: small deviations of the in-memory store, by name, that the harness must find."""

from __future__ import annotations

from types import ModuleType

from fsconform.proving.faults import (
    aborts,
    administration,
    answers,
    attributes,
    builders,
    caches,
    changes,
    checksums,
    claims,
    closed_streams,
    contents,
    copies,
    crashes,
    directory_snapshots,
    iterators,
    links,
    listings,
    media,
    metadata,
    names,
    nulls,
    outages,
    overloads,
    pages,
    positions,
    protocols,
    queries,
    quotas,
    races,
    readers,
    related_calls,
    renames,
    retries,
    roots,
    shared_streams,
    stream_races,
    streams,
    syncing,
    trash,
    trees,
    unable,
    users,
    variations,
    writers,
)
from fsconform.proving.faults.base import REGISTRY, Fault
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import able
from fsconform.proving.store import Behaviour

__all__ = [
    "CORE",
    "CRASHES",
    "EVERY",
    "FAULTS",
    "GENERATED",
    "LINKS",
    "MEDIA",
    "NOT_JUDGED",
    "OUTAGES",
    "PROVERS",
    "RACES",
    "SHARED",
    "STREAM_RACES",
    "VARIED",
    "Fault",
    "faulty",
]

_CORE = (answers, caches, contents, listings, names, renames, trees)
_FURTHER = (attributes, builders, changes, claims, copies, iterators, metadata, protocols, queries, overloads)
_PROVERS = (
    *(aborts, administration, checksums, closed_streams, related_calls, shared_streams, nulls, positions),
    *(directory_snapshots, quotas, readers, retries, roots, streams, syncing, trash, unable, users, writers),
)
_VARIATIONS = (variations,)
_GENERATED = (pages,)


def _of(modules: tuple[ModuleType, ...]) -> dict[str, Fault]:
    names = {module.__name__ for module in modules}
    return {name: fault for name, fault in sorted(REGISTRY.items()) if fault.kind.__module__ in names}


CORE = _of(_CORE)
"""Faults of the nine basic operations."""

FAULTS = _of(_CORE + _FURTHER)
"""Faults of all operations."""

PROVERS = _of(_PROVERS)
"""Faults that were seeded to prove one clause each, many of them in stores of other abilities or in the real root."""

VARIED = _of(_VARIATIONS)
"""Faults that no witness shows as it stands, nor a ladder or a pair of operations: a variation of a witness does."""

GENERATED = _of(_GENERATED)
"""Faults that only the witnesses made in code show."""

RACES = _of((races,))
"""Faults that only several clients at once show: a ``ProvingStore`` seeds them where its sessions meet."""

STREAM_RACES = _of((stream_races,))
"""The same of streams, some of which only threads of one client show."""

CRASHES = _of((crashes,))
"""Faults that the end of a client in a call, or soon after it, shows."""

LINKS = _of((links,))
"""Faults that a client shows whose network fails."""

MEDIA = _of((media,))
"""Faults that a failing medium shows."""

OUTAGES = _of((outages,))
"""Faults that a loss of power shows."""

SHARED: dict[str, Fault] = {**RACES, **STREAM_RACES, **CRASHES, **OUTAGES, **MEDIA, **LINKS}
"""All faults that are seeded where several sessions meet."""

EVERY = {**FAULTS, **PROVERS, **VARIED, **GENERATED}

NOT_JUDGED = {
    "access-always-granted": "no clause names what access must deny, and a superuser may do all",
    "acl-flag-always-set": "the model judges the flag of paths with an access control list only",
    "capability-denied": "the model requires no capability of a store",
    "checksum-of-nothing": "no clause speaks of getFileChecksum of a missing path",
    "create-permission-for-all": "fsdataoutputstreambuilder.permission is open",
    "create-permission-ignored": "fsdataoutputstreambuilder.permission is open",
    "etag-lost-in-rename": "filesystem.etagSource.rename is open",
    "overwritten-keeps-permission": "fsdataoutputstreambuilder.permission is open",
    "resolve-missing": "no clause speaks of resolvePath",
    "set-owner-clears-group": "no clause speaks of a group that is not named",
    "set-replication-ignored": "no clause speaks of setReplication",
    "set-replication-of-directory": "no clause speaks of setReplication",
    "set-replication-of-missing": "no clause speaks of setReplication",
}
"""Faults that a client can see and the model does not judge yet, with the reason."""


def faulty(behaviour: Behaviour, fault: str | Fault) -> FullStore:
    """A store of that behaviour with one fault, or one of that name. Raises KeyError if no fault has it."""
    seeded = fault if isinstance(fault, Fault) else EVERY[fault]
    return seeded.kind(able(behaviour, seeded.abilities))
