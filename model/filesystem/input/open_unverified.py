"""open by a client that verifies no checksums: a file without any holds the bytes that were written, as all others do.

The switch is set for the one call and set back. Stores whose filesystem keeps no checksums of its own beside a file
can't be asked: there the switch does nothing. Source: FileSystem.setWriteChecksum and setVerifyChecksum (Javadoc);
outputstream.md, "Local Filesystem, file:".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from fsconform.model.core.drawing import drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import MEANINGS, Case, Cases, meaning
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.state import State

_UNVERIFIED = "filesystem.setVerifyChecksum.post"
_OPEN = MEANINGS[Open]


@operation
@dataclass(frozen=True, slots=True)
class OpenUnverified(Operation):
    """``setVerifyChecksum(false)``; ``open(path)``, read to the end, close."""

    NAME: ClassVar[str] = "open without verifying"
    path: Path


def _unverified(case: Case) -> Case:
    """The case of open; where that succeeds, it is of another clause here."""
    if case.clause != "filesystem.open.post":
        return case
    return replace(
        case, clause=_UNVERIFIED, branches=tuple(replace(branch, clause=_UNVERIFIED) for branch in case.branches)
    )


@meaning(OpenUnverified, Cases(*map(_unverified, _OPEN.cases)), derived=True)
def _classify(root: State, op: OpenUnverified) -> int:
    return _OPEN.classify(root, Open(op.path))


drawn_plainly(OpenUnverified)
