"""The project around the code: how rooms are named, and what the wheel holds."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
ROOMS: dict[str, str] = PYPROJECT["tool"]["setuptools"]["package-dir"]
NOT_SOURCE = shutil.ignore_patterns(".*", "build", "dist", "runs", "*.egg-info", "__pycache__", "*.jar", "*.class")
# Files of a room that are not Python and not data the program reads.
NOT_SHIPPED = {".md"}


def files_of_rooms() -> dict[str, Path]:
    """Every file in a room: its path in the wheel, and where it is in the repository."""
    found: dict[str, Path] = {}
    for room, folder in ROOMS.items():
        for path in sorted((REPOSITORY / folder).rglob("*")):
            hidden = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(REPOSITORY).parts)
            if path.is_file() and not hidden:
                inside = PurePosixPath(room.replace(".", "/"), *path.relative_to(REPOSITORY / folder).parts)
                found[str(inside)] = path
    return found


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command with nothing on its standard input; its output is kept."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the tree so that nothing is written into the tree itself."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(REPOSITORY, folder / "copy", ignore=NOT_SOURCE)
    done = run(
        # Isolated from the settings in the environment: a constraint on builds is refused without build isolation.
        *(sys.executable, "-m", "pip", "--isolated", "wheel", "--quiet", "--no-deps", "--no-index"),
        *("--no-build-isolation", "--wheel-dir", folder, folder / "copy"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout
    (built,) = folder.glob("fsconform-*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    """The paths in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_holds_every_file_of_every_room(names: set[str]) -> None:
    """A subpackage or a folder of data that the packaging does not know of would be missing for users only."""
    wanted = {inside for inside, path in files_of_rooms().items() if path.suffix not in NOT_SHIPPED}
    assert wanted, "no room has a file"
    assert sorted(wanted - names) == []


def test_wheel_holds_nothing_outside_the_package(names: set[str]) -> None:
    """A folder called ``model`` in somebody's site-packages would shadow theirs."""
    version = PYPROJECT["project"]["version"]
    assert {name.partition("/")[0] for name in names} == {"fsconform", f"fsconform-{version}.dist-info"}
    assert "fsconform/__init__.py" not in names


def test_wheel_carries_the_licence(names: set[str]) -> None:
    """Apache-2.0 asks for the licence's text, and for the notice, in every copy."""
    carried = {PurePosixPath(name).name for name in names if ".dist-info/licenses/" in name}
    assert carried == {"LICENSE", "NOTICE"}


def test_wheel_works_where_the_tree_is_not(wheel: Path, tmp_path: Path) -> None:
    """Unpacked in a folder of its own it is importable as fsconform and as nothing else, and the command answers."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    program = f"""
import importlib.util, sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "__editable__" not in str(finder)]
sys.path[:] = [{str(tmp_path / "site")!r}, *(entry for entry in sys.path if "__editable__" not in entry)]
for room, folder in {ROOMS!r}.items():
    assert importlib.util.find_spec(room).origin.startswith({str(tmp_path)!r}), room
    assert importlib.util.find_spec(folder) is None, folder
from fsconform.app.main import main
sys.argv = ["fsconform", "--help"]
main()
"""
    done = run(sys.executable, "-I", "-c", program, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "Usage:" in done.stdout, done.stdout


@pytest.mark.parametrize("folder", ROOMS.values())
def test_room_is_a_typed_package(folder: str) -> None:
    """In a namespace package the marker of typed code is looked for in each room."""
    assert (REPOSITORY / folder / "py.typed").is_file()
    assert (REPOSITORY / folder / "__init__.py").is_file()


def test_every_folder_of_python_in_a_room_is_a_package() -> None:
    """A folder without ``__init__.py`` would be imported from the tree and be absent from the wheel."""
    missing = {
        str(path.parent.relative_to(REPOSITORY))
        for path in files_of_rooms().values()
        if path.suffix == ".py" and not (path.parent / "__init__.py").is_file()
    }
    assert sorted(missing) == []


def test_root_is_no_package() -> None:
    """With an ``__init__.py`` at the root, pytest and mypy would take the repository's folder for the package."""
    assert not (REPOSITORY / "__init__.py").exists()


def test_every_room_at_the_root_is_mapped() -> None:
    """A new room must be named in pyproject.toml, or it is in no wheel and no lint."""
    packages = {path.parent.name for path in REPOSITORY.glob("*/__init__.py")}
    assert packages == set(ROOMS.values())


def test_no_import_of_a_room_under_its_bare_name() -> None:
    """``from model import x`` works at the repository's root and nowhere else. Relative imports are not used either."""
    bare = set(ROOMS.values())
    found: list[str] = []
    for folder in [*ROOMS.values(), "tests", "benchmarks"]:
        for path in (REPOSITORY / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
                modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    modules = [node.module or ""] if node.level == 0 else ["."]
                found += [
                    f"{path.relative_to(REPOSITORY)}:{node.lineno}"  # type: ignore[attr-defined]
                    for module in modules
                    if module == "." or module.partition(".")[0] in bare
                ]
    assert found == []


@pytest.fixture
def small_project(tmp_path: Path) -> Path:
    """A tree like ours, with our conftest.py and our pytest configuration, and one room."""
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(REPOSITORY / name, tmp_path / name)
    for folder in ("model", "tests", "suites"):
        (tmp_path / folder).mkdir()
    (tmp_path / "model" / "__init__.py").write_text('"""A room."""\n')
    (tmp_path / "model" / "paths.py").write_text("ROOT = ()\n")
    (tmp_path / "suites" / "__init__.py").touch()
    return tmp_path


def session(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A pytest session in a process of its own."""
    return run(
        *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options),
        cwd=project,
        PYTEST_ADDOPTS="",
        PYTHONPATH=str(project),
    )


def test_session_passes_when_rooms_have_their_names(small_project: Path) -> None:
    """Test modules in tests and in suites may have bare names, and real rooms come in with the prefix."""
    for folder in ("tests", "suites"):
        (small_project / folder / f"test_{folder}.py").write_text(
            "import fsconform.model.core.paths as p\n\n"
            "def test_it():\n    assert p.__name__ == 'fsconform.model.core.paths'\n"
        )
    done = session(small_project)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_session_fails_when_a_room_is_loaded_under_its_bare_name(small_project: Path, options: tuple[str, ...]) -> None:
    """The check in conftest.py sees it, also in a worker of xdist."""
    (small_project / "tests" / "test_bad.py").write_text("def test_it():\n    import model.paths\n")
    done = session(small_project, *options)
    assert done.returncode == 1, done.stdout
    assert "without the prefix 'fsconform.': model.paths" in done.stdout
