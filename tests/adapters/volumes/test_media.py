"""Real stores on volumes whose medium fails: what they keep and answer; that a byte that rotted is met at all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from fsconform.adapters.meeting import board
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import with_quirks
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.volumes import mounts
from fsconform.adapters.volumes.durability import Discipline
from fsconform.adapters.volumes.medium import STORED, Media
from fsconform.adapters.volumes.mounts import CannotMount
from fsconform.adapters.volumes.volume import Volume
from fsconform.engine.histories.concurrent import History
from fsconform.engine.histories.execution import Clients
from fsconform.engine.histories.judging import Judge
from fsconform.engine.injection import DATANODE, MACHINE, MINIO, NAMENODE, Medium
from fsconform.engine.protocol import StoreLost
from fsconform.harness.presets import PRESETS, build_preset
from fsconform.harness.races import injector_of, judge_of, opened
from fsconform.model.core.outcomes import Raised, Returned
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.options.writers import CHECKSUMS_VERIFIED, EXCLUSIVE_WRITER
from fsconform.model.filesystem.oracle import Oracle
from fsconform.suites.medium import BYTES, Spoilage, spoilages


@pytest.fixture(autouse=True)
def mountable() -> None:
    if lack := mounts.lacking():
        pytest.skip(lack)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


@pytest.fixture
def volume(tmp_path: Path) -> Iterator[Volume]:
    (tmp_path / "place").mkdir()
    try:
        mounted = Volume(tmp_path / "place", Discipline.ORDERED, tmp_path / "log")
    except CannotMount as error:
        pytest.skip(str(error))
    with mounted:
        yield mounted


def judge_for(store: str) -> Judge:
    return judge_of(Oracle(with_quirks(load_shipped(store), store)))


def histories(store: str, rows: Sequence[Spoilage], logs: Path, stack: ExitStack) -> list[History]:
    if lacks := PRESETS[store].missing():
        pytest.skip(lacks[0])
    try:
        built = build_preset(PRESETS[store], Setup(logs, lambda text: None, 120.0, on_volumes=True))
    except CannotMount as error:
        pytest.skip(str(error))
    stack.callback(built.close)
    clients = Clients(opened(built, 2, stack), board, injector_of(built))
    found = clients.execute([row.program for row in rows])
    assert {history.lost for history in found} == {""}
    return found


def verdicts(store: str, rows: Sequence[Spoilage], logs: Path, stack: ExitStack) -> Counter[str]:
    judge = judge_for(store)
    return Counter(judge.judge(history).verdict for history in histories(store, rows, logs, stack))


def rows_of(store: str, part: str, *faults: Medium) -> list[Spoilage]:
    leased = bool(load_shipped(store).value(EXCLUSIVE_WRITER))
    return [Spoilage("read" if fault.is_flip else "write and close", fault, leased) for fault in faults]


FULL, TIGHT, READ_ONLY = (
    Medium(MACHINE, 0, "full"),
    Medium(MACHINE, 0, "full", 1 << 16),
    Medium(MACHINE, 0, "read-only"),
)


@pytest.mark.timeout(300)
def test_this_machine_keeps_what_it_acknowledged(tmp_path: Path, stack: ExitStack) -> None:
    rows = list(spoilages(load_shipped("local")))
    own = [row for row in rows if row.fault.part == MACHINE]
    assert len(own) > 60 and not [row for row in own if row.fault.is_flip]
    # A tree may be deleted in part when its disk fails: the contract says so.
    assert {"conforms"} <= verdicts("local", own, tmp_path, stack).keys() <= {"conforms", "declared"}


@pytest.mark.timeout(300)
def test_a_byte_that_rotted_is_read_where_nobody_checks(tmp_path: Path, stack: ExitStack) -> None:
    """Nothing is promised of it there; under a contract that does, it is a violation."""
    [history] = histories("local", rows_of("local", MACHINE, Medium(MACHINE, 0, "data", 1_000)), tmp_path, stack)
    plain = load_shipped("local")
    assert Judge(Oracle(plain)).judge(history).verdict == "unjudged"
    promising = Contract({**plain.declared, CHECKSUMS_VERIFIED: True})
    assert Judge(Oracle(promising)).judge(history).verdict == "violation"


@pytest.mark.timeout(600)
def test_hadoop_reads_no_byte_that_rotted(tmp_path: Path, stack: ExitStack) -> None:
    flips = [Medium(MACHINE, 0, fault, which) for fault in ("data", "checksums") for which in BYTES]
    rows = rows_of("file", MACHINE, *flips, FULL, TIGHT, READ_ONLY)
    found = histories("file", rows, tmp_path, stack)
    judge = judge_for("file")
    assert {judge.judge(history).verdict for history in found[:-3]} == {"conforms"}
    assert [judge.judge(history).verdict for history in found[-3:]] == ["conforms", "waived", "conforms"]
    reads = [call.outcome for one in found[:5] for call, place in one.rows if place >= 0]
    assert reads and all(isinstance(one, Raised) and "ChecksumException" in one.classes[0] for one in reads)
    beside = Open(("k",))
    again = [call.outcome for one in found for call, place in one.rows if place == -2 and call.operation == beside]
    assert all(isinstance(one, Returned) for one in again)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_hdfs(tmp_path: Path, stack: ExitStack) -> None:
    faults = [Medium(DATANODE, 0, fault, 8) for fault in ("data", "checksums", "full", "read-only")]
    faults += [Medium(NAMENODE, 0, fault) for fault in ("full", "read-only")]
    assert verdicts("hdfs", rows_of("hdfs", DATANODE, *faults), tmp_path, stack) == {"conforms": len(faults)}


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_s3a(tmp_path: Path, stack: ExitStack) -> None:
    faults = [Medium(MINIO, 0, fault, 8) for fault in ("data", "checksums", "full", "read-only")]
    assert verdicts("s3a", rows_of("s3a", MINIO, *faults), tmp_path, stack) == {"conforms": len(faults)}


# --- what is spoilt, and mended


def test_what_was_stored_last_is_flipped_and_mended(volume: Volume) -> None:
    for name in ("old", "new", ".new.crc"):
        (volume.place / name).write_bytes(b"abcdef")
    os.utime(volume.place / "old", (1, 1))
    media = Media()
    media.spoil([volume], Medium(MACHINE, 0, "data", 8))
    assert (volume.place / "new").read_bytes() == b"ab" + bytes([ord("c") ^ 0xFF]) + b"def"
    media.spoil([volume], Medium(MACHINE, 0, "checksums", 0))
    assert (volume.place / ".new.crc").read_bytes() != b"abcdef"
    assert (volume.place / "old").read_bytes() == b"abcdef"
    media.mend()
    assert {path.read_bytes() for path in volume.place.iterdir()} == {b"abcdef"}


def test_room_is_taken_away_and_given_back(volume: Volume) -> None:
    (volume.place / "there").write_bytes(bytes(100_000))
    media = Media()
    media.spoil([volume], Medium(MACHINE, 0, "full", 1 << 14))
    with pytest.raises(OSError, match="No space left"):
        (volume.place / "more").write_bytes(bytes(1 << 20))
    assert 0 < (volume.place / "more").stat().st_size <= 1 << 14
    media.mend()
    (volume.place / "more").write_bytes(bytes(1 << 20))
    media.spoil([volume], Medium(MACHINE, 0, "read-only"))
    with pytest.raises(OSError, match="Read-only"):
        (volume.place / "less").write_bytes(b"x")
    media.mend()
    (volume.place / "less").write_bytes(b"x")


def test_nothing_that_could_rot_is_an_error_that_says_so(tmp_path: Path) -> None:
    built = build_preset(PRESETS["local"], Setup(tmp_path, lambda text: None, on_volumes=True))
    try:
        fault = Medium(MACHINE, 0, "checksums")
        injector = injector_of(built)
        assert injector is not None and injector.injects(fault)
        with pytest.raises(StoreLost, match=r"nothing is stored .* checksums of machine"):
            built.spoil(fault)  # type: ignore[attr-defined]
        built.mend(fault)  # type: ignore[attr-defined]
    finally:
        built.close()


@pytest.mark.parametrize(
    ("part", "fault", "path", "fits"),
    [
        (DATANODE, "data", "data/current/BP-1/current/finalized/subdir0/blk_1073741825", True),
        (DATANODE, "data", "data/current/BP-1/current/finalized/subdir0/blk_1073741825_1001.meta", False),
        (DATANODE, "checksums", "data/current/BP-1/current/rbw/blk_1073741825_1001.meta", True),
        (DATANODE, "data", "data/current/VERSION", False),
        (MINIO, "data", "fsconform/sandbox/a/0b9c/part.1", True),
        (MINIO, "data", ".minio.sys/tmp/0b9c/part.1", False),
        (MINIO, "checksums", "fsconform/sandbox/a/xl.meta", True),
        (MACHINE, "data", "sandbox/p1/.a.crc", False),
        (MACHINE, "checksums", "sandbox/p1/.a.crc", True),
    ],
)
def test_what_is_data_and_what_checksums(part: str, fault: str, path: str, fits: bool) -> None:
    assert bool(STORED[part, fault].fullmatch(path)) is fits
