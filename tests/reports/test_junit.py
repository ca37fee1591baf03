"""JUnit XML: what fails the gate fails there, and what could not be judged does not pass."""

from __future__ import annotations

from dataclasses import replace

from lxml import etree

from fsconform.records.results import FAILING, Results, StoreRecord
from fsconform.reports.junit import junit_xml
from fsconform.reports.visible import visible


def suites(results: Results) -> dict[str, etree._Element]:
    """The suites by name, parsed strictly."""
    root = etree.fromstring(junit_xml(results), etree.XMLParser(resolve_entities=False))
    assert root.tag == "testsuites"
    return {str(suite.get("name")): suite for suite in root}


def cases(suite: etree._Element) -> dict[str, etree._Element]:
    """The cases of a suite by name; no name stands twice."""
    names = [str(case.get("name")) for case in suite]
    assert len(names) == len(set(names))
    return dict(zip(names, suite, strict=True))


def marks(case: etree._Element) -> list[str]:
    """What a case carries."""
    return [str(child.tag) for child in case]


def test_one_suite_a_store_and_one_case_a_clause(example: Results) -> None:
    found = suites(example)
    assert list(found) == [f"fsconform.{store.name}" for store in example.stores]
    for store, suite in zip(example.stores, found.values(), strict=True):
        judged = {clause for clause, times in store.clauses.items() if times}
        judged |= {one.clause for one in store.divergences}
        assert set(cases(suite)) - {"everything was judged"} == judged
        assert {case.get("classname") for case in suite} == {f"fsconform.{store.name}"}


def test_failures_are_the_verdicts_that_fail_the_gate(example: Results) -> None:
    for store, suite in zip(example.stores, suites(example).values(), strict=True):
        failing = {one.clause for one in store.divergences if one.verdict in FAILING}
        assert {name for name, case in cases(suite).items() if "failure" in marks(case)} == failing


def test_counts_are_those_of_the_cases(example: Results) -> None:
    root = etree.fromstring(junit_xml(example))
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        for element in [root, *root]:
            assert element.get(name) == str(len(element.findall(f".//{tag}")))
    assert [root.get("failures"), root.get("skipped"), root.get("errors")] == ["7", "3", "0"]


def test_failure_carries_program_and_reproducer(example: Results) -> None:
    one = example.stores[1].divergences[1]
    failure = cases(suites(example)["fsconform.file"])[one.clause][0]
    assert failure.get("type") == "declared-false"
    assert failure.get("message") == f"declared-false: {one.signature}"
    text = failure.text or ""
    assert "\n  4. rename(/a, /c) -> returned true   <- diverges\n" in text
    assert "\n  5. getFileStatus(/c/a) -> raised FileNotFoundException: File /c/a does not exist (probe)\n" in text
    assert f"\nreproduce: {one.reproducer}\ntest: {one.test}\n" in text
    assert f"\narea: {one.area}\n" in text
    assert "\noption: fs.contract.rename-remove-dest-if-empty-dir: false -> true\n" in text


def test_set_up_and_clients_are_told(example: Results) -> None:
    store = example.stores[1]
    one = store.divergences[1]
    first, *rest = one.sequence
    sequence = [replace(first, setup=True, client=2), *rest]
    results = replace(example, stores=[replace(store, divergences=[replace(one, sequence=sequence)])])
    text = cases(suites(results)["fsconform.file"])[one.clause][0].text or ""
    assert f"\n  1. client 2: {first.call} -> {first.observed} (set-up)\n" in text
    assert f"\n  2. client 0: {rest[0].call} -> " in text


def test_listed_verdicts_pass_with_output(example: Results) -> None:
    found = suites(example)
    assert marks(cases(found["fsconform.file"])["filesystem.delete.post.missing"]) == ["system-out"]
    assert marks(cases(found["fsconform.hdfs"])["filesystem.create.post"]) == []


