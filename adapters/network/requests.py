"""Where requests begin in what a client sends, and what they are called, by protocol: for relays that count them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Protocol

_LENGTH = struct.Struct(">I")
_LONGEST = 1 << 27
"""Bytes of the longest frame that Hadoop's servers take."""

_HELLO = b"hrpc"
_HELLO_BYTES = 7
"""Hadoop's RPC begins with these four bytes, a version, a class of service and a kind of authentication."""

_DATA_OPERATIONS = {80: "write-block", 81: "read-block", 85: "block-checksum", 86: "transfer-block"}
"""DataTransferProtocol, by the byte after its version: org.apache.hadoop.hdfs.protocol.datatransfer.Op."""

NOT_COUNTED = frozenset(("", "renewLease", "getServerDefaults", "getServiceStatus"))
"""Requests that a client makes in the background, or once: whether one is met would hang on time."""


class Splitter(Protocol):
    """Splits what the client of one connection sends."""

    def split(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """What there is to send on, each with the name of the request that begins with it, empty if none does."""
        ...


class HadoopCalls:
    """Hadoop's RPC: each frame is a call, named by its method."""

    def __init__(self) -> None:
        self._held, self._greeted, self._lost = b"", False, False

    def split(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """Whole frames."""
        if self._lost:
            yield "", data
            return
        self._held += data
        if not self._greeted:
            if len(self._held) < _HELLO_BYTES:
                return
            yield "", self._held[:_HELLO_BYTES]
            self._held, self._greeted = self._held[_HELLO_BYTES:], True
        while len(self._held) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._held)
            end = _LENGTH.size + length
            if length > _LONGEST:  # nothing that we know: it goes on as it is
                yield "", self._held
                self._held, self._lost = b"", True
            elif len(self._held) < end:
                return
            else:
                frame, self._held = self._held[:end], self._held[end:]
                yield method_of(frame[_LENGTH.size :]), frame


def method_of(payload: bytes) -> str:
    """The method that a call of Hadoop's RPC names; empty for what is no call, as a ping or a handshake."""
    try:
        header, rest = _delimited(payload)
        if any(number == _CALL_ID and value & 1 for number, value, _ in _fields(header)):  # zigzag: odd is below zero
            return ""
        request, _ = _delimited(rest)
        return next(text.decode("ascii") for number, _, text in _fields(request) if number == _METHOD)
    except (IndexError, UnicodeDecodeError, StopIteration):
        return ""


_CALL_ID, _METHOD = 3, 1
"""Fields of RpcRequestHeaderProto and RequestHeaderProto."""


def _delimited(data: bytes) -> tuple[bytes, bytes]:
    """A message that its length is written before, and what comes after it. Raises IndexError."""
    length, place = _number(data, 0)
    return data[place : place + length], data[place + length :]


def _fields(message: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The fields of a protobuf message: number, number in it, bytes in it. Raises IndexError."""
    place = 0
    while place < len(message):
        key, place = _number(message, place)
        kind = key & 7
        if kind == 0:
            value, place = _number(message, place)
            yield key >> 3, value, b""
        elif kind == 2:
            length, place = _number(message, place)
            yield key >> 3, 0, message[place : place + length]
            place += length
        else:
            place += 8 if kind == 1 else 4


def _number(data: bytes, place: int) -> tuple[int, int]:
    """A varint, and the place after it. Raises IndexError."""
    found = shift = 0
    while True:
        byte = data[place]
        found |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return found, place


class BlockTransfers:
    """HDFS's DataTransferProtocol: a connection is one request, as long as the client keeps none for later."""

    def __init__(self) -> None:
        self._held, self._begun = b"", False

    def split(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """The first bytes with the operation, then all as it comes."""
        if self._begun:
            yield "", data
            return
        self._held += data
        if len(self._held) > 2:
            self._begun = True
            yield _DATA_OPERATIONS.get(self._held[2], "transfer"), self._held


class Commands:
    """FTP's control connection: a line is a request, named by its verb."""

    def __init__(self) -> None:
        self._held = b""

    def split(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """Whole lines."""
        self._held += data
        while (end := self._held.find(b"\n")) >= 0:
            line, self._held = self._held[: end + 1], self._held[end + 1 :]
            yield line.split(b" ")[0].strip().decode("ascii", "replace").upper(), line


class Bytes:
    """Any protocol, of which nothing is known: what comes in one piece counts as a request."""

    def split(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """The piece."""
        yield "data", data


Splitting = Callable[[], Splitter]
