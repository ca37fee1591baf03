"""Where Hypothesis takes its choices from when it generates programs: random numbers that follow from a seed alone.

Hypothesis's own source also draws constants that it has read out of whatever modules are loaded, and keeps them in a
folder on disk. The same seed would then give other programs in another process, and the folder would appear in whatever
directory that is run in. A source of one's own is what Hypothesis calls a backend. With one it generates only: it does
not vary what it generated, nor remember it to draw nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from random import Random
from typing import Any, NoReturn

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, PrimitiveProvider
from hypothesis.stateful import Rule, RuleBasedStateMachine, RuleStrategy

BACKEND = "fsconform"
"""The name under which Hypothesis's settings know this source."""

_seed: ContextVar[str] = ContextVar("seed", default="")


class Dice(PrimitiveProvider):
    """Choices that are uniform and depend on the seed alone. Only booleans and bounded integers can be drawn."""

    lifetime = "test_function"

    def __init__(self, data: Any, /) -> None:
        super().__init__(data)
        self._random = Random(_seed.get())

    def draw_boolean(self, p: float = 0.5) -> bool:
        """True with probability ``p``."""
        return self._random.random() < p

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
        return self._random.randint(min_value, max_value)

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


class WeightedRules(RuleStrategy):
    """Which rule of a machine is next: those of the program's swarm, by their weights.

    The swarm is Hypothesis's own: its flags switch off some rules in each program. They are asked for once a program
    and not again for each rule that is looked at in each step, which took most of the time.
    """

    def __init__(self, machine: RuleBasedStateMachine, weights: Mapping[str, int]) -> None:
        """``weights`` are of the rules by the names of their functions."""
        super().__init__(machine)
        self._weights = weights
        self._swarm: list[Rule] = []

    def do_draw(self, data: Any) -> tuple[Rule, dict[str, Any]]:
        """The rule, with what its strategies give for its arguments."""
        if not self._swarm:
            flags = data.draw(self.enabled_rules_strategy)
            enabled = [rule for rule in self.rules if flags.is_enabled(rule.function.__name__)]
            self._swarm = [rule for rule in enabled for _ in range(self._weights[rule.function.__name__])]
        chosen = [rule for rule in self._swarm if not rule.preconditions or self.is_valid(rule)]
        chosen = chosen or [rule for rule in self.rules if self.is_valid(rule)]
        rule = chosen[data.draw_integer(0, len(chosen) - 1)]
        return rule, {name: data.draw(strategy) for name, strategy in rule.arguments_strategies.items()}


AVAILABLE_PROVIDERS[BACKEND] = f"{__name__}.{Dice.__name__}"


@contextmanager
def thrown(seed: str) -> Iterator[None]:
    """What Hypothesis draws inside, in this thread and with this backend, follows from the seed alone."""
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)
