"""Programs, operations and outcomes come back from JSON as they were; what is broken is refused with its step."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconform.model.core.content import Content, Observed, Segment
from fsconform.model.core.operation import Operation, paths_of
from fsconform.model.core.outcomes import (
    Data,
    Garbled,
    NotExpressible,
    Outcome,
    Raised,
    Returned,
    Status,
    Unknown,
    Value,
    facts,
)
from fsconform.model.filesystem import programs as codec
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

PATHS = st.lists(st.text(st.characters(exclude_characters="/"), max_size=3), max_size=3).map(tuple)
NAMEABLE = PATHS.filter(lambda path: path != ("",))
LONG = (1 << 63) - 1
SEGMENTS = st.builds(Segment, st.integers(-LONG - 1, LONG), st.integers(0, LONG // 4), st.integers(0, LONG))
CONTENTS = st.lists(SEGMENTS, max_size=3).map(tuple)
OPERATIONS: st.SearchStrategy[Operation] = st.one_of(
    *(st.builds(kind, NAMEABLE) for kind in (Mkdirs, Open, GetFileStatus, Exists, ListStatus)),
    st.builds(Create, NAMEABLE, CONTENTS, st.booleans()),
    st.builds(Append, NAMEABLE, CONTENTS),
    st.builds(Delete, NAMEABLE, st.booleans()),
    st.builds(Rename, NAMEABLE, NAMEABLE),
)
PROGRAMS = st.lists(st.builds(Step, OPERATIONS, st.integers(0, 3), st.booleans(), st.booleans()), max_size=5).map(tuple)
NUMBERS = st.integers(-LONG - 1, LONG)
STATUSES = st.builds(Status, NAMEABLE, st.booleans(), NUMBERS, NUMBERS)
VALUES = st.one_of(
    st.none(), st.booleans(), STATUSES, st.builds(Data, NUMBERS, st.text()), st.lists(STATUSES).map(tuple)
)
OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(
    st.builds(Returned, VALUES),
    st.builds(Raised, st.lists(st.text()).map(tuple), st.text(), st.text()),
    st.builds(Unknown, st.text()),
    st.builds(NotExpressible, st.text()),
)
SOUND: dict[str, Any] = {"op": "create", "path": "/a", "content": [[1, 3, 0]], "overwrite": False}


@given(PROGRAMS)
def test_programs_come_back(program: Program) -> None:
    assert codec.decode_program(json.loads(json.dumps(codec.encode_program(program)))) == program


@given(OUTCOMES)
def test_outcomes_come_back(outcome: Outcome) -> None:
    assert codec.decode_outcome(json.loads(json.dumps(codec.encode_outcome(outcome)))) == outcome


@given(CONTENTS)
def test_content_comes_back(content: Content) -> None:
    assert codec.decode_content(codec.encode_content(content)) == content


def test_form_is_fixed() -> None:
    program = (
        Step(Create(("a", "b"), (Segment(1, 3, 2),), True), client=1),
        Step(Rename(("a",), ()), setup=True),
        Step(ListStatus(()), probe=True),
    )
    assert codec.encode_program(program) == [
        {"op": "create", "path": "/a/b", "content": [[1, 3, 2]], "overwrite": True, "client": 1},
        {"op": "rename", "src": "/a", "dst": "/", "setup": True},
        {"op": "listStatus", "path": "/", "probe": True},
    ]


def test_observed_content_is_no_part_of_a_program() -> None:
    with pytest.raises(ValueError, match="observed"):
        codec.encode_content((Observed(3, "x"),))


@pytest.mark.parametrize(
    "change",
    [
        {"op": "creat"},
        {"op": None},
        {"op": ["create"]},
        {"path": "a"},
        {"path": 1},
        {"path": None},
        {"content": [[1, 3]]},
        {"content": [[1, -3, 0]]},
        {"content": [[1, 3, -1]]},
        {"content": [[1, 3.0, 0]]},
        {"content": [[True, 3, 0]]},
        {"content": [["1", 3, 0]]},
        {"content": 3},
        {"content": None},
        {"overwrite": 1},
        {"overwrite": None},
        {"recursive": True},
        {"other": 1},
    ],
    ids=str,
)
def test_broken_operations_are_refused(change: dict[str, Any]) -> None:
    codec.decode_operation(SOUND)
    with pytest.raises(ValueError, match="not an operation"):
        codec.decode_operation(SOUND | change)


@pytest.mark.parametrize("gone", sorted(SOUND))
def test_operations_with_a_part_missing_are_refused(gone: str) -> None:
    with pytest.raises(ValueError, match="not an operation"):
        codec.decode_operation({name: value for name, value in SOUND.items() if name != gone})


@pytest.mark.parametrize(
    "step",
    [3, None, [], "mkdirs", SOUND | {"client": -1}, SOUND | {"client": True}, SOUND | {"client": "0"}]
    + [SOUND | {name: value} for name in ("probe", "setup") for value in (1, None, "true")]
    + [SOUND | {"path": "a"}],
    ids=str,
)
def test_broken_steps_are_refused_by_number(step: Any) -> None:
    with pytest.raises(ValueError, match="step 2"):
        codec.decode_program([SOUND, step])


@pytest.mark.parametrize("rows", [None, {}, "abc", 3, (SOUND,)], ids=str)
def test_what_is_no_list_is_no_program(rows: Any) -> None:
    with pytest.raises(ValueError, match="list of steps"):
        codec.decode_program(rows)


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"kind": "gone"},
        {"kind": "returned"},
        {"kind": "returned", "value": 3},
        {"kind": "returned", "value": "true"},
        {"kind": "returned", "value": {"path": "/a"}},
        {"kind": "returned", "value": [{"path": "a", "dir": True, "length": 0, "block": 0}]},
        {"kind": "returned", "value": [3]},
        {"kind": "returned", "value": [{"path": 1, "dir": True, "length": 0, "block": 0}]},
        {"kind": "returned", "value": [{"path": "/a", "dir": 1, "length": 0, "block": 0}]},
        {"kind": "returned", "value": [{"path": "/a", "dir": True, "length": "0", "block": 0}]},
        {"kind": "returned", "value": {"garbled": 1}},
        {"kind": "returned", "value": {"facts": "read", "items": {"told": [1]}}},
        {"kind": "returned", "value": {"facts": "read", "items": {"told": 1.5}}},
        {"kind": "raised", "classes": None, "message": ""},
        {"kind": "raised", "message": ""},
        {"kind": "unknown"},
        {"kind": "not-expressible"},
    ],
    ids=str,
)
def test_broken_outcomes_are_refused(row: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        codec.decode_outcome(row)


@pytest.mark.parametrize(
    "value",
    [Garbled("no bytes"), facts("seen", length=3, whole=True, read="x", none=None, disagree=("a", "b"))],
    ids=str,
)
def test_what_was_seen_comes_back(value: Value) -> None:
    assert codec.decode_value(json.loads(json.dumps(codec.encode_value(value)))) == value


def test_an_operation_that_only_looks_like_one_is_refused() -> None:
    for row in (
        {"op": "mkdirs", "path": "/a", "via": "telephone"},
        {"op": "openFile", "path": "/a", "must": "a", "opt": []},
        {"op": "openFile", "path": "/a", "must": [1], "opt": []},
    ):
        with pytest.raises(ValueError, match="not an operation"):
            codec.decode_operation(row)


def test_paths_of_an_operation() -> None:
    assert paths_of(Rename(("a",), ("b",))) == (("a",), ("b",))
    assert paths_of(Delete(("a",), True)) == (("a",),)
