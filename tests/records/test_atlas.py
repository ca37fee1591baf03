"""Entries of the atlas: those that are checked in fit their schema, and what is none is refused with its name."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from fsconform.records import atlas
from fsconform.records.codec import RecordError

FILES = sorted(atlas.FOLDER.glob("*.json"))


def test_there_are_entries() -> None:
    assert {entry.store for entry in atlas.read()} >= {"file", "hdfs", "local", "rawlocal", "s3a"}


def test_schema_is_that_of_the_code() -> None:
    """Written anew by ``atlas.SCHEMA_FILE.write_bytes(atlas.schema_bytes())``."""
    assert atlas.SCHEMA_FILE.read_bytes() == atlas.schema_bytes()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_entry_fits_the_schema(path: Path) -> None:
    document = json.loads(path.read_bytes())
    jsonschema.Draft202012Validator(atlas.json_schema()).validate(document)
    entry = atlas.loads(path)
    assert path.stem == entry.id
    assert atlas.dumps(entry) == path.read_bytes()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry.origin.date) and re.fullmatch(r"[0-9a-f]{7,40}", entry.origin.commit)
    assert entry.origin.effort and entry.programs > 0 and entry.clauses


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_entry_holds_nothing_of_the_machine(path: Path) -> None:
    assert re.findall(r"/tmp/|/root/|/home/|127\.0\.0\.1", path.read_text("ascii")) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_verdict_of_a_clause_is_the_worst_of_its_divergences(path: Path) -> None:
    entry = atlas.loads(path)
    for clause, standing in entry.clauses.items():
        of_clause = [departure.verdict for departure in entry.departures if departure.clause == clause]
        assert standing.verdict == atlas.worst(of_clause), clause
    assert {departure.clause for departure in entry.departures} <= entry.clauses.keys()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b'"schema": 1', b'"schema": 2', "schema 2"),
        (b'"verdict": "conforms"', b'"verdict": "perfect"', "no verdict 'perfect'"),
        (b'"programs": ', b'"programs": "many', "not JSON"),
        (b'"store"', b'"shop"', "no entry of the atlas"),
    ],
)
def test_what_is_no_entry_is_refused_by_name(old: bytes, new: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "entry.json"
    path.write_bytes(FILES[0].read_bytes().replace(old, new, 1))
    with pytest.raises(RecordError, match=f"entry.json: .*{says}"):
        atlas.loads(path)


def test_two_of_the_same_release_are_refused(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_bytes(FILES[0].read_bytes())
    with pytest.raises(RecordError, match="keep one of them"):
        atlas.read(tmp_path)


def test_releases_stand_in_the_order_of_their_numbers() -> None:
    entry = atlas.loads(FILES[0])
    releases = ["hadoop 3.10.0", "hadoop 3.5.0", "hadoop 3.4.1"]
    ordered = sorted((replace(entry, release=release) for release in releases), key=atlas.order_of)
    assert [entry.release for entry in ordered] == releases[::-1]
