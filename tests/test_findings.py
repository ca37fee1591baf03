"""docs/findings.md holds what the runs saw: no divergence without its section, no section without its divergence."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import every
from fsconform.model.core.option import OWN_PREFIX
from fsconform.model.filesystem.contract import OPTIONS
from fsconform.model.filesystem.quirks import Quirk
from fsconform.records import codec
from fsconform.records.results import Results
from fsconform.specs.catalogue import catalogue
from fsconform.specs.witness import witnesses

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = "docs/findings.md"
TOOL = REPOSITORY / "tools" / "findings.py"
SIGNATURE = re.compile(r"Signature: `([^`]+)`")
CLAUSE = re.compile(r"Clause: `([^`]+)` \(([A-Z ]+)\), (\S+), (.+)")
ROW = re.compile(r"\| (\S+) \| \[(.+)\]\(#(\S+)\) \| (\S+) \| (\d+) \|")
DIFFERENCE = re.compile(r"\| (\w+) \| `([\w-]+)` \| [^|]+ \| [^|]+ \| (true|false) \| ([^|]+) \|")
OWN_ROW = re.compile(r"\| `(fsconform\.[\w-]+)` \| (.+) \|")


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page: one cause in one store. ``programs`` are its code blocks, one for each signature."""

    store: str
    title: str
    signatures: tuple[str, ...]
    verdict: str
    clauses: tuple[tuple[str, ...], ...]
    programs: tuple[tuple[str, ...], ...]
    text: str


