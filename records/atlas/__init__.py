"""The atlas, as data: what one run showed of one store in one version, compact enough to be reviewed like code.

``STORE-RELEASE.json`` beside this file is an :class:`Entry`; ``../atlas.schema.json`` describes them. Nothing that
hangs on the machine stands in one: no paths, no messages of errors, no latencies. ``fsconform atlas add`` writes them.
"""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import msgspec

from fsconform.records.codec import DIALECT, RecordError
from fsconform.records.given import GivenError, brief, read_bytes, reason
from fsconform.records.results import IMPACTS, SEVERITY, VERDICTS

FOLDER = Path(__file__).resolve().parent
SCHEMA_FILE = FOLDER.with_name("atlas.schema.json")
SCHEMA = 1
MOST_BYTES = 1 << 26
"""Of one entry."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The run that an entry was made from: ``date`` is its first day, ISO 8601 in UTC; ``commit`` is of fsconform."""

    run: str
    date: str
    seed: int
    effort: str
    commit: str
    fsconform: str = ""
    suites: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a store stands to one clause: how often it was judged by it, and the most serious verdict."""

    judged: int
    verdict: str


@dataclass(frozen=True, slots=True)
class Option:
    """A contract option: the declared value (None: absent), and the one that was observed (None: nothing decides it).

    ``default`` is the value that an absent option takes, ``evidence`` by what the observed one was decided.
    """

    declared: Any
    observed: Any
    default: Any = None
    evidence: str = ""
    statement: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a smallest program, and what it gave; of an error its class. ``marked`` is the one that departs."""

    call: str
    observed: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Departure:
    """One divergence: its smallest program without what only looks, and the ``left_out`` calls that it has beside them.

    ``options`` are the smallest sets of contract options that allow it, each as ``name=value``; ``finding`` is the id
    of the finding that it belongs to, where there is one.
    """

    signature: str
    verdict: str
    clause: str
    level: str
    operation: str
    expected: str
    observed: str
    program: tuple[Call, ...]
    confirmed: str
    area: str = ""
    impact: str = ""
    finding: str = ""
    options: tuple[tuple[str, ...], ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """What one run showed of one store. ``release`` names the version by which entries of a store are told apart."""

    schema: int
    store: str
    release: str
    statement: str
    versions: dict[str, str]
    origin: Origin
    programs: int
    operations: int
    problems: tuple[str, ...] = ()
    """What kept the store, or a part of it, from being judged."""
    clauses: dict[str, Standing] = field(default_factory=dict)
    options: dict[str, Option] = field(default_factory=dict)
    departures: tuple[Departure, ...] = ()

    @property
    def id(self) -> str:
        """The name of its file without the ending."""
        return entry_id(self.store, self.release)


def entry_id(store: str, release: str) -> str:
    """A name for a file: letters, digits, dots, hyphens and underscores alone."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", f"{store}-{release}".lower()).strip("-.")[:120] or "entry"


def order_of(entry: Entry) -> tuple[str, tuple[int, ...], str]:
    """By store, and then by the numbers of its release, the oldest first."""
    return entry.store, tuple(int(number[:9]) for number in re.findall(r"[0-9]+", entry.release)), entry.release


def dumps(entry: Entry) -> bytes:
    """An entry as JSON in ASCII with a line for each clause, option and call: equal entries give equal bytes.

    Raises RecordError for what ``loads`` would refuse.
    """
    plain = msgspec.to_builtins(entry)
    plain["departures"] = [_without_defaults(departure) for departure in plain["departures"]]
    lines = [f"{json.dumps(name)}: {_laid_out(value)}" for name, value in plain.items()]
    data = ("{\n" + ",\n".join(lines) + "\n}\n").encode("ascii")
    loads(data)
    return data


def _without_defaults(departure: dict[str, Any]) -> dict[str, Any]:
    optional = {part.name for kind in (Departure, Call) for part in fields(kind) if part.default is not MISSING}
    called = [
        {name: value for name, value in call.items() if value or name not in optional} for call in departure["program"]
    ]
    return {name: value for name, value in departure.items() if value or name not in optional} | {"program": called}


def _laid_out(value: Any) -> str:
    if isinstance(value, dict) and value:
        inside = ",\n".join(f" {json.dumps(name)}: {json.dumps(value[name])}" for name in sorted(value))
        return "{\n" + inside + "\n}"
    if isinstance(value, list | tuple) and value:
        return "[\n" + ",\n".join(f" {json.dumps(part)}" for part in value) + "\n]"
    return json.dumps(value)


def loads(source: bytes | Path) -> Entry:
    """An entry from JSON. Raises RecordError: the file can't be read, is not JSON, or is no entry of the atlas."""
    name = str(source) if isinstance(source, Path) else "the entry"
    try:
        entry = msgspec.json.decode(read_bytes(source, MOST_BYTES) if isinstance(source, Path) else source, type=Entry)
    except msgspec.ValidationError as error:
        raise RecordError(f"{name}: is no entry of the atlas: {reason(error)}") from error
    except GivenError as error:
        raise RecordError(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"{name}: is not JSON: {error}") from error
    if entry.schema != SCHEMA:
        raise RecordError(f"{name}: has schema {brief(entry.schema)}, and this version reads schema {SCHEMA}")
    for verdict in (*(part.verdict for part in entry.departures), *(part.verdict for part in entry.clauses.values())):
        if verdict not in VERDICTS:
            raise RecordError(f"{name}: is no entry of the atlas: no verdict {brief(verdict)}")
    for departure in entry.departures:
        if departure.impact and departure.impact not in IMPACTS:
            raise RecordError(f"{name}: is no entry of the atlas: no impact {brief(departure.impact)}")
    return entry


def read(folder: Path = FOLDER) -> tuple[Entry, ...]:
    """All entries of a folder, in the order of ``order_of``.

    Raises RecordError for a file that is none, or for two of the same store and release.
    """
    found: dict[str, Path] = {}
    entries = []
    for path in sorted(folder.glob("*.json")):
        entry = loads(path)
        if entry.id in found:
            raise RecordError(f"{path}: is of {entry.id}, as {found[entry.id]} is: keep one of them")
        found[entry.id] = path
        entries.append(entry)
    return tuple(sorted(entries, key=order_of))


def worst(verdicts: list[str]) -> str:
    """The most serious of some verdicts; ``conforms`` where there is none."""
    return min(verdicts, key=SEVERITY.index, default="conforms")


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of an entry."""
    schema: dict[str, Any] = {
        "$schema": DIALECT,
        "$id": f"urn:fsconform:atlas:{SCHEMA}",
        **msgspec.json.schema(Entry),
    }
    definitions = schema["$defs"]
    for definition in definitions.values():
        definition["description"] = inspect.cleandoc(definition["description"])
    definitions["Entry"]["properties"]["schema"] = {"const": SCHEMA}
    for name in ("Departure", "Standing"):
        definitions[name]["properties"]["verdict"] = {"enum": list(VERDICTS)}
    definitions["Departure"]["properties"]["impact"] = {"enum": ["", *IMPACTS], "default": ""}
    return schema


def schema_bytes() -> bytes:
    """The text of ``atlas.schema.json``."""
    return msgspec.json.format(msgspec.json.encode(json_schema()), indent=2) + b"\n"
