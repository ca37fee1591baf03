"""Judging objects and what Spark's writers leave: programs, what departs shrunk and replayed, and the records."""

from __future__ import annotations

import itertools
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from fsconform.adapters.stores.site import Setup
from fsconform.engine import recorder
from fsconform.engine.datasets.judge import Observed
from fsconform.engine.datasets.subject import DATASETS
from fsconform.engine.effort import Effort, object_programs
from fsconform.engine.events import Advanced, Confirming, Doing, Event, Listener, saying
from fsconform.engine.gate import Terms
from fsconform.engine.layers import Collected, Layer, Place, Proven, Session
from fsconform.engine.objects.races import OBJECT_RACES
from fsconform.engine.objects.subject import OBJECTS
from fsconform.engine.protocol import StoreLost
from fsconform.engine.subject import SERIOUSNESS
from fsconform.engine.waivers import Failing
from fsconform.harness import interrupts, object_races
from fsconform.harness.judging import POLL_SECONDS, Judged
from fsconform.harness.layer_plans import RACES_GROUP, STREAM_COMMITTER, DatasetPlan, ObjectPlan, Pair, Target
from fsconform.harness.layer_stores import SparkStore, Up, bring_up_spark
from fsconform.harness.races import run_to_its_end
from fsconform.harness.reproducers import replay_line
from fsconform.harness.sites import RECOVERABLE
from fsconform.model.core.layers import LayerContract
from fsconform.model.core.outcomes import Unknown
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.datasets.operations import Operation as Job
from fsconform.model.objects.answers import Answer
from fsconform.model.objects.contract import ObjectContract
from fsconform.model.objects.operations import Program, Request, decode
from fsconform.records.results import StoreRecord
from fsconform.suites.s3_objects import S3_OBJECTS, Group
from fsconform.suites.spark_streaming import SPARK_STREAMING
from fsconform.suites.spark_writers import Trial

UNKNOWN_ANSWERS = 10
"""So many answers may be unknown before a store is given up."""

SPARK_LOSSES = 3
"""So often Spark may be lost before a committer is given up."""

EARLIER = "earlier findings"
"""The group of the programs of an earlier run's divergences."""

INTERRUPTED = "interrupted: what was found is reported as it was met"

Programs = tuple[Program, ...]

Meet = Callable[[], None]
"""Raises KeyboardInterrupt if work is to end."""

Operation = TypeVar("Operation")
Seen = TypeVar("Seen")
Contract = TypeVar("Contract", bound=LayerContract)


class _Run(ABC, Generic[Operation, Seen, Contract]):
    """A subject on one store: its programs, then what departs shrunk and replayed, then its record."""

    def __init__(
        self,
        subject: Layer[Operation, Seen, Contract],
        target: Target | Pair,
        contract: Contract,
        session: Session[Operation, Seen],
        hear: Listener,
        meet: Meet,
    ) -> None:
        self._subject, self._target, self._contract, self._session = subject, target, contract, session
        self._heard, self._meet = hear, meet
        self._collected = Collected[Operation, Seen]()
        self._problems: list[str] = []
        self.interrupted = False

    def _hear(self, event: Event) -> None:
        self._meet()
        self._heard(event)

    def _advance(self, group: str, done: int, total: int | None) -> None:
        """Tell how far a group came."""
        name, terms = self._target.name, Terms(self._target.name, self._target.waivers)
        met = [one for one in self._collected.samples.values() if one.finding.failing]
        accepted = sum(terms.accepts(one.finding, self._subject.failing(one)) for one in met)
        told = self._collected.operations, accepted, len(met) - accepted
        self._hear(Advanced(name, group, done, total, *told))

    @abstractmethod
    def _programs(self) -> None:
        """Execute and judge what is planned. Raises StoreLost or KeyboardInterrupt."""

    @abstractmethod
    def _prove_one(self, met: Proven[Operation, Seen]) -> Proven[Operation, Seen]:
        """Shrink and replay what fails. Raises StoreLost or KeyboardInterrupt."""

    def _end(self) -> None:
        """What is left to do once all is proved. Raises StoreLost."""

    def _has_more(self) -> bool:
        """Whether something was tried beside the programs."""
        return False

    def _judge(self) -> list[Proven[Operation, Seen]]:
        """Run the programs, shrink and replay what fails, and note problems."""
        proven: list[Proven[Operation, Seen]]
        try:
            self._programs()
            proven = self._prove()
            self._end()
        except KeyboardInterrupt:
            interrupts.met()
            self.interrupted = True
            self._problems.append(INTERRUPTED)
            proven = list(self._collected.samples.values())
        except StoreLost as error:
            self._problems.append(str(error))
            proven = list(self._collected.samples.values())
        if not (self._collected.programs or self._has_more()) and not self._problems:
            self._problems.append("no program was executed")
        return proven

    def _prove(self) -> list[Proven[Operation, Seen]]:
        proven = []
        folded = self._subject.folded(self._collected.samples)
        samples = sorted(folded, key=lambda one: SERIOUSNESS.index(one.finding.verdict))
        for number, one in enumerate(samples, 1):
            self._meet()
            if one.finding.failing:
                self._heard(Confirming(self._target.name, one.finding.signature, number, len(samples)))
                one = self._prove_one(one)
            proven.append(one)
        return proven

    def _record(
        self,
        place: Place,
        proven: Iterable[Proven[Operation, Seen]],
        reproducer: str,
        complete: bool,
        others: Mapping[str, Failing] | None = None,
    ) -> StoreRecord:
        return self._subject.record(
            place, self._collected, proven, self._target.waivers, reproducer, self._problems, complete, others or {}
        )


