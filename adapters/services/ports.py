"""Ports for daemons, of those that the system gives no connection of its own accord.

A port that the system picks by itself can become the near end of a connection before the daemon that it was picked for
listens there: on a machine where many connections come and go that happens each time.
"""

from __future__ import annotations

import ipaddress
import random
import socket
from pathlib import Path

HANDED_OUT = Path("/proc/sys/net/ipv4/ip_local_port_range")
"""Where Linux tells the first and the last port that it gives connections."""

FIRST = 20_000
_BEYOND = 32_768
"""The first port that Linux gives connections unless it is told otherwise; other systems begin higher."""
_TRIES = 50


def loopback(host: str) -> str:
    """The host, if it is an IPv4 address of this machine alone. Raises ValueError for another."""
    if not ipaddress.IPv4Address(host).is_loopback:
        raise ValueError(f"host must be an IPv4 loopback address, not {host!r}")
    return host


def free_port(host: str) -> int:
    """A TCP port of an address of this machine that nobody listens on at this moment.

    Below those that connections are given, where there is one. Raises OSError if the address has no free port at all.
    """
    beyond = _first_handed_out()
    dice = random.SystemRandom()
    for _ in range(_TRIES if beyond > FIRST else 0):
        port = dice.randrange(FIRST, beyond)
        if is_free(host, port):
            return port
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def is_free(host: str, port: int) -> bool:
    """Whether the port can be bound, by the rules a server has: connections that are closing do not count."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _first_handed_out() -> int:
    try:
        return int(HANDED_OUT.read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return _BEYOND
