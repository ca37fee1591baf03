"""rename of the store `local`, made of several calls of POSIX, while another client comes between them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.posix import calls
from fsconform.model.filesystem.namespace.rename import Rename


@pytest.fixture
def base(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a" / "x").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    found = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield found
    os.close(found)


@pytest.mark.parametrize(("gone", "left"), [(0, {"a", "a/b", "a/x"}), (1, {"a", "d", "d/x"})])
def test_a_destination_that_is_taken_away_meanwhile_is_none_to_rename_into(
    base: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: int, left: set[str]
) -> None:
    move, count = calls._move, iter(range(9))

    def beside(*arguments: Any) -> None:
        if next(count) == 1 and gone:
            (tmp_path / "a").rename(tmp_path / "d")
        move(*arguments)

    monkeypatch.setattr(calls, "_move", beside)
    assert calls.rename(base, Rename(("b",), ("a",))) is True
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")} == left
