"""Exploring one store: what is run whole first, then the other explorers by turns, a batch at a time.

Which programs are run, and in which order, is fixed by the plan alone. The controlling thread draws batches in that
order, and counts them in it; a thread for each session executes and judges them. However fast the store is, the same
plan gives the same counts. A budget of seconds only cuts the order off.

Nothing that was found is lost: a store that goes away, and an interrupt, end the exploring and keep the rest.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from typing import Generic

from fsconform.engine.benches import Benches
from fsconform.engine.collect import Curve
from fsconform.engine.events import Advanced, Listener, unheard
from fsconform.engine.explorers import Explorer
from fsconform.engine.gate import Terms
from fsconform.engine.ground import Bench, Got, Ground, Part, Whole
from fsconform.engine.protocol import StoreLost
from fsconform.engine.sifting import Files

BATCH_SECONDS = 0.4
"""A batch is sized to take about so long: long enough to be worth a trip, short enough to stop in time."""

MAX_BATCH = 256

BATCH_STEPS = 1000
"""A batch ends with the program by which it has so many steps: large ones are for several sessions at once."""

BLOCK = 64
"""Of explorers that take turns so many programs are run at a time; then the one that is least far is next."""

ENDLESS = 1 << 30
"""Programs that an explorer without an end and without a quota is taken to have, where its turn is decided."""

AHEAD = 4
"""So many batches for each session may be under way, or wait for an earlier one to be counted before them."""

GO_ON_LIMIT = 12
"""After so many sights of a signature a program that shows it once more is not executed again to go on."""

Clock = Callable[[], float]


@dataclass(slots=True)
class Covered:
    """What one explorer did: programs executed of those ``planned``, the place to take up; ``ended`` if all were run.

    ``bound`` is the number of programs that there are. ``seconds`` is the time of its batches over the number of
    sessions.
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
    planned: int | None = None


@dataclass(frozen=True, slots=True)
class Plan(Generic[Part]):
    """How a store is explored. ``budget`` is a cap in seconds of wall time, None for no cap; ``places`` resume.

    With a budget of 0 the explorers that are run whole are run, however long they take, and no others. ``first`` is how
    many programs an explorer's first batch has; the others have as many as their pace allows.
    """

    explorers: tuple[Explorer[Part], ...]
    budget: float | None = None
    shards: int = 1
    fail_fast: bool = False
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each explorer's name the place to begin at and the programs that were executed before."""
    terms: Terms | None = None
    """What divergences are held against; by default nothing is accepted."""
    first: int = 8


@dataclass(slots=True)
class Outcome(Generic[Whole]):
    """What exploring a store gave: what was collected, what was covered, and what kept it from being judged.

    ``seconds`` is the wall time of exploring, and ``curve`` how coverage grew in it; ``cut_off`` is set where a budget
    ended it.
    """

    collected: Whole
    covered: list[Covered] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0
    curve: Curve = field(default_factory=Curve)
    cut_off: bool = False
    stopped_for: str = ""
    """The signature at which ``--fail-fast`` ended the exploring."""


class _Course(Generic[Part]):
    """One explorer under way."""

    def __init__(self, explorer: Explorer[Part], first: int, place: int, before: int) -> None:
        self.explorer = explorer
        self.covered = Covered(explorer.name, explorer.bound, before, place=place, planned=explorer.planned)
        self.drawn = explorer.quota is not None and before >= explorer.quota
        """True once all of its programs are drawn."""
        self._programs: Iterator[tuple[int, tuple[Part, ...]]] | None = None
        self._size = first
        self._begin, self._next = place, place
        self._count = before
        self._open: dict[int, int] = {}
        self.covered.ended = self.drawn

    @property
    def share(self) -> float:
        """How much of it is drawn, from 0 to 1."""
        return self._count / max(1, self.explorer.planned or ENDLESS)

    def draw(self, number: int, most: int) -> list[tuple[int, tuple[Part, ...]]]:
        """The next batch, of at most so many programs, under a number of its own; an empty one at the end."""
        if self._programs is None:
            self._programs = self.explorer.source(self._begin)
        size = min(self._size, most)
        if self.explorer.quota is not None:
            size = min(size, self.explorer.quota - self._count)
        chunk: list[tuple[int, tuple[Part, ...]]] = []
        steps = 0
        for one in itertools.islice(self._programs, size):
            chunk.append(one)
            steps += len(one[1])
            if steps >= BATCH_STEPS:
                break
        self._count += len(chunk)
        if chunk:
            self._open[number] = chunk[0][0]
            self._next = chunk[-1][0] + 1
        self.drawn = (len(chunk) < size and steps < BATCH_STEPS) or self._count == self.explorer.quota
        self._settle()
        return chunk

    def done(self, number: int, chunk: list[tuple[int, tuple[Part, ...]]], executed: int, seconds: float) -> None:
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


