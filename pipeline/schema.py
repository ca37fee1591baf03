"""The tables of a campaign as Parquet, schema 3: traces, verdicts, histories and tallies.

Every row names its campaign, unit, attempt, store and suite, and stands for itself. The number of the schema is in
each row and in each file's metadata. ``engine.traces`` says what the columns of a trace and of a verdict hold.

traces      one row a program: what was executed, and all that judging it again needs
verdicts    one row a departure, with its program
histories   one row a concurrent program: what all clients saw, all that judging it again needs, and what it showed;
            ``engine.histories.recorded`` says what most columns hold. ``first_lane`` and ``second_lane`` are the names
            of what the lanes do, ``tables`` the group of the pair, ``signatures`` what fails and known races, with
            their ``kinds`` of verdict and ``clauses``
tallies     one row a counted thing: ``kind`` says what (see KINDS), ``name`` and ``detail`` which, ``count`` how often;
            of a latency ``nanoseconds`` holds each single one
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fsconform.engine.traces import SCHEMA, Row

TABLES = ("traces", "verdicts", "tallies", "histories")

OF_PROGRAMS, OF_RACES = TABLES[:3], ("histories", "tallies")
"""The tables that a unit of programs writes, and those that a unit of races does."""

KINDS = ("total", "clause", "option", "latency", "lost", "throttled", "internal")
"""What tallies count: totals of the unit; judged clauses; option values that were needed, with the clause as detail;
calls by operation; programs whose store was lost, and why; how often the store asked to try again, and why; errors in
fsconform's own code, with program and traceback as JSON in the detail."""

METADATA = b"fsconform.schema"

_WHERE = [
    ("schema", pa.int32()),
    ("campaign", pa.string()),
    ("unit", pa.int64()),
    ("attempt", pa.string()),
    ("store", pa.string()),
    ("suite", pa.string()),
]

_PROGRAM = [("number", pa.int64()), ("program", pa.string())]

_FIELDS: dict[str, list[tuple[str, pa.DataType]]] = {
    "traces": [
        *_WHERE,
        *_PROGRAM,
        ("outcomes", pa.list_(pa.string())),
        ("invoked", pa.list_(pa.int64())),
        ("returned", pa.list_(pa.int64())),
        ("snapshots", pa.string()),
        ("lost", pa.string()),
        ("throttled", pa.int32()),
        ("base", pa.string()),
        ("contract", pa.string()),
        ("options", pa.string()),
        ("hadoop", pa.string()),
        ("model", pa.string()),
        ("quirks", pa.list_(pa.string())),
    ],
    "verdicts": [
        *_WHERE,
        *_PROGRAM,
        ("signature", pa.string()),
        ("verdict", pa.string()),
        ("clause", pa.string()),
        ("level", pa.string()),
        ("step", pa.int32()),
        ("noticed", pa.int32()),
        ("operation", pa.string()),
        ("roles", pa.list_(pa.string())),
        ("observed_kind", pa.string()),
        ("after", pa.string()),
        ("expected", pa.string()),
        ("observed", pa.string()),
        ("changes", pa.string()),
        ("first", pa.bool_()),
        ("message", pa.string()),
        ("stack", pa.string()),
        ("met", pa.int32()),
        ("steps", pa.int32()),
        ("length", pa.int32()),
        ("impact", pa.string()),
        ("quirk", pa.string()),
        ("precondition", pa.string()),
    ],
    "histories": [
        *_WHERE,
        *_PROGRAM,
        ("places", pa.list_(pa.int32())),
        ("outcomes", pa.list_(pa.string())),
        ("invoked", pa.list_(pa.int64())),
        ("returned", pa.list_(pa.int64())),
        ("lost", pa.string()),
        ("round", pa.int32()),
        ("first_lane", pa.string()),
        ("second_lane", pa.string()),
        ("watches", pa.bool_()),
        ("tables", pa.string()),
        ("threads", pa.bool_()),
        ("clients", pa.string()),
        ("calls", pa.int32()),
        ("overlaps", pa.bool_()),
        ("verdict", pa.string()),
        ("reason", pa.string()),
        ("outcome", pa.string()),
        ("pair_verdict", pa.string()),
        ("milliseconds", pa.float64()),
        ("signatures", pa.list_(pa.string())),
        ("kinds", pa.list_(pa.string())),
        ("clauses", pa.list_(pa.string())),
        ("lanes", pa.int32()),
        ("within", pa.int32()),
        ("length", pa.int32()),
        ("contract", pa.string()),
        ("options", pa.string()),
        ("hadoop", pa.string()),
        ("model", pa.string()),
        ("quirks", pa.list_(pa.string())),
    ],
    "tallies": [
        *_WHERE,
        ("kind", pa.string()),
        ("name", pa.string()),
        ("detail", pa.string()),
        ("count", pa.int64()),
        ("nanoseconds", pa.list_(pa.int64())),
    ],
}


