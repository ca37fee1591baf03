"""What applications need: the files that are checked in, what is refused, and how needs are held against runs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fsconform.model.filesystem.contract import PROPERTY_PREFIX
from fsconform.model.filesystem.options.core import OPTIONS
from fsconform.records import atlas, findings, profiles
from fsconform.records.atlas import Departure, Entry, Option, Standing
from fsconform.records.profiles import Need, Profile, ProfileError, Way, loads
from fsconform.records.profiles.fitting import ANSWERS, Fit, fit, newest, run_for
from fsconform.specs.layers import every_clause

GOOD = """
title = "An application"
about = "It keeps files."

[[need]]
id = "moves"
level = "must"
says = "rename is atomic"
harm = "a file is lost"
clauses = ["filesystem.rename.atomic"]
options = { "fs.contract.supports-atomic-rename" = true }

[[need.source]]
repository = "owner/name"
commit = "0123456789012345678901234567890123456789"
file = "a.java"
place = "move()"

[[need.way]]
id = "another"
says = "set it otherwise"
filesystem = "org.example.Fs"

[[need.way.source]]
repository = "owner/name"
commit = "0123456789012345678901234567890123456789"
file = "a.java"
place = "other()"
"""


def unknown_names(profile: Profile) -> list[str]:
    """The clauses, options and stores that a profile names and that there are not."""
    parts: list[Need | Way] = [*profile.need, *profile.ways]
    clauses = {clause for part in parts for clause in part.clauses} | {see for need in profile.need for see in need.see}
    options = {option for part in parts for option in part.options}
    known = {PROPERTY_PREFIX + name for name in OPTIONS}
    return sorted((clauses - every_clause().keys()) | (options - known))


@pytest.mark.parametrize("name", profiles.every())
def test_a_profile_names_what_there_is(name: str) -> None:
    assert unknown_names(profiles.every()[name]) == []


@pytest.mark.parametrize("name", ["filesystem.rename.atomic", "fs.contract.supports-atomic-rename"])
def test_a_clause_or_an_option_that_was_renamed_is_found(name: str) -> None:
    assert unknown_names(loads(GOOD, "app")) == []
    assert unknown_names(loads(GOOD.replace(f'"{name}"', f'"{name}-renamed"'), "app")) == [f"{name}-renamed"]


def test_divergences_that_do_no_harm_are_still_seen_somewhere() -> None:
    """A pattern that no finding's store shows any more accepts nothing, and would hide what comes later."""
    shown = {departure.signature for entry in atlas.read() for departure in entry.departures}
    for profile in profiles.every().values():
        for need in profile.need:
            for pattern in need.harmless:
                start = pattern.signature.rstrip("*")
                assert any(signature.startswith(start) for signature in shown), (profile.id, pattern.signature)


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ('title = "An application"', "", "title"),
        ('level = "must"', 'level = "perhaps"', "perhaps"),
        ('place = "move()"', 'place = "move()"\nline = 7', "no field need.source.line"),
        ('harm = "a file is lost"', 'harm = "x"\nfoo = 1', "no field need.foo"),
        ("0123456789012345678901234567890123456789", "main", "owner/name@main"),
        ('id = "moves"', 'id = "It moves"', "no name"),
        ("[[need]]", "[need", "app: "),
        ('title = "An application"', 'title = "An application"\nid = "x"', "id is the name of the file"),
    ],
)
def test_what_is_no_profile_is_refused(was: str, now: str, told: str) -> None:
    assert was in GOOD
    with pytest.raises(ProfileError, match=re.escape(told)):
        loads(GOOD.replace(was, now), "app")


def test_a_need_that_nothing_can_judge_is_refused() -> None:
    text = re.sub(r"^(clauses|options) = .*\n", "", GOOD, flags=re.MULTILINE)
    with pytest.raises(ProfileError, match="moves names no clause, no option and no filesystem"):
        loads(text, "app")
    with pytest.raises(ProfileError, match="two needs are called moves"):
        loads(GOOD + GOOD[GOOD.index("[[need]]") :], "app")
    with pytest.raises(ProfileError, match="it has no need"):
        loads('title = "a"\nabout = "b"\nneed = []', "app")


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="missing"):
        profiles.read(tmp_path / "missing.toml")
    (tmp_path / "latin.toml").write_bytes(b"title = '\xe9'")
    with pytest.raises(ProfileError, match="latin"):
        profiles.read(tmp_path / "latin.toml")


ATOMIC = "fs.contract.supports-atomic-rename"
CLAUSE = "filesystem.rename.atomic"


def entry(verdict: str = "conforms", declared: bool | None = True, observed: bool | None = None) -> Entry:
    """A store that was judged by the clause of the profile, under a contract."""
    start = next(entry for entry in atlas.read() if entry.store == "hdfs")
    departures = (Departure("rename tears", verdict, CLAUSE, "MUST", "rename", "", "", (), "3/3", finding="hdfs/x"),)
    return replace(
        start,
        clauses={CLAUSE: Standing(9, verdict)} if verdict else {},
        options={ATOMIC: Option(declared, observed, False, "false: filesystem.rename.atomic (6)")},
        departures=() if verdict in ("", "conforms") else departures,
    )


