"""Campaigns: the canary is in no Parquet file, no log of Spark's and on no command line of its JVMs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fsconform.engine.secrecy import HIDDEN, KNOWN
from fsconform.pipeline.attempt import without_secrets
from fsconform.pipeline.session import configuration, is_private

CANARY = "P4rquet-Canary"


@pytest.fixture(autouse=True)
def register() -> Iterator[None]:
    KNOWN.forget()
    KNOWN.learn([CANARY, "file", "314159"])
    yield
    KNOWN.forget()


def _row(**more: Any) -> dict[str, Any]:
    program = json.dumps([{"op": "create", "path": ["file"], "content": [[1, 314159, 0]]}])
    return {"program": program, "campaign": "c", "message": "", "stack": "", "lost": "", **more}


def test_texts_of_rows_lose_secrets_and_what_is_ours_stays() -> None:
    digest = "0123456789314159" * 4
    outcomes = [
        json.dumps({"kind": "raised", "message": f"told {CANARY}", "stack": CANARY}),
        json.dumps({"kind": "listing", "paths": [["file"], [f"x-{CANARY}"], ["afile"]], "length": 314159}),
        json.dumps({"digest": digest}),
    ]
    told = without_secrets(_row(outcomes=outcomes, message=CANARY, stack=f"at {CANARY}", lost=CANARY, signature="x"))
    assert CANARY not in repr(told)
    assert told["program"] == _row()["program"]
    assert json.loads(told["outcomes"][1]) == {
        "kind": "listing",
        "paths": [["file"], [f"x-{HIDDEN}"], [f"a{HIDDEN}"]],
        "length": 314159,
    }
    assert json.loads(told["outcomes"][2]) == {"digest": digest}


def test_errors_of_ours_and_reasons_lose_them() -> None:
    detail = json.dumps({"traceback": CANARY, "program": [{"path": ["file"]}]})
    told = without_secrets({"kind": "internal", "name": f"a reason with {CANARY}", "detail": detail, "count": 1})
    assert CANARY not in repr(told) and json.loads(told["detail"])["program"] == [{"path": ["file"]}]


def test_rows_without_secrets_are_not_touched() -> None:
    row = _row(outcomes=['{"a": 1}'], signature="rename")
    assert without_secrets(row) == row


def test_properties_of_hadoop_and_secrets_reach_spark_by_its_socket() -> None:
    given = {"spark.hadoop.fs.x.endpoint": "h", "spark.ssl.keyPassword": "x", "spark.executor.memory": "1g"}
    assert {name for name in configuration("local[1]", given) if is_private(name)} == set(given) - {
        "spark.executor.memory"
    }
