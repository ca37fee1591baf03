"""What recording costs a Spark job on S3A: a small TPC-H-like job, plain and recorded by turns in one application.

A turn writes three tables as Parquet, one of them by partitions, then asks four queries of them and writes what they
give. S3A serves ``s3a:`` as it is and ``s3:`` with the recorder between, on buckets of one MinIO; the first turn of
each is for warming up. What was recorded is judged at the end, and has to hold no divergence.
``python benchmarks/bench_recorder_spark.py [ORDERS] [TURNS]``.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from fsconform.adapters.jars import class_path
from fsconform.adapters.recorder.building import DIRECTORY, IMPLEMENTATIONS, build, recorded_class
from fsconform.adapters.resolver import pyspark_jars
from fsconform.adapters.stores.preset import presets
from fsconform.adapters.stores.site import Setup
from fsconform.harness.layer_stores import spark_jars
from fsconform.harness.recordings import recheck

ORDERS, TURNS = 60_000, 5
LINES_OF_AN_ORDER = 4


def _drawn(column: str, seed: int, most: int) -> Column:
    """A number below ``most`` that hangs on a key alone, so that each turn writes the same."""
    return f.pmod(f.hash(f.col(column), f.lit(seed)), f.lit(most))


def tables(spark: SparkSession, orders: int) -> dict[str, DataFrame]:
    """Customers, orders and lines of orders, as those of TPC-H are, with the columns that the queries need."""
    customer = spark.range(orders // 10).select(
        f.col("id").alias("c_custkey"),
        _drawn("id", 1, 5).alias("c_mktsegment"),
        _drawn("id", 2, 25).alias("c_nationkey"),
    )
    order = spark.range(orders).select(
        f.col("id").alias("o_orderkey"),
        _drawn("id", 3, orders // 10).alias("o_custkey"),
        f.date_add(f.lit("1992-01-01"), _drawn("id", 4, 2400)).alias("o_orderdate"),
    )
    line = spark.range(orders * LINES_OF_AN_ORDER).select(
        (f.col("id") / LINES_OF_AN_ORDER).cast("long").alias("l_orderkey"),
        _drawn("id", 5, 50).alias("l_quantity"),
        _drawn("id", 6, 100_000).alias("l_extendedprice"),
        (_drawn("id", 7, 11) / 100).alias("l_discount"),
        _drawn("id", 8, 3).alias("l_returnflag"),
        f.date_add(f.lit("1992-01-01"), _drawn("id", 9, 2500)).alias("l_shipdate"),
    )
    return {"customer": customer, "orders": order, "lineitem": line}


def queries(customer: DataFrame, order: DataFrame, line: DataFrame) -> dict[str, DataFrame]:
    """Four queries in the manner of TPC-H's first, third, sixth and tenth."""
    revenue = f.sum(f.col("l_extendedprice") * (1 - f.col("l_discount"))).alias("revenue")
    of_customers = customer.join(order, customer.c_custkey == order.o_custkey)
    joined = of_customers.join(line, order.o_orderkey == line.l_orderkey)
    return {
        "pricing": line.where("l_shipdate <= '1998-09-02'").groupBy("l_returnflag")
        .agg(f.count("*").alias("n"), revenue),
        "shipping": joined.where("c_mktsegment = 1 and o_orderdate < '1995-03-15'")
        .groupBy("l_orderkey", "o_orderdate").agg(revenue).orderBy(f.desc("revenue"), "l_orderkey").limit(10),
        "forecast": line.where("l_discount between 0.05 and 0.07 and l_quantity < 24").agg(revenue),
        "returned": joined.where("l_returnflag = 2").groupBy("c_custkey", "c_nationkey").agg(revenue)
        .orderBy(f.desc("revenue"), "c_custkey").limit(20),
    }  # fmt: skip


def turn(spark: SparkSession, root: str, orders: int) -> float:
    """Write the tables below ``root``, ask the queries of them, write the answers; seconds."""
    begin = time.monotonic()
    for name, table in tables(spark, orders).items():
        writer = table.write.mode("overwrite")
        if name == "lineitem":
            writer = writer.partitionBy("l_returnflag")
        writer.parquet(f"{root}/{name}")
    read = (spark.read.parquet(f"{root}/{name}") for name in ("customer", "orders", "lineitem"))
    for name, query in queries(*read).items():
        query.write.mode("overwrite").parquet(f"{root}/answers/{name}")
    return time.monotonic() - begin


def main() -> None:
    """Print the seconds of each turn, the medians, and what was judged. Fails where a call is flagged."""
    orders = int(sys.argv[1]) if len(sys.argv) > 1 else ORDERS
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else TURNS
    bundled = pyspark_jars()
    assert bundled is not None
    jars = [*spark_jars(print), *sorted(bundled.glob("*.jar"))]
    with tempfile.TemporaryDirectory() as folder:
        recorder, calls = Path(folder, "recorder.jar"), Path(folder, "calls")
        build(IMPLEMENTATIONS["s3a"], jars, recorder)
        preset = presets()["s3a"]
        site = preset.bring_up(preset, Setup(Path(folder), print))
        try:
            bucket = site.connection.uri.split("/")[2]
            properties = dict(site.connection.configuration) | {
                "fs.s3.impl": recorded_class(IMPLEMENTATIONS["s3a"]),
                DIRECTORY: str(calls),
            }
            builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
            builder = builder.config("spark.ui.showConsoleProgress", "false")
            builder = builder.config("spark.driver.extraClassPath", class_path([recorder, *jars]))
            builder = builder.config("spark.sql.shuffle.partitions", "4").config("spark.local.dir", folder)
            for name, value in properties.items():
                builder = builder.config(f"spark.hadoop.{name}", value)
            spark = builder.getOrCreate()
            seconds: dict[str, list[float]] = {"s3a": [], "s3": []}
            for number in range(turns + 1):
                for scheme in ("s3a", "s3") if number % 2 else ("s3", "s3a"):
                    taken = turn(spark, f"{scheme}://{bucket}/{scheme}/{number}", orders)
                    print(f"turn {number} {scheme} {taken:.2f} s, load {os.getloadavg()[0]:.0f}", flush=True)
                    if number:
                        seconds[scheme].append(taken)
            gateway: Any = spark.sparkContext._gateway
            spark.stop()
            gateway.shutdown()
            gateway.proc.stdin.close()  # which ends Spark's JVM, and the recording in order
            gateway.proc.wait(60)
        finally:
            site.close()
        found = recheck([calls], None)
        plain, recorded = (statistics.median(seconds[scheme]) for scheme in ("s3a", "s3"))
        ratio = statistics.median(after / before for before, after in zip(*seconds.values(), strict=True))
        print(
            f"{orders} orders: plain {plain:.2f} s, recorded {recorded:.2f} s; by pairs {100 * (ratio - 1):.1f} % more"
        )
        for name, tally in found.stores.items():
            print(f"{name}: {tally.calls} calls, {tally.judged} judged, {tally.learned} learned from, "
                  f"{tally.unjudged} not judged, {tally.given_up} given up, {len(tally.flagged)} flagged")  # fmt: skip
            for flag in tally.flagged[:20]:
                print(f"  {flag.signature}: {flag.call}: {flag.observed}; expected: {flag.expected}")
        size = sum(file.stat().st_size for file in calls.iterdir())
        print(f"the recording has {size / 1e6:.1f} MB")
        if found.flagged:
            sys.exit(1)


if __name__ == "__main__":
    main()
