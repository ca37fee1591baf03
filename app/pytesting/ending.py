"""The exit code of a session: that of the gate, whatever pytest itself would end with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from fsconform.app.problems import DIVERGENCES, INCONCLUSIVE, OK, USAGE
from fsconform.engine.judge import FAILING
from fsconform.records.results import StoreRecord


@dataclass(slots=True)
class Ending:
    """What the controller saw of a session beside records.

    ``unusable`` counts modules that could not be collected and sandboxes that were refused; ``open`` is set where
    something that was asked for could not be judged.
    """

    failed: int = 0
    unusable: int = 0
    open: bool = False


def exit_code(status: int, ending: Ending, records: Iterable[StoreRecord]) -> int:
    """The code of a session that pytest ends with ``status``. Of 2, 1, 3 and 0 the first that applies."""
    records = list(records)
    if status not in set(pytest.ExitCode):
        return status  # someone called pytest.exit with a code of their own
    if ending.unusable or status == pytest.ExitCode.USAGE_ERROR:
        return USAGE
    departed = any(record.waiver_problems or any(map(record.verdicts.get, FAILING)) for record in records)
    if departed or ending.failed or status == pytest.ExitCode.TESTS_FAILED:
        return DIVERGENCES
    unjudged = any(
        record.problems or record.internal_errors or not record.operations or not record.clauses for record in records
    )
    doubtful = any(record.verdicts.get("inconclusive") for record in records)
    return INCONCLUSIVE if status != pytest.ExitCode.OK or ending.open or unjudged or doubtful else OK
