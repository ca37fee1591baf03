"""Recordings: what an application asked of its stores, as the recorder wrote it, a line of JSON for each call.

A file belongs to one process. It begins with a line that says of which, and ends with one that counts the calls; a
process that was killed leaves neither that nor, perhaps, a whole last line. Times are nanoseconds of the monotonic
clock of a machine since it was started, which ``machine`` names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec

from fsconform.records.given import GivenError, open_regular

FORMAT = 1
SUFFIX = ".jsonl"
MOST_CHARACTERS = 16 << 20
"""Bytes of a line: a listing has 10,000 entries at most."""

_Natural = Annotated[int, msgspec.Meta(ge=0)]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A status; ``length`` and ``block`` in bytes. ``odd`` is one of a link, or with a path that can't be written."""

    path: str = ""
    dir: bool = False
    length: int = 0
    block: int = 0
    odd: bool = False


class Begin(msgspec.Struct, frozen=True, tag="begin", tag_field="kind", forbid_unknown_fields=True):
    """The first line: the process, the boot of the machine (empty where nobody can tell), and both clocks."""

    format: int
    process: str
    machine: str
    nanos: int
    millis: int
    hadoop: str


class Store(msgspec.Struct, frozen=True, tag="store", tag_field="kind", forbid_unknown_fields=True):
    """A store, where it is met first: its number in this file, its URI, and the connector's class."""

    store: _Natural
    uri: str
    implementation: str


class CallLine(msgspec.Struct, frozen=True, tag="call", tag_field="kind", forbid_unknown_fields=True):
    """A call, and what it gave: one of ``did``, ``status``, ``listed``, ``sha256``, or an ``error``.

    ``stream`` numbers what is open to be written. ``length`` and ``sha256`` are of the bytes that were read from
    beginning to end, or written until a close. ``part`` is true of a file that was not read so, ``many`` counts
    entries that are too many to be written down. ``error`` has the names of its classes, itself first.
    """

    call: str
    store: _Natural
    thread: int
    begin: int
    end: int
    paths: tuple[str, ...]
    did: bool | None = None
    overwrite: bool = False
    recursive: bool = False
    all: bool = False
    size: int = 0
    mode: str = ""
    parents: bool = False
    stream: int = 0
    status: Entry | None = None
    listed: tuple[Entry, ...] | None = None
    many: int = 0
    length: _Natural = 0
    sha256: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")] = ""
    part: bool = False
    error: tuple[str, ...] = ()
    message: str = ""
    name: str = ""


class End(msgspec.Struct, frozen=True, tag="end", tag_field="kind", forbid_unknown_fields=True):
    """The last line of a process that ended in order: how many calls it made."""

    calls: _Natural
    nanos: int


Line = Begin | Store | CallLine | End
_DECODER: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)


@dataclass(slots=True)
class Recording:
    """One file as it is read. ``torn`` is the number of a last line that was cut off; ``ended``: it is whole."""

    file: Path
    begin: Begin
    stores: dict[int, Store] = field(default_factory=dict)
    torn: int = 0
    ended: bool = False

    def calls(self, lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, CallLine]]:
        """The calls, each with the number of its line. Raises GivenError."""
        counted = 0
        for number, text in lines:
            if not text.endswith(b"\n"):
                self.torn = number
                return
            line = _line(self.file, number, text)
            if self.ended or isinstance(line, Begin):
                raise GivenError(f"{self.file}: line {number}: nothing comes after the end: two files were joined")
            match line:
                case Store():
                    self.stores[line.store] = line
                case CallLine():
                    counted += 1
                    _check(self, number, line)
                    yield number, line
                case End():
                    if line.calls != counted:
                        raise GivenError(
                            f"{self.file}: line {number}: it ends after {line.calls} calls and has {counted}: "
                            "lines were taken out: copy the recording again"
                        )
                    self.ended = True


def _line(file: Path, number: int, text: bytes) -> Line:
    try:
        return _DECODER.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise GivenError(f"{file}: line {number}: no line of a recording: {str(error)[:300]}") from error


def _check(recording: Recording, number: int, line: CallLine) -> None:
    if line.store not in recording.stores:
        raise GivenError(f"{recording.file}: line {number}: no line before it names store {line.store}")
    if line.end < line.begin:
        raise GivenError(f"{recording.file}: line {number}: the call ends before it begins")


def read(file: Path) -> tuple[Recording, list[tuple[int, CallLine]]]:
    """A recording and its calls, in the order in which they ended. Raises GivenError for what is none."""
    with open_regular(file) as stream:
        lines = _lines(file, stream)
        number, first = next(lines, (1, b""))
        if not first.endswith(b"\n"):
            raise GivenError(f"{file}: has no whole line: no recording of `fsconform record`")
        begin = _line(file, number, first)
        if not isinstance(begin, Begin):
            raise GivenError(f"{file}: line 1: a recording begins with a line of kind begin")
        if begin.format != FORMAT:
            raise GivenError(f"{file}: has format {begin.format}, and this version of fsconform reads {FORMAT}")
        recording = Recording(file, begin)
        return recording, list(recording.calls(lines))


def _lines(file: Path, stream: Any) -> Iterator[tuple[int, bytes]]:
    number = 0
    while True:
        try:
            text = stream.readline(MOST_CHARACTERS + 1)
        except OSError as error:
            raise GivenError(f"{file}: can't be read: {error}") from error
        if not text:
            return
        number += 1
        if len(text) > MOST_CHARACTERS:
            raise GivenError(f"{file}: line {number}: has more than {MOST_CHARACTERS:,} bytes, which no call has")
        yield number, text


def schema_bytes() -> bytes:
    """The text of ``recording.schema.json``: what each line of a recording is."""
    schema = msgspec.json.schema(Line)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "A line of a recording of fsconform"
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"
