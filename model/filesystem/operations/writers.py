"""Operations on a file through an output stream that stays open from step to step.

A stream is kept under the name ``stream`` until its program ends; what is still open then is closed unseen. A name is
given once: what names a stream that was never opened, or opens one under a name that is taken, is not expressible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.output.abort import AbortWriter as AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter as CloseWriter
from fsconform.model.filesystem.output.position import WriterPosition as WriterPosition
from fsconform.model.filesystem.output.stream_capabilities import ABORTABLE as ABORTABLE
from fsconform.model.filesystem.output.stream_capabilities import CAPABILITIES as CAPABILITIES
from fsconform.model.filesystem.output.stream_capabilities import UNKNOWN_CAPABILITY as UNKNOWN_CAPABILITY
from fsconform.model.filesystem.output.stream_capabilities import SetDropBehind as SetDropBehind
from fsconform.model.filesystem.output.stream_capabilities import WriterCapability as WriterCapability
from fsconform.model.filesystem.output.sync import SYNCS as SYNCS
from fsconform.model.filesystem.output.sync import Sync as Sync
from fsconform.model.filesystem.protocols.leases import IsFileClosed as IsFileClosed
from fsconform.model.filesystem.protocols.leases import RecoverLease as RecoverLease

MODES = ("create", "overwrite", "append")
"""How a file is opened to be written: ``create(path, false)``, ``create(path, true)``, ``append(path)``."""

MISUSES = ("null", "negative offset", "negative length", "beyond the end", "offset beyond the end")
"""Arguments that write must refuse: null; a range of an array of ten bytes that is no range of it."""

UNCHECKED = "unchecked"
"""The way by which a stream is opened that writes no checksums."""


@dataclass(frozen=True, slots=True)
class OpenWriter(Operation):
    """A stream is opened to write a file, by one of ``MODES``; via builder by createFile or appendFile.

    Via unchecked by a client that writes no checksums: ``setWriteChecksum(false)`` comes before it.
    """

    NAME: ClassVar[str] = "open to write"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("builder", UNCHECKED)
    path: Path
    stream: str
    mode: str
    via: str = ""


@dataclass(frozen=True, slots=True)
class Write(Operation):
    """``write(content)``; via slice as a part of a larger array, via bytes one by one as ints with higher bits set.

    Via reused the array is filled with other bytes once the call has returned.
    """

    NAME: ClassVar[str] = "write"
    MUTATES: ClassVar[bool] = True
    VIAS: ClassVar[tuple[str, ...]] = ("slice", "bytes", "reused")
    stream: str
    content: Content
    via: str = ""


@dataclass(frozen=True, slots=True)
class WriteWrongly(Operation):
    """``write`` with arguments that it must refuse, one of ``MISUSES``."""

    NAME: ClassVar[str] = "write wrongly"
    MUTATES: ClassVar[bool] = True
    stream: str
    how: str


@dataclass(frozen=True, slots=True)
class Observe(Operation):
    """A path is looked at: getFileStatus, then open and read to the end, then the listing of its parent.

    Returns facts ``seen``: ``status`` (file, directory, missing, or raised with the class), ``length`` of the status
    (-1 without), ``read`` (the bytes as model.scripts tells them, or raised with the class), ``listed`` (the length in
    the listing; -1 where it is not listed, or a directory), ``disagree`` and ``untimely``: the kinds of listings whose
    status of the path differs from getFileStatus in length or kind, and in the time of modification.
    """

    NAME: ClassVar[str] = "observe"
    path: Path


ALL: tuple[type[Operation], ...] = (
    OpenWriter,
    Write,
    WriteWrongly,
    Sync,
    CloseWriter,
    AbortWriter,
    WriterCapability,
    SetDropBehind,
    WriterPosition,
    Observe,
    RecoverLease,
    IsFileClosed,
)
"""All of them."""
