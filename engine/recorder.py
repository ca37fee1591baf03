"""From what a run collected and proved to its records."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

from fsconform.engine import describe
from fsconform.engine.causes import Symptom, causes, odd_traits
from fsconform.engine.collect import Collected, most_common
from fsconform.engine.confirm import CUT_SHORT, NOT_REPLAYED, Proven, one_a_claim
from fsconform.engine.exploration import Covered
from fsconform.engine.findings import Finding, expectation
from fsconform.engine.gate import Terms, settled, today
from fsconform.engine.internal import InternalError, InternalErrors
from fsconform.engine.judge import FAILING
from fsconform.engine.minimise import own_steps
from fsconform.engine.waivers import Waived, reason_of
from fsconform.model.core.option import Literal, OptionValue
from fsconform.model.core.outcomes import Outcome
from fsconform.model.core.paths import show
from fsconform.model.filesystem.contract import OPTIONS, PROPERTY_PREFIX, Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import encode_operation, encode_program
from fsconform.model.filesystem.quirks import Quirks
from fsconform.model.filesystem.state import Dir, State, walk
from fsconform.records.gate import by_severity
from fsconform.records.results import (
    DATA_IMPACTS,
    VERDICTS,
    Change,
    Divergence,
    ExplorerRecord,
    InternalErrorRecord,
    Latency,
    OptionRecord,
    QuirkRecord,
    StepRecord,
    StoreRecord,
)

CHANGES_SHOWN = 8

_RAISED = re.compile(r"raised (\w+)")

WAIVED_DAYS = 90
"""For how long the waiver that a record offers would hold."""


@dataclass(frozen=True, slots=True)
class ClauseText:
    """What the catalogue says of a clause."""

    statement: str
    source: str
    basis: str = ""


ClauseTexts = Callable[[str], ClauseText]


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
    oracle: Oracle,
    store: str,
    proven: Iterable[Proven],
    texts: ClauseTexts,
    waived: Waived,
    command: str,
    internal: InternalErrors | None = None,
) -> list[Divergence]:
    """The records of all signatures that are not ``conforms``, by verdict and impact, the most serious first.

    With ``internal`` an error of ours costs the words of one record, and not the record.
    """
    found = []
    folded = _folded(proven, waived)
    symptoms = [_symptom(one) for one in folded]
    for one in folded:
        try:
            found.append(_divergence(oracle, store, one, texts, waived, command, _sequence(oracle, one)))
        except Exception as error:
            if internal is None:
                raise
            internal.add("recording", error, one.program)
            found.append(_divergence(oracle, store, one, _no_text, waived, command, []))
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
    fails -= {one.finding.signature for one in listed if one.waivable and one.finding.signature in waived.by_signature}
    return one_a_claim(
        one if one.finding.signature in fails and (one.shown or not one.replays) else replace(one, claim=None)
        for one in listed
    )


def _no_text(_clause: str) -> ClauseText:
    return ClauseText("", "")


def _divergence(
    oracle: Oracle,
    store: str,
    proven: Proven,
    texts: ClauseTexts,
    waived: Waived,
    command: str,
    sequence: list[StepRecord],
) -> Divergence:
    finding = proven.finding
    text = texts(finding.clause)
    waiver = waived.by_signature.get(finding.signature) if proven.waivable else None
    quirk = oracle.quirks.get(finding.quirk) if finding.quirk else None
    verdict = settled(finding.verdict, waiver, proven.replays, proven.shown)
    replay = f"replays/{slug(finding.signature)}.{store}.json"
    return Divergence(
        signature=finding.signature,
        verdict=verdict,
        clause=finding.clause,
        level=finding.level,
        statement=text.statement,
        operation=finding.operation,
        expected=finding.expected,
        observed=finding.observed,
        program=encode_program(proven.program),
        steps=own_steps(proven.program),
        confirmed=proven.confirmed,
        options=[[_change(oracle.contract, literal) for literal in changes] for changes in finding.changes],
        replay=replay,
        count=proven.count,
        sequence=sequence,
        source=text.source,
        message=finding.message,
        stack=finding.stack,
        logs=list(proven.logs),
        waiver=reason_of(known) if (known := waiver or quirk) else "",
        reproducer=command.format(replay=replay),
        note=proven.note,
        area=area_of(finding),
        waiver_block=waiver_block(store, finding.signature, finding.clause) if verdict in FAILING else "",
        impact=finding.impact,
        quirk=finding.quirk,
        basis=text.basis,
        precondition=f"{finding.precondition}: {texts(finding.precondition).statement}" if finding.precondition else "",
    )


def quirk_records(quirks: Quirks, collected: Collected) -> list[QuirkRecord]:
    """The known bugs that a store was judged with, each with how many programs needed it."""
    samples = collected.samples
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
        for one in quirks.all
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


def area_of(finding: Finding) -> str:
    """The operation that departs: of a query that only shows what an earlier call did, that call's."""
    return finding.after.partition(" ")[0] or finding.operation


