"""From what a run collected and proved to its records."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol
from xml.sax.saxutils import escape

from fsconform.engine.causes import Symptom, causes, odd_traits
from fsconform.engine.confirm import CUT_SHORT, NOT_REPLAYED, Proven, one_a_claim
from fsconform.engine.exploration import Covered
from fsconform.engine.filesystem import Filesystem
from fsconform.engine.gate import Terms, settled, today
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.internal import InternalError, InternalErrors
from fsconform.engine.judge import FAILING
from fsconform.engine.subject import Collected, Declaring, P, Subject
from fsconform.engine.waivers import Failing, Waived, reason_of
from fsconform.model.core.option import Literal
from fsconform.model.filesystem.contract import PROPERTY_PREFIX
from fsconform.model.filesystem.programs import encode_program
from fsconform.model.filesystem.quirks import NONE, Quirk, Quirks
from fsconform.records.gate import by_severity
from fsconform.records.results import (
    DATA_IMPACTS,
    VERDICTS,
    Change,
    ClauseRecord,
    Divergence,
    ExplorerRecord,
    InternalErrorRecord,
    Latency,
    OptionRecord,
    QuirkRecord,
    StepRecord,
    StoreRecord,
)
from fsconform.specs.catalogue import Clause

_RAISED = re.compile(r"raised (\w+)")

WAIVED_DAYS = 90
"""For how long the waiver that a record offers would hold."""


def slug(signature: str) -> str:
    """A stable file name for a signature: readable words and eight digits of its SHA-256."""
    words = "-".join("".join(ch if ch.isalnum() and ch.isascii() else " " for ch in signature).lower().split())
    return f"{words[:80].rstrip('-')}-{hashlib.sha256(signature.encode()).hexdigest()[:8]}"


def xml_of(changes: Iterable[Literal]) -> str:
    """The properties of Hadoop's contract XML that make the changes."""
    rows = ((escape(PROPERTY_PREFIX + name), str(value).lower()) for name, value in changes)
    return "\n".join(
        f"<property>\n  <name>{name}</name>\n  <value>{value}</value>\n</property>" for name, value in rows
    )


def divergences(
    subject: Filesystem,
    store: str,
    proven: Iterable[Proven],
    waived: Waived,
    command: str,
    internal: InternalErrors | None = None,
) -> list[Divergence]:
    """The records of all signatures that are not ``conforms``, by verdict and impact, the most serious first.

    With ``internal`` an error of ours costs the words of one record, and not the record.
    """
    found = []
    contract, folded = subject.oracle.contract, _folded(proven, waived)
    symptoms = [_symptom(one) for one in folded]
    for one in folded:
        try:
            sequence = subject.sequence(one)
        except Exception as error:
            if internal is None:
                raise
            internal.add("recording", error, one.program)
            sequence = []
        found.append(divergence(subject, store, contract, one, waived, command, sequence))
    shared = causes(symptoms)
    return by_severity(replace(one, cause=shared[one.signature]) for one in found)


def _symptom(proven: Proven) -> Symptom:
    finding = proven.finding
    raised = _RAISED.match(finding.observed)
    return Symptom(
        finding.signature,
        finding.operation,
        raised[1] if raised else "",
        odd_traits(proven.program, finding.step),
        finding.quirk or (f"{proven.claim.option} is claimed" if proven.claim else ""),
        finding.impact in DATA_IMPACTS,
    )


def _folded(proven: Iterable[Proven], waived: Waived) -> list[Proven]:
    """One for each capability that is claimed and not lived up to; what is accepted by hand stays for itself."""
    listed = list(proven)
    fails = {one.finding.signature for one in listed if one.finding.verdict in FAILING}
    fails -= {
        one.finding.signature for one in listed if one.finding.waivable and one.finding.signature in waived.by_signature
    }
    return one_a_claim(
        one if one.finding.signature in fails and (one.shown or not one.replays) else replace(one, claim=None)
        for one in listed
    )


