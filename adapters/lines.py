"""The lines between a process and a worker of its: JSON, one request or answer a line, over a private socket pair."""

from __future__ import annotations

import json
import socket
from typing import Any

LIMIT = 8 << 20
"""A line is at most so many bytes: what goes over it is small."""

Row = dict[str, Any]


class Closed(Exception):
    """The other side is gone."""


class Line:
    """One end of the pair."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._reader = end.makefile("rb")

    def send(self, row: Row) -> None:
        """Send a row. Raises Closed."""
        try:
            self._end.sendall(json.dumps(row).encode() + b"\n")
        except OSError as error:
            raise Closed(str(error)) from error

    def receive(self, seconds: float | None = None) -> Row:
        """The next row; TimeoutError after so many seconds. Raises Closed."""
        self._end.settimeout(seconds)
        try:
            text = self._reader.readline(LIMIT)
        except TimeoutError:
            raise
        except OSError as error:
            raise Closed(str(error)) from error
        if not text.endswith(b"\n"):
            raise Closed("the line was closed")
        row = json.loads(text)
        if not isinstance(row, dict):
            raise Closed("no row came")
        return row

    def close(self) -> None:
        """Close this end."""
        self._reader.close()
        self._end.close()
