"""What a step may do: a job's ending and what is found afterwards, held against the clauses."""

from __future__ import annotations

from collections import Counter

from fsconform.model.datasets import clauses as ids
from fsconform.model.datasets import contract as options
from fsconform.model.datasets import protocol
from fsconform.model.datasets.dataset import Dataset, Look
from fsconform.model.datasets.findings import Verdicts, told
from fsconform.model.datasets.operations import Ending, Write

MODE_CLAUSES = {
    "error": ids.SAVE_ERROR,
    "ignore": ids.SAVE_IGNORE,
    "append": ids.SAVE_APPEND,
    "overwrite": ids.SAVE_OVERWRITE,
}
IN_COMMIT = (options.JOB_COMMIT_IN_STEPS,)
BY_TASKS = (options.FAILED_JOB_LEAVES_ROWS,)


def judge_write(write: Write, before: Dataset, ending: Ending, look: Look) -> Verdicts:
    """Judge one job that was carried out. The dataset afterwards is the one that was found."""
    found = Verdicts()
    _ending(found, write, before, ending)
    if look.unreadable:
        found.breach(ids.READABLE, "the dataset can't be read", "be readable", look.unreadable)
    elif ending.ended == "committed":
        committed(found, write, before, look)
    elif ending.ended == "failed":
        _failed(found, write, before, ending, look)
    else:
        _stopped(found, write, before, look, "after its driver was killed ")
    _watched(found, write, before, ending)
    if ending.ended == "committed" and protocol.runs(write, before):
        _by_copying(found, ending)
    if ending.ended != "killed":
        left_behind(found, before.debris, look, ending.ended)
    found.after = taken_over(look)
    return found


def taken_over(look: Look) -> Dataset:
    """The dataset as it was found. What is left of a job was told of at once, or is what a killed one may leave."""
    return Dataset(look.exists, look.rows, look.marker, look.temporaries | frozenset(look.uploads))


def _ending(found: Verdicts, write: Write, before: Dataset, ending: Ending) -> None:
    allowed = protocol.endings(write, before)
    clause = ids.DYNAMIC if write.dynamic else MODE_CLAUSES[write.mode]
    if write.fault is not None and protocol.runs(write, before):
        clause = ids.RETRIED
    found.judged(clause)
    if ending.ended in allowed:
        return
    wanted = " or ".join(sorted(allowed))
    observed = f"{ending.ended}: {ending.error} {ending.message}".strip(": ")
    if write.dynamic and ending.ended == "failed" and write.fault is None and write.gate is None:
        found.breach(ids.DYNAMIC_COMMITTER, "is refused", f"be {wanted}", observed, (options.NO_DYNAMIC_OVERWRITE,))
        return
    symptoms = {"committed": "is committed all the same", "failed": "fails", "killed": "loses its driver"}
    found.breach(clause, symptoms[ending.ended], f"be {wanted}", observed)


def committed(found: Verdicts, write: Write, before: Dataset, look: Look) -> None:
    """The rows and the marker after a committed job."""
    wanted, rows = protocol.target(write, before), look.counted()
    found.judged(ids.COMPLETE, ids.EXCLUSIVE, ids.ONCE)
    names = protocol.row_names(write)
    missing, beyond = wanted - rows, rows - wanted
    expected, observed = f"have {told(wanted)}", f"has {told(rows)}"
    lost = [row for row in missing if row in names]
    if lost:
        found.breach(ids.COMPLETE, "is committed without all its rows", expected, f"{observed}: {told(missing)} lack")
    if len(lost) < len(missing):
        clause = ids.DYNAMIC_OTHERS if write.dynamic else ids.SAVE_APPEND
        found.breach(clause, "loses earlier rows", expected, f"{observed}: {told(missing)} lack")
    if any(row in names for row in beyond):
        found.breach(ids.ONCE, "is committed with rows twice", expected, f"{observed}: {told(beyond)} are beyond")
    elif beyond - before.counted():
        permitted = (options.KILLED_JOB_COMES_BACK,) if before.debris else ()
        clause = ids.CONTINUITY if before.debris else ids.EXCLUSIVE
        symptom = "brings rows of a job that did not succeed" if before.debris else "brings rows of no job"
        found.breach(clause, symptom, expected, f"{observed}: {told(beyond)} are beyond", permitted)
    elif beyond:
        found.breach(
            MODE_CLAUSES[write.mode],
            "leaves rows that it replaces",
            expected,
            f"{observed}: {told(beyond)} are beyond",
        )
    if protocol.runs(write, before) and not write.dynamic:
        found.judged(ids.MARKER)
        if not look.marker:
            found.breach(
                ids.MARKER, "leaves no success marker", "leave _SUCCESS", "there is none", (options.NO_MARKER,)
            )


