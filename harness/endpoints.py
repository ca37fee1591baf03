"""The network of a store that a user names: where its endpoint is a property, links can be put before that."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from fsconform.adapters.hadoop.store import HadoopStore
from fsconform.adapters.network.links import Endpoint, Network, Route
from fsconform.adapters.network.requests import Bytes
from fsconform.adapters.stores.site import Connection, Setup
from fsconform.engine.injection import Wire
from fsconform.harness.hadoop_configuration import ConfigurationError, read
from fsconform.harness.problems import Problem
from fsconform.harness.sites import Linked, hadoop_store, linked
from fsconform.suites.wires import ENDPOINT, SOCKET

OPTION = "--endpoint-conf"


@dataclass(frozen=True, slots=True)
class Named:
    """An endpoint that a property names: the property, how its value is written, and where that leads."""

    name: str
    scheme: str
    host: str
    port: int
    path: str = ""

    @property
    def link(self) -> str:
        """What the link to it is called: of one that speaks HTTP more can fail."""
        return ENDPOINT if self.scheme else SOCKET

    def network(self) -> Network:
        """The links before it."""
        splitting = None if self.scheme else Bytes
        endpoint = Endpoint(self.link, self.host, self.port, splitting)

        def route(address: Callable[[str], tuple[str, int]]) -> Route:
            host, port = address(self.link)
            before = f"{self.scheme}://" if self.scheme else ""
            return Route(settings={self.name: f"{before}{host}:{port}{self.path}"})

        return Network((self.link,), lambda: (endpoint,), route)


def named(name: str, configuration: Mapping[str, str], files: Iterable[Path]) -> Named:
    """The endpoint that a property of the user's configuration names. Raises Problem."""
    try:
        found = dict(read(files).resolved(configuration, os.environ))
    except ConfigurationError as error:
        raise Problem(str(error)) from error
    if name not in found:
        raise Problem(f"{OPTION} {name}: neither --conf nor --conf-file has this property: give its value by --conf")
    try:
        value = found[name].strip()
        url = urlsplit(value if "://" in value else f"//{value}")
        return _of(name, url, url.port)
    except ValueError as error:  # what a URL has may be a secret: it is not repeated
        raise Problem(f"{OPTION} {name}: its value is no URL and no HOST:PORT") from error


def _of(name: str, url: SplitResult, port: int | None) -> Named:
    """Raises Problem, and ValueError."""
    if url.scheme == "https":
        raise Problem(
            f"{OPTION} {name}: nothing can be put before an endpoint with TLS, as the client would refuse the "
            "certificate: name one by http, of a server of your own"
        )
    if url.scheme not in ("", "http") or not url.hostname or url.username is not None or url.query:
        raise ValueError("no endpoint")
    if not url.scheme and port is None:
        raise ValueError("no port")
    return Named(name, url.scheme, url.hostname, port or 80, url.path)


class Reachable(HadoopStore):
    """A store that a user names, before whose endpoint links can be put."""

    connection: Connection
    setup: Setup
    endpoint: Named

    def fails_on(self, fault: Wire) -> bool:
        """Whether the link is that to its endpoint."""
        return fault.part == self.endpoint.link

    def network(self) -> AbstractContextManager[Linked]:
        """Bring the links up, with a client that goes by them. Raises StoreLost."""
        return linked(self.connection, self.endpoint.network(), self.setup)


def reachable(connection: Connection, setup: Setup, endpoint: Named) -> HadoopStore:
    """The store of a connection, before whose endpoint links can be put. Raises JarError, ValueError or OSError."""
    store = hadoop_store(connection, setup, Reachable)
    assert isinstance(store, Reachable)
    store.connection, store.setup, store.endpoint = connection, setup, endpoint
    return store
