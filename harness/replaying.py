"""What is said of a replay, whatever it is of."""

from __future__ import annotations

from typing import Any

from fsconform.engine.replayed import Replayed
from fsconform.engine.subject import Finding
from fsconform.engine.waivers import reason_of
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


def _line(finding: Finding) -> str:
    return f"{finding.verdict}: {finding.signature} ({finding.clause})"
