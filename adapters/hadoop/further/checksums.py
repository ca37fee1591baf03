"""Files that are written without checksums, or read without verifying them, in Java.

The switches belong to a FileSystem instance: each is set for the one call and set back, as programs share instances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import wire
from fsconform.adapters.hadoop.further.ways import java
from fsconform.model.filesystem.input.open_unverified import OpenUnverified
from fsconform.model.filesystem.namespace.create import CreateUnchecked

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.calls import Caller, Places

NONE = wire.NotExpressible("the filesystem keeps no checksums of its own beside a file")


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


def create_unchecked(caller: Caller, op: CreateUnchecked, places: Places) -> wire.AnyOutcome:
    """create, write and close without checksums."""
    path = places.java(op.path)
    if not keeps_checksums(caller):
        return NONE
    with switched(caller.base.setWriteChecksum):
        return caller.write(lambda: caller.base.create(path, op.overwrite), op.content)


def open_unverified(caller: Caller, op: OpenUnverified, places: Places) -> wire.AnyOutcome:
    """open and read to the end without verifying."""
    path = places.java(op.path)
    if not keeps_checksums(caller):
        return NONE
    with switched(caller.base.setVerifyChecksum):
        return caller.read(path)


HANDLERS: dict[tuple[type, str], Any] = {(CreateUnchecked, ""): create_unchecked, (OpenUnverified, ""): open_unverified}
