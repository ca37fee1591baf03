"""A log that a command names is there when the command has ended; what nobody was told of is removed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsconform.adapters.services import minio
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.stores.site import Setup
from fsconform.harness import layer_stores
from fsconform.harness.leftovers import passing_logs

Command = Callable[..., subprocess.CompletedProcess[str]]

REPLAY = {
    "fsconform-replay": 1,
    "signature": "delete (file) returned false",
    "verdict": "violation",
    "store": "rawlocal",
    "contract": {},
    "program": [{"op": "delete", "path": "/a", "recursive": False}],
}


@pytest.mark.parametrize("command", ["contract infer", "contract check", "clean", "replay"])
def test_a_named_log_stays(fsconform: Command, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    (tmp_path / "one.json").write_text(json.dumps(REPLAY), "utf-8")
    words = command.split() + (["one.json"] if command == "replay" else [])
    ran = fsconform(*words, "--uri", "file:///proc/x/y")
    assert ran.returncode == 3, ran.stdout + ran.stderr
    named = re.findall(r"see (\S+\.log)", ran.stderr)
    assert named, ran.stderr
    assert all(Path(one).is_file() for one in named)


def test_what_nobody_was_told_of_is_removed() -> None:
    with passing_logs("test") as logs:
        (logs.folder / "one.log").write_text("x", "utf-8")
        logs.reported("nothing went wrong")
    assert not logs.folder.exists()
    with passing_logs("test") as logs:
        logs.reported(f"lost; see {logs.folder}/one.log")
    assert logs.folder.is_dir()
    shutil.rmtree(logs.folder)


def test_an_interrupt_leaves_nothing() -> None:
    with pytest.raises(KeyboardInterrupt), passing_logs("test") as logs:
        raise KeyboardInterrupt
    assert not logs.folder.exists()


class Failing:
    """A service that writes a log and does not come up."""

    def __init__(self, work: Path) -> None:
        self.work = work

    def start(self) -> None:
        (self.work / "logs").mkdir(parents=True)
        (self.work / "logs" / "server.log").write_text("no room", "utf-8")
        raise ServiceError(f"it did not come up; see {self.work}/logs/server.log")

    def stop(self) -> None:
        pass


@pytest.mark.parametrize("store", ["s3", "spark-s3a", "spark-hdfs"])
def test_the_log_of_a_service_of_the_other_layers_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    for module in (layer_stores, minio):
        monkeypatch.setattr(module, "MinioService", lambda work, **_: Failing(work))
    monkeypatch.setattr(layer_stores, "HdfsService", lambda work, jars, **_: Failing(work))
    monkeypatch.setattr(Setup, "jars", lambda *_: [])
    bring_up = layer_stores.bring_up_objects if store == "s3" else layer_stores.bring_up_spark
    with pytest.raises(ServiceError) as failed:
        bring_up(store, Setup(tmp_path / "logs", print))
    (named,) = re.findall(r"see (\S+\.log)", str(failed.value))
    assert Path(named).read_text("utf-8") == "no room"
    assert Path(named).is_relative_to(tmp_path / "logs")
