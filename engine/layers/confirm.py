"""From a finding to the smallest program that shows it, replayed in fresh places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from fsconform.engine.layers.findings import Finding, Judgement

REPLAYS = 3

Operation = TypeVar("Operation")
Seen = TypeVar("Seen")


# Without slots: where an alias such as Tried[X, Y] is called, typing notes that in the instance, or is refused by it.
@dataclass(frozen=True)
class Tried(Generic[Operation, Seen]):
    """A program with what was observed of its steps, and the judgement."""

    program: tuple[Operation, ...]
    seen: tuple[Seen, ...]
    judgement: Judgement[Any]


@dataclass(frozen=True)
class Proven(Generic[Operation, Seen]):
    """A finding with the smallest program, how often it was replayed, and how often that showed it."""

    finding: Finding
    tried: Tried[Operation, Seen]
    count: int
    replays: int = 0
    shown: int = 0

    @property
    def confirmed(self) -> str:
        """Such as 3/3."""
        return f"{self.shown}/{self.replays}"


def shows(tried: Tried[Operation, Seen], signature: str) -> Finding | None:
    """The first finding of that signature, if there is one."""
    for one in tried.judgement.findings:
        if one.signature == signature:
            return one
    return None


def prove(
    attempt: Callable[[tuple[Operation, ...]], Tried[Operation, Seen]],
    smaller: Callable[[tuple[Operation, ...], Finding | None], Iterator[tuple[Operation, ...]]],
    met: Proven[Operation, Seen],
    attempts: int,
    fresh: Callable[[], None] = lambda: None,
) -> Proven[Operation, Seen]:
    """Shrink the program in which a finding was met, and replay it.

    ``attempt`` executes and judges a program, ``smaller`` gives programs that are smaller in one thing, the most
    promising first; at most so many ``attempts`` are made. ``fresh`` is called before each replay.
    Raises what both raise.
    """
    signature, small = met.finding.signature, met.tried
    tried_before = {small.program}
    progress = True
    while progress and attempts > 0:
        progress = False
        for candidate in smaller(small.program, shows(small, signature)):
            if candidate in tried_before:
                continue
            if attempts <= 0:
                break
            attempts -= 1
            tried_before.add(candidate)
            again = attempt(candidate)
            if shows(again, signature) is not None:
                small, progress = again, True
                break
    shown, last = 0, small
    for _ in range(REPLAYS):
        fresh()
        again = attempt(small.program)
        if shows(again, signature) is not None:
            shown += 1
            last = again
    return Proven(shows(last, signature) or met.finding, last, met.count, REPLAYS, shown)
