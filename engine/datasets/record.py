"""From what was judged of a committer on a store to the records that the reports read."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from fsconform.engine.datasets import describe
from fsconform.engine.datasets.confirm import Proven, Tried
from fsconform.engine.datasets.judge import FAILING, Finding
from fsconform.engine.recorder import slug, waiver_block, xml_of
from fsconform.engine.waivers import Failing, Waived, Waiver, apply
from fsconform.model.contract import PROPERTY_PREFIX
from fsconform.model.datasets.contract import OPTIONS, CommitContract
from fsconform.model.datasets.operations import Operation, encode
from fsconform.records.results import Change, Divergence, ExplorerRecord, OptionRecord, StepRecord, StoreRecord

ClauseRow = Callable[[str], tuple[str, str, str]]
"""Level, statement and source of a clause."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A finding with the first program that showed it, and how often it was met."""

    finding: Finding
    tried: Tried
    count: int


@dataclass(slots=True)
class Collected:
    """What a committer's programs gave so far."""

    samples: dict[str, Sample] = field(default_factory=dict)
    clauses: Counter[str] = field(default_factory=Counter)
    used: dict[str, Counter[str]] = field(default_factory=dict)
    programs: int = 0
    operations: int = 0
    seconds: float = 0.0
    by_group: dict[str, list[float]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)

    def take(self, group: str, tried: Tried, seconds: float) -> None:
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
            if known is None or FAILING_ORDER.index(one.verdict) < FAILING_ORDER.index(known.finding.verdict):
                self.samples[one.signature] = Sample(one, tried, 1 + (known.count if known else 0))
            else:
                self.samples[one.signature] = Sample(known.finding, known.tried, known.count + 1)
            for option in one.breach.options[:1] if not one.used else (one.used,):
                self.used.setdefault(option, Counter())[one.breach.clause] += 1


FAILING_ORDER = (*FAILING, "deviation", "declared")
"""Verdicts of findings, most serious first."""


@dataclass(frozen=True, slots=True)
class Place:
    """Of what the record is: the store's name in the report, its URI, statement, contract and versions."""

    name: str
    uri: str
    statement: str
    contract: CommitContract
    versions: Mapping[str, str] = field(default_factory=dict)
    sessions: int = 1
    starting_seconds: float = 0.0


def store_record(
    place: Place,
    collected: Collected,
    proven: Iterable[Proven],
    row: ClauseRow,
    waivers: Iterable[Waiver],
    reproducer: str,
    problems: list[str],
    complete: bool,
) -> StoreRecord:
    """The record of a committer on a store. ``reproducer`` is a command with ``{replay}`` for the replay file."""
    shown = list(proven)
    failing = {one.finding.signature: Failing() for one in shown if one.finding.failing}
    waived = apply(waivers, place.name, failing, datetime.datetime.now(datetime.UTC).date(), complete)
    divergences = [_divergence(place, one, row, waived, reproducer) for one in shown]
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
            ExplorerRecord(name, int(count), int(operations), round(seconds, 3), int(count), int(count))
            for name, (count, operations, seconds) in collected.by_group.items()
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


def _divergence(place: Place, proven: Proven, row: ClauseRow, waived: Waived, reproducer: str) -> Divergence:
    finding, tried = proven.finding, proven.tried
    breach = finding.breach
    level, statement, source = row(breach.clause)
    waiver = waived.by_signature.get(finding.signature) if finding.failing else None
    verdict = "waived" if waiver else finding.verdict
    if verdict in FAILING and proven.replays and not proven.shown:
        verdict = "inconclusive"
    observed = tried.seen[finding.step]
    replay = f"replays/{slug(finding.signature)}.{place.name}.json"
    return Divergence(
        signature=finding.signature,
        verdict=verdict,
        clause=breach.clause,
        level=level,
        statement=statement,
        operation=tried.program[finding.step].NAME,
        expected=breach.expected,
        observed=breach.observed,
        program=[encode(one) for one in tried.program],
        steps=len(tried.program),
        confirmed=proven.confirmed if proven.replays else "",
        options=[[_change(place.contract, option)] for option in breach.options],
        replay=replay,
        count=proven.count,
        sequence=_sequence(tried, finding),
        source=source,
        message=observed.ending.message,
        stack=observed.ending.stack,
        waiver=f"{waiver.reason} ({waiver.link}, until {waiver.expires})" if waiver else "",
        reproducer=reproducer.format(replay=replay),
        note="" if proven.replays else "permitted by the contract, or a SHOULD: shown as it was met",
        area=finding.signature.partition(":")[0].partition(" (")[0].partition(",")[0],
        waiver_block=waiver_block(place.name, finding.signature) if verdict in FAILING else "",
    )


def _change(contract: CommitContract, option: str) -> Change:
    return Change(PROPERTY_PREFIX + option, True, contract.declared.get(option), xml_of([(option, True)]))


def _sequence(tried: Tried, finding: Finding) -> list[StepRecord]:
    rows = []
    for index, (operation, seen) in enumerate(zip(tried.program, tried.seen, strict=False)):
        state = tried.judgement.states[min(index, len(tried.judgement.states) - 1)]
        rows.append(
            StepRecord(
                call=describe.call(operation),
                operation=encode(operation),
                observed=describe.observed(seen.ending, seen.look),
                expected=describe.expected(operation, state),
                marked=index == finding.step,
                changed=_changed(operation, seen.look.rows, state.rows),
            )
        )
    return rows


def _changed(operation: Operation, now: tuple[str, ...], before: tuple[str, ...]) -> tuple[str, ...]:
    added, gone = Counter(now) - Counter(before), Counter(before) - Counter(now)
    words = [f"+ {added.total()} rows"] if added else []
    return tuple(words + ([f"- {gone.total()} rows"] if gone else []))


def _options(contract: CommitContract, collected: Collected) -> dict[str, OptionRecord]:
    found = {}
    for name, option in OPTIONS.items():
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
