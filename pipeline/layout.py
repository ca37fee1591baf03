"""Where things stand in a campaign's folder, and what a marker says.

``campaign.json``                                   the plan: what the campaign is
``traces/store=S/suite=U/unit-N.ATTEMPT.parquet``   what one attempt at a unit gave; so ``verdicts`` and ``tallies``;
                                                    of races ``histories`` and ``tallies``
``markers/unit-N.json``                             which attempt at a unit counts: written once, by one attempt

Only what a marker names is ever read. Files of attempts that were killed, or came second, lie about and mean nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fsconform.pipeline.schema import OF_PROGRAMS, OF_RACES
from fsconform.pipeline.units import Unit
from fsconform.records.given import GivenError, brief, json_of, reason, text_of

PLAN = "campaign.json"
MARKERS = "markers"

_MARKER = re.compile(r"unit-(\d{1,18})\.json", re.ASCII)
_FILE = re.compile(r"[a-z]+/store=[^/\x00]+/suite=[^/\x00]+/unit-\d+\.[\w.-]+\.parquet", re.ASCII)
_STORE = re.compile(r"/store=([^/]+)/")


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
    """Selects an attempt at a unit, with the files that hold what it gave: those of programs, or those of races."""

    unit: int
    attempt: str
    programs: int
    files: Mapping[str, Written]

    def names(self, table: str) -> tuple[str, ...]:
        """The name of its file of a table, if it has one."""
        return (self.files[table].name,) if table in self.files else ()


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


def stores_of(markers: Iterable[Marker]) -> set[str]:
    """The names of the stores that markers select attempts on."""
    return {found[1] for marker in markers for file in marker.files.values() if (found := _STORE.search(file.name))}


def _file(table: str, name: object) -> str:
    """The name of a file of a table: what is elsewhere is none of the campaign's."""
    if not isinstance(name, str) or not _FILE.fullmatch(name) or not name.startswith(f"{table}/") or ".." in name:
        raise ValueError(f"{brief(name)} is no file of {table}")
    return name


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise ValueError(f"{brief(value)} is no number of anything")
    return value


def decode_marker(data: bytes, name: str) -> Marker:
    """The inverse of :func:`encode_marker`. Raises MarkerError."""
    try:
        row = json_of(text_of(data, name), name)
        files = {
            table: Written(_file(table, path), _count(rows), _count(size))
            for table, (path, rows, size) in row["files"].items()
        }
        if set(files) not in (set(OF_PROGRAMS), set(OF_RACES)):
            raise ValueError(f"it names {', '.join(sorted(files)) or 'no tables'}")
        if not isinstance(row["attempt"], str):
            raise ValueError("attempt is a text")
        return Marker(_count(row["unit"]), row["attempt"], _count(row["programs"]), files)
    except GivenError as error:
        raise MarkerError(f"{error}: it is no marker of a campaign") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MarkerError(f"{name}: is no marker of a campaign: {reason(error)}") from error
