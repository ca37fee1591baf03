"""The formats of build servers: valid, complete, and read as text by whoever acts upon them.

``ci/sarif-2.1.0-rtm.5.json`` is the published schema of SARIF 2.1.0, as the npm package @microsoft/jest-sarif (MIT)
carries it. Markdown is rendered by markdown-it with raw HTML allowed, as GitHub does before it cleans it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from lxml import etree, html
from markdown_it import MarkdownIt

from fsconform.records.results import Divergence, Results, StoreRecord
from fsconform.reports import words
from fsconform.reports.ci import github, sarif
from fsconform.reports.ci.badge import badge
from fsconform.reports.ci.github import workflow_commands
from fsconform.reports.ci.gitlab import code_quality
from fsconform.reports.ci.markdown import AT_MOST, code, fenced, markdown
from fsconform.reports.ci.shared import PLACE
from fsconform.reports.visible import short, visible

SCHEMA = json.loads((Path(__file__).with_name("ci") / "sarif-2.1.0-rtm.5.json").read_bytes())
COMMAND = re.compile(r"^\s*::(\S+?)(?: (.*?))?::(.*)$")
NASTY = (
    "::add-mask::x",
    "a\n::set-output name=x::y",
    "a\r::error::forged",
    "##[add-mask]x",
    "%0A::error::forged",
    "a,title=forged::text",
    "`code` ``more`` ```\n```sh\nrm",
    "a | b \\| c",
    "[click](https://example.org)",
    "![x](https://example.org/x.png)",
    "<b>bold</b> <!-- x --> </details></code>",
    "@somebody #17 www.example.org *a* _b_ ~~c~~",
    "{0} {{x}}",
    "# heading\n- list\n> quote",
)


@pytest.fixture
def nasty(example: Results, attacks: tuple[str, ...]) -> Results:
    """Failing divergences, each with one attack in each of its texts, and stores with attacks of their own."""
    store = example.stores[0]
    first = store.divergences[0]
    shown = [_with(first, attack) for attack in (*NASTY, *attacks)]
    names = [replace(store, name=attack, divergences=shown[:2], problems=[attack]) for attack in (*NASTY, *attacks)]
    return replace(example, stores=[replace(store, divergences=shown, waiver_problems=[*NASTY]), *names])


def _with(one: Divergence, attack: str) -> Divergence:
    step = replace(one.sequence[0], call=attack, observed=attack)
    names = (
        *("signature", "clause", "level", "statement", "expected", "observed", "reproducer", "note"),
        *("waiver", "source", "area", "impact", "basis", "test", "message"),
    )
    texts: dict[str, Any] = dict.fromkeys(names, attack)
    return replace(one, verdict="violation", history=None, sequence=[step], **texts)


# SARIF


def valid(data: bytes) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(data)
    jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(document)
    (run,) = document["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    found: dict[str, Any] = run
    return found


def test_sarif_is_valid_and_has_each_divergence(example: Results) -> None:
    run = valid(sarif.sarif(example))
    every = [(store, one) for store in example.stores for one in store.divergences]
    assert len(run["results"]) == len(every)
    errors = [one for one in run["results"] if one["level"] == "error"]
    assert len(errors) == sum(words.fails(one) for _, one in every) > 0
    assert len({one["partialFingerprints"]["fsconformSignature/v1"] for one in run["results"]}) == len(every)
    asked_by_github = {"id", "shortDescription", "fullDescription", "help"}
    assert all(asked_by_github <= rule.keys() for rule in run["tool"]["driver"]["rules"])
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert sorted(ids) == sorted({one.clause for _, one in every})
    waived = [one for one in run["results"] if one.get("suppressions")]
    assert [one["properties"]["verdict"] for one in waived] == ["waived"]
    assert {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]} == {PLACE}


def test_sarif_suppresses_what_a_baseline_knows(example: Results) -> None:
    store = example.stores[0]
    known = replace(store, divergences=[replace(store.divergences[0], baseline="known")])
    (result,) = valid(sarif.sarif(replace(example, stores=[known])))["results"]
    assert (result["level"], result["suppressions"][0]["justification"]) == ("note", "known by the baseline")


def test_sarif_of_a_store_that_was_not_judged_says_so(example: Results) -> None:
    down = StoreRecord("s3", "s3a://b", 0, 0, 0, 1.0, 0.0, {}, {}, {}, [], problems=["connection refused"])
    (invocation,) = valid(sarif.sarif(replace(example, stores=[down])))["invocations"]
    assert not invocation["executionSuccessful"]
    assert "connection refused" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_sarif_has_no_link_and_no_placeholder_of_a_store(nasty: Results, hostile: Results) -> None:
    for results in (nasty, hostile):
        run = valid(sarif.sarif(results))
        for text in _messages(run):
            assert "](" not in text
            assert not re.search(r"(?<!\{)\{(\{\{)*[0-9]", text), text
            assert all(character.isprintable() or character == "\n" for character in text)


def _messages(value: Any) -> list[str]:
    if isinstance(value, list):
        return [text for one in value for text in _messages(one)]
    if not isinstance(value, dict):
        return []
    own = [value["text"]] if isinstance(value.get("text"), str) else []
    return own + [text for one in value.values() for text in _messages(one)]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda run: run["results"][0].pop("message"),
        lambda run: run["results"][0].update(level="fatal"),
        lambda run: run["tool"]["driver"].pop("name"),
        lambda run: run["results"][0].update(invented=1),
        lambda run: run["results"][0]["locations"][0]["physicalLocation"]["region"].update(startLine=0),
    ],
)
def test_the_schema_refuses_what_is_no_sarif(example: Results, spoil: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads(sarif.sarif(example))
    spoil(document["runs"][0])
    with pytest.raises(jsonschema.ValidationError):
        valid(json.dumps(document).encode())


# GitHub


def commands(output: str) -> list[tuple[str, dict[str, str], str]]:
    """What a runner of GitHub acts upon in a step's output: names, properties and texts."""
    found: list[tuple[str, dict[str, str], str]] = []
    for line in output.replace("\r", "\n").split("\n"):
        if legacy := re.search(r"##\[([a-z-]+)\]", line):
            found.append((legacy[1], {}, ""))
        elif match := COMMAND.match(line):
            pairs = [one.partition("=") for one in (match[2] or "").split(",")]
            found.append((match[1], {name: _unescaped(value) for name, _, value in pairs}, _unescaped(match[3])))
    return found


