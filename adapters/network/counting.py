"""A relay on loopback that counts a client's requests, and acts at one of them: Toxiproxy knows bytes and no requests.

It resets the client's connection before the request is passed on, or in place of its reply; for all else it tells
another, before the request is passed on.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from fsconform.adapters.network.requests import NOT_COUNTED, Splitting
from fsconform.engine.injection import Wire

CONNECT_SECONDS = 10.0
_CHUNK = 1 << 16
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER for an end by RST rather than FIN."""

RESETS = frozenset(("reset", "lose-reply"))
"""The faults of a link that a relay is by itself."""


@dataclass(slots=True)
class Armed:
    """What is waited for: the ``left``-th request of a name from now on, and so many in all; what happens then.

    ``met`` says whether it was met.
    """

    fault: str
    request: str
    left: int
    times: int
    act: Callable[[], None]
    met: bool = False


class CountingRelay:
    """A relay to a server, that runs while it is open. ``splitting`` knows the protocol."""

    def __init__(
        self, upstream: tuple[str, int], splitting: Splitting, listen: tuple[str, int] = ("127.0.0.1", 0)
    ) -> None:
        """Listen, and relay from now on. Raises OSError."""
        self._upstream, self._splitting = upstream, splitting
        self._lock = threading.Lock()
        self._armed: Armed | None = None
        self._open: set[_Relayed] = set()
        self._closed = False
        self._listener = socket.create_server(listen)
        self._thread = threading.Thread(target=self._serve, daemon=True, name="relay")
        self._thread.start()

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        host, port = self._listener.getsockname()[:2]
        return str(host), int(port)

    def arm(self, fault: Wire, act: Callable[[], None]) -> None:
        """Let a fault happen to the requests that it names, from now on; ``act`` where it is no reset."""
        with self._lock:
            self._armed = Armed(fault.fault, fault.request, fault.count, fault.times, act)

    def disarm(self) -> bool:
        """Let nothing more happen; whether the request was met."""
        with self._lock:
            armed, self._armed = self._armed, None
        return armed is not None and armed.met

    def hang_up(self) -> None:
        """Close what connections there are: what stood still begins anew."""
        with self._lock:
            relayed = list(self._open)
        for one in relayed:
            one.close()

    def close(self) -> None:
        """Relay no more."""
        self._closed = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.hang_up()
        self._thread.join(5)

    def due(self, name: str) -> str:
        """The fault that is to happen to a request of this name; empty for none. Others act before this returns."""
        with self._lock:
            armed = self._armed
            if armed is None or not armed.times or name in NOT_COUNTED or armed.request not in ("", name):
                return ""
            armed.left -= 1
            if armed.left > 0:
                return ""
            first, armed.met = not armed.met, True
            armed.times -= 1
        if first:
            armed.act()
        return armed.fault if armed.fault in RESETS else ""

    def forget(self, relayed: _Relayed) -> None:
        """A connection is no more."""
        with self._lock:
            self._open.discard(relayed)

    def _serve(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._relay, args=(client,), daemon=True, name="relayed").start()

    def _relay(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(self._upstream, CONNECT_SECONDS)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        for one in (client, server):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        relayed = _Relayed(client, server, self)
        with self._lock:
            self._open.add(relayed)
        relayed.run(self._splitting)


class _Relayed:
    """One connection of a client, and the one to the server that stands for it."""

    def __init__(self, client: socket.socket, server: socket.socket, relay: CountingRelay) -> None:
        self._client, self._server, self._relay = client, server, relay
        self._loses = False

    def run(self, splitting: Splitting) -> None:
        """Relay in both directions until one end closes."""
        back = threading.Thread(target=self._replies, daemon=True, name="replies")
        back.start()
        try:
            splitter = splitting()
            while data := self._client.recv(_CHUNK):
                for name, piece in splitter.split(data):
                    fault = self._relay.due(name)
                    if fault == "reset":
                        self.reset()
                        return
                    self._loses = self._loses or fault == "lose-reply"
                    self._server.sendall(piece)
            self._server.shutdown(socket.SHUT_WR)
            back.join()
        except OSError:
            pass
        finally:
            self.close()
            self._relay.forget(self)

    def _replies(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(_CHUNK):
                if self._loses:
                    self.reset()
                    return
                self._client.sendall(data)
            self._client.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """End the client's connection by RST."""
        with suppress(OSError):
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.close()

    def close(self) -> None:
        """End both connections. May be called twice."""
        for one in (self._client, self._server):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RD)
            one.close()
