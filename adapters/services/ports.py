"""Ports for servers that are told theirs: from below those that the system gives to connections of clients.

A port of that range may go to any client between the choice and the start of a server, which takes seconds; and once
such a connection has ended, no server may listen there for a minute.
"""

from __future__ import annotations

import random
import socket
from pathlib import Path

LOWEST = 20_000
"""Below are ports that well-known servers have."""

_TRIED = 200
_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LEAST_OWN = 1_000


def free_port(host: str) -> int:
    """A port nobody listens on at this moment; one of the clients' range where the system leaves no others."""
    below = _clients_lowest()
    if below - LOWEST >= _LEAST_OWN:
        for _ in range(_TRIED):
            port = random.randrange(LOWEST, below)
            if is_free(host, port):
                return port
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def is_free(host: str, port: int) -> bool:
    """Whether the port can be bound, by the rules a server has: its own connections that are closing do not count."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _clients_lowest() -> int:
    try:
        return int(_RANGE.read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
