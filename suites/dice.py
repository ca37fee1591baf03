"""Where Hypothesis takes its choices from when it generates programs: random numbers that follow from a seed alone.

Hypothesis's own source also draws constants that it has read out of whatever modules are loaded, and keeps them in a
folder on disk. The same seed would then give other programs in another process, and the folder would appear in whatever
directory that is run in. A source of one's own is what Hypothesis calls a backend. With one it generates only: it does
not vary what it generated, nor remember it to draw nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from random import Random
from typing import Any, NoReturn

from hypothesis import seed as seeded
from hypothesis import settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, PrimitiveProvider
from hypothesis.stateful import Rule, RuleBasedStateMachine, RuleStrategy, get_state_machine_test

BACKEND = "fsconform"
"""The name under which Hypothesis's settings know this source."""

MOST = 2**64 - 1
"""The largest integer that is drawn."""

_OF_255 = 255
"""In so many parts the probability is drawn with which a rule is switched off."""

_seed: ContextVar[str] = ContextVar("seed", default="")


class Dice(PrimitiveProvider):
    """Choices that are uniform and depend on the seed alone. Only booleans and bounded integers can be drawn."""

    lifetime = "test_function"

    def __init__(self, data: Any, /) -> None:
        super().__init__(data)
        self.random = Random(_seed.get())

    def draw_boolean(self, p: float = 0.5) -> bool:
        """True with probability ``p``."""
        return self.random.random() < p

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        """An integer between two bounds, all alike whatever their ``weights``. Raises TypeError without a bound."""
        if min_value is None or max_value is None:
            raise TypeError("only integers between two bounds can be drawn")
        return self.random.randint(min_value, max_value)

    def _refuse(self) -> NoReturn:
        raise TypeError("only booleans and integers can be drawn")

    def draw_float(self, **_: Any) -> float:
        """Raises TypeError."""
        self._refuse()

    def draw_string(self, *_: Any, **__: Any) -> str:
        """Raises TypeError."""
        self._refuse()

    def draw_bytes(self, *_: Any, **__: Any) -> bytes:
        """Raises TypeError."""
        self._refuse()


class _Simplest(Random):
    """What is least of all that can be drawn: no rule is switched off, and all numbers are 0."""

    def random(self) -> float:
        return 1.0

    def randint(self, a: int, b: int) -> int:
        return a


class WeightedRules(RuleStrategy):
    """Which rule of a machine is next: those of the program's swarm, by their weights.

    The swarm is as Hypothesis's own: some rules are switched off in each program, with a probability that is drawn for
    the program. It is chosen once a program. A step is one integer. Both are taken from the dice themselves, where they
    are what is drawn: to record a draw costs Hypothesis more than the rest of a step does, and nothing is ever shrunk.
    """

    def __init__(self, machine: RuleBasedStateMachine, weights: Mapping[str, int], begin: Callable[[], None]) -> None:
        """``weights`` are of the rules by the names of their functions; ``begin`` is called before a program's first.

        Rules have no arguments: they choose by ``dice``, which are thrown anew for each step and for ``begin``.
        """
        super().__init__(machine)
        self._weights, self._begin = weights, begin
        self._swarm: list[Rule] = []
        self.dice = Random(0)

    def forget(self) -> None:
        """Begin another program."""
        self._swarm = []

    def do_draw(self, data: Any) -> tuple[Rule, dict[str, Any]]:
        """The rule, and no arguments."""
        dice = self.dice
        # Of the first program of a run, the simplest one, Hypothesis gives the choices.
        random = _Simplest() if data.prefix else data.provider.random
        if not self._swarm:
            self._swarm = self._switched_on(random)
            dice.seed(random.randint(0, MOST))
            self._begin()
        chosen = [rule for rule in self._swarm if not rule.preconditions or self.is_valid(rule)]
        chosen = chosen or [rule for rule in self.rules if self.is_valid(rule)]
        dice.seed(random.randint(0, MOST))
        return dice.choice(chosen), {}

    def _switched_on(self, random: Random) -> list[Rule]:
        """The rules of a program, each as often as its weight; one at least."""
        off = random.randint(0, _OF_255 - 1) / _OF_255
        found: list[Rule] = []
        for number, rule in enumerate(self.rules, 1):
            last = number == len(self.rules) and not found
            if last or random.random() >= off:
                found += [rule] * self._weights[rule.function.__name__]
        return found


AVAILABLE_PROVIDERS[BACKEND] = f"{__name__}.{Dice.__name__}"


def drive(factory: Callable[[], RuleBasedStateMachine], seed: str, settled: settings) -> None:
    """Run a state machine as a test: what Hypothesis draws with this backend follows from the seed alone."""
    made: Any = factory  # Hypothesis takes a function too
    test: Any = get_state_machine_test(made, settings=settled)
    # Without a key Hypothesis reads and tokenises its own source to make one, for a database that there is none of.
    test._hypothesis_internal_database_key = b""
    token = _seed.set(seed)
    try:
        seeded(seed)(test)()
    finally:
        _seed.reset(token)
