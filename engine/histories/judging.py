"""Histories, judged: does an order explain them, which promise of the contract or known race does it take?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Literal as Choice

from fsconform.engine.histories import power
from fsconform.engine.histories.breaches import Breach, breaches, without_breaches
from fsconform.engine.histories.by_oracle import Unjudged
from fsconform.engine.histories.concurrent import History
from fsconform.engine.histories.deaths import with_death
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.linearizability import MOST_STATES, Linearized, linearize
from fsconform.engine.histories.medium import shortened
from fsconform.engine.histories.power import Broken
from fsconform.engine.histories.small_steps import ATOMICITY, PROMISES, SmallSteps, Way
from fsconform.engine.injection import Medium, PowerLoss
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import NotExpressible, Outcome, Raised, Unknown
from fsconform.model.core.paths import is_ancestor
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.options.writers import CHECKSUMS_VERIFIED, EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.state import EMPTY

Verdict = Choice["conforms", "declared", "waived", "declared-false", "violation", "unjudged", "inconclusive"]

_GIVEN_UP = tuple(chosen for number in range(len(PROMISES) + 1) for chosen in combinations(PROMISES, number))
"""Which promises are given up, the fewest first."""

GivenUp = tuple[str, ...]

MOST_STATES_OF_CRASHES = 30_000
"""States looked at before a history is given up in which calls failed: what each may have done is a state more."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What judging a history gave.

    ``options`` are the promises of atomicity that must be given up to explain it, ``known`` the known races of the
    store that it takes; ``linearized`` is the last search, None where none was made, and ``reason`` why the history is
    unjudged or inconclusive.
    """

    verdict: Verdict
    options: GivenUp = ()
    linearized: Linearized | None = None
    reason: str = ""
    known: tuple[KnownRace, ...] = ()
    breach: Breach | None = None
    """What a call broke by itself."""
    broken: Broken | None = None
    """The promise that a loss of power showed not to be kept."""
    lost: tuple[str, ...] = ()
    """What was lost with the power that nothing promised."""

    @property
    def fails(self) -> bool:
        """Whether it fails the gate."""
        return self.verdict in ("declared-false", "violation")

    @property
    def is_of_several(self) -> bool:
        """Whether a promise is broken that histories alone are held against, be their calls at once or not."""
        return EXCLUSIVE_WRITER in self.options


class Judge:
    """Judges histories under one contract, and by the known races of one store."""

    def __init__(self, oracle: Oracle, known: Sequence[KnownRace] = ()) -> None:
        """Promises that the contract does not make are given up first, then known races are taken."""
        self._contract, self._known = oracle.contract, tuple(known)
        self._allowed = tuple(one for one in _GIVEN_UP if not self._promised(one))
        self._broken = sorted((one for one in _GIVEN_UP if self._promised(one)), key=lambda one: self._promised(one))

        @cache
        def model(given_up: GivenUp, taken: tuple[KnownRace, ...]) -> SmallSteps:
            more: dict[type[Operation], tuple[Way, ...]] = {}
            for one in taken:
                for kind, way in one.steps.items():
                    more[kind] = (*more.get(kind, ()), way)
            return SmallSteps(oracle, set(PROMISES) - set(given_up), more)

        self._model = model

    def _promised(self, given_up: GivenUp) -> int:
        """How many of these the contract promises."""
        return sum(bool(self._contract.value(name)) for name in given_up)

    def judge(self, history: History) -> Judged:
        """The verdict on a history."""
        if history.lost:
            return Judged("inconclusive", reason=history.lost)
        found = breaches(history)
        return self._by_itself(history, found) if found else self._by_orders(history)

    def _by_itself(self, history: History, found: Sequence[Breach]) -> Judged:
        """Of a history in which calls broke something by themselves: where that is known, what it shows besides."""
        taken: dict[KnownRace, None] = {}
        for one in found:
            known = next((race for race in self._known if _is_known_as(race, one, history)), None)
            if known is None:
                return Judged("violation", reason=one.reason, breach=one)
            taken[known] = None
        besides = self._by_orders(without_breaches(history, tuple(found)))
        if besides.fails or besides.verdict in ("unjudged", "inconclusive"):
            return besides
        return replace(besides, verdict="waived", known=(*taken, *besides.known))

    def _by_orders(self, history: History) -> Judged:
        """The verdict by the orders of the calls."""
        fault = history.program.fault
        if isinstance(fault, Medium) and fault.is_flip and not self._contract.value(CHECKSUMS_VERIFIED):
            return Judged("unjudged", reason="the contract promises nothing of bytes that changed below the store")
        for call in history.calls:
            if isinstance(call.outcome, NotExpressible) and not _has_no_stream(history, call.operation):
                return Judged("unjudged", reason=call.outcome.reason)
        try:
            return self._explained(history)
        except _Exhausted as error:
            states = error.args[0].states
            return Judged("inconclusive", linearized=error.args[0], reason=f"given up after {states} states")
        except Unjudged as error:
            return Judged("unjudged", reason=f"nothing can be said of what follows {error}")

    def _explained(self, history: History) -> Judged:
        """Raises Unjudged, and _Exhausted."""
        if isinstance(history.program.fault, PowerLoss):
            return self._after_a_loss_of_power(history)
        judged = self._by_an_order(history)
        others = shortened(history) if judged.fails else ()
        return next((other for one in others if not (other := self._by_an_order(one)).fails), judged)

    def _by_an_order(self, history: History) -> Judged:
        """Raises Unjudged, and _Exhausted."""
        found = self._search(history, ())
        if found.holds:
            return Judged("conforms", (), found)
        known = tuple(one for one in self._known if _bears_on(one, history))
        most = self._tried(history, PROMISES, known)
        if most is not None and not most.holds:  # who gives up less, or takes fewer races, explains no more
            return Judged("violation", linearized=most)
        every = self._tried(history, self._allowed[-1], ())
        for given_up in self._allowed[1:] if every is None or every.holds else ():
            found = self._search(history, given_up)
            if found.holds:
                declared = bool(set(given_up) & set(ATOMICITY))
                return Judged("declared" if declared else "conforms", given_up, found)
        if known and self._search(history, self._allowed[-1], known).holds:
            return self._taken(history, known)
        for given_up in self._broken:
            for taken in ((), known) if known else ((),):
                found = self._search(history, given_up, taken)
                if found.holds:
                    return Judged("declared-false", given_up, found)
        return Judged("violation", linearized=found)

    def _after_a_loss_of_power(self, history: History) -> Judged:
        """Promises of atomicity that the contract does not make are given up. Raises Unjudged, and _Exhausted."""
        broken, found, lost = power.judged(self._contract, history, lambda one: self._search(one, self._allowed[-1]))
        if broken is None and (found is None or found.holds):
            return Judged("conforms", linearized=found, lost=lost)
        looked = found if broken is None else Linearized((), (broken.look,))
        for one in self._known:
            forgotten = frozenset(one.forgets(history)) if one.forgets is not None else ()
            if forgotten and self._holds_without(history, forgotten):
                return Judged("waived", linearized=looked, known=(one,), broken=broken)
        return Judged("violation", linearized=looked, broken=broken)

    def _holds_without(self, history: History, forgotten: Collection[int]) -> bool:
        """Whether nothing is broken if nobody had heard of some calls. Raises Unjudged, and _Exhausted."""
        calls = tuple(replace(one, returned=None) if n in forgotten else one for n, one in enumerate(history.calls))
        without = replace(history, calls=calls)
        broken, found, _ = power.judged(self._contract, without, lambda one: self._search(one, self._allowed[-1]))
        return broken is None and (found is None or found.holds)

    def _taken(self, history: History, known: tuple[KnownRace, ...]) -> Judged:
        """The fewest known races that explain a history which all of these explain. Raises Unjudged, and _Exhausted."""
        needed = set()
        for one in known:
            others = self._tried(history, self._allowed[-1], tuple(other for other in known if other is not one))
            if others is not None and not others.holds:
                needed.add(one)
        for number in range(max(1, len(needed)), len(known) + 1):
            for taken in combinations(known, number):
                if needed.issubset(taken):
                    found = self._search(history, self._allowed[-1], taken)
                    if found.holds:
                        return Judged("waived", linearized=found, known=taken)
        raise AssertionError("all of them explain it")

    def _tried(self, history: History, given_up: GivenUp, taken: tuple[KnownRace, ...]) -> Linearized | None:
        """What a search found; None where it was given up, or came to where nothing can be said."""
        try:
            return self._search(history, given_up, taken)
        except (Unjudged, _Exhausted):
            return None

    def _search(self, history: History, given_up: GivenUp, taken: tuple[KnownRace, ...] = ()) -> Linearized:
        """Raises Unjudged, and _Exhausted."""
        most = MOST_STATES_OF_CRASHES if history.program.is_costly else MOST_STATES
        found = linearize(self._model(given_up, taken), (EMPTY,), with_death(history), most, apart)
        if found.exhausted:
            raise _Exhausted(found)
        # The end of a client that was killed is none of the calls.
        known = range(len(history.calls))
        stuck = tuple(place for place in found.stuck if place in known)
        order = tuple(place for place in found.order if place in known)
        return replace(found, order=order, stuck=stuck or (tuple(known) if found.stuck else ()))


def apart(one: Operation, other: Operation) -> int:
    """How far calls are from each other: 0 for those of one path, 1 where a path of one lies above one of the other."""
    pairs = [(path, there) for path in paths_of(one) for there in paths_of(other)]
    if any(path == there for path, there in pairs):
        return 0
    return 1 if any(is_ancestor(path, there) or is_ancestor(there, path) for path, there in pairs) else 2


def _is_known_as(race: KnownRace, breach: Breach, history: History) -> bool:
    """Whether what a call broke by itself is a known race."""
    return (
        race.by_itself
        and race.clause == breach.clause
        and race.accepts(history.program.fault)
        and type(history.calls[breach.call].operation) in race.steps
        and _is_of_its_errors(race, history.calls[breach.call].outcome)
    )


def _is_of_its_errors(race: KnownRace, outcome: Outcome) -> bool:
    """Whether a call raised what a known race says that it raises, where it says that."""
    if not race.errors:
        return True
    return isinstance(outcome, Raised) and outcome.classes[0].rpartition(".")[2] in race.errors


class _Exhausted(Exception):
    """A search that was given up; has what it found."""


def _bears_on(race: KnownRace, history: History) -> bool:
    """Whether a history has calls that take the steps of a known race."""
    if race.by_itself or not race.accepts(history.program.fault):
        return False
    return race.forgets is None and any(type(call.operation) in race.steps for call in history.calls)


def _has_no_stream(history: History, operation: Operation) -> bool:
    """Whether a call could not be made as it is on a stream that could not be opened."""
    name = getattr(operation, "stream", None)
    return name is not None and any(
        isinstance(call.operation, OpenWriter | OpenReader)
        and call.operation.stream == name
        and isinstance(call.outcome, Raised | Unknown)
        for call in history.calls
    )
