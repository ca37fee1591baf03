"""Operations that read a file step by step through one stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path

POLICIES = ("random", "sequential", "vector", "whole-file", "adaptive")
"""The read policies under which a file can be opened."""


@dataclass(frozen=True, slots=True)
class ReadStream(Operation):
    """``open(path)``, then the actions of ``script`` one after another, then ``close()`` unless the script closed it.

    model.scripts has the form of actions and of what is told of them. Via a read policy, length or status the stream
    comes from openFile with that option. Returns facts ``input stream``: the answer of each action, named by its
    number from 1 on, and ``close``, that of the last close.
    """

    NAME: ClassVar[str] = "read by stream"
    VIAS: ClassVar[tuple[str, ...]] = (*POLICIES, "length", "status")
    path: Path
    script: tuple[str, ...]
    via: str = ""


@dataclass(frozen=True, slots=True)
class OpenReader(Operation):
    """``open(path)``; the stream is kept under the name ``stream`` until its program ends, and closed unseen then.

    Via a read policy, length or status it comes from openFile with that option, via builder from openFile without any.
    A name is given once: what names a stream that was never opened, or opens one under a name that is taken, is not
    expressible.
    """

    NAME: ClassVar[str] = "open to read"
    VIAS: ClassVar[tuple[str, ...]] = ("builder", *POLICIES, "length", "status")
    path: Path
    stream: str
    via: str = ""


@dataclass(frozen=True, slots=True)
class ReadOn(Operation):
    """The actions of ``script`` one after another, on a stream that was opened to read and goes on where it is.

    Returns facts ``input stream``, as ``ReadStream`` does, without that of a last close.
    """

    NAME: ClassVar[str] = "read on"
    stream: str
    script: tuple[str, ...]


ALL: tuple[type[Operation], ...] = (ReadStream, OpenReader, ReadOn)
