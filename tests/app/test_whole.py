"""Files that are written whole or not at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fsconform.harness.output import write_whole


def test_many_may_write_the_same_file_at_once(tmp_path: Path) -> None:
    path, texts = tmp_path / "replay.json", [bytes([number]) * 10_000 for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(write_whole, path, text) for text in texts]:
            done.result()
    assert path.read_bytes() in texts
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_put_in_its_place_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        write_whole(tmp_path / "taken", b"text")
    assert [one.name for one in tmp_path.iterdir()] == ["taken"]
