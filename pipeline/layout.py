"""Where things stand in a campaign's folder, and what a marker says.

``campaign.json``                                   the plan: what the campaign is
``traces/store=S/suite=U/unit-N.ATTEMPT.parquet``   what one attempt at a unit gave; so ``verdicts`` and ``tallies``
``markers/unit-N.json``                             which attempt at a unit counts: written once, by one attempt

Only what a marker names is ever read. Files of attempts that were killed, or came second, lie about and mean nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fsconform.pipeline.schema import TABLES
from fsconform.pipeline.units import Unit

PLAN = "campaign.json"
MARKERS = "markers"

_MARKER = re.compile(r"unit-(\d+)\.json")


class MarkerError(ValueError):
    """A marker that can't be read; the text names it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file of an attempt: its name in the campaign's folder, its rows and its bytes."""

    name: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Marker:
    """Selects an attempt at a unit, with the files that hold what it gave."""

    unit: int
    attempt: str
    programs: int
    files: Mapping[str, Written]


def table_file(table: str, unit: Unit, attempt: str) -> str:
    """The name of the file of a table that an attempt at a unit writes."""
    return f"{table}/store={unit.store}/suite={unit.suite}/unit-{unit.number:08}.{attempt}.parquet"


def marker_file(unit: int) -> str:
    """The name of a unit's marker."""
    return f"{MARKERS}/unit-{unit:08}.json"


def marked(names: Iterable[str]) -> set[int]:
    """The units that the markers of these names select an attempt of."""
    return {int(found[1]) for name in names if (found := _MARKER.fullmatch(name))}


def encode_marker(marker: Marker) -> bytes:
    """A marker as one line of JSON."""
    files = {table: [one.name, one.rows, one.bytes] for table, one in sorted(marker.files.items())}
    row = {"unit": marker.unit, "attempt": marker.attempt, "programs": marker.programs, "files": files}
    return json.dumps(row, sort_keys=True).encode() + b"\n"


def decode_marker(data: bytes, name: str) -> Marker:
    """The inverse of :func:`encode_marker`. Raises MarkerError."""
    try:
        row = json.loads(data)
        files = {
            str(table): Written(str(path), int(rows), int(size)) for table, (path, rows, size) in row["files"].items()
        }
        if set(files) != set(TABLES):
            raise ValueError(f"it names {', '.join(sorted(files)) or 'no tables'}")
        return Marker(int(row["unit"]), str(row["attempt"]), int(row["programs"]), files)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MarkerError(f"{name}: is no marker of a campaign: {error}") from error
