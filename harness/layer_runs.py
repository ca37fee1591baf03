"""Judging objects and what Spark's writers leave: programs, what departs shrunk and replayed, and the records."""

from __future__ import annotations

import itertools
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from fsconform.adapters.stores.layers import Up
from fsconform.adapters.stores.site import Setup
from fsconform.engine import recorder
from fsconform.engine.datasets.judge import Observed
from fsconform.engine.datasets.subject import DATASETS
from fsconform.engine.effort import Effort, object_programs
from fsconform.engine.events import Confirming, Doing, Listener, saying
from fsconform.engine.exploration import Exploration, Outcome, Plan
from fsconform.engine.explorers import Explorer, from_list
from fsconform.engine.gate import Terms, settled
from fsconform.engine.ground import Ground
from fsconform.engine.layers import Collected, Judgement, Layer, Place, Proven, Session, Tried
from fsconform.engine.objects.races import OBJECT_RACES
from fsconform.engine.objects.subject import OBJECTS
from fsconform.engine.protocol import StoreLost
from fsconform.engine.subject import SERIOUSNESS
from fsconform.engine.waivers import Waiver
from fsconform.harness import interrupts, object_races
from fsconform.harness.judging import POLL_SECONDS, UNPROVEN, Judged
from fsconform.harness.layer_plans import RACES_GROUP, STREAM_COMMITTER, DatasetPlan, ObjectPlan, Pair, Target
from fsconform.harness.layer_stores import SparkStore, bring_up_spark
from fsconform.harness.races import left_of, run_to_its_end
from fsconform.harness.reproducers import replay_line
from fsconform.harness.sites import RECOVERABLE
from fsconform.model.core.layers import LayerContract
from fsconform.model.core.outcomes import Unknown
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.datasets.operations import Operation as Job
from fsconform.model.objects.answers import Answer
from fsconform.model.objects.contract import ObjectContract
from fsconform.model.objects.operations import Program, Request, decode
from fsconform.records.gate import effect
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


class Judgeable(Protocol):
    """What is judged of a layer: an object store, a committer on a store, a cluster."""

    @property
    def name(self) -> str:
        """The name under which it is reported."""
        ...

    @property
    def statement(self) -> str:
        """What it is."""
        ...

    @property
    def contract(self) -> LayerContract:
        """What it declares."""
        ...

    @property
    def waivers(self) -> tuple[Waiver, ...]:
        """What is accepted of it."""
        ...


class Closing(Protocol):
    """A store that is up."""

    @property
    def close(self) -> Callable[[], object]:
        """Takes it down."""
        ...


T = TypeVar("T", bound=Judgeable)
S = TypeVar("S", bound=Closing)


