"""What a run counts while it is under way: --fail-fast ends it for what fails the gate, and for nothing else."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace

import pytest

from fsconform.engine import sifting
from fsconform.engine.benches import Benches
from fsconform.engine.confirm import prove
from fsconform.engine.events import Advanced, Event
from fsconform.engine.exploration import Outcome, Plan, explore
from fsconform.engine.explorers import from_list
from fsconform.engine.gate import Terms
from fsconform.engine.waivers import Waiver
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.programs import Program
from fsconform.proving.session import ProvingStore

Make = Callable[[str], Program]
SIGNATURE = "delete (non-empty directory, not recursive) returned true, data lost"


def _waiver(signature: str) -> Waiver:
    return Waiver("proving", signature, "why", "where", datetime.date(2099, 1, 1))


def _explored(programs: list[Program], fail_fast: bool, *waivers: Waiver) -> tuple[Outcome, Advanced]:
    told: list[Event] = []
    benches = Benches(ProvingStore(fault="delete-non-empty"), Contract({}, "none"), 1)
    try:
        explorers = (from_list("list", programs, whole=True),)
        plan = Plan(explorers, 0, fail_fast=fail_fast, terms=Terms("proving", waivers))
        outcome = explore(benches, plan, told.append)
        assert isinstance(told[-1], Advanced)
        return outcome, told[-1]
    finally:
        benches.close()


@pytest.fixture
def programs(program: Make) -> list[Program]:
    return [program("create /a/b 1; delete /a"), *[program(f"mkdirs /c{number}") for number in range(200)]]


def test_what_is_accepted_does_not_end_a_run(programs: list[Program]) -> None:
    slow, _ = _explored(programs, False, _waiver(SIGNATURE))
    fast, told = _explored(programs, True, _waiver(SIGNATURE))
    assert fast.collected.operations == slow.collected.operations
    assert fast.collected.programs == len(programs)
    assert (told.accepted, told.failing, fast.stopped_for) == (1, 0, "")


def test_what_fails_ends_it(programs: list[Program]) -> None:
    fast, told = _explored(programs, True)
    assert fast.collected.programs < len(programs)
    assert fast.stopped_for == SIGNATURE
    slow, told = _explored(programs, False)
    assert slow.collected.programs == len(programs)
    assert (told.accepted, told.failing) == (0, 1)


def test_a_symptom_of_what_is_accepted_does_not_end_it(program: Make, programs: list[Program]) -> None:
    """A later query shows the loss that an accepted call made; the replay names the cause."""
    symptom = program("create /a/b 1; delete /a; list /a")
    fast, _ = _explored([symptom, *programs], True, _waiver(SIGNATURE))
    assert fast.collected.programs == len(programs) + 1


def test_what_no_replay_shows_does_not_end_it(programs: list[Program], monkeypatch: pytest.MonkeyPatch) -> None:

    proven, tries = prove, list[str]()

    def flaky(*arguments: object) -> object:
        found = proven(*arguments)  # type: ignore[arg-type]
        assert found is not None
        tries.append(found.finding.signature)
        return replace(found, shown=0)

    monkeypatch.setattr(sifting, "prove", flaky)
    fast, told = _explored([*programs, programs[0]], True)
    assert fast.collected.programs == len(programs) + 1 and not fast.stopped_for
    assert tries == [SIGNATURE], "it is not tried again"
    assert told.failing == 0
