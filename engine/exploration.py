"""Exploring one store in turns: what is run whole first, then the explorers that are worth it, a batch at a time.

The controlling thread draws programs and collects trials; a thread for each session executes and judges them. Nothing
that was found is lost: a store that goes away, and an interrupt, end the exploring and keep the rest.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field

from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.coverage import Curve
from fsconform.engine.explorers import Explorer
from fsconform.engine.gate import Terms
from fsconform.engine.protocol import StoreLost
from fsconform.engine.schedule import Account, charge, furthest_behind
from fsconform.engine.sifting import Sieve
from fsconform.engine.trial import Bench, Trial
from fsconform.model.programs import Program

BATCH_SECONDS = 0.4
"""A batch is sized to take about so long: long enough to be worth a trip, short enough to stop in time."""

MAX_BATCH = 256

EXPLORER_HALF_LIFE = 5.0
"""Seconds after which half of what an explorer brought is no longer recent."""

GO_ON_LIMIT = 12
"""After so many sights of a signature a program that shows it once more is not executed again to go on."""

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a store's run stands: programs and operations so far, and the explorer at work with its share done."""

    store: str
    phase: str
    programs: int
    operations: int
    signatures: int
    accepted: int
    failing: int
    done: int = 0
    total: int | None = None


Listener = Callable[[Progress], None]


@dataclass(slots=True)
class Covered:
    """What one explorer did: programs executed, the place to take up; ``ended`` at its own end.

    ``seconds`` is the time of its batches over the number of sessions.
    """

    name: str
    bound: int | None
    programs: int = 0
    operations: int = 0
    seconds: float = 0.0
    place: int = 0
    ended: bool = False
    throttled: int = 0
    """How often a program was begun anew because the store asked to try again."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a store is explored. ``budget`` is in seconds of wall time for what is not run whole; ``places`` resume."""

    explorers: tuple[Explorer, ...]
    budget: float
    shards: int = 1
    fail_fast: bool = False
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each explorer's name the place to begin at and the programs that were executed before."""
    weight: float = 1.0
    """How many operations are wanted of the store, against those of others in the same run."""
    terms: Terms | None = None
    """What divergences are held against; by default nothing is accepted."""


@dataclass(slots=True)
class Outcome:
    """What exploring a store gave: what was collected, what was covered, and what kept it from being judged.

    ``seconds`` is the wall time of its turns, and ``curve`` how coverage grew in it.
    """

    collected: Collected = field(default_factory=Collected)
    covered: list[Covered] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    store_nanoseconds: int = 0
    interrupted: bool = False
    seconds: float = 0.0
    curve: Curve = field(default_factory=Curve)
    stopped_for: str = ""
    """The signature at which ``--fail-fast`` ended the exploring."""


class _Course:
    """One explorer under way."""

    def __init__(self, explorer: Explorer, place: int, before: int) -> None:
        self.explorer = explorer
        self.covered = Covered(explorer.name, explorer.bound, before, place=place)
        self.account = Account(EXPLORER_HALF_LIFE)
        self.drawn = False
        """True once its source has no more programs."""
        self._programs: Iterator[tuple[int, Program]] | None = None
        self._size = 8
        self._begin, self._next = place, place
        self._open: dict[int, int] = {}
        self._number = 0

    def draw(self) -> tuple[int, list[tuple[int, Program]]]:
        """The next batch with a number of its own; an empty one at the end."""
        if self._programs is None:
            self._programs = self.explorer.source(self._begin)
        chunk = list(itertools.islice(self._programs, self._size))
        if not chunk:
            self.drawn = True
            self._settle()
            return 0, chunk
        self._number += 1
        self._open[self._number] = chunk[0][0]
        self._next = chunk[-1][0] + 1
        return self._number, chunk

    def done(self, number: int, chunk: list[tuple[int, Program]], executed: int, seconds: float) -> None:
        """Note how far a batch came; what it left is where the explorer is taken up."""
        if executed < len(chunk):
            self._open[number] = chunk[executed][0]
        else:
            del self._open[number]
            ideal = int(executed * BATCH_SECONDS / max(seconds, 1e-6))
            self._size = max(1, min(MAX_BATCH, ideal, self._size * 2))
        self._settle()

    def _settle(self) -> None:
        self.covered.place = min(self._open.values(), default=self._next)
        self.covered.ended = self.drawn and not self._open


_Choice = Callable[[], _Course | None]
_Tried = tuple[list[Trial], float, StoreLost | None]


