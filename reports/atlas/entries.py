"""From the results of a run to an entry of the atlas: what is of the machine or of the moment is left out. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from fsconform.records.atlas import SCHEMA, Call, Departure, Entry, Option, Origin, Standing, worst
from fsconform.records.results import Divergence, OptionRecord, Results, StoreRecord
from fsconform.reports import words
from fsconform.reports.findings import finding_of

MOST_CALLS: Final = 40
"""Of one program; what is beyond is counted."""
LONGEST: Final = 600
"""Letters of one text."""
_RAISED = re.compile(r"(raised [\w.$]+): .*", re.DOTALL)
_RAISED_WITHIN = re.compile(r"(raised [\w.$]+): .*?(?=; later |$)", re.DOTALL)
_RUN = re.compile(r"(.)\1{31,}")
_PATHS = re.compile(r"(?:[a-z0-9]+:)?/+(?:tmp|home|root|var|mnt)/\S*")
_NAMED = ("hadoop", "spark", "python")
"""What a release is called by, the first that a store has."""


def entry_of(results: Results, store: StoreRecord, commit: str) -> Entry:
    """What a run showed of one of its stores; ``commit`` is that of fsconform, empty where nobody knows it."""
    run = results.run
    origin = Origin(
        run.id,
        run.started[:10],
        run.seed,
        run.configuration.get("effort", ""),
        commit,
        run.versions.get("fsconform", ""),
        run.configuration.get("suites", ""),
    )
    return Entry(
        SCHEMA,
        store.name,
        release_of(store.versions),
        store.statement,
        {name: _version(text) for name, text in sorted(store.versions.items())},
        origin,
        store.programs,
        store.operations,
        tuple(map(_text, (*store.problems, *store.cut_off))),
        standings(store),
        {name: _option(record) for name, record in sorted(store.options.items())},
        tuple(_departure(store, divergence) for divergence in words.by_severity(store.divergences)),
    )


def release_of(versions: Mapping[str, str]) -> str:
    """By what entries of one store are told apart: the release of Hadoop, else of Spark, else of Python."""
    name = next((name for name in _NAMED if name in versions), "")
    return f"{name} {versions[name]}" if name else "no release"


def standings(store: StoreRecord) -> dict[str, Standing]:
    """How the store stands to each clause that it was judged by, or that a divergence names."""
    verdicts: dict[str, list[str]] = {clause: [] for clause, times in store.clauses.items() if times}
    for divergence in store.divergences:
        verdicts.setdefault(divergence.clause, []).append(divergence.verdict)
    return {clause: Standing(store.clauses.get(clause, 0), worst(verdicts[clause])) for clause in sorted(verdicts)}


def _version(text: str) -> str:
    """A version without what the builder of a kernel added."""
    return re.sub(r"^(Linux [0-9.]+).*", r"\1", text)


def _option(record: OptionRecord) -> Option:
    return Option(record.declared, record.observed, record.default, record.evidence, record.statement)


def _departure(store: StoreRecord, divergence: Divergence) -> Departure:
    calls, left_out = _program(divergence)
    finding = finding_of(store, divergence)
    allowed = {
        tuple(sorted(f"{change.option}={words.value_text(change.value)}" for change in changes))
        for changes in divergence.options
    }
    return Departure(
        divergence.signature,
        divergence.verdict,
        divergence.clause,
        divergence.level,
        divergence.operation,
        _text(divergence.expected),
        _text(divergence.observed),
        calls,
        divergence.confirmed,
        divergence.area,
        divergence.impact,
        finding.id if finding is not None else "",
        tuple(sorted(allowed)),
        left_out,
    )


def _program(divergence: Divergence) -> tuple[tuple[Call, ...], int]:
    """The calls of the smallest program but for probes that saw nothing wrong, and how many are left out for length."""
    if divergence.history is not None:
        told = [
            Call(f"client {call.client + 1}: {_text(call.call)}", _observed(call.observed), call.marked)
            for call in divergence.history.calls
            if call.part != "afterwards" or call.marked
        ]
    else:
        told = [
            Call(_text(step.call), _observed(step.observed), step.marked)
            for step in divergence.sequence
            if step.marked or not step.probe
        ]
    return tuple(told[:MOST_CALLS]), max(len(told) - MOST_CALLS, 0)


def _observed(text: str) -> str:
    """What a call gave; of an error its class, as messages hold the paths of a sandbox."""
    return _text(_RAISED.sub(r"\1", text))


def _text(text: str) -> str:
    """A text without messages of errors and paths of the machine, with long runs of a character as their number."""
    plain = _PATHS.sub("(path)", _RAISED_WITHIN.sub(r"\1", text))
    short = _RUN.sub(lambda found: f"<{found[1]} x {len(found[0])}>", plain)
    return short if len(short) <= LONGEST else short[: LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
