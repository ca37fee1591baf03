"""Ports that daemons are given: none that the system gives connections, none that somebody listens on."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from fsconform.adapters.services import ports

HOST = "127.0.0.1"


def handed_out(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> None:
    file = folder / "range"
    file.write_text(text, "ascii")
    monkeypatch.setattr(ports, "HANDED_OUT", file)


def test_a_port_is_below_those_of_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed_out(monkeypatch, tmp_path, "21000\t60999\n")
    picked = {ports.free_port(HOST) for _ in range(20)}
    assert all(ports.FIRST <= port < 21_000 for port in picked) and len(picked) > 1


@pytest.mark.parametrize("text", ["", "many few\n"])
def test_a_system_that_does_not_tell_is_taken_for_an_ordinary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    handed_out(monkeypatch, tmp_path, text)
    assert ports.FIRST <= ports.free_port(HOST) < 32_768
    monkeypatch.setattr(ports, "HANDED_OUT", tmp_path / "missing")
    assert ports.FIRST <= ports.free_port(HOST) < 32_768


def test_where_connections_have_all_ports_the_system_picks_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed_out(monkeypatch, tmp_path, "1024 65000\n")
    port = ports.free_port(HOST)
    assert port > 0 and ports.is_free(HOST, port)


def test_a_port_that_is_listened_on_is_not_picked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        port = ports.free_port(HOST)
        taken.bind((HOST, port))
        taken.listen()
        assert not ports.is_free(HOST, port)
        monkeypatch.setattr(ports, "FIRST", port)
        handed_out(monkeypatch, tmp_path, f"{port + 1} 60999\n")
        assert ports.free_port(HOST) != port
    assert ports.is_free(HOST, port)


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
