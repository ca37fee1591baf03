"""Results for the reports' tests: the checked-in example, and the same with an attack in every text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsconform.records import codec
from fsconform.records.results import BelowBreach, BelowRecord, BelowStep, Results, StepRecord

ROOM = Path(__file__).resolve().parent.parent.parent / "records"


@pytest.fixture
def example() -> Results:
    """The example that is checked in."""
    return codec.loads(ROOM / "example.json")


@pytest.fixture
def poison() -> Callable[[Any, str], Any]:
    """A function that puts a text into every text of some results, and into every key that a store can choose."""
    return _poisoned


@pytest.fixture
def lossy(example: Results) -> Results:
    """One store that passes with accepted bugs: two that lose or spoil data, one by two symptoms, and others."""
    store = example.stores[2]
    (waived,) = [one for one in store.divergences if one.verdict == "waived"]
    seen = (
        *(("a", "lost-on-rename", "data lost"), ("b", "lost-on-rename", "data lost"), ("c", "", "data wrong")),
        *(("d", "harmless", "wrong error"), ("e", "foreign", "data of others")),
    )
    shown = [
        dataclasses.replace(
            waived, signature=signature, cause=cause, impact=impact, clause=f"{waived.clause}.{signature}"
        )
        for signature, cause, impact in seen
    ]
    # What is not accepted is no known way: it is reported as a deviation.
    shown.append(dataclasses.replace(waived, signature="f", verdict="deviation", impact="data lost"))
    verdicts = {"waived": len(seen), "deviation": 1}
    passing = dataclasses.replace(store, name="lossy", divergences=shown, verdicts=verdicts, problems=[])
    return dataclasses.replace(example, stores=[passing])


BELOW = BelowRecord(
    "http://127.0.0.1:9000",
    "departs",
    74,
    ["GetObject.missing", "ListObjectsV2.all-keys"],
    [
        BelowStep(["a, 3 bytes"], ["+ a"]),
        BelowStep(["a, 3 bytes", "a/b, 1 byte"], ["+ a/b"], "a stream is open"),
        BelowStep([], ["- a", "- a/b"]),
    ],
    [
        StepRecord("PutObject('a', 3 bytes)", {}, "200", ""),
        StepRecord("ListObjectsV2()", {}, "200 'a'", "list 'a/b'", marked=True),
    ],
    [
        BelowBreach(
            "ListObjectsV2.all-keys",
            "MUST",
            "A listing has every key.",
            "Amazon S3 API Reference, ListObjectsV2",
            "left",
            2,
            "ListObjectsV2()",
            "list 'a/b'",
            "it is missing",
        )
    ],
    note="not repeated: 'x'",
)


@pytest.fixture
def layered(example: Results) -> Results:
    """The example, with the store below seen at its first divergence."""
    first, *others = example.stores
    shown = [dataclasses.replace(first.divergences[0], below=BELOW), *first.divergences[1:]]
    return dataclasses.replace(example, stores=[dataclasses.replace(first, divergences=shown), *others])


@pytest.fixture
def hostile(layered: Results, attacks: tuple[str, ...]) -> Results:
    """The example with all attacks in every text."""
    results: Results = _poisoned(layered, "".join(attacks))
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
