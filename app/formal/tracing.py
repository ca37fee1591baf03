"""``fsconform spec traces``: traces of the namespace's module as files in ITF, each tried on the reference model."""

from __future__ import annotations

from pathlib import Path

import click

from fsconform.adapters.checkers.outcome import Outcome, State
from fsconform.adapters.checkers.tools import NoTool, find_apalache, find_tlc
from fsconform.app.amounts import SEED
from fsconform.app.console import console, plain
from fsconform.app.formal.checking import CHECK_SECONDS, GOALS_CHECK, contract_of, goal_traces, random_traces
from fsconform.app.formal.symbolic import random_runs
from fsconform.app.inputs import INPUT, OUTPUT_FOLDER
from fsconform.app.problems import DIVERGENCES, OK, Inconclusive, Problem
from fsconform.app.whole import write_text
from fsconform.engine.formal import traces
from fsconform.engine.formal.terms import TermError
from fsconform.engine.formal.traces import TraceError
from fsconform.model.filesystem.oracle import Oracle
from fsconform.specs import formal

Found = list[tuple[State, ...]]


@click.command("traces")
@click.option("--kind", type=click.Choice(("goals", "random", "apalache")), default="goals", show_default=True)
@click.option("--out", type=OUTPUT_FOLDER, default=Path("traces"), show_default=True)
@click.option("--number", type=click.IntRange(min=1), default=100, show_default=True, help="Of random traces.")
@click.option("--steps", type=click.IntRange(min=1), default=12, show_default=True, help="Of each random trace.")
@click.option("--seed", type=SEED, default=0, show_default=True, metavar="N", help="Of TLC's random traces.")
@click.option("--apalache", "command", type=INPUT, metavar="FILE", help="The command apalache-mc.")
@click.option("--timeout", type=click.FloatRange(min=1), default=CHECK_SECONDS, show_default=True, metavar="SECONDS")
def trace_files(kind: str, out: Path, number: int, steps: int, seed: int, command: Path | None, timeout: float) -> None:
    """Write traces of module Namespace to a folder: a shortest one to each goal, or random ones.

    `fsconform run --explorer traces --traces DIR` plays them on stores. Exit codes: 0 the reference model allows every
    step; 1 it does not; 3 the checker is not here, or did not get to an end.
    """
    try:
        outcome, found = _traces(kind, number, steps, seed, command, timeout)
    except NoTool as error:
        raise Inconclusive(f"not run: {error}") from error
    except (OSError, TermError) as error:
        raise Inconclusive(f"not run: {error}") from error
    if not outcome.decided or not found:
        raise Inconclusive(outcome.told)
    _write(out, kind, found, outcome.version)
    oracle, refused = Oracle(contract_of(formal.checks()[GOALS_CHECK])), 0
    try:
        for place, states in enumerate(found, 1):
            taken = traces.steps(states)
            at = traces.departs(oracle, taken)
            if at is not None:
                refused += 1
                call = taken[at].call
                console.print(
                    f"{_name(kind, place)}: the model refuses step {at + 1}, {call.op}: {taken[at].res}", markup=False
                )
    except TraceError as error:
        raise Inconclusive(f"{outcome.version}: {error}") from error
    total = sum(len(states) - 1 for states in found)
    plain.print(f"{len(found):,} traces with {total:,} steps by {outcome.version} in {out}", markup=False)
    plain.print(f"the reference model allows {len(found) - refused:,} of them", markup=False)
    raise SystemExit(DIVERGENCES if refused else OK)


def _traces(
    kind: str, number: int, steps: int, seed: int, command: Path | None, timeout: float
) -> tuple[Outcome, Found]:
    if kind == "goals":
        outcome = goal_traces(find_tlc(), timeout)
        return outcome, [one.states for one in outcome.violations]
    if kind == "random":
        return random_traces(find_tlc(), number, steps, seed, timeout)
    return random_runs(find_apalache(command), formal.checks()[GOALS_CHECK], number, steps, timeout)


def _name(kind: str, place: int) -> str:
    return f"{kind}-{place:04}.itf.json"


def _write(out: Path, kind: str, found: Found, version: str) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        for place, states in enumerate(found, 1):
            write_text(out / _name(kind, place), traces.write_itf(states, f"{version}, {kind}"))
    except OSError as error:
        raise Problem(f"{out}: {error.strerror}: choose another folder with --out") from error
