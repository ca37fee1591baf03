"""Ports that servers are told: free ones, outside the range that the system gives to clients."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from fsconform.adapters.services import ports

HOST = "127.0.0.1"


def test_a_port_is_no_clients(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = tmp_path / "range"
    monkeypatch.setattr(ports, "_RANGE", kept)
    kept.write_text("32768\t60999\n", "ascii")
    assert all(ports.LOWEST <= ports.free_port(HOST) < 32768 for _ in range(50))
    for left in ("20500 60999", "1024 65535", "", "odd"):
        kept.write_text(left, "ascii")
        assert 1024 <= ports.free_port(HOST) <= 65535


def test_a_port_that_is_taken_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as server:
        server.bind((HOST, 0))
        server.listen()
        taken = server.getsockname()[1]
        assert not ports.is_free(HOST, taken)
        picks = [taken + 1, taken]
        monkeypatch.setattr("random.randrange", lambda low, high: picks.pop())
        monkeypatch.setattr(ports, "is_free", lambda host, port: port != taken)
        assert ports.free_port(HOST) == taken + 1


def test_a_port_that_a_client_has_left_is_free_to_none() -> None:
    """What makes ports of that range a gamble: the address of a client that closed first is kept for a minute."""
    with socket.socket() as server, socket.socket() as client:
        server.bind((HOST, 0))
        server.listen()
        client.connect(server.getsockname())
        left = client.getsockname()[1]
        accepted, _ = server.accept()
        client.close()
        accepted.close()
    assert not ports.is_free(HOST, left)
