"""The minimiser: the few calls that still show a departure. It keeps the exact signature.

One minimiser serves every explorer. It works in rounds, each a batch of candidates for one trip to the store, and
leaves out candidates of which the model can tell that the departing call would meet another case.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from fsconform.engine.findings import Finding
from fsconform.engine.probes import sets_up_much
from fsconform.model.core import content as contents
from fsconform.model.core.operation import OPERATIONS, Operation, paths_of, shape, with_paths
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.state import EMPTY, State

Shows = Callable[[Sequence[Program]], list[bool]]
"""Executes candidates, each in a fresh directory, and says which of them show the signature."""

FIRST_ROUND, LAST_ROUND = 4, 64
"""Candidates in the first batch, and at most; each batch has twice as many as the one before.

Often one of the first is good, and what was executed beside it is lost; where none is, long batches save trips.
"""

MAX_PREDICTED = 16
"""With more states than this a candidate is tried without asking the model."""

FEW_STEPS = 4
"""Of a program with more steps than these it is tried whether two of its names can be one."""

PLAIN_NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")


def minimise(oracle: Oracle, program: Program, finding: Finding, shows: Shows) -> Program:
    """The smallest program found that shows the finding's signature; the given one if nothing smaller does."""
    best = program[: finding.noticed + 1]
    if not _one(shows, best):
        best = program
    if sets_up_much(best):
        best = _of_much(best, finding, shows)
        if sets_up_much(best):
            return best
    while True:
        before = best
        best = _fewer_steps(oracle, best, finding, shows)
        best = _simpler_steps(oracle, best, finding, shows)
        if best != before:
            continue
        found = _first(oracle, list(_merged(best)), finding, shows) if own_steps(best) > FEW_STEPS else None
        if found is None:
            return best
        best = found


def _of_much(program: Program, finding: Finding, shows: Shows) -> Program:
    """A program that sets up much, with fewer other steps, and then with as few set-up steps as still show it.

    Set-up steps are left out from the last one on only: one by one they would take hours.
    """
    told = {finding.step, finding.noticed}
    alone = tuple(step for place, step in enumerate(program) if step.setup or place in told)
    told_alone = len(alone) < len(program) and _one(shows, alone)
    program = alone if told_alone else _fewer_others(program, shows)
    least, most, best = 0, sum(step.setup for step in program), program
    while least < most:
        count = (least + most) // 2
        fewer = _set_up(program, count)
        if _one(shows, fewer):
            most, best = count, fewer
        else:
            least = count + 1
    return best


def _fewer_others(program: Program, shows: Shows) -> Program:
    place = len(program)
    while place:
        place -= 1
        without = program[:place] + program[place + 1 :]
        if not program[place].setup and without and _one(shows, without):
            program = without
    return program


def _set_up(program: Program, count: int) -> Program:
    """The program with its first set-up steps only, so many."""
    turn = itertools.count()
    return tuple(step for step in program if not step.setup or next(turn) < count)


def _one(shows: Shows, program: Program) -> bool:
    return shows([program])[0]


