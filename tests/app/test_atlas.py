"""``fsconform atlas``: entries from a run, the site from entries, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fsconform.app.export import atlas
from fsconform.harness.atlas import FILES
from fsconform.records import atlas as data
from fsconform.records import findings
from fsconform.records.codec import loads

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "records" / "example.json"


def run(*arguments: str | Path) -> tuple[int, str]:
    """The exit code and the output of a command of the group."""
    done = CliRunner().invoke(atlas, [str(argument) for argument in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue and findings of one row each: pages of all of them take seconds."""
    from fsconform.harness import atlas as harness

    monkeypatch.setattr(harness, "every_clause", dict)
    monkeypatch.setattr(findings, "every", dict)


def test_entries_of_a_run(tmp_path: Path, few: None) -> None:
    code, told = run("add", EXAMPLE, "--commit", "abc1234", "--data", tmp_path / "data")
    assert code == 0, told
    judged = {store.name for store in loads(EXAMPLE).stores if store.clauses}
    assert {entry.store for entry in data.read(tmp_path / "data")} == judged
    assert {entry.origin.commit for entry in data.read(tmp_path / "data")} == {"abc1234"}
    code, told = run("build", "--data", tmp_path / "data", "--out", tmp_path / "site")
    assert code == 0, told
    assert "".join(told.split()).endswith("index.html")
    assert len(list((tmp_path / "site" / "stores").iterdir())) == len(judged)


def test_pages_of_stores_that_are_gone_go(tmp_path: Path, few: None) -> None:
    folder, out = tmp_path / "data", tmp_path / "site"
    run("add", EXAMPLE, "--data", folder)
    run("build", "--data", folder, "--out", out)
    gone = sorted(folder.iterdir())[0]
    gone.unlink()
    (out / "mine.txt").write_text("not ours")
    assert (out / "stores" / f"{gone.stem}.html").is_file()
    assert run("build", "--data", folder, "--out", out)[0] == 0
    assert not (out / "stores" / f"{gone.stem}.html").exists()
    assert (out / "mine.txt").is_file()


def test_nothing_outside_is_removed_whatever_the_list_says(tmp_path: Path, few: None) -> None:
    out = tmp_path / "site"
    (out / "data").mkdir(parents=True)
    (tmp_path / "precious.html").write_text("mine")
    (out / FILES).write_text('["../precious.html", "stores/../../precious.html", 7]')
    (tmp_path / "data").mkdir()
    assert run("build", "--data", tmp_path / "data", "--out", out)[0] == 0
    assert (tmp_path / "precious.html").read_text() == "mine"


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    code, told = run("build", "--out", tmp_path)
    assert code == 2 and "holds other files: choose an empty folder" in " ".join(told.split())


def test_what_is_no_entry_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    code, told = run("build", "--data", tmp_path, "--out", tmp_path / "site")
    assert code == 2 and "x.json" in "".join(told.split()) and "atlas add" in " ".join(told.split())
    assert not (tmp_path / "site").exists()


def test_a_store_that_the_run_does_not_have_is_named(tmp_path: Path) -> None:
    code, told = run("add", EXAMPLE, "--store", "nothere", "--data", tmp_path)
    assert code == 2 and "nothere" in told
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    code, told = run("add", tmp_path, "--data", tmp_path)
    assert code == 2 and "results.json" in told
