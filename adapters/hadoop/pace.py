"""The pace of a session's calls: the rate that was asked for, and less for a while after the store was too busy."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

ATTEMPTS, LEAST_ATTEMPTS = 4, 2
"""So often a program is begun before a store that goes on asking to try again is taken at its word.

Each program that stays without an answer takes one from those that later ones have, down to the least.
"""

FIRST_BACK_OFF, LONGEST_BACK_OFF = 0.25, 8.0
"""Seconds before the second attempt; each further wait is twice as long, up to the longest."""

SLOWEST, FIRST_SLOWING = 0.16, 0.01
"""Seconds from one call to the next: at most, and after the first sign."""

CALM_SECONDS = 2.0
"""A session that was slowed down doubles its pace after so long without another sign, until it has its old one."""


def back_off(attempt: int, chance: Callable[[], float] = random.random) -> float:
    """Seconds to wait after an attempt, numbered from 0: doubled each time, by half more or less at random.

    Sessions that were turned away together do not come back together.
    """
    return min(LONGEST_BACK_OFF, FIRST_BACK_OFF * 2.0**attempt) * (0.5 + chance())


class Pace:
    """Keeps calls apart. ``rate`` is in calls a second, 0 for no bound."""

    def __init__(
        self, rate: float, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._usual = 1 / rate if rate > 0 else 0.0
        self.attempts = ATTEMPTS
        """How often the next program may be begun."""
        self._slowed, self._slow_until, self._next = 0.0, 0.0, 0.0
        self._clock, self._sleep = clock, sleep

    @property
    def bounded(self) -> bool:
        """True if calls have to be kept apart."""
        return self._usual > 0 or self._slowed > 0

    def slow_down(self) -> None:
        """The store was too busy: half the pace, for a while."""
        slowest = max(SLOWEST, 2 * self._usual)
        self._slowed = min(slowest, max(FIRST_SLOWING, 2 * max(self._usual, self._slowed)))
        self._slow_until = self._clock() + CALM_SECONDS

    def gave_up(self) -> None:
        """A program stayed without an answer, so that slowing down did not help: take back some of it."""
        self.attempts = max(LEAST_ATTEMPTS, self.attempts - 1)
        self._speed_up(self._clock())

    def wait(self) -> None:
        """Wait until the next call may be made."""
        now = self._clock()
        if self._slowed and now >= self._slow_until:
            self._speed_up(now)
        if self._next > now:
            self._sleep(self._next - now)
        self._next = max(now, self._next) + max(self._usual, self._slowed)

    def _speed_up(self, now: float) -> None:
        self._slowed = self._slowed / 2 if self._slowed / 2 >= max(self._usual, FIRST_SLOWING) else 0.0
        self._slow_until = now + CALM_SECONDS
