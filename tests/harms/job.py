"""A Spark driver as a process of its own, for the tests of harms: its request is JSON on its standard input.

It writes rows of one column ``id`` to a place in a format, or to a table, by Spark's own API, and prints one line of
JSON: ``{"ended": "committed"}``, or the error. Whoever started it may kill it before that.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import SparkSession


def main(request: dict[str, Any]) -> dict[str, str]:
    """Do what is asked; how it ended."""
    builder = SparkSession.builder.master(request["master"])
    for name, value in request["conf"].items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    rows = spark.createDataFrame([(row,) for row in request["rows"]], "id long").repartition(request["tasks"])
    try:
        if "table" in request:
            rows.writeTo(request["table"]).append()
        else:
            rows.write.format(request["format"]).mode(request["mode"]).save(request["path"])
    except Exception as error:
        return {"ended": "failed", "error": str(error)[:2000]}
    return {"ended": "committed"}


def read(request: dict[str, Any]) -> dict[str, Any]:
    """The rows that a reader sees."""
    builder = SparkSession.builder.master(request["master"])
    for name, value in request["conf"].items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    for statement in request.get("first", []):
        spark.sql(statement)
    if "read" not in request:
        return {"ended": "done"}
    found = spark.read.format(request["format"]).load(request["read"])
    return {"ended": "read", "rows": sorted(row.id for row in found.collect())}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(json.dumps(main(asked) if "rows" in asked else read(asked)), flush=True)
