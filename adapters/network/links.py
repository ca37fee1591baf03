"""The network between one client and a store: links that fail on demand, one before each server of the harness's own.

A relay that counts requests stands before Toxiproxy, and that before the server; where the server speaks HTTP it is
Toxiproxy and then mitmproxy, which knows requests itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from fsconform.adapters.network.counting import RESETS, CountingRelay
from fsconform.adapters.network.mitmproxy import HTTP_FAULTS, MitmproxyService
from fsconform.adapters.network.requests import Splitting
from fsconform.adapters.network.toxiproxy import TOXICS, ToxiproxyService
from fsconform.engine.injection import Wire


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that a link goes to. ``splitting`` knows what its clients send; without it the server speaks HTTP.

    ``listen`` is the address at which the client looks for the server, where it can't be told another.
    """

    name: str
    host: str
    port: int
    splitting: Splitting | None = None
    listen: tuple[str, int] = ("127.0.0.1", 0)


@dataclass(frozen=True, slots=True)
class Route:
    """How a client goes by the links: the URI that it is given, if another, and its settings."""

    uri: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


class Link(Protocol):
    """One link."""

    @property
    def address(self) -> tuple[str, int]:
        """Where the client finds the server."""
        ...

    def injects(self, fault: Wire) -> bool:
        """Whether it can fail so."""
        ...

    def arm(self, fault: Wire) -> None:
        """Let it fail from now on. Raises ServiceError."""
        ...

    def disarm(self) -> bool:
        """Let it be well again; whether the fault happened. Raises ServiceError."""
        ...

    def close(self) -> None:
        """Stop what was started for it."""
        ...


class CountedLink:
    """A link of a protocol of which requests can be counted."""

    def __init__(self, endpoint: Endpoint, toxiproxy: ToxiproxyService) -> None:
        """Raises ServiceError and OSError."""
        assert endpoint.splitting is not None
        self._name, self._toxiproxy = endpoint.name, toxiproxy
        port = toxiproxy.proxy(endpoint.name, endpoint.host, endpoint.port)
        self._relay = CountingRelay(("127.0.0.1", port), endpoint.splitting, endpoint.listen)

    @property
    def address(self) -> tuple[str, int]:
        """Where the relay listens."""
        return self._relay.address

    def injects(self, fault: Wire) -> bool:
        """What the relay is by itself, and what Toxiproxy does."""
        return fault.fault in RESETS or fault.fault in TOXICS

    def arm(self, fault: Wire) -> None:
        """Let it happen at the request that is counted."""

        def act() -> None:
            if fault.fault in TOXICS:
                self._toxiproxy.poison(self._name, fault.fault, fault.amount)

        self._relay.arm(fault, act)

    def disarm(self) -> bool:
        """Let it be well again."""
        return self._relay.disarm()

    def close(self) -> None:
        """Relay no more."""
        self._relay.close()


class HttpLink:
    """A link to a server that speaks HTTP."""

    def __init__(
        self, endpoint: Endpoint, toxiproxy: ToxiproxyService, work: Path, progress: Callable[[str], None]
    ) -> None:
        """Raises ServiceError."""
        self._name, self._toxiproxy = endpoint.name, toxiproxy
        self._mitmproxy = MitmproxyService(work, endpoint.host, endpoint.port, progress)
        self._mitmproxy.start()
        self._port = toxiproxy.proxy(endpoint.name, "127.0.0.1", self._mitmproxy.port)
        self._poisoned = False

    @property
    def address(self) -> tuple[str, int]:
        """Where Toxiproxy listens."""
        return "127.0.0.1", self._port

    def injects(self, fault: Wire) -> bool:
        """What mitmproxy does of one request; what Toxiproxy does begins with the first, whatever it is."""
        return fault.fault in HTTP_FAULTS or (fault.fault in TOXICS and fault.count == 1 and not fault.request)

    def arm(self, fault: Wire) -> None:
        """Let it happen."""
        if fault.fault in TOXICS:
            self._toxiproxy.poison(self._name, fault.fault, fault.amount)
            self._poisoned = True
        else:
            self._mitmproxy.arm(fault)

    def disarm(self) -> bool:
        """Let it be well again."""
        poisoned, self._poisoned = self._poisoned, False
        return self._mitmproxy.disarm() or poisoned

    def close(self) -> None:
        """Stop mitmproxy."""
        self._mitmproxy.stop()


class Links:
    """Links to some servers, by their names, with one Toxiproxy. They are up while this is open."""

    def __init__(self, work: Path, endpoints: Sequence[Endpoint], progress: Callable[[str], None]) -> None:
        """Bring them up; ``work`` is a folder that this makes and removes. Raises ServiceError and OSError."""
        self._toxiproxy = ToxiproxyService(work / "toxiproxy", progress)
        self._links: dict[str, Link] = {}
        self._armed: Link | None = None
        self._toxiproxy.start()
        try:
            for one in endpoints:
                self._links[one.name] = (
                    HttpLink(one, self._toxiproxy, work / one.name, progress)
                    if one.splitting is None
                    else CountedLink(one, self._toxiproxy)
                )
        except BaseException:
            self.close()
            raise

    def address(self, name: str) -> tuple[str, int]:
        """Where a client finds a server that it is to reach by its link."""
        return self._links[name].address

    def injects(self, fault: Wire) -> bool:
        """Whether there is such a link, and it can fail so."""
        link = self._links.get(fault.part)
        return link is not None and link.injects(fault)

    def arm(self, fault: Wire) -> None:
        """Let a link fail from now on. Raises ServiceError."""
        self._armed = self._links[fault.part]
        self._armed.arm(fault)

    def disarm(self) -> bool:
        """Let all links be well again; whether the fault happened. Raises ServiceError."""
        armed, self._armed = self._armed, None
        met = armed is not None and armed.disarm()
        self._toxiproxy.cure()
        return met

    def logs(self) -> list[Path]:
        """The logs there are."""
        return self._toxiproxy.logs()

    def close(self) -> None:
        """Take all down. May be called twice."""
        try:
            for link in self._links.values():
                link.close()
        finally:
            self._links.clear()
            self._toxiproxy.stop()


@dataclass(frozen=True, slots=True)
class Network:
    """What can be put between a client and a store: where its servers are now, and how a client goes by the links."""

    names: tuple[str, ...]
    endpoints: Callable[[], Sequence[Endpoint]]
    route: Callable[[Callable[[str], tuple[str, int]]], Route]

    def open(self, work: Path, progress: Callable[[str], None]) -> tuple[Links, Route]:
        """Bring the links up. Raises ServiceError and OSError."""
        links = Links(work, self.endpoints(), progress)
        try:
            return links, self.route(links.address)
        except BaseException:
            links.close()
            raise
