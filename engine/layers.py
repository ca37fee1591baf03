"""The harness of what is judged beside the filesystem: a subject's programs are judged, shrunk, replayed and recorded.

A :class:`Subject` is the objects in a store that speaks S3, or the datasets that Spark's writers leave. It says what a
session gives, how that is judged, which programs are smaller, and how it is told; all else is the same for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from fsconform.engine.confirm import REPLAYS
from fsconform.engine.gate import Terms, settled
from fsconform.engine.recorder import slug, waiver_block, xml_of
from fsconform.engine.waivers import Failing, Waived, Waiver, reason_of
from fsconform.model.core.layers import Breach, LayerContract
from fsconform.model.filesystem.contract import PROPERTY_PREFIX
from fsconform.records.results import (
    Change,
    ClauseRecord,
    Divergence,
    ExplorerRecord,
    OptionRecord,
    StepRecord,
    StoreRecord,
)
from fsconform.specs.layers import LayerClause

FAILING = ("violation", "undeclared")
"""The verdicts that fail the gate."""

ORDER = (*FAILING, "deviation", "declared")
"""Verdicts of findings, most serious first."""

Operation = TypeVar("Operation")
Seen = TypeVar("Seen")
State = TypeVar("State")
Contract = TypeVar("Contract", bound=LayerContract)
Given = TypeVar("Given", covariant=True)
Asked = TypeVar("Asked", contravariant=True)


@dataclass(frozen=True, slots=True)
class Finding:
    """A departure at a step. ``used`` is the declared option that permits it, empty if none does."""

    signature: str
    verdict: str
    step: int
    breach: Breach
    used: str = ""

    @property
    def failing(self) -> bool:
        """Whether it fails the gate."""
        return self.verdict in FAILING


@dataclass(slots=True)
class Judgement(Generic[State]):
    """What judging a program gave. ``skipped`` says why steps were not carried out.

    ``states`` are those before each judged step, and the last one after it.
    """

    findings: list[Finding] = field(default_factory=list)
    clauses: Counter[str] = field(default_factory=Counter)
    operations: int = 0
    states: list[State] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def finding(signature: str, step: int, breach: Breach, contract: LayerContract) -> Finding:
    """A departure with its verdict under a contract."""
    used = next((option for option in breach.options if contract.permits(option)), "")
    if breach.should:
        verdict = "deviation"
    elif used:
        verdict = "declared"
    else:
        verdict = "undeclared" if breach.options else "violation"
    return Finding(signature, verdict, step, breach, used)


# Without slots: where an alias such as Tried[X, Y] is called, typing notes that in the instance, or is refused by it.
@dataclass(frozen=True)
class Tried(Generic[Operation, Seen]):
    """A program with what was observed of its steps, and the judgement."""

    program: tuple[Operation, ...]
    seen: tuple[Seen, ...]
    judgement: Judgement[Any]

    def finding(self, signature: str) -> Finding | None:
        """The first finding of that signature, if there is one."""
        return next((one for one in self.judgement.findings if one.signature == signature), None)


@dataclass(frozen=True)
class Proven(Generic[Operation, Seen]):
    """A finding with the program that shows it, how often it was met, was replayed, and how often that showed it."""

    finding: Finding
    tried: Tried[Operation, Seen]
    count: int
    replays: int = 0
    shown: int = 0

    @property
    def confirmed(self) -> str:
        """Such as 3/3."""
        return f"{self.shown}/{self.replays}"


@dataclass(slots=True)
class Collected(Generic[Operation, Seen]):
    """What a subject's programs gave so far."""

    samples: dict[str, Proven[Operation, Seen]] = field(default_factory=dict)
    """Each signature as it was met, with the first program that showed it; not replayed yet."""
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
                self.samples[one.signature] = Proven(one, tried, 1 + (known.count if known else 0))
            else:
                self.samples[one.signature] = Proven(known.finding, known.tried, known.count + 1)
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


class Session(Protocol[Asked, Given]):
    """A way to one store. A session executes; it never judges."""

    def execute(self, program: tuple[Asked, ...]) -> tuple[Given, ...]:
        """Carry a program out in a fresh place, one observation a step. Raises StoreLost."""
        ...


def no_traits(_program: tuple[Any, ...]) -> Collection[str]:
    """A subject of which waivers ask no traits."""
    return ()


