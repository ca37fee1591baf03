"""Judging one store from start to record: bringing it up, exploring, minimising, confirming, telling."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fsconform.app.console import Live
from fsconform.engine import recorder
from fsconform.engine.confirm import Proven, prove_all
from fsconform.engine.explorers import Explorer
from fsconform.engine.judge import FAILING
from fsconform.engine.protocol import SandboxRefused, Store
from fsconform.engine.run import Benches, Outcome, Plan, explore
from fsconform.engine.waivers import Waiver, apply
from fsconform.model.contract import Contract
from fsconform.model.oracle import Oracle
from fsconform.records.results import StoreRecord
from fsconform.specs.catalogue import catalogue


@dataclass(frozen=True, slots=True)
class Assignment:
    """One store to judge: how to bring it up, its contract, and what to explore."""

    name: str
    build: Callable[[], Store]
    contract: Contract
    explorers: Callable[[Oracle], tuple[Explorer, ...]]
    budget: float
    shards: int
    fail_fast: bool = False
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    complete: bool = True
    reproducer: str = "fsconform replay {replay}"


@dataclass(frozen=True, slots=True)
class Judged:
    """The record of a store, and the places at which its explorers can be taken up."""

    record: StoreRecord
    places: dict[str, tuple[int, int]]
    interrupted: bool = False


def clause_text(clause: str) -> recorder.ClauseText:
    """The catalogue's text of a clause."""
    row = catalogue()[clause]
    return recorder.ClauseText(row.statement, f"{row.document}, {row.section}")


def judge_store(assignment: Assignment, live: Live, recoverable: tuple[type[Exception], ...]) -> Judged:
    """Judge one store. Errors of the ``recoverable`` kinds leave it unjudged, with the reason in its record.

    Raises SandboxRefused for a sandbox that is not ours.
    """
    started = time.monotonic()
    live.say(assignment.name, "starting")
    try:
        store = assignment.build()
    except recoverable as error:
        return _unjudged(assignment, str(error), time.monotonic() - started)
    except KeyboardInterrupt:
        judged = _unjudged(assignment, "interrupted while it was started", time.monotonic() - started)
        return Judged(judged.record, judged.places, interrupted=True)
    try:
        return _judge(assignment, store, live, started)
    finally:
        live.say(assignment.name, "stopping")
        store.close()


def _judge(assignment: Assignment, store: Store, live: Live, started: float) -> Judged:
    benches = Benches(store, assignment.contract, assignment.shards)
    proven: list[Proven] = []
    try:
        plan = Plan(
            assignment.explorers(benches.oracle),
            assignment.budget,
            assignment.shards,
            assignment.fail_fast,
            assignment.places,
        )
        outcome = explore(benches, plan, live.hear)
        try:
            if outcome.interrupted:
                proven = _unproven(outcome)
            else:
                proven = prove_all(benches, outcome.collected, lambda *told: live.proving(assignment.name, *told))
        except KeyboardInterrupt:
            outcome.interrupted = True
            outcome.problems.append("interrupted while minimising: what was found is reported as it was met")
            proven = _unproven(outcome)
        outcome.store_nanoseconds = benches.store_nanoseconds
    except SandboxRefused:
        raise
    finally:
        benches.close()
    return _recorded(assignment, store, benches.oracle, outcome, proven, time.monotonic() - started)


def _unproven(outcome: Outcome) -> list[Proven]:
    return [
        Proven(sample.finding, sample.program, sample.count, 0, 0, None, note="not minimised and not replayed")
        for sample in outcome.collected.samples.values()
    ]


def _recorded(
    assignment: Assignment, store: Store, oracle: Oracle, outcome: Outcome, proven: list[Proven], seconds: float
) -> Judged:
    collected = outcome.collected
    failing = [one.finding.signature for one in proven if one.finding.verdict in FAILING]
    complete = assignment.complete and not outcome.problems
    today = datetime.datetime.now(datetime.UTC).date()
    waived = apply(assignment.waivers, assignment.name, failing, today, complete)
    records = recorder.divergences(oracle, assignment.name, proven, clause_text, waived, assignment.reproducer)
    departed = {record.clause for record in records}
    problems = list(outcome.problems)
    if not collected.programs and not problems:
        problems.append("no program was executed: nothing of the chosen suites passes the filters")
    problems += [f"lost {times} times: {reason}" for reason, times in collected.losses.most_common(5)]
    record = StoreRecord(
        name=assignment.name,
        uri=store.uri,
        programs=collected.programs,
        operations=collected.operations,
        probes=collected.probes,
        seconds=round(seconds, 3),
        store_seconds=round(outcome.store_nanoseconds / 1e9, 3),
        verdicts=recorder.verdict_counts(records, sum(1 for clause in collected.clauses if clause not in departed)),
        clauses=dict(sorted(collected.clauses.items())),
        options=recorder.options(assignment.contract, collected, proven),
        divergences=records,
        explorers=recorder.explorers(outcome.covered),
        latencies=recorder.latencies(collected.latencies),
        versions=store.versions,
        contract=assignment.contract.source,
        problems=problems,
        waiver_problems=list(waived.problems),
    )
    places = {one.name: (one.place, one.programs) for one in outcome.covered}
    return Judged(record, places, outcome.interrupted)


def _unjudged(assignment: Assignment, problem: str, seconds: float) -> Judged:
    record = StoreRecord(
        name=assignment.name,
        uri="",
        programs=0,
        operations=0,
        probes=0,
        seconds=round(seconds, 3),
        store_seconds=0.0,
        verdicts=recorder.verdict_counts((), 0),
        clauses={},
        options={},
        divergences=[],
        contract=assignment.contract.source,
        problems=[problem],
    )
    return Judged(record, {})
