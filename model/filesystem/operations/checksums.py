"""Files that a client writes without checksums, or reads without verifying them, in filesystems that have their own.

The switch is set for the one call and set back. Stores whose filesystem keeps no checksums of its own beside a file
can't be asked: there the switches do nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.content import Content
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path


@dataclass(frozen=True, slots=True)
class CreateUnchecked(Operation):
    """``setWriteChecksum(false)``; ``create(path, overwrite)``, write ``content``, close."""

    NAME: ClassVar[str] = "create without checksums"
    MUTATES: ClassVar[bool] = True
    path: Path
    content: Content
    overwrite: bool


@dataclass(frozen=True, slots=True)
class OpenUnverified(Operation):
    """``setVerifyChecksum(false)``; ``open(path)``, read to the end, close."""

    NAME: ClassVar[str] = "open without verifying"
    path: Path


ALL: tuple[type[Operation], ...] = (CreateUnchecked, OpenUnverified)
"""All of them."""
