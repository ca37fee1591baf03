"""A simulation of a campaign on a cluster, from distributions that were measured: where more executors stop helping.

Units are dealt to free slots in their order, as Spark's scheduler deals tasks. What is bounded by one machine is a
queue of its own: the driver launches tasks one after another, and a shared store serves calls at a rate of its own.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Cluster:
    """What bounds a campaign, in seconds.

    ``executors`` have so many ``slots`` each, and are up after ``startup``. The driver needs ``launch`` for each task
    and ``overhead`` is what a task costs its slot beside its unit. A shared store serves ``capacity`` units at a time
    without slowing down: beyond it their times grow in proportion; 0 stands for a store of each executor's own. With
    a probability of ``loss`` an attempt is lost at a random moment and its unit is attempted again.
    """

    executors: int
    slots: int = 1
    startup: float = 0.0
    launch: float = 0.0
    overhead: float = 0.0
    capacity: float = 0.0
    loss: float = 0.0


@dataclass(frozen=True, slots=True)
class Simulated:
    """How it went: ``seconds`` to the end, ``work`` in units' own seconds, ``busy`` the share of slots' time."""

    seconds: float
    work: float
    busy: float
    attempts: int

    @property
    def speedup(self) -> float:
        """Against one slot that does nothing but units."""
        return self.work / self.seconds if self.seconds else 0.0


def simulate(cluster: Cluster, costs: Sequence[float], units: int, seed: int = 0) -> Simulated:
    """A campaign of so many units, each as long as one of the measured ``costs``, drawn at random.

    Raises ValueError without costs or slots.
    """
    slots = cluster.executors * cluster.slots
    if not costs or slots < 1:
        raise ValueError("a simulation needs measured costs and at least one slot")
    dice = Random(seed)
    slowed = max(1.0, min(slots, units) / cluster.capacity) if cluster.capacity else 1.0
    free = [cluster.startup] * slots
    driver, end, work, used, attempts = cluster.startup, 0.0, 0.0, 0.0, 0
    waiting = [dice.choice(costs) for _ in range(units)]
    work = sum(waiting)
    waiting.reverse()
    while waiting:
        cost = waiting.pop()
        attempts += 1
        driver = max(driver, free[0]) + cluster.launch
        begun = heapq.heappop(free)
        lost = cluster.loss > 0 and dice.random() < cluster.loss
        spent = cluster.overhead + cost * slowed * (dice.random() if lost else 1.0)
        finished = max(begun, driver) + spent
        heapq.heappush(free, finished)
        used += spent
        end = max(end, finished)
        if lost:
            waiting.append(cost)
    return Simulated(end, work, used / (slots * end) if end else 0.0, attempts)
