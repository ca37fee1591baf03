"""The random programs of the default suites: on the sound store none diverges."""

from __future__ import annotations

import itertools
import os

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.judge import FAILING
from fsconform.harness.plans import Filter, explorers
from fsconform.model.filesystem.oracle import Oracle
from fsconform.proving.session import ProvingStore
from fsconform.suites.registry import DEFAULT, SUITES

PROGRAMS = 4_000 if os.environ.get("FSCONFORM_LONG") == "1" else 320
"""Of all suites by turns; by night as many as a run has."""


def test_no_random_program_diverges_on_the_sound_store() -> None:
    contract = load_shipped("proving")
    suites = tuple(SUITES[name] for name in DEFAULT)
    kinds = frozenset(("hypothesis",))
    sources = [one.source(0) for one in explorers(suites, Oracle(contract), 0, Filter(), kinds=kinds)]
    assert len(sources) == len(suites)
    turns = (program for row in itertools.zip_longest(*sources) for program in row if program is not None)
    found: list[tuple[int, str]] = []
    benches = Benches(ProvingStore(), contract, 1)
    with benches.lent() as bench:
        for number, (_, program) in enumerate(itertools.islice(turns, PROGRAMS)):
            (trial,) = bench.try_all([program])
            found += [(number, one.signature) for one in trial.judgement.findings if one.verdict in FAILING]
    benches.close()
    assert found == []
