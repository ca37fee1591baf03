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

RACE_SIGNATURES = """
SELECT store, signature, count(*) AS sights,
       min_by(struct(program, places, outcomes, invoked, returned, lost, unit, number),
              struct(lanes, within, length, unit, number)) AS smallest
FROM (SELECT *, explode(signatures) AS signature FROM histories)
GROUP BY store, signature ORDER BY store, signature
"""
"""One row for each race, known ones too, with the history of the smallest program that showed it, first met."""

RACE_PAIRS = """
SELECT store, suite, first_lane, second_lane, watches, tables, count(*) AS programs, sum(calls) AS calls,
       count_if(overlaps) AS overlaps, count_if(milliseconds IS NOT NULL) AS stale, max(milliseconds) AS milliseconds,
       array_sort(collect_set(outcome)) AS outcomes, array_sort(collect_set(pair_verdict)) AS verdicts,
       array_sort(array_distinct(flatten(collect_list(signatures)))) AS signatures,
       array_sort(collect_set(clients)) AS clients
FROM histories GROUP BY store, suite, first_lane, second_lane, watches, tables
ORDER BY store, suite, watches, tables, first_lane, second_lane
"""
"""One row for each pair of what lanes do, over all beginnings and delays."""

RACE_REASONS = """
SELECT store, reason, count(*) AS programs FROM histories WHERE verdict IN ('unjudged', 'inconclusive')
GROUP BY store, reason ORDER BY store, reason
"""
"""Why histories were not judged."""

LATENCIES = """
SELECT store, name, count(*) AS count, percentile(t, array(0.5D, 0.9D, 0.99D)) AS cuts, max(t) AS longest
FROM (SELECT store, name, explode(nanoseconds) AS t FROM tallies WHERE kind = 'latency')
GROUP BY store, name ORDER BY store, name
"""


@dataclass(slots=True)
class Aggregated:
    """A campaign's sums. ``signatures`` and ``latencies`` are rows by store; ``counts`` rows by store and suite.

    ``races``, ``race_signatures`` and ``race_reasons`` are rows by store, as the queries above say.
    ``chosen`` are the markers by unit, and ``problems`` says what of them can't be true.
    """

    chosen: dict[int, layout.Marker] = field(default_factory=dict)
    signatures: list[Row] = field(default_factory=list)
    counts: list[Row] = field(default_factory=list)
    latencies: list[Row] = field(default_factory=list)
    races: list[Row] = field(default_factory=list)
    race_signatures: list[Row] = field(default_factory=list)
    race_reasons: list[Row] = field(default_factory=list)
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

    names = [name for marker in markers for name in marker.names(table)]
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
    for table in ("verdicts", "tallies", "histories"):
        read(spark, place, markers, table).createOrReplaceTempView(table)
    found.signatures = _rows(spark, SIGNATURES)
    found.counts = _rows(spark, COUNTS)
    found.latencies = _rows(spark, LATENCIES)
    if any("histories" in marker.files for marker in markers):
        found.races = _rows(spark, RACE_PAIRS)
        found.race_signatures = _rows(spark, RACE_SIGNATURES)
        found.race_reasons = _rows(spark, RACE_REASONS)
    found.problems = check(spark, place, found, units)
    return found


def check(spark: Any, place: Place, found: Aggregated, units: Sequence[Unit]) -> list[str]:
    """What is lost or double among the selected attempts, in sentences: by traces and histories, each program."""
    for table in ("traces", "histories"):
        read(spark, place, found.chosen.values(), table).createOrReplaceTempView(table)
    rows = _rows(
        spark,
        "SELECT unit, count(*) AS rows, count(DISTINCT number) AS programs, count(DISTINCT attempt) AS attempts, "
        "min(number) AS first, max(number) AS last "
        "FROM (SELECT unit, number, attempt FROM traces UNION ALL SELECT unit, number, attempt FROM histories) "
        "GROUP BY unit",
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
