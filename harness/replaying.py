"""What is said of a replay, whatever it is of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fsconform.engine.gate import Terms
from fsconform.engine.histories.confirming import ROUND
from fsconform.engine.replayed import Replayed, of_findings
from fsconform.engine.subject import Finding, Subject
from fsconform.engine.waivers import Failing, reason_of
from fsconform.harness.console import plain
from fsconform.records import gate
from fsconform.reports.visible import visible


def say(text: str) -> None:
    """Print one line: of a file and a store that may be somebody else's."""
    plain.print(visible(text), markup=False)


def tell(signature: str, replayed: Replayed[Any]) -> int:
    """Say what a replay showed of the divergence with a signature; the exit code."""
    finding: Finding | None = replayed.wanted
    if finding is not None:
        say(f"reproduced: {finding.verdict}: {finding.signature}")
        say(f"  clause {finding.clause}; expected to {finding.expected}; {finding.observed}")
        if replayed.waiver is not None:
            say(f"  a waiver accepts it: {reason_of(replayed.waiver)}")
        if finding.quirk:
            say(f"  a known bug of the store, accepted by the quirk {finding.quirk}")
    elif replayed.others:
        say(f"other: it does not show {signature!r}, but diverges otherwise:")
        for other in replayed.others:
            say(f"  {_line(other)}")
    elif replayed.unknown:
        say(f"inconclusive: {signature}: {replayed.unknown}")
    else:
        say(f"gone: {signature}")
    if finding is None:
        for accepted, waiver in replayed.accepted:
            say(f"  beside it, accepted by a waiver: {_line(accepted)}: {reason_of(waiver)}")
    return gate.of_replay(replayed.shown)


def tell_race(subject: Subject[Any], signature: str, seen: Iterable[Any], unjudged: int, terms: Terms) -> int:
    """Say what two rounds of a race's program showed, the race with a signature first; the exit code."""
    shown = sorted(seen, key=lambda one: (one.finding.signature != signature, -one.confirmed_race.shown))
    for one in shown[:1]:
        for number, row in enumerate(subject.sequence(one), 1):
            say(f"{number:3}  client {row.client + 1}  {row.call}: {row.observed} {row.expected}".rstrip())
        say(f"seen in {one.confirmed_race.shown} of {one.confirmed_race.runs} runs")
    return tell(signature, of_races(shown, signature, unjudged, terms))


def of_races(seen: Iterable[Any], signature: str, unjudged: int, terms: Terms) -> Replayed[Any]:
    """What two rounds of a race's program, of which so many runs were not judged, show of a race with a signature."""
    reason = f"{unjudged} of {2 * ROUND} runs were not judged" if unjudged else ""

    def failing(finding: Finding) -> Failing:
        return Failing((f"clause {finding.clause}",))

    return of_findings([one.finding for one in seen], signature, terms, failing, lambda: reason)


def _line(finding: Finding) -> str:
    return f"{finding.verdict}: {finding.signature} ({finding.clause})"
