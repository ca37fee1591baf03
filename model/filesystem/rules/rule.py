"""A rule: what one value of a contract's option changes in all operations alike, whatever each of them means.

A rule holds under a contract that declares it and is never inferred: it stands in no other contract's tables, or each
odd behaviour of a store would be explained by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsconform.model.core.operation import Operation
from fsconform.model.core.option import Literal
from fsconform.model.filesystem.branches import Branch
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.state import State


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rule:
    """One rule, by the option's value under which it holds and what it changes; what is None it leaves alone.

    ``refuses`` gives more branches of an operation. ``gives_up`` says where nothing is modelled any more, and by which
    branch everything is allowed then. ``after`` makes another state of one that a step led to. ``seen_as`` says, where
    no branch fits an outcome, in which state which call is to be judged instead, and the state that follows then.
    """

    when: Literal
    refuses: Callable[[type[Operation]], tuple[Branch, ...]] | None = None
    gives_up: Callable[[State, Operation], Branch | None] | None = None
    after: Callable[[State], State] | None = None
    seen_as: Callable[[State, Operation], tuple[State, Operation, State] | None] | None = None

    def settled(self, before: State, after: State | None) -> State | None:
        """The state that a call comes to which led from one state to another; one that is the same stays so."""
        return after if self.after is None or after is None or after is before else self.after(after)


RULES: list[Rule] = []
"""All rules, entered where they are declared."""


def rules_of(contract: Contract) -> tuple[Rule, ...]:
    """The rules that hold under a contract."""
    return tuple(rule for rule in RULES if contract.holds((rule.when,)))
