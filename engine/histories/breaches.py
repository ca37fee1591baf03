"""What a call breaks by itself where the network failed, whatever order the calls took: by what came of it alone."""

from __future__ import annotations

from dataclasses import dataclass

from fsconform.engine.histories.concurrent import History
from fsconform.engine.injection import Wire
from fsconform.model.core.outcomes import Unknown

COMPLETE = "introduction.failures.complete"

HANGS = "a call did not return"
"""What is wrong of a history in which a call hangs, long after all time-outs of its client."""


@dataclass(frozen=True, slots=True)
class Breach:
    """That a ``call``, by its place in the history, broke a ``clause``; ``reason`` says how."""

    call: int
    clause: str
    reason: str


def breaches(history: History) -> tuple[Breach, ...]:
    """What the calls of the lanes broke by themselves, in the order of the calls."""
    if not isinstance(history.program.fault, Wire):
        return ()
    return tuple(
        Breach(number, COMPLETE, HANGS)
        for number, (call, place) in enumerate(history.rows)
        if place >= 0 and isinstance(call.outcome, Unknown) and call.outcome.hung
    )