def anchor(title: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@cache
def page() -> str:
    """The page, without which no test here can run."""
    return (REPOSITORY / PAGE).read_text("utf-8")


@cache
def sections() -> tuple[Section, ...]:
    """The sections of the page, in its order."""
    found = []
    for part in re.split(r"^## ", page(), flags=re.MULTILINE)[1:]:
        store, *bodies = re.split(r"^### ", part, flags=re.MULTILINE)
        for body in bodies:
            title, first, *_ = body.splitlines()
            assert SIGNATURE.fullmatch(first), f"{title}: the line below the heading names no signature"
            lines = body.splitlines()
            verdicts = [line.removeprefix("Verdict: ") for line in lines if line.startswith("Verdict: ")]
            assert len(verdicts) == 1, title
            blocks = re.findall(r"^```text\n(.*?)\n```$", body, re.MULTILINE | re.DOTALL)
            signatures = tuple(match[1] for line in lines if (match := SIGNATURE.fullmatch(line)))
            clauses = tuple(match.groups() for line in lines if (match := CLAUSE.fullmatch(line)))
            programs = tuple(tuple(block.splitlines()) for block in blocks)
            found.append(Section(store.strip(), title, signatures, verdicts[0], clauses, programs, body))
    return tuple(found)


@cache
def evidence() -> dict[tuple[str, str], dict[str, Any]]:
    """What the runs saw, by store and signature."""
    content = json.loads((REPOSITORY / "docs" / "findings-evidence.json").read_text("utf-8"))
    return {(store, one["signature"]): one for store, seen in content["stores"].items() for one in seen}


@cache
def waivers() -> tuple[dict[str, Any], ...]:
    """All waivers that are shipped for the stores that the page tells of."""
    folder = REPOSITORY / "adapters" / "stores"
    tables = [tomllib.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*/waivers.toml"))]
    told = {store for store, _ in evidence()}
    return tuple(waiver for table in tables for waiver in table.get("waiver", []) if waiver["store"] in told)


def accepts(waiver: dict[str, Any], signature: str) -> bool:
    """Whether the signature fits the waiver's, in which a star stands for any text."""
    return re.fullmatch(".*".join(map(re.escape, waiver["signature"].split("*"))), signature) is not None


def test_each_divergence_has_one_section_and_no_section_is_without() -> None:
    written = Counter((section.store, signature) for section in sections() for signature in section.signatures)
    assert evidence(), "no evidence"
    assert sorted(set(evidence()) - set(written)) == []
    assert sorted(set(written) - set(evidence())) == []
    assert [pair for pair, times in written.items() if times > 1] == []


@pytest.mark.parametrize("section", sections(), ids=lambda section: anchor(section.title))
def test_section_tells_what_the_evidence_says(section: Section) -> None:
    seen = [evidence()[section.store, signature] for signature in section.signatures]
    clauses = [catalogue()[name] for name in dict.fromkeys(one["clause"] for one in seen)]
    assert {one["verdict"] for one in seen} == {section.verdict}
    assert list(section.clauses) == [(one.id, one.level, one.document, one.section) for one in clauses]
    assert list(section.programs) == [tuple(one["program"]) for one in seen]
    for start in ("Observed: ", "For the store", ("Declared: ", "Accepted: by the quirk")):
        assert any(line.startswith(start) for line in section.text.splitlines()), f"{section.title}: no {start!r}"
    assert "Against it: " in " ".join(section.text.split())


@pytest.mark.parametrize("section", sections(), ids=lambda section: anchor(section.title))
def test_section_names_the_options_that_declare_it(section: Section) -> None:
    for signature in section.signatures:
        for choices in evidence()[section.store, signature]["options"]:
            pairs = [choice.removeprefix("fs.contract.").split("=") for choice in choices]
            changed = [name for name, value in pairs if value != str(OPTIONS[name].default).lower()]
            told = changed or [name for name, _ in pairs]
            assert told
            assert [name for name in told if f"`{name}`" not in section.text] == []


@pytest.mark.parametrize("section", sections(), ids=lambda section: anchor(section.title))
def test_section_says_in_which_second_way_it_is_confirmed(section: Section) -> None:
    """It names a method or a text, or says that there is none; of S3A also that then it rests on MinIO alone."""
    told = re.findall(r"^Second way: (.*?)(?=\n\n|\n*\Z)", section.text, re.MULTILINE | re.DOTALL)
    assert len(told) == 1, section.title
    way = " ".join(told[0].split())
    if way.startswith("none."):
        assert way == ("none. It rests on MinIO alone." if section.store == "s3a" else "none.")
    else:
        assert "`" in way or "POSIX" in way


def test_table_lists_the_sections() -> None:
    rows = [ROW.fullmatch(line) for line in page().splitlines() if line.startswith("| ") and "](#" in line]
    listed = [row.groups() for row in rows if row]
    assert len(listed) == len(rows)
    assert listed == [
        (section.store, section.title, anchor(section.title), section.verdict, str(len(section.signatures)))
        for section in sections()
    ]


def test_headings_have_anchors_of_their_own() -> None:
    anchors = [anchor(section.title) for section in sections()]
    assert [name for name, times in Counter(anchors).items() if times > 1] == []


def test_no_store_of_the_default_job_has_a_waiver() -> None:
    """What is known of them is modelled by quirks; a waiver accepts whatever looks like it."""
    assert waivers() == ()


def test_each_waived_divergence_is_told_where_its_waiver_leads() -> None:
    """A quirk leads to the section that names it.

    Of a waiver with names the signature alone is looked at: long names are shortened in the evidence.

    What no waiver accepts by its signature is waived for its cause: it stands where a waiver of its store leads. What a
    quirk accepts has the quirk's signature.
    """
    quirks = {one.signature: one.link.partition("#")[2] for one in every()}
    told = {(one.store, signature): anchor(one.title) for one in sections() for signature in one.signatures}
    quirky = {quirk.link.partition("#")[2] for quirk in every()}
    for (store, signature), one in evidence().items():
        own = [waiver for waiver in waivers() if waiver["store"] == store]
        accepting = [waiver for waiver in own if accepts(waiver, signature)] or own
        if one["verdict"] == "waived" and signature in quirks:
            assert told[store, signature] == quirks[signature]
        elif one["verdict"] == "waived" and told[store, signature] not in quirky:
            assert told[store, signature] in {waiver["link"].partition("#")[2] for waiver in accepting}, signature


def test_each_own_option_of_a_contract_has_its_section() -> None:
    """What says what a store has may stand in a table of the head instead, what shows only later below it."""
    own = {
        (store, option)
        for store in sorted({store for store, _ in evidence()})
        for option in load_shipped(store).declared
        if option.startswith(OWN_PREFIX)
    }
    assert own, "no contract declares an option of our own"
    head = page().partition("\n## ")[0]
    stores = next(re.findall(r"(?<=\| )\w+(?= )", row) for row in head.splitlines() if row.startswith("| option |"))[1:]
    rows = [OWN_ROW.fullmatch(line) for line in head.splitlines()]
    tabled = {
        (store, row[1])
        for row in rows
        if row
        for store, value in zip(stores, row[2].split(" | "), strict=True)
        if value == "true"
    }
    assert [name for _, name in tabled if OPTIONS[name].kind != "exact"] == []
    assert sorted(tabled - own) == []
    named = {(one.store, option) for one in sections() for _, option in own if f"`{option}`" in one.text}
    later = set(re.findall(r"One permission of `(\w+)`, `(fsconform\.[\w-]+)`", head))
    assert sorted(later & named) == [], "told in a section and in the head"
    assert sorted(own - named - tabled - later) == []


def test_each_difference_from_a_contract_of_hadoop_is_what_is_shipped_and_has_its_program() -> None:
    """The value is that of the shipped contract, the witness is one of ours, and a paragraph with a program follows."""
    rows = [match.groups() for line in page().splitlines() if (match := DIFFERENCE.fullmatch(line))]
    names = {one.name for one in witnesses()}
    assert ("s3a", "rejects-seek-past-eof", "false", "a seek beyond the end") in rows
    assert ("s3a", "supports-unbuffer", "false", "unbuffer") in rows
    for store, option, value, witness in rows:
        shipped = load_shipped(store).declared.get(option, OPTIONS[option].default)
        assert (str(shipped).lower(), witness in names) == (value, True), (store, option)
        _, found, text = page().partition(f"\n**{store}: `{option}`.** ")
        assert found and "```text" in text.partition("\n**")[0], (store, option)


@pytest.fixture(scope="module")
def tool() -> dict[str, Any]:
    """The names of tools/findings.py, which is no module of a room."""
    return runpy.run_path(str(TOOL))


@pytest.fixture
def example() -> Results:
    """The example of a run's results, which has divergences."""
    results = codec.loads(REPOSITORY / "records" / "example.json")
    assert any(store.divergences for store in results.stores)
    return results


def again(results: Results, seed: int, clause: str = "") -> Results:
    """The same results as of another run, if wanted with another clause for each divergence."""
    stores = [
        replace(store, divergences=[replace(one, clause=clause or one.clause) for one in store.divergences])
        for store in results.stores
    ]
    return replace(results, run=replace(results.run, id=f"run-{seed}", seed=seed), stores=stores)


def test_evidence_does_not_depend_on_the_order_of_runs(tool: dict[str, Any], example: Results) -> None:
    runs = [again(example, seed) for seed in (5, 1, 3)]
    text = tool["dumps"](tool["gather"](runs))
    assert tool["dumps"](tool["gather"](reversed(runs))) == text
    assert tool["dumps"](tool["gather"]([*runs, *runs])) == text
    told = [one for seen in json.loads(text)["stores"].values() for one in seen]
    assert len(told) == sum(len(store.divergences) for store in example.stores)
    assert all(one["seeds"] == [1, 3, 5] for one in told)


def test_evidence_names_only_the_runs_that_saw_it(tool: dict[str, Any], example: Results) -> None:
    clean = again(example, 2)
    clean = replace(clean, stores=[replace(store, divergences=[]) for store in clean.stores])
    gathered = tool["gather"]([again(example, 1), clean])
    assert gathered.seeds == [1, 2]
    assert {tuple(one.seeds) for seen in gathered.stores.values() for one in seen} == {(1,)}


def test_evidence_keeps_the_smallest_program_and_the_worst_confirmation(tool: dict[str, Any], example: Results) -> None:
    store = next(store for store in example.stores if any(len(one.sequence) > 1 for one in store.divergences))
    long = next(one for one in store.divergences if len(one.sequence) > 1)
    short = replace(long, sequence=long.sequence[1:], confirmed="1/3")
    runs = [
        replace(again(example, seed), stores=[replace(store, divergences=[one])])
        for seed, one in enumerate((replace(long, confirmed="3/3"), short))
    ]
    [seen] = tool["gather"](runs).stores[store.name]
    assert seen.program == [step.call for step in short.sequence]
    assert seen.confirmed == "1/3"


def test_runs_that_disagree_are_refused(tool: dict[str, Any], example: Results) -> None:
    runs = [again(example, 1), again(example, 2, clause="filesystem.exists")]
    with pytest.raises(tool["EvidenceError"], match="the runs disagree"):
        tool["gather"](runs)


def test_long_names_and_messages_are_cut(tool: dict[str, Any]) -> None:
    assert tool["shortened"](f"create(/{'n' * 256}/f)") == "create(/<n x 256>/f)"
    assert tool["shortened"]("create(/a\nb)") == "create(/a\\nb)"
    assert tool["shortened"](f"create(/{'n' * 31})") == f"create(/{'n' * 31})"


def test_command_line_writes_and_compares(tmp_path: Path, example: Results) -> None:
    for seed in (1, 2):
        (tmp_path / str(seed)).mkdir()
        (tmp_path / str(seed) / "results.json").write_bytes(codec.dumps(again(example, seed)))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(TOOL), "--out", "evidence.json", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    assert run("1", "2").returncode == 0
    assert json.loads((tmp_path / "evidence.json").read_text("utf-8"))["seeds"] == [1, 2]
    assert run("--check", "2", "1").returncode == 0
    assert run("--check", "1").returncode == 1
    missing = run("3")
    assert (missing.returncode, missing.stderr.startswith("findings: ")) == (1, True)


def test_a_section_that_no_run_saw_stays_and_is_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool = runpy.run_path(str(REPOSITORY / "tools" / "findings_page.py"))
    first = sections()[0]
    section = f"### {first.store} does what no run saw\nObserved: it does.\n\nDeclared: nothing.\n\n"
    before = (REPOSITORY / PAGE).read_text("utf-8")
    heading = f"### {first.title}\n"
    copy = tmp_path / "page.md"
    copy.write_text(before.replace(heading, section + heading, 1), "utf-8")
    given = ["--page", str(copy)]
    for _ in range(2):
        assert tool["main"](given) == 1
        assert f"seen by no run: {first.store} does what no run saw" in capsys.readouterr().out
        assert section in copy.read_text("utf-8")
    assert f"(#{first.store}-does-what-no-run-saw)" not in copy.read_text("utf-8")
    copy.write_text(copy.read_text("utf-8").replace(section, ""), "utf-8")
    assert tool["main"](given) == 0
    assert copy.read_text("utf-8") == before


def test_a_section_whose_divergences_are_seen_no_more_keeps_what_was_written(tmp_path: Path) -> None:
    tool = runpy.run_path(str(REPOSITORY / "tools" / "findings_page.py"))
    first = sections()[0]
    kept = json.loads((REPOSITORY / "docs" / "findings-evidence.json").read_text("utf-8"))
    seen = kept["stores"][first.store]
    kept["stores"][first.store] = [one for one in seen if one["signature"] not in first.signatures]
    copy, evidence_of_later = tmp_path / "page.md", tmp_path / "evidence.json"
    copy.write_text((REPOSITORY / PAGE).read_text("utf-8"), "utf-8")
    evidence_of_later.write_text(json.dumps(kept), "utf-8")
    assert tool["main"](["--page", str(copy), "--evidence", str(evidence_of_later)]) == 1
    text = copy.read_text("utf-8")
    assert f"### {first.title}\nObserved: " in text
    assert text[text.index(f"### {first.title}\n") :].partition("\n## ")[0].count(first.signatures[0]) == 0


@pytest.mark.parametrize("quirk", every(), ids=lambda quirk: quirk.id)
def test_each_quirk_leads_to_a_section_that_names_it(quirk: Quirk) -> None:
    file, _, place = quirk.link.partition("#")
    text = (REPOSITORY / file).read_text("utf-8")
    bodies = {anchor(body.splitlines()[0]): body for body in re.split(r"^### ", text, flags=re.MULTILINE)[1:]}
    assert place in bodies
    assert f"`{quirk.id}`" in bodies[place]
