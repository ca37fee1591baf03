"""The exit code of a session: that of the gate, whatever pytest itself would end with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from fsconform.records import gate
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
    if status not in set(pytest.ExitCode):
        return status  # someone called pytest.exit with a code of their own
    stores = gate.of_stores(list(records))
    return gate.exit_code(
        failing=stores == gate.DIVERGENCES or bool(ending.failed) or status == pytest.ExitCode.TESTS_FAILED,
        unjudged=stores == gate.INCONCLUSIVE or ending.open or status != pytest.ExitCode.OK,
        unusable=bool(ending.unusable) or status == pytest.ExitCode.USAGE_ERROR,
    )
