"""Services in containers: what is said where that can't be; where an engine runs, a store that is judged in one."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.adapters.golang import built_path
from fsconform.adapters.services import containers
from fsconform.adapters.services.minio import MINIO
from fsconform.app.main import main
from fsconform.records.codec import loads

Command = Callable[..., subprocess.CompletedProcess[str]]
BRIEF = ("--budget", "0", "--suite", "delete", "--op", "delete", "--explorer", "witnesses")
NOWHERE = {"DOCKER_HOST": "unix:///nowhere/docker.sock"}


def call(folder: Path, *arguments: str, **environment: str) -> Any:
    return CliRunner().invoke(main, ["run", *arguments, "--out", str(folder / "out")], env=environment)


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        (("--store", "file", "--via", "container"), {}, "'file' has no service that could run in a container"),
        (("--store", "local"), {"FSCONFORM_VIA": "container"}, "hdfs, s3a have one"),
        (("--uri", "x:///y", "--via", "container"), {}, "you bring a store of your own up yourself"),
        (("--store", "s3a"), {"FSCONFORM_VIA": "box"}, "'box' is not one of"),
    ],
)
def test_what_cannot_run_in_a_container_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], environment: dict[str, str], said: str
) -> None:
    refused = call(tmp_path, *arguments, **environment)
    assert refused.exit_code == 2 and said in refused.output
    assert not (tmp_path / "out").exists()


def test_without_an_engine_the_store_is_not_judged_and_the_mend_is_named(fsconform: Command, tmp_path: Path) -> None:
    ran = fsconform("run", "--via", "container", *BRIEF, "--out", "out", environment=NOWHERE)
    assert ran.returncode == 3, ran.stderr
    stores = loads(tmp_path / "out" / "latest" / "results.json").stores
    assert [one.name for one in stores] == ["hdfs", "s3a"]
    for store in stores:
        (problem,) = store.problems
        assert "no Docker engine answers" in problem and "docs/how-to-run-in-containers.md" in problem
        assert store.operations == 0


@pytest.fixture(scope="module")
def engine() -> Any:
    try:
        client = containers.engine()
    except containers.NoEngine as error:
        pytest.skip(str(error))
    if not built_path(MINIO).is_file():
        pytest.skip("MinIO was not built yet")
    return client


def test_s3a_is_judged_on_a_minio_in_a_container_that_is_gone_afterwards(
    engine: Any, fsconform: Command, tmp_path: Path
) -> None:
    before = {one.id for one in engine.containers.list(all=True)}
    ran = fsconform("run", "--store", "s3a", "--via", "container", *BRIEF, "--out", "out")
    assert ran.returncode == 0, ran.stderr
    results = loads(tmp_path / "out" / "latest" / "results.json")
    (store,) = results.stores
    assert store.operations > 0
    assert store.versions["engine"].startswith("Docker ")
    assert store.versions["image"].startswith(f"fsconform-minio:{MINIO.version} ")
    assert results.run.configuration["via"] == "container"
    assert {one.id for one in engine.containers.list(all=True)} <= before


def test_a_container_whose_owner_is_gone_is_swept_and_no_other(engine: Any, tmp_path: Path) -> None:
    tag = containers.build(engine, containers.minio_image(built_path(MINIO), MINIO.version), print)
    mine = containers.owner(os.getpid())
    number, _, started = mine.partition("-")
    labels = {"mine": mine, "gone": "999999999-1.00", "another": f"{number}-{float(started) - 1:.2f}"}
    made = {name: engine.containers.create(tag, labels={containers.LABEL: label}) for name, label in labels.items()}
    try:
        assert set(containers.sweep(engine)) >= {made["gone"].name, made["another"].name}
        left = {one.id for one in engine.containers.list(all=True)}
        assert [name for name, one in made.items() if one.id in left] == ["mine"]
    finally:
        made["mine"].remove(force=True)


def test_the_order_that_holds_secrets_is_private_and_names_the_user(tmp_path: Path) -> None:
    home = tmp_path / "work" / "minio"
    home.mkdir(parents=True)
    containers.Containers("an-image", tmp_path / "work")(
        "minio", ("/minio", "server"), home, tmp_path / "minio.log", {"MINIO_ROOT_PASSWORD": "hunter2"}
    )
    order = home / "minio-container.json"
    assert order.stat().st_mode & 0o077 == 0
    told = json.loads(order.read_text("utf-8"))
    assert told["command"] == ["/minio", "server"] and told["environment"]["MINIO_ROOT_PASSWORD"] == "hunter2"
    assert told["user"] == f"{os.getuid()}:{os.getgid()}"
    assert [str(tmp_path / "work")] * 2 == told["volumes"][0][:2]
