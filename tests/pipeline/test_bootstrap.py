"""Wheels that are sent along: an executor without fsconform imports it out of them, and a unit is attempted."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tomllib
import zipfile
import zipimport
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fsconform.app.campaigns.units import Order, execute
from fsconform.pipeline.attempt import Task
from fsconform.pipeline.bootstrap import WHEELS, sent, spare_archives, unpack
from fsconform.pipeline.depot import LocalDepot, Place
from fsconform.pipeline.layout import MARKERS
from fsconform.pipeline.units import Unit, row_of

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rooms laid out as the wheel lays them out."""
    rooms = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-dir"]
    path = tmp_path_factory.mktemp("wheel") / "fsconform-0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for package, folder in rooms.items():
            for file in sorted((REPOSITORY / folder).rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, Path(package.replace(".", "/")) / file.relative_to(REPOSITORY / folder))
    return path


EXECUTOR = """
import json, pickle, sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "__editable__" not in str(finder)]
sys.path[:] = [entry for entry in sys.path if "__editable__" not in entry]
import pyarrow
from pyspark import SparkFiles
folder, row = sys.argv[1], json.loads(sys.argv[2])
SparkFiles._root_directory, SparkFiles._is_running_on_worker = folder, True
with open(folder + "/function", "rb") as stream:
    function = pickle.load(stream)
assert not [name for name in sys.modules if name.startswith("fsconform.")], "unpickled without fsconform"
try:
    (batch,) = function(iter([pyarrow.RecordBatch.from_pylist([row])]))
except ModuleNotFoundError as error:
    print("missing", error.name)
else:
    import fsconform.app.campaigns.units
    print(batch.to_pylist()[0]["status"], fsconform.app.campaigns.units.__file__)
"""


def _run(folder: Path, task: Task, wheels: list[str]) -> str:
    from pyspark import cloudpickle

    (folder / "function").write_bytes(cloudpickle.dumps(sent(task, wheels)))  # type: ignore[no-untyped-call]
    row = row_of(Unit(0, "proving", "namespace", "drawn", 0, 10, "d"))
    done = subprocess.run(
        [sys.executable, "-I", "-c", EXECUTOR, str(folder), json.dumps(row)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_executor_without_fsconform(wheel: Path, order: Order, tmp_path: Path) -> None:
    """It attempts the unit with what it unpacked; without the wheel it can't, or this would test nothing."""
    task = Task("c", Place(str(tmp_path / "out")), execute, order)
    (tmp_path / wheel.name).write_bytes(wheel.read_bytes())
    assert _run(tmp_path, task, []).startswith("missing fsconform")
    assert _run(tmp_path, task, [wheel.name]) == f"chosen {tmp_path / WHEELS}/fsconform/app/campaigns/units.py"
    assert LocalDepot(tmp_path / "out").names(MARKERS) == ["unit-00000000.json"]


def test_unpacked_once_by_many(wheel: Path, tmp_path: Path) -> None:
    """Python workers of one executor begin at the same moment."""
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: unpack([wheel], tmp_path / "into"), range(4)))
    assert set(found) == {tmp_path / "into"}
    assert [one.name for one in tmp_path.iterdir()] == ["into"]
    assert (tmp_path / "into" / "fsconform" / "model" / "filesystem" / "state.py").is_file()


def test_archives_are_not_read_anew_before_each_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever imported out of an archive pays for it at each invalidation, until its importer is let go."""
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
        archive.writestr("some_of_archive.py", "")
        archive.writestr("more_of_archive.py", "")
    monkeypatch.syspath_prepend(tmp_path / "some.zip")
    importlib.import_module("some_of_archive")
    read: list[str] = []

    def reads(archive: str) -> Any:
        read.append(archive)
        return directory(archive)

    directory = vars(zipimport)["_read_directory"]
    monkeypatch.setattr(zipimport, "_read_directory", reads)
    spare_archives()
    importlib.invalidate_caches()
    importlib.import_module("more_of_archive")
    assert read == []
