"""Judging Spark's writers: each committer on each store, from its programs to its record."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path

from fsconform.adapters.spark.session import SparkSession
from fsconform.adapters.stores.site import Setup
from fsconform.app import interrupts, layers
from fsconform.app.console import Live
from fsconform.app.datasets.plan import STREAM_COMMITTER, DatasetPlan, Pair
from fsconform.app.datasets.stores import RECOVERABLE, STORES, SparkStore, bring_up
from fsconform.app.judging import POLL_SECONDS, Judged
from fsconform.app.reproducers import replay_line
from fsconform.engine.datasets.confirm import Proven, attempt, prove
from fsconform.engine.datasets.record import FAILING_ORDER, Collected, Place, store_record
from fsconform.engine.protocol import StoreLost
from fsconform.records.results import ClauseRecord, StoreRecord
from fsconform.specs.datasets import dataset_clauses
from fsconform.suites.spark_streaming import SPARK_STREAMING
from fsconform.suites.spark_writers import Trial

LOSSES = 3
"""So often Spark may be lost before a committer is given up."""

INTERRUPTED = "interrupted: what was found is reported as it was met"


def clause_records() -> list[ClauseRecord]:
    """The rows of the clauses that datasets are judged by."""
    return layers.clause_records(dataset_clauses())


BringUp = Callable[[str], SparkStore]
"""Brings the store of a name up. Raises what :class:`SparkStore` raises."""


@contextmanager
def coming_up(plan: DatasetPlan, setup_of: Callable[[str], Setup]) -> Iterator[BringUp]:
    """What brings a plan's stores up; its first one begins at once, with its driver, beside what else is judged.

    Who asks for it gets it, and closes it; if nobody does, it is closed at the end.
    """
    if not plan.stores:
        yield lambda name: bring_up(name, setup_of(name), plan.jars)
        return
    waiting: list[Future[SparkStore]] = []

    def first() -> SparkStore:
        store = bring_up(plan.stores[0], setup_of(plan.stores[0]), plan.jars)
        with suppress(StoreLost):  # who asks it something hears of it
            store.driver.start()
        return store

    def up(name: str) -> SparkStore:
        if name != plan.stores[0] or not waiting:
            return bring_up(name, setup_of(name), plan.jars)
        store = waiting[0].result()
        waiting.clear()
        return store

    with ThreadPoolExecutor(1, thread_name_prefix="spark") as pool:
        waiting.append(pool.submit(first))
        try:
            yield up
        finally:
            for one in waiting:
                with suppress(*RECOVERABLE):
                    one.result().close()


Meet = Callable[[], None]
"""Raises KeyboardInterrupt if work is to end."""


class Beside:
    """Judging a plan's pairs in a thread of its own, beside what else is judged, which waits for services often."""

    def __init__(self, judging: Callable[[Meet], list[Judged]]) -> None:
        """Begin."""
        self._ending = threading.Event()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="datasets")
        self._judged = self._pool.submit(judging, self._meet)

    def _meet(self) -> None:
        if self._ending.is_set():
            raise KeyboardInterrupt

    def end(self) -> None:
        """Let it end soon; what was found is kept."""
        self._ending.set()

    def judged(self) -> list[Judged]:
        """The records, once they are there; after an interrupt those there are. Raises what judging raised."""
        while not self._judged.done():
            try:
                interrupts.meet()
                wait((self._judged,), POLL_SECONDS)
            except KeyboardInterrupt:
                interrupts.met()
                self.end()
        return self._judged.result()

    def close(self) -> None:
        """End it, and wait for the end."""
        self.end()
        self._pool.shutdown()


def judge(
    plan: DatasetPlan, live: Live, bring: BringUp, home: Path, complete: bool, meet: Meet = interrupts.meet
) -> list[Judged]:
    """Judge all pairs of a plan, store by store. What was found before an interrupt is kept."""
    records: list[StoreRecord] = []
    for name in plan.stores:
        pairs = [pair for pair in plan.pairs if pair.store == name]
        begun = time.monotonic()
        live.say(name, "starting")
        try:
            store = bring(name)
        except RECOVERABLE as error:
            records += [_unjudged(pair, str(error)) for pair in pairs]
            continue
        except KeyboardInterrupt:
            interrupts.met()
            records += [_unjudged(pair, INTERRUPTED) for pair in pairs]
            return [Judged(one, {}, True) for one in records]
        starting = time.monotonic() - begun
        try:
            for pair in pairs:
                run = _Run(plan, pair, store, live, home, complete, meet)
                records.append(run.judge(starting))
                if run.interrupted:
                    return [Judged(one, {}, True) for one in records]
        finally:
            live.say(name, "stopping")
            store.close()
    return [Judged(one, {}) for one in records]


