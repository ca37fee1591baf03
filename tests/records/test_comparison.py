"""Two runs compared: each seeded change is told, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fsconform.records import codec, comparison
from fsconform.records.comparison import ComparisonError, OptionMove, StoreComparison, VersionMove, compare
from fsconform.records.results import FAILING, VERDICTS, Divergence, OptionRecord, Results, StoreRecord

ROOM = Path(__file__).resolve().parent.parent.parent / "records"
STORE = "rawlocal"
OPTION = "fs.contract.rename-overwrites-dest"


@pytest.fixture
def example() -> Results:
    return codec.loads(ROOM / "example.json")


def changed(results: Results, change: Callable[[StoreRecord], StoreRecord]) -> Results:
    """The results with one store changed."""
    return replace(results, stores=[change(one) if one.name == STORE else one for one in results.stores])


def first_changed(results: Results, **fields: Any) -> Results:
    """The results with the first divergence of the store changed."""
    return changed(
        results,
        lambda store: replace(store, divergences=[replace(store.divergences[0], **fields), *store.divergences[1:]]),
    )


def told(before: Results, after: Results) -> StoreComparison:
    """What is told of the store; of the others nothing is."""
    found = compare(before, after)
    for one in found.stores:
        if one.name != STORE:
            assert replace(one, in_part=[], unchanged=0) == StoreComparison(one.name, [], [], [], [], [], [], [], [])
    return next(one for one in found.stores if one.name == STORE)


def failing_of(store: StoreRecord) -> list[str]:
    return [one.signature for one in store.divergences if one.verdict in FAILING]


def store_of(results: Results) -> StoreRecord:
    return next(one for one in results.stores if one.name == STORE)


def test_a_run_differs_in_nothing_from_itself(example: Results) -> None:
    found = compare(example, example)
    assert [one.name for one in found.stores] == [one.name for one in example.stores]
    number = len(failing_of(store_of(example)))
    assert number
    assert told(example, example) == StoreComparison(STORE, [], [], [], [], [], [], [], [], unchanged=number)
    assert (found.fails, found.inconclusive, found.versions) == (False, False, [])


def test_a_signature_that_only_the_later_run_has_is_new_and_fails(example: Results) -> None:
    whole = store_of(example).divergences
    failing = whole[0]
    assert failing.verdict == "violation"
    less = changed(example, lambda store: replace(store, divergences=whole[1:]))
    found = told(less, example)
    assert [one.signature for one in found.new] == found.failing == [failing.signature]
    assert found.new[0].calls == [step.call for step in failing.sequence if not step.probe]
    assert (found.gone, found.changed) == ([], [])
    assert compare(less, example).fails


def test_a_signature_that_only_the_earlier_run_has_is_gone_and_fails_nothing(example: Results) -> None:
    whole = store_of(example).divergences
    found = told(example, changed(example, lambda store: replace(store, divergences=whole[1:])))
    assert ([one.signature for one in found.gone], found.new, found.failing) == ([whole[0].signature], [], [])
    assert found.gone[0].judged_in_other
    assert (found.fixed, found.unknown) == ([whole[0].signature], 0)
    assert found.unchanged == len(failing_of(store_of(example))) - 1


def test_what_is_gone_because_nobody_looked_is_told_so(example: Results) -> None:
    clause = store_of(example).divergences[0].clause

    def blind(store: StoreRecord) -> StoreRecord:
        clauses = {name: times for name, times in store.clauses.items() if name != clause}
        return replace(store, divergences=store.divergences[1:], clauses=clauses | {"another.clause": 3})

    found = told(example, changed(example, blind))
    assert [one.judged_in_other for one in found.gone] == [False]
    assert (found.clauses_gone, found.clauses_new) == ([clause], ["another.clause"])
    assert (found.fixed, found.unknown) == ([], 1)


def test_what_is_accepted_now_is_fixed(example: Results) -> None:
    first = store_of(example).divergences[0]
    assert told(example, first_changed(example, verdict="waived")).fixed == [first.signature]


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"clause": "another.clause"}, ["clause"]),
        ({"program": [{"op": "mkdirs", "path": ["z"]}]}, ["program"]),
        ({"confirmed": "2/3"}, ["confirmed"]),
        ({"verdict": "undeclared", "clause": "another.clause"}, ["verdict", "clause"]),
    ],
)
def test_what_changed_of_a_signature_is_named(example: Results, fields: dict[str, Any], what: list[str]) -> None:
    found = told(example, first_changed(example, **fields))
    assert [one.what for one in found.changed] == [what]
    assert (found.new, found.gone, found.failing) == ([], [], [])


@pytest.mark.parametrize("before", VERDICTS)
@pytest.mark.parametrize("after", VERDICTS)
def test_a_verdict_fails_anew_only_where_it_did_not_fail(example: Results, before: str, after: str) -> None:
    failing = {"violation", "declared-false", "undeclared"}
    found = compare(first_changed(example, verdict=before), first_changed(example, verdict=after))
    assert found.fails is (after in failing and before not in failing)


def test_options_that_moved_are_told_with_all_their_values(example: Results) -> None:
    def option(declared: object, observed: object) -> Results:
        record = OptionRecord(declared, observed, "", False)
        return changed(example, lambda store: replace(store, options=store.options | {OPTION: record}))

    assert told(option(True, None), option(True, None)).options == []
    assert told(option(True, None), option(False, None)).options == [OptionMove(OPTION, True, False, None, None)]
    assert told(option(True, True), option(True, "conflict")).options == [
        OptionMove(OPTION, True, True, True, "conflict")
    ]
    # A number is not a truth value, though Python says that they are equal.
    assert told(option(1, None), option(True, None)).options == [OptionMove(OPTION, 1, True, None, None)]
    gone = changed(example, lambda store: replace(store, options={}))
    with_one = changed(example, lambda store: replace(store, options={OPTION: OptionRecord(True, True, "", False)}))
    assert told(gone, with_one).options == [OptionMove(OPTION, None, True, None, True)]


def test_versions_of_the_harness_and_of_the_store_are_told(example: Results) -> None:
    def version(hadoop: str) -> Results:
        return changed(example, lambda store: replace(store, versions={"hadoop": hadoop}))

    assert told(version("3.4.1"), version("3.5.0")).versions == [VersionMove("hadoop", "3.4.1", "3.5.0")]
    run = replace(example.run, versions=example.run.versions | {"fsconform": "9"})
    moved = compare(example, replace(example, run=run)).versions
    assert [(one.name, one.after) for one in moved] == [("fsconform", "9")]


def test_a_waiver_that_no_longer_holds_fails_anew(example: Results) -> None:
    expired = changed(example, lambda store: replace(store, waiver_problems=["w1 expired"]))
    assert told(example, expired).waiver_problems == ["w1 expired"]
    assert compare(example, expired).fails
    assert not compare(expired, expired).fails


@pytest.mark.parametrize("later", [True, False])
def test_a_store_that_one_run_did_not_judge_makes_it_inconclusive(example: Results, later: bool) -> None:
    nothing = changed(
        example,
        lambda store: replace(store, operations=0, clauses={}, divergences=[], problems=["the NameNode was down"]),
    )
    without = replace(example, stores=[one for one in example.stores if one.name != STORE])
    which = "second" if later else "first"
    for other, said in ((nothing, "the NameNode was down"), (without, "did not have it")):
        found = compare(example, other) if later else compare(other, example)
        assert found.inconclusive
        (why,) = next(one for one in found.stores if one.name == STORE).unjudged
        assert which in why and said in why
    assert not compare(example, without, ["hdfs"]).inconclusive


def test_a_store_that_was_judged_in_part_is_told_and_compared(example: Results) -> None:
    part = changed(example, lambda store: replace(store, problems=["interrupted"]))
    found = told(example, part)
    assert found.in_part == ["the second run judged a part of it: interrupted"]
    assert found.unjudged == [] and not compare(example, part).inconclusive


def test_stores_are_chosen_by_name(example: Results) -> None:
    assert [one.name for one in compare(example, example, ["hdfs"]).stores] == ["hdfs"]
    with pytest.raises(ComparisonError, match="no run has a store 'hdsf'"):
        compare(example, example, ["hdsf"])


def test_a_store_that_stands_twice_is_refused(example: Results) -> None:
    with pytest.raises(ComparisonError, match="'rawlocal' twice"):
        compare(example, replace(example, stores=[*example.stores, store_of(example)]))


def test_the_more_serious_of_two_with_one_signature_counts(example: Results) -> None:
    one = store_of(example).divergences[0]
    twin: Divergence = replace(one, verdict="declared")
    both = changed(example, lambda store: replace(store, divergences=[twin, *store.divergences]))
    assert told(both, example).changed == []


def test_the_schema_is_the_one_checked_in_and_describes_what_is_written(example: Results) -> None:
    """After a change of the records: ``python -c`` with ``comparison_codec.schema_bytes()`` writes the file anew."""
    schema = (ROOM / "comparison.schema.json").read_bytes()
    assert schema == comparison.schema_bytes()
    less = changed(example, lambda store: replace(store, divergences=[], versions={}, options={}, clauses={"x": 1}))
    document = json.loads(comparison.dumps(compare(less, example)))
    jsonschema.Draft202012Validator.check_schema(json.loads(schema))
    jsonschema.validate(document, json.loads(schema))
    assert document["stores"][0]["new"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"schema": 2}, json.loads(schema))


def test_text_that_utf8_cannot_hold_is_written_as_its_escape(example: Results) -> None:
    odd = first_changed(example, signature="create \ud800")
    document = json.loads(comparison.dumps(compare(example, odd)))
    assert document["stores"][0]["new"][0]["signature"] == "create \\ud800"


def test_chance_changes_nothing_of_a_race(example: Results) -> None:
    """In how many runs it was seen, by which delays and in which order its calls began: that differs in each run."""
    place, race = next(
        (number, one) for number, one in enumerate(store_of(example).divergences) if one.history is not None
    )
    assert race.history is not None

    def later(**fields: Any) -> Results:
        divergences = list(store_of(example).divergences)
        divergences[place] = replace(race, **fields)
        return changed(example, lambda store: replace(store, divergences=divergences))

    program = race.history.program
    moved = replace(race.history, program={**program, "delays": [5, 0]}, shown=3)
    same = later(confirmed="3/200", history=moved, program=race.program[::-1], sequence=race.sequence[::-1])
    assert replace(told(example, same), unchanged=0) == StoreComparison(STORE, [], [], [], [], [], [], [], [])

    smaller = replace(race.history, program={**program, "beginning": []})
    for fields, what in (({"history": smaller}, "program"), ({"confirmed": "0/200"}, "confirmed")):
        (change,) = told(example, later(**fields)).changed
        assert change.what == [what]
        assert change.before.calls == [
            "client 1: mkdirs(/d)",
            "client 1: create(/d/a, overwrite=false) + 5 bytes",
            "client 2: create(/d/a, overwrite=false) + 7 bytes",
        ]
    gone = changed(example, lambda store: replace(store, divergences=store.divergences[:place]))
    assert [one.signature for one in told(example, gone).gone] == [race.signature]
    assert told(gone, example).failing == [race.signature]
