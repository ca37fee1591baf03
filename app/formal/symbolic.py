"""Apalache on the modules: bounded checks of their invariants, and random runs."""

from __future__ import annotations

from fsconform.adapters.checkers import apalache
from fsconform.adapters.checkers.outcome import Outcome, State
from fsconform.adapters.checkers.tools import Apalache
from fsconform.app.formal.checking import ROOT, options_of
from fsconform.specs import formal
from fsconform.specs.formal import Check

SYMBOLIC_LENGTH = 2
"""Steps of a bounded check: each further one takes many times as long."""


def modules_of(check: Check) -> dict[str, str]:
    """The modules of a check with a root module whose CInit sets the constants."""
    constants = formal.all_constants(check, options_of(check))
    settings = "\n".join(f"    /\\ {name} = {value}" for name, value in sorted(constants.items()))
    invariant = " /\\ ".join(check.invariants) or "TRUE"
    body = f"CInit ==\n{settings}\nChecked == {invariant}"
    return {**formal.module_texts(), ROOT: f"---- MODULE {ROOT} ----\nEXTENDS {check.module}\n{body}\n====\n"}


def run_symbolic(tool: Apalache, check: Check, length: int, seconds: float) -> tuple[Outcome, bool]:
    """Check the invariants of a check over all behaviours of so many steps; and whether they came out as they must.

    A fault that takes more steps than these can't be found: that is no proof, and right only where it need not be.
    Raises OSError.
    """
    outcome = apalache.check(tool, modules_of(check), ROOT, "Checked", length, seconds)
    must_fail = check.violates in check.invariants and check.steps <= length
    return outcome, outcome.ending == ("violated" if must_fail else "passed")


def random_runs(
    tool: Apalache, check: Check, runs: int, length: int, seconds: float
) -> tuple[Outcome, list[tuple[State, ...]]]:
    """Random runs of a check's module. Raises OSError."""
    return apalache.simulate(tool, modules_of(check), ROOT, runs, length, seconds)
