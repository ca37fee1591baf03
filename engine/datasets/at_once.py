"""Jobs at once, as a history: is there an order of their steps, and of a reader's look, that explains what is there?

The jobs of a program run into each other, so nothing but the reader comes after anything. A job of which nobody heard
the end may have taken effect, or may yet: it is a pending call of the history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fsconform.engine.histories.linearizability import Call, Rest, linearize
from fsconform.model.datasets import clauses as ids
from fsconform.model.datasets import contract as options
from fsconform.model.datasets import jobs_at_once
from fsconform.model.datasets.dataset import Dataset, Look, rows_of
from fsconform.model.datasets.findings import Verdicts, told
from fsconform.model.datasets.jobs_at_once import Table, table_of
from fsconform.model.datasets.operations import Ending, Write, WriteBoth
from fsconform.model.datasets.protocol import End
from fsconform.model.datasets.rules import MODE_CLAUSES, left_behind, taken_over

DISTURBED = (options.CONCURRENT_JOBS_DISTURB,)


MODES_THAT_LOOK = ("error", "ignore")


@dataclass(frozen=True, slots=True)
class Reading:
    """A reader's look at all rows."""


Asked = Write | Reading
Given = End | tuple[str, ...]
"""How a job ended, or the rows that a reader saw."""


@dataclass(frozen=True, slots=True)
class Jobs:
    """The sequential specification of jobs and readers of one dataset; see ``model.datasets.jobs_at_once``."""

    in_steps: bool = False

    def step(self, state: Table, operation: Asked, outcome: Given, rest: Rest) -> Iterator[tuple[Table, Rest]]:
        """See linearizability.Model."""
        if isinstance(operation, Reading):
            if state.rows == outcome:
                yield state, None
        else:
            assert not isinstance(outcome, tuple) and (rest is None or isinstance(rest, jobs_at_once.Rest))
            yield from jobs_at_once.steps(state, operation, outcome, rest, self.in_steps)

    def effects(self, state: Table, operation: Asked, rest: Rest) -> Iterator[tuple[Table, Rest]]:
        """See linearizability.Model: a job that was killed may have come to any of its steps, and to its end."""
        yield from self.step(state, operation, "committed", rest)

    def is_best(self, operation: Asked, left: Rest) -> bool:
        """See linearizability.Model: a reader changes nothing."""
        return isinstance(operation, Reading)


def history(jobs: Sequence[tuple[Write, End]], rows: tuple[str, ...]) -> list[Call[Asked, Given]]:
    """Jobs that are all under way at once, and a reader afterwards. One that was killed is pending."""
    calls: list[Call[Asked, Given]] = [
        Call(number, write, end, number, None if end == "killed" else 2 * len(jobs) - number)
        for number, (write, end) in enumerate(jobs)
    ]
    after = 2 * len(jobs) + 1
    return [*calls, Call(len(jobs), Reading(), rows, after, after + 1)]


def finals(model: Jobs, before: Table, jobs: Sequence[tuple[Write, End]]) -> set[Table]:
    """All that may stand there once jobs at once have ended."""
    start = before, tuple[tuple[bool, Rest], ...]((False, None) for _ in jobs)
    todo, tried, found = [start], {start}, set[Table]()
    while todo:
        table, lanes = todo.pop()
        if all(done or jobs[number][1] == "killed" for number, (done, _) in enumerate(lanes)):
            found.add(table)
        for number, (done, rest) in enumerate(lanes):
            write, end = jobs[number]
            if done:
                continue
            reached = model.effects(table, write, rest) if end == "killed" else model.step(table, write, end, rest)
            for after, left in reached:
                node = after, (*lanes[:number], (left is None, left), *lanes[number + 1 :])
                if node not in tried:
                    tried.add(node)
                    todo.append(node)
    return found


