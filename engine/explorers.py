"""Explorers: sources of programs, each in an order of its own that can be taken up again at any place."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Generic

from fsconform.engine.enumerate import CORE, Bound, Universe
from fsconform.engine.ground import Part
from fsconform.engine.probes import MODES, Mode, probed, sets_up_much
from fsconform.model.core import content as contents
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program

Source = Callable[[int], Iterator[tuple[int, tuple[Part, ...]]]]
"""From a place to the programs there and after, each with its place."""


@dataclass(frozen=True, slots=True)
class Explorer(Generic[Part]):
    """A source of programs. ``size`` counts its programs, if they can be counted; a function makes them first.

    ``whole`` explorers are run first, one after another, and to their end also where a run has no budget for more.
    Of the others ``quota`` programs are run, None for all there are; they are run by turns.
    """

    name: str
    source: Source[Part]
    size: int | Callable[[], int] | None = None
    whole: bool = False
    quota: int | None = None

    @property
    def bound(self) -> int | None:
        """The programs there are; None if they can't be counted. What is made to be counted is made now."""
        return self.size() if callable(self.size) else self.size

    @property
    def planned(self) -> int | None:
        """The programs that are to be run; None if there is no end of them."""
        return self.bound if self.quota is None else self.quota if self.bound is None else min(self.quota, self.bound)


def from_list(name: str, programs: Sequence[tuple[Part, ...]], whole: bool = False) -> Explorer[Part]:
    """An explorer of a fixed list of programs."""

    def source(first: int) -> Iterator[tuple[int, tuple[Part, ...]]]:
        for place in range(first, len(programs)):
            yield place, programs[place]

    return Explorer(name, source, len(programs), whole)


def from_made(name: str, make: Callable[[], Sequence[Program]], whole: bool = False) -> Explorer:
    """An explorer of a list of programs that is made once it is asked for."""
    made = cache(lambda: tuple(make()))

    def source(first: int) -> Iterator[tuple[int, Program]]:
        yield from itertools.islice(enumerate(made()), first, None)

    return Explorer(name, source, lambda: len(made()), whole)


def enumeration(
    length: int,
    oracle: Oracle,
    seed: int,
    universe: Universe = CORE,
    kinds: tuple[type, ...] = (),
    both: bool = True,
    whole: bool = False,
) -> Explorer:
    """Bounded enumeration of programs of exactly ``length`` operations, in the order of ``seed``.

    Every program is given in ``both`` modes of probing, or, without, in one of them by turns.
    """
    bound = Bound(length, universe, kinds)

    def source(first: int) -> Iterator[tuple[int, Program]]:
        for index, program in bound.sample(seed, first // len(MODES)):
            for turn, mode in enumerate(MODES):
                place = index * len(MODES) + turn
                if place >= first and (both or turn == index % len(MODES)):
                    yield place, probed(oracle, program, mode)

    name = f"enumeration of {length} operation{'s' if length > 1 else ''}"
    return Explorer(name, source, bound.total * (len(MODES) if both else 1), whole)


def sampled(explorer: Explorer, quota: int | None, seed: int) -> Explorer:
    """The explorer with a quota, if it has a program at each place: those that are run are drawn by the seed."""
    if quota is None or explorer.bound is None or quota >= explorer.bound:
        return explorer
    chosen = sorted(Random(f"{seed}/{explorer.name}").sample(range(explorer.bound), quota))
    inner = explorer.source

    def source(first: int) -> Iterator[tuple[int, Program]]:
        for place in chosen:
            if place >= first:
                yield from itertools.islice(inner(place), 1)

    return replace(explorer, source=source, quota=quota)


LARGE_BYTES = 1 << 26
"""Content that is not to be read more often than need be."""


def _bytes_of(program: Program) -> int:
    return sum(contents.length(getattr(step.operation, "content", ())) for step in program)


def both_modes(programs: Sequence[Program], oracle: Oracle, once: Container[Program] = ()) -> list[Program]:
    """Each program with a probe after each step, and with probes only at the end; once where the two are equal.

    Those of ``once`` are given with a probe after each step only.

    One of large content is probed at its end only: it would be read again after each step. One that sets up a large
    directory is given as it stands, for it looks itself: probes would ask of each of its files one by one.
    """
    modes = ((program, MODES[:1] if program in once else MODES) for program in programs)
    found = (one for program, wanted in modes for one in _in_modes(program, oracle, wanted))
    return list(dict.fromkeys(found))


def one_mode(programs: Sequence[Program], oracle: Oracle, seed: int) -> list[Program]:
    """Each program as :func:`both_modes` has it, in one mode of probing by turns; the seed decides where they begin."""
    found = (_in_modes(program, oracle, MODES) for program in programs)
    return list(dict.fromkeys(ways[(seed + turn) % len(ways)] for turn, ways in enumerate(found)))


def _in_modes(program: Program, oracle: Oracle, wanted: Sequence[Mode]) -> list[Program]:
    if sets_up_much(program):
        return [program]
    modes = wanted if _bytes_of(program) < LARGE_BYTES else MODES[-1:]
    return [probed(oracle, program, mode) for mode in modes]
