"""Judging recorded traces anew: operations a second on Spark with two cores, against the plain engine on one.

Ratios are what counts: both judge the same traces in one run, first the one, then the other, and so again. Spark's
start is left out and told apart. ``python benchmarks/bench_recheck.py [PROGRAMS]``; the traces come from the store in
memory.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.app.campaigns.programs import enumerated_total
from fsconform.app.campaigns.units import Order, StoreOrder, here
from fsconform.engine.process import collect_seldom
from fsconform.pipeline import layout, schema
from fsconform.pipeline.depot import LocalDepot, Place
from fsconform.pipeline.recheck import Side, judged, markers, recheck, rows_of
from fsconform.pipeline.session import session
from fsconform.pipeline.units import cut

PROGRAMS = 100_000
ROUNDS = 3


def recorded(depot: LocalDepot, programs: int, scratch: Path) -> None:
    """Execute programs on the store in memory and write the folder of a campaign."""
    order = Order("bench", 1, (StoreOrder("proving", load_shipped("proving")),), model="bench")
    units = cut([("proving", "d")], ["namespace", "rename"], programs, 500, enumerated_total)
    for unit, produced in here(order, units, scratch):
        where = {"schema": 1, "campaign": "bench", "unit": unit.number, "attempt": "a", "store": "proving"}
        files = {}
        for table in schema.TABLES:
            rows = [where | {"suite": unit.suite} | row for row in produced.rows[table]]
            data = schema.to_parquet(table, rows)
            name = layout.table_file(table, unit, "a")
            depot.put(name, data)
            files[table] = layout.Written(name, len(rows), len(data))
        depot.put(
            layout.marker_file(unit.number), layout.encode_marker(layout.Marker(unit.number, "a", unit.count, files))
        )


def main() -> None:
    """Print the figures."""
    collect_seldom()
    programs = int(sys.argv[1]) if len(sys.argv) > 1 else PROGRAMS
    sides = [Side("recorded")]
    with tempfile.TemporaryDirectory(prefix="fsconform-bench-") as folder:
        depot = LocalDepot(Path(folder) / "traces")
        place = Place(str(depot.root))
        recorded(depot, programs, Path(folder))
        chosen = markers(depot)
        plain, spark_rates = [], []
        begun = time.perf_counter()
        with session("local[2]", {}, Path(folder) / "logs") as spark:
            recheck(spark, place, chosen[:2], sides)
            print(f"Spark's start and a first small job: {time.perf_counter() - begun:.1f} s")
            for _ in range(ROUNDS):
                begun = time.perf_counter()
                rows = rows_of(depot, chosen)
                (*_, total) = judged(rows, sides)
                calls = total["operations"] + total["probes"]
                plain.append(calls / (time.perf_counter() - begun))
                begun = time.perf_counter()
                found = recheck(spark, place, chosen, sides)
                spark_rates.append(calls / (time.perf_counter() - begun))
                assert (found.operations + found.probes, found.changes) == (calls, [])
                print(f"plain engine {plain[-1]:,.0f}/s, Spark local[2] {spark_rates[-1]:,.0f}/s", flush=True)
    ratio = statistics.median(there / one for one, there in zip(plain, spark_rates, strict=True))
    print(f"{programs} programs, {calls} calls: Spark on 2 cores judges {ratio:.2f} times what one core does")


if __name__ == "__main__":
    main()
