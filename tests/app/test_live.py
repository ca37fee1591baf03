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


def test_a_terminal_shows_the_time_that_is_left_of_each_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console.console, "_force_terminal", True)
    now = [100.0]
    live = Live(lambda: now[0])
    live.hear(Advanced("one", "witnesses", 10, 50, 40, 1, 2))
    (task,) = live._bars.tasks
    assert task.fields["left"] == ""
    now[0] += 20
    live.hear(Advanced("one", "witnesses", 20, 50, 40, 1, 2))
    assert task.fields["left"] == "1 min left"
    live.hear(Confirming("one", "rename returned", 1, 50, "minimising"))
    assert task.fields["left"] == "", "the time of another phase"
    now[0] += 6
    live.hear(Confirming("one", "delete returned", 3, 50, "minimising"))
    assert task.fields["left"] == "2 min left"
    live.hear(Advanced("one", "hypothesis", 20, None, 40, 1, 2))
    now[0] += 60
    live.hear(Advanced("one", "hypothesis", 40, None, 40, 1, 2))
    assert task.fields["left"] == ""


def test_without_a_terminal_a_phase_that_lasts_is_told_of_each_minute(shown: list[str]) -> None:
    now = [0.0]
    live = Live(lambda: now[0])
    for second in range(0, 150, 10):
        now[0] = second
        live.hear(Advanced("one", "witnesses", second * 10, 4000, 40, 1, 2))
    assert shown == [
        "one: witnesses",
        "one: witnesses, 600 of 4,000, 6 min left",
        "one: witnesses, 1,200 of 4,000, 5 min left",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, ""), (0.2, "1 s left"), (59, "59 s left"), (90, "2 min left"), (4000, "1 h 7 min left")],
)
def test_a_time_is_told_roughly(seconds: float | None, words: str) -> None:
    assert console.in_words(seconds) == words
