"""Programs in the making: swarms, the model's prediction as a bias, structures, and when the model loses track."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from fsconform.engine.grammar import EIGHTHS, Suite
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import Dir, File
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.suites.drafts import Draft
from fsconform.suites.registry import SUITES


def draft_of(oracle: Oracle, suite: Suite = SUITES["namespace"], keen: int = 0) -> Draft:
    """A draft with the tree ``/a/b`` (a file) and ``/d``, of all names, as keen as is said."""
    draft = Draft(suite, oracle, Counter())
    draft.add(Create(("a", "b"), contents.of(1, 3), False), Random(0), setup=True)
    draft.add(Mkdirs(("d",)), Random(0), setup=True)
    draft.keen = keen
    return draft


def expected(oracle: Oracle, keen: int, kind: type[Operation]) -> Counter[bool]:
    """How many of calls on the tree above are expected to do what they are for."""
    found: Counter[bool] = Counter()
    familiar: Counter[tuple[object, ...]] = Counter()
    for number in range(200):
        draft, dice = draft_of(oracle, keen=keen), Random(number)
        draft.familiar = familiar
        state = draft.state
        assert state is not None
        if kind is Rename:
            draft.two(dice, None, None)
        else:
            draft.one(kind, dice, None)
        first = oracle.situation(state, draft.steps[-1].operation).first
        found[not first.raises and first.value is not False] += 1
    return found


@pytest.mark.parametrize("kind", [Create, Append, Delete, Rename, Open, Exists])
def test_prediction_is_a_bias_and_no_ban(oracle: Oracle, kind: type[Operation]) -> None:
    careless, keen = expected(oracle, 0, kind), expected(oracle, EIGHTHS, kind)
    assert keen[True] > careless[True] > 0
    assert careless[False] > keen[False] > 0
    assert keen[True] > 100


def test_careless_calls_look_for_what_was_met_least(oracle: Oracle) -> None:
    familiar: Counter[tuple[object, ...]] = Counter()
    met: Counter[str] = Counter()
    for number in range(300):
        draft = draft_of(oracle)
        draft.familiar = familiar
        assert draft.state is not None
        state = draft.state
        draft.two(Random(number), None, None)
        cases = oracle.situation(state, draft.steps[-1].operation).cases
        met["; ".join(case.name for case in cases)] += 1
    assert met["file to a free destination"] > 5 and met["directory to an empty directory"] > 3
    assert met["an ancestor of the destination is a file"] > 3
    assert met.most_common(1)[0][1] < 100


def test_swarms_differ(oracle: Oracle) -> None:
    drafts = [Draft(SUITES["namespace"], oracle, Counter()) for _ in range(200)]
    for number, draft in enumerate(drafts):
        draft.swarm(Random(number))
    assert {len(draft.names) for draft in drafts} == {1, 2, 3, 4}
    assert {draft.depth for draft in drafts} == {1, 2, 3} and {draft.clients for draft in drafts} == {1, 2}
    assert len({tuple(draft.sizes) for draft in drafts}) > 100 and min(len(draft.sizes) for draft in drafts) == 2
    assert {draft.keen for draft in drafts} == {0, 2, 4, 6, 8} and {draft.crowded for draft in drafts} == {True, False}
    assert {len(draft.steps) for draft in drafts} == {0, 1, 2, 3}
    spiced = sum(not set(draft.names) <= set(SUITES["namespace"].grammar.names) for draft in drafts)
    assert 200 * 2 / EIGHTHS < spiced < 200 * 4 / EIGHTHS
    for draft in drafts:
        names = {name for step in draft.steps for path in paths_of(step.operation) for name in path}
        assert names <= set(draft.names)


def test_a_grammar_without_rack_or_crowd_has_neither(oracle: Oracle) -> None:
    plain = replace(SUITES["namespace"], grammar=replace(SUITES["namespace"].grammar, spiced=0, crowded=0))
    for number in range(100):
        draft = Draft(plain, oracle, Counter())
        draft.swarm(Random(number))
        assert set(draft.names) <= set(plain.grammar.names) and not draft.crowded


def test_content_is_never_written_twice(oracle: Oracle) -> None:
    draft, dice = draft_of(oracle, SUITES["content"]), Random(0)
    for _ in range(50):
        draft.one(Create, dice, None)
        draft.one(Append, dice, None)
    written = [one.operation.content for one in draft.steps if isinstance(one.operation, Create | Append)]
    filled = [content for content in written if content]
    assert len(set(filled)) == len(filled) > 50


def test_structures_are_set_up(oracle: Oracle) -> None:
    for number in range(30):
        draft, dice = draft_of(oracle, SUITES["listing"]), Random(number)
        base = draft.many_children(dice)
        built = draft.steps[2:]
        assert len(built) in SUITES["listing"].grammar.children and all(step.setup for step in built)
        assert all(type(step.operation) in (Create, Mkdirs) for step in built)
        assert isinstance(draft.node(base), Dir) or base[:1] == ("a",)
    draft = draft_of(oracle, SUITES["paths"])
    deep = draft.deep_path(Random(0))
    assert len(deep) in SUITES["paths"].grammar.depths and isinstance(draft.node(deep), Dir) and draft.steps[-1].setup
    draft = draft_of(oracle, SUITES["content"])
    assert draft.many_appends(Random(0)) == ("a", "b")
    assert isinstance(draft.node(("a", "b")), File)
    assert {type(step.operation) for step in draft.steps[2:]} == {Append} and all(one.setup for one in draft.steps)


def test_appends_make_the_file_they_need(oracle: Oracle) -> None:
    draft = Draft(SUITES["content"], oracle, Counter())
    path = draft.many_appends(Random(0))
    assert isinstance(draft.node(path), File) and type(draft.steps[0].operation) is Create


def test_the_root_is_changed_only_in_its_own_suite(oracle: Oracle) -> None:
    touched: dict[str, set[type]] = {"namespace": set(), "root": set()}
    for name, found in touched.items():
        for number in range(600):
            draft, dice = draft_of(oracle, SUITES[name]), Random(number)
            for kind in (Create, Append, Delete, Mkdirs, Open):
                if draft.one(kind, dice, None) == ():
                    found.add(kind)
            if draft.two(dice, None, None) == ():
                found.add(Rename)
    assert touched == {"namespace": {Mkdirs, Open}, "root": {Create, Append, Delete, Mkdirs, Open, Rename}}


def test_nothing_is_added_where_the_model_has_lost_track(oracle: Oracle) -> None:
    draft = draft_of(oracle)
    draft.state = None
    draft.one(Create, Random(0), None)
    draft.two(Random(0), None, None)
    assert len(draft.steps) == 2 and draft.node(("a",)) is None


def test_a_place_that_is_given_is_taken_or_left_for_one_less_familiar(oracle: Oracle) -> None:
    taken: Counter[bool] = Counter()
    for number in range(100):
        draft = draft_of(oracle)
        for _ in range(9):
            assert draft.state is not None
            mask = oracle.situation(draft.state, Delete(("d",), True)).mask
            draft.familiar[Delete, mask, True] += 1
        taken[draft.one(Delete, Random(number), ("d",)) == ("d",)] += 1
    assert taken[True] > 10 and taken[False] > 50
