"""Linearizability: is there one order of concurrent calls that explains what every client saw?

A call takes effect at some moment between its invocation and its return, or in several steps there if the model says
so; so an order of all calls must keep two that did not overlap as they were. The search tries such orders step by step,
on all states that a model allows, and never looks twice at the same state after the same steps (Wing and Gong 1993;
Lowe 2017). A look that fits where the search has come to is taken there, and nowhere else. Nothing here knows a
filesystem.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from operator import ge, itemgetter
from typing import Generic, Protocol, TypeVar

State = TypeVar("State")
Operation = TypeVar("Operation")
Outcome = TypeVar("Outcome")
Asked = TypeVar("Asked", contravariant=True)
Given = TypeVar("Given", contravariant=True)

MOST_STATES = 1_000_000
"""States looked at before a history is given up: some seconds, and some hundred megabytes."""


@dataclass(frozen=True, slots=True)
class Call(Generic[Operation, Outcome]):
    """A call of a client. Times are nanoseconds of one monotonic clock; ``returned`` is None while it is pending.

    A pending call is one whose return nobody heard of: it may take effect at any time from its invocation on, or never.
    Its outcome says nothing.
    """

    client: int
    operation: Operation
    outcome: Outcome
    invoked: int
    returned: int | None = None


Rest = Hashable
"""What is left to do of a call that takes effect in several steps; None of one that is done."""


class Model(Protocol[State, Asked, Given]):
    """What may happen, step by step. States and what is left of a call are compared by value, and hashable."""

    def step(self, state: State, operation: Asked, outcome: Given, rest: Rest) -> Iterable[tuple[State, Rest]]:
        """Where the next step of a call may lead, if its outcome was this one, with what is left of it then.

        Nothing if that can't be. ``rest`` is None at a call's first step.
        """
        ...

    def effects(self, state: State, operation: Asked, rest: Rest) -> Iterable[tuple[State, Rest]]:
        """As :meth:`step`, whatever the outcome."""
        ...

    def is_best(self, operation: Asked, left: Rest) -> bool:
        """Whether a step of a call that left the state as it was, and this of the call, is best taken at once.

        True only where no step of such a call ever changes a state, and what it would leave later is no less: then
        whatever order explains the rest of a history goes on from here too.
        """
        ...


@dataclass(frozen=True, slots=True)
class Linearized:
    """What the search found. ``order`` has the places of the calls in an order that explains them, one for each step.

    If there is none it is the longest order that explains as many calls as can be explained, and ``stuck`` has the
    calls of which none can come next: one for each client at most. ``exhausted`` is true if the search was given up.
    """

    order: tuple[int, ...]
    stuck: tuple[int, ...] = ()
    exhausted: bool = False
    states: int = 0
    """How many states were looked at."""

    @property
    def holds(self) -> bool:
        """Whether the history is linearizable; False too where that was given up."""
        return not self.stuck and not self.exhausted


@dataclass(frozen=True, slots=True)
class _Lanes:
    """The calls as lanes of calls one after another: one for each client, and one for each pending call.

    ``needed`` says of a call how many of each lane must be done before it: those that returned before it was invoked.
    """

    calls: tuple[tuple[int, ...], ...]
    needed: tuple[tuple[int, ...], ...]
    ends: tuple[int, ...]
    """How many calls of each lane must be done in the end: all that returned."""


def _lanes_of(calls: Sequence[Call[Operation, Outcome]]) -> _Lanes:
    """Raises ValueError for a client whose calls overlap, and for a call that returned before it was invoked."""
    by_client: dict[int, list[int]] = {}
    pending: list[int] = []
    for place, call in sorted(enumerate(calls), key=lambda one: (one[1].invoked, one[1].returned or 0)):
        if call.returned is None:
            pending.append(place)
            continue
        if call.returned < call.invoked:
            raise ValueError(f"call {place} of client {call.client} returned before it was invoked")
        earlier = by_client.setdefault(call.client, [])
        if earlier and (calls[earlier[-1]].returned or 0) > call.invoked:
            raise ValueError(f"calls {earlier[-1]} and {place} of client {call.client} overlap")
        earlier.append(place)
    lanes = (*map(tuple, by_client.values()), *((place,) for place in pending))
    # Of a lane's calls each returned before the next; a pending one did not.
    returns = [[calls[place].returned or 0 for place in lane] for lane in by_client.values()]
    none = (0,) * len(pending)
    needed = tuple((*(bisect_left(times, call.invoked) for times in returns), *none) for call in calls)
    return _Lanes(lanes, needed, (*(len(lane) for lane in by_client.values()), *(0 for _ in pending)))


_Order = tuple["_Order", int] | None
"""An order as it grows: the one before, and the place of the call whose step comes last."""

_Begun = tuple[tuple[int, Rest], ...]
"""The lanes whose next call has begun to take effect, in order, each with what is left of it."""

_LANE = itemgetter(0)


def linearize(
    model: Model[State, Operation, Outcome],
    beginnings: Iterable[State],
    calls: Sequence[Call[Operation, Outcome]],
    most_states: int = MOST_STATES,
    distance: Callable[[Operation, Operation], int] | None = None,
) -> Linearized:
    """Look for an order of calls that explains their outcomes, from one of the states that the beginning may be.

    ``distance`` says how far two calls are from each other: of pending calls the nearest to one that does not fit is
    tried first. Only the order in which orders are looked at hangs on that, and so how soon one is found.

    Raises ValueError for a client whose calls overlap, and what the model raises.
    """
    lanes = _lanes_of(calls)
    start = (0,) * len(lanes.calls)
    todo: list[tuple[tuple[int, ...], _Begun, State, _Order]] = [(start, (), state, None) for state in beginnings]
    tried: set[tuple[tuple[int, ...], _Begun, State]] = {(start, (), state) for _, _, state, _ in todo}
    best: tuple[int, tuple[int, ...], _Order] = (-1, start, None)
    next_after: dict[tuple[int, ...], tuple[int, list[tuple[int, int]]]] = {}
    asked: dict[tuple[int, State, Rest], tuple[tuple[State, Rest], ...]] = {}
    while todo:
        done, begun, state, order = todo.pop()
        known = next_after.get(done)
        if known is None:
            known = next_after[done] = sum(map(min, done, lanes.ends)), _next(calls, lanes, done)
        count, coming = known
        if count > best[0]:
            best = (count, done, order)
            # A call that returned is done by then, so of those that are half done all are pending.
            if all(map(ge, done, lanes.ends)):
                return Linearized(_places(order), states=len(tried))
        if len(tried) > most_states:
            return Linearized(_places(best[2]), exhausted=True, states=len(tried))
        found: list[list[tuple[tuple[int, ...], _Begun, State, _Order]]] = []
        unfit: list[int] = []
        pending: list[int] = []
        for lane, place in coming:
            call = calls[place]
            rest = next((one for number, one in begun if number == lane), None) if begun else None
            reached = asked.get((place, state, rest))
            if reached is None:
                if call.returned is None:
                    reached = tuple(model.effects(state, call.operation, rest))
                else:
                    reached = tuple(model.step(state, call.operation, call.outcome, rest))
                asked[place, state, rest] = reached
            others = tuple(one for one in begun if one[0] != lane) if rest is not None else begun
            steps: list[tuple[tuple[int, ...], _Begun, State, _Order]] = []
            for one, left in reached:
                if left is None:
                    if call.returned is None and rest is None and one == state:
                        continue  # it need not have happened at all
                    after = (*done[:lane], done[lane] + 1, *done[lane + 1 :])
                    step = (after, others, one, (order, place))
                else:
                    step = (done, tuple(sorted((*others, (lane, left)), key=_LANE)), one, (order, place))
                steps.append(step)
                if (left is None or left != rest) and one == state and model.is_best(call.operation, left):
                    break
            else:
                found.append(steps)
                if call.returned is None:
                    pending.append(place)
                elif not steps:
                    unfit.append(place)
                continue
            found = [steps[-1:]]
            break
        else:
            if distance is not None and unfit and len(pending) > 1:
                away = [min(distance(calls[one].operation, calls[of].operation) for of in unfit) for one in pending]
                first = len(found) - len(pending)
                found[first:] = [found[first + one] for one in sorted(range(len(pending)), key=away.__getitem__)]
        for steps in reversed(found):
            for taken in steps:
                node = taken[:3]
                if node not in tried:
                    tried.add(node)
                    todo.append(taken)
    stuck = tuple(place for lane, place in _next(calls, lanes, best[1]) if lanes.ends[lane])
    return Linearized(_places(best[2]), stuck or tuple(range(len(calls))), states=len(tried))


def _next(calls: Sequence[Call[Operation, Outcome]], lanes: _Lanes, done: tuple[int, ...]) -> list[tuple[int, int]]:
    """The calls that may come next, each with its lane: first the one that returned first, the pending ones last."""
    found = []
    for lane, places in enumerate(lanes.calls):
        if done[lane] < len(places):
            place = places[done[lane]]
            if all(map(ge, done, lanes.needed[place])):
                found.append((lane, place))
    found.sort(key=lambda one: (calls[one[1]].returned is None, calls[one[1]].returned or 0))
    return found


def _places(order: _Order) -> tuple[int, ...]:
    found: list[int] = []
    while order is not None:
        order, place = order
        found.append(place)
    return tuple(reversed(found))