def _fewer_steps(oracle: Oracle, program: Program, finding: Finding, shows: Shows) -> Program:
    size = max(1, len(program) // 2)
    while True:
        cuts = [(start, min(start + size, len(program))) for start in range(0, len(program), size)]
        candidates = [program[:start] + program[end:] for start, end in cuts if end - start < len(program)]
        found = _first(oracle, candidates, finding, shows)
        if found is not None:
            program = found
            size = min(size, max(1, len(program) // 2))
        elif size == 1:
            return program
        else:
            size //= 2


def _first(oracle: Oracle, candidates: Sequence[Program], finding: Finding, shows: Shows) -> Program | None:
    likely = [program for program in candidates if plausible(oracle, program, finding)]
    start, size = 0, FIRST_ROUND
    while batch := likely[start : start + size]:
        for program, good in zip(batch, shows(batch), strict=True):
            if good:
                return program
        start, size = start + size, min(2 * size, LAST_ROUND)
    return None


def _simpler_steps(oracle: Oracle, program: Program, finding: Finding, shows: Shows) -> Program:
    while True:
        found = _first(oracle, list(_simplifications(program)), finding, shows)
        if found is None:
            return program
        program = found


def _simplifications(program: Program) -> Iterator[Program]:
    seen = {program}
    for candidate in _all_simplifications(program):
        if candidate not in seen:
            seen.add(candidate)
            yield candidate


def _all_simplifications(program: Program) -> Iterator[Program]:
    plain = plain_names(program)
    yield plain
    for element in _elements(program):
        yield _rewrite(program, partial(_without, element))
    for index, step in enumerate(program):
        for operation in _simpler(step.operation):
            yield (*program[:index], replace(step, operation=operation), *program[index + 1 :])
        if step.client:
            yield (*program[:index], replace(step, client=0), *program[index + 1 :])


def _merged(program: Program) -> Iterator[Program]:
    """The program with one name in the place of another, and without the first steps of the name that is gone.

    Where a name is taken again another entry may have it than the one that gave it up: then neither a step alone nor a
    name alone can be left out.
    """
    names = list(dict.fromkeys(name for step in program for path in paths_of(step.operation) for name in path))
    for gone, stays in itertools.permutations(names, 2):
        places = [place for place, step in enumerate(program) if any(gone in path for path in paths_of(step.operation))]
        renamed = _rewrite(program, partial(_renamed, gone, stays))
        for dropped in range(1, len(places) + 1):
            without = frozenset(places[:dropped])
            yield tuple(step for place, step in enumerate(renamed) if place not in without)


def _renamed(gone: str, stays: str, path: Path) -> Path:
    return tuple(stays if name == gone else name for name in path)


def _elements(program: Program) -> list[tuple[int, str]]:
    found: dict[tuple[int, str], None] = {}
    for step in program:
        for path in paths_of(step.operation):
            if len(path) > 1:
                found.update(dict.fromkeys(enumerate(path)))
    return list(found)


def _without(gone: tuple[int, str], path: Path) -> Path:
    depth, name = gone
    if len(path) > 1 and depth < len(path) and path[depth] == name:
        return path[:depth] + path[depth + 1 :]
    return path


def plain_names(program: Program) -> Program:
    """The program with its names replaced by plain ones, in their order; only the first few names are."""
    names: dict[str, str] = {}
    for step in program:
        for path in paths_of(step.operation):
            for name in path:
                if name not in names and len(names) < len(PLAIN_NAMES):
                    names[name] = PLAIN_NAMES[len(names)]
    return _rewrite(program, lambda path: tuple(names.get(name, name) for name in path))


def _rewrite(program: Program, change: Callable[[Path], Path]) -> Program:
    return tuple(replace(step, operation=with_paths(step.operation, change)) for step in program)


PARTS = (2, 4, 16, 64, 256, 1024, 4096, 1 << 14, 1 << 16, 1 << 18)
"""The parts that a size is made less by, beside all and one: a size in between is found in few steps."""


def _simpler(operation: Operation) -> Iterator[Operation]:
    if operation.via:
        yield replace(cast(Any, operation), via="")
    for name, form in shape(type(operation)):
        if form == "texts":
            yield from (replace(cast(Any, operation), **{name: fewer}) for fewer in _fewer(getattr(operation, name)))
        elif form == "content":
            yield from (replace(cast(Any, operation), **{name: less}) for less in _less(getattr(operation, name)))
    if isinstance(operation, Create) and operation.overwrite:
        yield replace(operation, overwrite=False)
    if isinstance(operation, Delete) and operation.recursive:
        yield replace(operation, recursive=False)


def _less(content: contents.Content) -> Iterator[contents.Content]:
    size = contents.length(content)
    for smaller in sorted({0, 1, *(size - size // part for part in PARTS), size - 1}):
        if 0 <= smaller < size:
            yield contents.of(_seed(content), smaller)


def _fewer(texts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The texts without one half, and without each of them; what stands last is taken away first."""
    half = len(texts) // 2
    if half > 1:
        yield texts[:half]
        yield texts[half:]
    for index in reversed(range(len(texts))):
        yield texts[:index] + texts[index + 1 :]


def _seed(content: contents.Content) -> int:
    first = content[0]
    return first.seed if isinstance(first, contents.Segment) else 1


def plausible(oracle: Oracle, program: Program, finding: Finding) -> bool:
    """False if, in no state the contract allows, a call of the program meets the cases of the departing call."""
    if finding.operation not in OPERATIONS:
        return True
    states: list[State] = [EMPTY]
    for step in program:
        following: dict[State, None] = {}
        for state in states:
            cases = {case.name for case in oracle.situation(state, step.operation).cases}
            if finding.operation == step.operation.NAME and finding.roles <= cases:
                return True
            for after in oracle.expected(state, step.operation):
                if after is None:
                    return True
                following[after] = None
        states = list(following)
        if len(states) > MAX_PREDICTED:
            return True
    return False


def own_steps(program: Program) -> int:
    """The number of steps without set-up and probes."""
    return sum(1 for step in program if not step.probe and not step.setup)


def size_of(program: Program) -> tuple[int, int]:
    """By what programs are compared: own steps first, then all steps."""
    return own_steps(program), len(program)
