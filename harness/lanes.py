"""Stores explored side by side, each in a lane of its own: while one waits for its service another has the processor.

What is tried of a store is fixed by its plan alone, so that its programs, divergences and counts do not hang on what is
explored beside it. Of what waits for a lane the stores that take long go first: none is left alone at the end.
"""

from __future__ import annotations

import math
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from fsconform.engine.exploration import Exploration
from fsconform.harness.fleet import FIRST, Up

LEAST_SECONDS = 0.001
"""What a store is given at least where the others left nothing of a budget: it is begun, and reported as cut off."""


def lanes_for(stores: int, cores: int | None = None) -> int:
    """How many stores are explored at once: two, and on bigger machines one more than half of the cores."""
    return max(1, min(stores, max(2, (cores or os.cpu_count() or 2) // 2 + 1)))


@dataclass(frozen=True, slots=True)
class Explored:
    """A store whose exploring ended, and the error by which it did."""

    up: Up
    exploration: Exploration
    error: BaseException | None = None


class Shares:
    """A budget of seconds of wall time, dealt out to stores as they begin: what one leaves is for those after it.

    Time counts while at least one is explored. For use by several threads.
    """

    def __init__(
        self, seconds: float | None, stores: int, lanes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds, self._left, self._lanes, self._clock = seconds, stores, lanes, clock
        self._active, self._since, self._used = 0, 0.0, 0.0
        self._lock = threading.Lock()

    def without_one(self) -> None:
        """A store is not going to begin."""
        with self._lock:
            self._left -= 1

    def begin(self) -> float | None:
        """A store begins; the seconds that it has, None for no end."""
        with self._lock:
            now = self._clock()
            if not self._active:
                self._since = now
            rounds = max(1, math.ceil((self._left + self._active) / self._lanes))
            self._left -= 1
            self._active += 1
            if not self._seconds:
                return None
            return max(LEAST_SECONDS, (self._seconds - self._used - (now - self._since)) / rounds)

    def end(self) -> None:
        """A store that began has ended."""
        with self._lock:
            self._active -= 1
            if not self._active:
                self._used += self._clock() - self._since


class Lanes:
    """Explores stores in threads of its own, so many at a time. One thread gives them and takes what was explored."""

    def __init__(self, count: int, shares: Shares) -> None:
        """Nothing is explored yet."""
        self._shares = shares
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="exploring")
        self._lock = threading.Lock()
        self._waiting: list[tuple[Up, Exploration]] = []
        self._begun: list[tuple[Up, Exploration]] = []
        # Not a SimpleQueue: its get waits for ever where a handler of signals took longer than what was left to wait.
        self._done: queue.Queue[Explored] = queue.Queue()
        self._open = 0
        """Stores that were given and not taken back."""

    @property
    def busy(self) -> bool:
        """True if there is something to take, or will be."""
        return self._open > 0

    def give(self, up: Up, exploration: Exploration) -> None:
        """Explore a store as soon as a lane is free."""
        with self._lock:
            self._waiting.append((up, exploration))
        self._open += 1
        self._pool.submit(self._explore_next)

    def take(self, seconds: float) -> Explored | None:
        """A store whose exploring ended; None if there is none within so many seconds."""
        try:
            found = self._done.get(timeout=seconds)
        except queue.Empty:
            return None
        self._open -= 1
        return found

    def under_way(self) -> list[tuple[Up, Exploration]]:
        """The stores that were given: those that wait, and those that were begun, also if that has ended."""
        with self._lock:
            return [*self._begun, *self._waiting]

    def stop(self) -> list[Explored]:
        """End all exploring soon, and wait for it; what was given and not taken yet. Nothing can be given any more."""
        for _, exploration in self.under_way():
            exploration.stop()
        self._pool.shutdown()
        left = [self._done.get() for _ in range(self._open)]
        self._open = 0
        return left

    def _explore_next(self) -> None:
        with self._lock:
            chosen = min(self._waiting, key=lambda one: FIRST.index(one[0].assignment.pace))
            self._waiting.remove(chosen)
            self._begun.append(chosen)
        up, exploration = chosen
        error: BaseException | None = None
        seconds = self._shares.begin()
        try:
            exploration.run(seconds if exploration.plan.budget else None)
        except BaseException as raised:  # whoever takes it raises it again
            error = raised
        finally:
            self._shares.end()
            self._done.put(Explored(up, exploration, error))
