"""The findings in records/findings: complete by the evidence, and each is led to by what the stores ship."""

from __future__ import annotations

import re
import runpy
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsconform.adapters.pythonic.store import PACKAGES
from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import every as quirks
from fsconform.adapters.stores.quirks import every_race
from fsconform.engine.histories.known_races import KnownRace
from fsconform.harness.presets import PRESETS
from fsconform.model.core.option import OWN_PREFIX
from fsconform.model.filesystem.contract import OPTIONS
from fsconform.model.filesystem.quirks import Quirk
from fsconform.records import codec, findings
from fsconform.records.findings import Finding, Seen
from fsconform.records.results import IMPACTS, Results
from fsconform.specs.catalogue import catalogue
from fsconform.specs.witness import witnesses

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = (REPOSITORY / "docs" / "findings.md").read_text("utf-8")
TOOL = REPOSITORY / "tools" / "findings.py"
DEFAULT = ("rawlocal", "file", "hdfs", "local", "s3a")
ROWS = tuple(
    row for row in PRESETS.values() if not (row.default or row.draft) and row.name not in (*PACKAGES, "proving")
)
MORE = tuple(row.name for row in ROWS)
BASES = {"webhdfs": "hdfs", "viewfs": "hdfs", "hdfs-ec": "hdfs", "hdfs-encrypted": "hdfs", "s3proxy": "s3a"}
"""What stands below a store, or is its client: what that one declares has its finding there."""
DIFFERENCE = re.compile(r"\| (\w+) \| `([\w-]+)` \| [^|]+ \| [^|]+ \| (true|false) \| ([^|]+) \|")
OWN_ROW = re.compile(r"\| `(fsconform\.[\w-]+)` \| (.+) \|")

KNOWN: tuple[Quirk | KnownRace, ...] = (*quirks(), *every_race())
"""What stores are known to do."""

every_finding = pytest.mark.parametrize("finding", findings.every().values(), ids=lambda finding: finding.id)


def divergences() -> Iterator[tuple[str, Seen]]:
    """All that the runs saw, by store."""
    return ((store, one) for store in findings.stores() for one in findings.evidence(store).seen)


def waivers(store: str) -> list[dict[str, Any]]:
    """The shipped waivers of a store."""
    path = REPOSITORY / "adapters" / "stores" / store.replace("-", "_") / "waivers.toml"
    return tomllib.loads(path.read_text("utf-8")).get("waiver", []) if path.is_file() else []


def own_options(store: str) -> list[str]:
    """The options of our own that a store's contract declares."""
    return [name for name in load_shipped(store).declared if name.startswith(OWN_PREFIX)]


def test_each_divergence_has_one_finding_and_no_finding_names_another() -> None:
    every = findings.every().values()
    members = Counter((store, name) for one in every for store, names in one.signatures.items() for name in names)
    assert members == Counter((store, one.signature) for store, one in divergences())
    assert {one.verdict for _, one in divergences()} == {"waived", "declared", "deviation"}


def test_the_stores_are_those_that_were_run() -> None:
    assert {*findings.stores()} == {*DEFAULT, *MORE, *PACKAGES} & {*findings.stores()}
    assert {*DEFAULT, *MORE} <= {*findings.stores()} == {finding.store for finding in findings.every().values()}


@every_finding
def test_a_finding_says_what_the_evidence_says(finding: Finding) -> None:
    seen = {(store, one.signature): one for store in finding.signatures for one in findings.evidence(store).seen}
    verdicts = {seen[store, name].verdict for store, names in finding.signatures.items() for name in names}
    assert verdicts == ({finding.verdict} if finding.verdict else set())
    assert finding.clauses == tuple(dict.fromkeys(one.clause for one in findings.shown(finding)))
    assert set(finding.clauses) <= set(catalogue())
    assert all(one.program for one in findings.shown(finding))
    assert finding.impact in ("", *IMPACTS)
    assert set(finding.options) <= set(OPTIONS)


