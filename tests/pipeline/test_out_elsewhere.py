"""A campaign that writes to another filesystem than this machine's: executors and driver through Hadoop's client."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsconform.adapters.stores.site import Setup
from fsconform.harness.presets import PRESETS
from fsconform.pipeline.depot import Place, open_depot
from fsconform.records.codec import loads


@pytest.mark.long
def test_out_on_hdfs(tmp_path: Path) -> None:
    """Traces and markers are there, the report is here, and its counts are whole."""
    preset = PRESETS["hdfs"]
    if lacks := preset.missing():
        pytest.skip("; ".join(lacks))
    site = preset.bring_up(preset, Setup(tmp_path / "logs", lambda text: None))
    try:
        place = Place(f"{site.connection.uri}/campaign", site.connection.configuration)
        words = [word for pair in place.configuration.items() for word in ("--out-conf", "=".join(pair))]
        done = subprocess.run(
            [
                *(sys.executable, "-m", "fsconform.app.main", "campaign", "--store", "proving", "--programs", "60"),
                *("--suite", "namespace", "--unit", "30", "--master", "local[2]", "--out", place.uri, *words),
            ],
            cwd=tmp_path,
            env=dict(os.environ),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        depot = open_depot(place)
        try:
            assert depot.names("") == ["campaign.json", "markers", "tallies", "traces", "verdicts"]
            assert depot.names("markers") == ["unit-00000000.json", "unit-00000001.json"]
        finally:
            depot.close()
    finally:
        site.close()
    (record,) = loads(tmp_path / "results" / "latest" / "results.json").stores
    assert (record.programs, record.problems) == (60, [])
