"""What the end-to-end tests share: the command in a process of its own, and a FileSystem in a jar of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.java import NoJava, find_java

Command = Callable[..., subprocess.CompletedProcess[str]]
JAVA = Path(__file__).parent / "java"
RAWLOCAL = Path(__file__).parents[2] / "adapters" / "stores" / "rawlocal" / "contract.xml"


@pytest.fixture
def fsconform(tmp_path: Path) -> Command:
    """The command, run in ``tmp_path``, with what it says."""

    def call(
        *arguments: str | Path, environment: Mapping[str, str] | None = None, seconds: float = 150
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "fsconform.app.main", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | dict(environment or {}),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    return call


def _compiled(home: Path, *sources: Path) -> Path:
    """A jar of classes that the harness knows nothing of, compiled against Hadoop's client."""
    try:
        javac = find_java().home / "bin" / "javac"
    except NoJava as error:
        pytest.skip(str(error))
    compiler = str(javac) if javac.is_file() else shutil.which("javac")
    if compiler is None:
        pytest.skip("there is no javac")
    classpath = os.pathsep.join(map(str, resolve(load_profile(), ("client",))))
    subprocess.run([compiler, "-cp", classpath, "-d", home / "classes", *sources], check=True, timeout=120)
    archive = shutil.make_archive(str(home / "connector"), "zip", home / "classes")
    return Path(archive).rename(home / "connector.jar")


@pytest.fixture(scope="session")
def seeded_jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of a FileSystem over the raw local one, with faults that a property chooses."""
    return _compiled(tmp_path_factory.mktemp("seeded"), JAVA / "SeededFileSystem.java")


@pytest.fixture(scope="session")
def faulty_jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of a FileSystem over the raw local one whose streams have at most one fault, which a property chooses."""
    return _compiled(tmp_path_factory.mktemp("faulty"), *sorted((JAVA / "faulty").glob("*.java")))


@pytest.fixture(scope="session")
def raced_jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of a FileSystem whose calls are atomic, but for a fault that a property chooses: others come between."""
    return _compiled(tmp_path_factory.mktemp("raced"), *sorted((JAVA / "raced").glob("*.java")))


@pytest.fixture
def careful(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The options of a healthy FileSystem over the raw local one, in a jar, with its way by FileContext."""
    jar = _compiled(tmp_path_factory.mktemp("careful"), *sorted((JAVA / "careful").glob("*.java")))
    return [
        *("--uri", f"careful://{tmp_path}/sandbox", "--jars", str(jar)),
        *("--conf", "fs.careful.impl=careful.CarefulFileSystem"),
        *("--conf", "fs.AbstractFileSystem.careful.impl=careful.CarefulFs"),
    ]


CORE = ("--suite", "namespace", "paths", "content")
"""The suites of the core: what a FileSystem over the raw local one does beyond them is that one's, and not in order.

Without listings: their witnesses fill directories of up to 2,000 files, and these tests are not on pages.
"""


@pytest.fixture
def seeded(tmp_path: Path, seeded_jar: Path) -> list[str]:
    """The options that judge the jar's FileSystem by the raw local one's contract, witnesses and single calls only."""
    return [
        *("--uri", f"seeded://{tmp_path}/sandbox", "--jars", str(seeded_jar)),
        *("--conf", "fs.seeded.impl=seeded.SeededFileSystem", "--contract", str(RAWLOCAL)),
        *("--budget", "0", "--shards", "1", "--out", "out", *CORE),
    ]
