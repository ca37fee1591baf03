"""From what was judged of a layer on a store to the records that the reports read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from fsconform.engine.gate import Terms, settled
from fsconform.engine.layers.confirm import Proven, Tried
from fsconform.engine.layers.findings import FAILING, ORDER, Finding
from fsconform.engine.recorder import slug, waiver_block, xml_of
from fsconform.engine.waivers import Failing, Waived, Waiver, reason_of
from fsconform.model.core.layers import LayerContract
from fsconform.model.filesystem.contract import PROPERTY_PREFIX
from fsconform.records.results import Change, Divergence, ExplorerRecord, OptionRecord, StepRecord, StoreRecord

Operation = TypeVar("Operation")
Seen = TypeVar("Seen")

ClauseRow = Callable[[str], tuple[str, str, str]]
"""Level, statement and source of a clause."""


def no_traits(_program: tuple[Any, ...]) -> Collection[str]:
    """A layer of which waivers ask no traits."""
    return ()


@dataclass(frozen=True)
class Telling(Generic[Operation, Seen]):
    """How a layer tells of itself: the name of an operation, its form as data, and a program as a table.

    ``said`` gives the message and the stack of an error that was observed, ``area`` the heading under which a finding
    is grouped, ``traits`` what ``names`` of a waiver is held against, of a smallest program.
    """

    name: Callable[[Operation], str]
    encode: Callable[[Operation], dict[str, Any]]
    sequence: Callable[[Tried[Operation, Seen], Finding], list[StepRecord]]
    said: Callable[[Seen], tuple[str, str]]
    area: Callable[[Finding], str]
    traits: Callable[[tuple[Operation, ...]], Collection[str]] = no_traits


@dataclass(frozen=True)
class Sample(Generic[Operation, Seen]):
    """A finding with the first program that showed it, and how often it was met."""

    finding: Finding
    tried: Tried[Operation, Seen]
    count: int


@dataclass(slots=True)
class Collected(Generic[Operation, Seen]):
    """What a layer's programs gave so far."""

    samples: dict[str, Sample[Operation, Seen]] = field(default_factory=dict)
    clauses: Counter[str] = field(default_factory=Counter)
    used: dict[str, Counter[str]] = field(default_factory=dict)
    programs: int = 0
    operations: int = 0
    seconds: float = 0.0
    by_group: dict[str, list[float]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    bounds: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Of a group that has a bound: the number of its programs, and how it ended."""
    before: dict[str, int] = field(default_factory=dict)
    """How many programs of a group an earlier run executed, which this one goes on with."""

    def take(self, group: str, tried: Tried[Operation, Seen], seconds: float) -> None:
        """Add a program that was judged."""
        self.programs += 1
        self.seconds += seconds
        self.operations += tried.judgement.operations
        self.clauses.update(tried.judgement.clauses)
        self.skipped.update(tried.judgement.skipped)
        row = self.by_group.setdefault(group, [0, 0, 0.0])
        row[0] += 1
        row[1] += tried.judgement.operations
        row[2] += seconds
        for one in tried.judgement.findings:
            known = self.samples.get(one.signature)
            if known is None or ORDER.index(one.verdict) < ORDER.index(known.finding.verdict):
                self.samples[one.signature] = Sample(one, tried, 1 + (known.count if known else 0))
            else:
                self.samples[one.signature] = Sample(known.finding, known.tried, known.count + 1)
            for option in one.breach.options[:1] if not one.used else (one.used,):
                self.used.setdefault(option, Counter())[one.breach.clause] += 1


@dataclass(frozen=True, slots=True)
class Place:
    """Of what the record is: the store's name in the report, its URI, statement, contract and versions."""

    name: str
    uri: str
    statement: str
    contract: LayerContract
    versions: Mapping[str, str] = field(default_factory=dict)
    sessions: int = 1
    starting_seconds: float = 0.0


def layer_record(
    telling: Telling[Operation, Seen],
    place: Place,
    collected: Collected[Operation, Seen],
    proven: Iterable[Proven[Operation, Seen]],
    row: ClauseRow,
    waivers: Iterable[Waiver],
    reproducer: str,
    problems: list[str],
    complete: bool,
) -> StoreRecord:
    """The record of a layer on a store. ``reproducer`` is a command with ``{replay}`` for the replay file."""
    shown = list(proven)
    failing = {
        one.finding.signature: Failing((*telling.traits(one.tried.program), f"clause {one.finding.breach.clause}"))
        for one in shown
        if one.finding.failing
    }
    waived = Terms(place.name, tuple(waivers)).applied(failing, complete)
    divergences = [_divergence(telling, place, one, row, waived, reproducer) for one in shown]
    departed = {one.clause for one in divergences}
    verdicts = Counter(one.verdict for one in divergences)
    verdicts["conforms"] = sum(1 for clause in collected.clauses if clause not in departed)
    told = [*problems, *(f"lost {times} times: {reason}" for reason, times in collected.lost.most_common(5))]
    return StoreRecord(
        name=place.name,
        uri=place.uri,
        programs=collected.programs,
        operations=collected.operations,
        probes=collected.operations,
        seconds=round(collected.seconds, 3),
        store_seconds=round(collected.seconds, 3),
        verdicts=dict(verdicts),
        clauses=dict(sorted(collected.clauses.items())),
        options=_options(place.contract, collected),
        divergences=divergences,
        explorers=[
            _explorer(name, row, collected.bounds.get(name), collected.before.get(name, 0))
            for name, row in collected.by_group.items()
        ],
        versions=dict(place.versions),
        contract=place.contract.source,
        problems=told,
        waiver_problems=list(waived.problems),
        statement=place.statement,
        sessions=place.sessions,
        starting_seconds=round(place.starting_seconds, 3),
        survey_notes=[f"{times} programs left out: {reason}" for reason, times in collected.skipped.items()],
    )


def _explorer(name: str, row: list[float], bound: tuple[int, str] | None, before: int) -> ExplorerRecord:
    count, operations, seconds = row
    if bound is None:
        return ExplorerRecord(name, int(count), int(operations), round(seconds, 3), int(count), int(count))
    size, ended = bound
    done = before + int(count) if size else None
    note = f"{ended}; {before} programs in earlier runs" if before else ended
    return ExplorerRecord(name, int(count), int(operations), round(seconds, 3), done, size or None, note)


def _divergence(
    telling: Telling[Operation, Seen],
    place: Place,
    proven: Proven[Operation, Seen],
    row: ClauseRow,
    waived: Waived,
    reproducer: str,
) -> Divergence:
    finding, tried = proven.finding, proven.tried
    breach = finding.breach
    level, statement, source = row(breach.clause)
    waiver = waived.by_signature.get(finding.signature) if finding.failing else None
    verdict = settled(finding.verdict, waiver, proven.replays, proven.shown)
    message, stack = telling.said(tried.seen[finding.step])
    replay = f"replays/{slug(finding.signature)}.{place.name}.json"
    return Divergence(
        signature=finding.signature,
        verdict=verdict,
        clause=breach.clause,
        level=level,
        statement=statement,
        operation=telling.name(tried.program[finding.step]),
        expected=breach.expected,
        observed=breach.observed,
        program=[telling.encode(one) for one in tried.program],
        steps=len(tried.program),
        confirmed=proven.confirmed if proven.replays else "",
        options=[[_change(place.contract, option)] for option in breach.options],
        replay=replay,
        count=proven.count,
        sequence=telling.sequence(tried, finding),
        source=source,
        message=message,
        stack=stack,
        waiver=reason_of(waiver) if waiver else "",
        reproducer=reproducer.format(replay=replay),
        note="" if proven.replays else "permitted by the contract, or a SHOULD: shown as it was met",
        area=telling.area(finding),
        waiver_block=waiver_block(place.name, finding.signature, finding.breach.clause) if verdict in FAILING else "",
    )


def _change(contract: LayerContract, option: str) -> Change:
    return Change(PROPERTY_PREFIX + option, True, contract.declared.get(option), xml_of([(option, True)]))


def _options(contract: LayerContract, collected: Collected[Operation, Seen]) -> dict[str, OptionRecord]:
    found = {}
    for name, option in contract.OPTIONS.items():
        seen = collected.used.get(name)
        evidence = ", ".join(f"{clause} ({times})" for clause, times in seen.most_common(3)) if seen else ""
        found[PROPERTY_PREFIX + name] = OptionRecord(
            contract.declared.get(name),
            True if seen else None,
            evidence,
            option.default,
            option.kind,
            option.statement,
        )
    return found
