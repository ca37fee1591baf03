"""Bounded enumeration: complete, without repeats up to renaming, and open at any place."""

from __future__ import annotations

import itertools

import pytest

from fsconform.engine.enumerate import CORE, Bound, Universe, alphabet
from fsconform.engine.explorers import both_modes, enumeration, from_list
from fsconform.engine.probes import MODES, without_probes
from fsconform.model.core.content import length
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step, encode_program
from fsconform.model.filesystem.status.predicates import Exists

CHANGING = (Mkdirs, Create, Append, Delete, Rename)
SMALL = Universe(names=("a", "b", "c"), depth=1)
BOUNDS = [Bound(0), Bound(1), Bound(2), Bound(1, SMALL), Bound(2, SMALL), Bound(2, kinds=(Mkdirs, Rename))]


def renamed(program: Program, names: dict[str, str]) -> str:
    """The program's text with other names."""
    rows = encode_program(program)
    for row in rows:
        for key in ("path", "src", "dst"):
            if key in row:
                row[key] = "".join(names.get(character, character) for character in row[key])
    return repr(rows)


def bare(program: Program) -> Program:
    """The program with the same content everywhere."""
    found = []
    for step in program:
        match step.operation:
            case Create(path, _, overwrite):
                found.append(Step(Create(path, (), overwrite)))
            case Append(path, _):
                found.append(Step(Append(path, ())))
            case _:
                found.append(step)
    return tuple(found)


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: f"{bound.length} of {bound.size}")
def test_total_counts_the_programs(bound: Bound) -> None:
    programs = [program for _, program in bound.programs()]
    assert len(programs) == len(set(programs)) == bound.total
    assert all(len(program) == bound.length for program in programs)


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: f"{bound.length} of {bound.size}")
def test_no_two_programs_are_equal_up_to_renaming(bound: Bound) -> None:
    names = bound.universe.names
    namings = [dict(zip(names, other, strict=True)) for other in itertools.permutations(names)]
    classes = {min(renamed(program, naming) for naming in namings) for _, program in bound.programs()}
    assert len(classes) == bound.total


def test_every_sequence_of_operations_is_there_up_to_renaming() -> None:
    bound = Bound(2, SMALL)
    namings = [dict(zip(SMALL.names, other, strict=True)) for other in itertools.permutations(SMALL.names)]
    classes = {min(renamed(bare(program), naming) for naming in namings) for _, program in bound.programs()}
    letters = alphabet(SMALL)
    assert bound.size == len(letters) ** 2
    for pair in itertools.product(letters, letters):
        assert min(renamed(bare(tuple(map(Step, pair))), naming) for naming in namings) in classes


def test_alphabet() -> None:
    letters = alphabet(CORE)
    assert len(CORE.paths()) == 6 and len(letters) == len(set(letters)) == 6 * (1 + 2 + 1 + 2 + 6 + 1)
    assert all(any(isinstance(letter, kind) for letter in letters) for kind in (*CHANGING, Exists))


def written(bound: Bound) -> list[int]:
    program = next(
        program for _, program in bound.programs() if all(isinstance(step.operation, Create) for step in program)
    )
    contents = [step.operation.content for step in program if isinstance(step.operation, Create)]
    assert len(set(contents)) == len(contents)
    return [length(content) for content in contents]


def test_steps_write_content_of_their_own() -> None:
    assert sorted(written(Bound(2))) == [3, 5]


def test_bug_step_i_writes_the_size_at_place_i() -> None:
    assert written(Bound(2)) == list(CORE.sizes[:2])


def test_kinds_limit_the_operations() -> None:
    bound = Bound(2, kinds=(Mkdirs, Rename))
    kinds = {type(step.operation) for _, program in bound.programs() for step in program}
    assert kinds == {Mkdirs, Rename} and bound.size == 42**2


@pytest.mark.parametrize("bound", [Bound(0), Bound(1), Bound(2, SMALL), Bound(2)], ids=lambda bound: str(bound.size))
@pytest.mark.parametrize("seed", [0, 1, 7])
def test_sample_is_a_permutation(bound: Bound, seed: int) -> None:
    sampled = list(bound.sample(seed))
    places = [place for place, _ in sampled]
    assert places == sorted(set(places)) and all(0 <= place < bound.size for place in places)
    assert sorted(map(repr, (program for _, program in sampled))) == sorted(
        repr(program) for _, program in bound.programs()
    )
    for first in (0, 1, bound.size // 3, bound.size - 1, bound.size):
        assert list(bound.sample(seed, first)) == [one for one in sampled if one[0] >= first]


def test_seeds_order_differently() -> None:
    assert list(Bound(2).sample(0)) != list(Bound(2).sample(1))


def test_ranges_join() -> None:
    bound = Bound(2, SMALL)
    parts = [list(bound.programs(first, first + 100)) for first in range(0, bound.size, 100)]
    joined = [one for part in parts for one in part if one[0] < bound.size]
    assert joined[: bound.total] == list(bound.programs())


@pytest.mark.parametrize("both", [True, False])
def test_explorer_of_an_enumeration_resumes(both: bool) -> None:
    explorer = enumeration(1, Oracle(Contract()), 3, both=both)
    everything = list(explorer.source(0))
    assert len(everything) == explorer.bound == Bound(1).total * (len(MODES) if both else 1)
    assert [place for place, _ in everything] == sorted({place for place, _ in everything})
    for first in range(0, 2 * Bound(1).size + 2, 5):
        assert list(explorer.source(first)) == [one for one in everything if one[0] >= first]
    bare = {without_probes(program) for _, program in everything}
    assert bare == {program for _, program in Bound(1).programs()}


def test_explorer_of_a_list_resumes() -> None:
    programs = [program for _, program in Bound(1).programs()]
    explorer = from_list("some", programs, whole=True)
    assert list(explorer.source(0)) == list(enumerate(programs)) and explorer.bound == len(programs)
    assert list(explorer.source(7)) == list(enumerate(programs))[7:]
    assert list(explorer.source(len(programs))) == []


def test_both_modes_gives_equal_ones_once() -> None:
    oracle = Oracle(Contract())
    (exists,) = {program for _, program in Bound(1, Universe(("a",), 1), (Exists,)).programs()}
    (mkdirs,) = {program for _, program in Bound(1, Universe(("a",), 1), (Mkdirs,)).programs()}
    given = both_modes([exists, mkdirs, mkdirs], oracle)
    assert len(given) == len(set(given))
    assert {without_probes(program) for program in given} == {exists, mkdirs}
