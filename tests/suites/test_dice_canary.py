"""A canary: what suites/dice.py takes from inside Hypothesis is still there, works, and is taken nowhere else."""

from __future__ import annotations

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
        if "hypothesis.internal" in path.read_text("utf-8")
    ]
    assert users == ["suites/dice.py"]


def choices() -> list[tuple[int, bool]]:
    """What Hypothesis draws with our source of choices."""
    from hypothesis import Phase, given, settings
    from hypothesis import strategies as st

    from fsconform.suites.dice import BACKEND, thrown

    drawn: list[tuple[int, bool]] = []

    @settings(backend=BACKEND, database=None, max_examples=5, deadline=None, phases=(Phase.generate,))
    @given(st.integers(0, 1000), st.booleans())
    def draw(number: int, flag: bool) -> None:
        drawn.append((number, flag))

    with thrown("canary"):
        draw()
    return drawn


def test_what_dice_take_from_inside_hypothesis_is_as_it_was() -> None:
    try:
        first, second = choices(), choices()
        assert first == second and len(set(first)) > 2, "a seed no longer gives the same choices"
    except Exception as error:
        pytest.fail(
            f"Hypothesis {hypothesis.__version__} has changed inside what suites/dice.py rests on ({error!r}): "
            "mend that module, or lower the upper bound of hypothesis in pyproject.toml",
            pytrace=False,
        )