@pytest.mark.parametrize(
    "finding", [one for one in findings.every().values() if one.store in DEFAULT], ids=lambda finding: finding.id
)
def test_a_finding_names_the_options_that_declare_it(finding: Finding) -> None:
    for one in findings.shown(finding):
        for choices in one.options:
            pairs = [choice.removeprefix("fs.contract.").split("=") for choice in choices]
            changed = [name for name, value in pairs if value != str(OPTIONS[name].default).lower()]
            assert set(changed or [name for name, _ in pairs]) <= set(finding.options)


@every_finding
def test_a_finding_has_its_words(finding: Finding) -> None:
    """For and against the store; a second way names a method or a text, or says that there is none."""
    texts = [finding.title, finding.observed, finding.case_for, finding.acceptance, finding.second_way]
    assert all(text.strip() for text in texts)
    assert finding.case_against or finding.id == "hdfs-ec/does-not-tell-the-storage-policy-of-an-ancestor"
    if finding.second_way.startswith("none.") and finding.store in DEFAULT:
        assert finding.second_way == ("none. It rests on MinIO alone." if finding.store == "s3a" else "none.")
    elif finding.store in DEFAULT:
        assert "`" in finding.second_way or "POSIX" in finding.second_way


@every_finding
def test_links_of_a_finding_lead_somewhere(finding: Finding) -> None:
    texts = [finding.observed, finding.case_for, finding.case_against, finding.acceptance, finding.second_way]
    for target in re.findall(r"\]\(([^)]+)\)", " ".join(texts)):
        kind, _, rest = target.partition(":")
        known = rest in findings.every() if kind == "finding" else (REPOSITORY / target.partition("#")[0]).is_file()
        assert known or kind == "https", target


@pytest.mark.parametrize("quirk", KNOWN, ids=lambda quirk: quirk.id)
def test_each_quirk_leads_to_the_finding_that_names_it(quirk: Quirk | KnownRace) -> None:
    assert quirk.id in findings.every()[quirk.link].quirks


def test_each_quirk_of_a_finding_leads_to_it() -> None:
    led = {(quirk.link, quirk.id) for quirk in KNOWN}
    assert {(one.id, quirk) for one in findings.every().values() for quirk in one.quirks} == led


def test_no_store_of_the_default_job_has_a_waiver() -> None:
    """What is known of them is modelled by quirks; a waiver accepts whatever looks like it."""
    assert [store for store in DEFAULT if waivers(store)] == []


def test_each_waived_divergence_belongs_where_what_accepts_it_leads() -> None:
    """What a quirk accepts has the quirk's signature, or shows in other calls what the quirk's finding is about."""
    by_signature = {quirk.signature: quirk.link for quirk in KNOWN}
    for store, one in divergences():
        home = findings.homes()[store, one.signature]
        if one.verdict == "waived" and one.signature in by_signature:
            assert home.id == by_signature[one.signature]
        elif one.verdict == "waived" and store in DEFAULT:
            assert home.quirks


@pytest.mark.parametrize("store", [*MORE, *PACKAGES])
def test_each_waiver_leads_to_a_finding(store: str) -> None:
    """Of stores that libraries of Python drive to one of their own, of which it accepts something."""
    for waiver in waivers(store):
        finding = findings.every()[waiver["link"]]
        assert waiver["store"] == store
        if store in PACKAGES:
            pattern = ".*".join(map(re.escape, waiver["signature"].split("*")))
            assert any(re.fullmatch(pattern, one) for one in finding.signatures[store]), waiver


@pytest.mark.parametrize("store", sorted({row.contract or row.name for row in ROWS} - {"hdfs"} | {*PACKAGES}))
def test_own_options_of_further_contracts_have_findings(store: str) -> None:
    if store not in findings.stores() or not findings.evidence(store).seen:
        pytest.skip("no run of it is kept")
    told = (store,) if store in PACKAGES else MORE
    inherited = load_shipped(BASES[store]).declared if store in BASES else {}
    text = " ".join(str(one) for one in findings.every().values() if one.store in told)
    text += " ".join(map(findings.about, told))
    assert [name for name in own_options(store) if f"`{name}`" not in text and name not in inherited] == []


