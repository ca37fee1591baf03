"""Findings in a layer: departures at the steps of a program, each with its verdict under a contract."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fsconform.model.core.layers import Breach, LayerContract

FAILING = ("violation", "undeclared")
"""The verdicts that fail the gate."""

ORDER = (*FAILING, "deviation", "declared")
"""Verdicts of findings, most serious first."""

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Finding:
    """A departure at a step. ``used`` is the declared option that permits it, empty if none does."""

    signature: str
    verdict: str
    step: int
    breach: Breach
    used: str = ""

    @property
    def failing(self) -> bool:
        """Whether it fails the gate."""
        return self.verdict in FAILING


@dataclass(slots=True)
class Judgement(Generic[State]):
    """What judging a program gave. ``skipped`` says why steps were not carried out.

    ``states`` are those before each judged step, and the last one after it.
    """

    findings: list[Finding] = field(default_factory=list)
    clauses: Counter[str] = field(default_factory=Counter)
    operations: int = 0
    states: list[State] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def finding(signature: str, step: int, breach: Breach, contract: LayerContract) -> Finding:
    """A departure with its verdict under a contract."""
    used = next((option for option in breach.options if contract.permits(option)), "")
    if breach.should:
        verdict = "deviation"
    elif used:
        verdict = "declared"
    else:
        verdict = "undeclared" if breach.options else "violation"
    return Finding(signature, verdict, step, breach, used)
