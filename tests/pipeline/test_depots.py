"""The folder of a campaign on real filesystems: HDFS, and S3A on MinIO, each reached by two JVMs at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from fsconform.adapters.jars import parse_profile, resolve
from fsconform.adapters.stores.site import Setup
from fsconform.harness.presets import PRESETS
from fsconform.pipeline import depot as depots
from fsconform.pipeline.depot import Depot, DepotError, HadoopDepot, Place, open_depot

TURNS = 12
SPARK = Path(__file__).parents[2] / "adapters" / "profiles" / "spark-4.1.2.toml"
CLIENT = ("hadoop-client", "slf4j", "commons-logging")
"""What Spark brings itself."""


def _place(store: str, logs: Path) -> tuple[Place, Callable[[], None]]:
    preset = PRESETS[store]
    if lacks := preset.missing():
        pytest.skip("; ".join(lacks))
    site = preset.bring_up(preset, Setup(logs, lambda text: None))
    jars: tuple[str, ...] = ()
    if store == "s3a":
        found = resolve(parse_profile(SPARK.read_text("utf-8"), SPARK.stem), ("s3a",))
        jars = tuple(str(jar) for jar in found if not jar.name.startswith(CLIENT))
    return Place(f"{site.connection.uri}/out", site.connection.configuration, jars), site.close


@pytest.fixture(scope="module", params=["hdfs", pytest.param("s3a", marks=pytest.mark.long)])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Depot, Depot]]:
    """Two ways to one folder, each by a JVM of its own."""
    place, close = _place(request.param, tmp_path_factory.mktemp("logs"))
    try:
        first = open_depot(place)
        try:
            second = open_depot(place)
            try:
                yield first, second
            finally:
                second.close()
        finally:
            first.close()
    finally:
        close()


def test_files_come_back(pair: tuple[Depot, Depot]) -> None:
    """Written by one, read by the other; what is not there is None, and no folder has no names."""
    first, second = pair
    first.put("traces/store=a/x.parquet", bytes(range(256)) * 500)
    assert second.read("traces/store=a/x.parquet") == bytes(range(256)) * 500
    assert second.names("traces/store=a") == ["x.parquet"]
    assert second.read("traces/none") is None
    assert second.names("nowhere") == []


def _race(pair: tuple[Depot, Depot], name: str) -> list[bool]:
    told = [False, False]
    ready = threading.Barrier(2)

    def write(number: int) -> None:
        ready.wait()
        told[number] = pair[number].put_if_absent(name, f"{number}".encode() * 2000)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def test_one_of_two_writes_the_marker(pair: tuple[Depot, Depot]) -> None:
    """At the same moment, again and again: whoever is told so did, and the content is that one's, whole."""
    for turn in range(TURNS):
        told = _race(pair, f"markers/m{turn}")
        assert told.count(True) == 1, told
        assert pair[0].read(f"markers/m{turn}") == f"{told.index(True)}".encode() * 2000
    assert pair[0].names("markers") == sorted(f"m{turn}" for turn in range(TURNS))
    assert not pair[1].put_if_absent("markers/m0", b"late")


def test_a_check_before_a_plain_write_would_be_seen(pair: tuple[Depot, Depot], monkeypatch: pytest.MonkeyPatch) -> None:
    """The seeded fault of the race above: looking first and writing then lets both believe that they were chosen."""
    looked, turn = threading.Barrier(2), threading.Lock()

    def careless(self: HadoopDepot, name: str, data: bytes) -> bool:
        if self.read(name) is not None:
            return False
        looked.wait()
        with turn:
            self.put(name, data)
        return True

    monkeypatch.setattr(HadoopDepot, "put_if_absent", careless)
    assert _race(pair, "markers/careless") == [True, True]


def test_filesystem_without_an_atomic_way_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Hadoop's own local one is, which only this project's way to a local folder makes fit; its JVM ends too."""
    place = Place(f"file://{tmp_path}")
    assert open_depot(place).put_if_absent("a", b"x")
    monkeypatch.setattr(depots.Place, "local", None)
    with pytest.raises(DepotError, match="Name a folder on file:, hdfs: or s3a:"):
        open_depot(place)
    below = [one for one in psutil.Process().children(recursive=True) if "GatewayServer" in " ".join(one.cmdline())]
    assert len(below) <= 2, "those of the other tests at most"
