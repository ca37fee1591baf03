"""Which signatures of a run under way would fail the gate: what waivers accept counts as accepted from the start.

With ``--fail-fast`` one that would fail is minimised, replayed and held against the waivers before exploring ends for
it: a symptom of a known cause, or what no replay shows, does not end it, and is not tried again.
"""

from __future__ import annotations

from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected, absorbed
from fsconform.engine.confirm import prove
from fsconform.engine.gate import Terms, settled
from fsconform.engine.trial import Trial
from fsconform.engine.waivers import Failing, traits_of
from fsconform.records.gate import effect


class Sieve:
    """The signatures met so far, held against the terms of the store. For one thread."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.failed = ""
        """The first signature that was confirmed to fail the gate."""
        self._accepted: dict[str, bool] = {}
        self._tried: set[str] = set()

    def note(self, trial: Trial, collected: Collected) -> None:
        """Hold the findings of a trial that was collected against the waivers: of each signature the best program."""
        for finding in trial.judgement.findings:
            name = finding.signature
            if effect(finding.verdict) != "fails":
                continue
            sample = collected.samples.get(name)
            if name not in self._accepted or (sample is not None and sample.program is trial.program):
                shown = Failing(traits_of(trial.program, trial.execution.trace.events, finding.clause))
                self._accepted[name] = self.terms.accepts(finding, shown)

    def accepted(self, collected: Collected) -> int:
        """How many signatures a waiver, a quirk or the baseline accepts."""
        waived = sum(1 for one in collected.samples.values() if one.finding.verdict == "waived")
        return waived + sum(self._accepted.values())

    def failing(self, collected: Collected) -> int:
        """How many would fail: not accepted, no special case of another, and not found to be a symptom or flaky."""
        return len(self._open(collected))

    def _open(self, collected: Collected) -> list[str]:
        refused = [name for name, accepted in self._accepted.items() if not accepted and name not in self._tried]
        special = absorbed(collected.samples) if refused else {}
        return [
            name
            for name in refused
            if name not in special and name in collected.samples and collected.samples[name].finding.first
        ]

    def confirm(self, benches: Benches, collected: Collected) -> None:
        """Minimise and replay what would fail, until one does fail. Raises StoreLost."""
        for name in self._open(collected):
            sample = collected.samples[name]
            with benches.internal.noting("confirming for --fail-fast", sample.program), benches.lent() as bench:
                proven = prove(benches, bench, sample)
                assert proven is not None  # nothing failed before it
                found = proven.finding
                waiver = self.terms.waiver_of(found, proven.failing)
                verdict = settled(found.verdict, waiver, proven.replays, proven.shown)
                if effect(verdict) == "fails" and found.signature not in self.terms.known:
                    self.failed = found.signature
                    return
            self._tried.add(name)
