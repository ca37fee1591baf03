"""Links before the servers of FTP, SFTP and WebHDFS in whole runs: requests are met, and what failed is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.app.main import main
from fsconform.harness.presets import PRESETS
from fsconform.harness.problems import DIVERGENCES, OK
from fsconform.suites.wires import LINKS, wires


def test_each_link_of_a_store_has_places_at_which_it_fails() -> None:
    failing = {row.fault.part for row in wires(None)}
    assert failing == {*LINKS}
    assert {name for name, preset in PRESETS.items() if preset.links} == {
        "proving",
        "hdfs",
        "s3a",
        "ftp",
        "sftp",
        "webhdfs",
    }
    assert all({*preset.links} <= failing for preset in PRESETS.values())


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("store", ["ftp", "sftp", "webhdfs"])
def test_links_stand_before_the_servers_of_more_stores(store: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["run", "--store", store, "--suite", "wire", "--effort", "quick", "--out", str(tmp_path)]
    )
    assert done.exit_code in (OK, DIVERGENCES), done.output
    [record] = json.loads((tmp_path / "latest" / "results.json").read_text("utf-8"))["stores"]
    races = record["races"]
    assert races["programs"] == races["planned"] == 8 and races["overlaps"] > 0 and not races["notes"]
