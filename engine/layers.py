"""The subjects beside the filesystem: how their programs are judged, shrunk, replayed and told.

A :class:`Layer` says what a session gives, how that is judged, which programs are smaller, and how it is told; all else
is the same for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from fsconform.engine import recorder, subject
from fsconform.engine.exploration import Outcome
from fsconform.engine.gate import Terms
from fsconform.engine.subject import REPLAYS, SERIOUSNESS, Finding, Verdict
from fsconform.engine.waivers import Failing, Waiver
from fsconform.model.core.layers import Breach, LayerContract
from fsconform.model.core.option import Option
from fsconform.records.results import StepRecord, StoreRecord
from fsconform.specs.catalogue import Clause

Operation = TypeVar("Operation")
Seen = TypeVar("Seen")
State = TypeVar("State")
Contract = TypeVar("Contract", bound=LayerContract)
Given = TypeVar("Given", covariant=True)
Asked = TypeVar("Asked", contravariant=True)

AS_MET = "permitted by the contract, or a SHOULD: shown as it was met"


@dataclass(slots=True)
class Judgement(Generic[State]):
    """What judging a program gave. ``skipped`` says why steps were not carried out.

    ``states`` are those before each judged step, and the last one after it; ``used`` counts the options that permit
    what was seen, or would.
    """

    findings: list[Finding] = field(default_factory=list)
    clauses: Counter[str] = field(default_factory=Counter)
    used: Counter[tuple[tuple[str, bool], str]] = field(default_factory=Counter)
    operations: int = 0
    states: list[State] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def departs(
        self,
        signature: str,
        step: int,
        operation: str,
        breach: Breach,
        contract: LayerContract,
        clauses: Mapping[str, Clause],
        message: str = "",
        stack: str = "",
    ) -> None:
        """Note a departure, with its verdict under a contract."""
        used = next((option for option in breach.options if contract.permits(option)), "")
        verdict: Verdict = "undeclared" if breach.options else "violation"
        if used:
            verdict = "declared"
        if breach.should:
            verdict = "deviation"
        self.used.update(((option, True), breach.clause) for option in ((used,) if used else breach.options[:1]))
        changes = tuple(((option, True),) for option in breach.options)
        level, told = clauses[breach.clause].level, (breach.expected, breach.observed)
        self.findings.append(
            Finding(signature, verdict, breach.clause, level, step, operation, *told, changes, message, stack)
        )


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


@dataclass(frozen=True, kw_only=True)
class Proven(subject.Proven[Finding], Generic[Operation, Seen]):
    """A finding with the program that shows it, and what was observed of that."""

    tried: Tried[Operation, Seen]


def met(finding: Finding, tried: Tried[Operation, Seen], count: int = 1) -> Proven[Operation, Seen]:
    """A finding as it was met, and not replayed."""
    return Proven(finding, tried.program, count, tried=tried, note=AS_MET)


@dataclass(slots=True)
class Collected(subject.Collected[Proven[Operation, Seen]], Generic[Operation, Seen]):
    """What a subject's programs gave so far; each signature with the first program that showed it."""

    skipped: Counter[str] = field(default_factory=Counter)

    def take(self, tried: Tried[Operation, Seen]) -> None:
        """Add a program that was judged."""
        self.programs += 1
        self.operations += tried.judgement.operations
        self.probes += tried.judgement.operations
        self.clauses.update(tried.judgement.clauses)
        self.used.update(tried.judgement.used)
        self.skipped.update(tried.judgement.skipped)
        for one in tried.judgement.findings:
            known = self.samples.get(one.signature)
            if known is None or SERIOUSNESS.index(one.verdict) < SERIOUSNESS.index(known.finding.verdict):
                self.samples[one.signature] = met(one, tried, 1 + (known.count if known else 0))
            else:
                self.samples[one.signature] = replace(known, count=known.count + 1)


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
class Layer(subject.Subject[Proven[Operation, Seen]], Generic[Operation, Seen, Contract]):
    """How programs are executed, judged and shrunk, and how they are told.

    ``judge`` holds what a session gave for the steps of a program against the clauses, under a contract. ``smaller``
    gives programs that are smaller in one thing than the one that shows a finding, the most promising first;
    ``attempts`` says in how many executions at most a program is shrunk. ``rows`` has for each step of a program what
    was expected, and what it changed; ``heading`` is what a finding is grouped under. ``traits`` is what ``names`` of a
    waiver is held against, of a smallest program; ``folded`` leaves out the samples of which another one tells already;
    ``fresh`` is called before a replay.
    """

    judge: Callable[[tuple[Operation, ...], Sequence[Seen], Contract], Judgement[Any]]
    smaller: Callable[[tuple[Operation, ...], Finding | None], Iterator[tuple[Operation, ...]]]
    attempts: Callable[[tuple[Operation, ...]], int]
    catalogue: Callable[[], Mapping[str, Clause]]
    every_option: Mapping[str, Option]
    call: Callable[[Operation], str]
    encoded: Callable[[Operation], dict[str, Any]]
    observed: Callable[[Seen], str]
    rows: Callable[[Tried[Operation, Seen]], Iterator[tuple[str, tuple[str, ...]]]]
    heading: Callable[[Finding], str] = lambda finding: finding.operation
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
        return Proven(last.finding(signature) or met.finding, last.program, met.count, shown, REPLAYS, tried=last)

    def clauses(self) -> Mapping[str, Clause]:
        """The catalogue, by id."""
        return self.catalogue()

    def encode(self, program: tuple[Operation, ...]) -> list[dict[str, Any]]:
        """A program as replay files have it."""
        return list(map(self.encoded, program))

    def area(self, finding: Finding) -> str:
        """The heading under which a finding is grouped."""
        return self.heading(finding)

    def failing(self, proven: Proven[Operation, Seen]) -> Failing:
        """What waivers are held against."""
        return Failing((*self.traits(proven.program), f"clause {proven.finding.clause}"))

    def sequence(self, proven: Proven[Operation, Seen]) -> list[StepRecord]:
        """The steps of a program: what was expected of each, what was observed, and what it changed."""
        tried = proven.tried
        steps = zip(tried.program, tried.seen, self.rows(tried), strict=False)
        return [
            StepRecord(
                call=self.call(operation),
                operation=self.encoded(operation),
                observed=self.observed(seen),
                expected=expected,
                marked=index == proven.finding.step,
                changed=changed,
            )
            for index, (operation, seen, (expected, changed)) in enumerate(steps)
        ]

    def options(
        self, collected: Collected[Operation, Seen], proven: Iterable[Proven[Operation, Seen]]
    ) -> Iterator[tuple[str, Option, object, str]]:
        """Every option, with whether it is shown that the store needs it, and the evidence."""
        for name, option in self.every_option.items():
            seen = Counter({clause: n for ((other, _), clause), n in collected.used.items() if other == name})
            evidence = ", ".join(f"{clause} ({times})" for clause, times in seen.most_common(3))
            yield name, option, True if seen else None, evidence

    def record(
        self,
        place: Place,
        outcome: Outcome[Collected[Operation, Seen]],
        proven: Iterable[Proven[Operation, Seen]],
        waivers: Iterable[Waiver],
        reproducer: str,
        complete: bool,
        others: Mapping[str, Failing] | None = None,
    ) -> StoreRecord:
        """The record of the subject on a store. ``reproducer`` is a command with ``{replay}`` for the replay file.

        ``others`` are other signatures of that store that waivers may be meant for.
        """
        name, contract, shown, collected = place.name, place.contract, list(proven), outcome.collected
        seconds = round(sum(one.seconds for one in outcome.covered), 3)
        mine = {one.finding.signature: self.failing(one) for one in shown if one.finding.waivable}
        waived = Terms(name, tuple(waivers)).applied({**(others or {}), **mine}, complete)
        records = [
            recorder.divergence(self, name, contract, one, waived, reproducer, self.sequence(one)) for one in shown
        ]
        return replace(
            recorder.store_record(self, name, contract, place.statement, collected, shown, records, waived),
            uri=place.uri,
            seconds=seconds,
            store_seconds=seconds,
            explorers=recorder.explorers(outcome.covered, outcome.cut_off),
            versions=dict(place.versions),
            problems=[*outcome.problems, *collected.told_losses()],
            sessions=place.sessions,
            starting_seconds=round(place.starting_seconds, 3),
            survey_notes=[f"{times} programs left out: {reason}" for reason, times in collected.skipped.items()],
        )
