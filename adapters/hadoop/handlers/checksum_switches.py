"""Files that are written without checksums, or read without verifying them.

The switches belong to a FileSystem instance: each is set for the one call and set back, as programs share instances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import wire
from fsconform.adapters.hadoop.calls import Caller
from fsconform.adapters.hadoop.handlers.classes import (
    java,
)

NO_CHECKSUMS = wire.NotExpressible("the filesystem keeps no checksums of its own beside a file")


def keeps_checksums(caller: Caller) -> bool:
    """Whether the filesystem, or one that it passes all calls on to, is one that writes checksum files."""
    fs, wrapper, keeping = caller.filesystem, java("FilterFileSystem"), java("ChecksumFileSystem")
    while not keeping.class_.isInstance(fs):
        if not wrapper.class_.isInstance(fs):
            return False
        fs = jpype.JObject(fs, wrapper).getRawFileSystem()
    return True


@contextmanager
def switched(switch: Callable[[bool], Any]) -> Iterator[None]:
    """Within, a switch is off; it is on again then, as by default."""
    switch(False)
    try:
        yield
    finally:
        switch(True)
