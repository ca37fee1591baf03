"""Races of an object store: tried once the rest of it was judged, by clients that meet, and put into its record."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from fsconform.adapters.meeting import board
from fsconform.adapters.s3.clients import ObjectClients
from fsconform.adapters.stores.layers import Up
from fsconform.engine import recorder
from fsconform.engine.effort import Effort, object_races
from fsconform.engine.histories.concurrent import Concurrent
from fsconform.engine.histories.confirming import serial
from fsconform.engine.histories.exploration import Exploration, Plan, Tick
from fsconform.engine.histories.race_subject import Proven
from fsconform.engine.objects.histories import ObjectJudge
from fsconform.engine.objects.race_matrix import ObjectMatrix
from fsconform.engine.objects.races import OBJECT_RACES
from fsconform.engine.waivers import Waived
from fsconform.harness import races
from fsconform.model.objects.answers import Answer
from fsconform.model.objects.contract import ObjectContract
from fsconform.model.objects.operations import Request
from fsconform.records.gate import by_severity
from fsconform.records.results import StoreRecord
from fsconform.suites.s3_races import planned

CLIENTS = "threads of one process, each with a boto3 client of its own"

Explored = Exploration[Request, Answer]


def plan_of(effort: Effort, seed: int, budget: float | None) -> Plan[Request] | None:
    """What is tried; None for nothing, as where the budget is 0."""
    return races.within(planned(seed, object_races(effort)), budget)


def exploration(store: Up, contract: ObjectContract, plan: Plan[Request], tick: Tick) -> Explored:
    """What tries a plan on a store: its session is the first client."""
    clients = _clients(store)
    return Exploration(clients, ObjectMatrix(clients, ObjectJudge(contract)), plan, tick)


def _clients(store: Up) -> ObjectClients:
    return ObjectClients(store.session, [store.another()], board)


def added(
    record: StoreRecord, found: Explored, contract: ObjectContract, waived: Waived, reproducer: str
) -> StoreRecord:
    """The record of a store with what was found of its races. ``reproducer`` has ``{replay}`` for the replay file."""
    told = races.divergences(OBJECT_RACES, record.name, contract, found.proven, waived, reproducer, CLIENTS)
    records = by_severity([*record.divergences, *told])
    clauses = dict(sorted((Counter(record.clauses) + found.matrix.clauses).items()))
    return replace(
        record,
        divergences=records,
        clauses=clauses,
        verdicts=recorder.verdict_counts(records, len(clauses.keys() - {one.clause for one in records})),
        operations=record.operations + found.matrix.calls,
        races=races.record(found, CLIENTS),
    )


def seen_again(
    store: Up, contract: ObjectContract, program: Concurrent[Request]
) -> tuple[list[Proven[Request, Answer]], int]:
    """The races that are seen in two rounds of a program, and how many runs were not judged. Raises StoreLost."""
    clients = _clients(store)
    judge = ObjectJudge(contract).excusing(clients.execute(list(serial(program))))
    return races.shown_again(OBJECT_RACES, clients, judge, program)
