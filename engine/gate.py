"""What the gate holds a divergence against before it may fail: the waivers of its store, and whether replays show it.

Everything that judges asks here which of its findings fail: a run while it explores and at its end, pytest sessions,
campaigns, rechecks and replays. ``records.gate`` says what follows for the exit code.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from fsconform.engine.subject import Finding
from fsconform.engine.waivers import NOTHING_KNOWN, Failing, Waived, Waiver, apply
from fsconform.records.gate import effect


def today() -> datetime.date:
    """The day by which waivers and quirks hold or have expired."""
    return datetime.datetime.now(datetime.UTC).date()


def settled(verdict: str, waiver: Waiver | None, replays: int, shown: int) -> str:
    """The verdict that a signature ends with: waived, or inconclusive if it would fail and no replay showed it.

    What is declared or accepted stays so, however seldom it is seen.
    """
    if waiver is not None:
        return "waived"
    if effect(verdict) == "fails" and replays and not shown:
        return "inconclusive"
    return verdict


@dataclass(frozen=True, slots=True)
class Terms:
    """What the divergences of one store are held against: waivers, and what a baseline knows."""

    store: str
    waivers: tuple[Waiver, ...] = ()
    known: frozenset[str] = frozenset()
    """The signatures that fail in the baseline of the run: they do not fail it."""

    def applied(self, failing: Mapping[str, Failing], complete: bool) -> Waived:
        """The waivers that accept some of these signatures today; of a ``complete`` run unused ones are problems."""
        return apply(self.waivers, self.store, failing, today(), complete)

    def waiver_of(self, finding: Finding, failing: Failing = NOTHING_KNOWN) -> Waiver | None:
        """The waiver that accepts a finding, if one does; ``failing`` is of the program that shows it."""
        return self.accepting(finding.signature, failing) if finding.waivable else None

    def accepting(self, signature: str, failing: Failing = NOTHING_KNOWN) -> Waiver | None:
        """The waiver that accepts a signature that may be waived, of whatever layer."""
        return self.applied({signature: failing}, complete=False).by_signature.get(signature)

    def fails(self, finding: Finding, failing: Failing = NOTHING_KNOWN) -> bool:
        """Whether a finding fails the gate, as far as it is known without replays."""
        return finding.failing and not self.accepts(finding, failing)

    def accepts(self, finding: Finding, failing: Failing = NOTHING_KNOWN) -> bool:
        """Whether a finding that would fail is known by the baseline, or accepted by a waiver."""
        return finding.signature in self.known or self.waiver_of(finding, failing) is not None