def answer(store: Entry, *given: str) -> Fit:
    return fit(loads(GOOD, "app"), store, given=given)


def test_a_store_that_keeps_what_is_needed_fits() -> None:
    assert answer(entry()).answer == "fits"
    assert answer(entry(observed=True)).answer == "fits"


@pytest.mark.parametrize("verdict", ["violation", "declared-false", "undeclared", "waived", "deviation", "declared"])
def test_a_store_that_breaks_what_is_needed_does_not(verdict: str) -> None:
    found = answer(entry(verdict))
    assert found.answer == "does not"
    (need,) = found.decisive
    reason = next(reason for reason in need.reasons if reason.name == CLAUSE)
    assert (reason.state, reason.signatures, reason.findings) == ("not met", ("rename tears",), ("hdfs/x",))


@pytest.mark.parametrize(("declared", "observed"), [(True, False), (False, None), (False, False)])
def test_a_store_without_the_option_does_not(declared: bool, observed: bool | None) -> None:
    assert answer(entry(declared=declared, observed=observed)).answer == "does not"


def test_what_was_not_judged_is_unknown_with_the_run_that_tells() -> None:
    """A declaration alone is no evidence, and neither is a clause that a run could not decide."""
    for store in (entry(verdict=""), entry("inconclusive"), entry(declared=None)):
        found = answer(store)
        assert found.answer == "unknown" and len(found.decisive) == 1
    found = answer(entry(verdict=""))
    told = run_for(found.needs[0], found.entry, {CLAUSE: ("races", "crash")})
    assert told == "fsconform run --store hdfs --suite races"
    assert run_for(answer(entry()).needs[0], found.entry, {}) == ""


def test_a_way_is_open_where_it_is_for_the_store_and_nothing_speaks_against_it() -> None:
    other = replace(entry("violation"), versions={"filesystem": "org.example.Fs"})
    assert answer(other).answer == "fits if"
    assert answer(other, "another").answer == "fits"
    assert answer(entry("violation"), "another").answer == "does not"


def test_a_way_that_a_run_shows_broken_is_closed() -> None:
    text = GOOD.replace('filesystem = "org.example.Fs"', 'on = "writer"\nclauses = ["filesystem.rename.atomic"]')
    profile = loads(text, "app")
    writer = replace(entry(), store="writer")
    assert fit(profile, entry("violation"), [writer]).answer == "fits if"
    assert fit(profile, entry("violation"), [writer]).needs[0].ways[0].state == "judged"
    assert fit(profile, entry("violation")).needs[0].ways[0].state == "documented"
    assert fit(profile, entry("violation"), [replace(entry("violation"), store="writer")]).answer == "does not"


def test_divergences_that_do_not_concern_the_application_do_not_count() -> None:
    text = GOOD.replace("[[need.way]]", '[[need.harmless]]\nsignature = "rename t*"\nwhy = "never"\n\n[[need.way]]')
    assert fit(loads(text, "app"), entry("waived")).answer == "fits"
    assert fit(loads(text.replace("rename t*", "delete*"), "app"), entry("waived")).answer == "does not"


def test_a_should_does_not_decide() -> None:
    found = fit(loads(GOOD.replace('"must"', '"should"'), "app"), entry("violation"))
    assert found.answer == "fits" and found.needs[0].state == "not met" and found.decisive == ()


def test_a_filesystem_that_the_application_refuses_does_not() -> None:
    text = GOOD.replace('level = "must"', 'level = "must"\nfilesystem = ["org.example.Fs"]')
    assert fit(loads(text, "app"), entry()).answer == "does not"
    assert fit(loads(text, "app"), replace(entry(), versions={"filesystem": "org.example.Fs"})).answer == "fits"


def test_the_atlas_answers_what_the_documents_of_the_applications_say() -> None:
    """HDFS is what all of them were written for; S3A has no hflush and no atomic rename, and needs other settings."""
    entries = atlas.read()
    by_store = {entry.store: entry for entry in newest(entries)}

    def told(name: str, store: str) -> str:
        return fit(profiles.every()[name], by_store[store], entries, findings.every()).answer

    assert {told(name, "hdfs") for name in profiles.every()} == {"fits"}
    assert told("hbase-wal", "s3a") == "does not" and told("hive", "s3a") == "does not"
    for name in ("hbase", "iceberg-hadoop", "delta", "spark", "mapreduce-v1", "mapreduce-v2", "flink-sink"):
        assert told(name, "s3a") == "fits if", name
    assert told("iceberg-catalog", "s3a") == "fits" and told("parquet-read", "s3a") == "fits"
    assert set(ANSWERS) == {"fits", "fits if", "does not", "unknown"}