def judge_both(both: WriteBoth, before: Dataset, ending: Ending, look: Look) -> Verdicts:
    """Judge two jobs that wrote to one dataset at once.

    Each that succeeded has all its rows there, once, unless the other replaced them. Either may fail, as the documents
    promise no locking, and then leaves nothing.
    """
    found = Verdicts()
    killed: End = "killed" if ending.ended == "killed" else "failed"
    other = ending.other.ended if ending.other is not None else killed
    assert ending.ended != "not-expressible" and other != "not-expressible"
    jobs: tuple[tuple[Write, End], ...] = ((both.first, ending.ended), (both.second, other))
    found.judged(*{clause_of(write) for write, _ in jobs})
    if look.unreadable:
        found.breach(ids.READABLE, "the dataset can't be read", "be readable", look.unreadable)
    else:
        _rows(found, jobs, table_of(before), tuple(sorted(look.rows)))
    ends = [end for _, end in jobs]
    if "killed" not in ends:
        left_behind(found, before.debris, look, "committed" if "failed" not in ends else "failed")
    found.after = taken_over(look)
    return found


def clause_of(write: Write) -> str:
    """The clause that says what becomes of the rows of a job that succeeds."""
    if write.dynamic:
        return ids.DYNAMIC
    return ids.CONCURRENT_JOBS if write.mode == "append" else MODE_CLAUSES[write.mode]


def _rows(found: Verdicts, jobs: Sequence[tuple[Write, End]], before: Table, rows: tuple[str, ...]) -> None:
    calls = history(jobs, rows)
    if linearize(Jobs(), (before,), calls).holds:
        return
    ended = " and ".join(end for _, end in jobs)
    tables = finals(Jobs(), before, jobs)
    if not tables:
        looking = next(write for write, _ in jobs if write.mode in MODES_THAT_LOOK)
        told_of = f"{ended} onto {'a dataset' if before.exists else 'nothing'}"
        found.breach(clause_of(looking), "two jobs end as no order of them allows", "look first", told_of)
        return
    wanted = nearest(tables, rows)
    expected, observed = f"have {told(wanted)}", f"{ended}: has {told(Counter(rows))}"
    if linearize(Jobs(in_steps=True), (before,), calls).holds:
        symptom = "partitions are replaced in steps that others come between"
        found.breach(ids.DYNAMIC, symptom, expected, observed, (options.OVERWRITE_IN_STEPS,))
        return
    lost, beyond = wanted - Counter(rows), Counter(rows) - wanted
    if lost:
        own = [write for write, end in jobs if end == "committed" and lost & rows_of(write.rows)]
        clause = clause_of(own[0]) if own else _earlier(jobs)
        symptom = "rows of a committed job are lost" if own else "earlier rows are lost"
        found.breach(clause, symptom, expected, f"{observed}: {told(lost)} lack", DISTURBED)
    if beyond:
        clause, symptom, permitted = _beyond(jobs, before, beyond, Counter(rows))
        found.breach(clause, symptom, expected, f"{observed}: {told(beyond)} are beyond", permitted)


def nearest(tables: Iterable[Table], rows: tuple[str, ...]) -> Counter[str]:
    """Of all that may stand there the rows that differ least from those that do."""
    seen = Counter(rows)

    def distance(table: Table) -> tuple[int, tuple[str, ...]]:
        wanted = Counter(table.rows)
        return (wanted - seen).total() + (seen - wanted).total(), table.rows

    return Counter(min(tables, key=distance).rows)


def _earlier(jobs: Sequence[tuple[Write, End]]) -> str:
    """The clause by which rows that stood there before stay."""
    return ids.DYNAMIC_OTHERS if all(write.dynamic for write, _ in jobs) else ids.SAVE_APPEND


def _beyond(
    jobs: Sequence[tuple[Write, End]], before: Table, beyond: Counter[str], rows: Counter[str]
) -> tuple[str, str, tuple[str, ...]]:
    at_most = Counter(before.rows)
    for write, _ in jobs:
        at_most += rows_of(write.rows)
    if rows - at_most:
        return ids.ONCE, "rows are there twice", ()
    failed = sum((rows_of(write.rows) for write, end in jobs if end == "failed"), Counter[str]())
    if beyond & failed:
        return ids.ABORTABLE, "a failed job leaves a part of its rows", DISTURBED
    over = next((write for write, end in jobs if end == "committed" and write.mode == "overwrite"), jobs[0][0])
    return clause_of(over), "rows stay that are replaced", ()