def _unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


def test_github_annotates_what_fails(example: Results) -> None:
    found = commands(workflow_commands(example).decode())
    errors = [one for one in found if one[0] == "error"]
    failing = [one for store in example.stores for one in store.divergences if words.fails(one)]
    assert len(errors) == len(failing)
    first = words.by_severity(example.stores[0].divergences)[0]
    properties, text = errors[0][1], errors[0][2]
    assert properties["title"] == f"rawlocal: violation: {first.signature}"
    assert (properties["file"], properties["line"]) == (PLACE, "1")
    assert f"clause {first.clause}" in text and first.reproducer in text


def test_github_shows_as_many_as_it_can_and_says_how_many_more(example: Results) -> None:
    store = example.stores[0]
    many = [replace(store.divergences[0], signature=f"s{number}") for number in range(25)]
    found = commands(workflow_commands(replace(example, stores=[replace(store, divergences=many)])).decode())
    assert [name for name, *_ in found].count("error") == github.MOST
    assert "15 more divergences" in found[-1][2]


def test_no_text_of_a_store_is_a_command_of_github(nasty: Results, hostile: Results) -> None:
    for results in (nasty, hostile):
        output = workflow_commands(results).decode()
        found = commands(output)
        assert len(found) == len(output.splitlines()) == output.count("\n")
        assert {name for name, *_ in found} <= {"error", "warning"}
        assert all(properties.keys() == {"file", "line", "title"} for _, properties, _ in found)
        assert all(properties["file"] == PLACE for _, properties, _ in found)


@pytest.mark.parametrize("escaping", ["_data", "_property"])
def test_without_escapes_a_store_gives_commands(nasty: Results, monkeypatch: pytest.MonkeyPatch, escaping: str) -> None:
    monkeypatch.setattr(github, escaping, lambda text: text)
    with pytest.raises(AssertionError):
        test_no_text_of_a_store_is_a_command_of_github(nasty, nasty)


# GitLab