def test_what_is_accepted_is_skipped_with_its_reason(example: Results) -> None:
    """By a waiver or as a known bug; neither is a pass, and neither hides a failure of the same clause."""
    store = example.stores[2]
    (one,) = [one for one in store.divergences if one.verdict == "waived"]
    other = replace(one, signature="other", quirk="no-colons", waiver="a colon is refused", verdict="waived")
    listed = replace(one, signature="third", verdict="deviation")
    expected = [
        ([one], f"waived: {one.waiver}"),
        ([other, listed], "waived, known bug no-colons: a colon is refused"),
        ([one, other], f"waived: {one.waiver}; waived, known bug no-colons: a colon is refused"),
    ]
    assert one.waiver
    for these, message in expected:
        suite = suites(replace(example, stores=[replace(store, divergences=these)]))["fsconform.hdfs"]
        case = cases(suite)[one.clause]
        assert marks(case) == ["skipped", "system-out"]
        assert case[0].get("message") == message
        assert suite.get("skipped") == str(len(suite.findall(".//skipped"))) and int(str(suite.get("skipped"))) >= 1
    both = replace(store, divergences=[one, replace(one, verdict="violation", signature="other")])
    assert marks(cases(suites(replace(example, stores=[both]))["fsconform.hdfs"])[one.clause]) == [
        "failure",
        "system-out",
    ]


def test_inconclusive_is_skipped_unless_the_clause_fails(example: Results) -> None:
    store = example.stores[2]
    (one,) = [one for one in store.divergences if one.verdict == "inconclusive"]
    assert marks(cases(suites(example)["fsconform.hdfs"])[one.clause]) == ["skipped", "system-out"]
    both = replace(store, divergences=[one, replace(one, verdict="violation", signature="other")])
    case = cases(suites(replace(example, stores=[both]))["fsconform.hdfs"])[one.clause]
    assert marks(case) == ["failure", "system-out"]
    assert case[0].get("message") == "violation: other"


def test_several_failures_of_one_clause_are_all_told(example: Results) -> None:
    one = example.stores[1].divergences[0]
    store = replace(example.stores[1], divergences=[one, replace(one, signature="other", verdict="undeclared")])
    failure = cases(suites(replace(example, stores=[store]))["fsconform.file"])[one.clause][0]
    assert failure.get("message") == f"violation: {one.signature} (and 1 more)"
    assert "undeclared: other" in (failure.text or "")


def test_store_that_could_not_be_judged_does_not_pass(example: Results) -> None:
    down = StoreRecord("s3", "s3a://b", 0, 0, 0, 1.0, 0.0, {}, {}, {}, [], problems=["connection refused"])
    silent = replace(down, name="s4", problems=[])
    found = suites(replace(example, stores=[down, silent]))
    for name, message in (("fsconform.s3", "connection refused"), ("fsconform.s4", "nothing was judged")):
        (case,) = found[name]
        assert marks(case) == ["skipped"] and case[0].get("message") == message


def test_waivers_that_fail_the_gate_fail(example: Results) -> None:
    store = replace(example.stores[2], waiver_problems=["w1 is unused", "w2 has expired"])
    case = cases(suites(replace(example, stores=[store]))["fsconform.hdfs"])["waivers are used and valid"]
    assert marks(case) == ["failure"]
    assert case[0].text == "w1 is unused\nw2 has expired"


def test_hostile_text_is_carried_as_text(hostile: Results, attacks: tuple[str, ...]) -> None:
    root = etree.fromstring(junit_xml(hostile))
    known = {"testsuites", "testsuite", "testcase", "failure", "skipped", "system-out"}
    assert {element.tag for element in root.iter()} == known
    failure = root.find(".//failure")
    assert failure is not None
    for attack in attacks:
        assert visible(attack) in (failure.get("message") or "")
    assert not any("\x1b" in str(one) or "\u202e" in str(one) for one in root.itertext())
    # A line break in a text makes no line of its own.
    assert not any(line.startswith(("line", " tab", "\ttab")) for line in (failure.text or "").splitlines())
