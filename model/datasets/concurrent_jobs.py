"""Two jobs that write to one dataset at once, held against the clauses."""

from __future__ import annotations

from collections import Counter

from fsconform.model.datasets import clauses as ids
from fsconform.model.datasets import contract as options
from fsconform.model.datasets import protocol
from fsconform.model.datasets.dataset import Dataset, Look, rows_of
from fsconform.model.datasets.findings import Verdicts, told
from fsconform.model.datasets.operations import Ending, WriteBoth
from fsconform.model.datasets.rules import left_behind, taken_over

DISTURBED = (options.CONCURRENT_JOBS_DISTURB,)


def judge_both(both: WriteBoth, before: Dataset, ending: Ending, look: Look) -> Verdicts:
    """Judge two jobs that append to one dataset at once: each that succeeded has all its rows there, once.

    Either may fail, as the documents promise no locking; a failed one may have left rows where its commit was begun.
    """
    found = Verdicts()
    ends = (ending.ended, ending.other.ended if ending.other is not None else "failed")
    rows = look.counted()
    found.judged(ids.CONCURRENT_JOBS)
    if look.unreadable:
        found.breach(ids.READABLE, "the dataset can't be read", "be readable", look.unreadable)
    else:
        _rows_of_both(found, both, before, ends, rows)
    if "killed" not in ends:
        left_behind(found, before.debris, look, "committed" if "failed" not in ends else "failed")
    found.after = taken_over(look)
    return found


def _rows_of_both(found: Verdicts, both: WriteBoth, before: Dataset, ends: tuple[str, str], rows: Counter[str]) -> None:
    wanted, at_most = before.counted(), before.counted()
    for write, end in zip((both.first, both.second), ends, strict=True):
        wanted = wanted - protocol.replaced(write, before) if end == "committed" else wanted
        if end == "committed":
            wanted += rows_of(write.rows)
        at_most += rows_of(write.rows)
    expected, observed = f"have {told(wanted)}", f"{' and '.join(ends)}: has {told(rows)}"
    if lost := wanted - rows:
        found.breach(
            ids.CONCURRENT_JOBS,
            "rows of a committed job are lost",
            expected,
            f"{observed}: {told(lost)} lack",
            DISTURBED,
        )
    if beyond := rows - wanted:
        twice = rows - at_most
        symptom = "rows are there twice" if twice else "a failed job leaves a part of its rows"
        permitted = () if twice else DISTURBED
        clause = ids.ONCE if twice else ids.ABORTABLE
        found.breach(clause, symptom, expected, f"{observed}: {told(beyond)} are beyond", permitted)
