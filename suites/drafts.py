"""Programs in the making: what a suite's grammar offers, chosen by what the model predicts of the program so far.

A draft knows no store and no Hypothesis. Its choices come out of random numbers that it is given; the same numbers make
the same program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

from fsconform.engine.grammar import EIGHTHS, Suite
from fsconform.model.core import content as contents
from fsconform.model.core.drawing import MAKERS
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.paths import ROOT, Path
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle, Situation
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.state import EMPTY, Absence, Dir, File, State, locate, walk

KEEN: tuple[int, ...] = (0, 2, 4, 6, 8)
"""Of eight steps, how many look for a call that the model expects to succeed: each program has one of these."""

FREE = 2
"""Of eight steps, how many take the call they are given and look no further."""

OTHERS = 5
"""How many other calls a step looks at beside the one it is given."""

OTHER_WAYS = 1
"""Of eight calls, how many take another way into the store than the plain one, where there are others."""

PLANTED = 3
"""Files and directories that a program begins with, at most: the swarm may have none of the calls that make them."""

_BEST = False, 0
"""A call that is not refused, and was never met."""

Familiar = Counter[tuple[object, ...]]
"""How often calls of each kind met each combination of the specification's cases, on paths used before or not."""


class Draft:
    """One program in the making. ``state`` is what the model expects now; None where it has lost track."""

    def __init__(self, suite: Suite, oracle: Oracle, familiar: Familiar) -> None:
        self.suite, self.grammar, self.oracle, self.familiar = suite, suite.grammar, oracle, familiar
        self.steps: list[Step] = []
        self.state: State | None = EMPTY
        self.followed: list[State | None] = []
        """The states that the model expects after the steps."""
        self.used: set[Path] = set()
        self.names: list[str] = list(self.grammar.names)
        self.sizes: list[int] = list(self.grammar.sizes)
        self.depth, self.clients = self.grammar.depth, self.grammar.clients
        self.keen, self.crowded = 0, False
        self._existing: list[Path] = []

    @property
    def program(self) -> Program:
        """The program as it stands, without probes."""
        return tuple(self.steps)

    def swarm(self, dice: Random) -> None:
        """Choose what this program is made of: few names, few sizes, how many clients, how careful it is."""
        grammar = self.grammar
        if dice.randrange(EIGHTHS) < grammar.spiced:
            # Names on the rack are like the first plain one, and beside each other stand those that are alike.
            first, count = dice.randrange(len(grammar.rack)), dice.randint(1, 3)
            self.names = [grammar.names[0], *grammar.rack[first : first + count]]
        else:
            most = len(grammar.names)
            self.names = dice.sample(grammar.names, max(dice.randint(1, most), dice.randint(1, most)))
        self.sizes = dice.sample(grammar.sizes, min(len(grammar.sizes), dice.randint(2, 4)))
        self.depth, self.clients = dice.randint(1, grammar.depth), dice.randint(1, grammar.clients)
        self.keen, self.crowded = dice.choice(KEEN), dice.randrange(EIGHTHS) < grammar.crowded
        builders = [kind for kind in (Create, Mkdirs) if kind in grammar.kinds]
        for _ in range(dice.randint(0, PLANTED)):
            self.one(dice.choice(builders), dice, None)

    def node(self, path: Path) -> File | Dir | Absence | None:
        """What the model expects at a path; None where it has lost track."""
        return None if self.state is None else locate(self.state, path)

    def anywhere(self, dice: Random, root: bool) -> Path:
        """A path: an existing one, one below it, or any of the universe; ``/`` too where ``root`` allows it."""
        # Most of what a draft does comes by here: Random's own methods for this take several times as long.
        number, names = dice.random, self.names
        way = int(number() * EIGHTHS)
        if way < 5 and self._existing:
            path = self._existing[int(number() * len(self._existing))]
            return path if way < 4 else (*path, names[int(number() * len(names))])
        if way == 7 and root:
            return ROOT
        return tuple([names[int(number() * len(names))] for _ in range(1 + int(number() * self.depth))])

    def aside(self) -> Path:
        """A path at which nothing is: episodes want one of their own."""
        return (f"t{len(self.steps)}",)

    def content(self, dice: Random) -> contents.Content:
        """Content unlike any that was written before in this program."""
        return contents.of(len(self.steps) + 1, dice.choice(self.sizes))

    def one(self, kind: type[Operation], dice: Random, place: Path | None) -> Path:
        """Add a call on one path, that of ``place`` or, without, any; the path it was given in the end."""
        make = self._maker(kind, dice)
        root = self.suite.root or kind is Mkdirs or not kind.MUTATES
        first = make(self.anywhere(dice, root) if place is None else place)
        chosen, situation = self._chosen(dice, first, lambda: make(self.anywhere(dice, root)))
        self.add(chosen, dice, situation=situation)
        paths = paths_of(chosen)
        return paths[0] if paths else ROOT

    def two(self, dice: Random, src: Path | None, dst: Path | None) -> Path:
        """Add a rename; its source."""

        def make(src: Path | None, dst: Path | None) -> Rename:
            src = self.anywhere(dice, self.suite.root) if src is None else src
            # In a small tree most pairs of paths would be one path twice.
            return Rename(src, self.anywhere(dice, True) if dst is None or dst == src else dst)

        chosen, situation = self._chosen(dice, make(src, dst), lambda: make(None, None))
        self.add(chosen, dice, situation=situation)
        return paths_of(chosen)[0]

    def add(self, operation: Operation, dice: Random, setup: bool = False, situation: Situation | None = None) -> None:
        """Append a step and follow the model, by the ``situation`` if it is known; nothing where it has lost track."""
        if self.state is None:
            return
        client = dice.randrange(self.clients) if self.clients > 1 else 0
        self.steps.append(Step(operation, client, setup=setup))
        if situation is None:
            situation = self.oracle.situation(self.state, operation)
        self.familiar[self._kind_of(operation, situation.mask)] += 1
        self.used.update(paths_of(operation))
        after = self.oracle.settled(self.state, situation.first.effect(self.state, operation))
        self.followed.append(after)
        if after is not self.state:
            self.state = after
            self._existing = [] if after is None else [path for path, _ in walk(after)][1:]

    def _maker(self, kind: type[Operation], dice: Random) -> Callable[[Path], Operation]:
        """All of a call but its path."""
        special = MAKERS.get(kind)
        if special is not None:
            return lambda path: special(self, dice, path)
        via = dice.choice(kind.VIAS) if kind.VIAS and dice.randrange(EIGHTHS) < OTHER_WAYS else ""
        if kind is Create:
            content, overwrite = self.content(dice), dice.random() < 0.5
            return lambda path: Create(path, content, overwrite, via)
        if kind is Append:
            content = self.content(dice)
            return lambda path: Append(path, content, via)
        if kind is Delete:
            recursive = dice.random() < 0.5
            return lambda path: Delete(path, recursive, via)
        make: Callable[..., Operation] = kind
        return lambda path: make(path, via) if kind.VIAS else make(path)

    def _chosen(
        self, dice: Random, first: Operation, another: Callable[[], Operation]
    ) -> tuple[Operation, Situation | None]:
        """One call out of a few: of those that are expected to succeed, if it is keen, the least familiar one.

        With its situation, if that was asked for.
        """
        state = self.state
        if state is None or dice.randrange(EIGHTHS) < FREE:
            return first, None
        keen = dice.randrange(EIGHTHS) < self.keen
        ask, kind_of, met = self.oracle.situation, self._kind_of, self.familiar
        best: tuple[Operation, Situation | None] = first, None
        least = None
        for number in range(1 + OTHERS):
            operation = another() if number else first
            if least == _BEST:
                continue  # nothing can be better; the dice are thrown all the same
            situation = ask(state, operation)
            expected = situation.first
            refused = keen and (bool(expected.raises) or expected.value is False)
            # Several cases at once leave much open to the store: one at a time tells more.
            familiar = met.get(kind_of(operation, situation.mask), 0) * len(situation.cases)
            if least is None or (refused, familiar) < least:
                best, least = (operation, situation), (refused, familiar)
        return best

    def _kind_of(self, operation: Operation, mask: int) -> tuple[object, ...]:
        return (type(operation), mask, *map(self.used.__contains__, paths_of(operation)))

    def many_children(self, dice: Random) -> Path:
        """Build a directory of many entries: files, directories or both."""
        found = [path for path in self._existing if isinstance(self.node(path), Dir)]
        base = dice.choice(found) if found and dice.random() < 0.75 else (dice.choice(self.grammar.names),)
        count, files = dice.choice(self.grammar.children), dice.randint(0, 2)
        for number in range(count):
            path = (*base, f"f{number}")
            plain = files == 2 or (files == 1 and number % 2 == 0)
            self.add(Create(path, contents.of(1, number % 4), False) if plain else Mkdirs(path), dice, setup=True)
        return base

    def deep_path(self, dice: Random) -> Path:
        """Build a directory far below the root."""
        deep = tuple(dice.choice(self.grammar.names) for _ in range(dice.choice(self.grammar.depths)))
        self.add(Mkdirs(deep), dice, setup=True)
        return deep

    def many_appends(self, dice: Random) -> Path:
        """Build a file that was appended to again and again."""
        found = [path for path in self._existing if isinstance(self.node(path), File)]
        path = dice.choice(found) if found else (dice.choice(self.grammar.names),)
        if not found:
            self.add(Create(path, self.content(dice), True), dice, setup=True)
        for _ in range(dice.choice(self.grammar.appends)):
            self.add(Append(path, self.content(dice)), dice, setup=True)
        return path
