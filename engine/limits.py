"""Searching for a limit: sizes are doubled until one is refused or a bound is reached, then the gap is halved.

Pure, but for :func:`search`, which asks its caller to try sizes and looks at the clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

MOST_IDLE = 3
"""Attempts in a row that may say nothing new, as one does whose size is not quite the one asked for."""

LONGEST_ERROR = 360
"""Characters of an error that are kept: some repeat the whole name."""

_LONGEST_READ = 20_000
_REPEATED = (re.compile(r"([^/])\1{9,}", re.DOTALL), re.compile(r"(/[^/ ]{1,12})\1{3,}"))
"""A character again and again, and an element of a path."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is known of a limit. Sizes are asked for from ``first`` to ``bound``, both included; 0 always works."""

    bound: int
    first: int = 1
    accepted: int = 0
    refused: int | None = None
    error: str = ""

    @property
    def next_size(self) -> int | None:
        """The size to try next, None if the limit is known or there is none up to the bound."""
        if self.refused is not None:
            return (self.accepted + self.refused) // 2 if self.refused - self.accepted > 1 else None
        if self.accepted >= self.bound:
            return None
        return min(self.bound, max(self.first, 2 * self.accepted))


@dataclass(frozen=True, slots=True)
class Tried:
    """One size as it was tried, which may differ a little from the size asked for.

    It worked if both texts are empty; ``refused`` says how the store refused it, ``undecided`` why nothing was learned.
    """

    size: int
    refused: str = ""
    undecided: str = ""


def learned(known: Search, tried: Tried) -> Search:
    """What is known after a size was tried."""
    if tried.undecided:
        return known
    if not tried.refused:
        return replace(known, accepted=max(known.accepted, tried.size))
    if known.refused is not None and tried.size >= known.refused:
        return known
    return replace(known, refused=tried.size, error=elided(tried.refused))


def elided(text: str) -> str:
    """A text short enough to show: what it repeats is told once, with the number of times, or its middle goes."""
    text = text[:_LONGEST_READ]
    for repeated in _REPEATED:
        text = repeated.sub(lambda found: f"{found[1]}\u00d7{len(found[0]) // len(found[1])}", text)
    if len(text) <= LONGEST_ERROR:
        return text
    tail = LONGEST_ERROR // 6
    return f"{text[: LONGEST_ERROR - tail - 5]} ... {text[-tail:]}"


@dataclass(frozen=True, slots=True)
class Found:
    """How a search ended: what is known, after so many attempts; ``note`` says why it ended early, if it did."""

    known: Search
    attempts: int
    note: str = ""


def search(known: Search, attempt: Callable[[int], Tried], until: float, clock: Callable[[], float]) -> Found:
    """Search until the limit is known, or until the next attempt is likely to end after ``until``.

    It is taken to last in proportion to its size, by the better of the last two: now and then one waits for what has
    nothing to do with it.
    """
    attempts, idle, pace, pace_before = 0, 0, 0.0, 0.0
    while (size := known.next_size) is not None:
        now = clock()
        if now + min(pace, pace_before) * size > until:
            return Found(known, attempts, "the time was up")
        tried = attempt(size)
        attempts += 1
        pace_before, pace = pace, (clock() - now) / max(size, 1)
        if tried.undecided:
            return Found(known, attempts, elided(tried.undecided))
        before, known = known, learned(known, tried)
        idle = idle + 1 if known == before else 0
        if idle == MOST_IDLE:
            return Found(known, attempts, "the sizes that could be tried say no more")
    return Found(known, attempts)
