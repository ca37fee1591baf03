"""Whole sessions of pytest on the store in memory: what they end with, what they say, what they leave."""

from __future__ import annotations

import configparser
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fsconform.records.codec import loads
from fsconform.records.results import StoreRecord
from fsconform.suites.races import OF_CLIENTS

REPOSITORY = Path(__file__).parents[2]
Session = Callable[..., subprocess.CompletedProcess[str]]
SIGNATURE = "delete (non-empty directory, not recursive) returned true, data lost"
WITNESS = "test_areas.py::test_delete[proving-witness-delete-of-a-directory-with-children]"
SUITES = ("--pyargs", "fsconform.suites")
PROVING = (*SUITES, "--store", "proving", "--fs-budget", "0")
FAULTY = (*SUITES, "--store", "proving", "--fs-fault", "delete-non-empty")


def _words(arguments: tuple[object, ...]) -> list[str]:
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *map(str, arguments)]


def _environment() -> dict[str, str]:
    return os.environ | {"PYTEST_ADDOPTS": "", "COLUMNS": "200"}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A session of pytest in ``tmp_path``, with what it says."""

    def call(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            _words(arguments),
            cwd=tmp_path,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=150,
            check=False,
        )

    return call


def _store(folder: Path) -> StoreRecord:
    (store,) = loads(folder / "results" / "latest" / "results.json").stores
    return store


def test_without_an_option_the_suites_are_skipped_and_nothing_is_changed(session: Session, tmp_path: Path) -> None:
    ran = session(*SUITES, "-rs", "--strict-markers", "-m", "rename or delete")
    assert ran.returncode == 0, ran.stdout
    assert "2 skipped" in ran.stdout.splitlines()[-1]
    assert "give --store NAME (`fsconform stores` lists them), or --fs-uri URI" in ran.stdout
    assert list(tmp_path.iterdir()) == []


def test_without_an_option_others_sessions_are_what_they_were(session: Session, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("def pytest_addoption(parser):\n    parser.addoption('--store')\n")
    (tmp_path / "test_mine.py").write_text(
        "import sys, pytest\n"
        "def test_mine(pytestconfig):\n"
        "    assert sorted(m for m in sys.modules if m.startswith('fsconform.')) == ['fsconform.app', "
        "'fsconform.app.pytest_plugin', 'fsconform.app.pytesting']\n"
        "    assert not [m for m in ('msgspec', 'click', 'lxml', 'rich', 'immutables') if m in sys.modules]\n"
        "    assert not [line for line in pytestconfig.getini('markers') if 'fsconform' in line]\n"
        "    assert pytestconfig.getoption('--store') in (None, 'x')\n"
    )
    assert session("-p", "no:xdist").returncode == 0
    assert session("-p", "no:xdist", "--store", "x").returncode == 0
    # The other's option is the other's, and ours has a second name.
    ran = session(*SUITES, "--fs-store", "proving", "--fs-budget", "0", "-k", "witness and rename-of-a-missing")
    assert ran.returncode == 0, ran.stdout


def test_a_sound_store_passes(session: Session, tmp_path: Path) -> None:
    ran = session(*PROVING, "-p", "no:xdist", "-m", "delete", "--fs-seed", "7")
    assert ran.returncode == 0, ran.stdout
    store = _store(tmp_path)
    assert (store.problems, store.divergences) == ([], [])
    assert store.operations > 50
    results = loads(tmp_path / "results" / "latest" / "results.json")
    assert (results.run.exit, results.run.seed) == (0, 7)
    assert str(Path("results") / results.run.id / "report" / "index.html") in ran.stdout.splitlines()
    # Without time nothing is said of what is not run whole.
    assert "the budget leaves no time for it" in session(*PROVING, "-m", "delete", "-rs").stdout


RACES = (*SUITES, "--store", "proving", "--fs-effort", "quick", "--fs-seed", "10")


@pytest.mark.timeout(300)
def test_races_are_tried_where_they_are_named(session: Session, tmp_path: Path) -> None:
    """Each suite of races is an item then, and what was tried stands in the folder of the run."""
    unnamed = session(*RACES, "-k", "test_races", "-rs")
    assert "tried only where it is named: ask for it with -m races" in unnamed.stdout
    assert f"{len(OF_CLIENTS)} skipped" in unnamed.stdout.splitlines()[-1] and unnamed.returncode == 3
    sound = session(*RACES, "-m", "races")
    assert sound.returncode == 0 and f"{len(OF_CLIENTS)} passed" in sound.stdout.splitlines()[-1], sound.stdout
    record = _store(tmp_path)
    assert record.races is not None and record.races.programs == record.races.planned == 344
    assert record.operations >= record.races.calls > 0 and record.races.freshness and not record.problems
    assert {pair.group for pair in record.races.pairs} == {
        *("", "streams of several clients", "threads that share streams", "drawn programs", "a client is killed"),
        "a machine loses its power",
        "a medium fails",
    }
    none = session(*RACES, "-m", "races", "-k", "freshness", "--fs-budget", "0", "-rs")
    assert "the budget leaves no time for it" in none.stdout


@pytest.mark.timeout(300)
def test_a_race_fails_its_item_in_a_worker_too(session: Session, tmp_path: Path) -> None:
    asked = (*RACES, "--fs-fault", "positioned-reads-swapped", "-m", "races", "-k", "stream-races", "-n", "1")
    ran = session(*asked)
    assert ran.returncode == 1, ran.stdout
    record = _store(tmp_path)
    found = record.divergences[0]
    assert found.history is not None and found.history.runs == 200 and found.verdict == "violation"
    assert f"violation: {found.signature}" in ran.stdout and "Traceback" not in ran.stdout
    assert f"seen in {found.history.shown} of 200 runs" in ran.stdout and "client 1  " in ran.stdout
    latest = tmp_path / "results" / "latest"
    assert (latest / found.replay).is_file() and (latest / found.test).is_file()
    assert record.races is not None and record.clauses[found.clause] > 0
    assert [one for one in record.races.pairs if found.signature in one.signatures]


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A session with two workers on a store with a fault: its folder, and what it said."""
    folder = tmp_path_factory.mktemp("faulty")
    arguments = (*FAULTY, "--fs-effort", "20", "-n", "2", "-m", "delete or content", "--junitxml", "junit.xml")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    ran = subprocess.run(_words(arguments), cwd=folder, env=_environment(), capture_output=True, text=True, timeout=150)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    return folder, ran.stdout


