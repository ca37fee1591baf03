"""Shipped waivers: none for a store of the default job, whose bugs are quirks; elsewhere none for just any call."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from fsconform.app.hadoop_versions import waivers_of
from fsconform.engine.waivers import load


def test_no_shipped_waiver_begins_with_a_star() -> None:
    folder = Path(str(resources.files("fsconform.specs"))) / "waivers"
    files = sorted(folder.rglob("*.toml"))
    assert files
    for file in files:
        for waiver in load(file):
            assert not any(one.startswith("*") for one in (waiver.signature, *waiver.others)), (file.name, waiver)


@pytest.mark.parametrize("store", ["local", "file", "rawlocal", "hdfs", "s3a"])
def test_a_store_of_the_default_job_has_quirks_and_no_waivers(store: str) -> None:
    assert waivers_of(store, "") == ()
