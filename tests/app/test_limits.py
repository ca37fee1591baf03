"""``fsconform run --suite limits``: what it finds of a real store, records, says and does not fail for."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.adapters.java import NoJava, find_java
from fsconform.adapters.stores.site import Setup
from fsconform.engine import costs, dimensions
from fsconform.engine.judge import Judge
from fsconform.engine.survey import Survey
from fsconform.engine.trial import Bench
from fsconform.harness.judging import SURVEY_SHARE, shares
from fsconform.harness.presets import PRESETS, build_preset
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.records.codec import loads
from fsconform.suites.registry import DEFAULT, SUITES

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_the_search_has_its_share_of_the_budget() -> None:
    assert shares(90.0, [SUITES["paths"]]) == (90.0, 0.0)
    assert shares(90.0, [SUITES["paths"], SUITES["limits"]]) == pytest.approx(
        (90.0 * (1 - SURVEY_SHARE), 90.0 * SURVEY_SHARE)
    )
    assert "limits" not in DEFAULT


def test_limits_of_the_raw_local_filesystem(tmp_path: Path) -> None:
    try:
        find_java()
    except NoJava as error:
        pytest.skip(str(error))
    store = build_preset(PRESETS["rawlocal"], Setup(tmp_path, lambda doing: None))
    found = Survey()
    try:
        session = store.session()
        tasks = [(one, 1) for one in (dimensions.NAME, dimensions.DIRECTORY_NAME, dimensions.WIDE_NAME)]
        found.run(Bench(session, Judge(Oracle(Contract()))), 60, tasks=[*tasks, (dimensions.PATH, 1)])
        (measured,) = session.execute([costs.job(2)])
        session.close()
    finally:
        store.close()
    limits = [(one.accepted, one.refused, one.note) for one in found.limits]
    # PATH_MAX has room for a zero at the end.
    assert limits == [(255, 256, ""), (255, 256, ""), (63, 64, ""), (4095, 4096, "")]
    assert [one.error.endswith("(File name too long)") for one in found.limits] == [True, False, True, True]
    assert measured.base.startswith("/") and [index for index, _ in measured.requests] == [*range(3, 13)]
    assert all(costs.point(2, [measured], kind) for kind in costs.NAMES)


def test_without_the_suite_nothing_is_searched_for(fsconform: Command, tmp_path: Path) -> None:
    done = fsconform("run", "--store", "proving", "--suite", "delete", "--budget", "0", "--out", "out")
    assert done.returncode == 0, done.stderr
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    assert not (store.limits or store.costs or store.survey_notes)


def test_the_store_in_memory_has_no_limits(fsconform: Command, tmp_path: Path) -> None:
    done = fsconform("run", "--store", "proving", "--suite", "limits", "--budget", "6", "--out", "out")
    assert done.returncode == 0, done.stderr
    (store,) = loads(tmp_path / "out" / "latest" / "results.json").stores
    assert store.limits and all(one.refused is None for one in store.limits)
    assert store.costs[0].points
    assert "limits of proving" in done.stderr
    assert 'href="proving.html#limits"' in (tmp_path / "out/latest/report/index.html").read_text(encoding="utf-8")
