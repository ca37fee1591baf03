"""A store with a harmless bug beside one that loses data: no waiver and no baseline of the first lets the loss pass."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fsconform.app.main import main
from fsconform.proving import faults
from fsconform.proving.faults.base import Fault
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import FileStatus

NARROW = ("run", "--store", "proving", "--suite", "rename", "--explorer", "witnesses", "--effort", "quick")
WAIVER = """[[waiver]]
store = "proving"
signature = "getFileStatus (file) returned a wrong length after create (missing)"
reason = "known: the status says one byte more"
link = "x"
expires = 2999-12-31
"""


class OneMore(FullStore):
    """The status of a file says one byte more than it has."""

    def get_file_status(self, path: str) -> FileStatus:
        status = super().get_file_status(path)
        return status if status.is_dir else replace(status, length=status.length + 1)


class OneMoreAndEmptied(OneMore):
    """And a file that was renamed is empty."""

    def rename(self, src: str, dst: str) -> bool:
        done = super().rename(src, dst)
        key = self.locate(dst)[1]
        if done and key in self.nodes and self.nodes[key].data is not None:
            self.nodes[key].data = b""
        return done


@pytest.fixture(autouse=True)
def seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, kind in (("harmless", OneMore), ("both", OneMoreAndEmptied)):
        for registry in (faults.FAULTS, faults.EVERY):
            monkeypatch.setitem(registry, name, Fault(name, name, "", kind))


def call(place: Path, fault: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*NARROW, "--fault", fault, "--out", str(place), *arguments])


def emptied(place: Path) -> set[tuple[str, str]]:
    """The verdict and the standing to the baseline of all that tells of a rename."""
    (store,) = json.loads((place / "latest" / "results.json").read_bytes())["stores"]
    return {(one["verdict"], one["baseline"]) for one in store["divergences"] if " after rename (" in one["signature"]}


def test_a_waiver_of_the_harmless_one_lets_no_loss_pass(tmp_path: Path) -> None:
    waivers = tmp_path / "w.toml"
    waivers.write_text(WAIVER)
    harmless = call(tmp_path / "harmless", "harmless", "--waivers", str(waivers))
    assert harmless.exit_code == 0, harmless.output
    both = call(tmp_path / "both", "both", "--waivers", str(waivers))
    assert both.exit_code == 1, both.output
    assert emptied(tmp_path / "both") == {("violation", "")}


def test_a_baseline_of_the_harmless_one_lets_no_loss_pass(tmp_path: Path) -> None:
    assert call(tmp_path / "base", "harmless").exit_code == 1
    base = ("--baseline", str(tmp_path / "base" / "latest"))
    again = call(tmp_path / "again", "harmless", *base)
    assert again.exit_code == 0, again.output
    both = call(tmp_path / "both", "both", *base)
    assert both.exit_code == 1, both.output
    assert emptied(tmp_path / "both") == {("violation", "new")}
