"""Promises of atomicity, inferred: races are judged as if the store promised all, and what breaks one is proved."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fsconform.engine.benches import Benches
from fsconform.engine.effort import Amounts
from fsconform.engine.histories.exploration import Plan, Tick
from fsconform.engine.histories.matrix import Matrix, Row
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME, ATOMICITY
from fsconform.engine.infer import Decision, Evidence
from fsconform.engine.protocol import Store
from fsconform.harness.races import PROVING_SECONDS, AnyProven, judge_of, tried
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome as ModelOutcome
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.suites.races import CHANGING, FRESHNESS, planned
from fsconform.suites.races import RACES as PAIRS

ENOUGH = 40
"""So many programs in which another client's call was under way beside one, and the promise was kept, decide it."""

ROUNDS = 3
"""So many times as much is tried as in the default job, of the pairs that the options speak of."""

_CALLS: dict[str, frozenset[str]] = {
    ATOMIC_RENAME: frozenset(name for name, one in CHANGING.items() if isinstance(one, Rename)),
    ATOMIC_DELETE: frozenset(name for name, one in CHANGING.items() if isinstance(one, Delete) and one.recursive),
}
"""The calls of the suites that each option speaks of."""


@dataclass(frozen=True, slots=True)
class Promises:
    """What races say: a decision for each option of atomicity, and what went wrong."""

    decisions: dict[str, Decision]
    problems: list[str] = field(default_factory=list)
    programs: int = 0
    operations: int = 0


def inferred(
    store: Store, benches: Benches, contract: Contract, amounts: Amounts, seed: int, budget: float | None, tick: Tick
) -> Promises:
    """Try races on a store, and say which promises it keeps. ``budget`` is in seconds."""
    chosen = (
        *planned(PAIRS, ROUNDS * amounts.races, seed, of=_bears_on_an_option),
        *planned(FRESHNESS, ROUNDS * amounts.watches, seed, of=_bears_on_an_option),
    )
    plan = Plan(chosen, budget, PROVING_SECONDS)
    if not chosen:
        return Promises({name: _undecided(contract, name) for name in ATOMICITY})
    promising = replace(contract, declared={**contract.declared, **dict.fromkeys(ATOMICITY, True)})
    problems: list[str] = []
    found, _ = tried(benches, store, plan, tick, problems, judge_of(Oracle(promising)))
    if found is None:
        return Promises({}, problems)
    return Promises(
        {name: _decision(contract, name, found.proven, _overlaps(found.matrix, name)) for name in ATOMICITY},
        problems,
        found.matrix.programs,
        found.matrix.calls,
    )


def _bears_on_an_option(row: Row) -> bool:
    return any(calls & {*row.pair} for calls in _CALLS.values())


def _overlaps(matrix: Matrix[Operation, ModelOutcome], name: str) -> int:
    """In how many programs another client's call was under way beside one that an option speaks of."""
    return sum(pair.overlaps for pair in matrix.pairs() if _CALLS[name] & {pair.first, pair.second})


def _decision(contract: Contract, name: str, proven: list[AnyProven], kept: int) -> Decision:
    broken = [one for one in proven if one.shown and any((name, False) in changes for changes in one.finding.changes)]
    if broken:
        best = max(broken, key=lambda one: one.shown)
        seen = f"a race, seen in {best.shown} of {best.replays} runs"
        evidence = Evidence(best.program, best.finding.clause, times=len(broken), seen=seen)
        return Decision(name, False, "observed", (evidence,))
    return Decision(name, True, "not used") if kept >= ENOUGH else _undecided(contract, name)


def _undecided(contract: Contract, name: str) -> Decision:
    return Decision(name, bool(contract.value(name)), "unobserved")
