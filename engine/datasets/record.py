"""From what was judged of a committer on a store to the records that the reports read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fsconform.engine.datasets import describe
from fsconform.engine.datasets.confirm import Proven, Tried
from fsconform.engine.datasets.protocol import Observed
from fsconform.engine.layers import record
from fsconform.engine.layers.findings import ORDER, Finding
from fsconform.engine.layers.record import ClauseRow, Place, Telling, layer_record
from fsconform.engine.waivers import Waiver
from fsconform.model.datasets.operations import Operation, encode
from fsconform.records.results import StepRecord, StoreRecord

__all__ = ["FAILING_ORDER", "Collected", "Place", "store_record"]

FAILING_ORDER = ORDER

Collected = record.Collected[Operation, Observed]


def store_record(
    place: Place,
    collected: Collected,
    proven: Iterable[Proven],
    row: ClauseRow,
    waivers: Iterable[Waiver],
    reproducer: str,
    problems: list[str],
    complete: bool,
) -> StoreRecord:
    """The record of a committer on a store. ``reproducer`` is a command with ``{replay}`` for the replay file."""
    return layer_record(TELLING, place, collected, proven, row, waivers, reproducer, problems, complete)


def _sequence(tried: Tried, finding: Finding) -> list[StepRecord]:
    rows = []
    for index, (operation, seen) in enumerate(zip(tried.program, tried.seen, strict=False)):
        state = tried.judgement.states[min(index, len(tried.judgement.states) - 1)]
        rows.append(
            StepRecord(
                call=describe.call(operation),
                operation=encode(operation),
                observed=describe.observed(seen.ending, seen.look),
                expected=describe.expected(operation, state),
                marked=index == finding.step,
                changed=_changed(seen.look.rows, state.rows),
            )
        )
    return rows


def _changed(now: tuple[str, ...], before: tuple[str, ...]) -> tuple[str, ...]:
    added, gone = Counter(now) - Counter(before), Counter(before) - Counter(now)
    words = [f"+ {added.total()} rows"] if added else []
    return tuple(words + ([f"- {gone.total()} rows"] if gone else []))


def _area(finding: Finding) -> str:
    return finding.signature.partition(":")[0].partition(" (")[0].partition(",")[0]


TELLING: Telling[Operation, Observed] = Telling(
    name=lambda operation: operation.NAME,
    encode=encode,
    sequence=_sequence,
    said=lambda seen: (seen.ending.message, seen.ending.stack),
    area=_area,
)
