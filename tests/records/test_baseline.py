"""A run held against its baseline: what both have is known and passes, what only the later one has fails."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from fsconform.records import codec, gate
from fsconform.records.baseline import Baseline
from fsconform.records.comparison import ComparisonError
from fsconform.records.results import FAILING, Divergence, Results, StoreRecord
from fsconform.reports.junit import junit_xml
from fsconform.reports.text import summary

EXAMPLE = Path(__file__).resolve().parents[2] / "records" / "example.json"


@pytest.fixture
def whole() -> Results:
    return codec.loads(EXAMPLE)


@pytest.fixture
def one(whole: Results) -> Divergence:
    """A violation."""
    return replace(whole.stores[0].divergences[0], verdict="violation", cause="", impact="wrong answer")


def store_with(whole: Results, *divergences: Divergence, waiver_problems: tuple[str, ...] = ()) -> StoreRecord:
    return replace(
        whole.stores[0],
        divergences=list(divergences),
        verdicts={},
        problems=[],
        waiver_problems=list(waiver_problems),
        internal_errors=[],
    )


def judged(whole: Results, before: StoreRecord, after: StoreRecord) -> StoreRecord:
    """The later record, held against the earlier one after that was written and read."""
    earlier = codec.loads(codec.dumps(replace(whole, stores=[before])))
    return Baseline("base", earlier).marked(after)


def test_what_both_have_passes_and_what_is_new_fails(whole: Results, one: Divergence) -> None:
    other = replace(one, signature="another")
    found = judged(whole, store_with(whole, one), store_with(whole, one, other))
    assert [each.baseline for each in found.divergences] == ["known", "new"]
    assert gate.standing(found).failing == ("1 new violation",)
    assert gate.of_stores([judged(whole, store_with(whole, one), store_with(whole, one))]) == 0
    assert gate.of_stores([store_with(whole, one)]) == 1


def test_counts_that_list_no_divergence_still_fail(whole: Results, one: Divergence) -> None:
    after = replace(store_with(whole, one), verdicts={"violation": 2})
    assert gate.standing(judged(whole, store_with(whole, one), after)).failing == ("1 new violation",)


def test_a_new_deviation_fails_only_with_a_baseline(whole: Results, one: Divergence) -> None:
    deviation = replace(one, verdict="deviation")
    assert gate.of_stores([store_with(whole, deviation)]) == 0
    assert gate.of_stores([judged(whole, store_with(whole), store_with(whole, deviation))]) == 1
    assert gate.of_stores([judged(whole, store_with(whole, deviation), store_with(whole, deviation))]) == 0


@pytest.mark.parametrize("verdict", ["waived", "deviation", "declared", "inconclusive"])
@pytest.mark.parametrize("failing", FAILING)
def test_what_did_not_fail_before_is_new(whole: Results, one: Divergence, verdict: str, failing: str) -> None:
    found = judged(
        whole, store_with(whole, replace(one, verdict=verdict)), store_with(whole, replace(one, verdict=failing))
    )
    assert gate.of_stores([found]) == 1


def test_what_failed_before_and_is_shown_seldom_now_is_known(whole: Results, one: Divergence) -> None:
    seldom = store_with(whole, replace(one, verdict="inconclusive"))
    assert gate.of_stores([seldom]) == 3
    assert gate.of_stores([judged(whole, store_with(whole, one), seldom)]) == 0
    assert gate.of_stores([judged(whole, store_with(whole), seldom)]) == 3


def test_another_symptom_of_a_known_cause_is_known_unless_it_does_more_harm(whole: Results, one: Divergence) -> None:
    before = replace(one, cause="append is claimed")
    after = replace(before, signature="another")
    assert gate.of_stores([judged(whole, store_with(whole, before), store_with(whole, after))]) == 0
    worse = replace(after, impact="data lost")
    assert gate.of_stores([judged(whole, store_with(whole, before), store_with(whole, worse))]) == 1


def test_waivers_fail_only_if_they_were_used_before(whole: Results) -> None:
    found = judged(whole, store_with(whole, waiver_problems=("a",)), store_with(whole, waiver_problems=("a", "b")))
    assert (found.waiver_problems, found.known_waiver_problems) == (["b"], ["a"])
    again = judged(whole, store_with(whole, waiver_problems=("a",)), found)
    assert again == found
    assert gate.of_stores([judged(whole, found, store_with(whole, waiver_problems=("a", "b")))]) == 0


def test_a_store_that_the_baseline_lacks_is_new_and_said_so(whole: Results, one: Divergence) -> None:
    found = judged(whole, replace(store_with(whole, one), name="other"), store_with(whole, one))
    assert found.baseline_note == "the baseline base did not have it: all that it shows is new"
    assert gate.of_stores([found]) == 1


@pytest.mark.parametrize("verdict", ["violation", "deviation"])
def test_what_failed_and_is_not_shown_though_it_was_judged_is_fixed(
    whole: Results, one: Divergence, verdict: str
) -> None:
    old = replace(one, verdict=verdict)
    after = replace(store_with(whole), clauses={one.clause: 3})
    fixed = judged(whole, store_with(whole, old), after).baseline_fixed
    assert fixed == ([one.signature] if verdict == "violation" else [])
    unjudged = replace(after, clauses={"another.clause": 3})
    assert judged(whole, store_with(whole, old), unjudged).baseline_fixed == []
    assert judged(whole, store_with(whole, old), replace(after, problems=["interrupted"])).baseline_fixed == []
    for shown in (old, replace(old, verdict="inconclusive")):
        assert judged(whole, store_with(whole, old), replace(after, divergences=[shown])).baseline_fixed == []


def test_another_symptom_of_its_cause_keeps_it_from_being_fixed(whole: Results, one: Divergence) -> None:
    before = replace(one, cause="append is claimed")
    after = replace(store_with(whole, replace(before, signature="another")), clauses={one.clause: 3})
    assert judged(whole, store_with(whole, before), after).baseline_fixed == []


def test_a_baseline_that_names_a_store_twice_is_refused(whole: Results) -> None:
    with pytest.raises(ComparisonError, match="twice"):
        Baseline("base", replace(whole, stores=[whole.stores[0], whole.stores[0]]))


def test_reports_count_known_and_new_and_junit_skips_what_is_known(whole: Results, one: Divergence) -> None:
    other = replace(one, signature="another", clause="another.clause")
    gone = replace(one, signature="gone \x1b[2J")
    found = judged(whole, store_with(whole, one, gone), store_with(whole, one, other))
    results = replace(whole, stores=[found])
    console = Console(record=True, width=200, file=io.StringIO())
    summary(results, console)
    text = console.export_text()
    assert "1 known by the baseline, 1 new, 1 fixed" in text and "fixed: gone \\u001b[2J" in text
    assert f"violation: {one.signature}" in text.split("1 divergence known by the baseline:")[1]
    cases = {case.get("name"): case for case in ElementTree.fromstring(junit_xml(results)).iter("testcase")}
    skipped, failed = cases[one.clause].find("skipped"), cases["another.clause"].find("failure")
    assert skipped is not None and "known by the baseline" in (skipped.get("message") or "")
    assert failed is not None and cases[one.clause].find("failure") is None
