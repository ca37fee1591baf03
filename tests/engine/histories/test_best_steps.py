"""The search takes a look where it fits, once: held against one that tries it everywhere; and it comes to an end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import races_of, with_quirks
from fsconform.engine.benches import Benches
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.judging import Judge
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.linearizability import Call, Rest, linearize
from fsconform.engine.histories.small_steps import PROMISES, SmallSteps
from fsconform.model.core import content
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.writers import astray
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.state import EMPTY
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.proving.session import ProvingStore

CONTRACT = Contract({"supports-append": True, "supports-strict-exceptions": True})
ORACLE = Oracle(CONTRACT)
A, B, AB = ("a",), ("b",), ("a", "b")
BYTES = content.of(1, 3)
DONE, TRUE = Returned(None), Returned(True)
CALLS: tuple[Operation, ...] = (
    *(ListStatus(path) for path in ((), (), A, A)),
    *(GetFileStatus(path) for path in (A, B, AB)),
    *(Open(path) for path in (A, AB)),
    *(Mkdirs(path) for path in (A, AB)),
    *(Create(path, BYTES, over) for path, over in ((A, True), (B, False), (AB, False))),
    *(Delete(path, True) for path in (A, AB)),
    *(Rename(*ends) for ends in ((A, B), (B, A), (AB, B))),
)

Calls = list[Call[Operation, Outcome]]


class Everywhere(SmallSteps):
    """The same steps, of which none is taken for the best one."""

    def is_best(self, operation: Operation, left: Rest) -> bool:
        return False


class Hasty(SmallSteps):
    """Takes the first step of a call that leaves the state as it was, whatever that leaves of the call."""

    def is_best(self, operation: Operation, left: Rest) -> bool:
        return True


def drawn(number: int, clients: int = 3, each: int = 3) -> Iterator[Calls]:
    """Histories of a sound store whose calls took effect at random moments; in every second one outcome is changed."""
    benches = Benches(ProvingStore(), CONTRACT, 1)
    given: dict[type, list[Outcome]] = {}
    for seed in range(number):
        draw, rows = Random(f"best steps {seed}"), []
        for client in range(clients):
            at = draw.randrange(1000)
            for _ in range(each):
                end = at + draw.randrange(1, 3000)
                rows.append((draw.uniform(at, end), client, draw.choice(CALLS), at, end))
                at = end + draw.randrange(1, 300)
        rows.sort(key=lambda row: row[0])
        with benches.lent() as bench:
            (trial,) = bench.try_all([tuple(Step(row[2]) for row in rows)])
        events = trial.execution.trace.events
        calls = [Call(row[1], row[2], event.outcome, *row[3:]) for row, event in zip(rows, events, strict=True)]
        for call in calls:
            given.setdefault(type(call.operation), []).append(call.outcome)
        if seed % 2:
            one = draw.randrange(len(calls))
            others = [other for other in given[type(calls[one].operation)] if other != calls[one].outcome]
            calls[one] = replace(calls[one], outcome=draw.choice(others or [calls[one].outcome]))
        yield calls
    benches.close()


@pytest.fixture(scope="module")
def histories() -> list[Calls]:
    return list(drawn(160))


def judged(model: type[SmallSteps], histories: Sequence[Calls], promised: Sequence[str]) -> list[bool]:
    return [linearize(model(ORACLE, promised), [EMPTY], calls, 20_000).holds for calls in histories]


@pytest.mark.parametrize("promised", [(), PROMISES])
def test_to_take_the_best_step_alone_changes_no_verdict(histories: list[Calls], promised: Sequence[str]) -> None:
    found = judged(SmallSteps, histories, promised)
    assert found == judged(Everywhere, histories, promised)
    assert 90 < sum(found) < 150
    assert found != judged(Hasty, histories, promised)


def every_known(number: int) -> Iterator[tuple[KnownRace, ...]]:
    return (tuple(one for one, kept in zip(RACES, bits, strict=True) if kept) for bits in _choices(number))


RACES = tuple(races_of(("rawlocal",)))


def _choices(number: int) -> Iterator[tuple[bool, ...]]:
    return (bits for bits in product((False, True), repeat=len(RACES)) if sum(bits) == number)


def slowly(oracle: Oracle, calls: Calls) -> tuple[str, int]:
    """The verdict by asking for each set of known races whether it explains a history, and the fewest that do."""
    for number in range(len(RACES) + 1):
        for taken in every_known(number):
            more: dict[type[Operation], tuple[object, ...]] = {}
            for race in taken:
                for kind, way in race.steps.items():
                    more[kind] = (*more.get(kind, ()), way)
            if linearize(SmallSteps(oracle, (), more), [EMPTY], calls).holds:  # type: ignore[arg-type]
                return ("waived" if number else "explained"), number
    return "violation", 0


def test_verdicts_are_those_of_asking_for_each_set_of_known_races(histories: list[Calls]) -> None:
    oracle = Oracle(with_quirks(load_shipped("rawlocal"), "rawlocal"))
    judge, seen = Judge(oracle, RACES), set()
    made: list[Calls] = [
        [Call(0, Create(A, BYTES, False), DONE, 0, 9), Call(1, Create(A, BYTES, False), DONE, 1, 8)],
        [Call(0, Mkdirs(A), TRUE, 0, 1), Call(1, Delete(A, False), TRUE, 2, 9), Call(0, Mkdirs(AB), TRUE, 3, 4)],
    ]
    for calls in (*histories[1:20:2], *made):
        program = Concurrent((), tuple((call.operation,) for call in calls[:2]), (0, 0))
        found = judge.judge(History(program, tuple(calls), tuple(call.client for call in calls)))
        verdict = "explained" if found.verdict in ("conforms", "declared") else found.verdict
        assert (verdict, len(found.known)) == slowly(oracle, calls)
        seen.add(verdict)
    assert seen == {"explained", "waived", "violation"}


def test_what_nobody_knows_of_twice_is_as_unknown_as_before() -> None:
    once = astray(EMPTY, (A, B))
    assert once != EMPTY and astray(once, (B, A)) == once


def test_a_search_among_paths_of_which_nothing_is_known_comes_to_an_end() -> None:
    """A rename that copies below such a path may make its parents again and again, each time with the same state."""
    refused = Raised(ancestry("IOException"))
    calls: Calls = [
        Call(1, Mkdirs(B), TRUE, 0, 1),
        Call(2, Create(A, BYTES, True), DONE, 2, 40),
        Call(0, Rename(A, A), TRUE, 3, 39),
        Call(1, Rename(B, AB), refused, 4, 38),
        Call(1, GetFileStatus(B), Raised(ancestry("FileNotFoundException")), 50, 51),
    ]
    found = linearize(SmallSteps(ORACLE, ()), [EMPTY], calls, 5000)
    assert not found.exhausted
