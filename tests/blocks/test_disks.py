"""What is read off the NameNode's page and off disks, on texts and files as HDFS 3.5.0 has them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar, Self, cast

import pytest

from fsconform.adapters.blocks import disks, fsck, machines
from fsconform.adapters.hadoop.release import Raised
from fsconform.adapters.services.hdfs_cluster import HdfsCluster
from fsconform.engine.protocol import StoreLost
from fsconform.model.blocks.steps import SPOILT

PAGE = """\
FSCK started by root (auth:SIMPLE) from /127.0.0.1 for path /d/a at Thu Nov 26 15:04:58 UTC 2026

/d/a 500 bytes, replicated: replication=3, 1 block(s):  Under replicated BP-11-127.0.0.1-17:blk_1073741825_1001. \
Target Replicas is 3 but found 2 live replica(s), 0 decommissioned replica(s), 0 decommissioning replica(s).
0. BP-11-127.0.0.1-17:blk_1073741825_1001 len=500 Live_repl=2  \
[DatanodeInfoWithStorage[127.0.0.1:22386,DS-1c-d6,DISK](LIVE), \
DatanodeInfoWithStorage[127.0.0.1:32096,DS-c9,DISK](EXCESS), \
DatanodeInfoWithStorage[127.0.0.1:27448,DS-e1,DISK](CORRUPT)]
"""
DATA = bytes(range(256)) * 5
CHUNK = 512


def replica(folder: Path, block: int = 7, stamp: int = 1001, data: bytes = DATA) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"blk_{block}").write_bytes(data)
    sums = (zlib.crc32(data[start : start + CHUNK]).to_bytes(4, "big") for start in range(0, len(data), CHUNK))
    header = b"\x00\x01\x01" + CHUNK.to_bytes(4, "big")
    (folder / f"blk_{block}_{stamp}.meta").write_bytes(header + b"".join(sums))


def test_a_replica_that_goes_away_while_it_is_read_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replica(tmp_path / "finalized")

    def gone(path: Path) -> bytes:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_bytes", gone)
    assert disks.replica([tmp_path], 7) is None


def test_a_replica_that_has_metadata_alone_is_known_by_its_stamp(tmp_path: Path) -> None:
    replica(tmp_path / "finalized" / "subdir0")
    (tmp_path / "finalized" / "subdir0" / "blk_7").unlink()
    found = disks.replica([tmp_path], 7)
    assert found is not None and (found.stamp, found.length) == (1001, -1)


class Ended:
    """A client that can't open the cluster; the class counts those that run."""

    running = 0
    versions: ClassVar[dict[str, str]] = {}

    def __init__(self, class_path: Sequence[Path], log: Path) -> None:
        """As the client of a release."""

    def __enter__(self) -> Self:
        Ended.running += 1
        return self

    def __exit__(self, *_: object) -> None:
        Ended.running -= 1

    def open(self, uri: str, configuration: Mapping[str, str]) -> Raised:
        return Raised(("java.io.IOException",), "no", "no")


def test_a_client_that_can_not_open_the_cluster_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "ReleaseClient", Ended)
    cluster = SimpleNamespace(uri="hdfs://x", client_configuration=dict)
    with pytest.raises(StoreLost, match="can't be opened"):
        machines.HdfsBlocks(cast(HdfsCluster, cluster), [], tmp_path / "log")
    assert Ended.running == 0


def test_a_page_has_blocks_with_the_places_of_their_replicas() -> None:
    (block,) = fsck.blocks(PAGE)
    assert fsck.replication(PAGE) == 3 and fsck.replication("FSCK started\n") is None
    assert (block.id, block.stamp, block.length) == (1073741825, 1001, 500)
    assert {place.address: place.counted for place in block.places} == {
        "127.0.0.1:22386": "live",
        "127.0.0.1:32096": "excess",
        "127.0.0.1:27448": "corrupt",
    }


def test_a_replica_is_data_and_metadata_of_one_generation(tmp_path: Path) -> None:
    volumes = (tmp_path / "volume-0", tmp_path / "volume-1")
    assert disks.replica(volumes, 7) is None
    replica(volumes[1] / "current" / "finalized")
    found = disks.replica(volumes, 7)
    assert found is not None and (found.stamp, found.length, found.sound) == (1001, len(DATA), True)
    (volumes[1] / "current" / "finalized" / "blk_7").unlink()
    found = disks.replica(volumes, 7)
    assert found is not None and (found.stamp, found.length) == (1001, -1)


def test_of_two_generations_the_younger_one_counts(tmp_path: Path) -> None:
    replica(tmp_path / "rbw", stamp=1001, data=DATA[:9])
    replica(tmp_path / "finalized", stamp=1003)
    found = disks.replica((tmp_path,), 7)
    assert found is not None and (found.stamp, found.length) == (1003, len(DATA))


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_replica_is_not_sound(how: str, tmp_path: Path) -> None:
    replica(tmp_path)
    before = disks.replica((tmp_path,), 7)
    assert before is not None and disks.spoil(before, how)
    after = disks.replica((tmp_path,), 7)
    assert after is not None and not after.sound and after.stamp == 1001
    assert after.length == len(DATA) - (how == "truncated")


def test_a_replica_without_data_can_not_be_spoilt(tmp_path: Path) -> None:
    replica(tmp_path, data=b"")
    found = disks.replica((tmp_path,), 7)
    assert found is not None and not disks.spoil(found, "data")
