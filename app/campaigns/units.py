"""Where units are executed in a process: one store at a time, with one session and so one bridge, kept and re-used.

The process may end at any moment. The worker of a Hadoop store ends with it; what it leaves in the sandbox the
campaign's driver sweeps, and what stands in the scratch folder goes with that.
"""

from __future__ import annotations

import itertools
import json
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from fsconform.adapters import meeting
from fsconform.adapters.jars import JarError
from fsconform.adapters.java import NoJava
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.app.campaigns.programs import programs
from fsconform.app.campaigns.races import concurrent, tried
from fsconform.engine.collect import Collected
from fsconform.engine.histories.delays import Delays
from fsconform.engine.histories.execution import Clients
from fsconform.engine.internal import InternalErrors, encode_internal
from fsconform.engine.judge import Judge, Judgement
from fsconform.engine.minimise import size_of
from fsconform.engine.process import collect_seldom
from fsconform.engine.protocol import SandboxRefused, Session, Snapshot, Store, StoreLost
from fsconform.engine.traces import Row, encode_finding, encode_trace, recorded, storable
from fsconform.engine.trial import Bench, Trial
from fsconform.harness.presets import PRESETS
from fsconform.harness.races import clients_are, judge_of, most_clients, opened
from fsconform.harness.sites import connect
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Trace
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.pipeline.attempt import Produced
from fsconform.pipeline.units import Unit

EMBEDDED = ("local", "file", "rawlocal", "proving")
"""The built-in stores that each process builds for itself. All others are shared: they are up before it begins."""


