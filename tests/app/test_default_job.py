"""`fsconform run` without a store says what it starts before it starts it; with one it does not."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from fsconform.app import run as module
from fsconform.app.main import main
from fsconform.harness.presets import DEFAULT, PRESETS, default_job


def said(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """What is said until a run would begin."""

    def begun(_plan: object) -> None:
        raise SystemExit(0)

    monkeypatch.setattr(module, "_Run", begun)
    done = CliRunner().invoke(main, ["run", *arguments])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_without_a_store_it_says_what_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    told = said(monkeypatch)
    assert told == default_job()
    assert all(name in told for name in DEFAULT)
    assert all(part in told for name in DEFAULT for part in PRESETS[name].parts)
    assert {name for name in DEFAULT if f"proxies before {name}" in told} == {"hdfs", "s3a"}


def test_with_a_store_it_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, "--store", "proving") == ""
