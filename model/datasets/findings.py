"""What the rules say of one step: the clauses that were judged, and how it departs from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from fsconform.model.datasets.dataset import EMPTY, Dataset

SHOWN = 6


@dataclass(frozen=True, slots=True)
class Breach:
    """One departure. Any one of the ``options``, where it is declared, permits it; none does where there are none.

    ``symptom`` has no names and no numbers in it. ``should`` marks a clause that need not be followed. ``who`` stands
    for the step in the signature where the departure does not hang on what kind of step it was.
    """

    clause: str
    symptom: str
    expected: str
    observed: str
    options: tuple[str, ...] = ()
    should: bool = False
    who: str = ""


@dataclass(slots=True)
class Verdicts:
    """What was judged of a step, collected rule by rule, and the dataset afterwards."""

    clauses: list[str] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)
    after: Dataset = EMPTY

    def judged(self, *clauses: str) -> None:
        """Clauses that the step was held against."""
        self.clauses += clauses

    def breach(
        self,
        clause: str,
        symptom: str,
        expected: str,
        observed: str,
        options: tuple[str, ...] = (),
        should: bool = False,
        who: str = "",
    ) -> None:
        """Note a departure from a clause, which counts as judged."""
        self.clauses.append(clause)
        self.breaches.append(Breach(clause, symptom, expected, observed, options, should, who))


def told(rows: Counter[str]) -> str:
    """Rows for a reader: the first few, and how many there are."""
    every = sorted(rows.elements())
    text = ", ".join(every[:SHOWN])
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return f"{len(every)} rows ({text}{more})" if every else "no rows"