class LayerRun(
    Ground[Operation, Tried[Operation, Seen], Collected[Operation, Seen]], Generic[Operation, Seen, Contract]
):
    """A subject on one store: its programs, then what departs shrunk and replayed, then its record."""

    first = 8
    """How many programs are executed before anything is told of a group."""
    budget: float | None = None
    """Seconds that the programs may take; 0 where only whole groups are run, None for no end."""
    fail_fast = False
    """Whether the first divergence that is confirmed and fails ends the exploring."""

    def __init__(
        self,
        subject: Layer[Operation, Seen, Contract],
        target: Judgeable,
        contract: Contract,
        session: Session[Operation, Seen],
        hear: Listener,
        meet: Meet,
    ) -> None:
        super().__init__(target.name, Collected[Operation, Seen]())
        self._subject, self._target, self._contract, self._session = subject, target, contract, session
        self._hear = interrupts.meeting(hear, meet)
        self.outcome = Outcome(self.collected)
        self._confirmed: set[str] = set()

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """How far each group came that a later run may take up: its next program, and how many were executed."""
        return {}

    @abstractmethod
    def judge(self, starting: float) -> StoreRecord:
        """Run what is planned, shrink and replay what fails, and give the record; ``starting`` is seconds."""

    @abstractmethod
    def _explorers(self) -> tuple[Explorer[Operation], ...]:
        """What is planned."""

    @abstractmethod
    def _try(self, program: tuple[Operation, ...]) -> Tried[Operation, Seen]:
        """Execute and judge a program, and count it among the losses where it is lost. Raises StoreLost."""

    @abstractmethod
    def _prove_one(self, met: Proven[Operation, Seen]) -> Proven[Operation, Seen]:
        """Shrink and replay what fails. Raises StoreLost or KeyboardInterrupt."""

    @abstractmethod
    def _end(self) -> int:
        """Do what is left once all is proved; how many programs that were. Raises StoreLost."""

    def lent(self) -> AbstractContextManager[LayerRun[Operation, Seen, Contract]]:
        """This, as there is one session."""
        return nullcontext(self)

    def tries(self, programs: Sequence[tuple[Operation, ...]]) -> Generator[Tried[Operation, Seen], None, None]:
        """Execute and judge programs, one by one. Raises StoreLost."""
        yield from map(self._try, programs)

    def go_on(self, trial: Tried[Operation, Seen]) -> Tried[Operation, Seen]:
        """The same: it was judged to its end."""
        return trial

    def add(self, trial: Tried[Operation, Seen]) -> tuple[int, int]:
        """Collect what was tried: its operations that were judged, and 0."""
        self.collected.take(trial)
        return trial.judgement.operations, 0

    def standing(self) -> tuple[int, int, int]:
        """The operations so far, and how many signatures are accepted and would fail."""
        terms = Terms(self.name, self._target.waivers)
        met = [one for one in self._subject.folded(self.collected.samples) if one.finding.failing]
        accepted = sum(terms.accepts(one.finding, self._subject.failing(one)) for one in met)
        return self.collected.operations, accepted, len(met) - accepted

    def confirm(self) -> None:
        """Shrink and replay what would fail, until one does fail. Raises StoreLost or KeyboardInterrupt."""
        terms = Terms(self.name, self._target.waivers)
        for one in self._subject.folded(self.collected.samples):
            name, failing = one.finding.signature, self._subject.failing(one)
            if name in self._confirmed or not one.finding.failing or terms.accepts(one.finding, failing):
                continue
            self._confirmed.add(name)
            proven = self._prove_one(one)
            found = proven.finding
            waiver = terms.waiver_of(found, self._subject.failing(proven))
            if effect(settled(found.verdict, waiver, proven.replays, proven.shown)) == "fails":
                self.failed = found.signature
                return

    def _judge(self) -> list[Proven[Operation, Seen]]:
        """Run the programs, shrink and replay what fails, and note problems."""
        plan = Plan(self._explorers(), self.budget, 1, self.fail_fast, self.places, first=self.first)
        outcome = self.outcome = Exploration(self, plan, self._hear).to_its_end()
        more, proven = 0, list(self.collected.samples.values())
        try:
            if outcome.interrupted:
                interrupts.met()
            elif not outcome.problems:
                found = self._prove()
                more = self._end() if not outcome.stopped_for else 0
                proven = found
        except KeyboardInterrupt:
            interrupts.met()
            outcome.interrupted = True
            outcome.problems.append(UNPROVEN)
        except StoreLost as error:
            outcome.problems.append(str(error))
        if not (self.collected.programs or more or outcome.problems):
            outcome.problems.append("no program was executed")
        return proven

    def _prove(self) -> list[Proven[Operation, Seen]]:
        proven = []
        folded = self._subject.folded(self.collected.samples)
        samples = sorted(folded, key=lambda one: SERIOUSNESS.index(one.finding.verdict))
        for number, one in enumerate(samples, 1):
            if one.finding.failing:
                self._hear(Confirming(self.name, one.finding.signature, number, len(samples)))
                one = self._prove_one(one)
            proven.append(one)
        return proven


def _unjudged(subject: Layer[Any, Any, Any], target: Judgeable, reason: str, interrupted: bool = False) -> Judged:
    """The record of what was not begun."""
    place, outcome = Place(target.name, "", target.statement, target.contract), Outcome(Collected[Any, Any]())
    outcome.problems.append(reason)
    return Judged(subject.record(place, outcome, (), (), "", complete=False), {}, interrupted)


