"""Exploring, collecting and confirming: budgets, places, stores that are lost, interrupts and flaky stores."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from fsconform.engine import recorder
from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected, Sample, absorbed
from fsconform.engine.confirm import Proven, prove_all
from fsconform.engine.events import Advanced, Event, Listener, unheard
from fsconform.engine.exploration import Outcome, Plan, explore
from fsconform.engine.explorers import Explorer, from_list
from fsconform.engine.filesystem import Filesystem
from fsconform.engine.findings import Finding
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import Execution, Job, SandboxRefused, Session, StoreLost
from fsconform.engine.subject import Verdict
from fsconform.engine.trial import Bench
from fsconform.engine.waivers import Waived
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, Step
from fsconform.proving.session import ProvingSession, ProvingStore

Make = Callable[[str], Program]
Trouble = Callable[[int], None]

CONTRACT = Contract({"supports-append": True, "supports-strict-exceptions": True})


class Scripted:
    """A session that asks ``trouble`` before each program, numbered from 1, and of several ``sessions`` takes turns."""

    def __init__(self, sessions: Sequence[ProvingSession], trouble: Trouble, count: Iterator[int]) -> None:
        self.sessions, self.trouble, self.count = sessions, trouble, count

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        for job in jobs:
            number = next(self.count)
            self.trouble(number)
            yield from self.sessions[number % len(self.sessions)].execute([job])

    def close(self) -> None:
        pass


class ScriptedStore(ProvingStore):
    """A store in memory that has a fault in all of its sessions' turns, or every other one, and may meet trouble."""

    def __init__(self, faults: Sequence[str | None] = (None,), trouble: Trouble = lambda number: None) -> None:
        super().__init__()
        self.stores = [ProvingStore(fault=fault) for fault in faults]
        self.trouble = trouble
        self.count = itertools.count(1)

    def session(self) -> Session:  # type: ignore[override]
        return Scripted([store.session() for store in self.stores], self.trouble, self.count)


def explored(store: ProvingStore, plan: Plan, listener: Listener = unheard) -> Outcome:
    benches = Benches(store, CONTRACT, plan.shards)
    try:
        return explore(benches, plan, listener)
    finally:
        benches.close()


@pytest.fixture
def plain(program: Make) -> list[Program]:
    return [program(f"mkdirs /a{number}; ?list /") for number in range(100)]


def endless(text: Program) -> Explorer:
    return Explorer("endless", lambda first: ((place, text) for place in itertools.count(first)))


@pytest.mark.parametrize("shards", [1, 2])
def test_everything_is_counted(shards: int, plain: list[Program]) -> None:
    outcome = explored(ProvingStore(), Plan((from_list("all", plain, whole=True),), 0, shards))
    (covered,) = outcome.covered
    assert covered.ended and (covered.programs, covered.operations, covered.place) == (100, 100, 100)
    collected = outcome.collected
    assert (collected.programs, collected.operations, collected.probes) == (100, 100, 100)
    assert len(collected.latencies["mkdirs"]) == 100
    assert outcome.problems == [] and not outcome.interrupted


def test_places_resume(plain: list[Program]) -> None:
    seen: list[int] = []
    store = ScriptedStore(trouble=seen.append)
    plan = Plan((from_list("all", plain, whole=True),), 0, places={"all": (40, 37)})
    (covered,) = explored(store, plan).covered
    assert len(seen) == 60 and covered.ended
    assert (covered.programs, covered.place) == (97, 100)


def test_the_budget_ends_what_is_not_whole(plain: list[Program]) -> None:
    started = time.monotonic()
    outcome = explored(ProvingStore(), Plan((from_list("all", plain, whole=True), endless(plain[0])), 0.6))
    assert 0.5 < time.monotonic() - started < 15
    whole, ended = outcome.covered
    assert whole.ended and not ended.ended
    assert ended.programs == ended.place > 0


def test_without_a_budget_only_whole_ones_run(plain: list[Program]) -> None:
    outcome = explored(ProvingStore(), Plan((endless(plain[0]), from_list("all", plain, whole=True)), 0))
    assert [(one.programs, one.ended) for one in outcome.covered] == [(0, False), (100, True)]


def test_fail_fast_stops_at_the_first_failure(plain: list[Program], program: Make) -> None:
    failing = from_list("failing", [program("create /a 1; delete /a")] * 1000, whole=True)
    for fail_fast in (True, False):
        explorers = (failing, from_list("all", plain, whole=True))
        outcome = explored(ProvingStore(fault="delete-file-false"), Plan(explorers, 0, fail_fast=fail_fast))
        if fail_fast:
            assert 0 < outcome.covered[0].programs < 1000 and outcome.covered[1].programs == 0
        else:
            assert [one.programs for one in outcome.covered] == [1000, 100]


def lost_from(number: int) -> Trouble:
    def trouble(count: int) -> None:
        if count >= number:
            raise StoreLost("read some.log")

    return trouble


def test_a_lost_store_keeps_what_was_found(plain: list[Program], program: Make) -> None:
    store = ScriptedStore(["delete-file-false"], lost_from(60))
    programs = [program("create /a 1; delete /a"), *plain]
    benches = Benches(store, CONTRACT, 1)
    outcome = explore(benches, Plan((from_list("all", programs, whole=True),), 0))
    assert outcome.problems == ["read some.log"] and not outcome.interrupted
    assert 0 < outcome.collected.programs < 60
    (proven,) = prove_all(benches, outcome.collected)
    assert proven.finding.operation == "delete" and proven.trial is None
    assert proven.note == "not replayed: read some.log" and proven.confirmed == ""


def test_a_store_that_was_never_there(plain: list[Program]) -> None:
    outcome = explored(ScriptedStore(trouble=lost_from(0)), Plan((from_list("all", plain, whole=True),), 0))
    assert outcome.problems == ["read some.log"] and outcome.collected.programs == 0