def test_what_failed_is_told_to_a_person(faulty: tuple[Path, str]) -> None:
    _, said = faulty
    for part in (
        f"violation: {SIGNATURE}",
        "  store     proving",
        "  clause    filesystem.delete.pre.not-empty (MUST): ",
        "  source    filesystem.md, boolean delete(Path p, boolean recursive)",
        "  observed  returned true",
        "  replays   confirmed in 3 of 3 replays",
        "  >  2  delete(/a, recursive=false)              raise IOException  returned true",
        "  No option of the contract allows it",
        "  reproduce fsconform replay results/",
        "            pytest results/",
    ):
        assert part in said
    assert f"FAILED {WITNESS} - violation: {SIGNATURE}" in said
    assert "Traceback" not in said
    assert "pytesting" not in said  # no line of our code
    # The summary has the numbers, the gate and the report.
    assert "proving  fails  1 violation" in said
    assert "report/index.html" in said
    # Only the marked areas were run.
    assert "test_namespace" not in said


def test_the_run_folder_is_that_of_a_run(faulty: tuple[Path, str]) -> None:
    folder, _ = faulty
    store = _store(folder)
    (divergence,) = store.divergences
    assert (divergence.signature, divergence.verdict) == (SIGNATURE, "violation")
    assert (divergence.steps, divergence.confirmed) == (2, "3/3")
    assert divergence.sequence[1].observed == "returned true"
    latest = folder / "results" / "latest"
    assert latest.is_symlink()
    assert (latest / divergence.replay).is_file()
    assert (latest / divergence.test).is_file()
    assert (latest / "report" / "proving.html").is_file()
    assert ElementTree.parse(latest / "junit.xml").getroot().findall(".//failure")
    assert loads(latest / "results.json").run.exit == 1
    # All items of both workers are in it: those of each explorer under one name.
    explorers = {one.name: one for one in store.explorers}
    assert {"delete: witnesses", "delete: enumeration of 2 operations", "content: boundary ladders"} <= set(explorers)
    assert sum(one.programs for one in store.explorers) == store.programs
    assert explorers["delete: enumeration of 2 operations"].bound == 450
    assert divergence.count > 1


