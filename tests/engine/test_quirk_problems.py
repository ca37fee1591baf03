"""Which known bugs fail a gate: expired ones that were needed; unneeded ones only where that is asked."""

from __future__ import annotations

import datetime

import pytest

from fsconform.engine.recorder import quirk_problems
from fsconform.records.results import QuirkRecord

TODAY = datetime.date(2026, 11, 23)
YESTERDAY, TOMORROW = "2026-11-22", "2026-11-24"


def record(expires: str, needed: int, occasional: bool = False) -> QuirkRecord:
    """The record of a quirk of a run."""
    return QuirkRecord("a/b", "title", "clause", "data lost", "reason", "docs/x.md#y", expires, needed, occasional)


@pytest.mark.parametrize("strict", [False, True])
def test_a_quirk_that_is_needed_fails_nothing_until_it_expires(strict: bool) -> None:
    assert quirk_problems([record(TOMORROW, 1)], TODAY, strict) == []
    assert quirk_problems([record(YESTERDAY, 1)], TODAY, strict) == [f"expired on {YESTERDAY}: a/b"]


def test_a_quirk_that_is_never_needed_fails_only_where_that_is_asked() -> None:
    assert quirk_problems([record(TOMORROW, 0)], TODAY, False) == []
    (problem,) = quirk_problems([record(TOMORROW, 0)], TODAY, True)
    assert problem.startswith("never needed") and problem.endswith("a/b")
    assert quirk_problems([record(TOMORROW, 0, occasional=True)], TODAY, True) == []
