"""What can go wrong with a stream that writes, as whole episodes. Each leaves nothing behind."""

from __future__ import annotations

from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.output.close_beyond_quota import FailClose as FailClose
from fsconform.model.filesystem.output.full_disk import NOT_ASKED as NOT_ASKED
from fsconform.model.filesystem.output.full_disk import FillUp as FillUp
from fsconform.model.filesystem.output.write_by_two_threads import TOGETHER as TOGETHER
from fsconform.model.filesystem.output.write_by_two_threads import WriteTogether as WriteTogether

ALL: tuple[type[Operation], ...] = (WriteTogether, FailClose, FillUp)
"""All of them."""
