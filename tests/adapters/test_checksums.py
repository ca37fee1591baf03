"""Files without checksums, and readers that verify none: seeded faults are found, and real stores are asked or left."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.site import Setup
from fsconform.engine.benches import Benches
from fsconform.engine.explorers import both_modes
from fsconform.engine.protocol import Store
from fsconform.harness.presets import PRESETS, build_preset
from fsconform.model.filesystem.contract import Contract
from fsconform.proving.faults import EVERY
from fsconform.proving.session import ProvingStore
from fsconform.specs.witness import witnesses

CLAUSES = ("filesystem.setWriteChecksum.post", "filesystem.setVerifyChecksum.post", "outputstream.unchecked.sync")
WAIVED = {"outputstream.write.pre.open", "outputstream.sync.pre.open"}
FAULTS = [name for name, fault in EVERY.items() if fault.clause in CLAUSES or name == "writer-unchecked-sync"]


def told(store: Store, contract: Contract) -> tuple[set[tuple[str, str]], dict[str, int]]:
    """What the witnesses find that departs, and how often each clause was judged."""
    benches = Benches(store, contract, 1)
    try:
        programs = [one.program for one in witnesses() if one.group == "checksums"]
        judged = [trial.judgement for trial in benches.take().tries(both_modes(programs, benches.oracle))]
    finally:
        benches.close()
    found: set[tuple[str, str]] = {(one.verdict, one.clause) for each in judged for one in each.findings}
    return found, {clause: sum(each.clauses[clause] for each in judged) for clause in CLAUSES}


def test_a_sound_store_is_left_alone() -> None:
    found, judged = told(ProvingStore(), load_shipped("proving"))
    assert not found and all(judged.values())


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str) -> None:
    found, _ = told(ProvingStore(fault=fault), load_shipped("proving"))
    assert ("violation", EVERY[fault].clause) in found


def test_each_clause_has_a_fault() -> None:
    assert {EVERY[fault].clause for fault in FAULTS} >= set(CLAUSES)


@pytest.mark.parametrize("name", ["file", pytest.param("rawlocal", marks=pytest.mark.long)])
def test_only_a_filesystem_with_checksum_files_is_asked(tmp_path: Path, name: str) -> None:
    setup = Setup(tmp_path / "logs", lambda message: None)
    store = build_preset(PRESETS[name], setup)
    try:
        found, judged = told(store, load_shipped(name))
    finally:
        store.close()
    assert not {clause for verdict, clause in found if verdict == "violation"} - WAIVED
    assert all(judged.values()) if name == "file" else not any(judged.values())