class Exploration:
    """A store's exploring under way. One thread controls it."""

    def __init__(
        self,
        benches: Benches,
        plan: Plan,
        listener: Listener,
        clock: Clock = time.monotonic,
        pool: Executor | None = None,
    ) -> None:
        """Nothing is run yet. ``pool`` is where batches are executed, by default a thread for each session."""
        self.benches, self.plan = benches, plan
        self.outcome = Outcome()
        self.sieve = Sieve(plan.terms or Terms(benches.store.name))
        self._aside = 0.0
        self.account = Account(weight=plan.weight)
        self._listener, self._clock = listener, clock
        self._pool = pool or ThreadPoolExecutor(plan.shards, thread_name_prefix=f"{benches.store.name}-shard")
        self._stopping = threading.Event()
        self._lost = False
        self._courses = [_Course(one, *plan.places.get(one.name, (0, 0))) for one in plan.explorers]
        self.outcome.covered = [course.covered for course in self._courses]

    @property
    def ended(self) -> bool:
        """True if there is nothing left to explore, or no use in it."""
        return self._stopped() or all(course.drawn for course in self._courses)

    @property
    def whole_left(self) -> bool:
        """True if something that is run whole is left."""
        return not self._stopped() and self._next_whole() is not None

    def run_whole(self) -> None:
        """Run what is run whole, in its order. Raises SandboxRefused."""
        self._turn(self._next_whole, None)

    def run_for(self, seconds: float) -> None:
        """Run the others for about so long. Raises SandboxRefused."""
        self._turn(self._next_due, self._clock() - self._aside + seconds)

    def interrupt(self) -> None:
        """Note that the run was interrupted."""
        self.outcome.interrupted = True
        self.outcome.problems.append("interrupted: what was found until then is reported")

    def close(self) -> Outcome:
        """What exploring gave; nothing can be run any more."""
        self._pool.shutdown()
        self.outcome.store_nanoseconds = self.benches.store_nanoseconds
        return self.outcome

    def _stopped(self) -> bool:
        return self._lost or self._stopping.is_set() or bool(self.sieve.failed)

    def _next_whole(self) -> _Course | None:
        return next((one for one in self._courses if one.explorer.whole and not one.drawn), None)

    def _next_due(self) -> _Course | None:
        courses = [one for one in self._courses if not one.explorer.whole and not one.drawn]
        if not courses:
            return None
        weights = [one.explorer.weight for one in courses]
        return courses[furthest_behind([one.account for one in courses], weights)]

    def _turn(self, choose: _Choice, deadline: float | None) -> None:
        started, collected, aside = self._clock(), self.outcome.collected, self._aside
        operations, news = collected.operations, collected.news
        running: dict[Future[_Tried], tuple[_Course, int, list[tuple[int, Program]]]] = {}
        try:
            while True:
                while len(running) < self.plan.shards + 1 and not self._over(deadline):
                    course = choose()
                    if course is None:
                        break
                    number, chunk = self._draw(course)
                    if chunk:
                        programs = [program for _, program in chunk]
                        running[self._pool.submit(self._try, programs)] = (course, number, chunk)
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    course = self._absorb(future, *running.pop(future), started)
                    self._listener(_progress(self.benches.store.name, course, collected, self.sieve))
                if self.plan.fail_fast and not self._stopped():
                    self._confirm()
        except BaseException:
            self._stopping.set()
            raise
        finally:
            for future in list(running):
                if not future.cancel():
                    self._absorb(future, *running.pop(future), started)
            # Confirming for --fail-fast is no part of the budget: as many programs are judged with it as without.
            seconds = self._clock() - started - (self._aside - aside)
            self.outcome.seconds += seconds
            self.account.credit(seconds, collected.operations - operations, collected.news - news)

    def _draw(self, course: _Course) -> tuple[int, list[tuple[int, Program]]]:
        """The next batch of an explorer; of one whose own code raised an error no more comes."""
        try:
            return course.draw()
        except Exception as error:
            self.benches.internal.add(f"drawing programs of {course.explorer.name}", error)
            course.drawn = True
            return 0, []

    def _over(self, deadline: float | None) -> bool:
        return (deadline is not None and self._clock() - self._aside >= deadline) or self._stopped()

    def _confirm(self) -> None:
        """See whether something that was met fails the gate for certain."""
        begun = self._clock()
        try:
            self.sieve.confirm(self.benches, self.outcome.collected)
        except StoreLost as error:
            self._lost = True
            self.outcome.problems.append(str(error))
        self._aside += self._clock() - begun
        if self.sieve.failed:
            self.outcome.stopped_for = self.sieve.failed

    def _absorb(
        self,
        future: Future[_Tried],
        course: _Course,
        number: int,
        chunk: list[tuple[int, Program]],
        started: float,
    ) -> _Course:
        trials, seconds, lost = future.result()
        collected, covered = self.outcome.collected, course.covered
        news, operations = collected.news, 0
        for trial in trials:
            with self.benches.internal.noting("collecting", trial.program):
                collected.add(trial, self.benches.oracle)
                self.sieve.note(trial, collected)
            operations += trial.judgement.operations
            covered.throttled += trial.execution.throttled
        covered.programs += len(trials)
        covered.operations += operations
        course.done(number, chunk, len(trials), seconds)
        share = seconds / self.plan.shards
        covered.seconds += share
        course.account.credit(share, operations, collected.news - news)
        charge(course.account, course.explorer.weight, share)
        if lost is not None and not self._lost:
            self._lost = True
            self.outcome.problems.append(str(lost))
        self.outcome.curve.add(self.outcome.seconds + self._clock() - started, collected)
        return course

    def _try(self, programs: list[Program]) -> _Tried:
        """Execute and judge a batch, in a thread of the pool; less than all of it if the exploring is being stopped."""
        trials: list[Trial] = []
        lost = None
        try:
            bench = self.benches.take()
        except StoreLost as error:
            return trials, 0.0, error
        started = self._clock()
        try:
            with closing(bench.tries(programs)) as tries:
                for trial in tries:
                    trials.append(trial)
                    if self._stopping.is_set():
                        break
            for index, trial in enumerate(trials):
                trials[index] = self._go_on(bench, trial)
        except StoreLost as error:
            lost = error
        finally:
            self.benches.give_back(bench)
        return trials, self._clock() - started, lost

    def _go_on(self, bench: Bench, trial: Trial) -> Trial:
        if trial.judgement.wants_snapshot is None or self._stopping.is_set():
            return trial
        sample = self.outcome.collected.samples.get(trial.judgement.findings[-1].signature)
        return trial if sample is not None and sample.count >= GO_ON_LIMIT else bench.go_on(trial)


def _progress(store: str, course: _Course, collected: Collected, sieve: Sieve) -> Progress:
    return Progress(
        store,
        course.explorer.name,
        collected.programs,
        collected.operations,
        len(collected.samples),
        sieve.accepted(collected),
        sieve.failing(collected),
        course.covered.programs,
        course.explorer.bound,
    )
