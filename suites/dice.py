"""Where Hypothesis takes its choices from when it generates programs: random numbers that follow from a seed alone.

Hypothesis's own source also draws constants that it has read out of whatever modules are loaded, and keeps them in a
folder on disk. The same seed would then give other programs in another process, and the folder would appear in whatever
directory that is run in. A source of one's own is what Hypothesis calls a backend. With one it generates only: it does
not vary what it generated, nor remember it to draw nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from random import Random
from typing import Any, NoReturn

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, PrimitiveProvider

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


AVAILABLE_PROVIDERS[BACKEND] = f"{__name__}.{Dice.__name__}"


@contextmanager
def thrown(seed: str) -> Iterator[None]:
    """What Hypothesis draws inside, in this thread and with this backend, follows from the seed alone."""
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)