_ADDED = {("verdicts", name): 2 for name in ("impact", "quirk", "precondition")} | {("traces", "quirks"): 2}
"""The schema that added a column; all others were there from the first."""


MOST_HELD = 8 << 30
"""Bytes of one file, unpacked."""


class SchemaError(ValueError):
    """A file that is no table of a campaign, or one of a schema that this version does not read."""


def schema_of(table: str) -> pa.Schema:
    """The Arrow schema of a table, its number in the metadata."""
    return pa.schema(_FIELDS[table], metadata={METADATA: str(SCHEMA).encode()})


def to_parquet(table: str, rows: Sequence[Row]) -> bytes:
    """A Parquet file of the rows, which may lack the columns that a later schema added.

    Raises KeyError or pyarrow.ArrowInvalid for rows that are none of the table.
    """
    schema = schema_of(table)
    columns = [
        pa.array(
            [row.get(field.name) if (table, field.name) in _ADDED else row[field.name] for row in rows], field.type
        )
        for field in schema
    ]
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), sink, compression="zstd")
    return sink.getvalue()


def from_parquet(table: str, data: bytes, name: str = "file") -> list[Row]:
    """The rows of a Parquet file of ours. Raises SchemaError naming the file."""
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        held = sum(file.metadata.row_group(number).total_byte_size for number in range(file.metadata.num_row_groups))
        if held > MOST_HELD:
            raise SchemaError(f"{name}: holds {held:,} bytes unpacked, which no table of a campaign has")
        check(table, file.schema_arrow, name)
        found = file.read()
        found.validate(full=True)
        rows: list[Row] = found.to_pylist()
    except SchemaError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        raise SchemaError(f"{name}: is no Parquet file that can be read: {_first_line(error)}") from error
    return rows


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)[:200]


def check(table: str, schema: pa.Schema, name: str) -> int:
    """The number of the schema of a table. Raises SchemaError for a file of another kind or of a later schema."""
    metadata: Mapping[bytes, Any] = schema.metadata or {}
    said = metadata.get(METADATA, b"0")
    number = int(said) if said.isdigit() and len(said) < 10 else 0
    if not 1 <= number <= SCHEMA:
        told = f"has schema {number}" if number else "says no schema"
        raise SchemaError(f"{name}: {told}, and this version reads the schemas 1 to {SCHEMA}")
    missing = [
        field for field, _ in _FIELDS[table] if field not in schema.names and _ADDED.get((table, field), 1) <= number
    ]
    if missing:
        raise SchemaError(f"{name}: is no table of {table}: it has no column {', '.join(missing)}")
    for field, kind in _FIELDS[table]:
        if schema.names.count(field) > 1:
            raise SchemaError(f"{name}: is no table of {table}: it has the column {field} twice")
        if field in schema.names and not schema.field(field).type.equals(kind):
            raise SchemaError(f"{name}: is no table of {table}: its column {field} is of {schema.field(field).type}")
    return number
