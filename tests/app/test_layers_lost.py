"""A store that goes away, or an interrupt, costs what was not tried yet, and nothing of what was found."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fsconform.adapters.stores.site import Setup
from fsconform.engine.datasets.subject import DATASETS
from fsconform.engine.effort import Effort
from fsconform.engine.events import Advanced, Event, Listener, unheard
from fsconform.engine.layers import Judgement
from fsconform.engine.protocol import StoreLost
from fsconform.engine.subject import Finding
from fsconform.engine.waivers import Waiver
from fsconform.harness import interrupts
from fsconform.harness import layer_runs as runs
from fsconform.harness.judging import Judged
from fsconform.harness.layer_plans import ObjectPlan, Target, plan_objects


def setup(name: str) -> Setup:
    return Setup(Path(name), print, 1.0, fault="reads-stale")


@pytest.fixture(autouse=True)
def not_met(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "met", lambda: None)


def test_an_interrupt_while_an_object_store_comes_up_keeps_the_stores_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan_objects(("s3-proving",), (), None, (), ("witnesses",), "reads-stale")
    (first,) = planned.targets
    second = dataclasses.replace(first, name="s3")

    up = type(first).bring_up

    def bring_up(target: Target, given: Setup) -> Any:
        if target.name == "s3":
            raise KeyboardInterrupt
        return up(target, given)

    monkeypatch.setattr(Target, "bring_up", bring_up)
    both = ObjectPlan((first, second), planned.groups)
    judged = runs.judge_objects(both, runs.Extent(Effort("quick")), unheard, setup, tmp_path, "reads-stale")
    assert [one.record.name for one in judged] == ["s3-proving", "s3"]
    assert judged[0].record.divergences and not judged[0].interrupted
    assert judged[1].interrupted and judged[1].record.problems == [runs.INTERRUPTED]


def judged_with(hear: Listener, tmp_path: Path, *waivers: Waiver) -> Judged:
    planned = plan_objects(("s3-proving",), (), None, (), (), "reads-stale")
    targets = tuple(dataclasses.replace(one, waivers=waivers) for one in planned.targets)
    extent = runs.Extent(Effort("quick"), seed=3)
    (judged,) = runs.judge_objects(ObjectPlan(targets), extent, hear, setup, tmp_path, "reads-stale")
    return judged


def test_an_interrupt_while_an_object_store_is_explored_keeps_what_was_found_and_the_place(tmp_path: Path) -> None:
    def hear(event: Event) -> None:
        if isinstance(event, Advanced) and event.explorer == "versions":
            raise KeyboardInterrupt

    judged = judged_with(hear, tmp_path)
    record, ended = judged.record, {one.name: (one.note, one.programs) for one in judged.record.explorers}
    assert judged.interrupted and record.problems[0].startswith("interrupted: ")
    assert record.divergences and not any(one.confirmed for one in record.divergences)
    assert ended["one and two requests"][0] == "as planned" and ended["multipart uploads"] == ("not reached", 0)
    note, programs = ended["versions"]
    assert note == "stopped" and 0 < programs < 200 and judged.places["versions"] == (programs, programs)
    assert record.programs == sum(one.programs for one in record.explorers)


def test_what_waivers_accept_of_an_object_store_is_shown_as_accepted(tmp_path: Path) -> None:
    shown: list[Advanced] = []

    def hear(event: Event) -> None:
        if isinstance(event, Advanced):
            shown.append(event)

    found = judged_with(hear, tmp_path).record.divergences
    assert found and (shown[-1].accepted, shown[-1].failing) == (0, len(found))
    waivers = [Waiver("s3-proving", one.signature, "why", "where", datetime.date(2099, 1, 1)) for one in found]
    judged_with(hear, tmp_path, *waivers)
    assert (shown[-1].accepted, shown[-1].failing) == (len(found), 0)


def test_what_spark_s_writers_showed_is_reported_where_spark_is_lost_later(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Judgement[Any]([Finding("rows twice", "violation", "sql-data-sources.rows", "MUST", 0, "write", "", "")])
    answers: Iterator[tuple[()] | StoreLost] = iter([(), *[StoreLost("gone")] * runs.SPARK_LOSSES])

    def execute(program: object) -> Any:
        found = next(answers)
        if isinstance(found, StoreLost):
            raise found
        return found

    trials = [SimpleNamespace(group="writes", program=()) for _ in range(1 + runs.SPARK_LOSSES)]
    monkeypatch.setattr(runs._DatasetRun, "_trials", lambda self: trials)
    plan = cast(Any, SimpleNamespace(suites=(), short=False, groups=(), jars=()))
    store = cast(Any, SimpleNamespace(session=lambda committer: SimpleNamespace(execute=execute)))
    pair = cast(Any, SimpleNamespace(name="spark", contract=None, committer=None, waivers=()))
    run = runs._DatasetRun(plan, pair, store, unheard, Path(), True, lambda: None)
    run._subject = dataclasses.replace(DATASETS, judge=lambda *_: shown)
    assert [one.finding.signature for one in run._judge()] == ["rows twice"]
    assert any("given up" in problem for problem in run.outcome.problems)
