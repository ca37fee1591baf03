"""What Hadoop's local filesystems answer where the disk below them fails: FSError, and false.

Java's File tells by false alone that mkdir, delete or renameTo failed, and RawLocalFileSystem hands that on. What a
write raises LocalFSFileOutputStream makes an FSError, "an error for unexpected filesystem errors, presumed to reflect
disk errors in the native filesystem".

Source: RawLocalFileSystem.LocalFSFileOutputStream.write, mkdirs, delete, rename; FileUtil.fullyDelete; FSError (3.5.0).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.adapters.stores.quirks.unheard import answering
from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.histories.execution import error_classes
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.small_steps import Way
from fsconform.engine.injection import MACHINE, Medium
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Returned
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.stream_states import answer
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write

FS_ERROR = "org.apache.hadoop.fs.FSError"
_A, _HELD = ("a",), "held"


def is_fs_error(outcome: Outcome) -> bool:
    """Whether a call raised FSError, or gave it as its answer, as a sync does."""
    if isinstance(outcome, Returned):
        return "FSError" in answer(outcome.value)
    return FS_ERROR in error_classes(outcome)[:1]


def is_false(outcome: Outcome) -> bool:
    """Whether a call returned false."""
    return outcome == Returned(False)


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    title: str
    clause: str
    reason: str
    lane: Calls
    fault: Medium
    kinds: tuple[type[Operation], ...]
    way: Way


_ROWS = (
    _Row(
        "raises-fserror-where-the-disk-is-full",
        "a write for which the disk has no room raises FSError, an Error and no IOException",
        "outputstream.write.limit",
        "RawLocalFileSystem takes an IOException of a write for a fault of the machine, and makes an FSError of it",
        (OpenWriter(_A, _HELD, "create"), Write(_HELD, content.of(6, 300_000)), CloseWriter(_HELD)),
        Medium(MACHINE, 0, "full", 1 << 16),
        (Create, Append, OpenWriter, Write, Sync, CloseWriter),
        answering(is_fs_error),
    ),
    _Row(
        "answers-false-where-the-disk-fails",
        "mkdirs, delete or rename return false where the disk is full or takes no changes",
        "introduction.failures.no-runtime-exception",
        "java.io.File says by false that a call failed, and does not say why",
        (Mkdirs(_A),),
        Medium(MACHINE, 0, "read-only"),
        (Mkdirs, Delete, Rename),
        answering(is_false),
    ),
)


def local_media(store: str) -> Iterable[KnownRace]:
    """What a store that is built on RawLocalFileSystem is known to answer where its disk fails."""
    for row in _ROWS:
        yield KnownRace(
            f"{store}/{row.name}",
            row.title,
            row.clause,
            "wrong error",
            "wrongly refused",
            row.reason,
            f"{store}/{row.name}",
            UNTIL,
            Concurrent((), ((), row.lane), (0, 0), fault=row.fault),
            dict.fromkeys(row.kinds, row.way),
            disturbed=Medium,
        )
