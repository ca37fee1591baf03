"""Two runs side by side: what is new in the later one, what is gone, what changed, and what was not judged in both.

Pure: results in, a comparison out. Stores are paired by name, divergences by signature.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from fsconform.records.codec import DIALECT, storable
from fsconform.records.results import FAILING, SEVERITY, VERDICTS, Divergence, OptionRecord, Results, StoreRecord

T = TypeVar("T")

SCHEMA = 1
"""The schema of the JSON that a comparison is written as."""


class ComparisonError(ValueError):
    """Results that can't be compared; the text says why."""


@dataclass(frozen=True, slots=True)
class RunReference:
    """Which run was compared. ``started`` is ISO 8601 in UTC; ``exit`` is the run's exit code."""

    id: str
    started: str
    seed: int
    exit: int


@dataclass(frozen=True, slots=True)
class Sight:
    """A signature that only one of the runs has.

    ``judged_in_other`` is true if the other run judged the clause that it breaks. If false, nothing says that the store
    changed: the other run did not look. ``calls`` is the smallest program, without probes.
    """

    signature: str
    verdict: str
    clause: str
    area: str
    steps: int
    confirmed: str
    calls: list[str]
    replay: str
    judged_in_other: bool


@dataclass(frozen=True, slots=True)
class Changed:
    """A signature that both runs have. ``what`` names what differs: verdict, clause, program, confirmed."""

    signature: str
    what: list[str]
    before: Sight
    after: Sight


@dataclass(frozen=True, slots=True)
class OptionMove:
    """A contract option that is declared, or was inferred, otherwise than before. None: absent, or not observed."""

    option: str
    declared_before: Any
    declared_after: Any
    observed_before: Any
    observed_after: Any


@dataclass(frozen=True, slots=True)
class VersionMove:
    """A version that differs; empty where a run does not tell it."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class StoreComparison:
    """One store in both runs. ``unjudged`` says, of each run that judged nothing of the store, which and why.

    ``failing`` lists the signatures with a failing verdict that the first run does not have with a failing one.
    ``waiver_problems`` are those that the first run does not have: they fail a gate too.
    """

    name: str
    new: list[Sight]
    gone: list[Sight]
    changed: list[Changed]
    options: list[OptionMove]
    clauses_new: list[str]
    clauses_gone: list[str]
    versions: list[VersionMove]
    failing: list[str]
    waiver_problems: list[str] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)
    in_part: list[str] = field(default_factory=list)
    """What kept a run from judging the store whole: what it lacks may be what it did not come to."""
    fixed: list[str] = field(default_factory=list)
    """Signatures that fail in the first run and not in the second, which judged their clause."""
    unchanged: int = 0
    """The number of signatures that fail in both runs."""
    unknown: int = 0
    """The number of signatures that fail in the first run, and of which the second did not judge the clause."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs compared. ``versions`` are those of the harness and of what it runs on."""

    schema: int
    before: RunReference
    after: RunReference
    versions: list[VersionMove]
    stores: list[StoreComparison]

    @property
    def fails(self) -> bool:
        """Whether something fails that did not fail before."""
        return any(store.failing or store.waiver_problems for store in self.stores)

    @property
    def inconclusive(self) -> bool:
        """Whether one of the runs judged nothing of a store, or of all of them."""
        return not self.stores or any(store.unjudged for store in self.stores)


def compare(before: Results, after: Results, only: Collection[str] = ()) -> Comparison:
    """Compare two runs, of the stores named in ``only``, or of all where it is empty.

    Raises ComparisonError for results that name a store twice, and for a store that neither has.
    """
    olds, news = by_name(before), by_name(after)
    names = list(dict.fromkeys([*olds, *news]))
    for name in only:
        if name not in names:
            raise ComparisonError(f"no run has a store {name!r}: they have {', '.join(names) or 'none'}")
    return Comparison(
        SCHEMA,
        _reference(before),
        _reference(after),
        _version_moves(before.run.versions, after.run.versions),
        [_store(name, olds.get(name), news.get(name)) for name in names if not only or name in only],
    )


def by_name(results: Results) -> dict[str, StoreRecord]:
    """The stores of a run by their names. Raises ComparisonError for a name that stands twice."""
    found: dict[str, StoreRecord] = {}
    for store in results.stores:
        if store.name in found:
            raise ComparisonError(f"run {results.run.id} has the store {store.name!r} twice")
        found[store.name] = store
    return found


def _reference(results: Results) -> RunReference:
    run = results.run
    return RunReference(run.id, run.started, run.seed, run.exit)


def _store(name: str, before: StoreRecord | None, after: StoreRecord | None) -> StoreComparison:
    olds, news = by_signature(before), by_signature(after)
    old_clauses, new_clauses = _judged_clauses(before), _judged_clauses(after)
    failed = [one for one in olds.values() if one.verdict in FAILING]
    gone = [one for one in failed if (new := news.get(one.signature)) is None or new.verdict not in FAILING]
    fixed = [one.signature for one in gone if one.signature in news or one.clause in new_clauses]
    return StoreComparison(
        name,
        new=_only(news, olds, old_clauses),
        gone=_only(olds, news, new_clauses),
        changed=_sorted(_changes(olds, news, old_clauses, new_clauses), lambda one: one.after.verdict),
        options=_option_moves(before.options if before else {}, after.options if after else {}),
        clauses_new=sorted(new_clauses - old_clauses),
        clauses_gone=sorted(old_clauses - new_clauses),
        versions=_version_moves(before.versions if before else {}, after.versions if after else {}),
        failing=[
            one.signature
            for one in _sorted(news.values(), lambda one: one.verdict)
            if failing_anew(one, olds.get(one.signature))
        ],
        waiver_problems=missing(after.waiver_problems if after else [], before.waiver_problems if before else []),
        unjudged=[*why_unjudged("the first run", before), *why_unjudged("the second run", after)],
        in_part=[*_why_in_part("the first run", before), *_why_in_part("the second run", after)],
        fixed=fixed,
        unchanged=len(failed) - len(gone),
        unknown=len(gone) - len(fixed),
    )


