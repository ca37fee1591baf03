"""What the rules say of one step: the clauses that were judged, and how it departs from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from fsconform.model.core.layers import Breach, Judged
from fsconform.model.datasets.dataset import EMPTY, Dataset

__all__ = ["Breach", "Verdicts", "told"]

SHOWN = 6


@dataclass(slots=True)
class Verdicts(Judged):
    """What was judged of a step, collected rule by rule, and the dataset afterwards."""

    after: Dataset = EMPTY


def told(rows: Counter[str]) -> str:
    """Rows for a reader: the first few, and how many there are."""
    every = sorted(rows.elements())
    text = ", ".join(every[:SHOWN])
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return f"{len(every)} rows ({text}{more})" if every else "no rows"
