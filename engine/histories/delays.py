"""How the beginnings of lanes are moved against each other, so that in the end each moment of one call meets the other.

A call takes from some microseconds to some hundred milliseconds, by store and operation. So a delay is a part of what
the calls were measured to take, and the parts fill the whole evenly, ever closer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fsconform.engine.histories.concurrent import Concurrent, History, Op
from fsconform.engine.injection import MOST_DELAY, PowerLoss
from fsconform.engine.protocol import RETURNED
from fsconform.model.core.operation import Operation

_FIRST_GUESS = 200_000
"""Nanoseconds of a call that was not measured yet."""

_WEIGHT = 0.3
"""What the last measurement counts in the average."""


REACH = 1.25
"""How far lanes are moved, as parts of a call: beyond the whole, so that one also begins just after the other."""


def parts(number: int) -> float:
    """The part of a round: 0 in round 0, and then always in the middle of the largest gap that is left.

    It is from -1.25 to 1.25. Below zero it is the first lane that begins later.
    """
    if not number:
        return 0.0
    found, step, left = 0.0, 0.5, number + 1
    while left:
        found += step * (left & 1)
        left >>= 1
        step /= 2
    return REACH * (2 * found - 1)


class Delays:
    """What calls take, as far as it was measured, and the delays that follow."""

    def __init__(self) -> None:
        self._taken: dict[str, float] = {}

    def note(self, histories: Iterable[History[Any, Any]]) -> None:
        """Measure the calls of histories."""
        for history in histories:
            kill = history.program.kill
            for call, place in history.rows:
                name = call.operation.NAME
                if place >= 0 and call.returned is not None:
                    taken = call.returned - call.invoked
                    known = self._taken.get(name, taken)
                    self._taken[name] = known + _WEIGHT * (taken - known)
                elif place >= 0 and isinstance(kill, int):
                    # It takes longer than it was let live; how much, nobody knows.
                    self._taken[name] = max(self._taken.get(name, 0.0), 2.0 * kill, _FIRST_GUESS)

    def moved(self, program: Concurrent[Op], number: int) -> Concurrent[Op]:
        """The program with the delays of a round: its first two lanes are moved against each other.

        Of a client that is killed in a call it is the moment of that which is moved, through the whole call and beyond;
        of a fault through all calls of the longest lane.
        """
        if program.kill == RETURNED or len(program.lanes) < 2:
            return program
        if isinstance(program.fault, PowerLoss) and program.fault.returned and program.kill is None:
            return program
        if program.fault is not None and program.kill is None:
            part = (parts(number) + REACH) / (2 * REACH)
            length = max(self._length(lane) for lane in program.lanes)
            return replace(program, fault=program.fault.at(int(part * length)))
        if program.kill is not None:
            part = (parts(number) + REACH) / 2
            return replace(program, kill=min(int(part * self._length(program.lanes[-1][-1:])), MOST_DELAY))
        return self.apart(program, parts(number))

    def apart(self, program: Concurrent[Op], part: float) -> Concurrent[Op]:
        """The program with its second lane begun later by a part of the first one's length.

        Below zero it is the first lane, by a part of the second one's.
        """
        one, two = (self._length(lane) for lane in program.lanes[:2])
        first, second = (0, int(part * one)) if part >= 0 else (int(-part * two), 0)
        return replace(program, delays=(first, second, *program.delays[2:]))

    def _length(self, lane: Iterable[Operation]) -> float:
        return sum(self._taken.get(call.NAME, _FIRST_GUESS) for call in lane)
