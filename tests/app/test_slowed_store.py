"""One seed and effort on a real store, and on the same one slowed down: programs, divergences and counts are equal."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord

Command = Callable[..., subprocess.CompletedProcess[str]]

SLOW = 125
"""Calls a second and session: one every 8 ms, where the slowest take 3 ms. So each is slowed by 5 ms at least."""


def told(record: StoreRecord) -> dict[str, Any]:
    """All that a run tells of a store but for times and places, and for races, which hang on the moment."""
    races = record.races
    assert races is not None and races.programs == races.planned > 0
    return {
        "problems": record.problems,
        "cut off": record.cut_off,
        "counts": (record.programs - races.programs, record.operations - races.calls, record.probes),
        "explorers": [(one.name, one.planned, one.programs, one.operations, one.note) for one in record.explorers],
        "clauses": dict(Counter(record.clauses) - Counter(races.clauses)),
        "races": (races.planned, races.programs, races.calls),
        "quirks": [(one.id, one.needed) for one in record.quirks if not one.occasional],
        "divergences": [
            (one.signature, one.verdict, one.clause, one.count, one.program)
            for one in record.divergences
            if one.history is None
        ],
    }


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_calls_slowed_by_5_ms_change_nothing_on_a_real_store(fsconform: Command, tmp_path: Path) -> None:
    found = []
    for out, rate in (("fast", ()), ("slow", ("--rate", SLOW))):
        ran = fsconform(
            *("run", "--store", "rawlocal", "--effort", "normal", "--seed", "3", "--out", out, *rate), seconds=1700
        )
        (record,) = loads(tmp_path / out / "latest" / "results.json").stores
        assert record.operations > 50_000, ran.stderr
        found.append((ran.returncode, record))
    (code, fast), (slow_code, slow) = found
    assert told(fast) == told(slow) and code == slow_code
    session_seconds = slow.seconds * slow.sessions
    assert session_seconds >= (slow.operations + slow.probes) / SLOW, "it was slowed down"
