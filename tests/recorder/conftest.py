"""The recorder's jar for RawLocalFileSystem, and an application whose calls it records."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fsconform.adapters.jars import class_path, load_profile, resolve
from fsconform.adapters.java import find_java
from fsconform.adapters.recorder.building import JAR, XML
from fsconform.app.main import main

APPLICATION = Path(__file__).with_name("java") / "Calls.java"
CONNECTOR = "org.apache.hadoop.fs.RawLocalFileSystem"


@pytest.fixture(scope="session")
def fsconform() -> Callable[..., Result]:
    """The command line, called in this process."""

    def call(*arguments: str | Path) -> Result:
        return CliRunner().invoke(main, list(map(str, arguments)))

    return call


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, fsconform: Callable[..., Result]) -> Path:
    """The folder that `fsconform record` wrote for RawLocalFileSystem."""
    out = tmp_path_factory.mktemp("record") / "out"
    done = fsconform("record", "--uri", "file:///tmp/x", "--impl", CONNECTOR, "--out", out)
    assert done.exit_code == 0, done.output
    return out


@pytest.fixture(scope="session")
def application(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the recording of one run of the application in a JVM of its own."""
    jars = [installed / JAR, *resolve(load_profile())]
    base = tmp_path_factory.mktemp("store")
    command = [find_java().executable, "-cp", class_path(jars), APPLICATION, installed / XML, (base / "work").as_uri()]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split() == [CONNECTOR, "missing"]
    return installed / "calls"
