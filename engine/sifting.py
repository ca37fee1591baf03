"""A filesystem as it is explored: which signatures would fail the gate; what waivers accept counts so from the start.

With ``--fail-fast`` one that would fail is minimised, replayed and held against the waivers before exploring ends for
it: a symptom of a known cause, or what no replay shows, does not end it, and is not tried again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected, Curve, absorbed
from fsconform.engine.confirm import prove
from fsconform.engine.gate import Terms, settled
from fsconform.engine.ground import Ground
from fsconform.engine.slow_calls import Slow
from fsconform.engine.trial import Bench, Trial
from fsconform.engine.waivers import Failing, traits_of
from fsconform.model.filesystem.programs import Step
from fsconform.records.gate import effect


def _unheard(slow: Slow) -> None:
    """Nobody wants to hear of slow calls."""


class Files(Ground[Step, Trial, Collected]):
    """A filesystem, with its sessions; the signatures met so far are held against the terms of the store."""

    def __init__(self, benches: Benches, terms: Terms | None = None, slow: Callable[[Slow], None] = _unheard) -> None:
        """By default nothing is accepted. ``slow`` hears of an operation whose calls last long, once."""
        super().__init__(benches.store.name, Collected())
        self._benches, self._terms = benches, terms or Terms(benches.store.name)
        self._slow = slow
        self._accepted: dict[str, bool] = {}
        self._tried: set[str] = set()

    def lent(self) -> AbstractContextManager[Bench]:
        """A bench for a while. Raises StoreLost or SandboxRefused."""
        return self._benches.lent()

    def add(self, trial: Trial) -> tuple[int, int]:
        """Collect a trial, and hold its findings against the waivers."""
        with self._benches.internal.noting("collecting", trial.program):
            self.collected.add(trial, self._benches.oracle)
            self._note(trial)
        for slow in self.collected.slow.add(trial.execution.trace):
            self._slow(slow)
        return trial.judgement.operations, trial.execution.throttled

    def _note(self, trial: Trial) -> None:
        """Hold the findings of a trial that was collected against the waivers: of each signature the best program."""
        for finding in trial.judgement.findings:
            name = finding.signature
            if effect(finding.verdict) != "fails":
                continue
            sample = self.collected.samples.get(name)
            if name not in self._accepted or (sample is not None and sample.program is trial.program):
                shown = Failing(traits_of(trial.program, trial.execution.trace.events, finding.clause))
                self._accepted[name] = self._terms.accepts(finding, shown)

    def standing(self) -> tuple[int, int, int]:
        """Operations, then signatures: those that a waiver, a quirk or the baseline accepts, and that would fail.

        Of the latter are none that are a special case of another, or were found to be a symptom or flaky.
        """
        waived = sum(1 for one in self.collected.samples.values() if one.finding.verdict == "waived")
        return self.collected.operations, waived + sum(self._accepted.values()), len(self._open())

    def again(self, trial: Trial) -> str:
        """The signature behind which judging did not go on; empty where it did, or need not."""
        return "" if trial.judgement.wants_snapshot is None else trial.judgement.findings[-1].signature

    def fault(self, doing: str, error: Exception) -> None:
        """Keep an error of ours with the store."""
        self._benches.internal.add(doing, error)

    def grown(self, curve: Curve, seconds: float) -> None:
        """Note how coverage stands after so many seconds."""
        curve.add(seconds, self.collected)

    def _open(self) -> list[str]:
        refused = [name for name, accepted in self._accepted.items() if not accepted and name not in self._tried]
        samples = self.collected.samples
        special = absorbed(samples) if refused else {}
        return [name for name in refused if name not in special and name in samples and samples[name].finding.first]

    def confirm(self) -> None:
        """Minimise and replay what would fail, until one does fail. Raises StoreLost."""
        benches = self._benches
        for name in self._open():
            sample = self.collected.samples[name]
            with benches.internal.noting("confirming for --fail-fast", sample.program), benches.lent() as bench:
                proven = prove(benches, bench, sample)
                assert proven is not None  # nothing failed before it
                found = proven.finding
                waiver = self._terms.waiver_of(found, proven.failing)
                verdict = settled(found.verdict, waiver, proven.replays, proven.shown)
                if effect(verdict) == "fails" and found.signature not in self._terms.known:
                    self.failed = found.signature
                    return
            self._tried.add(name)
