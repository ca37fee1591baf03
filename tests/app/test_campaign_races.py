"""The end of a campaign's races: what is confirmed, what is known, and what is told where no store can be reached."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsconform.adapters.stores.quirks import with_quirks
from fsconform.adapters.stores.site import Setup
from fsconform.app.campaigns import raced
from fsconform.app.campaigns.raced import CampaignRaces, confirmed
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.exploration import NOT_PROVEN
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.histories.recorded import AsRecorded, encode_history, seen
from fsconform.engine.protocol import Store, StoreLost
from fsconform.harness.races import judge_of
from fsconform.harness.targets import Target, targets
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Returned
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.oracle import Oracle
from fsconform.pipeline.aggregate import Aggregated
from fsconform.pipeline.units import Unit

CREATE: Operation = Create(("a",), content.of(2, 5), False)
DONE: Outcome = Returned(None)
BOTH_WON: History = History(
    Concurrent((), ((CREATE,), (CREATE,)), (0, 0)), (Call(0, CREATE, DONE, 1, 4), Call(1, CREATE, DONE, 2, 3)), (0, 1)
)
"""Two creates without overwrite at once that both succeed: no order explains it, and on `rawlocal` it is known."""

UNITS = (Unit(0, "proving", "races", "races", 0, 10),)


def _target(*quirks: str) -> Target:
    (target,) = targets(("proving",), None, "", None, None)
    return replace(target, contract=with_quirks(target.contract, *quirks)) if quirks else target


def _aggregated(target: Target) -> Aggregated:
    """What Spark would add up of ten such histories, of which three were met."""
    sight = seen(judge_of(Oracle(target.contract)), AsRecorded(BOTH_WON.program), BOTH_WON)
    (shown,) = sight.shown
    pair = {
        **{"store": "proving", "suite": "races", "first_lane": "create", "second_lane": "create", "watches": False},
        **{"tables": "", "programs": 10, "calls": 20, "overlaps": 7, "stale": 0, "milliseconds": None},
        **{"outcomes": ["atomic", sight.outcome], "verdicts": ["conforms", sight.pair_verdict]},
        **{"signatures": [shown.signature], "clients": ["processes"]},
    }
    other = {**pair, "store": "another"}
    smallest = encode_history(BOTH_WON)
    counts = [
        {"store": "proving", "suite": "races", "kind": "clause", "name": shown.clause, "detail": "", "count": 9},
        {
            "store": "proving",
            "suite": "races",
            "kind": "total",
            "name": "nanoseconds",
            "detail": "",
            "count": 2 * 10**9,
        },
        {"store": "proving", "suite": "rename", "kind": "clause", "name": shown.clause, "detail": "", "count": 100},
    ]
    return Aggregated(
        counts=counts,
        races=[pair, other],
        race_signatures=[{"store": "proving", "signature": shown.signature, "sights": 3, "smallest": smallest}],
        race_reasons=[{"store": "proving", "reason": "given up", "programs": 2}],
    )


def _confirmed(target: Target, tmp_path: Path, troubles: list[str]) -> CampaignRaces:
    setup = Setup(tmp_path / "logs", lambda text: None, fault="create-checks-then-acts")
    found = confirmed(target, _aggregated(target), UNITS, None, setup, troubles, lambda doing: None)
    assert found is not None
    return found


def test_a_race_is_confirmed_by_clients_of_the_driver(tmp_path: Path) -> None:
    troubles: list[str] = []
    found = _confirmed(_target(), tmp_path, troubles)
    (one,) = found.raced.proven
    assert troubles == [] and (one.finding.verdict, one.count) == ("violation", 3)
    assert one.shown > 0 and one.confirmed_race.is_confirmed
    record = found.record
    assert (record.planned, record.programs, record.calls, record.overlaps, record.clients) == (
        10,
        10,
        20,
        7,
        "processes",
    )
    (pair,) = record.pairs
    assert (pair.outcome, pair.verdict, pair.signatures) == ("both won", "violation", [one.finding.signature])
    assert list(record.clauses.values()) == [9] and record.seconds > 2
    assert record.notes == ["not judged, 2 times: given up"]


@pytest.mark.parametrize("error", [StoreLost("gone"), KeyboardInterrupt()])
def test_what_could_not_be_confirmed_is_told_as_it_was_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def lost(*given: object) -> Store:
        raise error

    monkeypatch.setattr(raced, "driver_store", lost)
    troubles: list[str] = []
    (one,) = _confirmed(_target(), tmp_path, troubles).raced.proven
    assert (one.finding.verdict, one.count, one.shown, one.note) == ("violation", 3, 0, NOT_PROVEN)
    (told,) = troubles
    assert told.startswith("races are not confirmed: gone" if isinstance(error, StoreLost) else "interrupted while")


def test_a_known_race_is_told_as_such_and_no_store_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raced, "driver_store", None)
    troubles: list[str] = []
    found = _confirmed(_target("rawlocal"), tmp_path, troubles)
    (one,) = found.raced.proven
    assert troubles == [] and (one.finding.verdict, one.count) == ("waived", 3)
    assert one.finding.quirk.startswith("rawlocal/")
    assert [pair.verdict for pair in found.record.pairs] == ["waived"]


def test_a_store_without_units_of_races_has_no_record(tmp_path: Path) -> None:
    target, setup = _target(), Setup(tmp_path / "logs", lambda text: None)
    units = (Unit(0, "proving", "rename", "drawn", 0, 10), Unit(1, "another", "races", "races", 0, 10))
    assert confirmed(target, Aggregated(), units, None, setup, [], lambda doing: None) is None
