"""Times of files that changed after their times were set: a store may promise that they move on with the content.

Source: introduction.md, "Timestamps", of HDFS. Which time it is then is not judged, only that it is another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fsconform.model.core.outcomes import Facts
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.branches import Branch, Case, Check
from fsconform.model.filesystem.options.metadata import TIMES_FOLLOW_CHANGES
from fsconform.model.filesystem.state import STALE, TIMED_AT, File, State, locate

_TIMES = "introduction.timestamps.hdfs"

KINDS: dict[str, str] = {"append": f"{_TIMES}.append", "write": f"{_TIMES}.write", "cut": f"{_TIMES}.rare-changes"}
"""By the name under which a change is remembered the clause that gives it a new time."""


def stale(root: State, path: Path) -> tuple[str, int] | None:
    """How a file was changed after its time was set, and the time that it must not have any more."""
    node = locate(root, path)
    known = node.meta if isinstance(node, File) else None
    if known is None or STALE not in known or known.get(TIMED_AT) != show(path):
        return None
    kind, _, time = str(known[STALE]).partition(" ")
    return kind, int(time)


def _moved_on(check: Check) -> Check:
    def both(root: State, op: Any, value: Any) -> bool:
        before = stale(root, op.path)
        assert before is not None
        return isinstance(value, Facts) and value.get("modified") != before[1] and check(root, op, value)

    return both


def _variants(branch: Branch, clause: str) -> tuple[Branch, ...]:
    assert branch.check is not None
    if not branch.deviates:
        branch = replace(branch, clause=clause, level="MUST", also=(*branch.also, branch.clause))
    assert branch.check is not None
    return (
        replace(branch, when=(*branch.when, (TIMES_FOLLOW_CHANGES, False))),
        replace(branch, when=(*branch.when, (TIMES_FOLLOW_CHANGES, True)), check=_moved_on(branch.check)),
    )


def cases(statuses: Callable[[], tuple[Branch, ...]]) -> dict[str, Case]:
    """By each way to change a file whose time was set a case of it, from the branches of a file's status."""
    return {
        kind: Case(
            f"file, its time set and then changed by {kind}",
            clause,
            tuple(variant for branch in statuses() for variant in _variants(branch, clause)),
        )
        for kind, clause in KINDS.items()
    }
