"""Looking beyond the contract: which other option values would allow what a store did.

After a mismatch the whole trace is followed again under every valuation at once. A hypothesis is a state with the
option values it needed so far. What survives names the smallest changes to the contract; where nothing survives, no
option explains the store.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsconform.model.core.operation import Operation
from fsconform.model.core.option import Literal
from fsconform.model.core.outcomes import NotExpressible, Raised, Returned
from fsconform.model.filesystem.branches import Branch
from fsconform.model.filesystem.contract import OPTIONS, Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Step, Trace
from fsconform.model.filesystem.state import State

MAX_HYPOTHESES = 256
"""More hypotheses than this end the search: the trace is then not explained."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A state, the option values it rests on, and the first step that needed a value the contract does not have.

    A state of None, which the model can't represent, is there after the last step only.
    """

    state: State | None
    needs: frozenset[Literal]
    culprit: int | None = None
    branch: Branch | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """All smallest sets of option changes, and the hypothesis of the first of them."""

    changes: tuple[tuple[Literal, ...], ...]
    hypothesis: Hypothesis


def explain(oracle: Oracle, trace: Trace, upto: int, start: State, first: int = 0) -> Explanation | None:
    """Explain steps ``first`` to ``upto`` (numbered from 0, inclusive) of a trace from a known state, or say None."""
    contract = oracle.contract
    hypotheses = [Hypothesis(start, frozenset())]
    for index in range(first, upto + 1):
        outcome = trace.events[index].outcome
        if isinstance(outcome, NotExpressible):
            continue
        if not isinstance(outcome, Returned | Raised):
            return None
        step = trace.program[index]
        following: dict[Hypothesis, None] = {}
        for hypothesis in hypotheses:
            for after in _next(oracle, contract, hypothesis, step, outcome, index, upto):
                following.setdefault(after)
        hypotheses = _merged(following)
        if not hypotheses or len(hypotheses) > MAX_HYPOTHESES:
            return None
    return _smallest(contract, hypotheses)


def _next(
    oracle: Oracle,
    contract: Contract,
    hypothesis: Hypothesis,
    step: Step,
    outcome: Returned | Raised,
    index: int,
    upto: int,
) -> list[Hypothesis]:
    found = []
    operation: Operation = step.operation
    assert hypothesis.state is not None
    for branch, state in oracle.step_under_any(hypothesis.state, operation, outcome):
        if state is None and index < upto:
            continue
        needs = hypothesis.needs | set(branch.when)
        if len({name for name, _ in needs}) != len(needs):
            continue
        if hypothesis.culprit is None and not contract.holds(branch.when):
            found.append(Hypothesis(state, needs, index, branch))
        else:
            found.append(Hypothesis(state, needs, hypothesis.culprit, hypothesis.branch))
    return found


def _merged(hypotheses: dict[Hypothesis, None]) -> list[Hypothesis]:
    # Of two hypotheses in one state the one that needs less can do all that the other can; but one that puts the blame
    # on an earlier step does not stand for one that needs no blame there.
    by_state: dict[State | None, list[Hypothesis]] = {}
    for hypothesis in hypotheses:
        group = by_state.setdefault(hypothesis.state, [])
        if not any(_covers(other, hypothesis) for other in group):
            group[:] = [other for other in group if not _covers(hypothesis, other)]
            group.append(hypothesis)
    return [hypothesis for group in by_state.values() for hypothesis in group]


def _covers(one: Hypothesis, other: Hypothesis) -> bool:
    return one.needs <= other.needs and _blamed(one) >= _blamed(other)


def _blamed(hypothesis: Hypothesis) -> float:
    return math.inf if hypothesis.culprit is None else hypothesis.culprit


def _smallest(contract: Contract, hypotheses: list[Hypothesis]) -> Explanation | None:
    by_changes: dict[frozenset[Literal], Hypothesis] = {}
    for hypothesis in hypotheses:
        changes = frozenset(need for need in hypothesis.needs if not contract.holds((need,)))
        if changes and (changes not in by_changes or _blamed(hypothesis) > _blamed(by_changes[changes])):
            by_changes[changes] = hypothesis
    minimal = [one for one in by_changes if not any(other < one for other in by_changes)]
    if not minimal:
        return None
    # Declared options first: contradicting what a contract says is the plainer explanation.
    minimal.sort(key=lambda one: (len(one), not all(name in contract.declared for name, _ in one), sorted(one)))
    return Explanation(tuple(tuple(sorted(one)) for one in minimal), by_changes[minimal[0]])


def contradicts_declaration(contract: Contract, changes: tuple[Literal, ...]) -> bool:
    """True if the changes revoke a value that the contract itself gives to an exact option."""
    return any(name in contract.declared and OPTIONS[name].kind == "exact" for name, _ in changes)
