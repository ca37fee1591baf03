"""Words and numbers as all reports give them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fsconform.records import gate as gate_rule
from fsconform.records.gate import by_severity as by_severity
from fsconform.records.gate import rank as rank
from fsconform.records.gate import seriousness as seriousness
from fsconform.records.gate import verdict_counts as verdict_counts
from fsconform.records.results import (
    LOSING_IMPACTS,
    SLOW_SECONDS,
    VERDICTS,
    BelowBreach,
    BelowRecord,
    BelowStep,
    Divergence,
    InternalErrorRecord,
    SlowCallsRecord,
    StepRecord,
    StoreRecord,
)
from fsconform.records.results import SEVERITY as SEVERITY

LISTED = SEVERITY[:-1]
"""The verdicts of divergences, most serious first."""
assert sorted(SEVERITY) == sorted(VERDICTS)

SIGNS = {
    "violation": "✗",
    "declared-false": "≠",
    "undeclared": "+",
    "deviation": "~",
    "declared": "=",
    "waived": "w",
    "inconclusive": "?",
    "conforms": "✓",
}
"""A sign for each verdict, so that colour never says it alone."""

MEANINGS = {
    "violation": "no contract option explains it: the specification is broken",
    "declared-false": "the contract declares what the store does not do",
    "undeclared": "other values of contract options would allow it",
    "deviation": "a SHOULD is not followed, or a clause that does not bind: of a proposal, or derived by us",
    "declared": "allowed because the contract declares the option",
    "waived": "accepted by hand, with a reason",
    "inconclusive": "could not be judged",
    "conforms": "allowed by the specification as it stands",
}

BASES = {
    "published": "published",
    "javadoc": "Javadoc",
    "proposal": "proposal",
    "derived": "derived",
}
"""What a clause rests on, in a word."""

NOT_BINDING = {
    "proposal": "of a proposal that no release publishes: it fails the gate only where data come to harm",
    "derived": "derived: our reading, no sentence says it; it fails the gate only where data come to harm",
}
"""What is to be said of a clause that does not break a MUST on its own."""

EXITS = {
    0: "nothing undeclared was found",
    1: "divergences were found",
    2: "wrong usage or configuration",
    3: "inconclusive: a store could not be reached or judged",
}

NO_PROOF = (
    "Passing does not prove correctness: it says that the programs that were run showed no divergence that is not "
    "declared. Programs that were not run may."
)

_REPLAYS = re.compile(r"(\d+)/(\d+)")


@dataclass(frozen=True, slots=True)
class Gate:
    """How a store stands: ``state`` is passes, fails or inconclusive; ``reasons`` says why it does not pass.

    ``losses`` counts the accepted bugs that lose data: whoever reads that the store passes must read of them as well.
    """

    state: str
    reasons: tuple[str, ...]
    losses: int = 0

    @property
    def look(self) -> str:
        """The name of its colour and sign: the state, or ``loses`` for a store that passes and yet loses data."""
        return "loses" if self.state == "passes" and self.losses else self.state

    @property
    def says(self) -> str:
        """The state in words, with the known ways to lose data of a store that passes."""
        if self.look != "loses":
            return self.state
        return f"{self.state}, with {plural(self.losses, 'known way')} to lose data"


def gate(store: StoreRecord) -> Gate:
    """What the gate says of one store: passes for exit code 0, fails for 1, inconclusive for 3."""
    found = gate_rule.standing(store)
    return Gate(found.state, found.failing or found.unjudged, known_losses(store))


def by_cause(divergences: Iterable[Divergence]) -> list[list[Divergence]]:
    """Divergences, most serious first, those of one cause together at the place of the most serious."""
    found: dict[str, list[Divergence]] = {}
    for one in by_severity(divergences):
        found.setdefault(one.cause or one.signature, []).append(one)
    return list(found.values())


def operations(alike: Iterable[Divergence]) -> str:
    """The operations that show a cause, each once, by name."""
    return ", ".join(sorted({one.operation for one in alike}))


def known_losses(store: StoreRecord) -> int:
    """How many different bugs that lose or spoil data are accepted or known: the symptoms of one cause count once."""
    return len(
        {
            one.cause or one.signature
            for one in store.divergences
            if (one.verdict == "waived" or known(one)) and one.impact in LOSING_IMPACTS
        }
    )


def gates(stores: Sequence[Gate]) -> str:
    """What the gate says of all stores, in a sentence without a full stop."""
    states = [store.state for store in stores]
    if not states:
        return "No store was judged"
    for state, says in (("fails", "fail the gate"), ("inconclusive", "could not be judged in full")):
        number = states.count(state)
        if number:
            verb = says.replace("fail ", "fails ") if number == 1 else says
            return f"{number} of {plural(len(states), 'store')} {verb}"
    return "The store passes the gate" if len(states) == 1 else f"All {len(states)} stores pass the gate"


def baseline(store: StoreRecord) -> str:
    """What a baseline says of a store, in words; empty without one."""
    if not store.baseline:
        return ""
    counts = [sum(one.baseline == word for one in store.divergences) for word in ("known", "new")]
    said = f"{counts[0]:,} known by the baseline, {counts[1]:,} new, {len(store.baseline_fixed):,} fixed"
    return f"{said}; {store.baseline_note}" if store.baseline_note else said


def known(divergence: Divergence) -> str:
    """What is to be said of a divergence that an earlier run has as well; empty for all others."""
    return "known by the baseline" if divergence.baseline == "known" else ""


def fails(divergence: Divergence) -> bool:
    """Whether a divergence fails the gate."""
    return gate_rule.fails(divergence)


def internal_error(error: InternalErrorRecord) -> str:
    """An error in fsconform's own code, on one line."""
    times = f", {error.count:,} times" if error.count > 1 else ""
    return f"internal error of fsconform while {error.stage}: {error.error}{times}"