def test_each_own_option_of_a_default_contract_has_its_finding() -> None:
    """What says what a store has may stand in a table of the page instead, what shows only later below it."""
    own = {(store, option) for store in DEFAULT for option in own_options(store)}
    stores = next(re.findall(r"(?<=\| )\w+(?= )", row) for row in PAGE.splitlines() if row.startswith("| option |"))[1:]
    rows = [match for line in PAGE.splitlines() if (match := OWN_ROW.fullmatch(line))]
    tabled = {
        (store, row[1])
        for row in rows
        for store, value in zip(stores, row[2].split(" | "), strict=True)
        if value == "true"
    }
    assert own and [name for _, name in tabled if OPTIONS[name].kind not in ("exact", "informs")] == []
    assert sorted(tabled - own) == []
    named = {(one.store, option) for one in findings.every().values() for option in one.options}
    later = set(re.findall(r"One permission of `(\w+)`, `(fsconform\.[\w-]+)`", PAGE))
    assert sorted(later & named) == [], "in a finding and on the page"
    assert sorted(own - named - tabled - later) == []


def test_each_difference_from_a_contract_of_hadoop_is_what_is_shipped_and_has_its_program() -> None:
    """The value is that of the shipped contract, the witness is one of ours, and a paragraph with a program follows."""
    page = (REPOSITORY / "docs" / "hadoop-contracts.md").read_text("utf-8")
    rows = [match.groups() for line in page.splitlines() if (match := DIFFERENCE.fullmatch(line))]
    names = {one.name for one in witnesses()}
    assert ("s3a", "rejects-seek-past-eof", "false", "a seek beyond the end") in rows
    assert ("s3a", "supports-unbuffer", "false", "unbuffer") in rows
    for store, option, value, witness in rows:
        shipped = load_shipped(store).declared.get(option, OPTIONS[option].default)
        assert (str(shipped).lower(), witness in names) == (value, True), (store, option)
        _, found, text = page.partition(f"\n**{store}: `{option}`.** ")
        assert found and "```text" in text.partition("\n**")[0], (store, option)


@pytest.mark.parametrize("text", ["title = 1", "title = 't'", "what", "id = 'a/b'", "unknown = 1"])
def test_a_file_that_is_no_finding_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "slug.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(findings.FindingError, match="slug"):
        findings.read(path)


# --- tools/findings.py


@pytest.fixture(scope="module")
def tool() -> dict[str, Any]:
    """The names of tools/findings.py, which is no module of a room."""
    return runpy.run_path(str(TOOL))


@pytest.fixture
def example() -> Results:
    """The example of a run's results, which has divergences."""
    return codec.loads(REPOSITORY / "records" / "example.json")


def again(results: Results, seed: int, **changes: Any) -> Results:
    """A run of the same stores with another seed, whose divergences are changed alike."""
    stores = [replace(one, divergences=[replace(d, **changes) for d in one.divergences]) for one in results.stores]
    return replace(results, run=replace(results.run, id=f"run-{seed}", seed=seed), stores=stores)


