"""Judging the blocks and replicas of clusters: programs one after another, and the records."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from fsconform.adapters.stores.site import Setup
from fsconform.engine import recorder
from fsconform.engine.blocks.subject import BLOCKS
from fsconform.engine.effort import Effort
from fsconform.engine.events import Listener
from fsconform.engine.explorers import Explorer, from_list
from fsconform.engine.layers import Place, Proven, Tried
from fsconform.harness import interrupts
from fsconform.harness.block_plans import BlockPlan, BlockTarget, Up
from fsconform.harness.judging import Judged
from fsconform.harness.layer_runs import LayerRun, judge_each
from fsconform.harness.reproducers import replay_line
from fsconform.model.blocks.answers import Answer
from fsconform.model.blocks.contract import BlockContract
from fsconform.model.blocks.steps import Step
from fsconform.records.results import StoreRecord


def judge_blocks(
    plan: BlockPlan,
    effort: Effort | None,
    budget: float | None,
    fail_fast: bool,
    hear: Listener,
    setup_of: Callable[[str], Setup],
    home: Path,
    fault: str,
) -> list[Judged]:
    """Judge all clusters of a plan, each in ``budget`` seconds. What was found before an interrupt is kept."""

    def run_of(target: BlockTarget, store: Up) -> _BlockRun:
        words = ["--store", target.name, *(("--fault", fault) if fault else ())]
        run = _BlockRun(plan, target, store, hear, effort, replay_line(home, words))
        run.budget, run.fail_fast = budget, fail_fast
        return run

    judged: list[Judged] = []
    for one in plan.targets:
        judged += judge_each(one.name, BLOCKS, (one,), partial(one.bring_up, setup_of(one.name)), run_of, hear)
        if judged[-1].interrupted:
            break
    return judged


class _BlockRun(LayerRun[Step, Answer, BlockContract]):
    """One cluster."""

    first = 1

    def __init__(
        self, plan: BlockPlan, target: BlockTarget, store: Up, hear: Listener, effort: Effort | None, reproducer: str
    ) -> None:
        super().__init__(BLOCKS, target, target.contract, store.session, hear, interrupts.meet)
        self._plan, self._store, self._effort, self._reproducer = plan, store, effort, reproducer

    def judge(self, starting: float) -> StoreRecord:
        """Run the suites, shrink and replay what fails, and give the record."""
        proven = self._judge()
        target, outcome = self._target, self.outcome
        place = Place(target.name, self._store.uri, target.statement, self._contract, self._store.versions, 1, starting)
        cut_off = recorder.cut_off(outcome.covered if outcome.cut_off else (), ())
        if cut_off and self._effort is not None:
            outcome.problems.append(f"the budget cut off what the effort asks for: {'; '.join(cut_off)}")
        return self._subject.record(place, outcome, proven, target.waivers, self._reproducer, complete=False)

    def _explorers(self) -> tuple[Explorer[Step], ...]:
        return tuple(from_list(name, programs) for name, programs in self._plan.programs(self._effort).items())

    def _try(self, program: tuple[Step, ...]) -> Tried[Step, Answer]:
        return self._subject.attempt(self._session, program, self._contract)

    def _prove_one(self, met: Proven[Step, Answer]) -> Proven[Step, Answer]:
        return self._subject.prove(self._session, met, self._contract)

    def _end(self) -> int:
        return 0
