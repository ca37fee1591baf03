"""The oracle: from a state, an operation and an outcome, under a contract, to the states that remain possible.

There is one oracle, fast and explaining. The contract is evaluated once into tables: for each operation and each
combination of cases the branches it allows. Other option values are looked at through the same tables, and only when
asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned
from fsconform.model.filesystem import families
from fsconform.model.filesystem import while_writing as writing
from fsconform.model.filesystem.branches import (
    MEANINGS,
    VALID_PATHS,
    Branch,
    Case,
    Level,
    Meaning,
    if_accepted,
    keep,
)
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.quirks import NONE, Offered, Quirks, fits
from fsconform.model.filesystem.rules.rule import Rule, rules_of
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.validity import COMMON_BITS, INVALID

families.load()

Allowed = tuple[tuple[Branch, State | None], ...]
"""Each branch that fits with the state it leads to; a state of None is one that the model can't represent."""

_Step = Callable[[State, Operation, Outcome], Allowed]

_NOTHING: Allowed = ()


class Situation:
    """What the specification has to say where certain cases apply: the branches there are, and those that are enabled.

    There is one for each combination of an operation's cases under a contract, made once. ``best`` are the enabled
    branches that stand best: what a reader is told to expect. ``first`` is expected before all others. ``of_streams``
    is true where a stream that is writing bears on the operation.
    """

    __slots__ = ("best", "branches", "cases", "enabled", "first", "mask", "memo", "of_streams")

    def __init__(
        self, mask: int, cases: tuple[Case, ...], branches: tuple[Branch, ...], contract: Contract, of_streams: bool
    ) -> None:
        self.mask, self.cases, self.branches, self.of_streams = mask, cases, branches, of_streams
        self.enabled = tuple(branch for branch in branches if contract.holds(branch.when))
        standing = min(map(_standing, self.enabled), default=0)
        self.best = tuple(branch for branch in self.enabled if _standing(branch) == standing)
        self.first: Branch = (self.best or branches)[0]
        self.memo: dict[object, tuple[Branch, ...]] = {}

    @property
    def clause(self) -> tuple[str, Level]:
        """The clause, with its level, that behaviour outside of all branches breaks."""
        if self.mask & INVALID:
            return VALID_PATHS, "MUST NOT"
        return self.first.clause, "MUST" if self.first.level == "MAY" else self.first.level

    def fitting(self, outcome: Outcome) -> tuple[Branch, ...]:
        """The enabled branches whose pattern fits: the best-standing one of each next state, checks not yet made."""
        return _best(branch for branch in self.enabled if branch.matches(outcome))


def _standing(branch: Branch) -> int:
    return 2 if branch.deviates else 1 if branch.departs else 0


def _best(branches: Any) -> tuple[Branch, ...]:
    # A check decides after the table; so only branches without one can stand for each other.
    chosen: list[Branch] = []
    by_effect: dict[object, Branch] = {}
    for branch in branches:
        if branch.check is not None:
            chosen.append(branch)
        elif branch.effect not in by_effect or _standing(branch) < _standing(by_effect[branch.effect]):
            by_effect[branch.effect] = branch
    return (*sorted(chosen, key=_standing), *sorted(by_effect.values(), key=_standing))


def _compose(meaning: Meaning, mask: int, contract: Contract, rules: tuple[Rule, ...]) -> Situation:
    refusals = tuple(branch for rule in rules if rule.refuses for branch in rule.refuses(meaning.operation))
    cases = tuple(case for bit, case in enumerate((*meaning.cases, *writing.CASES)) if mask >> bit & 1)
    own = cases[(mask & ((1 << COMMON_BITS) - 1)).bit_count() :]
    several = len(own) > 1
    branches = [branch for case in own for branch in case.branches if branch.fails or not several]
    if mask & INVALID:
        branches = [branch if branch.fails and not branch.check else if_accepted(branch) for branch in branches]
    common = [branch for case in cases[: len(cases) - len(own)] for branch in case.branches]
    # The first branch is the one a reader is told of: a refusal where the path itself is at fault.
    ordered = common + branches if mask & INVALID else branches + common
    return Situation(mask, cases, (*ordered, *refusals), contract, mask >> len(meaning.cases) != 0)