def test_files_and_page_are_what_the_evidence_gives(tool: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Each signature is placed anew as it stands, and the index is up to date."""
    assert tool["main"](["--check"]) == 0, capsys.readouterr().out


def test_runs_are_put_together(tool: dict[str, Any], example: Results) -> None:
    """A run that is given twice counts once; the smallest program and the worst confirmation are kept."""
    runs = [again(example, 2), again(example, 1, confirmed="0/3"), again(example, 2)]
    found = tool["gather"](runs)
    assert set(found) == {store.name for store in example.stores}
    for store in example.stores:
        assert found[store.name].seeds == (1, 2)
        assert {one.signature for one in found[store.name].seen} == {one.signature for one in store.divergences}
        assert {(one.seeds, one.confirmed) for one in found[store.name].seen} <= {((1, 2), "0/3")}
    store = next(store for store in example.stores if any(len(one.sequence) > 1 for one in store.divergences))
    long = next(one for one in store.divergences if len(one.sequence) > 1)
    short = replace(long, sequence=long.sequence[1:])
    both = [
        replace(again(example, seed), stores=[replace(store, divergences=[one])])
        for seed, one in enumerate((long, short))
    ]
    first, second = (tool["gather"]([one])[store.name] for one in both)
    for found in (tool["gather"](both)[store.name], tool["joined"](first, second), tool["joined"](second, first)):
        [seen] = found.seen
        assert (seen.program, seen.seeds) == (tuple(step.call for step in short.sequence), (0, 1))
    assert tool["without"]({store.name: first}, [f"{store.name}|{long.signature}"])[store.name].seen == ()
    with pytest.raises(tool["EvidenceError"], match="nothing to drop"):
        tool["without"]({store.name: first}, [f"{store.name}|another"])


def test_runs_that_disagree_are_refused(tool: dict[str, Any], example: Results) -> None:
    runs = [again(example, 1), again(example, 2, clause="filesystem.exists")]
    with pytest.raises(tool["EvidenceError"], match="the runs disagree"):
        tool["gather"](runs)


def test_long_names_and_messages_are_cut(tool: dict[str, Any]) -> None:
    assert tool["shortened"](f"create(/{'n' * 256}/f)") == "create(/<n x 256>/f)"
    assert tool["shortened"]("create(/a\nb)") == "create(/a\\nb)"
    assert tool["shortened"](f"create(/{'n' * 31})") == f"create(/{'n' * 31})"


def test_what_has_no_finding_is_printed(
    tool: dict[str, Any], tmp_path: Path, example: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    run = again(example, 1, signature="never seen", verdict="violation")
    run = replace(run, stores=[replace(run.stores[0], divergences=run.stores[0].divergences[:1])])
    (tmp_path / "results.json").write_bytes(codec.dumps(run))
    assert tool["main"](["--check", str(tmp_path)]) == 1
    assert f"no finding: {run.stores[0].name}|violation|never seen" in capsys.readouterr().out
    assert tool["main"]([str(tmp_path / "missing")]) == 1
    assert capsys.readouterr().err.startswith("findings: ")


def test_a_finding_that_no_run_saw_keeps_its_words(tool: dict[str, Any]) -> None:
    finding = next(one for one in findings.every().values() if one.store == "rawlocal")
    text = tool["settled"](finding, {}, {store: findings.evidence(store) for store in findings.stores()})
    kept = tomllib.loads(text)
    assert {"signatures", "clauses"} & set(kept) == set()
    assert (kept["title"], kept["observed"].strip()) == (finding.title, finding.observed.strip())


def test_what_has_its_cause_in_the_base_is_placed_with_it(tool: dict[str, Any]) -> None:
    """A further symptom of what an option of the base declares, or of how it deviates; not if several findings fit."""
    evidence = {store: findings.evidence(store) for store in findings.stores()}

    def below(store: str, verdict: str, *options: str, clause: str = "", last: str = "") -> str:
        one = Seen("never seen", verdict, clause, "", (), ("succeeded", last), (options,) if options else (), (), "")
        return str(tool["cause_below"](store, one, evidence))

    refused = "fs.contract.fsconform.refuses-paths-below-files=true"
    assert below("hdfs-ec", "declared", refused) == "hdfs/refuses-paths-below-a-file"
    assert below("wasb", "declared", refused) == ""
    assert below("hdfs-ec", "waived", refused) == ""
    assert below("hdfs-ec", "declared", "fs.contract.never=true") == ""
    clause, raised = "model.paths.invalid-path-exception", "raised IllegalArgumentException"
    found = below("viewfs", "deviation", clause=clause, last=raised)
    assert found == "hdfs/refuses-a-name-with-a-colon-by-an-illegalargumentexception"
    assert below("viewfs", "deviation", clause=clause, last="raised OutOfMemoryError") == ""
    assert below("viewfs", "deviation", clause="introduction.failures.no-runtime-exception", last=raised) == ""


def test_a_signature_that_no_run_has_shown_yet_has_no_evidence_and_ends_no_report() -> None:
    finding = next(one for one in findings.every().values() if findings.shown(one))
    names = {**finding.signatures, finding.store: (*finding.signatures[finding.store], "new")}
    newer = replace(finding, signatures=names)
    assert findings.shown(newer) == findings.shown(finding)
