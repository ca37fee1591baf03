"""What a person sees of the events of a run where there is no terminal: each phase once."""

from __future__ import annotations

import pytest

from fsconform.engine.events import Advanced, Confirming, Doing, saying
from fsconform.harness import console
from fsconform.harness.console import Live


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(console.console, "print", lambda text, **how: lines.append(text))
    return lines


def test_each_phase_is_a_line(shown: list[str]) -> None:
    with Live() as live:
        saying(live.hear, "one")("starting")
        for done in (1, 2):
            live.hear(Advanced("one", "witnesses", done, 9, 40, 1, 2))
        live.hear(Doing("two", "starting"))
        for number in (1, 2):
            live.hear(Confirming("one", "rename returned false", number, 2))
    assert shown == ["one: starting", "one: witnesses", "two: starting", "one: minimising and confirming"]


def test_a_terminal_shows_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console.console, "_force_terminal", True)
    live = Live()
    live.hear(Advanced("one", "witnesses", 3, 9, 40, 1, 2))
    (task,) = live._bars.tasks
    assert (task.description, task.completed, task.total) == ("one: witnesses", 3, 9)
    assert task.fields["seen"] == "40 operations, 1 accepted, 2 failing"
    live.hear(Confirming("one", "rename [x] returned", 2, 5))
    assert (task.completed, task.total) == (2, 5) and "rename" in task.fields["seen"]
