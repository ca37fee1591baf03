"""Judging recorded traces and histories anew, distributed: what today's model says, and which verdicts change.

They are judged where Spark reads them; no store is needed. A history of several clients is judged as it was: its
moments are recorded, and can't be had again. A *side* is a way of judging: today's model under the
contract of each trace, or under one that is given. A single side is compared with the verdicts that were recorded.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from fsconform.adapters.stores.quirks import races_of, with_quirks
from fsconform.engine.findings import Finding
from fsconform.engine.histories.judging import Judge as RaceJudge
from fsconform.engine.histories.recorded import AsRecorded, decode_history, seen
from fsconform.engine.judge import Judge
from fsconform.engine.minimise import size_of
from fsconform.engine.process import collect_seldom
from fsconform.engine.traces import Row, TraceRowError, decode_trace, storable
from fsconform.engine.waivers import traits_of
from fsconform.model.core.option import OptionValue
from fsconform.model.filesystem.contract import OPTIONS, Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Trace
from fsconform.pipeline import layout, schema
from fsconform.pipeline.aggregate import read
from fsconform.pipeline.bootstrap import spare_archives
from fsconform.pipeline.checking import first_broken
from fsconform.pipeline.depot import Depot, Place, open_depot
from fsconform.records.gate import effect
from fsconform.records.given import GivenError, brief, json_of

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = (
    "store string, unit long, number long, side int, signature string, verdict string, clause string, step int, "
    "program string, steps int, programs long, operations long, probes long, problem string, traits string"
)
"""A finding, or (without a signature) how much a batch of traces held."""

CHANGES = """
SELECT coalesce(b.store, a.store) AS store, coalesce(b.signature, a.signature) AS signature,
       coalesce(b.clause, a.clause) AS clause, b.verdict AS before, a.verdict AS after, count(*) AS sights,
       min_by(coalesce(b.program, a.program), struct(coalesce(b.steps, a.steps), coalesce(b.unit, a.unit),
              coalesce(b.number, a.number))) AS program
FROM before_side b FULL OUTER JOIN after_side a
  ON a.store = b.store AND a.unit = b.unit AND a.number = b.number AND a.signature = b.signature AND a.step = b.step
WHERE NOT (a.verdict <=> b.verdict)
GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 4, 5
"""
"""One row a signature whose verdict differs, with its smallest program; null where a side has no finding."""

VERDICTS = """
SELECT store, verdict, count(DISTINCT signature) AS signatures, count(*) AS sights
FROM after_side GROUP BY store, verdict ORDER BY store, verdict
"""


SIGNATURES = """
SELECT store, signature, verdict, min_by(clause, struct(steps, unit, number)) AS clause, count(*) AS sights,
       min_by(program, struct(steps, unit, number)) AS program, min_by(traits, struct(steps, unit, number)) AS traits
FROM after_side WHERE traits <> '' GROUP BY store, signature, verdict ORDER BY store, signature, verdict
"""
"""One row for each signature that a waiver may accept, with its smallest program and what waivers are held against."""


BEFORE_RACES = """
SELECT store, unit, number, one.signatures AS signature, one.kinds AS verdict, one.clauses AS clause, 0 AS step,
       program, length AS steps
FROM (SELECT *, explode(arrays_zip(signatures, kinds, clauses)) AS one FROM histories)
"""
"""What was recorded of races, in the shape of verdicts."""

RECORDED = ("traces", "histories")
"""The tables that are judged."""


@dataclass(frozen=True, slots=True)
class Side:
    """A way of judging: the declared options of a contract; None for those that each trace was recorded under."""

    name: str
    options: Mapping[str, OptionValue] | None = None


@dataclass(slots=True)
class Rechecked:
    """What rechecking gave. ``changes``, ``verdicts`` and ``signatures`` are rows as the queries above say."""

    changes: list[Row] = field(default_factory=list)
    verdicts: list[Row] = field(default_factory=list)
    signatures: list[Row] = field(default_factory=list)
    programs: int = 0
    operations: int = 0
    probes: int = 0
    problems: list[str] = field(default_factory=list)


class RecheckError(Exception):
    """Traces that can't be rechecked: the text names them, and says how to mend it."""


