"""What a trace says about the options, whatever a contract declares.

A trace is followed under all option values at once, as ``explain`` does after a mismatch, but without a contract. What
survives are the ways in which the specification allows it: each way a set of option values that it rests on. A trace
with no way is a violation under every contract.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fsconform.engine.explain import MAX_HYPOTHESES
from fsconform.engine.judge import Judge, Judgement
from fsconform.engine.minimise import size_of
from fsconform.engine.probes import without_probes
from fsconform.engine.protocol import Snapshot
from fsconform.model.core.operation import paths_of
from fsconform.model.core.option import Literal
from fsconform.model.core.outcomes import NotExpressible, Raised, Returned, Unknown
from fsconform.model.filesystem.options.core import IS_CASE_SENSITIVE
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step, Trace
from fsconform.model.filesystem.rules.case_insensitive import confused
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.model.filesystem.status.case_variants import CASE_CLAUSE

MAX_VIOLATIONS = 4000
"""Traces of violations that are kept; what comes later is not."""

Needs = frozenset[Literal]

_INSENSITIVE: Literal = (IS_CASE_SENSITIVE, False)


@dataclass(frozen=True, slots=True)
class Way:
    """Option values under which a trace is allowed, each with the clause whose branch asked for it first."""

    needs: Needs
    because: tuple[tuple[Literal, str], ...] = field(default=(), compare=False)

    def and_(self, literals: tuple[Literal, ...], clause: str) -> Way | None:
        """The way with more values needed; None if they contradict those that it rests on."""
        if self.needs.issuperset(literals):
            return self
        if any((name, not value) in self.needs for name, value in literals):
            return None
        added = tuple((literal, clause) for literal in literals if literal not in self.needs)
        return Way(self.needs.union(literals), self.because + added)

    def clause(self, literal: Literal) -> str:
        """The clause for which a value is needed; empty if it is not."""
        return dict(self.because).get(literal, "")


@dataclass(frozen=True, slots=True)
class Observation:
    """What following a trace gave: the minimal ways to allow it, and the model's states as far as one way goes.

    No ways: a violation, which shows at ``step``. ``whole`` is false where the trace was not followed to its end.
    """

    ways: tuple[Way, ...]
    states: tuple[State, ...]
    step: int
    whole: bool = True

    @property
    def tells(self) -> bool:
        """True if it says anything about options."""
        return all(way.needs for way in self.ways)


def offered(oracle: Oracle, trace: Trace, observation: Observation) -> frozenset[Literal]:
    """The option values that a store could have made use of, in a trace that is allowed without them or with them.

    A value that comes into play only beside another one, such as one of a call that the store does not support, is not
    offered where that other one is ruled out.
    """
    found: set[Literal] = set()
    for step, event, state in zip(trace.program, trace.events, observation.states, strict=False):
        if isinstance(event.outcome, Returned | Raised):
            for branch in oracle.situation(state, step.operation).branches:
                for literal in branch.when:
                    others = tuple(one for one in branch.when if one != literal)
                    if literal not in found and any(way.and_(others, "") for way in observation.ways):
                        found.add(literal)
    return frozenset(found)


_Hypotheses = dict[State | None, list[Way]]
"""The ways to each state that remains possible. None is what the model can't represent: anything may follow."""


def observe(oracle: Oracle, trace: Trace, start: State = EMPTY) -> Observation:
    """Follow a trace from a known state under every value of every option."""
    hypotheses: _Hypotheses = {start: [Way(frozenset())]}
    states = [start]
    folding = _names_differ_in_case(trace.program)
    for index, (step, event) in enumerate(zip(trace.program, trace.events, strict=False)):
        outcome = event.outcome
        if isinstance(outcome, NotExpressible):
            states.append(states[-1])
            continue
        if not isinstance(outcome, Returned | Raised):
            return Observation(_all_ways(hypotheses), tuple(states), index, whole=False)
        hypotheses = _next(oracle, hypotheses, step, outcome, folding)
        if not hypotheses:
            return Observation((), tuple(states), index)
        if sum(map(len, hypotheses.values())) > MAX_HYPOTHESES:
            return Observation((Way(frozenset()),), tuple(states), index, whole=False)
        states.append(next((state for state in hypotheses if state is not None), states[-1]))
        if set(hypotheses) == {None}:
            break
    return Observation(_all_ways(hypotheses), tuple(states), len(trace.events) - 1)


