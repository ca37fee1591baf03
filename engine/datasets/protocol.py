"""What is asked of anything that writes datasets. A session executes; it never judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from fsconform.model.datasets.dataset import Look
from fsconform.model.datasets.operations import Ending, Program


@dataclass(frozen=True, slots=True)
class Observed:
    """How a step ended, and what stood there afterwards."""

    ending: Ending
    look: Look


class Session(Protocol):
    """A way to write datasets on one store through one committer."""

    def execute(self, program: Program) -> tuple[Observed, ...]:
        """Carry a program out in a fresh directory, one observation a step. Raises StoreLost."""
        ...
