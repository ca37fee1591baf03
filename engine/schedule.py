"""Dealing out a budget of seconds: which store, and within it which explorer, is worth the next ones. Pure arithmetic.

Every party has an account: what it was given, and what that brought of late. Its weight says what share it should
have; who is furthest behind its share is next (stride scheduling). As only what is dealt from now on counts by the new
weight, nobody pays for what was worth its time when it was given, and nobody is starved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

TURN_SECONDS = 5.0
"""A store's turn: long enough that its end, where one session waits for another, does not count."""

LEAST_TURNS = 4
"""Where the budget is short, turns are shorter: so many fit into the equal share of a store."""

LEAST_TURN = 0.05
"""A rest of the budget that is shorter is left."""

LEAST, MOST = 0.15, 4.4
"""No store gets less or more than so many times the equal share."""

FLOOR = 0.2
"""What is left of the weight of a party that brings nothing new."""

GOOD_YIELD = 0.5
"""Of so many new things a second a party has three fifths of its weight, of many more all of it."""

SIGNATURE_NEWS = 4
"""A new signature counts as so many new situations or clauses."""


@dataclass(slots=True)
class Account:
    """What a party was given and what it brought; the recent part fades by half every ``half_life`` seconds."""

    half_life: float = 20.0
    weight: float = 1.0
    """Of a store with twice the weight twice the operations are wanted."""
    seconds: float = 0.0
    operations: int = 0
    ticks: float = 0.0
    """Seconds dealt over the share it had then: the party with the fewest is next."""
    _recent_seconds: float = 0.0
    _recent_operations: float = 0.0
    _recent_news: float = 0.0

    def credit(self, seconds: float, operations: int, news: int) -> None:
        """Note that the party worked for so long, and what came of it."""
        self.seconds += seconds
        self.operations += operations
        fade = 0.5 ** (seconds / self.half_life)
        self._recent_seconds = self._recent_seconds * fade + seconds
        self._recent_operations = self._recent_operations * fade + operations
        self._recent_news = self._recent_news * fade + news

    @property
    def speed(self) -> float:
        """Operations a second of late; 0 if there were none yet."""
        return self._recent_operations / self._recent_seconds if self._recent_seconds > 0 else 0.0

    @property
    def worth(self) -> float:
        """How much of its weight the party is worth by its recent yield, from FLOOR to 1; 1 if nothing is known yet."""
        if self._recent_seconds <= 0:
            return 1.0
        found = self._recent_news / self._recent_seconds
        return FLOOR + (1 - FLOOR) * found / (found + GOOD_YIELD)


def shares(weights: Sequence[float], least: float = LEAST, most: float = MOST) -> list[float]:
    """The weights as shares of 1, each between ``least`` and ``most`` times the equal share."""
    count = len(weights)
    low, high = least / count, most / count
    greatest = max(weights) or 1.0
    scaled = [max(weight / greatest, 1e-9) for weight in weights]

    def bounded(factor: float) -> list[float]:
        return [min(high, max(low, factor * weight)) for weight in scaled]

    below, above = 0.0, high / min(scaled)
    for _ in range(100):
        middle = (below + above) / 2
        below, above = (middle, above) if sum(bounded(middle)) < 1 else (below, middle)
    return bounded(above)


class Party(Protocol):
    """A store that is being explored."""

    @property
    def account(self) -> Account:
        """What it was given and what it brought."""
        ...

    @property
    def ended(self) -> bool:
        """True if there is nothing left to explore."""
        ...


P = TypeVar("P", bound=Party)


def needs(accounts: Sequence[Account]) -> list[float]:
    """The weights of stores: a slow store needs more seconds for as many operations; and what still yields is worth it.

    A store whose speed is not known yet counts as an average one.
    """
    speeds = [account.speed for account in accounts]
    known = [speed for speed in speeds if speed > 0]
    average = sum(known) / len(known) if known else 1.0
    return [
        account.weight * account.worth / (speed or average) for account, speed in zip(accounts, speeds, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Turn(Generic[P]):
    """Who is next, for how many seconds, and the share of the budget that it has at present."""

    party: P
    seconds: float
    share: float


class Dealer:
    """Deals a budget of seconds, whole runs included, out to ``parties`` stores, some of which may be still to come."""

    def __init__(self, budget: float, parties: int) -> None:
        self.left = budget
        equal = budget / max(1, parties)
        self._turn = min(TURN_SECONDS, max(LEAST_TURN, equal / LEAST_TURNS))
        self._assured = LEAST * equal

    def spent(self, seconds: float) -> None:
        """Take from the budget what was used outside of turns."""
        self.left -= seconds

    def ran(self, turn: Turn[P], seconds: float) -> None:
        """Note how long a turn took indeed."""
        self.left -= seconds
        turn.party.account.ticks += seconds / turn.share

    def next(self, parties: Sequence[P], to_come: int = 0) -> Turn[P] | None:
        """Who is next; None if nobody is, or nothing is left.

        While stores are still to come, the others get no more than what each store gets at least. A store that is left
        alone gets all the rest at once.
        """
        able = [party for party in parties if not party.ended]
        if not able or self.left < LEAST_TURN:
            return None
        if len(able) == 1 and not to_come:
            return Turn(able[0], self.left, 1.0)
        by_party = shares(needs([party.account for party in able]))
        for place in sorted(range(len(able)), key=lambda place: able[place].account.ticks):
            seconds = min(self._turn, self.left)
            if to_come:
                seconds = min(seconds, self._assured - able[place].account.seconds)
            if seconds >= LEAST_TURN:
                return Turn(able[place], seconds, by_party[place])
        return None


def furthest_behind(accounts: Sequence[Account], weights: Sequence[float]) -> int:
    """The place of the one that is next; of equals the one with the greatest weight."""
    return min(range(len(accounts)), key=lambda place: (accounts[place].ticks, -weights[place]))


def charge(account: Account, weight: float, seconds: float) -> None:
    """Note seconds that a party of a weight was given, at what it is worth at present."""
    account.ticks += seconds / (weight * account.worth)