def judge_each(
    name: str,
    subject: Layer[Any, Any, Any],
    targets: Sequence[T],
    bring_up: Callable[[], S],
    run_of: Callable[[T, S], LayerRun[Any, Any, Any]],
    hear: Listener,
) -> list[Judged]:
    """Bring a store up, judge what there is of it, and take it down; after an interrupt what there was until then."""
    hear(Doing(name, "starting"))
    begun = time.monotonic()
    try:
        store = bring_up()
    except RECOVERABLE as error:
        return [_unjudged(subject, one, str(error)) for one in targets]
    except KeyboardInterrupt:
        interrupts.met()
        return [_unjudged(subject, one, INTERRUPTED, interrupted=True) for one in targets]
    starting = time.monotonic() - begun
    judged: list[Judged] = []
    try:
        for target in targets:
            run = run_of(target, store)
            record = run.judge(starting)
            judged.append(Judged(record, run.places, run.outcome.interrupted))
            if run.outcome.interrupted:
                break
    finally:
        hear(Doing(name, "stopping"))
        store.close()
    return judged


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is tried of object stores: with an ``effort``, if one was asked for, in ``budget`` seconds for each.

    ``places`` and ``earlier`` are an earlier run's, by the stores' names: how far it came in each group, and the
    programs of its divergences, which are tried first. ``fail_fast`` ends the exploring of a store at the first
    divergence that is confirmed and fails.
    """

    effort: Effort | None = None
    budget: float | None = None
    seed: int = 0
    places: Mapping[str, Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    earlier: Mapping[str, Sequence[Program]] = field(default_factory=dict)
    fail_fast: bool = False


def judge_objects(
    plan: ObjectPlan, extent: Extent, hear: Listener, setup_of: Callable[[str], Setup], home: Path, fault: str
) -> list[Judged]:
    """Judge all stores of a plan. What was found before an interrupt is kept."""

    def run_of(target: Target, store: Up) -> _ObjectRun:
        return _ObjectRun(plan, target, store, hear, extent, _object_replay(home, target, fault))

    judged: list[Judged] = []
    for one in plan.targets:
        judged += judge_each(one.name, OBJECTS, (one,), partial(one.bring_up, setup_of(one.name)), run_of, hear)
        if judged[-1].interrupted:
            break
    return judged


class _ObjectRun(LayerRun[Request, Answer, ObjectContract]):
    """One object store."""

    def __init__(
        self, plan: ObjectPlan, target: Target, store: Up, hear: Listener, extent: Extent, reproducer: str
    ) -> None:
        super().__init__(OBJECTS, target, target.contract, store.session, hear, interrupts.meet)
        self._plan, self._store, self._extent, self.budget = plan, store, extent, extent.budget
        self.fail_fast = extent.fail_fast
        self._effort, self._reproducer = extent.effort or Effort(), reproducer
        self._cut_off: list[str] = []
        self._races: object_races.Explored | None = None

    def judge(self, starting: float) -> StoreRecord:
        """Run the suite, after the programs of earlier divergences; shrink and replay what fails; the record."""
        proven = self._judge()
        target, store, outcome, reproducer = self._target, self._store, self.outcome, self._reproducer
        cut_off = [*recorder.cut_off(outcome.covered if outcome.cut_off else (), ()), *self._cut_off]
        place = Place(target.name, store.uri, target.statement, target.contract, store.versions, 1, starting)
        if cut_off and self._extent.effort is not None:
            outcome.problems.append(f"the budget cut off what the effort asks for: {'; '.join(cut_off)}")
        left_out = cut_off or outcome.problems or outcome.stopped_for
        complete = not (self._plan.groups or left_out or self.collected.losses)
        self.collected.skipped.clear()  # steps that named what the store did not tell of; the rest was judged
        races = recorder.failing_of(OBJECT_RACES, self._races.proven) if self._races is not None else {}
        record = self._subject.record(place, outcome, proven, target.waivers, reproducer, complete, races)
        if self._races is not None:
            waived = Terms(target.name, target.waivers).applied(races, complete=False)
            record = object_races.added(record, self._races, self._contract, waived, reproducer)
        left = [f"{times} places were left: {reason}" for reason, times in store.session.left.items()]
        return replace(record, cut_off=cut_off, survey_notes=left)

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """How far each group came of which a part is run: an earlier run's, and this one's."""
        parts = {one.name for one in S3_OBJECTS.groups if not one.whole}
        mine = {one.name: (one.place, one.programs) for one in self.outcome.covered if one.name in parts}
        return {**self._extent.places.get(self.name, {}), **mine}

    def _explorers(self) -> tuple[Explorer[Request], ...]:
        """The programs of earlier divergences, the groups that are run whole, and a part of each of the others."""
        groups = [one for one in S3_OBJECTS.groups if not self._plan.groups or one.name in self._plan.groups]
        others, programs = [one for one in groups if not one.whole], object_programs(self._effort)
        earlier = self._extent.earlier.get(self.name, ())
        found = [from_list(EARLIER, earlier, whole=True)] if earlier else []
        found += [self._explorer(one, None) for one in groups if one.whole]
        for number, group in enumerate(others if self.budget != 0 else ()):
            quota = programs * (number + 1) // len(others) - programs * number // len(others)
            found.append(self._explorer(group, quota))
        return tuple(found)

    def _explorer(self, group: Group, quota: int | None) -> Explorer[Request]:
        """A group, one after another of which is run."""

        def source(first: int) -> Iterator[tuple[int, Program]]:
            return itertools.islice(enumerate(group.programs(self._extent.seed)), first, None)

        return Explorer(group.name, source, group.bound or None, whole=True, quota=quota)

    def _try(self, program: Program) -> Tried[Request, Answer]:
        tried = self._subject.attempt(self._session, program, self._contract)
        if tried.seen and isinstance(tried.seen[-1], Unknown):
            why, losses = tried.seen[-1].reason, self.collected.losses
            losses[why] += 1
            if losses.total() >= UNKNOWN_ANSWERS:
                raise StoreLost(f"{UNKNOWN_ANSWERS} answers were unknown, and the store is given up: {why}")
        return tried

    def _prove_one(self, met: Proven[Request, Answer]) -> Proven[Request, Answer]:
        return self._subject.prove(self._session, met, self._contract)

    def _end(self) -> int:
        """Try the store's races."""
        if RACES_GROUP not in self._plan.groups:
            return 0
        plan = object_races.plan_of(self._effort, self._extent.seed, self.budget)
        if plan is None:
            return 0
        tick = saying(self._hear, self.name)
        races = self._races = object_races.exploration(self._store, self._contract, plan, tick)
        self.outcome.interrupted |= run_to_its_end(races, self.outcome.problems)
        self._cut_off = [] if self.outcome.interrupted else left_of(races)
        return races.matrix.programs


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

    def run_of(pair: Pair, store: SparkStore) -> _DatasetRun:
        return _DatasetRun(plan, pair, store, hear, home, complete, meet)

    judged: list[Judged] = []
    for name in plan.stores:
        pairs = [pair for pair in plan.pairs if pair.store == name]
        judged += judge_each(name, DATASETS, pairs, partial(bring, name), run_of, hear)
        if judged[-1].interrupted:
            break
    return judged