def _failed(found: Verdicts, write: Write, before: Dataset, ending: Ending, look: Look) -> None:
    _stopped(found, write, before, look, "fails and ")
    if not protocol.runs(write, before):
        return
    found.judged(ids.MARKER_FAILED, ids.NO_DIRECTORY)
    if look.marker and not before.marker:
        found.breach(ids.MARKER_FAILED, "fails and leaves a success marker", "leave no _SUCCESS", "there is a new one")
    if look.exists and not before.exists and not look.rows:
        found.breach(
            ids.NO_DIRECTORY,
            "fails and leaves an empty directory",
            "leave nothing where nothing was",
            "the directory is there",
            should=True,
            who="a job that begins with nothing",
        )


def _stopped(found: Verdicts, write: Write, before: Dataset, look: Look, how: str) -> None:
    """The rows after a job that was not committed: those from before, or, where its commit was reached, its target."""
    rows = look.counted()
    allowed = protocol.stopped_early(write, before)
    in_commit = protocol.commit_was_reached(write)
    clause = ids.ALL_OR_NOTHING if in_commit else ids.ABORTABLE
    found.judged(clause)
    if len(allowed) > 1:
        found.judged(ids.DELETES_FIRST)
    killed = how.startswith("after")
    if in_commit and killed:
        allowed = [*allowed, protocol.target(write, before)]
    if rows in allowed:
        return
    names = protocol.row_names(write)
    expected = "leave " + " or ".join(told(one) for one in allowed)
    observed = f"there are {told(rows)}"
    beyond = rows - before.counted()
    permitted = (*IN_COMMIT, *BY_TASKS) if in_commit else BY_TASKS
    if any(beyond[row] > write.rows.count(int(row.partition(":")[0])) for row in beyond if row in names):
        found.breach(ids.ONCE, f"{how}leaves rows twice", expected, observed)
    elif beyond:
        found.breach(clause, f"{how}leaves a part of its rows", expected, observed, permitted)
    if before.counted() - rows and rows not in allowed:
        _earlier_lost(found, write, before, rows, how)


def _earlier_lost(found: Verdicts, write: Write, before: Dataset, rows: Counter[str], how: str) -> None:
    lost = before.counted() - rows
    if write.mode == "overwrite" and not write.dynamic:
        return  # deleted first, as it is documented
    inside = write.dynamic and all(protocol.of_partition(row, write) for row in lost)
    found.breach(
        ids.DYNAMIC if inside else ids.ABORTABLE,
        f"{how}loses earlier rows",
        f"keep {told(before.counted())}",
        f"{told(lost)} lack",
        (options.OVERWRITE_IN_STEPS,) if inside else (),
    )


def _watched(found: Verdicts, write: Write, before: Dataset, ending: Ending) -> None:
    """What a reader saw while the job was held: what was there before, or, in the commit, all of the target."""
    for look in ending.seen:
        in_commit = write.gate is not None
        clause = ids.WATCHED if in_commit else ids.HIDDEN
        found.judged(clause)
        rows = look.counted()
        allowed = protocol.stopped_early(write, before)
        if in_commit:
            allowed = [*allowed, protocol.target(write, before)]
        if look.unreadable:
            found.breach(ids.READABLE, "can't be read meanwhile", "be readable", look.unreadable)
        elif rows not in allowed:
            expected = "show " + " or ".join(told(one) for one in allowed)
            before_commit = (options.ROWS_SEEN_BEFORE_JOB_COMMIT,)
            if rows - before.counted():
                permitted = (*IN_COMMIT, *before_commit) if in_commit else before_commit
                symptom = (
                    "shows a part of its rows while it is committed"
                    if in_commit
                    else ("shows rows before the job is committed")
                )
                found.breach(clause, symptom, expected, f"shows {told(rows)}", permitted)
            else:
                found.breach(
                    ids.DYNAMIC if write.dynamic else clause,
                    "shows fewer rows than before meanwhile",
                    expected,
                    f"shows {told(rows)}",
                    (options.OVERWRITE_IN_STEPS,) if write.dynamic else (),
                )


def _by_copying(found: Verdicts, ending: Ending) -> None:
    found.judged(ids.STORE_RENAMES)
    if ending.copies:
        found.breach(
            ids.STORE_RENAMES,
            "is committed by renames that are copies",
            "be committed by what the store does at once",
            f"{ending.copies} objects were copied, {ending.published} of them to where readers see them",
            (options.COMMITS_BY_COPYING,),
            who="a job",
        )


def left_behind(found: Verdicts, debris: frozenset[str], look: Look, ended: str) -> None:
    """Temporaries and pending uploads after a job that has ended of itself, beyond the ``debris`` of earlier ones."""
    clause = ids.CLEAN_DONE if ended == "committed" else ids.CLEAN
    who = f"a {ended} job"
    found.judged(clause, ids.UPLOADS)
    if names := sorted(look.temporaries - debris):
        found.breach(
            clause,
            "leaves temporaries",
            "leave none",
            f"left {', '.join(names[:4])}",
            (options.LEAVES_TEMPORARIES,),
            who=who,
        )
    if uploads := sorted(frozenset(look.uploads) - debris):
        found.breach(
            ids.UPLOADS,
            "leaves pending uploads",
            "leave none",
            f"{len(uploads)} uploads are neither completed nor aborted: {', '.join(uploads[:3])}",
            (options.LEAVES_UPLOADS,),
            who=who,
        )