def _unjudged(subject: Layer[Any, Any, Any], target: Target | Pair, reason: str) -> StoreRecord:
    """The record of what was not begun."""
    place = Place(target.name, "", target.statement, target.contract)
    return subject.record(place, Collected(), (), (), "", [reason], complete=False)


def judge_objects(
    plan: ObjectPlan,
    hear: Listener,
    setup_of: Callable[[str], Setup],
    home: Path,
    effort: Effort | None,
    budget: float | None,
    seed: int,
    fault: str,
    places: Mapping[str, Mapping[str, tuple[int, int]]] | None = None,
    earlier: Mapping[str, Sequence[Program]] | None = None,
) -> list[Judged]:
    """Judge all stores of a plan, with an ``effort`` if one was asked for; ``budget`` caps each one's time in seconds.

    ``places`` and ``earlier`` are an earlier run's, by the stores' names: how far it came in each group, and the
    programs of its divergences, which are tried first.
    """
    places, earlier = places or {}, earlier or {}
    judged: list[Judged] = []
    for target in plan.targets:
        hear(Doing(target.name, "starting"))
        begun = time.monotonic()
        try:
            store = target.bring_up(setup_of(target.name))
        except RECOVERABLE as error:
            judged.append(Judged(_unjudged(OBJECTS, target, str(error)), {}))
            continue
        except KeyboardInterrupt:
            interrupts.met()
            judged.append(Judged(_unjudged(OBJECTS, target, INTERRUPTED), {}, True))
            break
        try:
            run = _ObjectRun(
                plan,
                target,
                store,
                hear,
                effort,
                budget,
                seed,
                places.get(target.name, {}),
                earlier.get(target.name, ()),
            )
            record = run.judge(time.monotonic() - begun, _object_replay(home, target, fault))
            judged.append(Judged(record, run.places, run.interrupted))
            if run.interrupted:
                break
        finally:
            hear(Doing(target.name, "stopping"))
            store.close()
    return judged


