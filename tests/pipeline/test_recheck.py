"""Judging recorded traces anew: agreement with what was judged live, and what changes when something did.

``schema-1`` is the folder of a campaign of 60 programs on the store in memory with the fault ``rename-copies``, in
schema 1. It stays as it is: whatever reads traces must go on reading it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.traces import Row
from fsconform.pipeline import layout, schema
from fsconform.pipeline.depot import LocalDepot, Place
from fsconform.pipeline.recheck import RecheckError, Side, judged, markers, recheck, rows_of
from fsconform.pipeline.session import session

OLD = Path(__file__).with_name("schema-1")
TODAY = (Side("recorded"),)


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in ("store", "unit", "number", "signature", "step", "verdict", "clause"))


def _found(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["signature"]]


def test_old_traces_are_judged_as_they_were_live() -> None:
    """Each finding of each program, with its verdict."""
    depot = LocalDepot(OLD)
    chosen = markers(depot)
    live = sorted(map(_key, rows_of(depot, chosen, "verdicts")))
    anew = list(judged(rows_of(depot, chosen), TODAY))
    assert len(live) == 4 and sorted(map(_key, _found(anew))) == live
    assert anew[-1]["programs"] == 60 and not any(row["problem"] for row in anew)


def test_an_outcome_that_was_changed_changes_a_verdict() -> None:
    depot = LocalDepot(OLD)
    rows = rows_of(depot, markers(depot))
    before = sorted(map(_key, _found(list(judged(rows, TODAY)))))
    row = next(row for row in rows if json.loads(row["program"])[0]["op"] == "mkdirs")
    row["outcomes"][0] = '{"kind":"returned","value":false}'
    after = sorted(map(_key, _found(list(judged(rows, TODAY)))))
    assert before != after


def test_a_row_that_is_no_trace_is_told_and_the_others_are_judged() -> None:
    depot = LocalDepot(OLD)
    rows = rows_of(depot, markers(depot))
    rows[3]["program"] = "[{}]"
    anew = list(judged(rows, TODAY))
    problems = [row["problem"] for row in anew if row["problem"]]
    assert len(problems) == 1 and "program" in problems[0]
    assert anew[-1]["programs"] == 59


def test_on_spark(tmp_path: Path) -> None:
    """The same as in this process; a recorded verdict that was altered shows; so does a later schema."""
    folder = tmp_path / "traces"
    shutil.copytree(OLD, folder)
    depot, place = LocalDepot(folder), Place(str(folder))
    chosen = markers(depot)
    own = _found(list(judged(rows_of(depot, chosen), TODAY)))
    strict = Side("proving", dict(load_shipped("proving").declared))
    loose = Side("nothing declared", {})
    with session("local[2]", {}, tmp_path / "logs") as spark:
        same = recheck(spark, place, chosen, TODAY)
        assert same.changes == [] and same.programs == 60
        assert sum(row["sights"] for row in same.verdicts) == len(own)

        compared = recheck(spark, place, chosen, (strict, loose))
        sides = [
            {_key(row)[:6] for row in _found(list(judged(rows_of(depot, chosen), [side])))} for side in (strict, loose)
        ]
        changed = {key[3] for key in sides[0] ^ sides[1]}
        assert changed and {row["signature"] for row in compared.changes} == changed

        name = next(one.files["verdicts"].name for one in chosen if one.files["verdicts"].rows)
        rows = schema.from_parquet("verdicts", (folder / name).read_bytes())
        rows[0]["verdict"] = "deviation" if rows[0]["verdict"] != "deviation" else "violation"
        (folder / name).write_bytes(schema.to_parquet("verdicts", rows))
        (change,) = recheck(spark, place, chosen, TODAY).changes
        assert (change["signature"], change["before"]) == (rows[0]["signature"], rows[0]["verdict"])
        assert change["after"] != change["before"] and change["sights"] == 1

        (folder / name).write_bytes(b"no Parquet")
        with pytest.raises(RecheckError, match="is no Parquet file"):
            recheck(spark, place, chosen, TODAY)

        file = folder / chosen[0].files["traces"].name
        later = pq.read_table(file).replace_schema_metadata({schema.METADATA: b"99"})
        pq.write_table(later, file)
        with pytest.raises(RecheckError, match="has schema 99"):
            recheck(spark, place, chosen, TODAY)


def test_a_folder_without_markers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecheckError, match="markers"):
        markers(LocalDepot(tmp_path))


def test_the_data_is_of_schema_1() -> None:
    """So that nobody writes it anew with a later one."""
    files = sorted(OLD.glob("*/store=*/suite=*/*.parquet"))
    assert len(files) == 6
    for file in files:
        assert pq.read_schema(file).metadata[schema.METADATA] == b"1"
    assert layout.marked(path.name for path in (OLD / "markers").iterdir()) == {0, 1}