def test_with_a_baseline_only_what_it_lacks_fails(faulty: tuple[Path, str], session: Session, tmp_path: Path) -> None:
    folder, _ = faulty
    again = session(*FAULTY, "--fs-budget", "0", "--fs-baseline", folder / "results" / "latest", "-k", "delete")
    assert again.returncode == 0, again.stdout
    (known,) = [one for one in _store(tmp_path).divergences if one.signature == SIGNATURE]
    assert (known.baseline, known.verdict) == ("known", "violation")
    other = session(
        *SUITES, "--store", "proving", "--fs-fault", "delete-removes-siblings", "--fs-budget", "0",
        "--fs-baseline", folder / "results" / "latest", "-k", "delete",
    )  # fmt: skip
    assert other.returncode == 1, other.stdout
    assert {one.baseline for one in _store(tmp_path).divergences if one.verdict == "violation"} == {"new"}


def test_junit_xml_has_the_verdict_and_where_it_is_from(faulty: tuple[Path, str]) -> None:
    folder, _ = faulty
    cases = ElementTree.parse(folder / "junit.xml").getroot().findall(".//testcase")
    (case,) = (one for one in cases if one.get("name") == WITNESS.partition("::")[2])
    (failure,) = case.findall("failure")
    assert failure.get("message") == f"violation: {SIGNATURE}"
    assert "expected  raise IOException" in str(failure.text)
    properties = {one.get("name"): one.get("value") for one in case.findall(".//property")}
    assert properties.pop("replay").startswith("results/")  # type: ignore[union-attr]
    assert properties == {
        "store": "proving",
        "verdict": "violation",
        "signature": SIGNATURE,
        "clause": "filesystem.delete.pre.not-empty",
    }


def test_a_waiver_excuses(session: Session, tmp_path: Path) -> None:
    (tmp_path / "waivers.toml").write_text(
        f'[[waiver]]\nstore = "proving"\nsignature = "{SIGNATURE}"\nreason = "r"\nlink = "l"\nexpires = 2099-12-31\n'
    )
    ran = session(*FAULTY, "--fs-budget", "0", "-m", "delete", "--fs-waivers", "waivers.toml")
    assert ran.returncode == 0, ran.stdout
    assert _store(tmp_path).verdicts["waived"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*SUITES, "--store", "provin"), "ERROR: no store 'provin': did you mean 'proving'?"),
        ((*PROVING, "--fs-contract", "broken.xml"), "ERROR: broken.xml:1: no such contract option"),
        pytest.param((*PROVING, "--frobnicate"), "ERROR: unrecognized arguments: --frobnicate", marks=pytest.mark.long),
        pytest.param(
            ("--store", "proving", "missing.py"),
            "ERROR: file or directory not found: missing.py",
            marks=pytest.mark.long,
        ),
        (("--store", "proving", "test_broken.py"), "ModuleNotFoundError"),
    ],
)
def test_what_cannot_be_used_ends_with_2(
    session: Session, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "broken.xml").write_text(
        "<configuration><property><name>fs.contract.x</name><value>true</value></property></configuration>"
    )
    (tmp_path / "test_broken.py").write_text("import no_such_module\n")
    ran = session(*arguments)
    assert ran.returncode == 2, ran.stdout
    assert said in ran.stdout
    assert not (tmp_path / "results").exists()