def test_a_refused_sandbox_is_not_swallowed(plain: list[Program]) -> None:
    def refuse(count: int) -> None:
        raise SandboxRefused("not ours")

    with pytest.raises(SandboxRefused):
        explored(ScriptedStore(trouble=refuse), Plan((from_list("all", plain, whole=True),), 0))


def test_an_interrupt_keeps_what_was_found(program: Make) -> None:
    def interrupt(event: Event) -> None:
        if isinstance(event, Advanced) and event.done >= 20:
            raise KeyboardInterrupt

    store = ProvingStore(fault="delete-file-false")
    outcome = explored(store, Plan((endless(program("create /a 1; delete /a")),), 60), interrupt)
    assert outcome.interrupted and outcome.collected.programs >= 20
    assert len(outcome.collected.samples) == 1 and "interrupted" in outcome.problems[0]


def proven_of(faults: Sequence[str | None], text: Program, times: int = 9) -> list[Proven]:
    benches = Benches(ScriptedStore(faults), CONTRACT, 1)
    outcome = explore(benches, Plan((from_list("all", [text] * times, whole=True),), 0))
    return prove_all(benches, outcome.collected)


TEXT = "mkdirs /x; create /x/y 30; ?list /; delete /x/y; ?status /x/y"


def test_a_sound_finding_is_confirmed(program: Make) -> None:
    (proven,) = proven_of(["delete-file-false"], program(TEXT))
    assert proven.confirmed == "3/3" and proven.count == 9 and proven.note == ""
    assert [type(step.operation).__name__ for step in proven.program] == ["Create", "Delete"]
    assert proven.trial is not None and proven.trial.program == proven.program


def test_an_error_is_told_with_its_stack(program: Make) -> None:
    (proven,) = proven_of(["rename-refused-by-prefix"], program("mkdirs /a; rename /a /ab; exists /x"))
    assert "Traceback" in proven.finding.stack and proven.finding.message


def test_a_flaky_store_is_marked_and_not_lost(program: Make) -> None:
    (proven,) = proven_of(["delete-file-false", None], program(TEXT))
    assert proven.finding.operation == "delete" and proven.count in (4, 5)
    assert proven.note.startswith("flaky") and proven.shown < proven.replays == 3


def test_a_departure_that_never_comes_back_is_marked_and_not_lost(program: Make) -> None:
    (proven,) = proven_of([None, "delete-file-false", *[None] * 1000], program(TEXT), times=3)
    assert proven.confirmed == "0/3" and proven.note.startswith("flaky") and proven.count == 1
    assert proven.program == program(TEXT)[: len(proven.program)]
    (record,) = recorder.divergences(Filesystem(Oracle(CONTRACT)), "mine", [proven], Waived({}, ()), "")
    # What was observed when it was met is all there is to understand it by.
    assert [step.observed for step in record.sequence if step.marked] == [proven.finding.observed]
    assert all(step.observed for step in record.sequence)


def test_a_sound_store_has_nothing_to_prove(program: Make) -> None:
    assert proven_of([None], program(TEXT)) == []


def finding(verdict: Verdict, *roles: str, operation: str = "open", kind: str = "raised", after: str = "") -> Finding:
    name = f"{operation} {sorted(roles)} {kind} {after}"
    return Finding(
        name,
        verdict,
        "c",
        "MUST",
        0,
        operation,
        "e",
        "o",
        noticed=0,
        roles=frozenset(roles),
        observed_kind=kind,
        after=after,
    )


def absorbing(*findings: Finding) -> dict[str, str]:
    return absorbed({one.signature: Sample(one, ()) for one in findings})


def test_special_places_are_absorbed_by_the_general_one() -> None:
    general, special = finding("violation", "file"), finding("violation", "file", "odd")
    most = finding("violation", "file", "odd", "deep")
    assert absorbing(general, special) == {special.signature: general.signature}
    assert absorbing(general, special, most)[most.signature] == general.signature
    assert absorbing(general, finding("undeclared", "file", "odd")) == {}
    assert absorbing(finding("deviation", "file"), special) == {}
    assert absorbing(general, finding("violation", "odd")) == {}
    for other in (
        finding("violation", "file", "odd", operation="list"),
        finding("violation", "file", "odd", kind="returned"),
        finding("violation", "file", "odd", after="x"),
    ):
        assert absorbing(general, other) == {}


def test_samples_keep_the_smallest_program_that_nothing_comes_before(program: Make) -> None:
    one = finding("violation", "file")
    sample = Sample(replace(one, first=False), program("mkdirs /a"))
    sample.offer(one, program("mkdirs /a; mkdirs /b; mkdirs /c"))
    assert sample.count == 2 and sample.finding.first and len(sample.program) == 3
    sample.offer(one, program("mkdirs /a; mkdirs /b"))
    sample.offer(one, program("mkdirs /a; mkdirs /b; mkdirs /d"))
    sample.offer(replace(one, first=False), program("mkdirs /a"))
    assert sample.count == 5 and sample.program == program("mkdirs /a; mkdirs /b")


def test_collecting_counts_what_was_not_said(program: Make) -> None:
    benches = Benches(ProvingStore(), CONTRACT, 1)
    bench = Bench(ProvingStore().session(), Judge(benches.oracle))
    collected = Collected()
    slash = program("mkdirs /a; mkdirs /b")
    odd = (Step(Mkdirs(("a/b",))), slash[1])
    (trial,) = bench.try_all([odd])
    collected.add(trial)
    collected.add(replace(trial, execution=replace(trial.execution, lost="gone")))
    assert (collected.not_expressible, collected.operations, collected.losses["gone"]) == (2, 2, 1)
