"""Numbers and words that reports share, and text made visible."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconform.records.gate import DIVERGENCES, INCONCLUSIVE, OK, of_stores
from fsconform.records.results import FAILING, VERDICTS, Results
from fsconform.reports import visible, words


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        (0, "0.00 s"),
        (9.994, "9.99 s"),
        (9.996, "10.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 0 s"),
        (192.4, "3 min 12 s"),
        (3599.7, "1 h 00 min"),
        (3900, "1 h 05 min"),
    ],
)
def test_duration(seconds: float, says: str) -> None:
    assert words.duration(seconds) == says


@pytest.mark.parametrize(
    ("microseconds", "says"),
    [(21.34, "0.0213"), (213.4, "0.213"), (4210, "4.21"), (42_100, "42.1"), (1_230_000, "1,230"), (0, "0.0000")],
)
def test_milliseconds(microseconds: float, says: str) -> None:
    assert words.milliseconds(microseconds) == says


@pytest.mark.parametrize(
    ("confirmed", "says", "flaky"),
    [
        ("3/3", "confirmed in 3 of 3 replays", False),
        ("1/3", "confirmed in 1 of 3 replays", True),
        ("0/3", "confirmed in 0 of 3 replays", True),
        ("", "not confirmed by a replay", False),
        ("later", "replays: later", False),
    ],
)
def test_confirmation(confirmed: str, says: str, flaky: bool) -> None:
    assert words.confirmation(confirmed) == (says, flaky)


def test_gate(example: Results) -> None:
    """Fails, or inconclusive, or passes; and what fails is not hidden by what is inconclusive."""
    store = replace(example.stores[2], divergences=[], verdicts={"declared": 1}, problems=[])
    assert words.gate(store) == words.Gate("passes", ())
    assert words.gate(replace(store, problems=["down"])) == words.Gate("inconclusive", ("down",))
    assert words.gate(replace(store, clauses={})).state == "inconclusive"
    assert words.gate(replace(store, waiver_problems=["w"])).state == "fails"
    for verdict in FAILING:
        assert words.gate(replace(store, verdicts={verdict: 2}, problems=["down"])) == words.Gate(
            "fails", (f"2 {verdict}",)
        )


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize(
    "changes",
    [{}, {"problems": ["down"]}, {"waiver_problems": ["w"]}, {"clauses": {}}, {"operations": 0}],
    ids=["sound", "problem", "waiver", "no clause", "no operation"],
)
def test_gate_and_exit_code_agree(example: Results, changes: dict[str, Any], verdict: str, count: int) -> None:
    """What the report says of a store is what the command would end with if it were the only one."""
    store = replace(example.stores[2], divergences=[], verdicts={verdict: count}, problems=[])
    store = replace(store, **changes)
    code = {"passes": OK, "fails": DIVERGENCES, "inconclusive": INCONCLUSIVE}[words.gate(store).state]
    assert of_stores([store], 1) == code


def test_inconclusive_divergence_alone_is_no_pass(example: Results) -> None:
    """Beside a problem it is told too."""
    store = replace(example.stores[2], divergences=[], verdicts={"inconclusive": 2}, problems=[])
    assert words.gate(store) == words.Gate("inconclusive", ("2 inconclusive",))
    assert words.gate(replace(store, problems=["down"])).reasons == ("down", "2 inconclusive")


def test_counts_are_never_fewer_than_the_divergences(example: Results) -> None:
    """A record whose counts were forgotten must not look sound."""
    store = replace(example.stores[1], verdicts={})
    assert words.verdict_counts(store) == words.verdict_counts(example.stores[1])
    assert words.gate(store).state == "fails"


def test_severity_starts_with_what_fails() -> None:
    assert words.SEVERITY[:3] == FAILING
    assert words.rank("never heard of") < words.rank("violation")


@given(st.text())
def test_visible_text_is_printable(text: str) -> None:
    out = visible.visible(text)
    assert out.isprintable()
    assert out.isascii() or not text.isascii()
    assert lxml.html.fragment_fromstring(f"<p>|{visible.shown(text)}</p>").text_content() == f"|{out}"


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert visible.visible(text) == text


@given(st.lists(st.text(max_size=5), max_size=8))
def test_page_names_are_distinct_and_plain(names: list[str]) -> None:
    pages = visible.page_names(names)
    assert len({page.lower() for page in pages} | {"index.html"}) == len(names) + 1
    assert all(page.isascii() and page[0].isalnum() | (page[0] == "_") and "/" not in page for page in pages)


def test_forms_of_one_letter_can_be_told_apart() -> None:
    assert visible.visible("\u00e9") == "\u00e9"
    assert visible.visible("e\u0301") == "e\\u0301"
    assert visible.visible("a\u00a0b ") == "a\\u00a0b "


def test_long_text_is_cut_with_a_note() -> None:
    assert visible.visible("x" * 12, 10) == "x" * 10 + " [… 2 more characters, not shown]"
    assert visible.visible("x" * 10, 10) == "x" * 10


def plain(html: str) -> str:
    """The text of some HTML."""
    return str(lxml.html.fragment_fromstring(f"<p>|{html}</p>").text_content())[1:]


@given(st.text())
def test_brief_text_is_visible_text(text: str) -> None:
    """Where nothing stands many times in a row and nothing is too long."""
    assert plain(visible.brief(text)) == visible.visible(text)


@given(st.text(), st.characters(), st.integers(visible.LONGEST_RUN, 500), st.integers(0, 300))
def test_brief_text_is_printable_and_short(text: str, character: str, count: int, longest: int) -> None:
    out = plain(visible.brief(text + character * count + text, longest))
    assert out.isprintable()
    assert len(out) <= 10 * longest + 80


def test_runs_of_one_character_are_counted() -> None:
    assert plain(visible.brief("/" + "n" * 255 + "/a")) == "/n × 255/a"  # noqa: RUF001
    assert plain(visible.brief("n" * (visible.LONGEST_RUN - 1))) == "n" * (visible.LONGEST_RUN - 1)
    assert plain(visible.brief("a\0" + "\0" * 1_000_000 + "b")) == "a\\u0000 × 1,000,001b"  # noqa: RUF001
    assert 'class="esc run"' in visible.brief("n" * 255)
    assert plain(visible.brief("ab" * 100 + "n" * 90, 10)) == "ab" * 5 + " [… 280 more characters, not shown]"
    assert plain(visible.brief("n" * 90 + "abc", 7)) == "n × 90 [… 2 more characters, not shown]".replace(  # noqa: RUF001
        "90 [", "90a ["
    )


def test_labels_are_short_and_visible() -> None:
    assert visible.short("getFileStatus", 13) == "getFileStatus"
    assert visible.short("getFileStatus", 8) == "getFile…"
    assert visible.short("a\u202eb", 30) == "a\\u202eb"
    assert visible.short("\0" * 1000, 9) == "\\u0000\\u…"


@pytest.mark.parametrize(
    ("part", "whole", "says"), [(1, 3, "33 %"), (3, 3, "100 %"), (0, 3, ""), (1, 0, ""), (0.001, 3, "0 %")]
)
def test_share(part: float, whole: float, says: str) -> None:
    """Nothing is said of a part that was not measured."""
    assert words.share(part, whole) == says


@pytest.mark.parametrize(
    ("states", "says"),
    [
        ([], "No store was judged"),
        (["passes"], "The store passes the gate"),
        (["passes", "passes"], "All 2 stores pass the gate"),
        (["fails", "inconclusive"], "1 of 2 stores fails the gate"),
        (["fails", "fails", "passes"], "2 of 3 stores fail the gate"),
        (["inconclusive", "passes"], "1 of 2 stores could not be judged in full"),
    ],
)
def test_gates(states: list[str], says: str) -> None:
    """One store that fails is not hidden by others that pass."""
    assert words.gates([words.Gate(state, ()) for state in states]) == says


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("replays/a b#1?.json", "../replays/a%20b%231%3F.json"),
        ("replays/ü%2f.json", "../replays/%C3%BC%252f.json"),
        ("javascript:alert(1)", ""),
        ("logs/x", ""),
        ("../secret", ""),
        ("replays/../../x", ""),
        ("/etc/passwd", ""),
        ("//host/x", ""),
        ("a\\..\\b", ""),
        ("a\nb", ""),
        ("", ""),
    ],
)
def test_links_stay_in_the_folder_of_the_run(path: str, link: str) -> None:
    assert visible.relative_link(path) == link


@pytest.mark.parametrize(
    ("microseconds", "digits", "says"),
    [
        (0, 3, "0"),
        (0.0004, 3, "0"),
        (0.25, 3, "0.25 µs"),
        (41.04, 3, "41 µs"),
        (999.6, 3, "1 ms"),
        (999.6, 6, "999.6 µs"),
        (-2413, 3, "-2.41 ms"),
        (1_250_100, 3, "1.25 s"),
        (1_250_100, 6, "1.2501 s"),
        (640_210, 6, "640.21 ms"),
        (3.6e9, 3, "3,600 s"),
    ],
)
def test_moments_have_units(microseconds: float, digits: int, says: str) -> None:
    """And so many digits that count."""
    assert words.moment(microseconds, digits) == says
