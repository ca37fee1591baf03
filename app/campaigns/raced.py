"""The end of a campaign's races: what units saw is put together, and each race confirmed by the driver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from fsconform.adapters.meeting import board
from fsconform.adapters.stores.site import Setup
from fsconform.app.campaigns.stores import Shared, driver_store
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.exploration import Exploration, Plan, Tick
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.matrix import Matrix, Sample
from fsconform.engine.histories.recorded import decode_history, met_again
from fsconform.engine.histories.subject import RACES
from fsconform.engine.protocol import StoreLost
from fsconform.engine.subject import SERIOUSNESS
from fsconform.engine.traces import Row
from fsconform.harness import interrupts, races
from fsconform.harness.races import PROVING_SECONDS, THREADS, Raced
from fsconform.harness.sites import RECOVERABLE
from fsconform.harness.targets import Target
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.oracle import Oracle
from fsconform.pipeline.aggregate import Aggregated
from fsconform.pipeline.units import Unit
from fsconform.records.results import RACE_OUTCOMES, RaceOutcome, RacePair, RacesRecord, StaleRecord

NO_TIME = -1.0
"""Seconds for proving: all is reported as it was met."""


@dataclass(frozen=True, slots=True)
class CampaignRaces:
    """What was tried of a store's races in a campaign, and what was found, as ``raced`` and as a record."""

    raced: Raced
    record: RacesRecord


class _Nobody:
    """Clients of a store that can't be reached."""

    def execute(self, programs: Sequence[Concurrent[Operation]]) -> list[History]:
        """Raises StoreLost."""
        raise StoreLost("the store was not opened to confirm races")


class _Counted(Matrix[Operation, Outcome]):
    """A matrix of histories that were judged elsewhere: the sums are taken over."""

    def __init__(self, found: Aggregated, store: str, judge: Judge) -> None:
        super().__init__(RACES, judge)
        own = [row for row in found.races if row["store"] == store]
        self.programs, self.calls, self.overlaps = (
            sum(int(row[name]) for row in own) for name in ("programs", "calls", "overlaps")
        )
        for row in found.race_reasons:
            if row["store"] == store:
                self.lost[row["reason"]] += row["programs"]
        for row in found.race_signatures:
            if row["store"] == store:
                met = met_again(judge, decode_history(row["smallest"]), row["signature"])
                assert met is not None, "a history is judged as it was"
                self.samples[row["signature"]] = Sample(met, judge, row["sights"])


def confirmed(
    target: Target,
    found: Aggregated,
    units: Iterable[Unit],
    shared: Shared | None,
    setup: Setup,
    troubles: list[str],
    tick: Tick,
) -> CampaignRaces | None:
    """The races of a store, each made small and confirmed where that can be; None where none were to be tried.

    ``tick`` hears what is being done. An interrupt, and a store that can't be reached, are told in ``troubles``: races
    are reported as they were met then.
    """
    own = [unit for unit in units if unit.store == target.name and unit.source == "races"]
    if not own:
        return None
    matrix = _Counted(found, target.name, races.judge_of(Oracle(target.contract)))
    proved: Exploration[Operation, Outcome] | None = None
    try:
        proved = _proved(target, matrix, shared, setup, tick)
    except KeyboardInterrupt:
        interrupts.met()
        troubles.append("interrupted while races were confirmed: they are reported as they were met")
    except RECOVERABLE as error:
        troubles.append(f"races are not confirmed: {error}")
    if proved is None:
        matrix.alone.clear()
        proved = Exploration(_Nobody(), matrix, Plan((), proving=NO_TIME))
        proved.run()
    rows = [row for row in found.races if row["store"] == target.name]
    are = list(dict.fromkeys(one for row in rows for one in row["clients"]))
    apart = [one for one in are if one != THREADS]
    seconds = proved.seconds + _took(found, target.name, own)
    record = replace(
        races.record(proved, ", and ".join([*apart, *(one for one in are if one == THREADS)])),
        planned=sum(unit.count for unit in own),
        seconds=round(seconds, 3),
        pairs=[_pair(row) for row in rows if not row["watches"]],
        freshness=[_watch(row) for row in rows if row["watches"]],
        clauses=_clauses(found, target.name, own),
    )
    return CampaignRaces(Raced(proved, ", or ".join(apart) or THREADS), races.in_order(record))


def _proved(
    target: Target, matrix: _Counted, shared: Shared | None, setup: Setup, tick: Tick
) -> Exploration[Operation, Outcome] | None:
    """All races, made small and confirmed; None where there are none but known ones. Raises what opening a store does.

    The clients are those of the driver, on the store that executors played on, or on another of its kind.
    """
    met = [sample.met.history for sample in matrix.samples.values() if not sample.met.judged.known]
    if not met:
        return None
    delays = Delays()
    delays.note(met)
    with ExitStack() as stack:
        store = driver_store(target, shared, setup)
        stack.callback(store.close)
        sessions = races.opened(store, races.most_clients(history.program for history in met), stack)
        plan: Plan[Operation] = Plan((), proving=PROVING_SECONDS)
        proved = Exploration(Clients(sessions, board), matrix, plan, tick, delays)
        proved.run()
    return proved


def _took(found: Aggregated, store: str, own: Iterable[Unit]) -> float:
    """The seconds of executors, summed."""
    return _counts(found, store, own, "total").get("nanoseconds", 0) / 1e9


def _clauses(found: Aggregated, store: str, own: Iterable[Unit]) -> dict[str, int]:
    return dict(sorted(_counts(found, store, own, "clause").items()))


def _counts(found: Aggregated, store: str, own: Iterable[Unit], kind: str) -> dict[str, int]:
    """The counts of a kind over the suites of some units, by name."""
    suites, sums = {unit.suite for unit in own}, Counter[str]()
    for row in found.counts:
        if (row["store"], row["kind"]) == (store, kind) and row["suite"] in suites:
            sums[row["name"]] += int(row["count"])
    return dict(sums)


def _pair(row: Row) -> RacePair:
    outcomes: list[RaceOutcome] = [one for one in RACE_OUTCOMES if one in row["outcomes"]]
    return RacePair(
        row["first_lane"],
        row["second_lane"],
        row["programs"],
        row["overlaps"],
        outcomes[-1] if outcomes else "not judged",
        _worst(row["verdicts"]),
        list(row["signatures"]),
        row["tables"],
    )


def _watch(row: Row) -> StaleRecord:
    return StaleRecord(
        row["first_lane"],
        row["second_lane"],
        row["programs"],
        row["stale"],
        round(row["milliseconds"] or 0.0, 3),
        _worst(row["verdicts"]),
        list(row["signatures"]),
    )


def _worst(verdicts: Sequence[str]) -> str:
    return next((one for one in SERIOUSNESS if one in verdicts), "conforms")
