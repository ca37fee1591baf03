"""Files that a client writes without checksums, or reads without verifying them, in filesystems that have their own.

The switch is set for the one call and set back. Stores whose filesystem keeps no checksums of its own beside a file
can't be asked: there the switches do nothing.
"""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.input.open_unverified import OpenUnverified as OpenUnverified
from fsconform.model.filesystem.namespace.create import CreateUnchecked as CreateUnchecked

ALL: tuple[type[Operation], ...] = (CreateUnchecked, OpenUnverified)
"""All of them."""
