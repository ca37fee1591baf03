"""What leaves the process as text, without the secrets that are known: its two streams, and the files of commands."""

from __future__ import annotations

import contextlib
import io
import json
import os
import secrets
import select
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from fsconform.engine import secrecy
from fsconform.engine.secrecy import KNOWN


class ScrubbingBuffer(io.BufferedIOBase):
    """Bytes on their way out: whole lines, and what is flushed, go on without secrets."""

    def __init__(self, below: BinaryIO) -> None:
        self._below = below
        self._held = bytearray()

    def writable(self) -> bool:
        """True: it is there to be written to."""
        return True

    def write(self, data: Any) -> int:
        """Take bytes; the lines that are whole go on. Raises OSError."""
        data = bytes(data)
        self._held += data
        if (end := self._held.rfind(b"\n") + 1) > 0:
            self._pass_on(end)
        return len(data)

    def flush(self) -> None:
        """Let all go on that was written. Raises OSError."""
        if self._below.closed:  # as where a test took the stream back
            return
        if self._held:
            self._pass_on(len(self._held))
        self._below.flush()

    def _pass_on(self, end: int) -> None:
        told = KNOWN.data(bytes(self._held[:end]))
        del self._held[:end]
        self._below.write(told)

    def close(self) -> None:
        """Nothing: the stream below is not ours to close."""

    def isatty(self) -> bool:
        """Whether a terminal is below."""
        return self._below.isatty()

    def fileno(self) -> int:
        """The descriptor below. Raises OSError where there is none."""
        return self._below.fileno()


class Scrubbing(io.TextIOWrapper):
    """A text stream whose bytes go through a ScrubbingBuffer."""

    def __init__(self, below: TextIO) -> None:
        super().__init__(
            ScrubbingBuffer(below.buffer),  # type: ignore[arg-type]
            encoding=below.encoding,
            errors=below.errors or "strict",
            line_buffering=True,
            write_through=True,
        )
        self._mode, self._name = getattr(below, "mode", "w"), getattr(below, "name", "")

    @property
    def mode(self) -> str:
        """As the stream below has it."""
        return str(self._mode)

    @property
    def name(self) -> str:
        """As the stream below has it."""
        return str(self._name)


class ScrubbingText(io.TextIOBase):
    """A text stream over one that has no bytes."""

    def __init__(self, below: TextIO) -> None:
        self._below = below

    def writable(self) -> bool:
        """True: it is there to be written to."""
        return True

    def write(self, text: str) -> int:
        """Write a text without secrets. Raises OSError."""
        self._below.write(KNOWN.text(text))
        return len(text)

    def flush(self) -> None:
        """Flush what is below. Raises OSError."""
        self._below.flush()

    def isatty(self) -> bool:
        """Whether a terminal is below."""
        return self._below.isatty()


def scrubbing(stream: TextIO | None) -> TextIO | None:
    """The stream, scrubbed; the same one if it is that already, or if there is none."""
    if stream is None or isinstance(stream, Scrubbing | ScrubbingText):
        return stream
    found: Any = Scrubbing(stream) if hasattr(stream, "buffer") else ScrubbingText(stream)
    return found  # type: ignore[no-any-return]


@contextlib.contextmanager
def scrubbed(arguments: Sequence[str]) -> Iterator[None]:
    """Within it nothing that is printed holds a secret of the command line, of the environment or learned since.

    What was learned for an earlier command in the same process is forgotten.
    """
    KNOWN.forget()
    KNOWN.learn(secrecy.of_environment(os.environ) | secrecy.of_arguments(arguments))
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = scrubbing(before[0]), scrubbing(before[1])
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                if stream is not None:
                    stream.flush()
        sys.stdout, sys.stderr = before


PATIENCE = 30.0
"""Seconds for which a stream that does not block, and takes nothing now, is waited for."""

_lost: set[int] = set()
"""Descriptors that could not be written to."""


class _Patient(io.RawIOBase):
    """Writes to a descriptor for as long as that works, and to nowhere afterwards."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def fileno(self) -> int:
        """The descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: object) -> int:
        """Write all of it. Never raises for what is at the other end."""
        whole = memoryview(data).cast("B")  # type: ignore[arg-type]
        left = whole
        while left and self._descriptor not in _lost:
            try:
                left = left[os.write(self._descriptor, left) :]
            except BlockingIOError:  # another program left it so; whoever reads it may only be slow
                if not select.select((), (self._descriptor,), (), PATIENCE)[1]:
                    _lost.add(self._descriptor)
            except OSError:
                _lost.add(self._descriptor)
        return len(whole)


def mend() -> None:
    """Make the standard streams of this process such ones, if they are the process's own.

    What was closed by whoever began the process leads nowhere, and its number goes to no file that is opened later.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            _lost.update({descriptor} - {0})
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, closefd=False)
    if sys.stdout is sys.__stdout__:
        sys.stdout = _patient(1, sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _patient(2, sys.stderr)


def _patient(descriptor: int, before: TextIO | None) -> TextIO:
    if before is not None:
        try:
            before.flush()
        except OSError:
            _lost.add(descriptor)
    raw = _Patient(descriptor)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=getattr(before, "encoding", None) or "utf-8",
        errors="backslashreplace" if descriptor == 2 else getattr(before, "errors", None) or "backslashreplace",
        line_buffering=descriptor == 2 or raw.isatty(),
    )


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, without secrets. Raises OSError."""
    path.write_text(KNOWN.text(text), "utf-8")


def write_json(path: Path, document: Any, kept: tuple[str, ...] = ("program",), sort_keys: bool = False) -> None:
    """Write a document as JSON, its texts without secrets, but for fields named in ``kept``. Raises OSError."""
    told = KNOWN.records(document, kept)
    path.write_text(json.dumps(told, indent=1, sort_keys=sort_keys) + "\n", "utf-8")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there: the last writer's stays. Raises OSError, and leaves nothing.

    What is there and is no file, as a device or a pipe, is written to and stays, and so does a link.
    """
    place = _place_of_a_file(path)
    if place is None:
        path.write_bytes(data)
        return
    _replace(place, data)


def append(path: Path, data: bytes) -> None:
    """Write at the end of a file that others write too, without secrets. Raises OSError."""
    with path.open("ab") as file:
        file.write(KNOWN.data(data))


def _place_of_a_file(path: Path) -> Path | None:
    """Where a file is, or is to be, with links followed; None for what can only be written to. Raises OSError."""
    place = Path(os.path.realpath(path))
    try:
        found = path.stat()
    except FileNotFoundError:
        return place
    if not stat.S_ISREG(found.st_mode):
        return None
    # A link of the system to an open file, as /dev/stdout, is no name of that file: who has it open must get this too.
    return None if path.absolute().is_relative_to("/dev") or path.absolute().is_relative_to("/proc") else place


def _replace(path: Path, data: bytes) -> None:
    half = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        half.write_bytes(data)
        half.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            half.unlink()
        raise