class RecheckFailed(Exception):
    """Spark could not read or judge the traces; the text says why."""


_judges: dict[tuple[str, tuple[str, ...]], Judge] = {}


def _judge(options: str, quirks: tuple[str, ...]) -> Judge:
    """A judge under declared options and sets of known bugs, kept for all that this process judges."""
    judge = _judges.get((options, quirks))
    if judge is None:
        contract = with_quirks(Contract(declared_of(options), "recorded"), *quirks)
        judge = _judges[options, quirks] = Judge(Oracle(contract))
    return judge


@cache
def _race_judge(options: str, quirks: tuple[str, ...]) -> RaceJudge:
    """A judge of histories, as :func:`_judge`; with the known races of those sets."""
    oracle = _judge(options, quirks).oracle
    return RaceJudge(oracle, races_of(oracle.quirks.names))


def declared_of(text: str) -> dict[str, OptionValue]:
    """What a recorded contract declares. Raises GivenError or ValueError for what is none."""
    found = json_of(text, "the recorded contract")
    if not isinstance(found, dict):
        raise ValueError("the recorded contract is no object")
    for name, value in found.items():
        if name not in OPTIONS or type(value) is not type(OPTIONS[name].default) or abs(value) >> 63:
            raise ValueError(f"no such contract option, or no such value: {brief(name)} = {brief(value)}")
    return found


@dataclass(frozen=True, slots=True)
class Anew:
    """What judging a row anew gave: its findings, in the shape of COLUMNS but for where they are, and what it held."""

    findings: tuple[Row, ...]
    operations: int
    probes: int = 0


Judging = Callable[[str, tuple[str, ...]], Anew]
"""From the declared options, as JSON, and sets of known bugs to what judging a row by them gives."""


def _of_trace(row: Row) -> Judging:
    """Raises TraceRowError."""
    one = decode_trace(row)
    snapshots, (steps, _) = dict(one.snapshots), size_of(one.trace.program)

    def anew(options: str, quirks: tuple[str, ...]) -> Anew:
        judgement = _judge(options, quirks).judge(one.trace, snapshots)
        found = (
            {
                "signature": storable(finding.signature),
                "verdict": finding.verdict,
                "clause": finding.clause,
                "step": finding.step,
                "steps": steps,
                "traits": _traits(finding, one.trace),
            }
            for finding in judgement.findings
        )
        return Anew(tuple(found), judgement.operations, judgement.probes)

    return anew


def _of_history(row: Row) -> Judging:
    """Raises TraceRowError."""
    history = decode_history(row)

    def anew(options: str, quirks: tuple[str, ...]) -> Anew:
        sight = seen(_race_judge(options, quirks), AsRecorded(history.program), history)
        found = (
            {
                "signature": one.signature,
                "verdict": one.verdict,
                "clause": one.clause,
                "step": 0,
                "steps": history.program.size[2],
                "traits": storable(json.dumps([f"clause {one.clause}"])) if effect(one.verdict) == "fails" else "",
            }
            for one in sight.shown
        )
        return Anew(tuple(found), sight.matrix.calls)

    return anew


