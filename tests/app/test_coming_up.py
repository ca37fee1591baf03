"""A service that does not come up leaves its logs, and nothing else; the error names a log that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.stores.site import Setup
from fsconform.adapters.stores.starting import logs_kept


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A service's folder with storage, and with logs whose names begin as those of storage do."""
    files = ("hdfs/namenode/name/image", "hdfs/datanode-0/data/block", "hdfs/logs/namenode.log", "hdfs/conf/site.xml")
    for name in files:
        (tmp_path / "home" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / name).write_text(name, "utf-8")
    return tmp_path / "home"


def test_logs_are_kept_and_storage_is_not(tmp_path: Path, home: Path) -> None:
    stopped: list[bool] = []
    with (
        pytest.raises(ServiceError) as raised,
        logs_kept("hdfs-x", home, Setup(tmp_path / "logs", print), lambda: stopped.append(home.is_dir())),
    ):
        raise ServiceError(f"no NameNode; see {home}/hdfs/logs/namenode.log")
    assert stopped == [True] and not home.exists()
    kept = tmp_path / "logs" / "hdfs-x"
    found = sorted(str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file())
    assert found == ["hdfs/conf/site.xml", "hdfs/logs/namenode.log"]
    told = Path(str(raised.value).rpartition(" ")[2])
    assert told.read_text("utf-8") == "hdfs/logs/namenode.log"


def test_what_interrupts_it_is_raised_as_it_is(tmp_path: Path, home: Path) -> None:
    with pytest.raises(KeyboardInterrupt), logs_kept("x", home, Setup(tmp_path / "logs", print), lambda: None):
        raise KeyboardInterrupt
    assert not home.exists() and (tmp_path / "logs" / "x").is_dir()


def test_what_comes_up_is_left_alone(tmp_path: Path, home: Path) -> None:
    with logs_kept("x", home, Setup(tmp_path / "logs", print), lambda: pytest.fail("it was stopped")):
        pass
    assert home.is_dir() and not (tmp_path / "logs").exists()
