"""Races of an object store: tried once the rest of it was judged, by clients that meet, and put into its record."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from fsconform.adapters.meeting import board
from fsconform.adapters.s3.clients import ObjectClients
from fsconform.engine import recorder
from fsconform.engine.effort import Effort, object_races
from fsconform.engine.histories import confirming
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.confirming import serial
from fsconform.engine.objects.histories import ObjectJudge
from fsconform.engine.objects.race_exploration import Exploration, Plan, Tick
from fsconform.engine.objects.races import OBJECT_RACES, Proven, blame, history_record, proven, signature
from fsconform.engine.waivers import Failing, Waived
from fsconform.harness.layer_stores import Up
from fsconform.model.objects.contract import ObjectContract
from fsconform.model.objects.operations import Request
from fsconform.records.gate import by_severity
from fsconform.records.results import RacesRecord, StoreRecord
from fsconform.suites.s3_races import planned

CLIENTS = "threads of one process, each with a boto3 client of its own"

PROVING_SECONDS = 120.0
"""How long races are made smaller and confirmed, at most: the others are reported as they were met."""

RACE_SHARE = 0.2
"""The part of a store's budget that races are tried in, and the part in which they are confirmed, on top of it."""


def plan_of(effort: Effort, seed: int, budget: float | None) -> Plan | None:
    """What is tried; None for nothing, as where the budget is 0."""
    rows = planned(seed, object_races(effort))
    if not rows or budget == 0:
        return None
    share = RACE_SHARE * budget if budget else None
    return Plan(rows, share, PROVING_SECONDS if share is None else min(share, PROVING_SECONDS))


def exploration(store: Up, contract: ObjectContract, plan: Plan, tick: Tick) -> Exploration:
    """What tries a plan on a store: its session is the first client."""
    return Exploration(_clients(store), ObjectJudge(contract), plan, tick)


def _clients(store: Up) -> ObjectClients:
    return ObjectClients(store.session, [store.another()], board)


def failing(found: Exploration) -> dict[str, Failing]:
    """What waivers are held against, by signature."""
    return {one.finding.signature: OBJECT_RACES.failing(one) for one in found.proven if one.finding.waivable}


def added(
    record: StoreRecord, found: Exploration, contract: ObjectContract, waived: Waived, reproducer: str
) -> StoreRecord:
    """The record of a store with what was found of its races. ``reproducer`` has ``{replay}`` for the replay file."""
    races = [
        replace(
            recorder.divergence(
                OBJECT_RACES, record.name, contract, one, waived, reproducer, OBJECT_RACES.sequence(one)
            ),
            history=history_record(one, CLIENTS),
        )
        for one in found.proven
    ]
    records = by_severity([*record.divergences, *races])
    clauses = dict(sorted((Counter(record.clauses) + found.clauses).items()))
    verdicts = recorder.verdict_counts(records, len(clauses.keys() - {one.clause for one in records}))
    told = RacesRecord(
        planned=len(found.plan.rows),
        programs=found.programs,
        calls=found.calls,
        overlaps=found.overlaps,
        seconds=round(found.seconds, 3),
        clients=CLIENTS,
        pairs=found.pairs(),
        freshness=found.freshness(),
        notes=found.notes,
    )
    operations = record.operations + found.calls
    return replace(record, divergences=records, clauses=clauses, verdicts=verdicts, operations=operations, races=told)


def seen_again(store: Up, contract: ObjectContract, program: Concurrent[Request]) -> tuple[list[Proven], int]:
    """The races that are seen in two rounds of a program, and how many runs were not judged. Raises StoreLost."""
    clients = _clients(store)
    judge = ObjectJudge(contract).excusing(clients.execute(list(serial(program))))
    found, unjudged = confirming.seen_again(
        clients, judge, lambda met: signature(met.history, blame(judge, met.history)), program
    )
    return [proven(judge, one, one.shown) for one in found.values()], unjudged
