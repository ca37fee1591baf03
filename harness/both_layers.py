"""The object store below S3A, seen through boto3 while a minimal program runs: both layers side by side."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fsconform.adapters.markers.options import OptionError, connection, merged, place
from fsconform.adapters.s3.client import Endpoint, client_of, refusals
from fsconform.adapters.s3.looking import Window
from fsconform.adapters.s3.session import S3Session
from fsconform.engine.confirm import Proven
from fsconform.engine.events import Doing, Listener, unheard
from fsconform.engine.findings import Finding
from fsconform.engine.objects import below_connector
from fsconform.engine.objects.below_connector import Judged, Look, Twin
from fsconform.engine.objects.describe import call, observed
from fsconform.engine.objects.subject import OBJECTS, Session
from fsconform.engine.protocol import Store, StoreLost
from fsconform.engine.trial import Bench, Trial, shown_alike
from fsconform.model.core.operation import paths_of
from fsconform.model.core.outcomes import Unknown
from fsconform.model.filesystem.output.writers import is_live
from fsconform.model.filesystem.programs import Program
from fsconform.model.objects.answers import Answer
from fsconform.records.results import BelowBreach, BelowRecord, BelowStep, StepRecord

SECONDS = 30.0
"""A request that takes longer has no answer that is known."""

MOST = 40
"""So many divergences of one run are looked at."""

STREAM = "a stream is open: the worker closed it before the store was looked at"


class NotSeen(Exception):
    """The store below can't be looked at. The text says why."""


@dataclass(frozen=True, slots=True)
class Beneath:
    """The object store below a connector: a window on its bucket, and a session that plays below the sandbox."""

    uri: str
    window: Window
    session: Session
    close: Callable[[], None] = field(default=lambda: None)


def has_one(store: Store) -> bool:
    """Whether a store is a connector with an object store below it that can be looked at."""
    return store.uri.startswith("s3a://") and hasattr(store, "configuration")


def beneath_of(store: Store) -> Beneath:
    """The object store below a connector, reached by the connector's own options. Raises NotSeen."""
    told: Any = store
    try:
        where = place(store.uri)
        options = merged(map(Path, told.configuration_files), told.configuration)
        to = connection(options, where.bucket)
    except OptionError as error:
        raise NotSeen(str(error)) from error
    if to.session_token or to.anonymous:
        raise NotSeen("its credentials are temporary or none: the store below is looked at with an access key alone")
    endpoint = Endpoint(to.endpoint, to.access_key, to.secret_key, to.region or "us-east-1")
    client = client_of(endpoint, SECONDS)
    # Named as a session's directory is, so that `fsconform clean` finds what an end by force leaves.
    prefix = f"{where.prefix}run-{secrets.token_hex(6)}-below/"
    session = S3Session(client, refusals(), where.bucket, prefix)
    window = Window(client, refusals(), where.bucket)
    return Beneath(to.endpoint or "Amazon S3", window, session, session.close)


def not_known(why: str, uri: str = "") -> BelowRecord:
    """The record where the store below was not seen."""
    return BelowRecord(uri, "not known", note=why)


def looked(bench: Bench, below: Beneath, program: Program, like: Finding | None) -> BelowRecord:
    """Run a program's beginnings, look below after each, and judge what was seen. Raises StoreLost.

    ``like`` is the divergence that the whole program shows.
    """
    paths = list(dict.fromkeys(path for step in program for path in paths_of(step.operation)))
    looks: list[Look] = []
    notes: list[str] = []
    known: dict[str, None] = {}
    trial: Trial | None = None
    for length in range(1, len(program) + 1):
        (trial,) = bench.try_all([program[:length]])
        if trial.execution.lost:
            raise StoreLost(trial.execution.lost)
        if not trial.execution.base:
            return not_known("the program did not play in a directory of its own", below.uri)
        look = below.window.look(trial.execution.base.strip("/") + "/", paths, known)
        if look.unknown():
            return not_known(look.unknown(), below.uri)
        known |= dict.fromkeys(look.held())
        looks.append(look)
        notes.append(STREAM if is_live(trial.judgement.states[-1]) else "")
    shown = like is None or (trial is not None and shown_alike(trial.judgement, like, alone=False) is not None)
    twin = below_connector.twin(paths, looks)
    seen = below.session.execute(twin.program)
    return record(below.uri, looks, notes, twin, seen, shown)


