"""Families of operations: the headings under which a report gathers divergences, calls and clauses."""

from __future__ import annotations

import re

from fsconform.records.results import Divergence

OTHER = "other"
"""The family of what names none."""

_METHOD = re.compile(r"([A-Za-z_]\w*)\s*\(")


def family(heading: str) -> str:
    """The short name of a heading: ``rename`` for ``boolean rename(Path src, Path d)``; another heading as it is."""
    found = _METHOD.search(heading)
    return found[1] if found else heading.strip() or OTHER


def area_of(divergence: Divergence) -> str:
    """The family that departs; in the records of older runs, which name none, the operation."""
    return family(divergence.area or divergence.operation)
