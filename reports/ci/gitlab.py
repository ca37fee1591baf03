"""GitLab's code quality report: a JSON list of what fails the gate, and of deviations.

See https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format.
"""

from __future__ import annotations

import json
from typing import Any

from fsconform.records.results import LOSING_IMPACTS, Divergence, Results, StoreRecord
from fsconform.reports import words
from fsconform.reports.ci.shared import LONGEST, PLACE, accepted, every, fingerprint, title
from fsconform.reports.visible import visible


def code_quality(results: Results, place: str = PLACE) -> bytes:
    """The report in UTF-8; ``place`` is the file of the repository at which the findings are shown."""
    shown = [_row(store, one, place) for store, one in every(results) if _listed(one)]
    return json.dumps(shown, indent=1).encode() + b"\n"


def _listed(one: Divergence) -> bool:
    return words.fails(one) or (one.verdict == "deviation" and not accepted(one))


def _row(store: StoreRecord, one: Divergence, place: str) -> dict[str, Any]:
    return {
        "description": f"{title(store, one)} ({visible(one.clause, LONGEST)})",
        "check_name": visible(one.clause, LONGEST),
        "fingerprint": fingerprint(store, one),
        "severity": severity(one),
        "location": {"path": place, "lines": {"begin": 1}},
    }


def severity(one: Divergence) -> str:
    """GitLab's severity: critical where data come to harm, major for all else that fails the gate, else minor."""
    if not words.fails(one):
        return "minor"
    return "critical" if one.impact in LOSING_IMPACTS else "major"
