"""One attempt at a unit, in an executor: execute it, write what it gave, and try to be the attempt that counts.

What executes a unit is handed in as a function of another room, and so is what it works on: this room knows neither
stores nor suites.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from typing import Literal as Choice

from fsconform.engine.internal import InternalErrors, sentence
from fsconform.engine.secrecy import KNOWN
from fsconform.engine.traces import SCHEMA, Row
from fsconform.pipeline import layout, schema
from fsconform.pipeline.depot import Depot, DepotError, Place, open_depot
from fsconform.pipeline.units import Unit, of_row

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = (
    "unit long, attempt string, status string, problem string, programs long, milliseconds long, writing long, pid long"
)
"""What an attempt tells the driver; nothing hangs on it but what a person is shown."""

Status = Choice["chosen", "beaten", "there", "problem", "refused"]
"""Of an attempt: its results count; another one's do; they did before it began; it had none; it must not be made."""


@dataclass(frozen=True, slots=True)
class Produced:
    """What executing a unit gave: rows by table, without what ``where`` adds; or the problem that kept it from being.

    ``refused`` is true where trying again is of no use.
    """

    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    programs: int = 0
    problem: str = ""
    refused: bool = False


Execute = Callable[[Any, Unit, Path], Produced]
"""From what it works on, a unit, and a folder for scratch to what it gave. Must be picklable by reference."""


@dataclass(frozen=True, slots=True)
class Task:
    """All that executors need beside a unit: pickled once for each task."""

    campaign: str
    place: Place
    execute: Execute
    order: Any
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What the driver knows of secrets."""


_depots: dict[Place | str, Depot] = {}


def new_attempt(task_attempt: int) -> str:
    """A name for an attempt that no other has, also where Spark numbers attempts anew in another job."""
    return f"attempt-{task_attempt}-{secrets.token_hex(6)}"


def make(task: Task, unit: Unit, attempt: str, scratch: Path) -> Row:
    """Make an attempt at a unit. Raises DepotError, and what executing raises that is no problem of the store."""
    begun = time.monotonic_ns()
    KNOWN.learn(task.secrets)
    depot = _depot(task.place)
    marker = layout.marker_file(unit.number)
    if depot.read(marker) is not None:
        return _told(unit, attempt, "there", begun)
    produced = task.execute(task.order, unit, scratch)
    if produced.problem:
        return _told(unit, attempt, "refused" if produced.refused else "problem", begun, problem=produced.problem)
    executed = time.monotonic_ns()
    chosen = publish(depot, task.campaign, unit, attempt, produced)
    return _told(
        unit, attempt, "chosen" if chosen else "beaten", begun, produced.programs, time.monotonic_ns() - executed
    )


def safely(task: Task, unit: Unit, attempt: str, scratch: Path) -> Row:
    """As :func:`make`, but an error is told as the unit's problem: a task that fails would be tried many times over."""
    begun = time.monotonic_ns()
    try:
        return make(task, unit, attempt, scratch)
    except DepotError as error:
        return _told(unit, attempt, "problem", begun, problem=f"{type(error).__name__}: {error}")
    except Exception as error:
        noted = InternalErrors().add("executing a unit", error)
        return _told(unit, attempt, "problem", begun, problem=f"{sentence(noted)} ({noted.place})")


def publish(depot: Depot, campaign: str, unit: Unit, attempt: str, produced: Produced) -> bool:
    """Write the files of an attempt, then its marker; True if it is the one that counts. Raises DepotError."""
    files = {}
    where: Row = {
        "schema": SCHEMA,
        "campaign": campaign,
        "unit": unit.number,
        "attempt": attempt,
        "store": unit.store,
        "suite": unit.suite,
    }
    for table in schema.OF_RACES if unit.source == "races" else schema.OF_PROGRAMS:
        rows = [without_secrets(where | row) for row in produced.rows.get(table, ())]
        data = schema.to_parquet(table, rows)
        name = layout.table_file(table, unit, attempt)
        depot.put(name, data)
        files[table] = layout.Written(name, len(rows), len(data))
    marker = layout.Marker(unit.number, attempt, produced.programs, files)
    return depot.put_if_absent(layout.marker_file(unit.number), layout.encode_marker(marker))


_TEXTS = (
    *("lost", "reason", "signature", "observed_kind", "after"),
    *("expected", "observed", "message", "stack", "precondition"),
)
_JSON = ("outcomes", "snapshots", "detail", "name")


def without_secrets(row: Row) -> Row:
    """A row without the secrets that this process knows. What the row's own program names stays, as it is ours."""
    own: frozenset[str] = frozenset()
    told = dict(row)
    for name in (*_TEXTS, *_JSON):
        value = row.get(name)
        if not value or KNOWN.records(value) == value:
            continue
        if name in _TEXTS:
            told[name] = KNOWN.text(value)
            continue
        own = own or frozenset(_strings(json.loads(row.get("program") or "[]")))
        told[name] = _json(value, own) if isinstance(value, str) else [_json(one, own) for one in value]
    return told


def _json(text: str, own: frozenset[str]) -> str:
    """JSON whose texts have no secrets; a plain text without them."""
    try:
        found = json.loads(text)
    except ValueError:
        return KNOWN.text(text)
    return json.dumps(KNOWN.records(found, ("program",), own), separators=(",", ":"))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def _depot(place: Place) -> Depot:
    """The campaign's folder, kept for the next unit of this process."""
    key = repr(place)
    if key not in _depots:
        for one in _depots.values():
            one.close()
        _depots.clear()
        _depots[key] = open_depot(place)
    return _depots[key]


def _told(
    unit: Unit, attempt: str, status: Status, begun: int, programs: int = 0, writing: int = 0, problem: str = ""
) -> Row:
    return {
        "unit": unit.number,
        "attempt": attempt,
        "status": status,
        "problem": KNOWN.text(problem),
        "programs": programs,
        "milliseconds": (time.monotonic_ns() - begun) // 1_000_000,
        "writing": writing // 1_000_000,
        "pid": os.getpid(),
    }


def attempts(task: Task) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What executors run over the rows of units."""

    def over(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        from pyspark import SparkFiles, TaskContext

        context = TaskContext.get()
        scratch = Path(SparkFiles.getRootDirectory()) / "fsconform-scratch"
        scratch.mkdir(parents=True, exist_ok=True)
        for batch in batches:
            rows = []
            for row in batch.to_pylist():
                attempt = new_attempt(context.taskAttemptId() if context is not None else 0)
                rows.append(safely(task, of_row(row), attempt, scratch))
            if rows:
                yield pa.RecordBatch.from_pylist(rows)

    return over
