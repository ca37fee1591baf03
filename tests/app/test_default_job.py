"""`fsconform run` without a store says what it starts before it starts it; with one it does not."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from click.testing import CliRunner

from fsconform.app import run as module
from fsconform.app.main import main
from fsconform.engine.effort import Effort
from fsconform.harness.presets import DEFAULT, MINUTES, PRESETS, default_job

PLANS: list[module.Plan] = []
"""What would have been run, the last one last."""


def said(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """What is said until a run would begin."""

    def begun(plan: module.Plan) -> None:
        PLANS.append(plan)
        raise SystemExit(0)

    monkeypatch.setattr(module, "_Run", begun)
    done = CliRunner().invoke(main, ["run", *arguments])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_without_a_store_it_says_what_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    told = said(monkeypatch)
    words = default_job(["hdfs-cluster"], datetime(2026, 1, 1, 23, 50))
    assert f"some {MINUTES} minutes on two cores with effort normal, which is until 00:10;" in words
    assert re.sub(r"until \d\d:\d\d", "", told) == re.sub(r"until \d\d:\d\d", "", words)
    assert "until" not in said(monkeypatch, "--effort", "quick")
    assert "A few programs are played on the machines of hdfs-cluster." in told
    assert all(name in told for name in DEFAULT)
    assert all(part in told for name in DEFAULT for part in PRESETS[name].parts)
    assert {name for name in DEFAULT if f"proxies before {name}" in told} == {"hdfs", "s3a"}


def test_a_few_programs_are_played_on_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    said(monkeypatch)
    blocks = PLANS[-1].blocks
    assert [target.name for target in blocks.targets] == ["hdfs-cluster"] and not blocks.alone
    numbers = {name: len(few) for name, few in blocks.programs(None).items()}
    assert numbers == {"replicas": 2, "pipeline": 1, "cluster-leases": 1}
    assert blocks.programs(Effort("deep")) == blocks.programs(None)
    assert set(PLANS[-1].suites) > {"replicas", "pipeline", "namespace"} and "hdfs-cluster" in PLANS[-1].contracts


@pytest.mark.parametrize("less", [("--effort", "quick"), ("--budget", "60"), ("--store", "proving")])
def test_no_cluster_is_started_where_less_is_asked_for(monkeypatch: pytest.MonkeyPatch, less: tuple[str, ...]) -> None:
    assert "hdfs-cluster" not in said(monkeypatch, *less)
    assert not PLANS[-1].blocks.targets


def test_with_a_store_it_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, "--store", "proving") == ""
