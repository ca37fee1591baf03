"""The atlas on disk: the folder of its entries, and the folder of its site."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from fsconform.engine.recorder import clause_records
from fsconform.harness.fits import suites_of_clauses
from fsconform.harness.output import write_whole
from fsconform.harness.problems import Problem
from fsconform.records import atlas as data
from fsconform.records import findings, profiles
from fsconform.records.codec import RecordError
from fsconform.records.given import GivenError, read_json
from fsconform.records.results import Results
from fsconform.reports.atlas.entries import entry_of
from fsconform.reports.atlas.site import site
from fsconform.specs.layers import every_clause

FILES = "data/files.json"
"""The list of the site's files: by it a folder is known as an atlas that was built before."""
_PLACE = re.compile(r"(?:[a-z]+/)?[A-Za-z0-9._-]+\.(?:html|svg|json|csv|js|css)", re.ASCII)


def add_entries(results: Results, stores: Iterable[str], commit: str, folder: Path) -> Iterator[Path]:
    """Write an entry for each of the ``stores``, all if none is named, of which something was judged; their files.

    Raises Problem.
    """
    named = set(stores)
    for store in results.stores:
        if store.clauses and (not named or store.name in named):
            entry = entry_of(results, store, commit)
            _write(folder / f"{entry.id}.json", data.dumps(entry), "--data")
            yield folder / f"{entry.id}.json"


def build_site(folder: Path, out: Path) -> Path:
    """Write the site of the entries in ``folder`` into ``out``, without pages of an earlier one; its first page.

    Raises Problem for a file that is no entry, and for a folder that holds files of others.
    """
    if not folder.is_dir():
        raise Problem(f"{folder} is no folder: --data takes a folder of entries, as `fsconform atlas add` writes them")
    try:
        entries = data.read(folder)
    except RecordError as error:
        raise Problem(f"{error}: make it anew with `fsconform atlas add`, or take it away") from error
    before = _files_before(out)
    clauses = clause_records(every_clause())
    files = site(entries, clauses, findings.every(), profiles.every().values(), suites_of_clauses())
    # What is interrupted halfway is still known as an atlas, with all its files.
    _write_list(out, {*files, *before})
    for place, content in files.items():
        _write(out / place, content, "--out")
    for place in before - files.keys():
        (out / place).unlink(missing_ok=True)
    _write_list(out, files)
    return (out / "index.html").absolute()


def _files_before(out: Path) -> set[str]:
    """The files of the atlas that is in a folder. Raises Problem for a folder with files of others."""
    try:
        if not (out / FILES).is_file():
            if out.is_dir() and any(out.iterdir()):
                raise Problem(f"{out} holds other files: choose an empty folder with --out")
            return set()
        listed = read_json(out / FILES)
    except (OSError, GivenError) as error:
        raise Problem(f"{out}: {error}: choose another folder with --out") from error
    named = {place for place in listed if isinstance(place, str)} if isinstance(listed, list) else set()
    return {place for place in named if _PLACE.fullmatch(place)}


def _write_list(out: Path, places: Iterable[str]) -> None:
    _write(out / FILES, (json.dumps(sorted(places), indent=0) + "\n").encode(), "--out")


def _write(path: Path, content: bytes, option: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise Problem(f"{path}: {error.strerror or error}: choose another folder with {option}") from error