def divergence(
    subject: Subject[P],
    store: str,
    contract: Declaring,
    proven: P,
    waived: Waived,
    command: str,
    sequence: list[StepRecord],
) -> Divergence:
    """The record of what was proved of a store; ``command`` replays a file, ``{replay}`` being its path."""
    finding = proven.finding
    clause = subject.clause(finding.clause)
    waiver = waived.by_signature.get(finding.signature) if finding.waivable else None
    verdict = settled(finding.verdict, waiver, proven.replays, proven.shown)
    replay = f"replays/{slug(finding.signature)}.{store}.json"
    refusal = finding.precondition
    return Divergence(
        signature=finding.signature,
        verdict=verdict,
        clause=finding.clause,
        level=finding.level,
        statement=clause.statement,
        operation=finding.operation,
        expected=finding.expected,
        observed=finding.observed,
        program=subject.encode(proven.program),
        steps=subject.size(proven.program),
        confirmed=proven.confirmed,
        options=[[_change(contract, literal) for literal in changes] for changes in finding.changes],
        replay=replay,
        count=proven.count,
        sequence=sequence,
        source=clause.source,
        message=finding.message,
        stack=finding.stack,
        logs=list(proven.logs),
        waiver=reason_of(known) if (known := waiver or subject.known(finding)) else "",
        reproducer=command.format(replay=replay),
        note=proven.note,
        area=subject.area(finding),
        waiver_block=waiver_block(store, finding.signature, finding.clause) if verdict in FAILING else "",
        impact=finding.impact,
        quirk=finding.quirk,
        basis=clause.basis,
        precondition=f"{refusal}: {subject.clause(refusal).statement}" if refusal else "",
    )


class Counted(Protocol):
    """What was met so often."""

    @property
    def count(self) -> int:
        """How often."""
        ...


def quirk_records(known: Iterable[Quirk | KnownRace], samples: Mapping[str, Counted]) -> list[QuirkRecord]:
    """The known bugs that a store was judged with, each with how many programs needed it."""
    return [
        QuirkRecord(
            one.id,
            one.title,
            one.clause,
            one.impact,
            one.reason,
            one.link,
            one.expires.isoformat(),
            samples[one.signature].count if one.signature in samples else 0,
            one.occasional,
        )
        for one in known
    ]


def quirk_problems(quirks: Iterable[QuirkRecord], today: datetime.date, strict: bool) -> list[str]:
    """What fails a gate: quirks that are expired and needed, and, if ``strict``, those that nothing needed."""
    problems = []
    for one in quirks:
        if one.needed and datetime.date.fromisoformat(one.expires) < today:
            problems.append(f"expired on {one.expires}: {one.id}")
        elif strict and not one.needed and not one.occasional:
            problems.append(f"never needed, the store does not show it any more: {one.id}")
    return problems


INTERNAL = "internal error"
"""The verdict of a replay file that shows an error of ours."""


def internal_errors(store: str, found: Iterable[InternalError], command: str) -> list[InternalErrorRecord]:
    """The records of errors in our own code. ``command`` replays a file, ``{replay}`` being its path."""
    records = []
    for one in found:
        try:
            program = encode_program(one.program)
        except ValueError:  # content of which only a digest is known
            program = []
        replay = f"replays/{slug(f'{INTERNAL} {one.stage} {one.place}')}.{store}.json" if program else ""
        reproducer = command.format(replay=replay) if replay else ""
        records.append(InternalErrorRecord(one.stage, one.error, one.traceback, one.count, program, replay, reproducer))
    return records


def waiver_block(store: str, signature: str, clause: str, today: datetime.date | None = None) -> str:
    """The lines of a waivers file that accept a signature where it breaks one clause, from ``today`` on.

    Reason and link are left to a hand.
    """
    expires = (today or datetime.datetime.now(datetime.UTC).date()) + datetime.timedelta(WAIVED_DAYS)
    rows = {
        "store": store,
        "signature": signature,
        "reason": "(why this is accepted)",
        "link": "(where it is followed up)",
    }
    # JSON's strings are TOML's basic strings, with the one exception of the character DEL.
    texts = [f"{name} = {json.dumps(text, ensure_ascii=False)}" for name, text in rows.items()]
    texts.insert(2, f"clauses = [{json.dumps(clause)}]")
    return "\n".join(["[[waiver]]", *texts, f"expires = {expires}"]).replace("\x7f", "\\u007f") + "\n"


def _change(contract: Declaring, literal: Literal) -> Change:
    name, value = literal
    return Change(PROPERTY_PREFIX + name, value, contract.declared.get(name), xml_of([literal]))


def explorers(covered: Iterable[Covered], cut_off: bool = True) -> list[ExplorerRecord]:
    """What each explorer did, with the share of its bound. ``cut_off`` says that it was the budget that ended it."""
    return [
        ExplorerRecord(
            one.name,
            one.programs,
            one.operations,
            round(one.seconds, 3),
            one.programs if one.bound is not None else None,
            one.bound,
            _ended(one, cut_off),
            one.planned,
        )
        for one in covered
    ]