def judged(rows: Iterable[Row], sides: Sequence[Side]) -> Iterator[Row]:
    """The findings of rows of traces, or of histories, on each side, then one row that counts them.

    All are in the shape of COLUMNS.
    """
    count = {"programs": 0, "operations": 0, "probes": 0}
    given = [json.dumps(dict(side.options), sort_keys=True) if side.options is not None else None for side in sides]
    for row in rows:
        where = {name: row[name] for name in ("store", "unit", "number")}
        if not isinstance(row["store"], str) or any(row[name] is None for name in ("unit", "number")):
            yield _EMPTY | {"problem": f"a row of store {brief(row['store'])} names no store, unit or number"}
            continue
        try:
            judging = _of_history(row) if "places" in row else _of_trace(row)
        except TraceRowError as error:
            yield _EMPTY | where | {"problem": storable(f"unit {row['unit']}, program {row['number']}: {error}")}
            continue
        for side, options in enumerate(given):
            by = options if options is not None else row["options"]
            try:
                quirks = tuple(row.get("quirks") or ())
                _judge(by, quirks)
            except (GivenError, TypeError, ValueError) as error:
                told = f"unit {row['unit']}, program {row['number']}: no contract that can be judged by: {error}"
                yield _EMPTY | where | {"problem": storable(told)}
                continue
            try:
                anew = judging(by, quirks)
            except Exception as error:  # our own: it costs this program, which the row names
                place = f"unit {row['unit']}, program {row['number']}: internal error of fsconform while judging"
                told = f"{place}: {type(error).__name__}: {error}: {row['program']}"
                yield _EMPTY | where | {"problem": storable(told)}
                continue
            if side == 0:
                count["programs"] += 1
                count["operations"] += anew.operations
                count["probes"] += anew.probes
            for finding in anew.findings:
                yield _EMPTY | where | finding | {"side": side, "program": row["program"]}
    yield _EMPTY | count


_EMPTY: Row = {
    **{"store": "", "unit": 0, "number": 0, "side": 0, "signature": "", "verdict": "", "clause": "", "step": 0},
    **{"program": "", "steps": 0, "programs": 0, "operations": 0, "probes": 0, "problem": ""},
    "traits": "",
}


def _traits(finding: Finding, trace: Trace) -> str:
    """What waivers are held against, as JSON; empty for what no waiver may accept."""
    if not finding.waivable:
        return ""
    return storable(json.dumps(sorted(traits_of(trace.program, trace.events, finding.clause))))


@dataclass(frozen=True, slots=True)
class Task:
    """What executors need: where traces and histories are, the files of each part, and the sides."""

    place: Place
    parts: tuple[tuple[str, ...], ...]
    sides: tuple[Side, ...]


_depots: dict[str, Depot] = {}


def over_files(blob: bytes) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What executors run over the numbers of parts; ``blob`` is the pickled task.

    Python reads the files itself: traces that came through Spark's JVM would cost as much there as judging them here.
    """

    def over(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        task: Task = pickle.loads(blob)
        if task.place.uri not in _depots:  # the first of this process
            collect_seldom()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for name in task.parts[number]:
                    yield _as_batch(_of_file(_depot(task.place), name, task.sides))
        spare_archives()

    return over


def _depot(place: Place) -> Depot:
    """The folder, reached once in a process."""
    if place.uri not in _depots:
        _depots[place.uri] = open_depot(place)
    return _depots[place.uri]


def _of_file(depot: Depot, name: str, sides: Sequence[Side]) -> list[Row]:
    try:
        data = depot.read(name)
        if data is None:
            raise schema.SchemaError(f"{name}: is missing: copy the campaign's folder again")
        return list(judged(schema.from_parquet(name.partition("/")[0], data, name), sides))
    except schema.SchemaError as error:
        return [_EMPTY | {"verdict": REFUSED, "problem": storable(str(error))}]


REFUSED = "refused"
"""The verdict of a row that says why a file was not read."""


def _as_batch(rows: Sequence[Row]) -> pa.RecordBatch:
    import pyarrow

    narrow = dict.fromkeys(("side", "step", "steps"), pyarrow.int32())
    columns = {name: [row[name] for row in rows] for name in _EMPTY}
    arrays = [pyarrow.array(values, narrow.get(name)) for name, values in columns.items()]
    return pyarrow.RecordBatch.from_arrays(arrays, list(columns))


def markers(depot: Depot) -> list[layout.Marker]:
    """The markers of a campaign's folder. Raises DepotError, MarkerError, or RecheckError if there are none."""
    found = []
    for number in sorted(layout.marked(depot.names(layout.MARKERS))):
        name = layout.marker_file(number)
        found.append(layout.decode_marker(depot.read(name) or b"", name))
    if not found:
        raise RecheckError("it has no markers: name the folder that `fsconform campaign --out` wrote to")
    return found


