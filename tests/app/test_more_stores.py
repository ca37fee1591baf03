"""Stores beyond the default job: those that are no drafts come up and conform; each is seen to fail where it should."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.adapters.jars import Profile
from fsconform.adapters.stores import site
from fsconform.adapters.stores.folders import PAGE, folders, store_name
from fsconform.adapters.stores.layers import object_presets, writer_presets
from fsconform.adapters.stores.preset import Preset
from fsconform.adapters.stores.quirks import quirks_of
from fsconform.adapters.stores.site import Connection, Setup
from fsconform.adapters.stores.wasb import WASB
from fsconform.harness import sites
from fsconform.harness.presets import PRESETS
from fsconform.harness.targets import targets
from fsconform.harness.versions import waivers_of
from fsconform.records import findings
from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord

Command = Callable[..., subprocess.CompletedProcess[str]]

DRAFTS = {name: preset.draft for name, preset in PRESETS.items() if not preset.default and name != "proving"}
WHOLE = [name for name, draft in DRAFTS.items() if not draft]
QUICK = ("pyarrow", "fsspec")
"""These need no server, and are up at once."""


def judged(
    fsconform: Command, folder: Path, store: str, *more: str, operation: str = "delete"
) -> tuple[int, StoreRecord]:
    """The exit code of a run of a store with the witnesses of one operation, and what it recorded."""
    brief = ("--budget", "0", "--suite", operation, "--op", operation, "--explorer", "witnesses")
    ran = fsconform("run", "--store", store, *brief, *more, "--out", "out", seconds=400)
    assert "Traceback" not in ran.stderr, ran.stderr
    (record,) = loads(folder / "out" / "latest" / "results.json").stores
    return ran.returncode, record


def test_a_draft_says_that_it_is_one() -> None:
    for name, draft in DRAFTS.items():
        assert ("(a draft: see docs/more-stores.md)" in PRESETS[name].statement) is draft


@pytest.mark.parametrize("row", [row for row in PRESETS.values() if row.like], ids=lambda row: row.name)
def test_a_store_is_lent_what_is_known_of_the_one_it_is_like(row: Preset) -> None:
    """Its quirks, and its waivers: it need not show what those excuse; what its own file excuses it must show."""
    (target,) = targets((row.name,), None, "", None, None)
    assert {one.store for one in target.waivers} <= {row.name}
    known, given = quirks_of((row.like,)), target.contract.quirks
    assert known and given is not None
    assert {one.id for one in known.all} <= {one.id for one in given.all}
    lent = {one.signature for one in waivers_of(row.like)}
    held = {one.signature: one.optional for one in target.waivers}
    assert lent <= held.keys()
    own = {one.signature for one in waivers_of(row.name) if not one.optional} - lent
    assert not any(held[signature] for signature in own)
    assert all(held[signature] for signature in lent - {one.signature for one in waivers_of(row.name)})


@pytest.mark.parametrize(
    "store", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in WHOLE]
)
@pytest.mark.timeout(600)
def test_a_store_comes_up_and_its_deletes_conform(store: str, fsconform: Command, tmp_path: Path) -> None:
    if missing := PRESETS[store].missing():
        pytest.skip("; ".join(missing))
    code, record = judged(fsconform, tmp_path, store)
    assert (code, record.problems) == (0, [])
    assert record.operations > 20 and record.verdicts["conforms"] > 0


def test_a_contract_of_another_store_does_not_pass(fsconform: Command, tmp_path: Path) -> None:
    """What the tests above rest on: a store that renames otherwise than its contract says is told of."""
    code, record = judged(fsconform, tmp_path, "fsspec", "--contract", "hdfs", operation="rename")
    assert code == 1 and record.verdicts["undeclared"] > 0


def test_a_client_may_have_jars_of_its_own_whatever_hadoop_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def resolve(profile: Profile, groups: tuple[str, ...], _say: object) -> list[Path]:
        asked.append((profile.hadoop, groups))
        return []

    for module in (sites, site):
        monkeypatch.setattr(module, "resolve", resolve)
    setup = Setup(tmp_path, print, profile="3.4.1")
    sites.connect(Connection("wasb", uri="wasb://c@a/s", group="wasb", profile=WASB), setup)
    sites.connect(Connection("webhdfs", uri="webhdfs://a:1/s"), setup)
    assert asked == [("3.3.6", ("wasb",)), ("3.4.1", ("client",))]


def test_each_store_has_a_page_in_its_folder() -> None:
    """And no page is of a store that there is none of; a link leads to a file of docs, or to a page made for it."""
    pages = {store_name(folder): folder / PAGE for folder in folders() if (folder / PAGE).is_file()}
    assert pages.keys() == {*PRESETS, *object_presets(), *writer_presets(), "adl"}
    root = Path(__file__).resolve().parents[2]
    for name, page in pages.items():
        text = page.read_text("utf-8")
        assert len(text) > 40, name
        for link in re.findall(r"\]\(([^)#]+)", text):
            made = re.fullmatch(r"docs/reference/findings-([a-z0-9-]+)\.md", link)
            assert made[1] in findings.stores() if made else (root / link).is_file(), (name, link)
