"""Commands of the pages, run from the pages: with the files that they speak of, and the exit code that belongs to them.

``QUICK`` is run by ``make test``, ``NIGHTLY`` by the night. ``test_parsed.py`` looks at all others.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it.token import Token

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "records" / "example.json"
Commands = Callable[[str], list[tuple[int, str]]]


@dataclass(frozen=True, slots=True)
class Run:
    """How a command of a page is run: what is written in the place of some words, and the exit code that is due."""

    page: str
    begins: str
    code: int = 0
    replaced: tuple[tuple[str, str], ...] = ()


SIGNATURE = (
    (
        "delete (non-empty directory, not recursive) returned true",
        "rename (destination below the source) returned true after mkdirs (missing)",
    ),
)
QUICK = (
    Run("docs/configuration-file.md", "fsconform config check"),
    Run("docs/configuration-file.md", "fsconform config schema"),
    Run("docs/how-to-compare.md", "fsconform compare BEFORE AFTER", 0, (("BEFORE", "latest"), ("AFTER", "latest"))),
    Run("docs/how-to-compare.md", "fsconform compare results/2026"),
    Run("docs/how-to-compare.md", 'fsconform waive "', 0, SIGNATURE),
    Run("docs/how-to-compare.md", "fsconform waive --all"),
    Run("docs/how-to-run-in-ci.md", "fsconform export FORMAT", 0, (("FORMAT", "sarif"),)),
    Run("docs/how-to-run-in-ci.md", "fsconform export github"),
    Run("docs/how-to-run-in-ci.md", "fsconform export sarif"),
    Run("docs/how-to-run-in-ci.md", "fsconform export gitlab"),
    Run("docs/how-to-infer-a-contract.md", "fsconform init my-connector"),
    Run("docs/hdfs-mechanisms.md", "fsconform run --store blocks-proving", 1),
)
NIGHTLY = (
    Run("docs/s3.md", "fsconform run --store s3-proving", 1),
    Run("docs/s3.md", "fsconform run --store s3  "),
    Run("docs/how-to-run-under-pytest.md", "pytest --pyargs fsconform.suites --store rawlocal"),
    Run("docs/more-stores.md", "fsconform run --store webhdfs --store viewfs"),
    Run("docs/recordings.md", "fsconform record"),
)


@pytest.fixture
def folder(tmp_path: Path, blocks: Callable[[str], list[Token]]) -> Path:
    """A folder with the files that the pages speak of."""
    for name in ("20260101-120000-ab12", "20260102-120000-cd34"):
        (tmp_path / "results" / name).mkdir(parents=True)
        shutil.copy(EXAMPLE, tmp_path / "results" / name / "results.json")
    (tmp_path / "results" / "latest").symlink_to("20260102-120000-cd34")
    (tmp_path / "fsconform" / "baseline").mkdir(parents=True)
    shutil.copy(EXAMPLE, tmp_path / "fsconform" / "baseline" / "results.json")
    (tmp_path / "fsconform" / "waivers.toml").touch()
    contract = "<configuration></configuration>\n"
    hadoop = tmp_path / "src" / "test" / "resources" / "contract" / "mystore.xml"
    hadoop.parent.mkdir(parents=True)
    for place in (hadoop, tmp_path / "fsconform" / "contract.xml"):
        place.write_text(contract, "utf-8")
    (tmp_path / "target").mkdir()
    shutil.make_archive(str(tmp_path / "target" / "mystore"), "zip", hadoop.parent)
    (tmp_path / "target" / "mystore.zip").rename(tmp_path / "target" / "mystore.jar")
    (configuration,) = (one for one in blocks("docs/configuration-file.md") if one.info == "toml")
    (tmp_path / "fsconform.toml").write_text(configuration.content, "utf-8")
    return tmp_path


def ended(run: Run, folder: Path, commands: Commands) -> tuple[int, str]:
    """The exit code of the one command of the page that begins so, and what it printed."""
    (text,) = (command for _, command in commands(run.page) if command.startswith(run.begins))
    for old, new in run.replaced:
        assert old in text, f"{run.page} does not say {old!r} any more"
        text = text.replace(old, new)
    programs = str(Path(sys.executable).parent)
    if "config " not in text:
        (folder / "fsconform.toml").unlink()
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", text],
        cwd=folder,
        env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "MYSTORE_SECRET": "of the page"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def name_of(run: Run) -> str:
    """The page and the first words, as the id of a test."""
    return f"{Path(run.page).stem}: {' '.join(shlex.split(run.begins.replace(chr(34), ''))[:4])}"


@pytest.mark.parametrize("run", QUICK, ids=name_of)
def test_a_command_ends_as_it_should(run: Run, folder: Path, commands: Commands) -> None:
    code, told = ended(run, folder, commands)
    assert code == run.code, told


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("run", NIGHTLY, ids=name_of)
def test_a_command_that_takes_minutes_ends_as_it_should(run: Run, folder: Path, commands: Commands) -> None:
    code, told = ended(run, folder, commands)
    assert code == run.code, told[-6000:]
