"""What a campaign gave, put together by Spark SQL out of the attempts that markers select, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fsconform.engine.traces import Row
from fsconform.pipeline import layout, schema
from fsconform.pipeline.checking import first_broken
from fsconform.pipeline.depot import Depot, Place
from fsconform.pipeline.session import SparkTrouble
from fsconform.pipeline.units import Unit

SIGNATURES = """
SELECT store, signature, count(*) AS sights,
       min_by(
         struct(verdict, clause, level, step, noticed, operation, roles, observed_kind, `after`, expected, observed,
                changes, first, message, stack, impact, quirk, program, met, unit, number),
         struct(NOT first AS later, met, steps, length, unit, number, noticed, step)) AS smallest
FROM verdicts GROUP BY store, signature ORDER BY store, signature
"""
"""One row a signature with its best program: nothing failing before, few failed preconditions, smallest, first met."""

COUNTS = """
SELECT store, suite, kind, name, detail, sum(count) AS count
FROM tallies WHERE kind <> 'latency' GROUP BY store, suite, kind, name, detail
"""

LATENCIES = """
SELECT store, name, count(*) AS count, percentile(t, array(0.5D, 0.9D, 0.99D)) AS cuts, max(t) AS longest
FROM (SELECT store, name, explode(nanoseconds) AS t FROM tallies WHERE kind = 'latency')
GROUP BY store, name ORDER BY store, name
"""


@dataclass(slots=True)
class Aggregated:
    """A campaign's sums. ``signatures`` and ``latencies`` are rows by store; ``counts`` rows by store and suite.

    ``chosen`` are the markers by unit, and ``problems`` says what of them can't be true.
    """

    chosen: dict[int, layout.Marker] = field(default_factory=dict)
    signatures: list[Row] = field(default_factory=list)
    counts: list[Row] = field(default_factory=list)
    latencies: list[Row] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def counted(self, store: str, kind: str) -> dict[tuple[str, str], int]:
        """The counts of a kind by name and detail, over all suites of a store."""
        found: dict[tuple[str, str], int] = {}
        for row in self.counts:
            if row["store"] == store and row["kind"] == kind:
                key = (row["name"], row["detail"])
                found[key] = found.get(key, 0) + int(row["count"])
        return dict(sorted(found.items()))

    def total(self, store: str, name: str) -> int:
        """One of a store's totals."""
        return self.counted(store, "total").get((name, ""), 0)


def chosen(depot: Depot, units: Iterable[Unit]) -> dict[int, layout.Marker]:
    """The markers of those units that have one. Raises DepotError or MarkerError."""
    wanted = {unit.number for unit in units}
    found = {}
    for number in sorted(layout.marked(depot.names(layout.MARKERS)) & wanted):
        name = layout.marker_file(number)
        data = depot.read(name)
        marker = layout.decode_marker(data or b"", name)
        if marker.unit != number:
            raise layout.MarkerError(f"{name}: is the marker of unit {marker.unit}")
        found[number] = marker
    return found


def read(spark: Any, place: Place, markers: Iterable[layout.Marker], table: str) -> Any:
    """A table of the selected attempts as a DataFrame; empty if there are none."""
    from pyspark.sql.pandas.types import from_arrow_schema

    names = [marker.files[table].name for marker in markers]
    shape = from_arrow_schema(schema.schema_of(table))
    if not names:
        return spark.createDataFrame([], shape)
    root = place.local.as_uri() if place.local is not None else place.uri.rstrip("/")
    return spark.read.schema(shape).parquet(*(f"{root}/{name}" for name in names))


def aggregate(spark: Any, place: Place, depot: Depot, units: Sequence[Unit]) -> Aggregated:
    """The sums over all selected attempts.

    Raises DepotError and MarkerError; SchemaError with the file that Spark tripped over, SparkTrouble for all else.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    found = Aggregated(chosen(depot, units))
    if not found.chosen:
        return found
    try:
        return _summed(spark, place, found, units)
    except (PySparkException, Py4JError) as error:
        if broken := first_broken(depot, found.chosen.values()):
            raise schema.SchemaError(broken) from error
        reason = next(iter(str(error).splitlines()), "")
        raise SparkTrouble(f"Spark could not sum up what is in {place.uri}: {reason}") from error


def _summed(spark: Any, place: Place, found: Aggregated, units: Sequence[Unit]) -> Aggregated:
    markers = list(found.chosen.values())
    for table in ("verdicts", "tallies"):
        read(spark, place, markers, table).createOrReplaceTempView(table)
    found.signatures = _rows(spark, SIGNATURES)
    found.counts = _rows(spark, COUNTS)
    found.latencies = _rows(spark, LATENCIES)
    found.problems = check(spark, place, found, units)
    return found


def check(spark: Any, place: Place, found: Aggregated, units: Sequence[Unit]) -> list[str]:
    """What is lost or double among the selected attempts, in sentences: by the traces themselves, each program."""
    traces = read(spark, place, found.chosen.values(), "traces")
    traces.createOrReplaceTempView("traces")
    rows = _rows(
        spark,
        "SELECT unit, count(*) AS rows, count(DISTINCT number) AS programs, count(DISTINCT attempt) AS attempts, "
        "min(number) AS first, max(number) AS last FROM traces GROUP BY unit",
    )
    seen = {row["unit"]: row for row in rows}
    problems = []
    for unit in units:
        if unit.number not in found.chosen:
            continue
        row = seen.get(unit.number)
        whole = row is not None and (row["first"], row["last"]) == (unit.first, unit.first + unit.count - 1)
        if row is None or not whole or row["programs"] != unit.count:
            problems.append(f"unit {unit.number}: programs are lost: {row['programs'] if row else 0} of {unit.count}")
        elif row["rows"] != unit.count or row["attempts"] != 1:
            problems.append(f"unit {unit.number}: {row['rows']} traces of {unit.count} programs: some are double")
    return problems


def _rows(spark: Any, query: str) -> list[Row]:
    return [row.asDict(recursive=True) for row in spark.sql(query).collect()]
