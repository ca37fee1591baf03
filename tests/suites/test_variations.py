"""Variations of witnesses: what they cover, that they are few and the same each time, and what they alone find."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.explorers import both_modes, enumeration
from fsconform.engine.judge import Judge
from fsconform.engine.probes import without_probes
from fsconform.engine.trial import Bench
from fsconform.harness import plans
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation, paths_of, shape
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.model.filesystem.status.working_directory import WorkingDirectory
from fsconform.proving.faults import VARIED
from fsconform.proving.session import ProvingStore
from fsconform.specs.witness import witnesses
from fsconform.suites import variations
from fsconform.suites.registry import DEFAULT, SUITES
from fsconform.suites.variations import NAMES, PLACES, SIZES, Variations, moved, renamed, situation, sized

CONTRACT = load_shipped("proving")
ORACLE = Oracle(CONTRACT)
USUAL = tuple(SUITES[name] for name in DEFAULT)
MOST = 12_000
"""Variations of the default suites' witnesses, at most: minutes on a store that takes 100 programs a second."""


@cache
def usual() -> tuple[Program, ...]:
    """The witnesses of the default suites."""
    groups = {group for suite in USUAL for group in suite.witnesses}
    return tuple(one.program for one in witnesses() if one.group in groups and not one.root)


@cache
def whole() -> Variations:
    """The variations of the default suites' witnesses."""
    return Variations(usual(), ORACLE)


@cache
def sampled(seed: int, first: int = 0) -> tuple[tuple[int, Program], ...]:
    return tuple(whole().sample(seed, first))


def test_no_variation_comes_twice_or_is_a_witness() -> None:
    programs = [(one.program, one.look) for one in whole().all]
    assert len(set(programs)) == len(programs) == whole().total <= MOST
    assert not {program for program, look in programs if not look} & set(usual())
    assert list(whole().counts()) == ["names", "sizes", "places", "ways", "clients"]


def test_a_seed_gives_an_order_of_all_that_can_be_taken_up() -> None:
    places = [place for place, _ in sampled(5)]
    assert places == list(range(whole().total))
    programs = [program for _, program in sampled(5)]
    assert sampled(5, 400) == sampled(5)[400:]
    assert [program for _, program in sampled(6)] != programs
    assert set(programs) == {program for _, program in sampled(6)}
    assert tuple(Variations(usual(), Oracle(CONTRACT)).sample(5)) == sampled(5)


def roles(programs: Sequence[Program]) -> set[tuple[str, type[Operation]]]:
    """Which names end a path of which operations."""
    return {
        (path[-1], type(step.operation))
        for program in programs
        for step in program
        for path in paths_of(step.operation)
        if path
    }


def test_each_name_meets_each_operation_that_has_paths() -> None:
    own = {kind for _, kind in roles(whole().programs)}
    met = roles([one.program for one in whole().all if one.what == "names"])
    assert len(own) > 60
    assert {(name, kind) for name in NAMES for kind in own} - met == set()


def test_each_size_is_written_and_read() -> None:
    written = {
        (contents.length(step.operation.content), kind)
        for one in whole().all
        if one.what == "sizes"
        for step in one.program
        if isinstance(step.operation, Create | Append)
        for kind in {type(other.operation) for other in one.program}
    }
    assert {(size, kind) for size in SIZES for kind in (Create, Append, Rename, Delete)} <= written


def met(programs: Sequence[Program]) -> Iterator[tuple[type[Operation], int, str]]:
    """Which operations are called in which situations by which ways."""
    for program in programs:
        state: State | None = EMPTY
        for step in program:
            yield type(step.operation), situation(ORACLE, state, step.operation), step.operation.via
            state = ORACLE.predicted(state, step.operation) if state is not None else None


def test_each_way_meets_each_situation() -> None:
    before = set(met(whole().programs))
    wanted = {(kind, mask, via) for kind, mask, _ in before for via in ("", *kind.VIAS) if kind.VIAS}
    assert len(wanted - before) > 300
    assert wanted - before - set(met([one.program for one in whole().all if one.what == "ways"])) == set()


