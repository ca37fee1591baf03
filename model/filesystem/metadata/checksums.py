"""Files written without checksums, or read without verifying them: they hold the bytes that were written, as others do.

A file that is written without checksums is read whole by those who verify: what was there before of an earlier file's
checksums must be of no effect. Source: FileSystem.setWriteChecksum and setVerifyChecksum (Javadoc); outputstream.md,
"Local Filesystem, file:".
"""

from __future__ import annotations

from dataclasses import replace

from fsconform.model.filesystem.branches import MEANINGS as KNOWN
from fsconform.model.filesystem.branches import Case, Meaning
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.operations.checksums import OpenUnverified
from fsconform.model.filesystem.state import State

UNVERIFIED = "filesystem.setVerifyChecksum.post"


def _of(cases: tuple[Case, ...], succeeds: frozenset[str], clause: str) -> tuple[Case, ...]:
    """The cases of create or open; those of these clauses, where the call succeeds, are of another clause here."""
    return tuple(
        replace(one, clause=clause, branches=tuple(replace(branch, clause=clause) for branch in one.branches))
        if one.clause in succeeds
        else one
        for one in cases
    )


def _classify_open(root: State, op: OpenUnverified) -> int:
    return KNOWN[Open].classify(root, Open(op.path))


MEANINGS: tuple[Meaning, ...] = (
    Meaning(
        OpenUnverified,
        _of(KNOWN[Open].cases, frozenset(("filesystem.open.post",)), UNVERIFIED),
        _classify_open,
        derived=True,
    ),
)
