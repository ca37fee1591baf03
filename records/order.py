"""The order of divergences, in records and in all reports: what fails the gate first, then what harms users most."""

from __future__ import annotations

from collections.abc import Iterable

from fsconform.records.gate import fails
from fsconform.records.results import IMPACTS, SEVERITY, Divergence


def rank(verdict: str) -> int:
    """The place of a verdict in the order of severity; an unknown one counts as most serious."""
    return SEVERITY.index(verdict) if verdict in SEVERITY else -1


def impact_rank(impact: str) -> int:
    """The place of an impact, worst first; one that is not known, or was not derived, comes last."""
    return IMPACTS.index(impact) if impact in IMPACTS else len(IMPACTS)


def seriousness(one: Divergence) -> tuple[bool, int, int, int]:
    """What divergences of all stores are ordered by: what fails, then verdict, impact, the length of the program."""
    return not fails(one), rank(one.verdict), impact_rank(one.impact), one.steps


def by_severity(divergences: Iterable[Divergence]) -> list[Divergence]:
    """Divergences that fail first; by verdict, most serious first, impact, length of the program, signature."""
    return sorted(divergences, key=lambda one: (seriousness(one), one.signature))