def _change(contract: Contract, literal: Literal) -> Change:
    name, value = literal
    return Change(PROPERTY_PREFIX + name, value, contract.declared.get(name), xml_of([literal]))


def _sequence(oracle: Oracle, proven: Proven) -> list[StepRecord]:
    trial = proven.trial or proven.met_in
    if trial is None or trial.program[: len(proven.program)] != proven.program:
        return [
            StepRecord(
                call=describe.call(step.operation),
                operation=encode_operation(step.operation),
                observed="",
                expected="",
                probe=step.probe,
                setup=step.setup,
                client=step.client,
            )
            for step in proven.program
        ]
    states, events = trial.judgement.states, trial.execution.trace.events
    rows = []
    for index, step in enumerate(proven.program):
        state = states[index] if index < len(states) else None
        after = states[index + 1] if index + 1 < len(states) else None
        outcome: Outcome | None = events[index].outcome if index < len(events) else None
        rows.append(
            StepRecord(
                call=describe.call(step.operation),
                operation=encode_operation(step.operation),
                observed=describe.observed(outcome) if outcome is not None else "",
                expected=expectation(oracle, state, step.operation) if state is not None else "",
                probe=step.probe,
                marked=index == proven.finding.step,
                changed=_changed(state, after) if state is not None and after is not None else (),
                setup=step.setup,
                client=step.client,
            )
        )
    return rows


def _changed(before: State, after: State) -> tuple[str, ...]:
    if before is after:
        return ()
    old, new = dict(walk(before)), dict(walk(after))
    rows = [f"- {show(path)}" for path in old if path not in new]
    rows += [f"+ {show(path)}{'/' if type(node) is Dir else ''}" for path, node in new.items() if path not in old]
    rows += [
        f"~ {show(path)}" for path, node in new.items() if path in old and type(node) is not Dir and old[path] != node
    ]
    if len(rows) > CHANGES_SHOWN:
        rows[CHANGES_SHOWN:] = [f"and {len(rows) - CHANGES_SHOWN} more"]
    return tuple(rows)


def options(contract: Contract, collected: Collected, proven: Iterable[Proven]) -> dict[str, OptionRecord]:
    """Every option that is judged or declared: what is declared, and what the store's behaviour shows."""
    by_name: dict[str, dict[OptionValue, Counter[str]]] = {}
    for (literal, clause), times in collected.used.items():
        by_name.setdefault(literal[0], {}).setdefault(literal[1], Counter())[clause] += times
    named: dict[str, list[str]] = {}
    for one in proven:
        for name, value in one.finding.changes[0] if one.finding.changes else ():
            named.setdefault(name, []).append(one.finding.signature)
            if one.finding.verdict in FAILING:
                by_name.setdefault(name, {}).setdefault(value, Counter())[one.finding.clause] += one.count
    records = {}
    for name, option in OPTIONS.items():
        if option.kind == "informs" and name not in contract.declared:
            continue
        seen = by_name.get(name, {})
        observed: object = next(iter(seen)) if len(seen) == 1 else "conflict" if seen else None
        evidence = "; ".join(
            f"{str(value).lower()}: {', '.join(f'{clause} ({times})' for clause, times in most_common(clauses, 3))}"
            for value, clauses in sorted(seen.items())
        )
        if named.get(name):
            evidence += f" [{named[name][0]}]"
        records[PROPERTY_PREFIX + name] = OptionRecord(
            contract.declared.get(name), observed, evidence, option.default, option.kind, option.statement
        )
    return records


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


def waived_of(terms: Terms, proven: Iterable[Proven], complete: bool) -> Waived:
    """The waivers that accept some of what was proved; of a ``complete`` run unused ones are problems."""
    return terms.applied({one.finding.signature: one.failing for one in proven if one.waivable}, complete)


def store_record(
    name: str,
    contract: Contract,
    statement: str,
    collected: Collected,
    proven: Iterable[Proven],
    records: list[Divergence],
    waived: Waived,
    quirks: Quirks,
    strict: bool = False,
) -> StoreRecord:
    """What follows from what was collected and proved; who judged adds what it knows of times, sessions and troubles.

    ``records`` are those of :func:`divergences`, ``quirks`` are what was judged with; ``strict`` fails for those that
    nothing needed.
    """
    departed = {record.clause for record in records}
    needed = quirk_records(quirks, collected)
    return replace(
        empty_record(name, contract.source, statement),
        programs=collected.programs,
        operations=collected.operations,
        probes=collected.probes,
        verdicts=verdict_counts(records, sum(1 for clause in collected.clauses if clause not in departed)),
        clauses=dict(sorted(collected.clauses.items())),
        options=options(contract, collected, proven),
        divergences=records,
        waiver_problems=[*waived.problems, *quirk_problems(needed, today(), strict)],
        quirks=needed,
        quirk_sets=list(quirks.names),
    )
