"""A run held against an earlier one, its baseline: what both have is known, and only what is new fails the gate. Pure.

The rule is that of ``records.comparison``: a failing verdict is new where the earlier run has no failing one for the
same signature. Beyond it deviations count, and what has a cause that the earlier run has as well is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fsconform.records.codec import storable
from fsconform.records.comparison import by_name, by_signature, failing_anew, missing, why_unjudged
from fsconform.records.gate import effect, impact_rank
from fsconform.records.results import Divergence, Results, StoreRecord


@dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier run, and its ``path`` as the user gave it. Raises ComparisonError if it names a store twice."""

    path: str
    results: Results

    def __post_init__(self) -> None:
        by_name(self.results)

    def known_failing(self, store: str) -> frozenset[str]:
        """The signatures of a store that fail in the earlier run."""
        return frozenset(
            signature
            for signature, one in by_signature(by_name(self.results).get(store)).items()
            if effect(one.verdict) == "fails"
        )

    def marked_of(self, store: str, divergences: Iterable[Divergence]) -> list[Divergence]:
        """The divergences of a store with what is known and what is new."""
        return _marked(divergences, by_name(self.results).get(store))

    def marked(self, store: StoreRecord) -> StoreRecord:
        """The record of a store with what is known and what is new. Marking it again changes nothing."""
        earlier = by_name(self.results).get(store.name)
        old_problems = earlier.waiver_problems + earlier.known_waiver_problems if earlier else []
        known = [one for one in store.waiver_problems if storable(one) in old_problems]
        note = [f"{one}: all that it shows is new" for one in why_unjudged(f"the baseline {self.path}", earlier)]
        return replace(
            store,
            divergences=_marked(store.divergences, earlier),
            waiver_problems=missing(store.waiver_problems, known),
            known_waiver_problems=[*store.known_waiver_problems, *known],
            baseline=self.path,
            baseline_note="; ".join(note),
            baseline_fixed=_fixed(store, earlier),
        )


def _marked(divergences: Iterable[Divergence], earlier: StoreRecord | None) -> list[Divergence]:
    olds = by_signature(earlier)
    by_cause: dict[str, list[Divergence]] = {}
    for old in earlier.divergences if earlier else ():
        if old.cause:
            by_cause.setdefault(old.cause, []).append(old)
    return [replace(one, baseline=_standing(one, olds, by_cause)) for one in divergences]


def _fixed(store: StoreRecord, earlier: StoreRecord | None) -> list[str]:
    """Signatures that failed in the earlier run and are not shown any more, by themselves or by their cause.

    None where the store was judged in part: what is not shown may be what the run did not come to.
    """
    if store.problems:
        return []
    shown = {storable(one.signature) for one in store.divergences}
    causes = {storable(one.cause) for one in store.divergences if one.cause}
    return [
        old.signature
        for old in by_signature(earlier).values()
        if effect(old.verdict) == "fails"
        and store.clauses.get(old.clause, 0) > 0
        and old.signature not in shown
        and old.cause not in causes
    ]


def _standing(one: Divergence, olds: dict[str, Divergence], by_cause: dict[str, list[Divergence]]) -> str:
    """known or new; empty for what fails no gate, with a baseline or without."""
    if effect(one.verdict) == "listed" and one.verdict != "deviation":
        return ""
    old = olds.get(storable(one.signature))
    related = [other for other in by_cause.get(storable(one.cause), ()) if not _worse(one, other)]
    return "known" if any(_has(one, other) for other in (*([old] if old else []), *related)) else "new"


def _has(one: Divergence, old: Divergence) -> bool:
    """Whether an old divergence of the same signature or cause is as serious as one of now."""
    if effect(one.verdict) == "fails":
        return not failing_anew(one, old)
    return old.verdict == one.verdict or effect(old.verdict) == "fails"


def _worse(one: Divergence, old: Divergence) -> bool:
    """Whether one harms data more than the other of the same cause: it is not the same then."""
    return impact_rank(one.impact) < impact_rank(old.impact)
