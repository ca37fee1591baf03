"""What the tests of suites share: an oracle, and programs of each suite, made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.suites.exploring import chunks
from fsconform.suites.registry import SUITES

Sample = Callable[[str], tuple[Program, ...]]

CHUNKS = 8
ORACLE = Oracle(Contract({"supports-append": True, "supports-strict-exceptions": True}))


@cache
def _sample(name: str) -> tuple[Program, ...]:
    draw = chunks(SUITES[name], ORACLE, 1)
    return tuple(program for number in range(CHUNKS) for program in draw(number))


@pytest.fixture(scope="session")
def oracle() -> Oracle:
    """An oracle of a store that can append and has precise errors."""
    return ORACLE


@pytest.fixture(scope="session")
def sample() -> Sample:
    """From a suite's name to a few hundred of the programs that Hypothesis draws from it."""
    return _sample