class _DatasetRun(LayerRun[Job, Observed, CommitContract]):
    """One committer on one store."""

    first = 1

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
        complete = self._complete and not (self._plan.short or self.outcome.problems or self.collected.skipped)
        replaying = _dataset_replay(self._home, self._pair.name, self._plan.jars)
        return self._subject.record(place, self.outcome, proven, self._pair.waivers, replaying, complete)

    def _trials(self) -> list[Trial]:
        found: list[Trial] = []
        for suite in self._plan.suites:
            if suite is SPARK_STREAMING and self._pair.committer.name != STREAM_COMMITTER:
                continue
            found += suite.chosen(self._plan.short)
        return [one for one in found if not self._plan.groups or one.group in self._plan.groups]

    def _explorers(self) -> tuple[Explorer[Job], ...]:
        """The programs of each group, one group after another."""
        groups: dict[str, list[tuple[Job, ...]]] = {}
        for trial in self._trials():
            groups.setdefault(trial.group, []).append(trial.program)
        return tuple(from_list(name, programs, whole=True) for name, programs in groups.items())

    def _try(self, program: tuple[Job, ...]) -> Tried[Job, Observed]:
        try:
            return self._subject.attempt(self._session, program, self._contract)
        except StoreLost as error:
            losses = self.collected.losses
            losses[str(error)] += 1
            if losses.total() >= SPARK_LOSSES:
                raise StoreLost(f"Spark was lost {SPARK_LOSSES} times, and given up: {error}") from error
            return Tried(program, (), Judgement())

    def _prove_one(self, met: Proven[Job, Observed]) -> Proven[Job, Observed]:
        try:
            return self._subject.prove(self._session, met, self._contract)
        except StoreLost as error:
            self.collected.losses[str(error)] += 1
            return met

    def _end(self) -> int:
        self._spark.close()
        return 0


def _dataset_replay(home: Path, name: str, jars: Sequence[Path]) -> str:
    """The command line that replays a divergence, with ``{replay}`` where its file within ``home`` is to be put."""
    return replay_line(home, ["--store", name, *(word for jar in jars for word in ("--jars", str(jar)))])
