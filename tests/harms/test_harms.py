"""What applications lose on a store that lacks what they need, end to end: real Spark, Iceberg and Delta, S3A, MinIO.

``fsconform fit`` says of each that it does not fit as it is set here, or only in another way. Where two writers race, a
gate before the server has them meet in the window that the store leaves open, so that no test hangs on luck; where a
driver dies, it is killed at the request that the gate names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from fsconform.records import atlas, findings, profiles
from fsconform.records.profiles.fitting import fit, newest

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
Tables = Callable[[str], tuple[Path, ...]]
ICEBERG = {
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "hadoop",
}
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
COPY_TO_DESTINATION = r"^PUT (?!\S*_temporary)\S*/data/part-\S* .*\nx-amz-copy-source:"
ROWS = list(range(40))


def answer_of(name: str) -> str:
    """What ``fsconform fit`` says of an application on S3A."""
    entries = atlas.read()
    store = next(entry for entry in newest(entries) if entry.store == "s3a")
    return fit(profiles.every()[name], store, entries, findings.every()).answer


def test_two_commits_to_an_iceberg_table_found_by_its_path_and_one_is_gone(lake: Any, tables: Tables) -> None:
    jars, conf = tables("iceberg"), {**ICEBERG, "spark.sql.catalog.lake.warehouse": f"s3a://{lake.service.bucket}/ice"}
    assert lake.ask({"first": ["CREATE TABLE lake.db.t (id bigint) USING iceberg"]}, jars, conf)["ended"] == "done"
    lake.gate.wait_for(r"^PUT \S*/v2\.metadata\.json .*\nx-amz-copy-source:", meet=2)
    writers = [lake.driver({"table": "lake.db.t", "rows": [row]}, jars, conf) for row in (1, 2)]
    assert [writer.answer() for writer in writers] == [{"ended": "committed"}] * 2
    seen = lake.ask({"read": "lake.db.t", "format": "iceberg"}, jars, conf)["rows"]
    assert seen in ([1], [2]), "a row of one of two commits that both returned is gone"
    assert answer_of("iceberg-hadoop") == "fits if"


def test_two_drivers_commit_to_a_delta_table_and_one_commit_is_gone(lake: Any, tables: Tables) -> None:
    jars, place = tables("delta"), {"format": "delta", "mode": "append", "path": f"s3a://{lake.service.bucket}/delta"}
    assert lake.ask({**place, "rows": [0]}, jars, DELTA) == {"ended": "committed"}
    lake.gate.wait_for(r"^PUT \S*/_delta_log/0{19}1\.json ", meet=2)
    writers = [lake.driver({**place, "rows": [row]}, jars, DELTA) for row in (1, 2)]
    assert [writer.answer() for writer in writers] == [{"ended": "committed"}] * 2
    seen = lake.ask({"read": place["path"], "format": "delta"}, jars, DELTA)["rows"]
    assert seen in ([0, 1], [0, 2]), "a row of one of two commits that both returned is gone"
    assert answer_of("delta") == "fits if"


def test_one_driver_after_the_other_loses_nothing(lake: Any, tables: Tables) -> None:
    """The same tables without the race: what is lost above is lost by it, and by nothing else that is set here."""
    jars, place = tables("delta"), {"format": "delta", "mode": "append", "path": f"s3a://{lake.service.bucket}/calm"}
    for row in (0, 1, 2):
        assert lake.ask({**place, "rows": [row]}, jars, DELTA) == {"ended": "committed"}
    assert lake.ask({"read": place["path"], "format": "delta"}, jars, DELTA)["rows"] == [0, 1, 2]


def committed_in_part(lake: Any, algorithm: int) -> tuple[Mapping[str, Any], list[int], list[str]]:
    """Parquet by FileOutputCommitter, the driver killed in its second copy to the destination: what a reader sees."""
    conf = {"spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": str(algorithm)}
    folder = f"v{algorithm}/data"
    place = {"format": "parquet", "mode": "append", "path": f"s3a://{lake.service.bucket}/{folder}"}
    begun: list[Any] = []
    lake.gate.kill_at(COPY_TO_DESTINATION, 2, lambda: begun[0].kill())
    begun.append(lake.driver({**place, "rows": ROWS, "tasks": 4}, (), conf))
    ended = begun[0].answer()
    rows = lake.ask({"read": place["path"], "format": "parquet"}, (), conf)["rows"]
    listed = lake.service.client().list_objects_v2(Bucket=lake.service.bucket, Prefix=f"{folder}/")["Contents"]
    return ended, rows, [found["Key"] for found in listed]


@pytest.mark.parametrize(("algorithm", "name"), [(1, "mapreduce-v1"), (2, "mapreduce-v2")])
def test_a_driver_dies_and_a_part_of_its_rows_is_there(lake: Any, algorithm: int, name: str) -> None:
    """With algorithm 1 in the commit of the job, with 2 before it began: readers take a part for the dataset."""
    ended, rows, keys = committed_in_part(lake, algorithm)
    assert ended == {"ended": "killed"}
    assert 0 < len(rows) < len(ROWS) and set(rows) < set(ROWS), "a part of the rows of a job that never ended is read"
    assert not any(key.endswith("_SUCCESS") for key in keys)
    assert answer_of(name) == "fits if" and answer_of("spark") == "fits if"


def test_a_job_that_nobody_kills_has_all_of_its_rows(lake: Any) -> None:
    place = {"format": "parquet", "mode": "append", "path": f"s3a://{lake.service.bucket}/whole/data"}
    assert lake.ask({**place, "rows": ROWS, "tasks": 4}) == {"ended": "committed"}
    assert lake.ask({"read": place["path"], "format": "parquet"})["rows"] == ROWS
