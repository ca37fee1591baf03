"""The first of Spark's stores comes up beside what else is judged, and is closed whoever asks for it or not."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.stores.site import Setup
from fsconform.harness import interrupts
from fsconform.harness import layer_runs as runs
from fsconform.harness.judging import Judged

FOUND = cast(Judged, SimpleNamespace())


class Up:
    """What is brought up: remembers what was done with it."""

    def __init__(self, name: str, done: list[str]) -> None:
        self.name, self._done = name, done
        self.driver = SimpleNamespace(start=lambda: done.append(f"{name} started in {threading.current_thread().name}"))

    def close(self) -> None:
        self._done.append(f"{self.name} closed")


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def bring_up(name: str, setup: Any, jars: Any) -> Up:
        if name == "broken":
            raise ServiceError("it does not come up")
        found.append(f"{name} up")
        return Up(name, found)

    monkeypatch.setattr(runs, "bring_up_spark", bring_up)
    return found


def plan(*stores: str) -> Any:
    return SimpleNamespace(stores=stores, jars=())


def setup(name: str) -> Setup:
    return Setup(Path(name), print, 1.0)


def test_the_first_comes_up_beside_the_others_and_the_rest_when_asked(done: list[str]) -> None:
    with runs.coming_up(plan("a", "b"), setup) as bring:
        one = bring("a")
        assert done == ["a up", "a started in spark_0"]
        one.close()
        bring("b").close()
    assert done[2:] == ["a closed", "b up", "b closed"]


def test_what_nobody_asked_for_is_closed(done: list[str]) -> None:
    with pytest.raises(KeyboardInterrupt), runs.coming_up(plan("a", "b"), setup):
        raise KeyboardInterrupt
    assert done[-1] == "a closed" and "b up" not in done


def test_what_does_not_come_up_is_told_to_who_asks(done: list[str]) -> None:
    with runs.coming_up(plan("broken"), setup) as bring, pytest.raises(ServiceError):
        bring("broken")
    with runs.coming_up(plan("broken"), setup):
        pass
    with runs.coming_up(plan(), setup):
        pass
    assert done == []


def until_interrupted(meet: runs.Meet) -> list[Judged]:
    """Judge for ever; what was found before the interrupt is kept."""
    with suppress(KeyboardInterrupt):
        while True:
            meet()
            time.sleep(0.001)
    return [FOUND]


def test_judging_beside_goes_on_until_its_records_are_asked_for() -> None:
    begun = threading.Event()

    def judging(meet: runs.Meet) -> list[Judged]:
        meet()
        begun.set()
        return [FOUND]

    beside = runs.Beside(judging)
    assert begun.wait(10)
    assert beside.judged() == [FOUND]
    beside.close()


@pytest.mark.parametrize("swallowed", [False, True])
def test_an_interrupt_ends_judging_beside_and_keeps_what_was_found(swallowed: bool) -> None:
    beside = runs.Beside(until_interrupted)
    if swallowed:  # as where the collector of garbage was at work when the signal came
        interrupts._lost.append(True)
    else:
        beside.end()
    assert beside.judged() == [FOUND]
    with pytest.raises(IndexError):
        interrupts._lost.pop()


def test_what_judging_beside_raises_is_raised_to_who_asks() -> None:
    def judging(meet: runs.Meet) -> list[Judged]:
        raise ServiceError("gone")

    beside = runs.Beside(judging)
    with pytest.raises(ServiceError):
        beside.judged()
    beside.close()
