"""abortUploadsUnderPath. Source: multipartuploader.md, "CompletableFuture abortUploadsUnderPath(Path path)"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.drawing import drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Cases, gives, meaning, raises
from fsconform.model.filesystem.options.changes import SUPPORTS_MULTIPARTUPLOADER
from fsconform.model.filesystem.state import State, locate
from fsconform.model.filesystem.status.entries import at_least
from fsconform.model.filesystem.validity import COMMON_CASES, lenient_bits

_COUNT = "multipartuploader.abortUploadsUnderPath.result"


@operation
@dataclass(frozen=True, slots=True)
class AbortUploads(Operation):
    """``createMultipartUploader(path)`` and its ``abortUploadsUnderPath(path)``.

    Returns facts ``number`` with ``value``: how many were aborted, or -1. No upload is open between operations.
    """

    NAME: ClassVar[str] = "abortUploadsUnderPath"
    path: Path


_MET = Cases(*COMMON_CASES)
_ANY_PATH = _MET.case(
    "any path",
    _COUNT,
    (
        gives(_COUNT, "return -1, or how many uploads were aborted", at_least(-1)),
        raises(_COUNT, "UnsupportedOperationException", (SUPPORTS_MULTIPARTUPLOADER, False)),
    ),
)


@meaning(AbortUploads, _MET)
def _classify(root: State, op: AbortUploads) -> int:
    return lenient_bits(op.path, locate(root, op.path)) | _ANY_PATH


drawn_plainly(AbortUploads)
