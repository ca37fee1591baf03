"""What a store of a user's own inherits from Hadoop is reported as such, and counted only where that is asked."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.adapters.stores.site import Setup
from fsconform.app.campaigns.stores import Shared, order_of
from fsconform.harness.presets import Custom
from fsconform.harness.targets import Target
from fsconform.model.filesystem.contract import Contract
from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord

Command = Callable[..., subprocess.CompletedProcess[str]]
QUIRK = "hadoop/overwriting-rename-to-itself-deletes"


def _found(fsconform: Command, folder: Path, *options: str) -> StoreRecord:
    """What the witnesses of rename with options show of Hadoop's raw local file system as a store of one's own."""
    own = ("--uri", f"file://{folder}/sandbox", "--conf", "fs.file.impl=org.apache.hadoop.fs.RawLocalFileSystem")
    narrow = ("--op", "rename with options", "--explorer", "witnesses", "--out", str(folder / "out"))
    ran = fsconform("run", *own, *narrow, *options)
    assert ran.returncode in (0, 1), ran.stderr
    (store,) = loads(folder / "out" / "latest" / "results.json").stores
    return store


@pytest.mark.parametrize("counted", [False, True])
def test_a_bug_of_the_base_class_is_counted_only_where_that_is_asked(
    fsconform: Command, tmp_path: Path, counted: bool
) -> None:
    store = _found(fsconform, tmp_path, *(["--count-inherited"] if counted else []))
    found = store.divergences
    known = [one for one in found if one.quirk == QUIRK]
    itself = [one for one in found if one.verdict == "violation" and "to itself" in one.signature]
    assert bool(known) is not counted
    assert bool(itself) is counted
    assert all(one.verdict == "waived" for one in known)
    assert all(quirk.title.endswith("(inherited from Hadoop)") for quirk in store.quirks if quirk.id == QUIRK)
    assert any(quirk.id == QUIRK for quirk in store.quirks) is not counted


def test_a_campaign_judges_by_what_its_store_inherits(tmp_path: Path) -> None:
    """The driver asks the store that it holds open, and executors judge by the contract that it hands out."""
    custom = Custom(
        f"file://{tmp_path}/sandbox", configuration={"fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem"}
    )
    (tmp_path / "logs").mkdir()
    shared = Shared(Target("own", custom, Contract({}), 1), Setup(tmp_path / "logs", lambda text: None))
    try:
        known = order_of(shared.known(shared.target), shared).contract.quirks
        assert known is not None and QUIRK in {quirk.id for quirk in known.all}
    finally:
        shared.close()
