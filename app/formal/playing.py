"""The model checker's traces for a run: made once for each version of the modules, kept in the cache, and attached."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from fsconform.adapters.checkers.process import Outcome, State
from fsconform.adapters.checkers.tools import NoTool, Tlc, find_tlc
from fsconform.app.formal import figures
from fsconform.app.formal.checking import goal_traces, random_traces
from fsconform.engine.formal import traces
from fsconform.engine.formal.terms import TermError
from fsconform.engine.formal.traces import TraceError
from fsconform.harness.problems import Inconclusive, Problem
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program
from fsconform.records.given import GivenError, read_text
from fsconform.records.results import FormalRecord
from fsconform.specs import formal

LOCK_SECONDS = 600.0

RANDOM_TRACES = 120
RANDOM_STEPS = 14
"""Enough for a store's share of a default run."""


class NoTraces(Exception):
    """There are no traces. The text says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class Played:
    """Traces in ITF, and the checker that found them."""

    tool: str
    itf: tuple[str, ...]

    def programs(self) -> tuple[Program, ...]:
        """The calls of the traces, each program once. Raises TraceError."""
        return _each_once(traces.program(traces.steps(traces.read_itf(text))) for text in self.itf)


def goals(told: Callable[[str], None]) -> Played:
    """The goal traces of the modules as they are here. Raises NoTraces."""

    def find(tool: Tlc) -> tuple[Outcome, list[tuple[State, ...]]]:
        outcome = goal_traces(tool)
        return outcome, [one.states for one in outcome.violations]

    return _made(f"goals-{formal.digest()}.json", find, told)


def wanderings(seed: int, told: Callable[[str], None]) -> Played:
    """Random traces of the modules as they are here. Raises NoTraces."""

    def find(tool: Tlc) -> tuple[Outcome, list[tuple[State, ...]]]:
        return random_traces(tool, RANDOM_TRACES, RANDOM_STEPS, seed)

    return _made(f"random-{formal.digest()}-{seed}.json", find, told)


def _made(
    name: str, find: Callable[[Tlc], tuple[Outcome, list[tuple[State, ...]]]], told: Callable[[str], None]
) -> Played:
    folder = figures.folder()
    known = _read(folder / name)
    if known is not None:
        return known
    try:
        tool = find_tlc()
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{name}.lock", timeout=LOCK_SECONDS):
            known = _read(folder / name)
            if known is not None:
                return known
            told("traces of the model checker are made, once for each version of its modules")
            outcome, found = find(tool)
            if not outcome.decided or not found:
                raise NoTraces(outcome.told)
            made = Played(outcome.version, tuple(traces.write_itf(states, outcome.version) for states in found))
            figures.save(name, json.dumps({"tool": made.tool, "itf": made.itf}))
            return made
    except NoTool as error:
        raise NoTraces(str(error)) from error
    except TermError as error:
        raise NoTraces(f"TLC printed what can't be read: {error}") from error
    except Timeout as error:
        raise NoTraces(
            f"another process holds {name}.lock for {LOCK_SECONDS:g} s: end it, or remove the file"
        ) from error
    except OSError as error:
        raise NoTraces(f"{folder}: {error.strerror or error}: set FSCONFORM_CACHE to a folder for it") from error


def _read(file: Path) -> Played | None:
    try:
        table = json.loads(file.read_text("utf-8"))
        return Played(str(table["tool"]), tuple(map(str, table["itf"])))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def given(files: tuple[Path, ...]) -> tuple[Program, ...]:
    """The programs of traces in files, or in the folders of such files. Raises TraceError."""
    found = []
    for place in files:
        inside = sorted(place.glob("*.itf.json")) if place.is_dir() else [place]
        if not inside:
            raise TraceError(f"{place}: no file *.itf.json is in it")
        for file in inside:
            try:
                found.append(traces.program(traces.steps(traces.read_itf(read_text(file)))))
            except GivenError as error:
                raise TraceError(str(error)) from error
            except TraceError as error:
                raise TraceError(f"{file}: {error}: name a trace in ITF") from error
    return _each_once(found)


def _each_once(programs: Iterable[Program]) -> tuple[Program, ...]:
    return tuple(dict.fromkeys(programs))


def playable(program: Program) -> Program:
    """A program without what concerns the root itself: a program's root is a directory of a sandbox, not a root."""
    return tuple(step for step in program if not _moves_the_root(step.operation))


def _moves_the_root(operation: Operation) -> bool:
    if isinstance(operation, Rename):
        return not operation.src
    return operation.MUTATES and not isinstance(operation, Mkdirs) and () in paths_of(operation)


UNCHECKED = (
    "the modules, and that they and the model are equal, were not checked on this machine: `fsconform spec check` does"
)


def attached(
    wanted: bool, alone: bool, files: tuple[Path, ...], seed: int, told: Callable[[str], None]
) -> tuple[tuple[Program, ...], FormalRecord]:
    """The programs of traces, if they are ``wanted``, and the figures. ``alone`` is true if nothing else is to be run.

    Without a checker there are no traces, and the record says so. Raises Problem for files that are no traces, and
    Inconclusive if nothing is left to run.
    """
    record = figures.kept() or FormalRecord(not_run=[UNCHECKED])
    if not wanted:
        return (), record
    try:
        found = given(files) if files else (*goals(told).programs(), *wanderings(seed, told).programs())
    except NoTraces as error:
        if alone:
            raise Inconclusive(f"traces: not run: {error}") from error
        told(f"traces: not run: {error}")
        return (), replace(record, not_run=[*record.not_run, f"traces: {error}"])
    except TraceError as error:
        raise Problem(str(error)) from error
    programs = tuple(dict.fromkeys(program for one in found if (program := playable(one))))
    return programs, replace(record, traces=len(programs))