class _ObjectRun(_Run[Request, Answer, ObjectContract]):
    """One object store."""

    def __init__(
        self,
        plan: ObjectPlan,
        target: Target,
        store: Up,
        hear: Listener,
        effort: Effort | None,
        budget: float | None,
        seed: int,
        places: Mapping[str, tuple[int, int]],
        earlier: Sequence[Program],
    ) -> None:
        super().__init__(OBJECTS, target, target.contract, store.session, hear, interrupts.meet)
        self._plan, self._store, self._earlier = plan, store, earlier
        self._effort, self._budget, self._seed = effort, budget, seed
        self._cut_off: list[str] = []
        self._races: object_races.Explored | None = None
        self.places = dict(places)
        """How far each group came that is not run whole: the number of its next program, and how many were executed."""

    def judge(self, starting: float, reproducer: str) -> StoreRecord:
        """Run the suite, after the programs of earlier divergences; shrink and replay what fails; the record."""
        proven = self._judge()
        target, store = self._target, self._store
        place = Place(target.name, store.uri, target.statement, target.contract, store.versions, 1, starting)
        if self._cut_off and self._effort is not None:
            self._problems.append(f"the budget cut off what the effort asks for: {'; '.join(self._cut_off)}")
        complete = not (self._plan.groups or self._cut_off or self._problems or self._collected.losses)
        self._collected.skipped.clear()  # steps that named what the store did not tell of; the rest was judged
        races = recorder.failing_of(OBJECT_RACES, self._races.proven) if self._races is not None else {}
        record = self._record(place, proven, reproducer, complete, races)
        if self._races is not None:
            waived = Terms(target.name, target.waivers).applied(races, complete=False)
            record = object_races.added(record, self._races, self._contract, waived, reproducer)
        left = [f"{times} places were left: {reason}" for reason, times in store.session.left.items()]
        return replace(record, cut_off=self._cut_off, survey_notes=left)

    def _prove_one(self, met: Proven[Request, Answer]) -> Proven[Request, Answer]:
        return self._subject.prove(self._session, met, self._contract)

    def _has_more(self) -> bool:
        return self._races is not None and self._races.matrix.programs > 0

    def _end(self) -> None:
        """Try the store's races."""
        if RACES_GROUP not in self._plan.groups:
            return
        plan = object_races.plan_of(self._effort or Effort(), self._seed, self._budget)
        if plan is None:
            return
        tick = saying(self._hear, self._target.name)
        races = self._races = object_races.exploration(self._store, self._contract, plan, tick)
        self.interrupted |= run_to_its_end(races, self._problems)
        if not races.complete and not self.interrupted:
            self._cut_off.append(f"races: {races.matrix.programs} of {len(plan.rows)} programs were run")

    def _programs(self) -> None:
        for program in self._earlier:
            self._meet()
            self._try(EARLIER, program)
        groups = [one for one in S3_OBJECTS.groups if not self._plan.groups or one.name in self._plan.groups]
        others = [one for one in groups if not one.whole]
        capped = time.monotonic() + self._budget if self._budget else None
        for group in groups:
            if group.whole:
                self._group(group, None, capped)
        if self._budget == 0:
            return
        programs = object_programs(self._effort or Effort())
        for number, group in enumerate(others):
            quota = programs * (number + 1) // len(others) - programs * number // len(others)
            self._group(group, quota, capped)

    def _group(self, group: Group, quota: int | None, deadline: float | None) -> None:
        """Run a group, or so many of its programs, from where an earlier run stopped, until the deadline."""
        before = 0 if quota is None else self.places.get(group.name, (0, 0))[0]
        ended, place = "complete", before
        self._collected.before[group.name] = before
        self._collected.by_group.setdefault(group.name, [0, 0, 0.0])
        try:
            for program in itertools.islice(group.programs(self._seed), before, None):
                if quota is not None and place >= quota:
                    ended = "as planned"
                    break
                if deadline is not None and time.monotonic() >= deadline:
                    ended = "stopped by the budget"
                    planned = f"{group.bound or 'its'} programs" if quota is None else f"{quota} programs"
                    self._cut_off.append(f"{group.name}: {place} of {planned} were run")
                    break
                self._meet()
                if place % 16 == 0:
                    self._advance(group.name, place, quota or group.bound or None)
                self._try(group.name, program)
                place += 1
        finally:
            if quota is not None:
                self.places[group.name] = (place, place)
        self._collected.bounds[group.name] = (group.bound, ended)

    def _try(self, group: str, program: Program) -> None:
        begun = time.monotonic()
        tried = self._subject.attempt(self._session, program, self._contract)
        if tried.seen and isinstance(tried.seen[-1], Unknown):
            self._collected.losses[tried.seen[-1].reason] += 1
            if self._collected.losses.total() >= UNKNOWN_ANSWERS:
                raise StoreLost(
                    f"{UNKNOWN_ANSWERS} answers were unknown, and the store is given up: {tried.seen[-1].reason}"
                )
        self._collected.take(group, tried, time.monotonic() - begun)


def decoded(rows: Iterable[Any]) -> Program:
    """A recorded program. Raises ValueError or KeyError."""
    return tuple(map(decode, rows))


def _object_replay(home: Path, target: Target, fault: str) -> str:
    """The command line that replays a divergence, with ``{replay}`` where its file within ``home`` is to be put."""
    words = [
        *(target.own.options() if target.own else ("--store", target.name)),
        *(("--fault", fault) if fault else ()),
    ]
    return replay_line(home, words)


BringUp = Callable[[str], SparkStore]
"""Brings the store of a name up. Raises what :class:`SparkStore` raises."""


