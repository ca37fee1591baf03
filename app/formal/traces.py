"""``fsconform spec traces``: traces of the namespace's module as files in ITF, each tried on the reference model."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import click

from fsconform.adapters.checkers import tlc
from fsconform.adapters.checkers.process import Outcome, State
from fsconform.adapters.checkers.tools import NoTool, find_apalache, find_tlc
from fsconform.app.formal.checking import (
    CHECK_SECONDS,
    GOALS_CHECK,
    ROOT,
    contract_of,
    goal_traces,
    random_runs,
    random_traces,
)
from fsconform.app.options import SEED
from fsconform.engine.formal import namespace, traces
from fsconform.engine.formal.observed import Observed, of_steps, quoted, root_body
from fsconform.engine.formal.terms import TermError
from fsconform.engine.formal.traces import TraceError
from fsconform.harness.console import console, plain
from fsconform.harness.inputs import INPUT, OUTPUT_FOLDER
from fsconform.harness.output import write_text
from fsconform.harness.problems import DIVERGENCES, OK, Inconclusive, Problem
from fsconform.harness.targets import given_contract
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.records.given import GivenError, read_text
from fsconform.specs import formal
from fsconform.specs.contract_xml import ContractError

Found = list[tuple[State, ...]]


@click.command("traces")
@click.option(
    "--kind",
    type=click.Choice(("goals", "random", "apalache")),
    default="goals",
    show_default=True,
    help="Traces that lead to goals, random ones of TLC, or those of Apalache.",
)
@click.option(
    "--out", type=OUTPUT_FOLDER, default=Path("traces"), show_default=True, help="The folder that they are written to."
)
@click.option("--number", type=click.IntRange(min=1), default=100, show_default=True, help="Of random traces.")
@click.option("--steps", type=click.IntRange(min=1), default=12, show_default=True, help="Of each random trace.")
@click.option("--seed", type=SEED, default=0, show_default=True, metavar="N", help="Of TLC's random traces.")
@click.option("--apalache", "command", type=INPUT, metavar="FILE", help="The command apalache-mc.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    default=CHECK_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="For the model checker.",
)
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


def check_trace(file: Path, contract: Path | None, seconds: float) -> None:
    """Say whether the module allows the trace in a file: exit code 0 or 1. Raises Problem or Inconclusive."""
    try:
        judged_by = given_contract(contract) if contract is not None else Contract()
        text = read_text(file)
        one = of_steps(traces.steps(traces.read_itf(text)), traces.sizes_in(text))
    except GivenError as error:
        raise Problem(f"{error}: name a trace in ITF") from error
    except TraceError as error:
        raise Problem(f"{file}: {error}: name a trace in ITF, as `fsconform replay --itf` writes it") from error
    except ContractError as error:
        raise Problem(str(error)) from error
    allowed = allows(one, judged_by, seconds)
    if allowed == len(one.steps):
        plain.print(f"the module allows all {allowed} steps", markup=False)
        raise SystemExit(OK)
    call = one.steps[allowed].call
    plain.print(f"the module allows {allowed} steps; not step {allowed + 1}: {call.op} gives {one.steps[allowed].res}")
    raise SystemExit(DIVERGENCES)


def allows(one: Observed, contract: Contract, seconds: float) -> int:
    """How many of a trace's steps module Namespace allows under a contract. Raises Inconclusive."""
    check = dataclasses.replace(
        formal.checks()["namespace"],
        invariants=(),
        properties=(),
        constants={
            "Names": _set(one.names),
            "MaxDepth": "1",
            "Chunks": _set(one.sizes),
            "MaxLength": "0",
            "Fault": '""',
        },
    )
    more = ("CONSTANT Bytes <- Sum", "CONSTANT InBounds <- Always", "INVARIANT Unfinished")
    text = formal.configuration(check, namespace.constants(contract), *more)
    text = text.replace("SPECIFICATION Spec", "SPECIFICATION TraceSpec").replace("VIEW FsView", "VIEW TraceView")
    modules = {**formal.module_texts(), ROOT: formal.root_module(ROOT, check, root_body(one))}
    try:
        outcome = tlc.check(find_tlc(), modules, ROOT, text, seconds)
    except (NoTool, OSError) as error:
        raise Inconclusive(f"not run: {error}") from error
    if outcome.ending == "violated":
        return len(one.steps)
    if outcome.ending == "passed":
        return outcome.depth - 1
    raise Inconclusive(outcome.told)


def _set(words: Iterable[str]) -> str:
    return "{" + ", ".join(map(quoted, words)) + "}"
