"""Stores brought up ahead and taken down behind, in threads of their own.

Judging one store does not wait for the start or the end of another.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from click import ClickException

from fsconform.engine.benches import Benches
from fsconform.engine.effort import Pace
from fsconform.engine.events import Doing, Listener
from fsconform.engine.exploration import Plan
from fsconform.engine.explorers import Explorer
from fsconform.engine.gate import Terms
from fsconform.engine.histories.exploration import Plan as RacePlan
from fsconform.engine.internal import InternalErrors, sentence
from fsconform.engine.protocol import SandboxRefused, Store
from fsconform.engine.waivers import Waiver
from fsconform.harness.targets import with_inherited
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.records.baseline import Baseline

AHEAD = 2
"""So many stores are started at a time: one that takes long does not keep the next from its start."""

FIRST: tuple[Pace, ...] = ("slow", "reference", "fast")
"""Paces in the order in which stores are started and explored: none that takes long is left alone at the end."""

SHOWN = 3
"""Directories in a sandbox that are named."""

INTERRUPTED = "interrupted while it was started"


@dataclass(frozen=True, slots=True)
class RootPart:
    """What is explored in the real root of a store that is the harness's own, once the rest of it was judged.

    ``waivers`` are those that hold there; ``reproducer`` is the command line that replays a divergence there.
    """

    explorers: Callable[[Oracle], tuple[Explorer, ...]]
    waivers: tuple[Waiver, ...] = ()
    reproducer: str = "fsconform replay {replay} --root"


@dataclass(frozen=True, slots=True)
class Assignment:
    """One store to judge: how to bring it up, its contract, and what to explore.

    ``inherits`` takes the known bugs of methods that it inherits from Hadoop for what they are, not for its own.
    ``strict_quirks`` fails a store for known bugs that a complete run never needed.
    ``below`` asks to look at the object store below a connector also where what departs is waived.
    ``budget`` is the store's part, in seconds, of a budget that is shared by all stores of a run; None where there is
    none. ``effort_named`` says that the effort was asked for by name: what the budget cuts off of it is a problem then.
    ``races`` is what several clients at once are tried with, None for nothing.
    ``survey`` is for how many seconds its limits are searched for. ``pace`` says which stores take long: they go first.
    """

    name: str
    build: Callable[[], Store]
    contract: Contract
    explorers: Callable[[Oracle], tuple[Explorer, ...]]
    budget: float | None
    shards: int
    fail_fast: bool = False
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    complete: bool = True
    reproducer: str = "fsconform replay {replay}"
    statement: str = ""
    survey: float = 0.0
    below: bool = False
    effort_named: bool = False
    strict_quirks: bool = False
    inherits: bool = False
    on_root: RootPart | None = None
    baseline: Baseline | None = None
    pace: Pace = "fast"
    races: RacePlan | None = None


def terms_of(assignment: Assignment) -> Terms:
    """What the divergences of a store are held against."""
    name, baseline = assignment.name, assignment.baseline
    return Terms(name, assignment.waivers, baseline.known_failing(name) if baseline else frozenset())


@dataclass(frozen=True, slots=True)
class Up:
    """A store that is up, its sessions open; it took ``seconds``."""

    assignment: Assignment
    store: Store
    benches: Benches
    plan: Plan
    seconds: float


@dataclass(frozen=True, slots=True)
class Down:
    """A store that could not be brought up, for a reason."""

    assignment: Assignment
    reason: str
    seconds: float
    uri: str = ""
    interrupted: bool = False


class Fleet:
    """All stores of a run. Errors of the ``recoverable`` kinds keep one store down and leave the others alone."""

    def __init__(
        self, assignments: Sequence[Assignment], hear: Listener, recoverable: tuple[type[Exception], ...]
    ) -> None:
        """Begin to bring the stores up, those that take long first: the others are explored beside them."""
        self._hear, self._recoverable = hear, recoverable
        self._ending = threading.Event()
        self._starters = ThreadPoolExecutor(AHEAD, thread_name_prefix="starting")
        self._stoppers = ThreadPoolExecutor(max(1, len(assignments)), thread_name_prefix="stopping")
        self._up: dict[str, Up] = {}
        """What is up and not being stopped, by name."""
        self._starting: dict[Future[Up | Down], Assignment] = {
            self._starters.submit(self._start, one): one
            for one in sorted(assignments, key=lambda one: FIRST.index(one.pace))
        }

    @property
    def to_come(self) -> int:
        """How many stores are being started, or wait for it."""
        return len(self._starting)

    def arrived(self) -> list[Up | Down]:
        """The stores that came up, or failed to, since the last call. Raises SandboxRefused."""
        return [self._take(one) for one in list(self._starting) if one.done()]

    def _take(self, future: Future[Up | Down]) -> Up | Down:
        del self._starting[future]
        return future.result()

    def _start(self, assignment: Assignment) -> Up | Down:
        if self._ending.is_set():
            return Down(assignment, INTERRUPTED, 0.0, interrupted=True)
        started = time.monotonic()
        self._hear(Doing(assignment.name, "starting"))
        try:
            store = assignment.build()
        except self._recoverable as error:
            return Down(assignment, str(error), time.monotonic() - started)
        benches = Benches(store, assignment.contract, assignment.shards)
        try:
            benches.open()
            if assignment.inherits:
                benches.judge_by(with_inherited(assignment.contract, store))
            plan = Plan(
                assignment.explorers(benches.oracle),
                assignment.budget,
                assignment.shards,
                assignment.fail_fast,
                assignment.places,
                terms_of(assignment),
            )
        except BaseException as error:
            self._stop(assignment.name, benches, store)
            if isinstance(error, self._recoverable):
                return Down(assignment, str(error), time.monotonic() - started, store.uri)
            if isinstance(error, Exception) and not isinstance(error, SandboxRefused | ClickException):
                reason = sentence(InternalErrors().add("starting", error))
                return Down(assignment, reason, time.monotonic() - started, store.uri)
            raise
        self._hear(Doing(assignment.name, "ready"))
        if others := getattr(store, "others", ()):
            named = ", ".join(others[:SHOWN]) + (", ..." if len(others) > SHOWN else "")
            told = f"the sandbox holds directories of other runs ({named})"
            mend = "where none is under way `fsconform clean --uri` removes them"
            self._hear(Doing(assignment.name, f"{told}: {mend}"))
        up = self._up[assignment.name] = Up(assignment, store, benches, plan, time.monotonic() - started)
        return up

    def take_down(self, up: Up) -> None:
        """Close a store's sessions and stop it, without waiting for the end of it."""
        if self._up.pop(up.assignment.name, None) is not None:
            self._stoppers.submit(self._stop, up.assignment.name, up.benches, up.store)

    def _stop(self, name: str, benches: Benches, store: Store) -> None:
        self._hear(Doing(name, "stopping"))
        try:
            try:
                benches.close()
            finally:
                store.close()
        except self._recoverable as error:
            self._hear(Doing(name, f"could not be stopped in good order: {error}"))

    def cancel(self) -> list[Assignment]:
        """Start no more stores; those that are not up yet."""
        self._ending.set()
        return list(self._starting.values())

    def close(self) -> None:
        """Take down all that is up or still coming up, and wait until everything has stopped."""
        self._ending.set()
        self._starters.shutdown(cancel_futures=True)
        self._starting.clear()
        for up in list(self._up.values()):
            self.take_down(up)
        self._stoppers.shutdown()
