"""Operations on a file through an output stream that stays open from step to step.

A stream is kept under the name ``stream`` until its program ends; what is still open then is closed unseen. A name is
given once: what names a stream that was never opened, or opens one under a name that is taken, is not expressible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.output.abort import AbortWriter as AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter as CloseWriter
from fsconform.model.filesystem.output.open_writer import MODES as MODES
from fsconform.model.filesystem.output.open_writer import UNCHECKED as UNCHECKED
from fsconform.model.filesystem.output.open_writer import OpenWriter as OpenWriter
from fsconform.model.filesystem.output.position import WriterPosition as WriterPosition
from fsconform.model.filesystem.output.stream_capabilities import ABORTABLE as ABORTABLE
from fsconform.model.filesystem.output.stream_capabilities import CAPABILITIES as CAPABILITIES
from fsconform.model.filesystem.output.stream_capabilities import UNKNOWN_CAPABILITY as UNKNOWN_CAPABILITY
from fsconform.model.filesystem.output.stream_capabilities import SetDropBehind as SetDropBehind
from fsconform.model.filesystem.output.stream_capabilities import WriterCapability as WriterCapability
from fsconform.model.filesystem.output.sync import SYNCS as SYNCS
from fsconform.model.filesystem.output.sync import Sync as Sync
from fsconform.model.filesystem.output.write import MISUSES as MISUSES
from fsconform.model.filesystem.output.write import Write as Write
from fsconform.model.filesystem.output.write import WriteWrongly as WriteWrongly
from fsconform.model.filesystem.protocols.leases import IsFileClosed as IsFileClosed
from fsconform.model.filesystem.protocols.leases import RecoverLease as RecoverLease


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