class Oracle:
    """The oracle under one contract. Holds tables only: it can be shared, and asked in any order."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.quirks: Quirks = NONE if contract.quirks is None else contract.quirks
        self._rules = rules_of(contract)
        self._step: _Step = self._by_rules if self._rules else self._by_tables
        self._declared: dict[tuple[Rule, Branch], Branch] = {}
        self._tables: dict[type, tuple[Any, dict[int, Situation], int]] = {
            meaning.operation: (meaning.classify, {}, len(meaning.cases)) for meaning in MEANINGS.values()
        }

    def _row(self, operation: type, mask: int) -> Situation:
        row = _compose(MEANINGS[operation], mask, self.contract, self._rules)
        self._tables[operation][1][mask] = row
        return row

    def step(self, state: State, operation: Operation, outcome: Outcome) -> Allowed:
        """The branches that allow the outcome, each with its next state; none if the contract allows it nowhere.

        ``outcome`` is Returned or Raised; what an Unknown leaves possible is for :meth:`expected` to say. What quirks
        allow is not among them: see :meth:`offered`.
        """
        allowed = self._step(state, operation, outcome)
        if self.quirks.remembers(type(operation)):
            return tuple(
                (branch, self.quirks.remembered(state, operation, outcome, after)) for branch, after in allowed
            )
        return allowed

    def offered(self, state: State, operation: Operation, outcome: Outcome) -> Offered:
        """What the store's quirks allow of the outcome, beside the specification."""
        found = self.quirks.offered(state, operation, outcome)
        for quirk in self.quirks.assuming(type(operation)):
            assert quirk.as_if is not None
            for viewed, due in quirk.as_if(state, operation, outcome):
                for branch, after in self._step(viewed, operation, due):
                    if after is viewed:
                        after = state
                    elif viewed is not state and after is not None:
                        if quirk.back is None:
                            continue
                        after = quirk.back(state, viewed, after)
                    found += ((branch, self.quirks.remembered(state, operation, outcome, after), quirk),)
        return found

    def _by_tables(self, state: State, operation: Operation, outcome: Outcome) -> Allowed:
        kind = type(operation)
        classify, rows, own = self._tables[kind]
        mask = writing.met(state, operation) << own if state.writers else 0
        mask = mask or classify(state, operation)
        row = rows.get(mask)
        if row is None:
            row = self._row(kind, mask)
        value: Any
        key: object
        if type(outcome) is Returned:
            value = outcome.value
            key = value if value is True or value is False or value is None else type(value)
        else:
            assert type(outcome) is Raised
            value, key = None, outcome.classes[0]
        branches = row.memo.get(key)
        if branches is None:
            branches = row.memo[key] = row.fitting(outcome)
        if len(branches) == 1:
            branch = branches[0]
            check, effect = branch.check, branch.effect
            if check is None or check(state, operation, value):
                return ((branch, state if effect is keep else effect(state, operation)),)
            return _NOTHING
        allowed = []
        for branch in branches:
            if branch.check is None:
                allowed.append((branch, branch.effect(state, operation)))
            elif branch.check(state, operation, value):
                # Checked branches change nothing: the best-standing one that fits is the answer.
                return ((branch, branch.effect(state, operation)),)
        return tuple(allowed)

    def step_under_any(self, state: State, operation: Operation, outcome: Outcome) -> Allowed:
        """As :meth:`step`, under every value of every option: the branch's ``when`` says which it needs.

        What quirks allow is among them: it needs no option.
        """
        allowed = self._step_under_any(state, operation, outcome)
        if not self.quirks:
            return allowed
        quirks = self.quirks
        return (
            *((branch, quirks.remembered(state, operation, outcome, after)) for branch, after in allowed),
            *((branch, after) for branch, after, _ in self.offered(state, operation, outcome)),
        )

    def _step_under_any(self, state: State, operation: Operation, outcome: Outcome) -> Allowed:
        step = self._by_tables_under_any
        return self._ruled(step, state, operation, outcome) if self._rules else step(state, operation, outcome)

    def _by_tables_under_any(self, state: State, operation: Operation, outcome: Outcome) -> Allowed:
        return tuple(
            (branch, branch.effect(state, operation))
            for branch in self.situation(state, operation).branches
            if fits(branch, state, operation, outcome)
        )

    def _by_rules(self, state: State, operation: Operation, outcome: Outcome) -> Allowed:
        for rule in self._rules:
            anything = rule.gives_up(state, operation) if rule.gives_up else None
            if anything is not None:
                return ((anything, None),)
        return self._ruled(self._by_tables, state, operation, outcome)

    def _ruled(self, step: _Step, state: State, operation: Operation, outcome: Outcome) -> Allowed:
        allowed = step(state, operation, outcome)
        for rule in self._rules:
            if allowed:
                allowed = tuple(self._followed(rule, state, *one) for one in allowed)
            elif rule.seen_as and (seen := rule.seen_as(state, operation)):
                viewed, call, after = seen
                allowed = tuple((self._alone(rule, branch), after) for branch, _ in step(viewed, call, outcome))
        return allowed

    def _followed(
        self, rule: Rule, before: State, branch: Branch, reached: State | None
    ) -> tuple[Branch, State | None]:
        after = rule.settled(before, reached)
        return (branch if after is reached else self._alone(rule, branch)), after

    def _alone(self, rule: Rule, branch: Branch) -> Branch:
        """The branch as one that a rule alone allows, the same each time."""
        if (rule, branch) not in self._declared:
            self._declared[rule, branch] = replace(branch, when=(*branch.when, rule.when), departs=True)
        return self._declared[rule, branch]

    def settled(self, before: State, after: State | None) -> State | None:
        """The state that a branch's effect comes to under the contract, from the states before and after it."""
        for rule in self._rules:
            after = rule.settled(before, after)
        return after

    def predicted(self, state: State, operation: Operation) -> State | None:
        """The state that the branch expected first leads to."""
        return self.settled(state, self.situation(state, operation).first.effect(state, operation))

    def expected(self, state: State, operation: Operation) -> tuple[State | None, ...]:
        """All states that the contract allows an operation to lead to, whatever its outcome."""
        states: list[State | None] = []
        for branch in self.situation(state, operation).enabled:
            after = self.settled(state, branch.effect(state, operation))
            if not any(after is other or after == other for other in states):
                states.append(after)
        return tuple(states)

    def situation(self, state: State, operation: Operation) -> Situation:
        """What is expected of an operation in a state, for explaining."""
        kind = type(operation)
        classify, rows, own = self._tables[kind]
        mask = writing.met(state, operation) << own if state.writers else 0
        mask = mask or classify(state, operation)
        row = rows.get(mask)
        return self._row(kind, mask) if row is None else row