@contextmanager
def coming_up(plan: DatasetPlan, setup_of: Callable[[str], Setup]) -> Iterator[BringUp]:
    """What brings a plan's stores up; its first one begins at once, with its driver, beside what else is judged.

    Who asks for it gets it, and closes it; if nobody does, it is closed at the end.
    """
    if not plan.stores:
        yield lambda name: bring_up_spark(name, setup_of(name), plan.jars)
        return
    waiting: list[Future[SparkStore]] = []

    def first() -> SparkStore:
        store = bring_up_spark(plan.stores[0], setup_of(plan.stores[0]), plan.jars)
        with suppress(StoreLost):  # who asks it something hears of it
            store.driver.start()
        return store

    def up(name: str) -> SparkStore:
        if name != plan.stores[0] or not waiting:
            return bring_up_spark(name, setup_of(name), plan.jars)
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


def judge_datasets(
    plan: DatasetPlan, hear: Listener, bring: BringUp, home: Path, complete: bool, meet: Meet = interrupts.meet
) -> list[Judged]:
    """Judge all pairs of a plan, store by store. What was found before an interrupt is kept."""
    records: list[StoreRecord] = []
    for name in plan.stores:
        pairs = [pair for pair in plan.pairs if pair.store == name]
        begun = time.monotonic()
        hear(Doing(name, "starting"))
        try:
            store = bring(name)
        except RECOVERABLE as error:
            records += [_unjudged(DATASETS, pair, str(error)) for pair in pairs]
            continue
        except KeyboardInterrupt:
            interrupts.met()
            records += [_unjudged(DATASETS, pair, INTERRUPTED) for pair in pairs]
            return [Judged(one, {}, True) for one in records]
        starting = time.monotonic() - begun
        try:
            for pair in pairs:
                run = _DatasetRun(plan, pair, store, hear, home, complete, meet)
                records.append(run.judge(starting))
                if run.interrupted:
                    return [Judged(one, {}, True) for one in records]
        finally:
            hear(Doing(name, "stopping"))
            store.close()
    return [Judged(one, {}) for one in records]


class _DatasetRun(_Run[Job, Observed, CommitContract]):
    """One committer on one store."""

    def __init__(
        self, plan: DatasetPlan, pair: Pair, store: SparkStore, hear: Listener, home: Path, complete: bool, meet: Meet
    ) -> None:
        session = store.session(pair.committer)
        super().__init__(DATASETS, pair, pair.contract, session, hear, meet)
        self._plan, self._pair, self._store, self._home, self._complete = plan, pair, store, home, complete
        self._spark = session

    def judge(self, starting: float) -> StoreRecord:
        """Run the suites, shrink and replay what fails the gate, and give the record."""
        proven = self._judge()
        driver = self._store.driver
        place = Place(
            self._pair.name,
            self._store.sandbox,
            self._pair.statement,
            self._pair.contract,
            self._store.versions,
            driver.started,
            starting + driver.starting_seconds,
        )
        complete = self._complete and not (self._plan.short or self._problems or self._collected.skipped)
        return self._record(place, proven, _dataset_replay(self._home, self._pair.name, self._plan.jars), complete)

    def _trials(self) -> list[Trial]:
        found: list[Trial] = []
        for suite in self._plan.suites:
            if suite is SPARK_STREAMING and self._pair.committer.name != STREAM_COMMITTER:
                continue
            found += suite.chosen(self._plan.short)
        return [one for one in found if not self._plan.groups or one.group in self._plan.groups]

    def _programs(self) -> None:
        trials = self._trials()
        for number, trial in enumerate(trials, 1):
            self._advance(trial.group, number, len(trials))
            begun = time.monotonic()
            try:
                tried = self._subject.attempt(self._session, trial.program, self._contract)
            except StoreLost as error:
                self._collected.losses[str(error)] += 1
                if self._collected.losses.total() >= SPARK_LOSSES:
                    raise StoreLost(f"Spark was lost {SPARK_LOSSES} times, and given up: {error}") from error
                continue
            self._collected.take(trial.group, tried, time.monotonic() - begun)

    def _prove_one(self, met: Proven[Job, Observed]) -> Proven[Job, Observed]:
        try:
            return self._subject.prove(self._session, met, self._contract)
        except StoreLost as error:
            self._collected.losses[str(error)] += 1
            return met

    def _end(self) -> None:
        self._spark.close()


def _dataset_replay(home: Path, name: str, jars: Sequence[Path]) -> str:
    """The command line that replays a divergence, with ``{replay}`` where its file within ``home`` is to be put."""
    return replay_line(home, ["--store", name, *(word for jar in jars for word in ("--jars", str(jar)))])
