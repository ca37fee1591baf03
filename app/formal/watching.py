"""Whether module Namespace allows a trace: what a store did, or what a checker wrote, in ITF."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from fsconform.adapters.checkers import tlc
from fsconform.adapters.checkers.tools import NoTool, find_tlc
from fsconform.app.console import plain
from fsconform.app.formal.checking import ROOT
from fsconform.app.problems import DIVERGENCES, OK, Inconclusive, Problem
from fsconform.app.targets import given_contract
from fsconform.engine.formal import namespace, traces
from fsconform.engine.formal.observed import Observed, of_steps, quoted, root_body
from fsconform.engine.formal.traces import TraceError
from fsconform.model.filesystem.contract import Contract
from fsconform.records.given import GivenError, read_text
from fsconform.specs import formal
from fsconform.specs.contract_xml import ContractError


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
