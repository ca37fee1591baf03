"""Contracts of committers on stores: which departures from a perfect commit a pair of them declares.

Each option permits one departure. A contract without any is that of a perfect committer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.layers import LayerContract
from fsconform.model.core.option import OWN_PREFIX, Option

FAILED_JOB_LEAVES_ROWS = OWN_PREFIX + "failed-job-leaves-rows"
ROWS_SEEN_BEFORE_JOB_COMMIT = OWN_PREFIX + "rows-seen-before-job-commit"
JOB_COMMIT_IN_STEPS = OWN_PREFIX + "job-commit-in-steps"
COMMITS_BY_COPYING = OWN_PREFIX + "commits-by-copying"
OVERWRITE_IN_STEPS = OWN_PREFIX + "dynamic-overwrite-in-steps"
NO_DYNAMIC_OVERWRITE = OWN_PREFIX + "no-dynamic-overwrite"
CONCURRENT_JOBS_DISTURB = OWN_PREFIX + "concurrent-jobs-disturb-each-other"
LEAVES_TEMPORARIES = OWN_PREFIX + "leaves-temporaries"
LEAVES_UPLOADS = OWN_PREFIX + "leaves-uploads"
KILLED_JOB_COMES_BACK = OWN_PREFIX + "killed-job-comes-back"
NO_MARKER = OWN_PREFIX + "no-success-marker"

OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option(FAILED_JOB_LEAVES_ROWS, "permits", "a failed job may leave rows of tasks that were committed before"),
        Option(
            ROWS_SEEN_BEFORE_JOB_COMMIT, "permits", "rows of committed tasks may be read before the job is committed"
        ),
        Option(
            JOB_COMMIT_IN_STEPS,
            "permits",
            "the commit of a job may be seen, and may end, with a part of its output in place",
        ),
        Option(
            COMMITS_BY_COPYING,
            "permits",
            "output may be committed by renames that the store carries out as copies, object by object",
        ),
        Option(
            OVERWRITE_IN_STEPS,
            "permits",
            "a dynamic overwrite that does not come to its end may have removed partitions that it did not replace",
        ),
        Option(NO_DYNAMIC_OVERWRITE, "permits", "a dynamic overwrite of partitions may be refused"),
        Option(
            CONCURRENT_JOBS_DISTURB,
            "permits",
            "of two jobs into one directory rows may be lost although both succeeded",
        ),
        Option(LEAVES_TEMPORARIES, "permits", "a job that has ended may leave temporary files and directories"),
        Option(
            LEAVES_UPLOADS, "permits", "a job that has ended may leave uploads that are neither completed nor aborted"
        ),
        Option(
            KILLED_JOB_COMES_BACK,
            "permits",
            "rows of tasks that a killed job had committed may come in with the next job",
        ),
        Option(NO_MARKER, "permits", "a committed job may leave no success marker"),
    )
}


@dataclass(frozen=True, slots=True)
class CommitContract(LayerContract):
    """The departures of a committer that are declared; all others are not."""

    OPTIONS: ClassVar[Mapping[str, Option]] = OPTIONS

    source: str = "no contract: all that a perfect committer guarantees"


PERFECT = CommitContract()