def _ended(covered: Covered, cut_off: bool) -> str:
    by = " by the budget" if cut_off else ""
    part = covered.planned is not None and covered.planned != covered.bound and covered.programs >= covered.planned
    ended = "as planned" if part else "complete"
    if not covered.ended:
        ended = f"stopped{by}" if covered.seconds else f"not reached{by}"
    return ended + (f"; throttled {covered.throttled} times and tried again" if covered.throttled else "")


def cut_off(covered: Iterable[Covered], proven: Iterable[Proven]) -> list[str]:
    """What a budget left of what was planned, a sentence each."""
    found = []
    for one in covered:
        if not one.ended:
            planned = f"{one.planned} programs" if one.planned is not None else "its programs"
            found.append(f"{one.name}: {one.programs} of {planned} were run")
    late = Counter(one.note for one in proven if one.note in (CUT_SHORT, NOT_REPLAYED))
    return found + [f"{number} divergences: {note}" for note, number in sorted(late.items())]


def latencies(samples: Mapping[str, list[int]]) -> dict[str, Latency]:
    """Percentiles of each operation's latency, from nanoseconds to microseconds."""
    found = {}
    for name, nanoseconds in sorted(samples.items()):
        times = sorted(one / 1000 for one in nanoseconds)
        cuts = statistics.quantiles(times, n=100, method="inclusive") if len(times) > 1 else times * 99
        found[name] = Latency(
            len(times), round(cuts[49], 1), round(cuts[89], 1), round(cuts[98], 1), round(times[-1], 1)
        )
    return found


def verdict_counts(records: Iterable[Divergence], conforming: int) -> dict[str, int]:
    """The number of signatures by verdict; ``conforms`` counts the clauses that were judged and not departed from."""
    counts = dict.fromkeys(VERDICTS, 0)
    counts["conforms"] = conforming
    for record in records:
        counts[record.verdict] += 1
    return counts


def empty_record(name: str, contract: str = "", statement: str = "", problems: Iterable[str] = ()) -> StoreRecord:
    """The record of a store of which nothing was judged; ``contract`` says where its contract comes from."""
    return StoreRecord(
        name=name,
        uri="",
        programs=0,
        operations=0,
        probes=0,
        seconds=0.0,
        store_seconds=0.0,
        verdicts=verdict_counts((), 0),
        clauses={},
        options={},
        divergences=[],
        contract=contract,
        problems=list(problems),
        statement=statement,
    )


def clause_records(clauses: Mapping[str, Clause]) -> list[ClauseRecord]:
    """The rows of a catalogue for the report."""
    return [
        ClauseRecord(row.id, row.document, row.section, row.level, row.statement, row.status, row.why, row.basis)
        for row in clauses.values()
    ]


def failing_of(subject: Subject[P], proven: Iterable[P]) -> dict[str, Failing]:
    """What waivers are held against of all that was proved and may be waived, by signature."""
    return {one.finding.signature: subject.failing(one) for one in proven if one.finding.waivable}


def waived_of(subject: Subject[P], terms: Terms, proven: Iterable[P], complete: bool) -> Waived:
    """The waivers that accept some of what was proved; of a ``complete`` run unused ones are problems."""
    return terms.applied(failing_of(subject, proven), complete)


def store_record(
    subject: Subject[Any],
    name: str,
    contract: Declaring,
    statement: str,
    collected: Collected[Any],
    proven: Iterable[Any],
    records: list[Divergence],
    waived: Waived,
    quirks: Quirks = NONE,
    strict: bool = False,
    known_races: Sequence[QuirkRecord] = (),
) -> StoreRecord:
    """What follows from what was collected and proved; who judged adds what it knows of times, sessions and troubles.

    ``records`` are those of :func:`divergence`, ``quirks`` are what was judged with, beside ``known_races``; ``strict``
    fails for those that nothing needed.
    """
    departed = {record.clause for record in records}
    needed = [*quirk_records(quirks.all, collected.samples), *known_races]
    return replace(
        empty_record(name, contract.source, statement),
        programs=collected.programs,
        operations=collected.operations,
        probes=collected.probes,
        verdicts=verdict_counts(records, sum(1 for clause in collected.clauses if clause not in departed)),
        clauses=dict(sorted(collected.clauses.items())),
        options={
            PROPERTY_PREFIX + option: OptionRecord(
                contract.declared.get(option), observed, evidence, row.default, row.kind, row.statement
            )
            for option, row, observed, evidence in subject.options(collected, proven)
        },
        divergences=records,
        waiver_problems=[*waived.problems, *quirk_problems(needed, today(), strict)],
        quirks=needed,
        quirk_sets=list(quirks.names),
    )
