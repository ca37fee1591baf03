"""Calls that answer wrongly where something below them fails: they did what one may do of which nobody heard."""

from __future__ import annotations

from collections.abc import Callable

from fsconform.engine.histories.linearizability import Rest
from fsconform.engine.histories.small_steps import Continued, Reached, SmallSteps, Way
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised
from fsconform.model.filesystem.state import State


def answering(is_known: Callable[[Outcome], bool]) -> Way:
    """The steps of a call with a known wrong answer: those of one of which nobody heard the end."""

    def way(steps: SmallSteps, state: State, op: Operation, outcome: Outcome, left: Rest) -> Reached:
        if not is_known(outcome):
            return
        for after, rest in steps.effects(state, op, left):
            yield after, None
            if rest is not None and not isinstance(rest, Continued):
                yield after, Continued(way, rest)

    return way


def raising(name: str, *frames: str) -> Way:
    """Such a call that raises an error of the class ``name`` out of a frame of Java's stack that begins so.

    An error of the same class from elsewhere is not known.
    """

    return answering(lambda outcome: is_raised(outcome, name, *frames))


def raising_below(name: str, frame: str, caller: str) -> Way:
    """The same of an error out of a ``frame`` that is called, directly or not, by a ``caller``."""
    return answering(lambda outcome: is_raised(outcome, name, frame) and _is_called(outcome, caller))


def _is_called(outcome: Outcome, caller: str) -> bool:
    return isinstance(outcome, Raised) and any(
        line.strip().startswith(f"at {caller}") for line in outcome.stack.splitlines()
    )


def is_raised(outcome: Outcome, name: str, *frames: str) -> bool:
    """Whether a call raised an error of the class ``name`` out of a frame of Java's stack that begins so."""
    if not isinstance(outcome, Raised) or outcome.classes[:1] != (name,):
        return False
    first = next((line.strip() for line in outcome.stack.splitlines() if line.strip().startswith("at ")), "")
    return any(first.startswith(f"at {frame}") for frame in frames)