def record(
    uri: str, looks: list[Look], notes: list[str], twin: Twin, seen: tuple[Answer, ...], shown: bool = True
) -> BelowRecord:
    """What was seen of the store below, and whether it kept its clauses."""
    left, requests = below_connector.judge_left(looks), below_connector.judge_twin(twin, seen)
    breaches = [*_breaches("left", left), *_breaches("requests", requests)]
    lost = next((one.reason for one in seen if isinstance(one, Unknown)), "")
    return BelowRecord(
        uri,
        "departs" if breaches else "not known" if lost else "kept",
        left.answers + requests.answers,
        sorted(left.clauses | requests.clauses),
        _steps(looks, notes),
        _sequence(twin, seen, requests),
        breaches,
        shown,
        "; ".join(filter(None, (lost, *(f"not repeated: {one}" for one in twin.left_out)))),
    )


def _breaches(layer: str, judged: Judged) -> list[BelowBreach]:
    rows = []
    for step, request, finding in judged.findings:
        clause = OBJECTS.clause(finding.clause)
        rows.append(
            BelowBreach(
                clause.id,
                finding.level,
                clause.statement,
                clause.source,
                layer,
                step,
                call(request),
                finding.expected,
                finding.observed,
            )
        )
    return rows


def _steps(looks: list[Look], notes: list[str]) -> list[BelowStep]:
    before = (
        {below_connector.OWN: looks[0].held()[below_connector.OWN]}
        if looks and below_connector.OWN in looks[0].held()
        else {}
    )
    rows = []
    for look, note in zip(looks, notes, strict=True):
        held = look.held()
        rows.append(BelowStep(below_connector.objects(held), below_connector.changed(before, held), note))
        before = held
    return rows


def _sequence(twin: Twin, seen: tuple[Answer, ...], judged: Judged) -> list[StepRecord]:
    """The requests that change something, and those whose answers depart."""
    departing = {finding.step: finding for _, _, finding in reversed(judged.findings)}
    rows = []
    for index, (request, answer) in enumerate(zip(twin.program, seen, strict=False)):
        finding = departing.get(index)
        if request.MUTATES or finding is not None:
            expected = finding.expected if finding is not None else ""
            rows.append(StepRecord(call(request), {}, observed(answer), expected, marked=finding is not None))
    return rows


def seen_below(
    store: Store,
    bench: Callable[[], AbstractContextManager[Bench]],
    wanted: Sequence[Proven],
    hear: Listener = unheard,
) -> Mapping[str, BelowRecord]:
    """Both layers of the minimal programs of divergences, by their signatures.

    At most ``MOST`` are looked at. What keeps the store below from being seen is told in the records.
    """
    if not wanted or not has_one(store):
        return {}
    found: dict[str, BelowRecord] = {}
    try:
        below = beneath_of(store)
    except NotSeen as error:
        return {one.finding.signature: not_known(str(error)) for one in wanted}
    try:
        with bench() as lent:
            for number, one in enumerate(wanted[:MOST], 1):
                hear(Doing(store.name, f"looking at the store below, {number} of {len(wanted)}"))
                found[one.finding.signature] = looked(lent, below, one.program, one.finding)
    except StoreLost as error:
        left = [one.finding.signature for one in wanted if one.finding.signature not in found]
        found |= dict.fromkeys(left, not_known(str(error), below.uri))
    finally:
        below.close()
    return found
