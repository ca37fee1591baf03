"""Promises of atomicity are inferred from races: kept by the store in memory, broken by a fault and by a real store."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.engine.benches import Benches
from fsconform.engine.effort import NOTHING, Amounts, Effort
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME
from fsconform.engine.infer import Decision
from fsconform.harness.promises import inferred
from fsconform.model.filesystem.contract import Contract
from fsconform.proving.session import ProvingStore

Command = Callable[..., subprocess.CompletedProcess[str]]

DECLARED = Contract({"supports-append": True, "supports-strict-exceptions": True})
QUICK = Effort("quick").amounts("fast")


def decided(fault: str | None, amounts: Amounts = QUICK) -> dict[str, Decision]:
    store = ProvingStore(fault=fault)
    benches = Benches(store, DECLARED, 1)
    try:
        found = inferred(store, benches, DECLARED, amounts, 0, None, lambda doing: None)
    finally:
        benches.close()
        store.close()
    assert not found.problems
    return found.decisions


def test_a_store_that_keeps_both_is_said_to_promise_both() -> None:
    found = decided(None)
    assert {name: (one.value, one.status) for name, one in found.items()} == {
        ATOMIC_RENAME: (True, "not used"),
        ATOMIC_DELETE: (True, "not used"),
    }


def test_a_promise_that_is_broken_is_said_to_be_false_with_its_race() -> None:
    found = decided("rename-copies-and-deletes")
    assert (found[ATOMIC_RENAME].value, found[ATOMIC_RENAME].status) == (False, "observed")
    [evidence] = found[ATOMIC_RENAME].evidence
    assert "of 200 runs" in evidence.seen and evidence.clause == "filesystem.rename.atomic"
    assert any(step.operation.NAME == "rename" for step in evidence.program)
    assert found[ATOMIC_DELETE].value is True


def test_what_was_not_tried_is_not_decided() -> None:
    found = decided("rename-copies-and-deletes", NOTHING)
    assert {one.status for one in found.values()} == {"unobserved"}


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_rawlocal_keeps_neither(fsconform: Command, tmp_path: Path) -> None:
    ran = fsconform(
        *("contract", "infer", "--store", "rawlocal", "--suite", "rename", "--races"),
        *("--json", "found.json", "--out", "found.xml"),
        seconds=1100,
    )
    rows = json.loads((tmp_path / "found.json").read_text())["options"]
    found = {row["option"].removeprefix("fs.contract."): row for row in rows}
    for name in (ATOMIC_RENAME, ATOMIC_DELETE):
        assert (found[name]["inferred"], found[name]["status"]) == (False, "observed"), ran.stderr
        assert "of 200 runs" in found[name]["evidence"][0]["seen"]
