"""`fsconform waive`: narrow waivers from a run into a file that otherwise stays, and a run that uses them."""

from __future__ import annotations

import datetime
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fsconform.app.main import main
from fsconform.engine.waivers import WaiverError, load
from fsconform.harness import waiving
from fsconform.records.codec import dumps, loads
from fsconform.records.results import FAILING, Divergence, Results

EXAMPLE = Path(__file__).resolve().parents[2] / "records" / "example.json"
TERMS = ("--reason", "accepted for now", "--link", "https://example.org/1")
MINE = """\
# what we accept, and why

[[waiver]]  # the first
store    = "rawlocal"   # spacing stays
signature = "something else"
reason = "r"
link = "l"
expires = 2099-01-01

# the end
"""


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["waive", *map(str, arguments)])


@pytest.fixture
def whole() -> Results:
    return loads(EXAMPLE)


@pytest.fixture
def run(tmp_path: Path, whole: Results) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "results.json").write_bytes(dumps(whole))
    return folder


def failing(results: Results) -> list[tuple[str, Divergence]]:
    return [(store.name, one) for store in results.stores for one in store.divergences if one.verdict in FAILING]


def test_one_signature_is_waived_and_the_file_stays_as_it_is(tmp_path: Path, run: Path, whole: Results) -> None:
    file = tmp_path / "waivers.toml"
    file.write_text(MINE)
    store, one = failing(whole)[0]
    result = call(one.signature, run, "--waivers", file, *TERMS, "--store", store, "--expires", "2098-02-03")
    assert result.exit_code == 0, result.output
    assert file.read_text().startswith(MINE)
    new = load(file)[1]
    assert (new.store, new.signature, new.clauses, new.names) == (store, one.signature, (one.clause,), "")
    assert (new.reason, new.link, new.expires) == (TERMS[1], TERMS[3], datetime.date(2098, 2, 3))
    before = file.read_bytes()
    again = call(one.signature, run, "--waivers", file, *TERMS, "--store", store)
    assert again.exit_code == 0 and "there already" in again.output and file.read_bytes() == before


def test_all_waives_each_that_fails_and_no_other(tmp_path: Path, run: Path, whole: Results) -> None:
    file = tmp_path / "waivers.toml"
    assert call("--all", run, "--waivers", file, *TERMS).exit_code == 0
    assert [(one.store, one.signature) for one in load(file)] == [
        (store, one.signature) for store, one in failing(whole)
    ]
    assert all("*" not in one.signature and len(one.clauses) == 1 and not one.optional for one in load(file))
    assert {one.expires for one in load(file)} != {datetime.date.today()}


def test_an_expired_waiver_that_says_the_same_is_renewed_in_its_place(tmp_path: Path, run: Path) -> None:
    file = tmp_path / "waivers.toml"
    assert call("--all", run, "--waivers", file, *TERMS).exit_code == 0
    first, *others = load(file)
    old = file.read_text().replace(f"expires = {first.expires}", "expires = 2001-01-01", 1)
    file.write_text(old)
    result = call("--all", run, "--waivers", file, *TERMS)
    assert "1 renewed" in " ".join(result.output.split())
    assert load(file) == (first, *others)


def test_hostile_signatures_are_read_back_as_they_were(
    tmp_path: Path, whole: Results, attacks: tuple[str, ...]
) -> None:
    store = whole.stores[0]
    shown = [
        replace(store.divergences[0], signature=f"rename {text}", verdict="violation", clause=text) for text in attacks
    ]
    results = loads(_written(tmp_path / "results.json", replace(whole, stores=[replace(store, divergences=shown)])))
    file = tmp_path / "waivers.toml"
    result = call("--all", tmp_path / "results.json", "--waivers", file, *TERMS)
    assert result.exit_code == 0, result.output
    assert [one.signature for one in load(file)] == [one.signature for one in results.stores[0].divergences]
    assert all(character.isprintable() or character == "\n" for character in result.output)


def _written(file: Path, results: Results) -> Path:
    file.write_bytes(dumps(results))
    return file


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name each SIGNATURE before the RUN, or give --all"),
        (("--all", "x"), "name each SIGNATURE before the RUN, or give --all"),
        (("renam (source missing)",), "no store of the run fails by the signature"),
        (("--all", "--expires", "2001-01-01"), "is past: name a day to come"),
        (("--all", "--reason", " "), "say why it is accepted"),
        (("--all", "--store", "rawlocl"), "has no store 'rawlocl'"),
    ],
)
def test_what_can_not_be_waived_is_named(tmp_path: Path, run: Path, arguments: tuple[str, ...], said: str) -> None:
    file = tmp_path / "w.toml"
    options = [one for one in arguments if one.startswith("--") or one[:1] in (" ", "2") or one == "rawlocl"]
    names = [one for one in arguments if one not in options]
    result = call(*names, run, "--waivers", file, *TERMS, *options)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert not file.exists()


def test_a_close_signature_is_named_and_what_does_not_fail_is_said_so(run: Path, whole: Results) -> None:
    _, one = failing(whole)[0]
    result = call(one.signature[:-1], run, "--waivers", run / "w.toml", *TERMS)
    assert one.signature in " ".join(result.output.split())
    passing = [
        each.signature for store in whole.stores for each in store.divergences if each.verdict in ("waived", "declared")
    ]
    fine = next(signature for signature in passing if signature not in {one.signature for _, one in failing(whole)})
    result = call(fine, run, "--waivers", run / "w.toml", *TERMS)
    assert result.exit_code == 2 and "it needs no waiver" in " ".join(result.output.split())


@pytest.mark.parametrize("text", ["waiver = [", 'waiver = [{store = "a"}]', "[other]", "[[waiver]]\nstore = 1"])
def test_a_file_that_can_not_be_used_is_named_and_left_alone(tmp_path: Path, run: Path, text: str) -> None:
    file = tmp_path / "w.toml"
    file.write_text(text)
    result = call("--all", run, "--waivers", file, *TERMS)
    assert result.exit_code == 2 and "w.toml" in result.output
    assert file.read_text() == text


def test_waivers_in_a_list_are_refused_in_words(tmp_path: Path, whole: Results) -> None:
    text = 'waiver = [{store = "a", signature = "s", reason = "r", link = "l", expires = 2099-01-01}]'
    day = datetime.date(2099, 1, 1)
    wanted = waiving.wanted(whole, (), (), True, waiving.Terms("r", "l", day))
    with pytest.raises(WaiverError, match=r"under \[\[waiver\]\]"):
        waiving.added(text, tmp_path / "w.toml", wanted, day)


def test_a_run_passes_with_what_was_waived_of_it(tmp_path: Path) -> None:
    narrow = ("run", "--store", "proving", "--suite", "delete", "--explorer", "witnesses", "--budget", "0")
    fault = (*narrow, "--fault", "delete-non-empty", "--out", str(tmp_path / "out"))
    first = CliRunner().invoke(main, fault)
    assert first.exit_code == 1, first.output
    file = tmp_path / "waivers.toml"
    assert call("--all", tmp_path / "out" / "latest", "--waivers", file, *TERMS).exit_code == 0
    again = CliRunner().invoke(main, [*fault, "--waivers", str(file)])
    assert again.exit_code == 0, again.output
    (store,) = json.loads((tmp_path / "out" / "latest" / "results.json").read_bytes())["stores"]
    assert "waived" in {one["verdict"] for one in store["divergences"]}