def test_nothing_judged_ends_with_3_and_leaves_nothing(session: Session, tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text("def test_mine():\n    pass\n")
    assert session("--store", "proving", "test_mine.py").returncode == 3
    assert session(*PROVING, "-k", "no_such_piece").returncode == 3
    assert not (tmp_path / "results").exists()
    assert session("--store", "proving", "--collect-only", "test_mine.py").returncode == 0


def test_a_failing_test_of_someone_elses_ends_with_1(session: Session, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("MINE = 'mine'\n")
    (tmp_path / "test_mine.py").write_text("def test_mine():\n    import app\n    assert not app.MINE\n")
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "__init__.py").touch()
    (tmp_path / "suites" / "test_delete.py").write_text("def test_mine_too():\n    pass\n")
    # The checkout has a conftest.py beside the suites; where fsconform is installed there is none.
    chosen = "test_mine or (test_delete and witness-delete-of-a-file)"
    ran = session("test_mine.py", "suites", *PROVING, "-k", chosen, "--noconftest")
    assert ran.returncode == 1, ran.stdout
    # Their modules are theirs, also where a room of ours or the suites have the name.
    assert "assert not 'mine'" in ran.stdout
    assert "1 failed, 2 passed" in ran.stdout.splitlines()[-1]
    assert _store(tmp_path).verdicts["violation"] == 0


def test_the_plugin_is_an_entry_point(tmp_path: Path) -> None:
    shutil.copytree(
        REPOSITORY, tmp_path / "copy", ignore=shutil.ignore_patterns(".*", "build", "results", "*.egg-info")
    )
    program = "import setuptools.build_meta as build; build.prepare_metadata_for_build_wheel('..')"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path / "copy", check=True, capture_output=True)
    (declared,) = tmp_path.glob("fsconform-*.dist-info/entry_points.txt")
    found = configparser.ConfigParser()
    found.read(declared)
    assert dict(found["pytest11"]) == {"fsconform": "fsconform.app.pytest_plugin"}


def test_several_stores_give_an_item_each(session: Session) -> None:
    ran = session(*PROVING, "--store", "rawlocal", "--collect-only", "-q", "-m", "rename")
    items = [line.partition("[")[2] for line in ran.stdout.splitlines() if "::" in line]
    proving, rawlocal = ([item for item in items if item.startswith(f"{name}-")] for name in ("proving", "rawlocal"))
    pieces = {item.removeprefix("rawlocal-") for item in rawlocal}
    assert len(proving) > 35 and len(proving) + len(rawlocal) == len(items)
    # A store with known bugs has their programs too.
    assert {item.removeprefix("proving-") for item in proving} == {one for one in pieces if "quirk" not in one}


def test_the_real_root_must_be_asked_for(session: Session, tmp_path: Path) -> None:
    ran = session(*PROVING, "-k", "witness-delete-of-an-empty-root", "-rs")
    assert "give --fs-root" in ran.stdout
    assert ran.returncode == 3
    ran = session(*PROVING, "-k", "witness-delete-of-an-empty-root or witness-delete-of-a-file", "--fs-root", "-rs")
    assert ran.returncode == 0, ran.stdout
    assert "1 passed, " in ran.stdout.splitlines()[-1]
    assert "with --fs-root nothing is judged but the real root" in ran.stdout


def test_an_interrupt_keeps_what_was_found(tmp_path: Path) -> None:
    arguments = (*FAULTY, "-v", "-m", "delete", "--fs-budget", "600", "-n", "1")
    with subprocess.Popen(
        _words(arguments), cwd=tmp_path, env=_environment(), stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stdout is not None
        said = []
        for line in running.stdout:
            said.append(line)
            if "FAILED" in line:
                os.killpg(running.pid, signal.SIGINT)
                break
        said += running.stdout
    assert running.returncode == 1, "".join(said)
    store = _store(tmp_path)
    assert any("interrupted" in problem for problem in store.problems)
    (divergence,) = store.divergences
    assert (divergence.signature, divergence.confirmed, divergence.steps) == (SIGNATURE, "3/3", 2)
