"""A store without space: seeded faults are found, and what a small place of this machine does is judged."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconform.adapters.fullness import MOST, Found, piece, piece_size
from fsconform.adapters.posix.store import PosixStore
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.explorers import both_modes
from fsconform.engine.findings import Finding
from fsconform.engine.protocol import Store
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.output.full_disk import FillUp
from fsconform.proving.faults import EVERY
from fsconform.proving.session import ProvingStore
from fsconform.specs.witness import witnesses

FAULTS = {
    "full-hidden": ("violation", "outputstream.saved"),
    "full-loses-synced": ("violation", "outputstream.sync.post.visible"),
    "full-gap": ("violation", "outputstream.saved"),
    "full-stays-open": ("violation", "outputstream.write.pre.open"),
    "full-for-ever": ("violation", "filesystem.create.post"),
    "full-error": ("deviation", "outputstream.write.limit"),
}


def found(store: Store, contract: Contract) -> tuple[list[Finding], int]:
    """What the witnesses of the suite disk-full find, and how many of its calls were judged."""
    benches = Benches(store, contract, 1)
    try:
        programs = [one.program for one in witnesses() if one.group == "full"]
        tried = list(benches.take().tries(both_modes(programs, benches.oracle)))
    finally:
        benches.close()
    judged = sum(trial.judgement.clauses["outputstream.write.limit"] for trial in tried)
    return [one for trial in tried for one in trial.judgement.findings], judged


def test_a_sound_store_is_left_alone() -> None:
    findings, judged = found(ProvingStore(), Contract(load_shipped("proving").declared))
    assert not findings and judged >= 6


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_store_without_space_is_found(fault: str) -> None:
    findings, _ = found(ProvingStore(fault=fault), Contract(load_shipped("proving").declared))
    assert {(one.verdict, one.clause) for one in findings} == {FAULTS[fault]}


def test_every_such_fault_is_tried() -> None:
    assert {name for name in EVERY if name.startswith("full-")} == FAULTS.keys()


def test_what_was_promised_is_what_returned() -> None:
    one = Found()
    assert one.wrote("done", b"aa") and one.synced("done") and one.wrote("done", b"bb")
    assert not one.wrote("raised IOException", b"cc")
    one.closed("raised IOException")
    assert (one.refused, one.by, one.saved) == ("raised IOException", "write", 2)
    assert one.compared(b"aab") == (True, True)
    assert one.compared(b"a") == (False, True)
    assert one.compared(b"aaX") == (False, False)
    assert one.compared(None) == (False, True)
    one.closed("done")
    assert one.compared(b"aab") == (False, True) and one.compared(b"aabbc") == (True, True)


def test_no_two_writes_are_alike_and_a_large_store_takes_few() -> None:
    assert len({piece(number, 16) for number in range(10_000)}) == 10_000
    assert 24 <= MOST // piece_size(MOST) <= 256 and piece_size(1 << 16) >= 1 << 10


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    place = tmp_path / "small"
    place.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], check=True, timeout=30)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting is not allowed here")
    yield place
    subprocess.run(["umount", place], check=True, timeout=30)


def test_this_machine_says_that_it_has_no_space(small: Path) -> None:
    findings, judged = found(PosixStore("local", small / "sandbox"), load_shipped("local"))
    assert not findings and judged >= 6


def test_a_place_with_much_space_is_not_filled_up(tmp_path: Path) -> None:
    findings, judged = found(PosixStore("local", tmp_path / "sandbox"), load_shipped("local"))
    assert {one.verdict for one in findings} == {"inconclusive"} and not judged
    assert FillUp.MUTATES and not list(tmp_path.glob("sandbox/**/f"))


@pytest.mark.long
@pytest.mark.parametrize("name", ["file", "rawlocal"])
def test_hadoop_raises_an_error_of_its_own(small: Path, tmp_path: Path, name: str) -> None:
    from fsconform.adapters.stores.site import Setup, custom_site
    from fsconform.harness.sites import hadoop_store

    configuration = {"fs.file.impl.disable.cache": "true"}
    if name == "rawlocal":
        configuration["fs.file.impl"] = "org.apache.hadoop.fs.RawLocalFileSystem"
    site = custom_site(name, (small / "sandbox").as_uri(), (), configuration, ())
    store = hadoop_store(site.connection, Setup(tmp_path / "logs", lambda message: None))
    try:
        findings, judged = found(store, load_shipped(name))
    finally:
        store.close()
    told = {(one.verdict, one.clause) for one in findings if one.verdict != "declared"}
    assert told == {("deviation", "outputstream.write.limit")} and judged >= 8
