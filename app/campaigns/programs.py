"""The programs of a unit: enumerated ones by their rank, drawn ones from random numbers and the model's prediction.

Both are the same in every process, and each can be made without those before it (drawn ones: those before it in a
chunk).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from random import Random

from fsconform.engine.enumerate import CORE, Universe, alphabet
from fsconform.engine.grammar import EIGHTHS, Suite
from fsconform.engine.probes import MODES, probed
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.pipeline.units import Unit
from fsconform.suites.drafts import Draft, Familiar
from fsconform.suites.registry import SUITES

CHUNK = 64
"""Drawn programs of a chunk avoid what those before them in it were like."""

SHORTEST = 2
LEFT_OUT = 3
"""Of eight programs, how many lack any one operation: without it others come together."""

AGAIN = 4
"""Of eight calls, how many are made on a path that was used before, where there is one."""

BOTH_MODES = 2
"""Programs of up to so many operations are enumerated in both modes of probing, longer ones by turns."""


class Ranked:
    """All programs of exactly ``length`` operations up to renaming of names, by their rank: a number without gaps."""

    def __init__(self, length: int, kinds: tuple[type, ...] = (), universe: Universe = CORE) -> None:
        self.length = length
        self._letters: list[tuple[Operation, ...]] = [
            tuple(
                letter
                for letter in alphabet(universe, universe.sizes[index % len(universe.sizes)], index + 1)
                if not kinds or isinstance(letter, kinds)
            )
            for index in range(length)
        ]
        names = universe.names
        # After a canonical beginning the names that were met are the first ones of the universe, so many of them.
        self._after = [[_met(letter, names, met) for letter in self._letters[0]] for met in range(len(names) + 1)]
        self._ways = [[1] * (len(names) + 1)]
        for _ in range(length):
            last = self._ways[-1]
            self._ways.append([sum(last[met] for met in row if met is not None) for row in self._after])
        self.total = self._ways[length][0]

    def program(self, rank: int) -> Program:
        """The program of a rank in ``range(total)``. Raises IndexError for another."""
        if not 0 <= rank < self.total:
            raise IndexError(f"there is no rank {rank} of {self.total}")
        steps, met = [], 0
        for index in range(self.length):
            ways = self._ways[self.length - index - 1]
            for letter, after in enumerate(self._after[met]):
                if after is None:
                    continue
                if rank < ways[after]:
                    steps.append(Step(self._letters[index][letter]))
                    met = after
                    break
                rank -= ways[after]
        return tuple(steps)


def _met(letter: Operation, names: tuple[str, ...], met: int) -> int | None:
    """How many names are met after a letter; None if it meets one before its turn."""
    for path in paths_of(letter):
        for name in path:
            place = names.index(name)
            if place > met:
                return None
            met = max(met, place + 1)
    return met


@lru_cache(maxsize=64)
def _ranked(suite: str, length: int) -> Ranked:
    return Ranked(length, SUITES[suite].kinds)


def enumerated_total(suite: str) -> int:
    """How many programs of a suite can be enumerated, each mode of probing counted."""
    return sum(_with_modes(suite, length) for length in sorted(SUITES[suite].lengths))


def _with_modes(suite: str, length: int) -> int:
    return _ranked(suite, length).total * (len(MODES) if length <= BOTH_MODES else 1)


def programs(oracle: Oracle, seed: int, unit: Unit) -> Iterator[tuple[int, Program]]:
    """The programs of a unit, each with its place. Raises KeyError for a suite there is none of."""
    suite = SUITES[unit.suite]
    places = range(unit.first, unit.first + unit.count)
    if unit.source == "enumeration":
        for place in places:
            yield place, _enumerated(suite, oracle, seed, place)
        return
    first = unit.first - unit.first % CHUNK
    familiar: Familiar = Counter()
    for place in range(first, places.stop):
        if place % CHUNK == 0:
            familiar = Counter()
        program = _drawn(suite, oracle, seed, place, familiar)
        if place >= unit.first:
            yield place, program


def _enumerated(suite: Suite, oracle: Oracle, seed: int, place: int) -> Program:
    lengths = sorted(suite.lengths)
    ends = list(accumulate(_with_modes(suite.name, length) for length in lengths))
    index = next(index for index, end in enumerate(ends) if place < end)
    length = lengths[index]
    ranked = _ranked(suite.name, length)
    within = place - (ends[index - 1] if index else 0)
    turn, mode = divmod(within, len(MODES)) if length <= BOTH_MODES else (within, within % len(MODES))
    start, stride = _order(f"{seed}/{suite.name}/{length}", ranked.total)
    return probed(oracle, ranked.program((start + turn * stride) % ranked.total), MODES[mode])


@lru_cache(maxsize=64)
def _order(seed: str, total: int) -> tuple[int, int]:
    """Where to begin and how far to go on so that each number below the total comes once."""
    dice = Random(seed)
    start = dice.randrange(total)
    while True:
        stride = dice.randrange(1, max(total, 2))
        if math.gcd(stride, total) == 1:
            return start, stride


def _drawn(suite: Suite, oracle: Oracle, seed: int, place: int, familiar: Familiar) -> Program:
    dice, grammar = Random(f"{seed}/{suite.name}/drawn/{place}"), suite.grammar
    while True:
        draft = Draft(suite, oracle, familiar)
        draft.swarm(dice)
        weights = [0 if dice.randrange(EIGHTHS) < LEFT_OUT else weight for _, weight in grammar.weights]
        if not any(weights):
            weights = [weight for _, weight in grammar.weights]
        if draft.crowded:
            _crowd(draft, dice)
        for kind in dice.choices(grammar.kinds, weights, k=dice.randint(SHORTEST, grammar.longest)):
            # The root of a program is a directory of the sandbox: what a suite does to the real one is not done to it.
            used = sorted(path for path in draft.used if path or suite.root)
            again = dice.choice(used) if used and dice.randrange(EIGHTHS) < AGAIN else None
            if kind is Rename:
                draft.two(dice, again, None)
            else:
                draft.one(kind, dice, again)
        if draft.steps:
            return probed(oracle, draft.program, grammar.modes[place % len(grammar.modes)])


def _crowd(draft: Draft, dice: Random) -> None:
    """One large structure of those that the grammar offers."""
    grammar = draft.grammar
    offered = [
        build
        for sizes, build in (
            (grammar.children, Draft.many_children),
            (grammar.depths, Draft.deep_path),
            (grammar.appends, Draft.many_appends),
        )
        if sizes
    ]
    if offered:
        dice.choice(offered)(draft, dice)
