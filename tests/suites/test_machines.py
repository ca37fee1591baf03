"""The programs that Hypothesis draws from each suite: what occurs in them, and that they are sound."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis.stateful import RuleBasedStateMachine

from fsconform.engine.probes import without_probes
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.programs import Program, Step, decode_program, encode_program
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.suites.exploring import chunks
from fsconform.suites.machines import FILES, machine
from fsconform.suites.registry import DEFAULT, SUITES

Sample = Callable[[str], tuple[Program, ...]]

# Drawn besides wherever another operation needs a file, a directory or a stream, so more often than by its weight.
MAKERS = {Create, Mkdirs, OpenWriter}

each_suite = pytest.mark.parametrize(
    "name", [name if name in DEFAULT else pytest.param(name, marks=pytest.mark.long) for name in SUITES]
)


def own(program: Program) -> list[Step]:
    """The steps that are neither probe nor set-up."""
    return [step for step in program if not step.probe and not step.setup]


def names_in(programs: Sequence[Program]) -> set[str]:
    return {name for program in programs for step in program for path in paths_of(step.operation) for name in path}


@each_suite
def test_each_operation_occurs_and_no_other(name: str, sample: Sample) -> None:
    kinds = Counter(type(step.operation) for program in sample(name) for step in own(program))
    weights = dict(SUITES[name].grammar.weights)
    assert set(kinds) <= {*weights, Mkdirs}
    assert all(kinds[kind] > 20 for kind in weights)
    heaviest = max(set(weights) - MAKERS, key=weights.__getitem__)
    lighter = {kind for kind, weight in weights.items() if 2 * weight <= weights[heaviest]} - MAKERS
    assert all(kinds[heaviest] > kinds[kind] for kind in lighter)


@each_suite
def test_both_modes_of_probing_occur_by_turns(name: str, sample: Sample) -> None:
    changing = [program for program in sample(name) if any(one.operation.MUTATES for one in own(program))]
    # Where the model has lost track there is nothing to probe.
    programs = [program for program in changing if program[-1].probe]
    assert len(programs) > (0.8 if name == "changes" else 0.99) * len(changing)
    between = 0
    for program in programs:
        last = max(index for index, step in enumerate(program) if not step.probe)
        between += any(step.probe for step in program[:last])
    assert 0.25 * len(programs) < between < 0.6 * len(programs)


@each_suite
def test_programs_are_as_long_as_the_grammar_says(name: str, sample: Sample) -> None:
    lengths = Counter(len(own(program)) for program in sample(name))
    assert max(lengths) <= SUITES[name].grammar.longest + 3
    assert len(lengths) > 5 and sum(count for length, count in lengths.items() if length > 4) > 50


@each_suite
def test_swarms_occur(name: str, sample: Sample) -> None:
    long = [program for program in sample(name) if len(own(program)) > 5]
    kinds = [frozenset(type(step.operation) for step in own(program)) for program in long]
    assert len(set(kinds)) > 20
    assert all(any(kind not in found for found in kinds) for kind in (Create, Delete, Rename))
    assert {len(names_in([program])) for program in long} >= {1, 2, 3}


@each_suite
def test_clients(name: str, sample: Sample) -> None:
    clients = Counter(tuple(sorted({step.client for step in own(program)})) for program in sample(name) if own(program))
    assert set(clients) <= {(0,), (1,), (0, 1)}
    if SUITES[name].grammar.clients == 1:
        assert set(clients) == {(0,)}
    else:
        assert clients[0, 1] > 50 and clients[(0,)] > 50


@each_suite
def test_every_program_survives_json(name: str, sample: Sample) -> None:
    for program in sample(name):
        assert decode_program(json.loads(json.dumps(encode_program(program)))) == program


@each_suite
def test_programs_use_paths_again(name: str, sample: Sample) -> None:
    again = total = 0
    for program in sample(name):
        seen: set[tuple[str, ...]] = set()
        for step in own(program):
            paths = paths_of(step.operation)
            again += any(path in seen for path in paths)
            total += 1
            seen.update(paths)
    assert again > total / 3


def removed_and_used(program: Program, oracle: Oracle) -> set[str]:
    """The operations of a program on paths that something was removed or renamed away from."""
    state: State | None = EMPTY
    gone: set[tuple[str, ...]] = set()
    found = set()
    for step in without_probes(program):
        assert state is not None
        found |= {step.operation.NAME for path in paths_of(step.operation) if path in gone}
        after = oracle.predicted(state, step.operation)
        if isinstance(step.operation, Delete | Rename) and after is not state:
            gone.add(paths_of(step.operation)[0])
        state = after
    return found


def test_programs_come_back_to_what_is_gone(sample: Sample, oracle: Oracle) -> None:
    used = Counter(kind for program in sample("namespace") for kind in removed_and_used(program, oracle))
    assert (
        set(used) == {kind.NAME for kind in SUITES["namespace"].grammar.kinds}
        and used["create"] > 20
        and used["rename"] > 20
    )


def test_what_was_asked_for_in_vain_is_made_later(sample: Sample, oracle: Oracle) -> None:
    found = 0
    for program in sample("namespace"):
        asked: set[tuple[str, ...]] = set()
        for step in without_probes(program):
            if isinstance(step.operation, Exists | GetFileStatus | Open | ListStatus):
                asked.add(step.operation.path)
            found += isinstance(step.operation, Create) and step.operation.path in asked
    assert found > 20


def outcomes(programs: Sequence[Program], oracle: Oracle) -> set[tuple[str, bool]]:
    """Each operation of these programs, with whether the model expects it to be refused."""
    found = set()
    for program in programs:
        state: State | None = EMPTY
        for step in without_probes(program):
            assert state is not None
            situation = oracle.situation(state, step.operation)
            found.add((step.operation.NAME, bool(situation.first.raises)))
            state = situation.first.effect(state, step.operation)
    return found


def test_calls_succeed_and_fail(sample: Sample, oracle: Oracle) -> None:
    found = outcomes(sample("namespace"), oracle)
    raising = {kind.NAME for kind in (Mkdirs, Create, Append, Rename, Open, GetFileStatus, ListStatus, Delete)}
    assert found >= {(kind.NAME, False) for kind in SUITES["namespace"].grammar.kinds} | {
        (name, True) for name in raising
    }


@pytest.mark.parametrize("name", [name for name in SUITES if name != "content"])
def test_spice_occurs(name: str, sample: Sample) -> None:
    grammar = SUITES[name].grammar
    found = names_in(sample(name)) - set(grammar.names)
    assert len(found & set(grammar.rack)) > (40 if name == "paths" else 10)


def test_all_spice_and_long_names_occur_in_time(sample: Sample) -> None:
    found = set().union(*(names_in(sample(name)) for name in SUITES))
    assert set(SUITES["paths"].grammar.rack) <= found


def test_names_that_may_be_confused_stand_side_by_side(sample: Sample) -> None:
    pairs = {("a", "A"), ("\u00e9", "e\u0301"), ("a", "ab"), ("a", "a."), ("a", "a ")}
    together = [names_in([program]) for name in SUITES for program in sample(name)]
    assert all(any(set(pair) <= names for names in together) for pair in pairs)


def test_all_sizes_occur(sample: Sample) -> None:
    sizes: dict[type[Operation], set[int]] = {Create: set(), Append: set()}
    for program in sample("content"):
        for step in own(program):
            if isinstance(step.operation, Create | Append):
                sizes[type(step.operation)].add(contents.length(step.operation.content))
    assert all(found == set(SUITES["content"].grammar.sizes) for found in sizes.values())


def test_structures_occur_as_set_up(sample: Sample, oracle: Oracle) -> None:
    def largest(name: str, *kinds: type[Operation]) -> int:
        return max(sum(step.setup and type(step.operation) in kinds for step in program) for program in sample(name))

    assert largest("listing", Create, Mkdirs) == 129
    assert largest("listing", Create) > 64 and largest("listing", Mkdirs) > 64
    assert largest("content", Append) == 9 and largest("namespace", Create) == 0
    drawn = map(chunks(SUITES["paths"], oracle, 1), range(3, 19))
    setups = [step.operation for programs in drawn for one in programs for step in one if step.setup]
    depths = [len(path) for operation in setups for path in paths_of(operation)]
    assert {8, 9, 16, 31, 32, 33} <= set(depths)


def test_one_rule_for_each_operation_and_structure(oracle: Oracle) -> None:
    made = machine(SUITES["listing"], oracle, lambda program: None)
    assert issubclass(made, RuleBasedStateMachine)
    weights = {kind.NAME: weight for kind, weight in SUITES["listing"].grammar.weights}
    assert made.weights == weights | {"many_children": 4}
    assert {one.targets for one in made.setup_state().rules} >= {(FILES.name,)}
    assert sorted(one.function.__name__ for one in made.setup_state().rules) == sorted(made.weights)


def test_a_grammar_of_one_mode_is_probed_in_that(oracle: Oracle) -> None:
    given: list[Program] = []
    suite = replace(SUITES["namespace"], grammar=replace(SUITES["namespace"].grammar, modes=("end",)))
    made = machine(suite, oracle, given.append)
    for _ in range(3):
        one = made()
        one.draft.add(Mkdirs(("a",)), Random(0), setup=False)
        one.draft.add(Mkdirs(("b",)), Random(0), setup=False)
        one.teardown()
    assert len(given) == 3 and len(set(given)) == 1 and len(without_probes(given[0][:3])) == 2


def test_an_empty_program_is_not_given(oracle: Oracle) -> None:
    given: list[Program] = []
    machine(SUITES["namespace"], oracle, given.append)().teardown()
    assert given == []
