"""What one replay of a recorded divergence shows: that divergence, another one, none, or nothing that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic

from fsconform.engine import describe
from fsconform.engine.findings import Finding
from fsconform.engine.gate import Terms
from fsconform.engine.subject import F
from fsconform.engine.trial import Bench, Trial
from fsconform.engine.waivers import Failing, Waiver, traits_of
from fsconform.model.core.outcomes import NotExpressible
from fsconform.records.gate import Shown


@dataclass(frozen=True, slots=True)
class Replayed(Generic[F]):
    """What a replay showed.

    ``wanted`` is the recorded divergence with the ``waiver`` that accepts it, ``others`` are those that fail the gate
    and ``accepted`` those that a waiver accepts; ``unknown`` says why the replay can't say that there is nothing.
    """

    wanted: F | None
    waiver: Waiver | None
    others: tuple[F, ...]
    accepted: tuple[tuple[F, Waiver], ...]
    unknown: str

    @property
    def shown(self) -> Shown:
        """What the gate is to know of it."""
        wanted = self.wanted.verdict if self.wanted is not None else ""
        return Shown(wanted, tuple(one.verdict for one in self.others), self.unknown)


def of_findings(
    findings: Iterable[F],
    signature: str,
    terms: Terms,
    failing: Callable[[F], Failing],
    unknown: Callable[[], str],
) -> Replayed[F]:
    """What findings show of the divergence with a signature; ``failing`` is what waivers are held against of each."""
    found = {one.signature: one for one in findings}
    others: list[F] = []
    accepted: list[tuple[F, Waiver]] = []
    wanted = found.pop(signature, None)
    for one in found.values():
        if one.failing:
            waiver = terms.waiver_of(one, failing(one))
            if waiver is None:
                others.append(one)
            else:
                accepted.append((one, waiver))
    waiver = terms.waiver_of(wanted, failing(wanted)) if wanted is not None else None
    return Replayed(wanted, waiver, tuple(others), tuple(accepted), "" if wanted is not None else unknown())


def of_trial(trial: Trial, signature: str, terms: Terms) -> Replayed[Finding]:
    """What a trial of a recorded program shows of the divergence with a signature."""

    def failing(finding: Finding) -> Failing:
        return Failing(traits_of(trial.program, trial.execution.trace.events, finding.clause))

    return of_findings(trial.judgement.findings, signature, terms, failing, lambda: _unknown(trial))


def to_its_end(bench: Bench, trial: Trial, signature: str, terms: Terms) -> Trial:
    """The trial, judged on where it does not show the divergence with a signature yet. Raises StoreLost.

    It may stand behind what is accepted, or show only in a look after the call.
    """
    if trial.execution.lost or of_trial(trial, signature, terms).wanted is not None:
        return trial
    return bench.go_on(trial)


def _unknown(trial: Trial) -> str:
    """Why a divergence that was not shown may be there all the same; empty if every step was asked and judged.

    A minimal program has no step that plays no part: one that was not asked leaves the divergence open.
    """
    if not trial.program:
        return "the program has no steps: nothing was asked of the store"
    for number, (step, event) in enumerate(zip(trial.program, trial.execution.trace.events, strict=False), 1):
        if type(event.outcome) is NotExpressible:
            call = describe.call(step.operation)
            return f"the store can't express step {number}, {call}, and was not asked: {event.outcome.reason}"
    for finding in trial.judgement.findings:
        if finding.verdict == "inconclusive":
            return f"step {finding.step + 1} could not be judged: {finding.observed}"
    # There is a state before each judged step, and one after the last.
    judged = min(len(trial.judgement.states), len(trial.program))
    if judged < len(trial.program):
        return f"judging ended with step {judged}: what is there after it is not known"
    return ""
