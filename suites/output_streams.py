"""Streams that files are written by: forms of write, visibility, Syncable, leases, and what streams say they can."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.open_unverified import OpenUnverified
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create, CreateUnchecked
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.close_beyond_quota import FailClose
from fsconform.model.filesystem.output.leases import IsFileClosed, RecoverLease
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.position import WriterPosition
from fsconform.model.filesystem.output.stream_capabilities import SetDropBehind, WriterCapability
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write, WriteWrongly
from fsconform.model.filesystem.output.write_by_two_threads import WriteTogether
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

OUTPUT_STREAMS = Suite(
    "output-streams",
    "streams",
    "streams that write: all forms of write, close and abort, and use once closed",
    witnesses=("writers",),
    grammar=Grammar(
        weights=(
            (Mkdirs, 1),
            (Create, 2),
            (Delete, 1),
            (Rename, 1),
            (OpenWriter, 4),
            (Write, 10),
            (WriteWrongly, 1),
            (Sync, 2),
            (CloseWriter, 4),
            (AbortWriter, 1),
            (WriteTogether, 1),
            (FailClose, 1),
            (WriterPosition, 2),
            (Observe, 3),
        ),
        spiced=1,
    ),
)

VISIBILITY = Suite(
    "visibility",
    "streams",
    "what another client sees of a file that is being written, renamed or deleted meanwhile",
    witnesses=("visibility", "checksums"),
    grammar=Grammar(
        weights=(
            (Mkdirs, 1),
            (Create, 2),
            (Append, 1),
            (Rename, 1),
            (Delete, 1),
            (OpenWriter, 4),
            (Write, 5),
            (Sync, 3),
            (CloseWriter, 3),
            (Observe, 6),
            (OpenReader, 2),
            (ReadOn, 4),
            (GetFileStatus, 1),
            (ListStatus, 1),
            (Exists, 1),
            (Open, 1),
            (CreateUnchecked, 2),
            (OpenUnverified, 1),
        ),
        spiced=1,
        clients=2,
    ),
)

SYNCABLE = Suite(
    "syncable",
    "streams",
    "flush, hflush and hsync, and what they make visible",
    witnesses=("syncable",),
    grammar=Grammar(
        weights=(
            (Mkdirs, 1),
            (Create, 2),
            (Delete, 1),
            (Rename, 1),
            (OpenWriter, 4),
            (Write, 6),
            (Sync, 6),
            (Observe, 5),
            (CloseWriter, 2),
        ),
        spiced=1,
        clients=2,
    ),
)

LEASES = Suite(
    "leases",
    "streams",
    "files left open: whether they are closed, and the recovery of their leases",
    witnesses=("leases",),
    grammar=Grammar(
        weights=(
            (Mkdirs, 1),
            (Create, 2),
            (Append, 1),
            (Delete, 1),
            (Rename, 1),
            (OpenWriter, 4),
            (Write, 3),
            (Sync, 1),
            (CloseWriter, 2),
            (IsFileClosed, 5),
            (RecoverLease, 1),
            (Observe, 2),
        ),
        spiced=1,
        clients=2,
    ),
)

CAPABILITIES = Suite(
    "capabilities",
    "capabilities",
    "what streams say they can, open and closed, beside what they do",
    witnesses=("capabilities",),
    grammar=Grammar(
        weights=(
            (Create, 3),
            (Mkdirs, 1),
            (Delete, 1),
            (Rename, 1),
            (OpenWriter, 4),
            (Write, 2),
            (WriterCapability, 6),
            (SetDropBehind, 2),
            (AbortWriter, 1),
            (Sync, 2),
            (CloseWriter, 2),
            (ReadStream, 2),
        ),
        spiced=1,
    ),
)