@dataclass(frozen=True)
class Subject(Generic[Operation, Seen, Contract]):
    """What is judged: how its programs are executed, judged and shrunk, and how it is told.

    ``judge`` holds what a session gave for the steps of a program against the clauses, under a contract. ``smaller``
    gives programs that are smaller in one thing than the one that shows a finding, the most promising first;
    ``attempts`` says in how many executions at most a program is shrunk. ``rows`` has for each step of a program what
    was expected, and what it changed; ``said`` the message and the stack of an error that was observed; ``area`` is the
    heading under which a finding is grouped. ``traits`` is what ``names`` of a waiver is held against, of a smallest
    program; ``folded`` leaves out the samples of which another one tells already; ``fresh`` is called before a replay.
    """

    judge: Callable[[tuple[Operation, ...], Sequence[Seen], Contract], Judgement[Any]]
    smaller: Callable[[tuple[Operation, ...], Finding | None], Iterator[tuple[Operation, ...]]]
    attempts: Callable[[tuple[Operation, ...]], int]
    clauses: Callable[[], Mapping[str, LayerClause]]
    name: Callable[[Operation], str]
    call: Callable[[Operation], str]
    encode: Callable[[Operation], dict[str, Any]]
    observed: Callable[[Seen], str]
    said: Callable[[Seen], tuple[str, str]]
    rows: Callable[[Tried[Operation, Seen]], Iterator[tuple[str, tuple[str, ...]]]]
    area: Callable[[Finding], str]
    traits: Callable[[tuple[Operation, ...]], Collection[str]] = no_traits
    folded: Callable[[Mapping[str, Proven[Operation, Seen]]], Iterable[Proven[Operation, Seen]]] = lambda samples: (
        samples.values()
    )
    fresh: Callable[[Any], None] = lambda session: None

    def attempt(
        self, session: Session[Operation, Seen], program: tuple[Operation, ...], contract: Contract
    ) -> Tried[Operation, Seen]:
        """Execute and judge a program. Raises StoreLost."""
        seen = session.execute(program)
        return Tried(program, seen, self.judge(program, seen, contract))

    def prove(
        self, session: Session[Operation, Seen], met: Proven[Operation, Seen], contract: Contract
    ) -> Proven[Operation, Seen]:
        """Shrink the program in which a finding was met, and replay it. Raises StoreLost."""
        signature, small = met.finding.signature, met.tried
        attempts = self.attempts(small.program)
        tried_before = {small.program}
        progress = True
        while progress and attempts > 0:
            progress = False
            for candidate in self.smaller(small.program, small.finding(signature)):
                if candidate in tried_before:
                    continue
                if attempts <= 0:
                    break
                attempts -= 1
                tried_before.add(candidate)
                again = self.attempt(session, candidate, contract)
                if again.finding(signature) is not None:
                    small, progress = again, True
                    break
        shown, last = 0, small
        for _ in range(REPLAYS):
            self.fresh(session)
            again = self.attempt(session, small.program, contract)
            if again.finding(signature) is not None:
                shown += 1
                last = again
        return Proven(last.finding(signature) or met.finding, last, met.count, REPLAYS, shown)

    def clause_records(self) -> list[ClauseRecord]:
        """The rows of the clauses for the report."""
        rows = self.clauses().values()
        return [ClauseRecord(row.id, row.document, row.section, row.level, row.statement) for row in rows]

    def clause_text(self, clause: str) -> tuple[str, str, str]:
        """Level, statement and source of a clause."""
        row = self.clauses()[clause]
        return row.level, row.statement, f"{row.document}, {row.section}"

    def failing(self, finding: Finding, program: tuple[Operation, ...]) -> Failing:
        """What waivers are held against."""
        return Failing((*self.traits(program), f"clause {finding.breach.clause}"))

    def record(
        self,
        place: Place,
        collected: Collected[Operation, Seen],
        proven: Iterable[Proven[Operation, Seen]],
        waivers: Iterable[Waiver],
        reproducer: str,
        problems: list[str],
        complete: bool,
    ) -> StoreRecord:
        """The record of the subject on a store. ``reproducer`` is a command with ``{replay}`` for the replay file."""
        shown = list(proven)
        failing = {
            one.finding.signature: self.failing(one.finding, one.tried.program) for one in shown if one.finding.failing
        }
        waived = Terms(place.name, tuple(waivers)).applied(failing, complete)
        divergences = [self._divergence(place, one, waived, reproducer) for one in shown]
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

    def _divergence(self, place: Place, proven: Proven[Operation, Seen], waived: Waived, reproducer: str) -> Divergence:
        finding, tried = proven.finding, proven.tried
        breach = finding.breach
        level, statement, source = self.clause_text(breach.clause)
        waiver = waived.by_signature.get(finding.signature) if finding.failing else None
        verdict = settled(finding.verdict, waiver, proven.replays, proven.shown)
        message, stack = self.said(tried.seen[finding.step])
        replay = f"replays/{slug(finding.signature)}.{place.name}.json"
        return Divergence(
            signature=finding.signature,
            verdict=verdict,
            clause=breach.clause,
            level=level,
            statement=statement,
            operation=self.name(tried.program[finding.step]),
            expected=breach.expected,
            observed=breach.observed,
            program=[self.encode(one) for one in tried.program],
            steps=len(tried.program),
            confirmed=proven.confirmed if proven.replays else "",
            options=[[_change(place.contract, option)] for option in breach.options],
            replay=replay,
            count=proven.count,
            sequence=self._sequence(tried, finding),
            source=source,
            message=message,
            stack=stack,
            waiver=reason_of(waiver) if waiver else "",
            reproducer=reproducer.format(replay=replay),
            note="" if proven.replays else "permitted by the contract, or a SHOULD: shown as it was met",
            area=self.area(finding),
            waiver_block=waiver_block(place.name, finding.signature, breach.clause) if verdict in FAILING else "",
        )

    def _sequence(self, tried: Tried[Operation, Seen], finding: Finding) -> list[StepRecord]:
        steps = zip(tried.program, tried.seen, self.rows(tried), strict=False)
        return [
            StepRecord(
                call=self.call(operation),
                operation=self.encode(operation),
                observed=self.observed(seen),
                expected=expected,
                marked=index == finding.step,
                changed=changed,
            )
            for index, (operation, seen, (expected, changed)) in enumerate(steps)
        ]


def _explorer(name: str, row: list[float], bound: tuple[int, str] | None, before: int) -> ExplorerRecord:
    count, operations, seconds = row
    if bound is None:
        return ExplorerRecord(name, int(count), int(operations), round(seconds, 3), int(count), int(count))
    size, ended = bound
    done = before + int(count) if size else None
    note = f"{ended}; {before} programs in earlier runs" if before else ended
    return ExplorerRecord(name, int(count), int(operations), round(seconds, 3), done, size or None, note)


def _change(contract: LayerContract, option: str) -> Change:
    return Change(PROPERTY_PREFIX + option, True, contract.declared.get(option), xml_of([(option, True)]))


def _options(contract: LayerContract, collected: Collected[Any, Any]) -> dict[str, OptionRecord]:
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