@dataclass(frozen=True, slots=True)
class StoreOrder:
    """A store as executors reach it: by a ``connection``, or, without, as the preset of its name that they build."""

    name: str
    contract: Contract
    connection: Connection | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What all units of a campaign share."""

    campaign: str
    seed: int
    stores: tuple[StoreOrder, ...]
    timeout: float = 30.0
    rate: float | None = None
    xmx: str = "512m"
    profile: str = ""
    fault: str = ""
    model: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)
    """For each store the digest of its contract."""

    def store(self, name: str) -> StoreOrder:
        """The order of a store. Raises KeyError."""
        for one in self.stores:
            if one.name == name:
                return one
        raise KeyError(name)

    def setup(self, logs: Path) -> Setup:
        """What the stores are built with."""
        return Setup(logs, lambda text: None, self.timeout, self.rate, self.xmx, self.profile, False, self.fault)


class EachTraceJudge(Judge):
    """A judge that counts the invariants of a state anew in each trace.

    So the clauses that are counted follow from the traces alone, and not from which traces a process happened to judge
    before: sums over units are the same however a campaign is cut.
    """

    def judge(self, trace: Trace, snapshots: Mapping[int, Snapshot] | None = None, start: State = EMPTY) -> Judgement:
        """See Judge."""
        self.checked = {}
        return Judge.judge(self, trace, snapshots, start)


class Station:
    """A store that is open, with the bench at which its units are tried."""

    def __init__(self, order: Order, name: str, scratch: Path) -> None:
        """Open it. Raises StoreLost, SandboxRefused, JarError, NoJava or OSError."""
        collect_seldom()
        one = order.store(name)
        self.order, self.name, self.scratch = order, name, scratch
        self.contract = one.contract
        self._site: Site | None = None
        setup = order.setup(scratch / "logs")
        setup.logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = one.connection
        if connection is None:
            preset = PRESETS[name]
            before, tempfile.tempdir = tempfile.tempdir, str(scratch)  # what is killed leaves nothing outside of it
            try:
                self._site = preset.bring_up(preset, setup)
            finally:
                tempfile.tempdir = before
            connection = self._site.connection
        try:
            self.store: Store = connect(connection, setup)
            self.session: Session = self.store.session()
        except BaseException:
            self._take_down()
            raise
        self.bench = Bench(self.session, EachTraceJudge(Oracle(one.contract)), reopen=self._reopened)
        self.race_judge = judge_of(self.bench.judge.oracle)
        self.delays = Delays()
        """What calls of races take here."""
        self._racing, self._clients = ExitStack(), list[Session]()

    @property
    def hadoop(self) -> str:
        """The version of the Hadoop client, empty where there is none."""
        return self.store.versions.get("hadoop", "")

    def clients(self, number: int) -> list[Session]:
        """So many sessions for clients at once, kept for the next unit. Raises StoreLost or SandboxRefused."""
        if len(self._clients) < number:
            self._let_go()
            self._clients = opened(self.store, number, self._racing)
        return self._clients[:number]

    def _let_go(self) -> None:
        self._clients = []
        self._racing.close()

    def _reopened(self) -> Session:
        self.session = self.store.session()
        return self.session

    def close(self) -> None:
        """Close the session and what was built for it."""
        try:
            self._let_go()
            self.session.close()
            self.store.close()
        finally:
            self._take_down()

    def _take_down(self) -> None:
        if self._site is not None:
            self._site.close()


_kept: dict[str, Station] = {}
"""The station of this process, under one key: at most one is open."""

_KEY = "station"


def station(order: Order, name: str, scratch: Path) -> Station:
    """The station of a store, the last one if it is of that store. Raises what Station does."""
    kept = _kept.get(_KEY)
    if kept is not None and (kept.order, kept.name) == (order, name):
        return kept
    leave()
    _kept[_KEY] = fresh = Station(order, name, scratch)
    return fresh


def leave() -> None:
    """Close the station of this process, if there is one."""
    kept = _kept.pop(_KEY, None)
    if kept is not None:
        kept.close()


BATCH = 64
"""Programs that go to the session at a time."""

TRIES = 3
"""How often a unit is begun anew when its store is lost."""


def execute(order: Order, unit: Unit, scratch: Path) -> Produced:
    """Execute a unit in this process, at a station that is kept for the next one. For one thread at a time."""
    problem = ""
    for _ in range(TRIES):
        try:
            place = station(order, unit.store, scratch)
            return _raced(place, unit) if unit.source == "races" else _executed(place, unit)
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
    took, reasons = bench.store_nanoseconds - in_store, bench.throttled - throttled
    tallies = [
        *_tallies(unit, collected, time.monotonic_ns() - begun, took, bench.internal),
        *(_tally("throttled", reason, count) for reason, count in reasons.items()),
    ]
    return Produced({"traces": traces, "verdicts": verdicts, "tallies": tallies}, len(traces))


def _raced(where: Station, unit: Unit) -> Produced:
    """Raises StoreLost or SandboxRefused."""
    begun, bench = time.monotonic_ns(), where.bench
    programs = concurrent(where.contract, where.order.seed, unit)
    sessions = where.clients(most_clients(row.program for _, row, _ in programs))
    clients = Clients(sessions, partial(meeting.board, str(where.scratch)))
    are = clients_are(sessions)
    rows, collected = tried(clients, where.delays, where.race_judge, programs, are, bench.internal)
    shared = _shared(where, unit)
    tallies = _tallies(unit, collected, time.monotonic_ns() - begun, 0, bench.internal)
    return Produced({"histories": [shared | row for row in rows], "tallies": tallies}, len(rows))


def _tallies(unit: Unit, collected: Collected, took: int, in_store: int, internal: InternalErrors) -> list[Row]:
    """What was counted in a unit, which took so many nanoseconds, so many of them in the store."""
    totals = {
        "programs": collected.programs,
        "operations": collected.operations,
        "probes": collected.probes,
        "not expressible": collected.not_expressible,
        "throttled out": collected.throttled_out,
        "nanoseconds": took,
        "store nanoseconds": in_store,
    }
    return [
        *(_tally("total", name, count) for name, count in totals.items()),
        *(
            _tally("total", f"{name} of {unit.source}", totals[name])
            for name in ("programs", "operations", "nanoseconds")
        ),
        *(_tally("clause", clause, count) for clause, count in collected.clauses.items()),
        *(_tally("option", json.dumps(literal), n, clause) for (literal, clause), n in collected.used.items()),
        *(_tally("lost", why, count, collected.lost_in.get(why, "")) for why, count in collected.losses.items()),
        *(
            _tally("internal", f"{one.stage}: {one.error}", one.count, json.dumps(encode_internal(one)))
            for one in internal.drain()
        ),
        *(_tally("latency", name, len(times), times=times) for name, times in collected.latencies.items()),
    ]


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
