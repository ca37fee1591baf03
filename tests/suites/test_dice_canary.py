"""A canary: what suites/dice.py takes from inside Hypothesis is still there, works, and is taken nowhere else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import hypothesis
import pytest

ROOMS = ("adapters", "app", "engine", "model", "pipeline", "records", "reports", "specs", "suites")
REPOSITORY = Path(__file__).parents[2]


def test_private_parts_of_hypothesis_are_used_by_one_module() -> None:
    users = [
        path.relative_to(REPOSITORY).as_posix()
        for room in ROOMS
        for path in (REPOSITORY / room).rglob("*.py")
        if any(private in path.read_text("utf-8") for private in ("hypothesis.internal", "RuleStrategy"))
    ]
    assert users == ["suites/dice.py"]


def swarm(programs: int = 60) -> tuple[Counter[str], int, list[float]]:
    """How often each rule of a machine is chosen by our weights, how many programs lack one, and what they threw."""
    from hypothesis import Phase, settings
    from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

    from fsconform.suites.dice import BACKEND, WeightedRules, drive

    chosen: Counter[str] = Counter()
    without = [0]
    thrown: list[float] = []

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self._rules_strategy = WeightedRules(self, {"light": 1, "heavy": 9, "never": 9}, self.begin)
            self.dice = self._rules_strategy.dice
            self.own: Counter[str] = Counter()

        def begin(self) -> None:
            thrown.append(self.dice.random())

        @rule()
        def light(self) -> None:
            self.own["light"] += 1

        @rule()
        def heavy(self) -> None:
            self.own["heavy"] += 1
            thrown.append(self.dice.random())

        @precondition(lambda self: False)
        @rule()
        def never(self) -> None:
            self.own["never"] += 1

        def teardown(self) -> None:
            chosen.update(self.own)
            without[0] += len(self.own) == 1

    settled = settings(
        backend=BACKEND,
        database=None,
        max_examples=programs,
        deadline=None,
        phases=(Phase.generate,),
        stateful_step_count=30,
    )
    drive(Machine, "canary", settled)
    return chosen, without[0], thrown


def test_what_dice_take_from_inside_hypothesis_is_as_it_was() -> None:
    try:
        (chosen, without, first), (_, _, second) = swarm(), swarm()
        assert first == second and len(set(first)) > len(first) / 2, "a seed no longer gives the same choices"
        assert chosen["heavy"] > 1.5 * chosen["light"] > 0 == chosen["never"], "rules are not chosen by their weights"
        assert 5 < without < 55, "no rule is switched off in whole programs, or too many are"
    except Exception as error:
        pytest.fail(
            f"Hypothesis {hypothesis.__version__} has changed inside what suites/dice.py rests on ({error!r}): "
            "mend that module, or lower the upper bound of hypothesis in pyproject.toml",
            pytrace=False,
        )
