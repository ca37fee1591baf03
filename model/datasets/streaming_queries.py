"""Runs of a streaming query, of which some are killed, held against the clauses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from fsconform.model.datasets import clauses as ids
from fsconform.model.datasets.dataset import Dataset, Look
from fsconform.model.datasets.findings import Verdicts, told
from fsconform.model.datasets.operations import Ending, Stream


@dataclass(frozen=True, slots=True)
class Streamed:
    """What is known of a streaming query: what was fed to it, and what a reader saw of its output last."""

    fed: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)


def judge_stream(stream: Stream, known: Streamed, ending: Ending, look: Look) -> Verdicts:
    """Judge one run of a streaming query: whatever was killed before, each row is there once when one has ended."""
    found = Verdicts()
    faulty = stream.fault is not None or stream.gate is not None
    found.judged(ids.STREAM_RESTART)
    if ending.ended == "failed" and not faulty:
        found.breach(
            ids.STREAM_RESTART, "fails after a restart", "go on where it was", f"{ending.error} {ending.message}"
        )
    if look.unreadable:
        found.breach(ids.READABLE, "the output can't be read", "be readable", look.unreadable)
        found.after = Dataset(look.exists, look.rows)
        return found
    rows = look.counted()
    found.judged(ids.STREAM_ONCE, ids.STREAM_SEEN)
    if beyond := rows - known.fed:
        found.breach(ids.STREAM_ONCE, "rows are there twice", f"have {told(known.fed)}", f"{told(beyond)} are beyond")
    if lost := known.seen - rows:
        found.breach(ids.STREAM_SEEN, "rows that were seen are gone", f"keep {told(known.seen)}", f"{told(lost)} lack")
    if ending.ended == "committed" and (lacking := known.fed - rows):
        found.breach(ids.STREAM_ONCE, "ends without all its rows", f"have {told(known.fed)}", f"{told(lacking)} lack")
    found.after = Dataset(look.exists, look.rows)
    return found
