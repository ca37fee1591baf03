"""Executing a unit: its programs on its store, judged, as rows. The same with Spark and without."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from fsconform.adapters.jars import JarError
from fsconform.adapters.java import NoJava
from fsconform.app.units_programs import programs
from fsconform.app.units_station import Order, Station, leave, station
from fsconform.engine.collect import Collected
from fsconform.engine.internal import encode_internal
from fsconform.engine.minimise import size_of
from fsconform.engine.protocol import SandboxRefused, StoreLost
from fsconform.engine.traces import Row, encode_finding, encode_trace, recorded, storable
from fsconform.engine.trial import Trial
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.pipeline.attempt import Produced
from fsconform.pipeline.units import Unit

BATCH = 64
"""Programs that go to the session at a time."""

TRIES = 3
"""How often a unit is begun anew when its store is lost."""


def execute(order: Order, unit: Unit, scratch: Path) -> Produced:
    """Execute a unit in this process, at a station that is kept for the next one. For one thread at a time."""
    problem = ""
    for _ in range(TRIES):
        try:
            return _executed(station(order, unit.store, scratch), unit)
        except SandboxRefused as error:
            return Produced(problem=str(error), refused=True)
        except (StoreLost, JarError, NoJava, OSError) as error:
            problem = f"{type(error).__name__}: {error}"
            with suppress(StoreLost, OSError):
                leave()
    return Produced(problem=problem)


def here(order: Order, units: Iterable[Unit], scratch: Path) -> list[tuple[Unit, Produced]]:
    """Execute units one after another in this process, without Spark; the station is closed at the end."""
    try:
        return [(unit, execute(order, unit, scratch)) for unit in units]
    finally:
        leave()


def _executed(where: Station, unit: Unit) -> Produced:
    """Raises StoreLost."""
    begun, bench, oracle = time.monotonic_ns(), where.bench, where.bench.judge.oracle
    in_store, throttled = bench.store_nanoseconds, bench.throttled.copy()
    collected = Collected()
    traces: list[Row] = []
    verdicts: list[Row] = []
    shared = _shared(where, unit)
    numbered = programs(oracle, where.order.seed, unit)
    while batch := list(itertools.islice(numbered, BATCH)):
        trials = _tried(where, [program for _, program in batch])
        for (number, program), trial in zip(batch, trials, strict=True):
            with bench.internal.noting("collecting", program):
                collected.add(trial, None)
            row = encode_trace(recorded(trial.execution))
            traces.append(shared | row | {"number": number})
            with bench.internal.noting("recording", program):
                verdicts += _verdicts(oracle, number, program, row["program"], trial)
    totals = {
        "programs": collected.programs,
        "operations": collected.operations,
        "probes": collected.probes,
        "not expressible": collected.not_expressible,
        "throttled out": collected.throttled_out,
        "nanoseconds": time.monotonic_ns() - begun,
        "store nanoseconds": bench.store_nanoseconds - in_store,
    }
    reasons = bench.throttled - throttled
    tallies = [
        *(_tally("total", name, count) for name, count in totals.items()),
        *(
            _tally("total", f"{name} of {unit.source}", totals[name])
            for name in ("programs", "operations", "nanoseconds")
        ),
        *(_tally("clause", clause, count) for clause, count in collected.clauses.items()),
        *(_tally("option", json.dumps(literal), n, clause) for (literal, clause), n in collected.used.items()),
        *(_tally("lost", why, count, collected.lost_in.get(why, "")) for why, count in collected.losses.items()),
        *(_tally("throttled", reason, count) for reason, count in reasons.items()),
        *(
            _tally("internal", f"{one.stage}: {one.error}", one.count, json.dumps(encode_internal(one)))
            for one in bench.internal.drain()
        ),
        *(_tally("latency", name, len(times), times=times) for name, times in collected.latencies.items()),
    ]
    return Produced({"traces": traces, "verdicts": verdicts, "tallies": tallies}, len(traces))


def _tried(where: Station, batch: Sequence[Program]) -> list[Trial]:
    """Each program judged to its end, whatever was met before: what it gives must not depend on its neighbours."""
    bench = where.bench
    with closing(bench.tries(batch)) as tries:
        trials = list(tries)
    return [trial if trial.judgement.wants_snapshot is None else bench.go_on(trial) for trial in trials]


def _verdicts(oracle: Oracle, number: int, program: Program, encoded: str, trial: Trial) -> list[Row]:
    steps, length = size_of(program)
    return [
        encode_finding(finding)
        | {
            "number": number,
            "program": encoded,
            "met": len(trial.cases(oracle, finding)),
            "steps": steps,
            "length": length,
        }
        for finding in trial.judgement.findings
    ]


def _shared(where: Station, unit: Unit) -> Row:
    return {
        "contract": where.order.digests.get(unit.store, ""),
        "options": json.dumps(dict(where.contract.declared), sort_keys=True),
        "hadoop": where.hadoop,
        "model": where.order.model,
        "quirks": list(where.contract.quirks.names) if where.contract.quirks is not None else [],
    }


def _tally(kind: str, name: str, count: int, detail: str = "", times: Sequence[int] = ()) -> Row:
    return {
        "kind": kind,
        "name": storable(name),
        "detail": detail,
        "count": count,
        "nanoseconds": list(times),
    }
