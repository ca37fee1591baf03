"""Each clause that the model judges is proved: of a store that breaks it, a witness that decides it says so.

Proofs are of the clauses of the namespace, of metadata, listings, paths and streams. A store that breaks a clause
is the one in memory with a fault seeded for that clause; some of these can do less than the sound one, and their
contract says so. A clause that binds fails the gate; one that does not is told as a deviation from that very clause.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.explorers import both_modes
from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING
from fsconform.model.filesystem.contract import Contract
from fsconform.proving.faults import EVERY, Fault
from fsconform.proving.keeping_store import able
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import Behaviour
from fsconform.specs.catalogue import BINDING, catalogue
from fsconform.specs.witness import Witness, witnesses

DECLARED = load_shipped("proving").declared
AREAS = ("namespace", "metadata", "listing", "paths")
STREAMS = ("fsdatainputstream.", "outputstream.", "abortable.", "leaserecoverable.")
CLAUSES = [
    clause.id
    for clause in catalogue().values()
    if clause.status == "modelled" and clause.level.startswith("MUST")
    if clause.area in AREAS or clause.id.startswith(STREAMS)
]
NO_TWIN = {"unable-symlinks-refused": "the store in memory has no symbolic links; only that they are refused is judged"}
"""Faults of a store of which there is no sound one."""


def findings(store: ProvingStore, contract: Contract, chosen: Iterable[Witness]) -> list[Finding]:
    """All that is found when a store runs some witnesses in both modes of probing."""
    benches = Benches(store, contract, 1)
    try:
        tried = benches.take().tries(both_modes([one.program for one in chosen], benches.oracle))
        return [found for trial in tried for found in trial.judgement.findings]
    finally:
        benches.close()


def failing(store: ProvingStore, contract: Contract, chosen: Iterable[Witness]) -> list[Finding]:
    """What of it fails the gate."""
    return [found for found in findings(store, contract, chosen) if found.verdict in FAILING]


def deciding(fault: Fault) -> list[Witness]:
    """The witnesses that decide the clause that a fault breaks, where the fault can be seen."""
    return [one for one in witnesses() if fault.clause in one.decides and one.root is fault.root]


def contract_of(fault: Fault) -> Contract:
    """The contract that a store with the fault claims to keep."""
    return Contract({**DECLARED, **fault.declared})


def caught(fault: Fault) -> bool:
    """True if a witness that decides the fault's clause shows it."""
    store = ProvingStore(fault=fault.name, real_root=fault.root)
    binds = catalogue()[fault.clause].basis in BINDING
    return any(
        found.verdict in FAILING or (not binds and (found.verdict, found.clause) == ("deviation", fault.clause))
        for found in findings(store, contract_of(fault), deciding(fault))
    )


@pytest.mark.parametrize("root", [False, True])
def test_a_sound_store_passes_all_witnesses(root: bool) -> None:
    chosen = [one for one in witnesses() if one.root is root]
    assert len(chosen) > (500 if not root else 5)
    assert [one.signature for one in failing(ProvingStore(real_root=root), Contract(DECLARED), chosen)] == []


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_fault_that_breaks_the_clause_is_caught_by_a_witness_that_decides_it(clause: str) -> None:
    seeded = [fault for fault in EVERY.values() if fault.clause == clause]
    assert seeded, "no fault was seeded for this clause"
    assert any(map(caught, seeded)), [fault.name for fault in seeded]


VARIANTS = [name for name, fault in EVERY.items() if fault.abilities or fault.declared]


@pytest.mark.parametrize("name", sorted(set(VARIANTS) - set(NO_TWIN)))
def test_a_sound_store_of_such_abilities_is_left_alone(name: str) -> None:
    fault = EVERY[name]
    sound = ProvingStore(behaviour=able(Behaviour(), fault.abilities), real_root=fault.root)
    assert [one.signature for one in failing(sound, contract_of(fault), deciding(fault))] == []


def test_faults_name_clauses_that_there_are() -> None:
    assert {fault.clause for fault in EVERY.values()} - {""} <= catalogue().keys()
    assert set(NO_TWIN) < set(VARIANTS)
    assert len(CLAUSES) > 190
