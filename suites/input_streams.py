"""Streams that a file is read by: reads, seeks, positioned and vectored reads, and what they refuse."""

from __future__ import annotations

from fsconform.engine.grammar import Grammar, Suite
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename

INPUT_STREAMS = Suite(
    "input-streams",
    "streams",
    "streams read action by action: positions, seeks, positioned and vectored reads; streams left open",
    witnesses=("streams", "readers"),
    grammar=Grammar(
        weights=(
            (Mkdirs, 1),
            (Create, 4),
            (Append, 1),
            (Delete, 1),
            (Rename, 1),
            (ReadStream, 8),
            (OpenReader, 2),
            (ReadOn, 5),
        ),
        spiced=1,
    ),
)
