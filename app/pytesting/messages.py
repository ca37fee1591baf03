"""Results of pieces: plain data that the processes of a session send one another, as text in ASCII.

A connection goes from the controller to the workers; what a piece gave goes back with the report of its item, so that
nothing is lost when a worker is.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import msgspec

from fsconform.adapters.stores.site import Connection
from fsconform.engine.collect import Collected, Sample
from fsconform.engine.exploration import Covered
from fsconform.engine.findings import Finding
from fsconform.engine.internal import InternalError, decode_internal, encode_internal
from fsconform.engine.secrecy import KNOWN
from fsconform.harness.scrubbing import OURS
from fsconform.model.filesystem.programs import decode_program, encode_program
from fsconform.records.results import Divergence, QuirkRecord, RacesRecord

COUNTS = tuple(one.name for one in fields(Collected) if one.type in (int, "int"))
"""The fields of what was collected that are numbers."""


@dataclass(frozen=True, slots=True)
class Handed:
    """What a worker is told of a store: how it is reached, or the problem because of which it can't be."""

    connection: Connection | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """How often replays showed a signature: ``shown`` of ``replays``."""

    shown: int
    replays: int


@dataclass(frozen=True, slots=True)
class RacesFound:
    """What was tried of a suite of races, what was found, and which known races of the store that needed.

    ``cut_off`` says what the budget left of it.
    """

    record: RacesRecord
    divergences: list[Divergence]
    known: list[QuirkRecord]
    cut_off: list[str]


@dataclass(slots=True)
class PieceResult:
    """What one item gave: of the store with this name, by the piece with this key (empty for a replayed program).

    ``problems`` kept the store from being judged; ``refused`` says why its sandbox may not be used; ``cut_off`` is set
    where the budget ended it.
    """

    store: str
    piece: str = ""
    title: str = ""
    collected: Collected = field(default_factory=Collected)
    covered: Covered | None = None
    proofs: dict[str, Proof] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    refused: str = ""
    inconclusive: str = ""
    nanoseconds: int = 0
    internal: tuple[InternalError, ...] = ()
    cut_off: bool = False
    races: RacesFound | None = None


def encode_handed(handed: dict[str, Handed]) -> str:
    """Stores by name as text."""
    return json.dumps(msgspec.to_builtins(handed, enc_hook=str))


def decode_handed(text: str) -> dict[str, Handed]:
    """The inverse of :func:`encode_handed`."""
    return msgspec.convert(json.loads(text), dict[str, Handed], dec_hook=_path)


def _path(kind: type, value: Any) -> Any:
    return kind(value) if kind is Path else value


def encode(result: PieceResult) -> str:
    """A result as text, without secrets. Names of a store that no encoding has bytes for stand as escapes."""
    collected = result.collected
    row = {
        "store": result.store,
        "piece": result.piece,
        "title": result.title,
        "covered": msgspec.to_builtins(result.covered),
        "proofs": msgspec.to_builtins(result.proofs),
        "problems": result.problems,
        "refused": result.refused,
        "inconclusive": result.inconclusive,
        "nanoseconds": result.nanoseconds,
        "cut off": result.cut_off,
        "races": msgspec.to_builtins(result.races),
        "counts": {name: getattr(collected, name) for name in COUNTS},
        "clauses": collected.clauses,
        "used": [[*literal, clause, times] for (literal, clause), times in collected.used.items()],
        "samples": [
            {
                "finding": msgspec.to_builtins(sample.finding),
                "program": encode_program(sample.program),
                "count": sample.count,
                "met": sample.met,
            }
            for sample in collected.samples.values()
        ],
        "latencies": collected.latencies,
        "losses": collected.losses,
        "lost in": collected.lost_in,
        "internal": [encode_internal(one) for one in result.internal],
    }
    return json.dumps(KNOWN.records(row, (*OURS, "store", "piece", "title", "used")))


def decode(text: str) -> PieceResult:
    """The inverse of :func:`encode`."""
    row = json.loads(text)
    collected = Collected(**row["counts"])
    collected.clauses.update(row["clauses"])
    collected.used = Counter({((name, value), clause): times for name, value, clause, times in row["used"]})
    for sample in row["samples"]:
        finding = msgspec.convert(sample["finding"], Finding)
        program = decode_program(sample["program"])
        collected.samples[finding.signature] = Sample(finding, program, sample["count"], sample["met"])
    collected.latencies.update(row["latencies"])
    collected.losses.update(row["losses"])
    collected.lost_in |= row["lost in"]
    return PieceResult(
        row["store"],
        row["piece"],
        row["title"],
        collected,
        msgspec.convert(row["covered"], Covered | None),
        msgspec.convert(row["proofs"], dict[str, Proof]),
        row["problems"],
        row["refused"],
        row["inconclusive"],
        row["nanoseconds"],
        tuple(map(decode_internal, row["internal"])),
        row["cut off"],
        msgspec.convert(row["races"], RacesFound | None),
    )
