"""Requests are found in what clients send, however it is cut into pieces."""

from __future__ import annotations

import struct

import pytest

from fsconform.adapters.network.requests import BlockTransfers, Bytes, Commands, HadoopCalls, Splitter, method_of

HELLO = b"hrpc\x09\x00\x00"


def delimited(message: bytes) -> bytes:
    return bytes((len(message),)) + message


def call(method: str, number: int = 4) -> bytes:
    """A call of Hadoop's RPC: kind, operation and number of the call; then the method, and what it is given."""
    header = b"\x08\x02\x10\x00\x18" + bytes((number,)) + b"\x22\x02ab\x28\x00"
    payload = delimited(header) + delimited(b"\x0a" + delimited(method.encode()) + b"\x18\x01") + delimited(b"\x0a\x00")
    return struct.pack(">I", len(payload)) + payload


PING = 7
"""-4 in zigzag."""


def pieces(splitter: Splitter, data: bytes, size: int) -> list[tuple[str, bytes]]:
    return [one for start in range(0, len(data), size) for one in splitter.split(data[start : start + size])]


@pytest.mark.parametrize("size", [1, 2, 7, 40, 10_000])
def test_calls_of_hadoop_are_named_by_their_methods(size: int) -> None:
    data = HELLO + call("rename") + call("", PING) + call("addBlock") + call("complete")
    found = pieces(HadoopCalls(), data, size)
    assert b"".join(piece for _, piece in found) == data
    assert [name for name, _ in found if name] == ["rename", "addBlock", "complete"]


@pytest.mark.parametrize("payload", [b"", b"\x05", b"\xff\xff\xff", b"\x02\x18\x04\x03\x0a\x05a", b"\x00\x00"])
def test_what_is_no_call_has_no_name(payload: bytes) -> None:
    assert method_of(payload) in ("", "a")


def test_a_frame_that_is_too_long_goes_on_as_it_is() -> None:
    data = HELLO + b"\xff\xff\xff\xffrest"
    assert b"".join(piece for _, piece in pieces(HadoopCalls(), data, 3)) == data


@pytest.mark.parametrize(("code", "name"), [(80, "write-block"), (81, "read-block"), (99, "transfer")])
def test_a_transfer_of_a_block_is_one_request(code: int, name: str) -> None:
    data = bytes((0, 28, code)) + b"much more"
    for size in (1, 2, 100):
        found = pieces(BlockTransfers(), data, size)
        assert b"".join(piece for _, piece in found) == data
        assert [one for one, _ in found if one] == [name]


def test_lines_are_commands() -> None:
    found = pieces(Commands(), b"USER me\r\nretr /a b\r\nQUIT", 3)
    assert found == [("USER", b"USER me\r\n"), ("RETR", b"retr /a b\r\n")]


def test_of_bytes_each_piece_is_a_request() -> None:
    assert pieces(Bytes(), b"abcd", 2) == [("data", b"ab"), ("data", b"cd")]
