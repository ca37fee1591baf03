"""Running one store: exploring within a budget over several sessions at once, then minimising and confirming.

Nothing that was found is lost: a store that goes away, and an interrupt, end the exploring and keep the rest.
"""

from __future__ import annotations

import itertools
import queue
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from fsconform.engine.collect import Collected
from fsconform.engine.explorers import Explorer
from fsconform.engine.judge import FAILING, Judge
from fsconform.engine.protocol import SandboxRefused, Store, StoreLost
from fsconform.engine.trial import Bench, Trial
from fsconform.model.contract import Contract
from fsconform.model.oracle import Oracle
from fsconform.model.programs import Program

BATCH_SECONDS = 0.4
"""A batch is sized to take about so long: long enough to be worth a trip, short enough to stop in time."""

MAX_BATCH = 256

GO_ON_LIMIT = 12
"""After so many sights of a signature a program that shows it once more is not executed again to go on."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a store's run stands: programs and operations so far, and the explorer at work with its share done."""

    store: str
    phase: str
    programs: int
    operations: int
    signatures: int
    failing: int
    done: int = 0
    total: int | None = None


Listener = Callable[[Progress], None]


@dataclass(slots=True)
class Covered:
    """What one explorer did: programs executed, the place to take up, seconds spent; ``ended`` at its own end."""

    name: str
    bound: int | None
    programs: int = 0
    operations: int = 0
    seconds: float = 0.0
    place: int = 0
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """How a store is explored. ``budget`` is in seconds of wall time for what is not run whole; ``places`` resume."""

    explorers: tuple[Explorer, ...]
    budget: float
    shards: int = 1
    fail_fast: bool = False
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each explorer's name the place to begin at and the programs that were executed before."""


@dataclass(slots=True)
class Outcome:
    """What exploring a store gave: what was collected, what was covered, and what kept it from being judged."""

    collected: Collected = field(default_factory=Collected)
    covered: list[Covered] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    store_nanoseconds: int = 0
    interrupted: bool = False


class Benches:
    """The sessions of one store: one for each shard, opened when first needed."""

    def __init__(self, store: Store, contract: Contract, shards: int) -> None:
        self.store = store
        self.oracle = Oracle(contract)
        self.judge = Judge(self.oracle)
        self._free: queue.LifoQueue[Bench | None] = queue.LifoQueue()
        self._all: list[Bench] = []
        for _ in range(shards):
            self._free.put(None)

    def take(self) -> Bench:
        """A bench that no other thread uses. Raises StoreLost or SandboxRefused."""
        bench = self._free.get()
        if bench is None:
            try:
                bench = Bench(self.store.session(), self.judge)
            except BaseException:
                self._free.put(None)
                raise
            self._all.append(bench)
        return bench

    def give_back(self, bench: Bench) -> None:
        """Let others use the bench."""
        self._free.put(bench)

    @property
    def store_nanoseconds(self) -> int:
        """Time spent inside the store's calls, over all sessions."""
        return sum(bench.store_nanoseconds for bench in self._all)

    def close(self) -> None:
        """Close all sessions."""
        for bench in self._all:
            bench.session.close()


def explore(benches: Benches, plan: Plan, listener: Listener) -> Outcome:
    """Run all explorers of a plan, whole ones first in their order, the others within the budget."""
    outcome = Outcome()
    started = time.monotonic()
    left = [explorer for explorer in plan.explorers if not explorer.whole]
    try:
        with ThreadPoolExecutor(plan.shards, thread_name_prefix="shard") as pool:
            for explorer in plan.explorers:
                deadline = None
                if not explorer.whole:
                    remaining = plan.budget - (time.monotonic() - started)
                    share = explorer.weight / sum(one.weight for one in left)
                    deadline = time.monotonic() + max(0.0, remaining) * share
                    left.remove(explorer)
                _explore_one(benches, plan, explorer, deadline, outcome, pool, listener)
                if plan.fail_fast and _failing(outcome.collected):
                    break
    except StoreLost as error:
        outcome.problems.append(str(error))
    except SandboxRefused:
        raise
    except KeyboardInterrupt:
        outcome.interrupted = True
        outcome.problems.append("interrupted: what was found until then is reported")
    outcome.store_nanoseconds = benches.store_nanoseconds
    return outcome


def _failing(collected: Collected) -> int:
    return sum(1 for sample in collected.samples.values() if sample.finding.verdict in FAILING)


def _explore_one(
    benches: Benches,
    plan: Plan,
    explorer: Explorer,
    deadline: float | None,
    outcome: Outcome,
    pool: ThreadPoolExecutor,
    listener: Listener,
) -> None:
    place, before = plan.places.get(explorer.name, (0, 0))
    covered = Covered(explorer.name, explorer.bound, before, place=place)
    outcome.covered.append(covered)
    programs = explorer.source(place)
    started = time.monotonic()
    batch = _Batch()
    running: set[Future[tuple[list[Trial], StoreLost | None]]] = set()
    try:
        while True:
            stop = (deadline is not None and time.monotonic() >= deadline) or (
                plan.fail_fast and _failing(outcome.collected) > 0
            )
            while not stop and len(running) < plan.shards + 1:
                chunk = list(itertools.islice(programs, batch.size))
                if not chunk:
                    covered.ended = True
                    break
                covered.place = chunk[-1][0] + 1
                running.add(pool.submit(_try, benches, [program for _, program in chunk], outcome.collected, batch))
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                trials, lost = future.result()
                for trial in trials:
                    outcome.collected.add(trial)
                    covered.programs += 1
                    covered.operations += trial.judgement.operations
                if lost is not None:
                    raise lost
            covered.seconds = time.monotonic() - started
            listener(_progress(benches.store.name, explorer, covered, outcome.collected))
    finally:
        for future in running:
            future.cancel()


def _progress(store: str, explorer: Explorer, covered: Covered, collected: Collected) -> Progress:
    return Progress(
        store,
        explorer.name,
        collected.programs,
        collected.operations,
        len(collected.samples),
        _failing(collected),
        covered.programs,
        explorer.bound,
    )


class _Batch:
    """The size of the next batch, from how long the last ones took."""

    def __init__(self) -> None:
        self.size = 8

    def took(self, seconds: float, programs: int) -> None:
        ideal = int(programs * BATCH_SECONDS / max(seconds, 1e-6))
        self.size = max(1, min(MAX_BATCH, ideal, self.size * 2))


def _try(
    benches: Benches, programs: list[Program], collected: Collected, batch: _Batch
) -> tuple[list[Trial], StoreLost | None]:
    started = time.monotonic()
    trials: list[Trial] = []
    lost = None
    bench = benches.take()
    try:
        for trial in bench.tries(programs):
            trials.append(trial)
        for index, trial in enumerate(trials):
            trials[index] = _go_on(bench, trial, collected)
    except StoreLost as error:
        lost = error
    finally:
        benches.give_back(bench)
    batch.took(time.monotonic() - started, len(programs))
    return trials, lost


def _go_on(bench: Bench, trial: Trial, collected: Collected) -> Trial:
    if trial.judgement.wants_snapshot is None:
        return trial
    sample = collected.samples.get(trial.judgement.findings[-1].signature)
    return trial if sample is not None and sample.count >= GO_ON_LIMIT else bench.go_on(trial)
