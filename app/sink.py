"""The one way out of the process for text: standard output and standard error without the secrets that are known.

While a command runs the two streams are replaced by ones that take secrets out of each line, so that nothing prints
past them, be it click's errors, a traceback, a warning or a library. Files are written by ``app.whole``.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
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
