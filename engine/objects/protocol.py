"""What is asked of anything that speaks to an object store. A session executes; it never judges."""

from __future__ import annotations

from typing import Protocol

from fsconform.model.objects.answers import Answer
from fsconform.model.objects.operations import Program


class Session(Protocol):
    """A way to one object store."""

    def execute(self, program: Program) -> tuple[Answer, ...]:
        """Carry a program out in a fresh bucket or below a fresh prefix, one answer a request. Raises StoreLost.

        An answer that nobody knows is Unknown, and ends the program; what can't be asked is NotExpressible.
        """
        ...

    def fresh(self) -> None:
        """Let the next program have a place in which no other one played. Raises StoreLost."""
        ...
