"""What runs showed of stores, for ``fsconform fit``: entries of the atlas or of a run, and what judges a clause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from fsconform.harness.folder import results_of
from fsconform.harness.problems import Problem, known
from fsconform.harness.scrubbing import hidden
from fsconform.records import atlas
from fsconform.records.atlas import Entry
from fsconform.records.codec import RecordError
from fsconform.records.profiles.fitting import newest
from fsconform.reports.atlas.entries import entry_of
from fsconform.specs.catalogue import catalogue


@cache
def suites_of_clauses() -> Mapping[str, tuple[str, ...]]:
    """The suites that judge a clause by races and failures, of clauses that no other suite judges."""
    return MappingProxyType({name: clause.judged_in for name, clause in catalogue().items() if clause.judged_in})


def committed(folder: Path) -> tuple[Entry, ...]:
    """The entries of a folder. Raises Problem."""
    if not folder.is_dir():
        raise Problem(f"{folder} is no folder: --data takes a folder of entries, as `fsconform atlas add` writes them")
    try:
        return atlas.read(folder)
    except RecordError as error:
        raise Problem(f"{error}: make it anew with `fsconform atlas add`, or take it away") from error


def of_run(run: Path) -> tuple[Entry, ...]:
    """The entries of a run, not written anywhere. Raises Problem."""
    results = hidden(results_of(run, "name the folder of a whole run, or its results.json"))
    return tuple(entry_of(results, store, "") for store in results.stores if store.clauses)


def chosen(entries: Iterable[Entry], stores: Iterable[str], release: str | None) -> tuple[Entry, ...]:
    """The entries to be asked: Hadoop's filesystems of these names, all if none is named, in their last release.

    Raises Problem for a store or a release that is not there.
    """
    filesystems = [entry for entry in entries if entry.versions.get("filesystem")]
    names = dict.fromkeys(entry.store for entry in filesystems)
    for store in stores:
        known("store", store, names)
    wanted = set(stores) or names.keys()
    found = [entry for entry in filesystems if entry.store in wanted]
    if release is None:
        return newest(found)
    known("release", release, dict.fromkeys(entry.release for entry in found))
    return tuple(entry for entry in found if entry.release == release)
