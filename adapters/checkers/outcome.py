"""What a model checker said of a module."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from fsconform.engine.formal.terms import Term

State = dict[str, Term]
"""The variables of a state by name."""

Ending = Literal["passed", "violated", "parse error", "type error", "configuration error", "tool error", "timed out"]
"""How a run ended. Whatever is not told apart by the tool's exit code is a tool error, and never passed."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A property that does not hold, with the states that show it, the first initial."""

    name: str
    states: tuple[State, ...]


@dataclass(slots=True)
class Outcome:
    """A run of a model checker. ``distinct`` and ``generated`` count states; ``tail`` is what it said last."""

    ending: Ending
    exit_code: int | None = None
    distinct: int = 0
    generated: int = 0
    depth: int = 0
    seconds: float = 0.0
    violations: list[Violation] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    version: str = ""

    @property
    def decided(self) -> bool:
        """True if the checker came to an end of its own, with a property broken or none."""
        return self.ending in ("passed", "violated")

    @property
    def told(self) -> str:
        """How it ended and what it said last, for where nothing was decided."""
        last = self.tail[-1] if self.tail else "it said nothing"
        return f"{self.version}: {self.ending} (exit code {self.exit_code}): {last}"