def by_signature(store: StoreRecord | None) -> dict[str, Divergence]:
    """Divergences by signature; of two with the same one the more serious."""
    found: dict[str, Divergence] = {}
    for one in _sorted(store.divergences if store else [], lambda one: one.verdict):
        found.setdefault(one.signature, one)
    return found


def _judged_clauses(store: StoreRecord | None) -> set[str]:
    return {clause for clause, times in store.clauses.items() if times > 0} if store else set()


def why_unjudged(which: str, store: StoreRecord | None) -> list[str]:
    """Why nothing is known of a store from a run, which is named by ``which``; empty where it was judged."""
    if store is None:
        return [f"{which} did not have it"]
    if store.operations and _judged_clauses(store):
        return []
    return [f"{which} judged nothing of it: {'; '.join(store.problems) or 'no program was run'}"]


def _why_in_part(which: str, store: StoreRecord | None) -> list[str]:
    if store is None or not store.problems or why_unjudged(which, store):
        return []
    return [f"{which} judged a part of it: {problem}" for problem in store.problems]


def failing_anew(new: Divergence, old: Divergence | None) -> bool:
    """Whether a divergence has a failing verdict, and had none in the earlier run."""
    return new.verdict in FAILING and (old is None or old.verdict not in FAILING)


def _sight(one: Divergence, other_clauses: Collection[str]) -> Sight:
    calls = [
        step.call if one.history is None else f"client {step.client + 1}: {step.call}"
        for step in one.sequence
        if not step.probe
    ]
    return Sight(
        *(one.signature, one.verdict, one.clause, one.area, one.steps, one.confirmed, calls, one.replay),
        judged_in_other=one.clause in other_clauses,
    )


def _only(
    these: Mapping[str, Divergence], others: Mapping[str, Divergence], other_clauses: Collection[str]
) -> list[Sight]:
    found = [_sight(one, other_clauses) for signature, one in these.items() if signature not in others]
    return _sorted(found, lambda one: one.verdict)


def _changes(
    olds: Mapping[str, Divergence], news: Mapping[str, Divergence], old_clauses: set[str], new_clauses: set[str]
) -> Iterable[Changed]:
    for signature, old in olds.items():
        new = news.get(signature)
        if new is None:
            continue
        differs = {
            "verdict": old.verdict != new.verdict,
            "clause": old.clause != new.clause,
            "program": not _same(_program(old), _program(new)),
            "confirmed": _confirmed(old) != _confirmed(new),
        }
        what = [name for name, yes in differs.items() if yes]
        if what:
            yield Changed(signature, what, _sight(old, new_clauses), _sight(new, old_clauses))


def _program(one: Divergence) -> Any:
    """What is the same from run to run: of a history not the order in which its calls began, nor the delays."""
    if one.history is None:
        return one.program
    return {name: part for name, part in one.history.program.items() if name != "delays"}


def _confirmed(one: Divergence) -> str:
    """How it was confirmed; of a history only whether it was: how many of its runs show it is left to chance."""
    if one.history is None:
        return one.confirmed
    return "seen again" if one.confirmed.partition("/")[0].strip("0") else "not seen again"


def _option_moves(olds: Mapping[str, OptionRecord], news: Mapping[str, OptionRecord]) -> list[OptionMove]:
    found = []
    absent = OptionRecord(None, None, "")
    for name in sorted({*olds, *news}):
        old, new = olds.get(name, absent), news.get(name, absent)
        if not (_same(old.declared, new.declared) and _same(old.observed, new.observed)):
            found.append(OptionMove(name, old.declared, new.declared, old.observed, new.observed))
    return found


def _version_moves(olds: Mapping[str, str], news: Mapping[str, str]) -> list[VersionMove]:
    return [
        VersionMove(name, olds.get(name, ""), news.get(name, ""))
        for name in sorted({*olds, *news})
        if olds.get(name) != news.get(name)
    ]


def missing(these: Iterable[str], others: Collection[str]) -> list[str]:
    """Those that the others lack, in their order."""
    return [one for one in these if one not in others]


def _same(one: Any, other: Any) -> bool:
    """Whether two values of JSON are the same; true is not 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _sorted(these: Iterable[T], verdict: Callable[[T], str]) -> list[T]:
    """The most serious verdict first; else in the order they had."""
    return sorted(these, key=lambda one: SEVERITY.index(verdict(one)))


def dumps(comparison: Comparison) -> bytes:
    """The comparison as indented JSON in UTF-8 that ends in a newline; lone surrogates as the text of their escapes."""
    data = msgspec.json.encode(storable(msgspec.to_builtins(comparison)), order="deterministic")
    return msgspec.json.format(data, indent=2) + b"\n"


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what ``dumps`` writes."""
    schema: dict[str, Any] = {"$schema": DIALECT, **msgspec.json.schema(Comparison)}
    definitions = schema["$defs"]
    for definition in definitions.values():
        definition["description"] = inspect.cleandoc(definition["description"])
    definitions["Comparison"]["properties"]["schema"] = {"const": SCHEMA}
    definitions["Sight"]["properties"]["verdict"] = {"enum": list(VERDICTS)}
    return schema


def schema_bytes() -> bytes:
    """The text of ``comparison.schema.json``."""
    return msgspec.json.format(msgspec.json.encode(json_schema()), indent=2) + b"\n"