@dataclass(slots=True)
class _Batch(Generic[Part, Got]):
    """Programs of one explorer on their way: executed once, then those that go on, then counted in their order."""

    course: _Course[Part]
    number: int
    chunk: list[tuple[int, tuple[Part, ...]]]
    trials: list[Got] = field(default_factory=list)
    seconds: float = 0.0
    lost: StoreLost | None = None
    tried: bool = False
    decided: bool = False
    done: bool = False


class Exploration(Generic[Part, Got, Whole]):
    """A store's exploring under way. One thread controls it."""

    def __init__(
        self,
        ground: Ground[Part, Got, Whole],
        plan: Plan[Part],
        hear: Listener = unheard,
        clock: Clock = time.monotonic,
        pool: Executor | None = None,
    ) -> None:
        """Nothing is run yet. ``pool`` is where batches are executed, by default a thread for each session."""
        self.ground, self.plan = ground, plan
        self.outcome = Outcome(ground.collected)
        self._aside = 0.0
        """Seconds that were spent on confirming for --fail-fast: they are no part of the budget."""
        self._hear, self._clock = hear, clock
        self._pool = pool or ThreadPoolExecutor(plan.shards, thread_name_prefix=f"{ground.name}-shard")
        self._stopping = threading.Event()
        self._lost = False
        self._courses = [_Course(one, plan.first, *plan.places.get(one.name, (0, 0))) for one in plan.explorers]
        self.outcome.covered = [course.covered for course in self._courses]
        self._turn: tuple[_Course[Part], int] | None = None
        """Who draws, and how many programs more."""
        self._numbers = itertools.count()
        self._waiting: dict[int, _Batch[Part, Got]] = {}
        """Batches that are not counted yet, in the order in which they were drawn."""
        self._gone_on: Counter[str] = Counter()

    @property
    def ended(self) -> bool:
        """True if there is nothing left to explore, or no use in it."""
        return self._stopped() or self._next_course() is None

    def run(self, seconds: float | None = None) -> None:
        """Explore until all that is planned was run, or for about so long. Raises SandboxRefused."""
        started, aside = self._clock(), self._aside
        deadline = math.inf if seconds is None else started - aside + seconds
        running: dict[Future[None], _Batch[Part, Got]] = {}
        try:
            while True:
                self._fill(running, deadline)
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    running.pop(future)
                    future.result()
                    self._settle(running, started)
                if self.plan.fail_fast and not self._stopped():
                    self._confirm()
        except BaseException:
            self._stopping.set()
            raise
        finally:
            for future in [one for one in running if not one.cancel()]:
                wait([future])
            self._count(started, everything=True)
            self.outcome.seconds += self._clock() - started - (self._aside - aside)
        self.outcome.cut_off = not self.ended

    def stop(self) -> None:
        """Have the exploring end soon, from another thread: programs under way are executed to their end."""
        self._stopping.set()

    @property
    def complete(self) -> bool:
        """True if all that there was to run was run and counted."""
        return all(course.covered.ended for course in self._courses)

    def to_its_end(self) -> Outcome[Whole]:
        """Run all that is planned, within the budget; an interrupt ends it and is noted. Raises SandboxRefused."""
        try:
            self.run(self.plan.budget or None)
        except KeyboardInterrupt:
            self.interrupt()
        finally:
            self.close()
        return self.outcome

    def interrupt(self) -> None:
        """Note that the run was interrupted."""
        self.outcome.interrupted = True
        self.outcome.problems.append("interrupted: what was found until then is reported")

    def close(self) -> Outcome[Whole]:
        """What exploring gave; nothing can be run any more."""
        self._pool.shutdown()
        return self.outcome

    def _stopped(self) -> bool:
        return self._lost or self._stopping.is_set() or bool(self.ground.failed)

    def _fill(self, running: dict[Future[None], _Batch[Part, Got]], deadline: float) -> None:
        """Have as many batches executed as sessions can take up at once, one more, and no more than may wait."""
        while (
            len(running) <= self.plan.shards
            and len(self._waiting) < AHEAD * self.plan.shards
            and self._clock() - self._aside < deadline
            and not self._stopped()
        ):
            batch = self._draw()
            if batch is None:
                return
            running[self._pool.submit(self._try, batch)] = batch

    def _draw(self) -> _Batch[Part, Got] | None:
        """The next batch in the order of the plan; None at its end."""
        while (course := self._next_course()) is not None:
            left = self._turn[1] if self._turn is not None else MAX_BATCH if course.explorer.whole else BLOCK
            number = next(self._numbers)
            chunk = self._drawn(course, number, left)
            goes_on = not (course.explorer.whole or course.drawn or len(chunk) == left)
            self._turn = (course, left - len(chunk)) if goes_on else None
            if chunk:
                batch = self._waiting[number] = _Batch(course, number, chunk)
                return batch
        return None

    def _drawn(self, course: _Course[Part], number: int, most: int) -> list[tuple[int, tuple[Part, ...]]]:
        """A batch of an explorer; of one whose own code raised an error no more comes."""
        try:
            return course.draw(number, most)
        except Exception as error:
            self.ground.fault(f"drawing programs of {course.explorer.name}", error)
            course.drawn = True
            return []

    def _next_course(self) -> _Course[Part] | None:
        if self._turn is not None:
            return self._turn[0]
        left = [one for one in self._courses if not one.drawn]
        whole = next((one for one in left if one.explorer.whole), None)
        if whole is not None or self.plan.budget == 0:
            return whole
        return min(left, key=lambda one: one.share, default=None)

    def _settle(self, running: dict[Future[None], _Batch[Part, Got]], started: float) -> None:
        """Let go on what is to go on, and count what is done: both in the order in which batches were drawn."""
        for batch in self._waiting.values():
            if not batch.tried:
                break
            if not batch.decided:
                batch.decided = True
                indices = [index for index, trial in enumerate(batch.trials) if self._goes_on(trial)]
                if indices and batch.lost is None and not self._stopping.is_set():
                    running[self._pool.submit(self._go_on, batch, indices)] = batch
                else:
                    batch.done = True
        self._count(started)

    def _goes_on(self, trial: Got) -> bool:
        """Whether a program that departs is to be executed again: which ones are does not hang on who is first."""
        signature = self.ground.again(trial)
        self._gone_on[signature] += bool(signature)
        return 0 < self._gone_on[signature] <= GO_ON_LIMIT

    def _count(self, started: float, everything: bool = False) -> None:
        """Count the batches that are done, up to the first that is not; or all that was executed of any."""
        for number, batch in list(self._waiting.items()):
            if not batch.done and not everything:
                return
            del self._waiting[number]
            self._absorb(batch, started)
            if not everything:
                self._hear(self._advanced(batch.course.covered))

    def _advanced(self, covered: Covered) -> Advanced:
        return Advanced(self.ground.name, covered.name, covered.programs, covered.planned, *self.ground.standing())

    def _confirm(self) -> None:
        """See whether something that was met fails the gate for certain."""
        begun = self._clock()
        try:
            self.ground.confirm()
        except StoreLost as error:
            self._lost = True
            self.outcome.problems.append(str(error))
        self._aside += self._clock() - begun
        self.outcome.stopped_for = self.ground.failed

    def _absorb(self, batch: _Batch[Part, Got], started: float) -> None:
        covered = batch.course.covered
        for trial in batch.trials:
            operations, throttled = self.ground.add(trial)
            covered.operations += operations
            covered.throttled += throttled
        covered.programs += len(batch.trials)
        batch.course.done(batch.number, batch.chunk, len(batch.trials), batch.seconds)
        covered.seconds += batch.seconds / self.plan.shards
        if batch.lost is not None and not self._lost:
            self._lost = True
            self.outcome.problems.append(str(batch.lost))
        self.ground.grown(self.outcome.curve, self.outcome.seconds + self._clock() - started)

    def _try(self, batch: _Batch[Part, Got]) -> None:
        """Execute and judge a batch, in a thread of the pool; less than all of it if the exploring is being stopped."""

        def tried(bench: Bench[Part, Got]) -> None:
            with closing(bench.tries([program for _, program in batch.chunk])) as tries:
                for trial in tries:
                    batch.trials.append(trial)
                    if self._stopping.is_set():
                        break

        self._at_a_bench(batch, tried)
        batch.tried = True

    def _go_on(self, batch: _Batch[Part, Got], indices: list[int]) -> None:
        """Judge programs of a batch to their end, in a thread of the pool."""

        def gone_on(bench: Bench[Part, Got]) -> None:
            for index in indices:
                if self._stopping.is_set():
                    break
                batch.trials[index] = bench.go_on(batch.trials[index])

        self._at_a_bench(batch, gone_on)
        batch.done = True

    def _at_a_bench(self, batch: _Batch[Part, Got], work: Callable[[Bench[Part, Got]], None]) -> None:
        try:
            with self.ground.lent() as bench:
                started = self._clock()
                try:
                    work(bench)
                finally:
                    batch.seconds += self._clock() - started
        except StoreLost as error:
            batch.lost = error


def explore(benches: Benches, plan: Plan, hear: Listener = unheard) -> Outcome:
    """Run all explorers of a plan, whole ones first in their order, the others by turns, within the budget.

    Raises SandboxRefused.
    """
    return Exploration(Files(benches, plan.terms), plan, hear).to_its_end()
