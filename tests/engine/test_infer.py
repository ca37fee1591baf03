"""From traces to what they say of the options, and from that to a contract."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.engine.infer import Evidence, Inference, infer, judged, permitting
from fsconform.engine.observe import Clue, Gathered, Observation, Watcher, Way, observe, offered
from fsconform.model.core.option import Literal
from fsconform.model.filesystem.contract import OPTIONS, Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Trace

Traces = Callable[[str], Trace]
Programs = Callable[[str], Program]

DEST, FALSE_IF, OVER = "rename-creates-dest-dirs", "rename-returns-false-if-dest-exists", "rename-overwrites-dest"
CREATE_UNDER = "create-file-under-file-allowed"
FAILURE, LENGTHS = "fsconform.rename-returns-false-on-failure", "fsconform.directories-have-length"
ORACLE = Oracle(Contract({}))

MISSING_PARENT = "create /a 3 -> ok; rename /a /b/c ->"
FILE_ON_FILE = "create /a 3 -> ok; create /b 4 -> ok; rename /a /b ->"


def ways(observation: Observation) -> set[frozenset[Literal]]:
    return {way.needs for way in observation.ways}


def needs(*literals: Literal) -> frozenset[Literal]:
    return frozenset(literals)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{MISSING_PARENT} true", {needs((DEST, True))}),
        (f"{MISSING_PARENT} false", {needs((DEST, False), (FAILURE, True))}),
        (f"{MISSING_PARENT} IOException", {needs((DEST, False))}),
        (f"{MISSING_PARENT} RuntimeException", {needs()}),
        (f"{FILE_ON_FILE} true", {needs((OVER, True))}),
        (f"{FILE_ON_FILE} FileAlreadyExistsException", {needs((OVER, False), (FALSE_IF, False))}),
        (f"{FILE_ON_FILE} false", {needs((OVER, False), (FALSE_IF, True))}),
        (f"{MISSING_PARENT} true; exists /b/c -> true; create /a 1 -> ok; create /b 2 -> ok", set()),
        (f"{MISSING_PARENT} true; status /b -> dir /b 7", {needs((DEST, True), (LENGTHS, True))}),
        (f"{MISSING_PARENT} true; exists /b/c -> not-expressible; open /a -> FileNotFoundException", None),
        ("mkdirs /a -> true; status /a -> dir /a 0", {needs()}),
        ("mkdirs /a -> false", set()),
    ],
)
def test_ways_to_allow_a_trace(trace: Traces, text: str, expected: set[frozenset[Literal]] | None) -> None:
    found = observe(ORACLE, trace(text))
    assert ways(found) == ({needs((DEST, True))} if expected is None else expected)
    assert found.whole
    for way in found.ways:
        assert all(way.clause(literal).startswith("filesystem.") for literal in way.needs)


def test_the_state_is_not_known_at_once_and_later_calls_tell(trace: Traces) -> None:
    moved = "mkdirs /a/x -> true; mkdirs /b -> true; rename /a /b -> true"
    either = {needs(("rename-remove-dest-if-empty-dir", True)), needs(("rename-remove-dest-if-empty-dir", False))}
    assert ways(observe(ORACLE, trace(moved))) == either
    below = observe(ORACLE, trace(f"{moved}; exists /b/a -> true"))
    assert ways(below) == {needs(("rename-remove-dest-if-empty-dir", False))}


def test_a_violation_says_at_which_step_it_shows(trace: Traces) -> None:
    found = observe(ORACLE, trace("mkdirs /a -> true; exists /a -> true; exists /a -> false; exists /a -> true"))
    assert (found.ways, found.step) == ((), 2)


def test_both_values_in_one_program_are_a_violation(trace: Traces) -> None:
    found = observe(ORACLE, trace(f"{MISSING_PARENT} IOException; rename /a /b/c -> true"))
    assert found.ways == ()


def test_an_unknown_outcome_leaves_what_came_before(trace: Traces) -> None:
    found = observe(ORACLE, trace(f"{MISSING_PARENT} true; exists /b -> unknown"))
    assert ways(found) == {needs((DEST, True))} and not found.whole


def test_where_case_plays_no_part_anything_may_follow(trace: Traces) -> None:
    found = observe(ORACLE, trace("create /a 3 -> ok; exists /A -> true; create /A 4 -> ok; exists /a -> false"))
    assert ways(found) == {needs(("is-case-sensitive", False))}


def gathered(traces: list[Trace], names: dict[Program, str] | None = None) -> Gathered:
    watcher = Watcher(ORACLE, Gathered(names or {}))
    for one in traces:
        assert watcher.judge(one).findings == []
    return watcher.gathered


def inferred(trace: Traces, *texts: str, preferred: dict[str, bool] | None = None) -> Inference:
    return infer(gathered([trace(text) for text in texts]).clues.values(), preferred)


def test_what_is_forced_is_observed_and_the_rest_has_its_default(trace: Traces) -> None:
    found = inferred(trace, f"{MISSING_PARENT} true", f"{FILE_ON_FILE} false", f"{FILE_ON_FILE} false")
    assert found.values == {DEST: True, OVER: False, FALSE_IF: True}
    assert {one.status for one in found.decisions.values()} == {"observed", "unobserved"}
    assert found.conflicts == ()
    assert set(found.decisions) == set(judged())
    for name, one in found.decisions.items():
        if one.status == "unobserved":
            assert one.value is (OPTIONS[name].default is True) and one.evidence == ()
    (evidence,) = found.decisions[FALSE_IF].evidence
    assert evidence.program == trace(f"{FILE_ON_FILE} false").program
    assert (evidence.clause, evidence.times) == ("filesystem.rename.pre.no-file-at-destination", 2)


def test_two_clues_may_force_what_neither_forces_alone() -> None:
    def clue(*each: dict[str, bool]) -> Clue:
        return Clue(tuple(Way(frozenset(one.items()), tuple((it, "c") for it in one.items())) for one in each), ())

    found = infer([clue({DEST: True}, {OVER: True}), clue({DEST: True}, {OVER: False})])
    assert found.decisions[DEST].status == "observed" and found.values == {DEST: True}
    assert len(found.decisions[DEST].evidence) == 2
    open_ = infer([clue({DEST: True}, {OVER: True})])
    assert sorted(one.status for one in open_.decisions.values() if one.status != "unobserved") == ["chosen"]
    assert infer([clue({DEST: True}, {OVER: True})], {OVER: True}).values == {}
    assert infer([clue({DEST: True}, {OVER: True})], {DEST: True}).values == {}


def test_what_no_contract_allows_together_is_told_by_two_programs(trace: Traces) -> None:
    texts = [f"{MISSING_PARENT} true"] * 3 + [f"{MISSING_PARENT} IOException", f"{FILE_ON_FILE} true"]
    found = inferred(trace, *texts)
    (conflict,) = found.conflicts
    assert conflict.options == (DEST,)
    assert {evidence.program for evidence, _ in conflict.programs} == {trace(texts[0]).program}
    assert {asked for _, asked in conflict.programs} == {(((DEST, True),),), (((DEST, False),),)}
    assert found.decisions[DEST].status == "conflict"
    assert found.values[DEST] is True, "most programs show it"
    assert found.decisions[OVER].status == "observed"


def test_the_values_that_explain_most_programs_are_chosen() -> None:
    claim = Clue((Way(needs((DEST, True))),), (), 4)
    showing = [Clue((Way(needs((DEST, False), (name, False))),), (), 3) for name in (OVER, FALSE_IF)]
    found = infer([claim, *showing])
    assert found.values[DEST] is False, "six programs show it, and four the other, if no two of the six say the same"
    (conflict,) = found.conflicts
    assert DEST in conflict.options


def test_a_permission_counts_as_unused_only_after_an_occasion(trace: Traces) -> None:
    occasion = Evidence((), "clause", "witness")
    assert infer([]).decisions[FAILURE].status == "unobserved"
    unused = infer([], {FAILURE: True}, {FAILURE: occasion}).decisions[FAILURE]
    assert (unused.status, unused.value, unused.evidence) == ("not used", False, (occasion,))
    clues = gathered([trace("mkdirs /a -> true; rename /a /a/b -> false")]).clues.values()
    assert infer(clues, None, {FAILURE: occasion}).decisions[FAILURE].status == "observed"
    assert infer([], None, {DEST: occasion}).decisions[DEST].status == "unobserved", "each value forces something"


def test_permissions_are_told_from_what_forces() -> None:
    assert permitting()[FAILURE] is True and permitting()["fsconform.accepts-invalid-paths"] is True
    assert permitting()["supports-strict-exceptions"] is False
    assert DEST not in permitting() and OVER not in permitting()
    assert all(permitting()[name] for name in judged() if OPTIONS[name].kind == "permits")


def test_the_best_program_stands_for_all_that_say_the_same(trace: Traces, program: Programs) -> None:
    large = trace(f"mkdirs /z -> true; {MISSING_PARENT} true")
    small = trace(f"{MISSING_PARENT} true")
    assert [one.program for one in gathered([large, small, large]).clues.values()] == [small.program]
    found = gathered([small, large], {large.program: "a witness"})
    (clue,) = found.clues.values()
    assert (clue.program, clue.named, clue.count) == (large.program, "a witness", 2)
    assert set(found.occasions) == {large.program}


def test_an_occasion_is_one_that_the_store_could_have_taken(trace: Traces) -> None:
    def values(text: str) -> frozenset[Literal]:
        return offered(ORACLE, trace(text), observe(ORACLE, trace(text)))

    below = "create /a 3 -> ok; rename /a /a/b ->"
    assert (FAILURE, True) in values(f"{below} IOException")
    assert (FAILURE, True) not in values(f"{below} not-expressible")
    assert (FAILURE, True) not in values(f"{below} unknown")
    assert (LENGTHS, True) not in values(f"{below} IOException")
    assert (LENGTHS, True) in values("mkdirs /a -> true; status /a -> dir /a 0")
    under = (CREATE_UNDER, True)
    rename = "create /a 3 -> ok; create /b 4 -> ok; rename /a /b/c/d -> IOException"
    assert under in values(rename)
    assert under not in values(f"{rename}; rename /a /c/d -> IOException"), "it would need parents to be made"


def test_violations_are_kept_apart(trace: Traces) -> None:
    found = gathered([trace("mkdirs /a -> false"), trace("mkdirs /a -> unknown"), trace("mkdirs /a -> true")])
    assert (len(found.violations), found.unknown, found.clues) == (1, 1, {})


def test_what_is_accepted_by_hand_is_not_explained_by_an_option(trace: Traces) -> None:
    made, refused = trace(f"{MISSING_PARENT} true"), trace(f"{MISSING_PARENT} IOException")
    found = Gathered({}, accepted=lambda one: one is made)
    for one in (made, refused):
        found.add(ORACLE, one, observe(ORACLE, one))
    assert found.violations == [made]
    assert infer(found.clues.values()).values == {DEST: False}
