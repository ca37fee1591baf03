"""Bounded enumeration: every program of up to k operations over a small universe, up to renaming of names.

Programs are numbered, so that any share of a bound can be run, sharded and resumed by number alone. A program is a
sequence of operations; of all programs that differ only by a permutation of the names the one is run in which names
appear first in the universe's order.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation, paths_of, with_paths
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.predicates import Exists


@dataclass(frozen=True, slots=True)
class Universe:
    """The names, the greatest depth of a path, and what step ``i`` writes: ``sizes[i % len(sizes)]`` bytes."""

    names: tuple[str, ...] = ("a", "b")
    depth: int = 2
    sizes: tuple[int, ...] = (3, 5, 7, 11)

    def paths(self) -> tuple[Path, ...]:
        """Every path of the universe but the root, shallow ones first."""
        return tuple(path for depth in range(1, self.depth + 1) for path in itertools.product(self.names, repeat=depth))


CORE = Universe()


def alphabet(universe: Universe, size: int = 3, seed: int = 1) -> tuple[Operation, ...]:
    """Every operation of the core over a universe; ``size`` and ``seed`` make the content that is written."""
    paths = universe.paths()
    content = contents.of(seed, size)
    return (
        *(Mkdirs(path) for path in paths),
        *(Create(path, content, overwrite) for path in paths for overwrite in (False, True)),
        *(Append(path, content) for path in paths),
        *(Delete(path, recursive) for path in paths for recursive in (False, True)),
        *(Rename(src, dst) for src in paths for dst in paths),
        *(Exists(path) for path in paths),
    )


class Bound:
    """All programs of exactly ``length`` operations of the core, or of some ``kinds``, over a universe, by number."""

    def __init__(self, length: int, universe: Universe = CORE, kinds: tuple[type, ...] = ()) -> None:
        self.length = length
        self.universe = universe
        self._letters = [
            tuple(
                letter
                for letter in alphabet(universe, universe.sizes[index % len(universe.sizes)], index + 1)
                if not kinds or isinstance(letter, kinds)
            )
            for index in range(length)
        ]
        self.size = len(self._letters[0]) ** length if length else 1

    @property
    def total(self) -> int:
        """The number of programs up to symmetry, by Burnside's lemma over the permutations of the names."""
        names = self.universe.names
        fixed = 0
        for permutation in itertools.permutations(names):
            renaming = dict(zip(names, permutation, strict=True))
            same = sum(1 for letter in self._letters[0] if _renamed(letter, renaming) == letter) if self.length else 1
            fixed += same**self.length
        return fixed // math.factorial(len(names))

    def program(self, number: int) -> Program | None:
        """The program of a number in ``range(size)``, or None if another number stands for it by symmetry."""
        letters = []
        for index in reversed(range(self.length)):
            number, letter = divmod(number, len(self._letters[index]))
            letters.append(self._letters[index][letter])
        letters.reverse()
        if not self._canonical(letters):
            return None
        return tuple(map(Step, letters))

    def _canonical(self, letters: list[Operation]) -> bool:
        order = iter(self.universe.names)
        seen: set[str] = set()
        for letter in letters:
            for path in paths_of(letter):
                for name in path:
                    if name not in seen:
                        if name != next(order):
                            return False
                        seen.add(name)
        return True

    def programs(self, first: int = 0, last: int | None = None) -> Iterator[tuple[int, Program]]:
        """The programs numbered from ``first`` to before ``last``, each with its number."""
        for number in range(first, self.size if last is None else last):
            program = self.program(number)
            if program is not None:
                yield number, program

    def sample(self, seed: int, first: int = 0) -> Iterator[tuple[int, Program]]:
        """All programs once, in an order that the seed decides, each with its place; beginning at place ``first``."""
        draw = random.Random(f"{seed}/{self.length}/{self.size}")
        start, stride = draw.randrange(self.size), _coprime(draw, self.size)
        # A stride without a common factor with the size visits every number once.
        for index in range(first, self.size):
            program = self.program((start + index * stride) % self.size)
            if program is not None:
                yield index, program


def _coprime(draw: random.Random, size: int) -> int:
    if size < 3:
        return 1
    while True:
        stride = draw.randrange(1, size)
        if math.gcd(stride, size) == 1:
            return stride


def _renamed(operation: Operation, renaming: dict[str, str]) -> Operation:
    def rename(path: Path) -> Path:
        return tuple(renaming[name] for name in path)

    return with_paths(operation, rename)
