"""How the operations beyond the core are drawn: for each, what makes one on a given path."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from fsconform.model.core import drawing
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.suites import (
    streams_drafts,
    writers_drafts,
)

if TYPE_CHECKING:
    from fsconform.suites.drafts import Draft

Maker = Callable[["Draft", Random, Path], Operation]

MAKERS: dict[type[Operation], Maker] = {
    **drawing.MAKERS,
    **streams_drafts.MAKERS,
    **writers_drafts.MAKERS,
}
