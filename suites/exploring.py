"""The explorer that Hypothesis drives: programs in numbered chunks, each drawn from a seed of its own.

Hypothesis calls what it drives, while an explorer is asked for one program after another; so a chunk is drawn whole, in
the thread that asks. Hypothesis is loaded when the first chunk is wanted.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from random import Random

from fsconform.engine.explorers import Explorer
from fsconform.engine.grammar import Suite
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program

CHUNK = 64
"""Programs in a chunk, at most. A place is the number of its chunk times this, and the place in the chunk."""

FIRST_CHUNKS = (4, 12, 48)
"""Programs in the first chunks, at most: of a chunk all are drawn before the first is given."""

SHORTEST = 2
"""The programs of a chunk have all the same length, from this many operations up to the grammar's longest."""

_one_at_a_time = threading.Lock()
"""Hypothesis seeds Python's shared random numbers and puts them back: two threads would undo each other's work."""


def explorer(suite: Suite, oracle: Oracle, seed: int) -> Explorer:
    """Programs that Hypothesis draws from a suite's grammar. There is no end of them."""

    def source(first: int) -> Iterator[tuple[int, Program]]:
        draw = chunks(suite, oracle, seed)
        for number in itertools.count(first // CHUNK):
            for index, program in enumerate(draw(number)):
                place = number * CHUNK + index
                if place >= first:
                    yield place, program

    return Explorer(f"hypothesis {suite.name}", source)


def chunks(suite: Suite, oracle: Oracle, seed: int) -> Callable[[int], list[Program]]:
    """From the number of a chunk to its programs, no two of them equal: the same in every process."""
    from hypothesis import HealthCheck, Phase, Verbosity, settings

    from fsconform.suites.dice import BACKEND, drive
    from fsconform.suites.machines import machine

    given: list[Program] = []
    driven = machine(suite, oracle, given.append)

    def draw(number: int) -> list[Program]:
        name = f"{seed}/{suite.name}/{number}"
        size = FIRST_CHUNKS[number] if number < len(FIRST_CHUNKS) else CHUNK
        chosen = settings(
            backend=BACKEND,
            phases=(Phase.generate,),
            database=None,
            deadline=None,
            derandomize=False,
            print_blob=False,
            suppress_health_check=tuple(HealthCheck),
            verbosity=Verbosity.quiet,
            # The first example of a run is the simplest one there is, the same each time.
            max_examples=1 + size,
            stateful_step_count=Random(name).randint(SHORTEST, suite.grammar.longest),
        )
        with _one_at_a_time:
            given.clear()
            driven.begin()
            try:
                drive(driven().anew, name, chosen)
            except AssertionError as error:
                # Hypothesis takes for granted that nothing interrupts it before its engine runs.
                if isinstance(error.__context__, KeyboardInterrupt):
                    raise KeyboardInterrupt from error
                raise
            return list(dict.fromkeys(given[1:]))[:size]

    return draw
