"""A quirk accepts one behaviour and nothing beside it.

Each quirk of a shipped store has a twin, the store in memory with that quirk: with the quirk on nothing is found on it,
and the quirk is needed. Each has two shadows at least, faults beside it that look alike: each is found with the quirk
on.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import every
from fsconform.engine.benches import Benches
from fsconform.engine.effort import Effort
from fsconform.engine.explorers import both_modes
from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING
from fsconform.harness.plans import Filter, explorers
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.quirks import Quirk, Quirks
from fsconform.proving.faults import Fault
from fsconform.proving.quirks import TWINS
from fsconform.proving.session import ProvingStore
from fsconform.records.findings import every as every_finding
from fsconform.specs.catalogue import catalogue
from fsconform.suites.registry import DEFAULT, SUITES

DECLARED = load_shipped("proving").declared
QUIRKS = {quirk.id: quirk for quirk in every()}
SHADOWS = [(quirk, name) for quirk, twin in TWINS.items() for name in twin.shadows]
LARGE = 500
AMOUNTS = Effort().amounts("fast")
"""What the default job tries: a shadow that none of its programs shows is not found."""


class Drawn:
    """Programs of the default suites, drawn once for all tests: of one explorer after another, by turns."""

    def __init__(self, kind: str, root: bool = False) -> None:
        oracle = Oracle(Contract(DECLARED))
        suites = tuple(SUITES[name] for name in (("root",) if root else DEFAULT))
        found = explorers(suites, oracle, 0, Filter(), kinds=frozenset((kind,)), amounts=AMOUNTS)
        sources = [itertools.islice(one.source(0), one.quota) for one in found]
        turns = (one for row in itertools.zip_longest(*sources) for one in row if one is not None)
        # What builds a directory of a thousand files shows no quirk that a small one does not.
        self._following = (program for _, program in turns if len(program) < LARGE)
        self._made: list[Program] = []

    def __iter__(self) -> Iterator[Program]:
        for number in itertools.count():
            if number == len(self._made):
                program = next(self._following, None)
                if program is None:
                    return
                self._made.append(program)
            yield self._made[number]


drawn = cache(Drawn)


CHEAP_FIRST = ("witnesses", "variations", "ladders", "enumeration", "hypothesis")
"""The explorers of the default job, those first that show most."""


def programs(quirk: Quirk) -> Iterator[Program]:
    """What the default job tries: the quirk's own program, the witnesses, and in their amounts what comes after."""
    yield from both_modes([quirk.program], Oracle(Contract(DECLARED)))
    root = TWINS[quirk.id].fault.root
    for kind in CHEAP_FIRST:
        yield from drawn(kind, root)


def benches_of(fault: Fault, quirk: Quirk) -> Benches:
    """A store in memory that is judged with one quirk, and those that come along with it."""
    along = (QUIRKS[name] for name in TWINS[quirk.id].along)
    contract = Contract({**DECLARED, **fault.declared}, quirks=Quirks((quirk, *along)))
    return Benches(ProvingStore(fault=fault, real_root=fault.root), contract, 1)


def judged(fault: Fault, quirk: Quirk, tried: Iterable[Program]) -> Iterator[tuple[Program, list[Finding]]]:
    """What each program shows of a store in memory."""
    benches = benches_of(fault, quirk)
    try:
        bench = benches.take()
        for program in tried:
            (trial,) = bench.try_all([program])
            yield program, trial.judgement.findings
    finally:
        benches.close()


def failing(findings: list[Finding]) -> set[str]:
    return {one.signature for one in findings if one.verdict in FAILING}


@pytest.mark.parametrize("quirk", QUIRKS)
def test_each_quirk_has_a_twin_and_two_shadows(quirk: str) -> None:
    assert quirk in TWINS, "no store in memory has this quirk"
    assert len(TWINS[quirk].shadows) >= 2


def test_no_twin_is_of_a_quirk_that_no_store_has() -> None:
    assert not TWINS.keys() - QUIRKS.keys()


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_quirk_says_what_it_is(quirk: str) -> None:
    one = QUIRKS[quirk]
    assert one.clause in catalogue()
    assert one.title and one.reason and one.link in every_finding()
    assert one.expires > datetime.date(2026, 11, 1)
    assert one.program and one.operations


@pytest.mark.parametrize("quirk", TWINS)
def test_a_store_with_the_quirk_shows_nothing_else(quirk: str) -> None:
    twin, needed = TWINS[quirk], 0
    witnesses = 2 + sum(1 for _ in drawn("witnesses", twin.fault.root))
    tried = itertools.islice(programs(QUIRKS[quirk]), witnesses)
    for _, findings in judged(twin.fault, QUIRKS[quirk], tried):
        assert failing(findings) == set()
        needed += any(one.quirk == quirk for one in findings)
    assert needed, "the quirk was never needed"


@pytest.mark.parametrize(("quirk", "name"), SHADOWS)
def test_a_shadow_is_found_while_the_quirk_is_on(quirk: str, name: str) -> None:
    """What the twin shows as well in the same program is a false alarm, and does not count."""
    twin, one = TWINS[quirk], QUIRKS[quirk]
    for program, findings in judged(twin.shadows[name], one, programs(one)):
        found = failing(findings)
        if found and found - failing(next(judged(twin.fault, one, (program,)))[1]):
            return
    pytest.fail(f"{name} was not found")
