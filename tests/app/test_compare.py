"""`fsconform compare`: from two runs on disk to an exit code, text, JSON and a page; what can't be read is named."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from fsconform.app.main import main
from fsconform.records.codec import dumps, loads
from fsconform.records.results import FAILING, Results

EXAMPLE = Path(__file__).resolve().parents[2] / "records" / "example.json"


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["compare", *map(str, arguments)])


def run_folder(place: Path, results: Results) -> Path:
    place.mkdir(parents=True)
    (place / "results.json").write_bytes(dumps(results))
    return place


@pytest.fixture
def whole() -> Results:
    return loads(EXAMPLE)


@pytest.fixture
def sound(whole: Results) -> Results:
    """The example without divergences."""
    return replace(whole, stores=[replace(one, divergences=[], verdicts={}) for one in whole.stores])


def test_what_fails_anew_ends_with_1_and_all_forms_say_so(tmp_path: Path, whole: Results, sound: Results) -> None:
    before, after = run_folder(tmp_path / "one", sound), run_folder(tmp_path / "two", whole)
    document, page = tmp_path / "c.json", tmp_path / "c.html"
    result = call(before, after, "--json", document, "--html", page)
    assert result.exit_code == 1, result.output
    signature = whole.stores[0].divergences[0].signature
    assert f"rawlocal: new: violation: {signature}" in result.output
    schema = json.loads((resources.files("fsconform.records") / "comparison.schema.json").read_bytes())
    jsonschema.validate(json.loads(document.read_bytes()), schema)
    assert json.loads(document.read_bytes())["stores"][0]["failing"][0] == signature
    assert "Exit code 1." in page.read_text("utf-8")
    mended = call(after, before)
    assert (mended.exit_code, "gone: violation" in mended.output) == (0, False)
    number = sum(one.verdict in FAILING for store in whole.stores for one in store.divergences)
    assert f"{number} fixed, 0 new, 0 unchanged" in mended.output
    assert f"0 fixed, {number} new, 0 unchanged" in result.output
    everything = call(after, before, "--all")
    assert (everything.exit_code, "gone: violation" in everything.output) == (0, True)


def test_runs_are_found_by_folder_file_id_and_latest(
    tmp_path: Path, whole: Results, sound: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_folder(tmp_path / "results" / "r1", sound)
    run_folder(tmp_path / "results" / "r2", whole)
    (tmp_path / "results" / "latest").symlink_to("r2", target_is_directory=True)
    for before, after in (
        ("results/r1", "results/r2"),
        ("results/r1/results.json", "results/r2/results.json"),
        ("r1", "latest"),
    ):
        assert call(before, after).exit_code == 1
        assert call(after, before).exit_code == 0
    (tmp_path / "results").rename(tmp_path / "elsewhere")
    assert call("r1", "latest", "--out", "elsewhere").exit_code == 1


def test_a_store_that_one_run_lacks_ends_with_3_unless_it_is_left_out(tmp_path: Path, sound: Results) -> None:
    before = run_folder(tmp_path / "one", sound)
    after = run_folder(tmp_path / "two", replace(sound, stores=sound.stores[1:]))
    name = sound.stores[0].name
    result = call(before, after)
    assert result.exit_code == 3
    assert f"{name}: the second run did not have it" in result.output
    assert call(before, after, "--store", sound.stores[1].name).exit_code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "No such file or directory: name the folder of a whole run"),
        ("{", "is not JSON"),
        ("[]", "is not the results of a run"),
        ('{"schema": 1}', "is not the results of a run"),
        ('{"schema": 7}', "has schema 7, and this version reads schema 1: compare with the version that wrote it"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_what_is_no_run_is_named_with_the_mend(
    tmp_path: Path, whole: Results, text: str | None, said: str, late: bool
) -> None:
    good, bad = run_folder(tmp_path / "good", whole), tmp_path / "bad"
    bad.mkdir()
    if text is not None:
        (bad / "results.json").write_text(text)
    result = call(good, bad) if late else call(bad, good)
    assert result.exit_code == 2
    assert str(bad / "results.json") in result.output and said in result.output


def test_what_cannot_be_written_and_unknown_stores_are_named(tmp_path: Path, whole: Results) -> None:
    run = run_folder(tmp_path / "one", whole)
    for option in ("--json", "--html"):
        result = call(run, run, option, tmp_path / "missing" / "file")
        assert result.exit_code == 2
        assert f"choose another file with {option}" in result.output
    result = call(run, run, "--store", "hdsf")
    assert result.exit_code == 2
    assert "no run has a store 'hdsf'" in result.output
