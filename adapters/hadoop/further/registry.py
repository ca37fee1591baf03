"""Which function performs which operation, by its class and the way into the store that it takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fsconform.adapters.hadoop import wire
from fsconform.adapters.hadoop.further import (
    administration,
    attributes,
    changes,
    checksums,
    episodes,
    fullness,
    listing,
    metadata,
    mishaps,
    observing,
    protocols,
    streams,
    ways,
    writers,
)
from fsconform.model.core.outcomes import Value
from fsconform.model.filesystem.programs import encode_value

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

Handler = Callable[["Caller", Any, "Places"], "wire.AnyOutcome | Value"]
"""Performs an operation. May raise what Java raises, and what the callers of Caller.perform handle."""

HANDLERS: dict[tuple[type, str], Handler] = {
    **ways.HANDLERS,
    **listing.HANDLERS,
    **metadata.HANDLERS,
    **attributes.HANDLERS,
    **changes.HANDLERS,
    **protocols.HANDLERS,
    **episodes.HANDLERS,
    **administration.HANDLERS,
    **streams.HANDLERS,
    **writers.HANDLERS,
    **observing.HANDLERS,
    **mishaps.HANDLERS,
    **checksums.HANDLERS,
    **fullness.HANDLERS,
}


def frame(value: Value) -> wire.Value:
    """A value as a frame."""
    return wire.Value(json.dumps(encode_value(value)))
