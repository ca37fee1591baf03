"""What happens while stores are judged, as typed events: whoever shows it, counts it or ends it, matches on them.

A listener hears an event in the thread in which it happened. One that raises KeyboardInterrupt ends what is under way;
what was found until then is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Doing:
    """A phase that has no count, in words."""

    store: str
    text: str


@dataclass(frozen=True, slots=True)
class Advanced:
    """Exploring came further: ``done`` programs of ``total`` of the explorer at work, None where no end is known.

    ``operations`` are those of the store so far; ``accepted`` and ``failing`` count signatures.
    """

    store: str
    explorer: str
    done: int
    total: int | None
    operations: int
    accepted: int
    failing: int


@dataclass(frozen=True, slots=True)
class Confirming:
    """A signature, the ``number``-th of so many, went through a phase of being minimised and replayed."""

    store: str
    signature: str
    number: int
    of: int
    phase: str = "minimising and confirming"


Event = Doing | Advanced | Confirming
Listener = Callable[[Event], None]


def unheard(event: Event) -> None:
    """Listen to nothing."""


def saying(hear: Listener, store: str) -> Callable[[str], None]:
    """Tells of a store's phases what is given in words: for code that knows neither the store nor who listens."""
    return lambda text: hear(Doing(store, text))
