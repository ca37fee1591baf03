"""Tries programs on a client, shrinks each departure to its shortest program, and confirms it in new buckets."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from fsconform.app.markers.running import Bench, Program, Step, run
from fsconform.model.markers.policy import Retention
from fsconform.suites.markers import WITNESSES, after, drawn, short

REPLAYS = 3

Run = Callable[[Program], list[Step]]


@dataclass(slots=True)
class Found:
    """A departure: its clause, the kind of call that shows it, the shortest program, why, how often it was seen."""

    clause: str
    call: str
    program: Program
    why: str
    seen: int = 1
    replays: int = 0

    @property
    def signature(self) -> str:
        """What tells it from others: no name stands in it."""
        return f"{self.clause} {self.call}"


@dataclass(slots=True)
class Outcome:
    """What exploring gave."""

    programs: int = 0
    calls: int = 0
    found: dict[str, Found] = field(default_factory=dict)


def programs(count: int, seed: int, length: int, deletes: bool = True) -> Iterator[Program]:
    """The programs of the rules, all of up to ``length`` calls, and so many random ones.

    Without ``deletes`` only those that make things.
    """
    first = itertools.chain(WITNESSES, *(short(number) for number in range(1, length + 1)))
    drawn_ones = (program for program in drawn(seed) if deletes or _makes_only(program))
    chosen = (program for program in first if deletes or _makes_only(program))
    seen: set[Program] = set()
    for program in itertools.chain(chosen, itertools.islice(drawn_ones, count)):
        if program not in seen:
            seen.add(program)
            yield program


def _makes_only(program: Program) -> bool:
    return all(call.what in ("mkdirs", "create") for call in program)


def explore(execute: Run, tried: Iterable[Program]) -> Outcome:
    """Run programs; what diverges is minimised and confirmed. Raises what ``execute`` raises."""
    outcome = Outcome()
    for program in tried:
        steps = execute(program)
        outcome.programs += 1
        outcome.calls += len(steps)
        for one in departures(program, steps):
            known = outcome.found.get(one.signature)
            if known is None:
                outcome.found[one.signature] = one
            else:
                known.seen += 1
    for one in outcome.found.values():
        one.program = minimised(execute, one)
        again = [found for _ in range(REPLAYS) for found in _same(one, execute(one.program))]
        one.replays, one.why = len(again), again[0].why if again else one.why
    return outcome


def departures(program: Program, steps: list[Step]) -> list[Found]:
    """The first departure of each signature in a run."""
    found: dict[str, Found] = {}
    for number, step in enumerate(steps, 1):
        for departure in step.departures:
            one = Found(departure.clause, step.call.what, program[:number], departure.why)
            found.setdefault(one.signature, one)
    return list(found.values())


def _same(wanted: Found, steps: list[Step]) -> list[Found]:
    return [one for one in departures(wanted.program, steps) if one.signature == wanted.signature]


def minimised(execute: Run, wanted: Found) -> Program:
    """A program without calls that the departure does not need; its last call is the one that departs."""
    program = wanted.program
    number = 0
    while number < len(program) - 1:
        shorter = program[:number] + program[number + 1 :]
        if after(shorter) is not None and _same(Found(wanted.clause, wanted.call, shorter, ""), execute(shorter)):
            program = shorter
        else:
            number += 1
    return program


def runner(place: Bench, release: str, retention: Retention, versioned: bool, tombstones: bool = True) -> Run:
    """A way to run programs through a release under a policy; ``tombstones`` as in :func:`run`."""
    return lambda program: run(place, release, retention, program, versioned, tombstones)
