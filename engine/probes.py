"""Probes: steps that re-read what earlier steps touched, chosen by the model's prediction of the state.

Every suite runs with a probe after each step and with probes only at the end: a probe in between may refresh a cache
and so hide the very staleness that the other mode shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal as Choice

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.rename import Rename, destination
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.writers import touched
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.state import EMPTY, Dir, File, State, locate, walk
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

Mode = Choice["each", "end"]
MODES: tuple[Mode, ...] = ("each", "end")


MANY_SET_UP = 200
"""Set-up steps of a program that looks for itself at what it builds."""


def sets_up_much(program: Program) -> bool:
    """True of a program that builds a large directory first: probes would ask of each of its files one by one."""
    return sum(step.setup for step in program) > MANY_SET_UP


def probed(oracle: Oracle, program: Program, mode: Mode, followed: Sequence[State | None] = ()) -> Program:
    """The program with probes after each step that may change something, or at its end only.

    ``followed`` are the states that the model expects after the steps, where they are known.
    """
    state: State | None = EMPTY
    steps: list[Step] = []
    touched: dict[Path, None] = {}
    for number, step in enumerate(program):
        steps.append(step)
        if state is None:
            continue
        paths = _touched(state, step.operation)
        touched.update(dict.fromkeys(paths))
        state = followed[number] if followed else oracle.predicted(state, step.operation)
        if mode == "each" and state is not None and not step.setup and step.operation.MUTATES:
            steps.extend(_as_probes(_queries(state, paths), step.client))
    if state is not None and (mode == "end" or not steps or not steps[-1].probe):
        steps.extend(_as_probes(_final(state, touched), 0))
    return tuple(steps)


def _touched(state: State, operation: Operation) -> list[Path]:
    paths = list(touched(state, operation))
    if isinstance(operation, Rename):
        final = destination(state, operation)
        if final not in paths:
            paths.append(final)
    return paths


def _queries(state: State, paths: Iterable[Path]) -> list[Operation]:
    """Status of each path, bytes of each file, listing of each directory and of each path's parent."""
    found: dict[Operation, None] = {}
    for path in paths:
        found[GetFileStatus(path)] = None
        node = locate(state, path)
        if type(node) is File:
            found[Open(path)] = None
        elif type(node) is Dir:
            found[ListStatus(path)] = None
        if path and type(locate(state, path[:-1])) is Dir:
            found[ListStatus(path[:-1])] = None
    return list(found)


def _final(state: State, touched: Iterable[Path]) -> list[Operation]:
    """What ``_queries`` asks of the paths that were touched, and the listing or the bytes of everything else.

    Of directories one in another the first and the last are listed.
    """
    found = dict.fromkeys(_queries(state, touched))
    for path, node in walk(state):
        if type(node) is File:
            found[Open(path)] = None
        elif type(node) is Dir and not (path and _is_link(node)):
            found[ListStatus(path)] = None
    return list(found)


def _is_link(node: Dir) -> bool:
    """True of a directory that holds another one and nothing else."""
    return len(node.children) == 1 and type(next(iter(node.children.values()))) is Dir


def _as_probes(operations: Iterable[Operation], client: int) -> list[Step]:
    return [Step(operation, client, probe=True) for operation in operations]


def without_probes(program: Program) -> Program:
    """The program's own steps."""
    return tuple(step for step in program if not step.probe)
