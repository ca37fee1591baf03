"""The real root of a store: what is judged there, in the same run as the rest, and only where nobody can lose anything.

A program in the real root has the whole store for itself, and all that is there is deleted before and after it. So it
is judged once the rest of the store was, by one session, and only on stores that the harness started for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fsconform.adapters.stores.quirks import with_quirks
from fsconform.engine.benches import Benches
from fsconform.engine.effort import Amounts
from fsconform.engine.exploration import Plan
from fsconform.engine.explorers import Explorer
from fsconform.engine.grammar import Suite
from fsconform.engine.protocol import HasRoot, StoreLost
from fsconform.engine.waivers import Waiver
from fsconform.harness import plans
from fsconform.harness.fleet import RootPart, Up, terms_of
from fsconform.harness.presets import PRESETS
from fsconform.harness.problems import Problem
from fsconform.harness.targets import Target
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.records.joined import IN_ROOT
from fsconform.suites.registry import SUITES
from fsconform.suites.root import ROOT


@dataclass(frozen=True, slots=True)
class Parts:
    """The suites of a run: the ``usual`` ones, and those in the real ``root`` beside them.

    ``alone`` says that there are none but suites in the real root: then the store is brought up for these.
    """

    usual: tuple[Suite, ...]
    root: tuple[Suite, ...]
    alone: bool

    @property
    def names(self) -> set[str]:
        """The names of all."""
        return {suite.name for suite in (*self.usual, *self.root)}


def parts_of(wanted: Sequence[Suite], named: bool) -> Parts:
    """The parts of a run of some suites; where none were ``named`` the suite in the real root belongs to it."""
    root = tuple(suite for suite in wanted if suite.root)
    usual = tuple(suite for suite in wanted if not suite.root)
    if root and not usual:
        return Parts(root, (), True)
    return Parts(usual, root if named else (ROOT,), False)


def has_root(target: Target) -> bool:
    """True if programs may play in the real root of a store: it is the harness's own."""
    return target.custom is None and PRESETS[target.name].roots


def in_root(target: Target) -> Target:
    """A store that is judged in its real root alone: by one session, and with the known bugs that show there only."""
    return replace(target, shards=1, contract=_with_quirks(target.name, target.contract))


def _with_quirks(name: str, contract: Contract) -> Contract:
    return with_quirks(contract, f"{name}-root")


def check(asked: Iterable[Target]) -> None:
    """See to it that all stores have a real root to play in. Raises Problem."""
    for target in asked:
        if not has_root(target):
            raise Problem(f"the suite on the real root needs a store that is the harness's own, not {target.name!r}")


def elsewhere(waivers: Iterable[Waiver]) -> tuple[Waiver, ...]:
    """The waivers but for those that hold in the real root only."""
    return tuple(one for one in waivers if not (one.suite and SUITES[one.suite].root))


def part_of(
    target: Target,
    suites: tuple[Suite, ...],
    seed: int,
    wanted: plans.Filter,
    kinds: frozenset[str],
    amounts: Amounts,
    reproducer: str,
) -> RootPart | None:
    """What is judged in the real root of a store; None if nothing is, or if the store is not the harness's own."""
    if not suites or not has_root(target):
        return None

    def explorers(oracle: Oracle) -> tuple[Explorer, ...]:
        return plans.explorers(suites, oracle, seed, wanted, kinds=kinds, amounts=amounts)

    usual = elsewhere(target.waivers)
    # What is known of the rest of the store may show in its root as well, and need not.
    offered = tuple(replace(waiver, optional=True) for waiver in usual)
    return RootPart(explorers, (*(one for one in target.waivers if one not in usual), *offered), reproducer)


def bring_up(up: Up, part: RootPart, explorers: tuple[Explorer, ...], budget: float | None) -> Up:
    """The real root of a store that is up, with one session and a budget. Raises StoreLost or SandboxRefused."""
    given = up.assignment
    if not isinstance(up.store, HasRoot):
        raise StoreLost(f"the real root of {given.name!r} is not the harness's own")
    store = up.store.on_root()
    places = {name.removeprefix(IN_ROOT): at for name, at in given.places.items() if name.startswith(IN_ROOT)}
    contract = _with_quirks(given.name, given.contract)
    assignment = replace(
        given,
        contract=contract,
        waivers=part.waivers,
        reproducer=part.reproducer,
        places=places,
        shards=1,
        survey=0.0,
        strict_quirks=False,
        on_root=None,
        races=None,
    )
    benches = Benches(store, contract, 1)
    benches.open()
    plan = Plan(explorers, budget, 1, given.fail_fast, places, terms=terms_of(assignment))
    return Up(assignment, store, benches, plan, 0.0)
