"""Collecting what judging gave: counts, latencies, and for each signature the smallest program seen that shows it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from fsconform.engine.findings import Finding
from fsconform.engine.minimise import size_of
from fsconform.engine.trial import Trial
from fsconform.model.operations import NAMES
from fsconform.model.outcomes import NotExpressible
from fsconform.model.programs import Program
from fsconform.model.validity import COMMON_CASES

NAMED = frozenset(case.name for case in COMMON_CASES)
"""The cases that come of a path's name alone. Whether the name plays a part is for a trial to show."""

LATENCY_SAMPLES = 20_000
"""Latencies kept of one operation; beyond that the earlier ones stand for all."""


@dataclass(slots=True)
class Sample:
    """A signature as it was met: the smallest program so far with its finding, and how often it was seen."""

    finding: Finding
    program: Program
    count: int = 1

    def offer(self, finding: Finding, program: Program) -> None:
        """Count one more sight, and keep the better program: nothing failing before, then the smaller."""
        self.count += 1
        if (not finding.first, size_of(program)) < (not self.finding.first, size_of(self.program)):
            self.finding, self.program = finding, program


@dataclass(slots=True)
class Collected:
    """Everything that judging one store gave so far."""

    programs: int = 0
    operations: int = 0
    probes: int = 0
    not_expressible: int = 0
    clauses: Counter[str] = field(default_factory=Counter)
    used: Counter[tuple[tuple[str, bool], str]] = field(default_factory=Counter)
    samples: dict[str, Sample] = field(default_factory=dict)
    latencies: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    losses: Counter[str] = field(default_factory=Counter)

    def add(self, trial: Trial) -> None:
        """Add one trial that counts: not those of minimising and confirming."""
        judgement, execution = trial.judgement, trial.execution
        self.programs += 1
        self.operations += judgement.operations
        self.probes += judgement.probes
        self.clauses.update(judgement.clauses)
        self.used.update(judgement.used)
        if execution.lost:
            self.losses[execution.lost] += 1
        for step, event in zip(trial.program, execution.trace.events, strict=False):
            if type(event.outcome) is NotExpressible:
                self.not_expressible += 1
                continue
            kept = self.latencies[NAMES[type(step.operation)]]
            if len(kept) < LATENCY_SAMPLES:
                kept.append(event.returned - event.invoked)
        for finding in judgement.findings:
            sample = self.samples.get(finding.signature)
            if sample is None:
                self.samples[finding.signature] = Sample(finding, trial.program)
            else:
                sample.offer(finding, trial.program)


def absorbed(samples: dict[str, Sample]) -> dict[str, str]:
    """Violations that are another one seen in a more special place, each with the signature of that other one."""
    violations = {name: sample.finding for name, sample in samples.items() if sample.finding.verdict == "violation"}
    found: dict[str, str] = {}
    for name, finding in violations.items():
        wider = [
            other_name
            for other_name, other in violations.items()
            if other.operation == finding.operation
            and other.observed_kind == finding.observed_kind
            and other.after == finding.after
            and other.roles < finding.roles
            and not (finding.roles - other.roles) & NAMED
        ]
        if wider:
            found[name] = min(wider, key=lambda one: (len(violations[one].roles), one))
    return found