def exit_words(code: int) -> str:
    """What an exit code says."""
    return EXITS.get(code, "an exit code that this version does not know")


def value_text(value: Any) -> str:
    """The value of an option as contract XML has it: true, false, a number or a text."""
    if value is None:
        return "absent"
    return value if isinstance(value, str) else json.dumps(value)


def confirmation(confirmed: str) -> tuple[str, bool]:
    """How often replays in fresh directories showed a divergence, in words, and whether that makes it flaky."""
    found = _REPLAYS.fullmatch(confirmed)
    if found is None:
        return (f"replays: {confirmed}" if confirmed else "not confirmed by a replay"), False
    shown, tried = int(found[1]), int(found[2])
    return f"confirmed in {shown} of {tried} replays", shown < tried


def plural(number: int, noun: str) -> str:
    """A number and its noun: 1 step, 2 steps."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def slow_calls(slow: SlowCallsRecord) -> str:
    """That calls of an operation lasted long, and what to do about it, as a sentence."""
    calls = f"{slow.calls:,} calls of {slow.operation}"
    return f"{calls} lasted over {SLOW_SECONDS:.0f} s, the longest {duration(slow.seconds)}: {slow.advice}"


def duration(seconds: float) -> str:
    """A time in seconds for a person: 0.42 s, 12.3 s, 3 min 12 s, 1 h 05 min."""
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def milliseconds(microseconds: float) -> str:
    """A latency in microseconds as milliseconds with three digits that count: 0.0213, 4.21, 1,230."""
    value = microseconds / 1000
    if value >= 100:
        return f"{value:,.0f}"
    digits = 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4
    return f"{value:.{digits}f}"


def moment(microseconds: float, digits: int = 3) -> str:
    """A moment or a time in microseconds for a person, with the ``digits`` that count: 0, 41 µs, 1.25 ms, 12.5 s."""
    for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1.0)):
        value = float(f"{microseconds / size:.{digits}g}")
        if abs(value) >= 1 or (unit == "µs" and round(value, 3)):
            return f"{value:,.10g} {unit}"
    return "0"


def share(part: float, whole: float) -> str:
    """A part of a whole in percent without decimals; empty where one of them is not known."""
    return f"{100 * part / whole:.0f} %" if part > 0 and whole > 0 else ""


def several_clients(sequence: Iterable[StepRecord]) -> bool:
    """Whether a program is worth telling who makes its calls: another client than the first makes one."""
    return any(step.client > 0 for step in sequence)


def tags(step: StepRecord) -> tuple[str, ...]:
    """What a step is beside a call of the program: set-up, or a probe."""
    return (*(("set-up",) if step.setup else ()), *(("probe",) if step.probe else ()))


def call_text(step: StepRecord, clients: bool) -> str:
    """A step's call, with its client in front where there are ``clients`` to tell apart."""
    return f"client {step.client}: {step.call}" if clients else step.call


def option_changes(divergence: Divergence) -> list[str]:
    """Each smallest set of changes in one line: ``rename-overwrites-dest: false -> true``."""
    return [
        ", ".join(f"{change.option}: {value_text(change.declared)} -> {value_text(change.value)}" for change in changes)
        for changes in divergence.options
    ]


def below(one: BelowRecord) -> str:
    """What there is to say of the object store below a connector, in a sentence."""
    if one.verdict == "departs":
        clauses = ", ".join(dict.fromkeys(breach.clause for breach in one.breaches))
        return f"the store below broke {clauses}: the divergence may be its doing"
    if one.verdict == "kept":
        return (
            f"the store below kept its clauses in {plural(one.judged, 'answer')}: nothing there explains the divergence"
        )
    return f"nothing is known of the store below: {one.note}"


def below_step(step: BelowStep) -> str:
    """What a step changed in the object store below."""
    return ("; ".join(step.changed) or "no change") + (f" ({step.note})" if step.note else "")


def below_place(breach: BelowBreach) -> str:
    """Where a breach of the store below shows."""
    return "what the connector left" if breach.layer == "left" else "the same changes by requests"


def below_lines(one: BelowRecord) -> list[str]:
    """The object store below as lines of text: what it broke, and what there is to say of it."""
    rows = []
    for breach in one.breaches:
        rows.append(f"below, step {breach.step}, in {below_place(breach)}: {breach.request}")
        rows.append(f"  clause {breach.clause}; expected to {breach.expected}; {breach.observed}")
    if not one.shown:
        rows.append("the divergence was not shown while the store below was looked at")
    return [*rows, below(one)]


OTHER = "other"
"""The family of what names none."""

_METHOD = re.compile(r"([A-Za-z_]\w*)\s*\(")


def family(heading: str) -> str:
    """The short name of a heading: ``rename`` for ``boolean rename(Path src, Path d)``; another heading as it is."""
    found = _METHOD.search(heading)
    return found[1] if found else heading.strip() or OTHER


def area_of(divergence: Divergence) -> str:
    """The family that departs; in the records of older runs, which name none, the operation."""
    return family(divergence.area or divergence.operation)