def test_places_are_made_first_and_patterns_go_with_them() -> None:
    program = (Step(Mkdirs(("a",))), Step(Delete((), True)))
    assert moved(program, ("p", "q")) == (
        Step(Mkdirs(("p", "q")), setup=True),
        Step(Mkdirs(("p", "q", "a"))),
        Step(Delete(("p", "q"), True)),
    )
    assert {len(place) for place in PLACES} == {4, 8}


def calls(programs: Sequence[Program]) -> set[tuple[type[Operation], int]]:
    """The calls that programs make, each by its operation and its situation."""
    return {(kind, mask) for kind, mask, _ in met(programs)}


def test_each_call_stands_in_each_place_in_each_situation() -> None:
    still = [one for one in whole().programs if not any(isinstance(step.operation, WorkingDirectory) for step in one)]
    made = {one.program for one in whole().all if one.what == "places"}
    for place in PLACES:
        there = [program for program in still if moved(program, place) in made]
        assert calls(there) == calls(still) and len(there) < len(still) / 2


def sequences(program: Program) -> set[tuple[type[Operation], tuple[type[Operation], int]]]:
    """Each call by its operation, its situation and the operation that was called before it."""
    made = [(kind, mask) for kind, mask, _ in met([program])]
    return {(before, call) for (before, _), call in itertools.pairwise(made)}


def test_two_clients_make_and_see_each_call_after_each_that_it_follows_in_a_witness() -> None:
    looked, by_turns = set(), set()
    for one in whole().all:
        if one.what == "clients":
            clients = [step.client for step in one.program]
            first = next((index for index, client in enumerate(clients) if client != one.look), 0)
            if one.look in clients[first:]:
                by_turns |= sequences(one.program)
            else:
                looked |= sequences(one.program[first:])
    wanted = {one for program in whole().programs for one in sequences(program)}
    alone = {
        one
        for program in whole().programs
        if not any("stream" in dict(shape(type(step.operation))) for step in program)
        for one in sequences(program)
    }
    assert wanted <= looked and alone <= by_turns and len(wanted) > len(alone) > 300


def test_names_and_sizes_are_changed_where_they_stand() -> None:
    program = (Step(Create(("a", "b"), contents.of(1, 3), False)), Step(Rename(("a",), ("b",))))
    assert [step.operation for step in renamed(program, {"a": "b", "b": "x"})] == [
        Create(("b", "x"), contents.of(1, 3), False),
        Rename(("b",), ("x",)),
    ]
    (changed, _) = sized(program, 0, 513)
    assert isinstance(changed.operation, Create) and contents.length(changed.operation.content) == 513


def test_another_client_looks() -> None:
    index = next(index for index, one in enumerate(whole().all) if one.what == "clients")
    program = whole().program(index)
    assert {step.client for step in program if step.probe} == {whole().all[index].look} != {0}
    assert without_probes(program) == whole().all[index].program


def departs(fault: str | None, programs: Iterator[Program]) -> bool:
    """True if one of the programs shows a departure."""
    session = ProvingStore(fault=fault).session()
    bench = Bench(session, Judge(ORACLE))
    return any(bench.try_all([program])[0].judgement.findings for program in programs)


@cache
def others() -> tuple[Program, ...]:
    """What is run without variations: all witnesses, all ladders, and all programs of one and two operations."""
    deciding = [one.program for one in witnesses() if not one.root and one.group not in ("large", "full")]
    rungs = [rung for suite in SUITES.values() if not suite.trial for rung in suite.ladders()]
    short = [program for length in (1, 2) for _, program in enumeration(length, ORACLE, 0).source(0)]
    return (*both_modes(deciding, ORACLE), *both_modes(rungs, ORACLE), *short)


@pytest.mark.parametrize("fault", VARIED)
def test_variations_find_what_witnesses_ladders_and_pairs_do_not(fault: str) -> None:
    assert not departs(fault, iter(others()))
    assert departs(fault, (program for _, program in sampled(0)))


def test_a_sound_store_has_no_divergence_in_any_variation() -> None:
    assert len(VARIED) >= 6
    assert not departs(None, (program for _, program in sampled(0)))


def test_the_explorer_is_run_where_it_is_named() -> None:
    given = plans.explorers(USUAL, ORACLE, 0, plans.Filter(), kinds=frozenset(("variations",)))
    assert [(one.name, one.bound) for one in given] == [("variations", whole().total)]
    assert variations.NAME in plans.KINDS