class _Run:
    """One committer on one store."""

    def __init__(
        self, plan: DatasetPlan, pair: Pair, store: SparkStore, live: Live, home: Path, complete: bool, meet: Meet
    ) -> None:
        self._plan, self._pair, self._store, self._live, self._meet = plan, pair, store, live, meet
        self._home, self._complete = home, complete
        self._collected = Collected()
        self.interrupted = False

    def judge(self, starting: float) -> StoreRecord:
        """Run the suites, shrink and replay what fails the gate, and give the record."""
        proven: list[Proven] = []
        problems: list[str] = []
        session = self._store.session(self._pair.committer)
        try:
            self._programs(session)
            proven = self._prove(session)
            session.close()
        except KeyboardInterrupt:
            interrupts.met()
            self.interrupted = True
            problems.append(INTERRUPTED)
            proven = [Proven(one.finding, one.tried, one.count) for one in self._collected.samples.values()]
        except StoreLost as error:
            problems.append(str(error))
        if not self._collected.programs and not problems:
            problems.append("no program was executed")
        place = Place(
            self._pair.name,
            self._store.sandbox,
            f"{STORES[self._pair.store][1]}: {self._pair.committer.statement}",
            self._pair.contract,
            self._store.versions,
            self._store.driver.started,
            starting + self._store.driver.starting_seconds,
        )
        return store_record(
            place,
            self._collected,
            proven,
            clause_text,
            self._pair.waivers,
            _replay_command(self._home, self._pair.name, self._plan.jars),
            problems,
            self._complete and not self._plan.short and not problems and not self._collected.skipped,
        )

    def _trials(self) -> list[Trial]:
        found: list[Trial] = []
        for suite in self._plan.suites:
            if suite is SPARK_STREAMING and self._pair.committer.name != STREAM_COMMITTER:
                continue
            found += suite.chosen(self._plan.short)
        return [one for one in found if not self._plan.groups or one.group in self._plan.groups]

    def _programs(self, session: SparkSession) -> None:
        trials = self._trials()
        for number, trial in enumerate(trials, 1):
            self._meet()
            self._live.counted(self._pair.name, trial.group, number, len(trials))
            begun = time.monotonic()
            try:
                tried = attempt(session, trial.program, self._pair.contract)
            except StoreLost as error:
                self._collected.lost[str(error)] += 1
                if self._collected.lost.total() >= LOSSES:
                    raise StoreLost(f"Spark was lost {LOSSES} times, and given up: {error}") from error
                continue
            self._collected.take(trial.group, tried, time.monotonic() - begun)

    def _prove(self, session: SparkSession) -> list[Proven]:
        proven = []
        samples = sorted(self._collected.samples.values(), key=lambda one: FAILING_ORDER.index(one.finding.verdict))
        for number, one in enumerate(samples, 1):
            self._meet()
            if not one.finding.failing:
                proven.append(Proven(one.finding, one.tried, one.count))
                continue
            self._live.proving(self._pair.name, one.finding.signature, number, len(samples))
            try:
                proven.append(prove(session, one.finding, one.tried, one.count, self._pair.contract))
            except StoreLost as error:
                self._collected.lost[str(error)] += 1
                proven.append(Proven(one.finding, one.tried, one.count))
        return proven


def _replay_command(home: Path, name: str, jars: Sequence[Path]) -> str:
    """The command line that replays a divergence, with ``{replay}`` where its file within ``home`` is to be put."""
    return replay_line(home, ["--store", name, *(word for jar in jars for word in ("--jars", str(jar)))])


def clause_text(clause: str) -> tuple[str, str, str]:
    """Level, statement and source of a clause."""
    return layers.text_of(dataset_clauses()[clause])


def _unjudged(pair: Pair, reason: str) -> StoreRecord:
    place = Place(pair.name, "", f"{STORES[pair.store][1]}: {pair.committer.statement}", pair.contract)
    return store_record(place, Collected(), (), clause_text, (), "", [reason], complete=False)
