"""The wheel: what it needs where it gates a connector, what it says without the rest, and that it is built the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from fsconform.adapters.stores.preset import presets
from fsconform.engine import extras

REPOSITORY = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
MOST_BYTES = 150_000_000

BLOCKED = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(extras.EXTRAS)!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
import importlib.util
find = importlib.util.find_spec
gone = {sorted(extras.EXTRAS)!r}
importlib.util.find_spec = lambda name, package=None: None if name in gone else find(name, package)
sys.meta_path.insert(0, Blocked())
"""
"""Makes a process one in which no extra is installed."""


def without_extras(
    folder: Path, code: str, *arguments: str | Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python without what extras bring."""
    command = [sys.executable, "-c", BLOCKED + code, *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


COMMAND = "from fsconform.app.main import main; main()"


def test_every_extra_that_is_named_brings_its_library() -> None:
    """A name that pip does not know would be found by a user only."""
    requirements: Mapping[str, list[str]] = PROJECT["optional-dependencies"]
    brings = {"pysat": "python-sat", "botocore": "boto3", "py4j": "pyspark", "numpy": "pandas"}
    for module, extra in extras.EXTRAS.items():
        wanted = brings.get(module, module)
        assert any(wanted in requirement for requirement in requirements[extra]), f"{extra} does not bring {module}"
    core = " ".join(PROJECT["dependencies"])
    assert not [name for name in ("boto3", "pyspark", "pandas", "pyarrow", "sat", "numpy") if name in core]
    needed = {module for preset in presets().values() for module in preset.modules}
    assert needed <= set(extras.EXTRAS)


def test_every_entry_point_loads_without_any_extra(tmp_path: Path) -> None:
    loads = """
import importlib
from fsconform.app.main import main
for name in main.list_commands(None):
    main.get_command(None, name)
importlib.import_module("fsconform.app.pytest_plugin")
print("loaded")
"""
    done = without_extras(tmp_path, loads)
    assert done.stdout.strip() == "loaded", done.stderr
    assert without_extras(tmp_path, COMMAND, "--help").returncode == 0
    version = without_extras(tmp_path, COMMAND, "--version")
    assert PROJECT["version"] in version.stdout and version.returncode == 0


def test_a_store_is_judged_without_any_extra(tmp_path: Path) -> None:
    words = ("run", "--store", "proving", "--suite", "delete", "--effort", "quick")
    done = without_extras(tmp_path, COMMAND, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    broken = without_extras(tmp_path, COMMAND, *words, "--fault", "delete-non-empty")
    assert broken.returncode == 1, broken.stdout + broken.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("run", "--store", "s3a"), "s3"),
        (("run", "--store", "s3"), "s3"),
        (("run", "--store", "pyarrow"), "arrow"),
        (("run", "--store", "spark-file"), "spark,arrow"),
        (("campaign", "--store", "rawlocal", "--out", "file:///tmp/x"), "arrow"),
        (("campaign", "--help"), "arrow"),
        (("contract", "infer", "--store", "proving", "--effort", "quick"), "infer"),
    ],
)
def test_what_needs_an_extra_names_it_before_anything_is_started(
    tmp_path: Path, words: tuple[str, ...], extra: str
) -> None:
    done = without_extras(tmp_path, COMMAND, *words)
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"pip install 'fsconform[{extra}]'" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == [], "something was made"


def test_another_module_that_is_missing_is_a_fault_of_ours() -> None:
    assert extras.mend(ModuleNotFoundError("No module named 'fsconform.x'", name="fsconform.x")) == ""
    assert extras.mend(ModuleNotFoundError("No module named 'boto3.session'", name="boto3.session")) != ""
    assert extras.lacking(("json",)) == ""


def built(folder: Path) -> dict[str, bytes]:
    """Build the wheel and the sdist; their bytes by name."""
    command = [sys.executable, str(REPOSITORY / "tools" / "dist.py"), str(folder)]
    done = subprocess.run(
        command, env={**os.environ, "SOURCE_DATE_EPOCH": "1750000000"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_tag_that_says_another_version_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    shutil.copy(REPOSITORY / "tools" / "dist.py", tmp_path / "tools")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1.2.3"\n', "utf-8")
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@localhost")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x"), ("tag", "v1.2.4")):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    code = "import sys; sys.path.insert(0, 'tools'); import dist; print(dist.tagged_otherwise())"

    def wrong() -> str:
        words = [sys.executable, "-c", code]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()

    assert wrong() == "pyproject.toml has the version 1.2.3, and the commit the tag v1.2.4: make them one"
    subprocess.run(["git", "tag", "v1.2.3"], cwd=tmp_path, check=True)
    assert wrong() == ""


@pytest.mark.long
@pytest.mark.timeout(900)
def test_wheel_and_sdist_are_the_same_each_time(tmp_path: Path) -> None:
    first = built(tmp_path / "first")
    for path in (tmp_path / "first").iterdir():
        os.utime(path, (0, 0))
    again = built(tmp_path / "again")
    assert sorted(name.rpartition(".")[2] for name in first) == ["gz", "whl"]
    assert first == again


@pytest.mark.long
@pytest.mark.timeout(900)
def test_an_environment_that_judges_a_connector_is_small(tmp_path: Path) -> None:
    built(tmp_path / "dist")
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    home = tmp_path / "home"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    clean = {key: value for key, value in os.environ.items() if key not in ("PIP_CONSTRAINT", "PYTHONPATH")}
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], env=clean, check=True)
    size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file() and not path.is_symlink())
    assert size < MOST_BYTES, f"{size:,} bytes"
    listed = subprocess.run([python, "-m", "pip", "list"], capture_output=True, text=True, check=True).stdout.lower()
    assert not [name for name in ("boto3", "pyspark", "pandas", "pyarrow", "python-sat", "numpy") if name in listed]
    command = home / "bin" / "fsconform"
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert PROJECT["version"] in version
    store = tmp_path / "store"
    words = ["run", "--uri", store.as_uri(), "--conf", "fs.file.impl=org.apache.hadoop.fs.RawLocalFileSystem"]
    words += ["--contract", "rawlocal", "--suite", "delete", "--effort", "quick"]
    done = subprocess.run([command, *words], cwd=tmp_path, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