def test_gitlab_has_what_fails_and_deviations(example: Results) -> None:
    rows = json.loads(code_quality(example))
    wanted = [
        one for store in example.stores for one in store.divergences if words.fails(one) or one.verdict == "deviation"
    ]
    assert len(rows) == len(wanted) == len({row["fingerprint"] for row in rows})
    assert {row["severity"] for row in rows} == {"critical", "major", "minor"}
    for row in rows:
        assert row.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert row["location"] == {"path": PLACE, "lines": {"begin": 1}}


def test_gitlab_text_is_plain_and_bounded(nasty: Results) -> None:
    for row in json.loads(code_quality(nasty)):
        assert row["description"].isprintable() and row["check_name"].isprintable()
        assert len(row["description"]) < 3_000


# Markdown

OURS = {"h2", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "p", "code", "details", "summary", "pre"}


def rendered(text: str) -> Any:
    """Markdown as HTML with tables and links, raw HTML as it is."""
    return html.fragment_fromstring(MarkdownIt("gfm-like", {"linkify": False}).render(text), create_parent="div")


def test_markdown_has_stores_and_what_fails_with_its_program(example: Results) -> None:
    page = rendered(markdown(example).decode())
    assert [cell.text_content() for cell in page.xpath("//tbody//td[1]")] == [one.name for one in example.stores]
    failing = [one for store in example.stores for one in store.divergences if words.fails(one)]
    assert len(page.findall(".//details")) == len(failing)
    text = page.text_content()
    assert all(one.signature in text and one.reproducer in text for one in failing)
    assert "2 of 3 stores fail the gate" in text


def test_text_of_a_store_is_text_in_markdown(nasty: Results, hostile: Results) -> None:
    for results in (nasty, hostile):
        text = markdown(results).decode()
        page = rendered(text)
        assert {one.tag for one in page.iter() if isinstance(one.tag, str)} - {"div"} <= OURS
        assert all(set(one.attrib) <= {"class", "style"} for one in page.iter() if isinstance(one.tag, str))
        assert {len(row) for row in page.xpath("//tbody/tr")} == {6}
        assert len(page.xpath("//tbody/tr")) == len(results.stores)
        assert len(page.xpath("//comment()")) == 1
        assert len(page.findall(".//h2")) == 1


def test_each_text_reads_as_it_was(attacks: tuple[str, ...]) -> None:
    for attack in (*NASTY, *attacks):
        (shown,) = rendered(f"| a |\n| --- |\n| {code(attack, 80)} |").xpath("//tbody//code")
        assert shown.text_content() == short(attack, 80)
        (block,) = rendered(fenced(f"x\n{attack}")).findall(".//pre")
        assert block.text_content().splitlines()[0] == "x"


@pytest.mark.parametrize("place", ["code", "fenced"])
def test_without_escapes_a_store_writes_markdown(nasty: Results, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    plain = {"code": lambda text, longest: visible(text, longest), "fenced": lambda text: text}[place]
    monkeypatch.setattr(f"fsconform.reports.ci.markdown.{place}", plain)
    with pytest.raises(AssertionError):
        test_text_of_a_store_is_text_in_markdown(nasty, nasty)


def test_markdown_fits_into_a_comment(example: Results) -> None:
    store = example.stores[0]
    first = store.divergences[0]
    long = [replace(first, signature=f"{number} {'<&|`' * 300}", expected="é" * 9_000) for number in range(30)]
    text = markdown(replace(example, stores=[replace(store, divergences=long)])).decode()
    assert len(text) < AT_MOST + 1_000
    assert "more: the report has them all" in text


# The badge


@pytest.mark.parametrize(("state", "said"), [("fails", "divergence"), ("passes", "passes"), ("none", "inconclusive")])
def test_badge_is_svg_that_says_the_state(example: Results, state: str, said: str) -> None:
    passing = [replace(example.stores[0], divergences=[], verdicts={}, problems=[])]
    stores = {"fails": example.stores, "passes": passing, "none": []}[state]
    root = etree.fromstring(badge(replace(example, stores=stores)))
    assert etree.QName(root).localname == "svg"
    assert said in str(root.get("aria-label"))


def test_badge_has_nothing_of_a_store(nasty: Results, example: Results) -> None:
    root = etree.fromstring(badge(nasty))
    assert {etree.QName(one).localname for one in root.iter()} == {"svg", "title", "rect", "g", "text"}
    assert not any(text in badge(nasty).decode() for text in NASTY)
