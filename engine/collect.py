"""Collecting what judging gave: counts, latencies, and for each signature the smallest program seen that shows it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from fsconform.engine import subject
from fsconform.engine.findings import Finding
from fsconform.engine.minimise import size_of
from fsconform.engine.slow_calls import SlowCalls
from fsconform.engine.trial import Situation, Trial
from fsconform.model.core.outcomes import NotExpressible
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.validity import COMMON_CASES
from fsconform.records.results import DATA_IMPACTS, Point

NAMED = frozenset(case.name for case in COMMON_CASES)
"""The cases that come of a path's name alone. Whether the name plays a part is for a trial to show."""

LATENCY_SAMPLES = 20_000
"""Latencies kept of one operation; beyond that the earlier ones stand for all."""


def _harm(finding: Finding) -> int:
    """The place of what harms data among the impacts, worst first; equal for all that harms none."""
    return DATA_IMPACTS.index(finding.impact) if finding.impact in DATA_IMPACTS else len(DATA_IMPACTS)


@dataclass(slots=True)
class Sample:
    """A signature as it was met: the best program so far with its finding, and how often it was seen.

    ``met`` counts the cases that the departing call met in that program, if it is known; ``trial`` is what was
    observed then.
    """

    finding: Finding
    program: Program
    count: int = 1
    met: int = 0
    trial: Trial | None = None

    def offer(self, finding: Finding, program: Program, met: int = 0, trial: Trial | None = None) -> None:
        """Count one more sight, and keep the better program, whichever of the two was met first.

        Better is: worse for the data, then nothing failing before, then fewer failed preconditions beside the one that
        departs, then smaller, then the one whose text comes first: of two programs always the same one is better.
        """
        self.count += 1
        old, new = _rank(self.finding, self.met, self.program), _rank(finding, met, program)
        if new < old or (new == old and repr(program) < repr(self.program)):
            self.finding, self.program, self.met, self.trial = finding, program, met, trial


def _rank(finding: Finding, met: int, program: Program) -> tuple[int, bool, int, tuple[int, int]]:
    return _harm(finding), not finding.first, met, size_of(program)


@dataclass(slots=True)
class Collected(subject.Collected[Sample]):
    """Everything that judging one filesystem gave so far."""

    not_expressible: int = 0
    latencies: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    throttled_out: int = 0
    """Programs that could not be executed because the store went on asking to try again."""
    situations: set[Situation] = field(default_factory=set)
    slow: SlowCalls = field(default_factory=SlowCalls)

    def add(self, trial: Trial, oracle: Oracle | None = None) -> None:
        """Add one trial that counts: not those of minimising and confirming. With an oracle its situations count."""
        judgement, execution = trial.judgement, trial.execution
        self.programs += 1
        self.operations += judgement.operations
        self.probes += judgement.probes
        self.clauses.update(judgement.clauses)
        self.used.update(judgement.used)
        if oracle is not None:
            self.situations.update(trial.situations(oracle))
        if execution.lost:
            self.losses[execution.lost] += 1
            if judgement.findings and judgement.findings[-1].verdict == "inconclusive":
                self.lost_in[execution.lost] = judgement.findings[-1].signature
        if execution.given_up:
            self.throttled_out += 1
        for step, event in zip(trial.program, execution.trace.events, strict=False):
            if type(event.outcome) is NotExpressible:
                self.not_expressible += 1
                continue
            kept = self.latencies[step.operation.NAME]
            if len(kept) < LATENCY_SAMPLES:
                kept.append(event.returned - event.invoked)
        for finding in judgement.findings:
            met = len(trial.cases(oracle, finding)) if oracle is not None else 0
            sample = self.samples.get(finding.signature)
            if sample is None:
                self.samples[finding.signature] = Sample(finding, trial.program, met=met, trial=trial)
            else:
                sample.offer(finding, trial.program, met, trial)


def _is_wider(other: Finding, finding: Finding) -> bool:
    """True if a finding is another one, met in a place that has more to it."""
    harmed_alike = other.impact == finding.impact or finding.impact not in DATA_IMPACTS
    return harmed_alike and other.roles < finding.roles and not (finding.roles - other.roles) & NAMED


def absorbed(samples: dict[str, Sample]) -> dict[str, str]:
    """Violations that are another one seen in a more special place, each with the signature of that other one.

    Where no data come to harm by chance, as there were none, the one that shows the harm stands for both.
    """
    violations = {name: sample.finding for name, sample in samples.items() if sample.finding.verdict == "violation"}
    found: dict[str, str] = {}
    for name, finding in violations.items():
        wider = [
            other_name
            for other_name, other in violations.items()
            if other.operation == finding.operation
            and other.observed_kind == finding.observed_kind
            and other.after == finding.after
            and (_is_wider(other, finding) or (other.roles == finding.roles and _harm(other) < _harm(finding)))
        ]
        if wider:
            found[name] = min(wider, key=lambda one: (len(violations[one].roles), one))
    return found


MOST_POINTS = 100


class Curve:
    """At most MOST_POINTS points, in order of time; where there would be more, every other one is dropped."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self._apart = 0.0

    def add(self, seconds: float, collected: Collected) -> None:
        """Add where a store stands after so many seconds, unless the last point is too near."""
        if self.points and seconds < self.points[-1].seconds + self._apart:
            return
        if len(self.points) >= MOST_POINTS - 1:
            self.points = self.points[1::2]
            self._apart = 2 * max(self._apart, seconds / MOST_POINTS / 2)
        self.points.append(point(seconds, collected))

    def ended(self, seconds: float, collected: Collected) -> list[Point]:
        """The points with the end of the run as the last one; none if nothing was run."""
        if not collected.programs:
            return []
        last = point(seconds, collected)
        return [*(one for one in self.points if one.seconds < last.seconds), last]


def point(seconds: float, collected: Collected) -> Point:
    """Where a store stands after so many seconds."""
    return Point(
        round(seconds, 3),
        collected.operations,
        len(collected.clauses),
        len(collected.situations),
        len(collected.samples),
    )
