"""Results for the reports' tests: the checked-in example, and the same with an attack in every text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsconform.records import codec
from fsconform.records.results import Results

ROOM = Path(__file__).resolve().parent.parent.parent / "records"

ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)' x='",
    "</style></title></pre></textarea><script>alert(2)</script>",
    "--><svg onload=alert(3)>]]>",
    "{{ 7 * 191 }}{% raw %}",
    "javascript:alert(4)",
    "../../../etc/passwd",
    "[bold]markup[/bold] [link=file:///x]",
    "&lt;b&gt;&#x202e;",
    "\u202etxt.exe\u2066\u200b\ufeff",
    "\x00\x07\x1b[2J\x1b]0;title\x07\x7f\x9b31m",
    "line\nline\r\u2028\ttab",
    "e\u0301\ud800\udfff\ufffe\U000e0041",
)


@pytest.fixture
def example() -> Results:
    """The example that is checked in."""
    return codec.loads(ROOM / "example.json")


@pytest.fixture(scope="session")
def attacks() -> tuple[str, ...]:
    """What a hostile store would name its files."""
    return ATTACKS


@pytest.fixture
def poison() -> Callable[[Any, str], Any]:
    """A function that puts a text into every text of some results, and into every key that a store can choose."""
    return _poisoned


@pytest.fixture
def hostile(example: Results) -> Results:
    """The example with all attacks in every text."""
    results: Results = _poisoned(example, "".join(ATTACKS))
    return results


def _poisoned(value: Any, attack: str) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: _poisoned(getattr(value, field.name), attack)
            for field in dataclasses.fields(value)
            if field.name not in ("verdict", "verdicts")
        }
        return dataclasses.replace(value, **changed)
    if isinstance(value, str):
        # A clause keeps its own name in front, so that clauses stay apart.
        return value + attack
    if isinstance(value, dict):
        return {_poisoned(key, attack): _poisoned(part, attack) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_poisoned(part, attack) for part in value)
    return value