def _next(
    oracle: Oracle, hypotheses: _Hypotheses, step: Step, outcome: Returned | Raised, folding: bool
) -> _Hypotheses:
    following: _Hypotheses = {}
    for state, ways in hypotheses.items():
        if state is None:
            _add(following, None, ways)
            continue
        for branch, after in oracle.step_under_any(state, step.operation, outcome):
            _add(following, after, [way for one in ways if (way := one.and_(branch.when, branch.clause))])
        if folding and confused(state, step.operation):
            _add(following, None, [way for one in ways if (way := one.and_((_INSENSITIVE,), CASE_CLAUSE))])
    return following


def _add(following: _Hypotheses, state: State | None, ways: list[Way]) -> None:
    for way in ways:
        held = following.setdefault(state, [])
        if not any(other.needs <= way.needs for other in held):
            held[:] = [other for other in held if not way.needs <= other.needs]
            held.append(way)


def _all_ways(hypotheses: _Hypotheses) -> tuple[Way, ...]:
    merged: _Hypotheses = {}
    for ways in hypotheses.values():
        _add(merged, None, ways)
    return tuple(merged[None])


def _names_differ_in_case(program: Program) -> bool:
    names = {name for step in program for path in paths_of(step.operation) for name in path}
    return len({name.casefold() for name in names}) < len(names)


@dataclass(slots=True)
class Clue:
    """Traces that say the same of the options: the best program among them, and how many there were."""

    ways: tuple[Way, ...]
    program: Program
    count: int = 1
    named: str = ""
    """The name of the witness that the program is; empty for any other program."""

    def clause(self, literal: Literal) -> str:
        """The clause for which a value is needed."""
        return next(filter(None, (way.clause(literal) for way in self.ways)), "")

    @property
    def weight(self) -> int:
        """The smaller, the better it is as evidence: few options, then witnesses, then small programs."""
        options = {name for way in self.ways for name, _ in way.needs}
        own, steps = size_of(self.program)
        return 60 * len(options) + (0 if self.named else 200) + min(700, 20 * own + steps)


@dataclass(slots=True)
class Gathered:
    """All that was observed of a store so far.

    ``names`` gives the names of witnesses by their own steps. What is ``accepted`` by hand as a divergence is not to be
    explained by an option: it is kept with the violations.
    """

    names: Mapping[Program, str]
    accepted: Callable[[Trace], bool] = lambda trace: False
    clues: dict[frozenset[Needs], Clue] = field(default_factory=dict)
    violations: list[Trace] = field(default_factory=list)
    unknown: int = 0
    """Traces that ended in an unknown outcome: a time-out, or a store that went away."""
    occasions: dict[Program, frozenset[Literal]] = field(default_factory=dict)
    """For each witness that was allowed in some way the option values that the store could have made use of."""

    def add(self, oracle: Oracle, trace: Trace, observation: Observation) -> None:
        """Add what one trace gave."""
        if trace.events and type(trace.events[-1].outcome) is Unknown:
            self.unknown += 1
        if not observation.ways or (observation.tells and self.accepted(trace)):
            if len(self.violations) < MAX_VIOLATIONS:
                self.violations.append(trace)
            return
        own = without_probes(trace.program)
        named = self.names.get(own, "")
        if named:
            held = self.occasions.get(own, frozenset())
            self.occasions[own] = held | offered(oracle, trace, observation)
        if not observation.tells:
            return
        key = frozenset(way.needs for way in observation.ways)
        clue = Clue(observation.ways, trace.program, named=named)
        other = self.clues.get(key)
        if other is not None:
            clue.count += other.count
            if other.weight <= clue.weight:
                other.count = clue.count
                return
        self.clues[key] = clue


class Watcher(Judge):
    """A judge that finds nothing and gathers what traces say of the options: for the sessions of a store.

    Once it has a ``successor``, that one judges instead.
    """

    def __init__(self, oracle: Oracle, gathered: Gathered) -> None:
        super().__init__(oracle)
        self.gathered = gathered
        self.successor: Judge | None = None
        self._lock = threading.Lock()

    def judge(self, trace: Trace, snapshots: Mapping[int, Snapshot] | None = None, start: State = EMPTY) -> Judgement:
        """Gather what the trace says. Sessions may judge in threads of their own."""
        if self.successor is not None:
            return self.successor.judge(trace, snapshots, start)
        observation = observe(self.oracle, trace, start)
        with self._lock:
            self.gathered.add(self.oracle, trace, observation)
        judgement = Judgement(states=list(observation.states))
        for step, event in zip(trace.program, trace.events, strict=False):
            if type(event.outcome) is NotExpressible:
                continue
            if step.probe:
                judgement.probes += 1
            else:
                judgement.operations += 1
        return judgement
