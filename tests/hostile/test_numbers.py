"""Numbers that a store's interface can't hold are refused where a program is read: none comes out as another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fsconform.app.main import main
from fsconform.model.core.operation import BOUNDS, OPERATIONS, Operation, bounds, shape
from fsconform.model.filesystem import stream_scripts
from fsconform.model.filesystem.programs import CLIENTS, decode_operation, decode_program, encode_operation
from fsconform.model.objects import operations as requests
from fsconform.specs.witness import witnesses

NUMBERS = [
    (kind, name) for kind in (*OPERATIONS.values(), *requests.ALL) for name, form in shape(kind) if form == "number"
]  # fmt: skip


def _row(kind: type[Operation]) -> dict[str, Any]:
    held: dict[str, Any] = {"path": "/a", "paths": ["/a"], "content": [[1, 3, 0]], "flag": True, "number": 1}
    row = {name: held.get(form, [] if form == "texts" else "a") for name, form in shape(kind) if name != "via"}
    row |= {name: words[0] for name, words in kind.WORDS.items() if isinstance(row[name], str)}
    row |= {name: "" for name in ("if_match", "if_none_match") if name in row}
    return row | {"request" if issubclass(kind, requests.Request) else "op": kind.NAME}


def _decoded(row: dict[str, Any]) -> object:
    return requests.decode(row) if "request" in row else decode_operation(row)


def test_there_are_numbers() -> None:
    assert {(kind.NAME, name) for kind, name in NUMBERS} > {
        ("truncate", "length"), ("setTimes", "modified"),
        ("setPermission", "permission"), ("setReplication", "replication"),
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), NUMBERS, ids=lambda one: one if isinstance(one, str) else one.NAME)
def test_each_number_has_a_range_and_is_held_to_it(kind: type[Operation], name: str) -> None:
    least, greatest = bounds(kind)[name]
    row = _row(kind)
    for inside in (least, greatest):
        assert getattr(_decoded(row | {name: inside}), name) == inside
    for outside in (least - 1, greatest + 1, 10**30, -(10**30), 1 << 64, 1 << 16 if greatest < 1 << 16 else 1 << 70):
        with pytest.raises(ValueError, match=f"{name} of .* is .*: write a number from {least} to {greatest}"):
            _decoded(row | {name: outside})


def test_ranges_are_those_of_java() -> None:
    """What is in range for a long or a short is one: nothing is cut off on the way to the store."""
    for name, size in (("Long", 64), ("Int", 32), ("Short", 16)):
        assert BOUNDS[name] == (-(1 << (size - 1)), (1 << (size - 1)) - 1)


@pytest.mark.parametrize("row", [[1, 1 << 63, 0], [1 << 63, 1, 0], [1, 1, 1 << 63], [1, 10**30, 0]])
def test_content_and_clients_have_ranges(row: list[int]) -> None:
    with pytest.raises(ValueError, match="write a number from"):
        decode_operation({"op": "append", "path": "/a", "content": [row]})
    half = [1, 1 << 62, 0]
    with pytest.raises(ValueError, match="the length of content"):
        decode_operation({"op": "append", "path": "/a", "content": [half, half]})
    for client in (CLIENTS[1] + 1, 10**30, -1):
        with pytest.raises(ValueError, match="client is a number from 0"):
            decode_program([{"op": "exists", "path": "/a", "client": client}])


@pytest.mark.parametrize(
    "text",
    [
        f"seek {1 << 63}", f"skip {10**30}", f"pread {1 << 63} 1", f"pread 0 {1 << 31}", f"from 0 {10**30}",
        f"readahead {-(1 << 63) - 1}", f"vectored 0+{1 << 31}", f"vectored {1 << 63}+1", f"bytebuffer {1 << 40}",
        f"read {1 << 40}", f"read 1 at 0 in {1 << 40}",
        "seek " + "9" * 5000, "seek 1_0", "seek \u0661", " & ".join(["close"] * 100),
    ],
)  # fmt: skip
def test_scripts_have_ranges(text: str) -> None:
    with pytest.raises(ValueError):
        stream_scripts.parse(text)
    with pytest.raises(ValueError):
        decode_operation({"op": "read by stream", "path": "/a", "script": [text]})


def test_words_without_a_meaning_are_refused() -> None:
    for kind in OPERATIONS.values():
        for name in kind.WORDS:
            row = _row(kind)
            odd = ["no word"] if isinstance(row[name], list) else "no word"
            with pytest.raises(ValueError, match=f"{name} of .*: write one of"):
                _decoded(row | {name: odd})


def test_every_witness_is_read_as_before() -> None:
    for witness in witnesses():
        for step in witness.program:
            assert decode_operation(json.loads(json.dumps(encode_operation(step.operation)))) == step.operation


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "truncate", "path": "/a", "length": 10**30},
        {"op": "setPermission", "path": "/a", "permission": 10**30},
        {"op": "setReplication", "path": "/a", "replication": 1 << 16},
        {"op": "setTimes", "path": "/a", "modified": 10**30, "accessed": -1},
        {"op": "getFileBlockLocations", "path": "/a", "start": 0, "length": 10**30},
    ],
)
def test_a_replay_of_such_a_number_is_refused_with_the_range(tmp_path: Path, operation: dict[str, Any]) -> None:
    file = tmp_path / "replay.json"
    row = {"fsconform-replay": 1, "signature": "s", "verdict": "violation", "store": "proving", "contract": {}}
    file.write_text(json.dumps(row | {"program": [operation]}), "utf-8")
    result = CliRunner().invoke(main, ["replay", str(file)])
    assert result.exit_code == 2, result.output
    assert str(file) in result.output and "step 1" in result.output and "write a number from" in result.output
