"""The model of markers and its judge: what S3A did is right, and every seeded fault of a connector is seen."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from fsconform.app.markers.exploring import explore, programs
from fsconform.app.markers.running import Program, Step
from fsconform.model.markers.calls import Call, Expected, Held, allowed, expected
from fsconform.model.markers.clauses import CLAUSES
from fsconform.model.markers.judge import Seen, judge
from fsconform.model.markers.keys import above
from fsconform.model.markers.policy import Policy, Retention
from fsconform.suites.markers import WITNESSES, after, of, short

POLICIES = (Retention(Policy.DELETE), Retention(Policy.KEEP), Retention(Policy.AUTHORITATIVE, ("a/b/",)))
Fault = Callable[[Call, Held, Expected, Seen], Seen]


def _connector(retention: Retention, fault: Fault | None) -> Callable[[Program], list[Step]]:
    """A connector that does what the model says, but for a fault."""

    def execute(program: Program) -> list[Step]:
        before, steps = Held(), []
        for call in program:
            right = expected(call, before, retention)
            deletes = (tuple(sorted(right.asked)),) if right.asked else ()
            seen = Seen(right.held, deletes=deletes, tombstones=right.asked)
            if fault is not None:
                seen = fault(call, before, right, seen)
            steps.append(Step(call, before, seen, judge(call, before, seen, retention)))
            before = seen.held
            if any(not allowed(one, before) for one in program[len(steps) : len(steps) + 1]):
                break
        return steps

    return execute


def _marked(seen: Seen, keys: frozenset[str]) -> Seen:
    return replace(seen, held=Held(seen.held.files, keys))


def _keeps(call: Call, before: Held, right: Expected, seen: Seen) -> Seen:
    return _marked(seen, seen.held.markers | before.markers & frozenset(above(call.path)))


def _deletes(call: Call, before: Held, right: Expected, seen: Seen) -> Seen:
    return _marked(seen, seen.held.markers - frozenset(above(call.path)))


def _asks(keys: Callable[[Call, tuple[str, ...]], tuple[str, ...]]) -> Fault:
    def fault(call: Call, before: Held, right: Expected, seen: Seen) -> Seen:
        asked = keys(call, tuple(key for request in seen.deletes for key in request))
        return replace(seen, deletes=tuple((key,) for key in asked))

    return fault


def _moves_all(call: Call, before: Held, right: Expected, seen: Seen) -> Seen:
    if call.what != "rename":
        return seen
    moved = {
        f"{call.to}/{key.removeprefix(call.path + '/')}" for key in before.markers if key.startswith(f"{call.path}/")
    }
    return _marked(seen, seen.held.markers | moved)


def _moves_no_leaf(call: Call, before: Held, right: Expected, seen: Seen) -> Seen:
    return _marked(seen, seen.held.markers & before.markers) if call.what == "rename" else seen


def _loses_files(call: Call, before: Held, right: Expected, seen: Seen) -> Seen:
    return replace(seen, held=Held(frozenset(), seen.held.markers)) if call.what == "rename" else seen


def _no_parent(call: Call, before: Held, right: Expected, seen: Seen) -> Seen:
    return _marked(seen, seen.held.markers & before.markers) if call.what == "delete" else seen


def _no_marker(call: Call, before: Held, right: Expected, seen: Seen) -> Seen:
    return _marked(seen, seen.held.markers & before.markers) if call.what == "mkdirs" else seen


FAULTS: dict[str, tuple[Policy, Fault, str]] = {
    "keeps markers": (Policy.DELETE, _keeps, "markers.delete"),
    "deletes markers": (Policy.KEEP, _deletes, "markers.keep"),
    "keeps everywhere": (Policy.AUTHORITATIVE, _keeps, "markers.authoritative"),
    "keeps nowhere": (Policy.AUTHORITATIVE, _deletes, "markers.authoritative"),
    "asks for the nearest only": (Policy.DELETE, _asks(lambda call, keys: keys[-1:]), "markers.request"),
    "asks one by one": (Policy.DELETE, _asks(lambda call, keys: keys), "markers.request"),
    "asks for the root too": (Policy.DELETE, _asks(lambda call, keys: (*keys, "/")), "markers.request"),
    "asks although it keeps": (Policy.KEEP, _asks(lambda call, keys: tuple(above(call.path))), "markers.no-request"),
    "takes surplus markers along": (Policy.KEEP, _moves_all, "markers.rename"),
    "leaves leaf markers behind": (Policy.DELETE, _moves_no_leaf, "markers.leaf"),
    "renames nothing but the name": (Policy.KEEP, _loses_files, "markers.files"),
    "forgets the parent": (Policy.DELETE, _no_parent, "markers.leaf"),
    "makes no marker": (Policy.KEEP, _no_marker, "markers.mkdirs"),
    "raises": (Policy.KEEP, lambda call, before, right, seen: replace(seen, raised="IOException"), "markers.files"),
    "leaves no tombstone": (
        Policy.DELETE,
        lambda call, before, right, seen: replace(seen, tombstones=frozenset()),
        "markers.tombstones",
    ),
    "leaves tombstones": (
        Policy.KEEP,
        lambda call, before, right, seen: replace(seen, tombstones=frozenset(above(call.path))),
        "markers.tombstones",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_seeded_fault_is_seen(name: str) -> None:
    policy, fault, clause = FAULTS[name]
    retention = Retention(policy, ("a/b/",) if policy is Policy.AUTHORITATIVE else ())
    outcome = explore(_connector(retention, fault), programs(30, 1, 2))
    found = [one for one in outcome.found.values() if one.clause == clause]
    assert found, sorted(outcome.found)
    assert all(one.replays == 3 and len(one.program) <= 3 for one in found)


def test_no_fault_no_departure() -> None:
    for retention in POLICIES:
        outcome = explore(_connector(retention, None), programs(200, 7, 2))
        assert (outcome.found, outcome.programs > 150) == ({}, True)


def test_each_clause_is_proved() -> None:
    told_elsewhere = {"markers.capability", "markers.aware"}
    assert {clause for _, _, clause in FAULTS.values()} | told_elsewhere == set(CLAUSES)


def test_policies_agree_on_all_but_markers() -> None:
    for program in itertools.chain(WITNESSES, short(3)):
        held = [Held() for _ in POLICIES]
        for call in program:
            held = [expected(call, one, policy).held for one, policy in zip(held, POLICIES, strict=True)]
        deleted, kept, _ = held
        assert len({one.files for one in held}) == 1
        leaves = {key for key in kept.markers if kept.below(key) == {key}}
        assert deleted.markers == leaves, program


def test_programs_that_need_not_succeed_are_none() -> None:
    assert after(of("create a/f; mkdirs a/f/x")) is None
    assert after(of("delete a")) is None
    assert after(of("mkdirs a; rename a a/b")) is None