def recheck(spark: Any, place: Place, chosen: Sequence[layout.Marker], sides: Sequence[Side]) -> Rechecked:
    """Judge the traces and histories that the markers select.

    One side is compared with the recorded verdicts, the second of two with the first. Raises RecheckError or
    RecheckFailed.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return _rechecked(spark, place, chosen, sides)
    except (PySparkException, Py4JError) as error:
        if broken := first_broken(open_depot(place), chosen, ("verdicts", *RECORDED)):
            raise RecheckError(broken) from error
        raise RecheckFailed(f"Spark could not judge it: {next(iter(str(error).splitlines()), '')}") from error


def _rechecked(spark: Any, place: Place, chosen: Sequence[layout.Marker], sides: Sequence[Side]) -> Rechecked:
    names = [name for marker in chosen for table in RECORDED for name in marker.names(table)]
    parts = min(len(names), max(spark.sparkContext.defaultParallelism, 1) * TASKS_PER_CORE)
    task = Task(place, tuple(tuple(names[part::parts]) for part in range(parts)), tuple(sides))
    findings = spark.range(0, parts, 1, parts).mapInArrow(over_files(pickle.dumps(task)), COLUMNS).persist()
    try:
        return _compared(spark, place, chosen, findings, len(sides))
    finally:
        findings.unpersist()


TASKS_PER_CORE = 4
"""So that a slow part does not keep all waiting at the end."""


def _compared(spark: Any, place: Place, chosen: Sequence[layout.Marker], findings: Any, sides: int) -> Rechecked:
    *totals, refused, problems = findings.selectExpr(
        *("sum(programs)", "sum(operations)", "sum(probes)"),
        *(f"min(problem) FILTER (WHERE verdict = '{REFUSED}')", "count_if(problem <> '')"),
    ).collect()[0]
    if refused:
        raise RecheckError(refused)
    found = Rechecked(programs=totals[0] or 0, operations=totals[1] or 0, probes=totals[2] or 0)
    if problems:
        found.problems = [row[0] for row in findings.where("problem <> ''").select("problem").limit(20).collect()]
    only = findings.where("signature <> ''")
    before = _recorded(spark, place, chosen) if sides == 1 else only.where("side = 0")
    before.createOrReplaceTempView("before_side")
    only.where(f"side = {sides - 1}").createOrReplaceTempView("after_side")
    found.changes = [row.asDict() for row in spark.sql(CHANGES).collect()]
    found.verdicts = [row.asDict() for row in spark.sql(VERDICTS).collect()]
    found.signatures = [row.asDict() | {"traits": json.loads(row["traits"])} for row in spark.sql(SIGNATURES).collect()]
    return found


def _recorded(spark: Any, place: Place, chosen: Sequence[layout.Marker]) -> Any:
    """The recorded verdicts of programs and of races."""
    read(spark, place, chosen, "histories").createOrReplaceTempView("histories")
    columns = ("store", "unit", "number", "signature", "verdict", "clause", "step", "program", "steps")
    return read(spark, place, chosen, "verdicts").select(*columns).unionByName(spark.sql(BEFORE_RACES))


def rows_of(depot: Depot, chosen: Iterable[layout.Marker], table: str = "traces") -> list[Row]:
    """The rows of a table of the selected attempts, read in this process. Raises DepotError or SchemaError."""
    found: list[Row] = []
    for marker in chosen:
        for name in marker.names(table):
            found += schema.from_parquet(table, depot.read(name) or b"", name)
    return found
