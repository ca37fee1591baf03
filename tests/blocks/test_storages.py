"""What the storage directories of daemons say: layouts, what is kept of a state before, and blocks."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.blocks.storages import storage


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_a_datanode_keeps_its_old_replicas_beside_the_present_ones(tmp_path: Path) -> None:
    name, volumes = tmp_path / "name", [tmp_path / "volume-0", tmp_path / "volume-1"]
    written(name / "current" / "VERSION", "namespaceID=7\nlayoutVersion=-67\n")
    pool = Path("current", "BP-1-127.0.0.1-2")
    for volume in volumes:
        written(volume / "current" / "VERSION", "layoutVersion=-57\n")
        written(volume / pool / "current" / "finalized" / "subdir0" / "blk_1073741825", "data")
        written(volume / pool / "current" / "finalized" / "subdir0" / "blk_1073741825_1001.meta", "sums")
    places = {"namenode": [name], "datanode-0": volumes}
    before = storage(places)
    assert dict(before.layouts) == {"namenode": "-67", "datanode-0": "-57"}
    assert dict(before.kept) == {"namenode": "", "datanode-0": ""} and before.blocks == {1073741825}

    old = volumes[1] / pool / "previous" / "finalized" / "subdir0" / "blk_1073741824"
    written(old, "old")
    written(volumes[1] / pool / "previous" / "dfsUsed", "10")
    kept = dict(storage(places).kept)["datanode-0"]
    assert kept and storage(places).blocks == {1073741825}
    # What is remembered of used space is no part of the state; a byte of a replica is.
    written(volumes[1] / pool / "previous" / "dfsUsed", "11")
    assert dict(storage(places).kept)["datanode-0"] == kept
    written(old, "odd")
    assert dict(storage(places).kept)["datanode-0"] not in ("", kept)


def test_directories_that_name_no_layout_or_two_are_without_one(tmp_path: Path) -> None:
    volumes = [tmp_path / "0", tmp_path / "1"]
    assert storage({"datanode-0": volumes}).layouts == (("datanode-0", ""),)
    for number, volume in enumerate(volumes):
        written(volume / "current" / "VERSION", f"layoutVersion=-{number}\n")
    assert storage({"datanode-0": volumes}).layouts == (("datanode-0", ""),)


def test_what_goes_away_meanwhile_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the state before does, while a DataNode finalizes an upgrade."""
    volume = tmp_path / "volume"
    going = volume / "current" / "BP-1-127.0.0.1-2" / "previous" / "finalized"
    written(going / "subdir0" / "blk_1073741824", "old")
    scan = os.scandir

    def removed_first(path: str | Path | int) -> Any:
        if not isinstance(path, int) and Path(path) == going:
            monkeypatch.setattr(os, "scandir", scan)
            shutil.rmtree(going)
        return scan(path)

    monkeypatch.setattr(os, "scandir", removed_first)
    assert dict(storage({"datanode-0": [volume]}).kept) == {"datanode-0": ""}
    assert not going.exists()
