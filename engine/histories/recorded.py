"""Recorded histories as rows of plain values, and back: what several clients saw can be judged again.

A program can be run again; the moments at which its calls met can't. So a row keeps the whole history.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fsconform.engine.histories.concurrent import Concurrent, History, decode, encode
from fsconform.engine.histories.confirming import Judge, Met
from fsconform.engine.histories.execution import BEGINNING, ENDING
from fsconform.engine.histories.judging import Judged
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.histories.matrix import Matrix, Row
from fsconform.engine.histories.subject import RACES
from fsconform.engine.traces import TraceRowError, storable
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.programs import decode_outcome, encode_outcome
from fsconform.records.given import json_of, reason

HistoryRow = dict[str, Any]


def encode_history(history: History) -> HistoryRow:
    """The columns of a history: program, places, outcomes, invoked, returned, lost.

    The program and each outcome are JSON. ``places`` says of each call to which part of the program it belongs, in
    which it is the next one; ``returned`` is None of a call of whose end nobody heard. Raises ValueError for a program
    with observed content.
    """
    return {
        "program": _dumps(encode(history.program)),
        "places": list(history.places),
        "outcomes": [_dumps(encode_outcome(call.outcome)) for call in history.calls],
        "invoked": [call.invoked for call in history.calls],
        "returned": [call.returned for call in history.calls],
        "lost": storable(history.lost),
    }


def decode_history(row: Mapping[str, Any]) -> History:
    """The inverse of :func:`encode_history`; columns that it does not know are ignored. Raises TraceRowError."""
    try:
        program = decode(json_of(row["program"], "program"))
        places = tuple(map(int, row["places"]))
        left = {BEGINNING: iter(program.beginning), ENDING: iter(program.ending)}
        left |= {number: iter(lane) for number, lane in enumerate(program.lanes)}
        calls = []
        for place, told, began, ended in zip(places, row["outcomes"], row["invoked"], row["returned"], strict=True):
            operation = next(left[place], None)
            if operation is None:
                raise ValueError("it has more calls than its program")
            returned = None if ended is None else int(ended)
            outcome = decode_outcome(json_of(told, "outcome"))
            calls.append(Call(max(place, 0), operation, outcome, int(began), returned))
        return History(program, tuple(calls), places, str(row["lost"]))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        raise TraceRowError(f"not a recorded history: {type(error).__name__}: {reason(error)}") from error


def _dumps(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Shown:
    """One thing that a history shows: the signature, its verdict, and the clause that is broken."""

    signature: str
    verdict: str
    clause: str


@dataclass(frozen=True, slots=True)
class Sight:
    """What is seen of one history: what :class:`Matrix` counts of it.

    ``verdict`` and ``reason`` are those of judging, ``outcome`` is what the pair showed (empty of a watch), and
    ``pair_verdict`` what that is by the contract. ``milliseconds`` is how long a look was stale, 0 where that was not
    measured, and None where none was.
    """

    verdict: str
    reason: str
    outcome: str
    pair_verdict: str
    shown: tuple[Shown, ...]
    milliseconds: float | None
    matrix: Matrix[Operation, Outcome]

    @property
    def clauses(self) -> Counter[str]:
        """How often each clause was judged."""
        return self.matrix.clauses


class _One(Matrix[Operation, Outcome]):
    """The matrix of one history, which remembers how that was judged."""

    def __init__(self, judge: Judge[Operation, Outcome], measured: bool) -> None:
        super().__init__(RACES, judge, int(measured))
        self.verdict = Judged("unjudged")

    def judged(
        self, row: Row[Operation], history: History[Operation, Outcome]
    ) -> tuple[Judge[Operation, Outcome], Judged]:
        """See Matrix."""
        judge, self.verdict = super().judged(row, history)
        return judge, self.verdict


def seen(judge: Judge[Operation, Outcome], row: Row[Operation], history: History, measured: bool = False) -> Sight:
    """Judge what came of a row's program. What it gives hangs on no other history.

    It takes some searches more for how long a look was stale to be ``measured``.
    """
    one = _One(judge, measured)
    one.add(row, history)
    outcome, verdict, milliseconds = "", "", None
    for pair in one.pairs():
        outcome, verdict = pair.outcome, pair.verdict
    for stale in one.freshness():
        verdict, milliseconds = stale.verdict, stale.milliseconds if stale.stale else None
    shown = tuple(_shown(one))
    return Sight(one.verdict.verdict, one.verdict.reason, outcome, verdict, shown, milliseconds, one)


def _shown(one: _One) -> Iterator[Shown]:
    for name, sample in one.samples.items():
        met = sample.met
        clause = RACES.blame(sample.judge, met.history, met.judged).clause
        yield Shown(storable(name), met.judged.verdict, clause)


def met_again(judge: Judge[Operation, Outcome], history: History, signature: str) -> Met[Operation, Outcome] | None:
    """A history with the verdict by which it shows a signature; None if it does not show that by this judge."""
    samples = seen(judge, AsRecorded(history.program), history).matrix.samples
    return next((sample.met for name, sample in samples.items() if storable(name) == signature), None)


@dataclass(frozen=True, slots=True)
class AsRecorded:
    """A row of which nothing but its program is known any more."""

    program: Concurrent[Operation]

    @property
    def pair(self) -> tuple[str, str]:
        """Not known."""
        return "", ""

    @property
    def watches(self) -> bool:
        """Not known."""
        return False

    @property
    def group(self) -> str:
        """Not known."""
        return ""
