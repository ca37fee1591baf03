"""Stores that were brought up, connected to, and taken down with what they stand on."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from fsconform.adapters import temporary
from fsconform.adapters.jars import JarError, bundled_profile, resolve
from fsconform.adapters.java import NoJava
from fsconform.adapters.network.links import Links
from fsconform.adapters.network.links import Network as Linking
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.spark.helper import HelperError
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.volumes.durability import Discipline, Loss
from fsconform.adapters.volumes.medium import Media, can_fail
from fsconform.adapters.volumes.volume import Volume, VolumeLost
from fsconform.engine.injection import (
    Away,
    Crash,
    HasMedium,
    HasNetwork,
    Injectable,
    InjectedFault,
    Medium,
    Network,
    OnVolumes,
    PowerLoss,
    Wire,
)
from fsconform.engine.protocol import NO_SETTINGS, HasRoot, Session, Store, StoreLost
from fsconform.engine.secrecy import KNOWN, of_properties

if TYPE_CHECKING:
    from fsconform.adapters.hadoop.store import HadoopStore

RECOVERABLE = (JarError, NoJava, ServiceError, HelperError, StoreLost, OSError)
"""What keeps one store from being judged and leaves the others alone."""


class Backed:
    """A store with something behind it: all that the store itself tells and does."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        return self._store.name

    @property
    def uri(self) -> str:
        """Where the store is."""
        return self._store.uri

    @property
    def versions(self) -> dict[str, str]:
        """Versions of what stands behind the store."""
        return self._store.versions

    def session(self) -> Session:
        """Open a new session. Raises StoreLost or SandboxRefused."""
        return self._store.session()

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class Owned(Backed):
    """A store with the site it stands on, which is taken down at its end.

    ``again`` brings the same store up once more, on volumes. ``setup`` is what it was built with; without it no links
    are put before it.
    """

    def __init__(
        self, store: Store, site: Site, again: Callable[[], Store] | None = None, setup: Setup | None = None
    ) -> None:
        super().__init__(store)
        self._site, self._again, self._setup = site, again, setup
        self._media = Media()

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the client and of the service."""
        return super().versions | self._site.connection.versions

    @property
    def configuration(self) -> dict[str, str]:
        """The properties of its client. There may be secrets among them."""
        return dict(self._site.connection.configuration)

    @property
    def configuration_files(self) -> tuple[str, ...]:
        """Paths of Hadoop's XML files with further properties of its client."""
        return tuple(map(str, self._site.connection.configuration_files))

    def on_root(self, configuration: Mapping[str, str] = NO_SETTINGS) -> Store:
        """The store in its real root, which the site of a service that was started here has for itself.

        Raises StoreLost where the root is not the harness's own.
        """
        if self._site.is_own and isinstance(self._store, HasRoot):
            return self._store.on_root(self._site.connection.root_configuration | dict(configuration))
        raise StoreLost(f"the real root of {self.name!r} is not the harness's own")

    def on_volumes(self) -> Store | None:
        """The same store once more, with all that it keeps on volumes; None where it has no such.

        Raises JarError, NoJava, ServiceError, CannotMount, StoreLost or OSError.
        """
        return self._again() if self._again is not None else None

    def settle(self, fault: PowerLoss) -> None:
        """Make all durable that was done so far, before the lanes begin. Raises StoreLost."""
        if isinstance(self._store, OnVolumes):
            self._store.settle(fault)
        machines = self._site.powered
        if machines is None:
            return
        try:
            machines.settle(Discipline(fault.discipline))
        except VolumeLost as error:
            raise StoreLost(str(error)) from error

    def injects(self, fault: InjectedFault) -> bool:
        """Whether a fault can be injected into what stands behind the store and is the harness's own."""
        if isinstance(self._store, Injectable):
            return self._store.injects(fault)
        if isinstance(fault, PowerLoss):
            return self._site.powered is not None and fault.part in self._site.powered.powered
        if isinstance(fault, Medium):
            powered = self._site.powered
            return powered is not None and fault.part in powered.powered and can_fail(fault.part, fault)
        service = self._site.crashable
        return service is not None and isinstance(fault, Crash) and fault.part in service.parts

    def inject(self, fault: InjectedFault) -> Away:
        """Inject it, and wait until the store serves again. Raises StoreLost if it does not."""
        if isinstance(self._store, Injectable):
            return self._store.inject(fault)
        if isinstance(fault, PowerLoss):
            return self._lose_power(fault)
        service = self._site.crashable
        assert service is not None, "it was asked whether it can be injected"
        began = time.monotonic_ns()
        try:
            service.crash(fault.part)
            gone = time.monotonic_ns()
            service.restart(fault.part)
        except ServiceError as error:
            raise StoreLost(f"{fault.part} was killed, and did not come back: {error}") from error
        return Away(began, time.monotonic_ns(), gone)

    def spoil(self, fault: Medium) -> None:
        """Let the medium of a machine fail. Raises StoreLost."""
        if isinstance(self._store, HasMedium):
            self._store.spoil(fault)
            return
        machines = self._site.powered
        assert machines is not None, "it was asked whether it can be injected"
        try:
            self._media.spoil(machines.volumes(fault.part), fault)
            if fault.fault == "full" and not fault.delay:
                machines.notice(fault.part)
        except (VolumeLost, OSError) as error:
            raise StoreLost(f"{fault.title}: {error}") from error

    def mend(self, fault: Medium) -> None:
        """Let it be well again, and wait until the store serves. Raises StoreLost."""
        if isinstance(self._store, HasMedium):
            self._store.mend(fault)
            return
        machines = self._site.powered
        assert machines is not None, "it was asked whether it can be injected"
        try:
            self._media.mend()
            machines.recover()
        except (ServiceError, VolumeLost) as error:
            raise StoreLost(f"{fault.title}, and it did not come back: {error}") from error

    def _lose_power(self, fault: PowerLoss) -> Away:
        machines = self._site.powered
        assert machines is not None, "it was asked whether it can be injected"
        began = gone = time.monotonic_ns()

        def lose(volume: Volume) -> Loss:
            nonlocal gone
            gone = time.monotonic_ns()
            return _lose(fault, volume)

        try:
            machines.lose_power(fault.part, lose)
        except (ServiceError, VolumeLost) as error:
            raise StoreLost(f"{fault.part} lost its power, and did not come back: {error}") from error
        return Away(began, time.monotonic_ns(), gone)

    def fails_on(self, fault: Wire) -> bool:
        """Whether the site has such a link."""
        if isinstance(self._store, HasNetwork):
            return self._store.fails_on(fault)
        network = self._site.network
        return self._setup is not None and network is not None and fault.part in network.names

    @contextlib.contextmanager
    def network(self) -> Iterator[Network]:
        """Bring the site's links up, with a client that goes by them. Raises StoreLost."""
        if isinstance(self._store, HasNetwork):
            with self._store.network() as network:
                yield network
            return
        assert self._site.network is not None and self._setup is not None, "it was asked whether there is such a link"
        with linked(self._site.connection, self._site.network, self._setup) as links:
            yield links

    def logs(self) -> Iterable[str]:
        """Paths of the logs of the workers and of the service."""
        return [*self._store.logs(), *self._site.logs()]

    def close(self) -> None:
        """Close the store and take its site down. May be called twice."""
        try:
            super().close()
        finally:
            self._site.close()


def _lose(fault: PowerLoss, volume: Volume) -> Loss:
    """What a volume loses by a fault."""
    match fault.survives:
        case "nothing":
            return volume.drop_all()
        case "a part":
            return volume.drop_some(fault.seed)
        case _:
            return volume.tear(fault.seed)


def owned(site: Site, setup: Setup, again: Callable[[], Store] | None = None) -> Owned:
    """The store that stands on a site; the site is taken down if there is no connecting to it.

    ``again`` brings it up once more, on volumes.
    """
    try:
        return Owned(connect(site.connection, setup), site, again, setup)
    except BaseException:
        site.close()
        raise


LINKED_SECONDS = 90.0
"""What a call of a client behind links may take: much more than its own time-outs and attempts come to."""


class Linked:
    """A client of a store that reaches it by links which fail on demand."""

    def __init__(self, session: Session, links: Links) -> None:
        self._session, self._links = session, links

    def session(self) -> Session:
        """The client's session."""
        return self._session

    def injects(self, fault: Wire) -> bool:
        """Whether there is such a link, and it can fail so."""
        return self._links.injects(fault)

    def arm(self, fault: Wire) -> None:
        """Let a link fail. Raises StoreLost."""
        try:
            self._links.arm(fault)
        except ServiceError as error:
            raise StoreLost(str(error)) from error

    def disarm(self) -> bool:
        """Let all links be well again; whether the fault happened. Raises StoreLost."""
        try:
            return self._links.disarm()
        except ServiceError as error:
            raise StoreLost(str(error)) from error


@contextlib.contextmanager
def linked(connection: Connection, network: Linking, setup: Setup) -> Iterator[Linked]:
    """A client of a store behind links that are brought up for it. Raises StoreLost."""
    work = temporary.folder("links")
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, work, ignore_errors=True)
        try:
            links, route = network.open(work, setup.say)
            stack.callback(links.close)
            behind = replace(
                connection,
                uri=route.uri or connection.uri,
                configuration=connection.configuration | dict(route.settings),
            )
            timed = replace(setup, operation_timeout=max(setup.operation_timeout, LINKED_SECONDS))
            store = connect(behind, timed)
        except (ServiceError, JarError, NoJava, OSError) as error:
            raise StoreLost(f"the links could not be brought up: {error}") from error
        stack.callback(store.close)
        session = store.session()
        stack.callback(session.close)
        yield Linked(session, links)


def connect(connection: Connection, setup: Setup) -> Store:
    """The store at the other end of a connection. Nothing is started. Raises JarError, NoJava, KeyError or OSError."""
    KNOWN.learn(of_properties(connection.configuration.items()))
    if connection.kind == "proving":
        from fsconform.proving.session import ProvingStore

        return ProvingStore(connection.name, fault=setup.fault or None, real_root=setup.real_root)
    if connection.kind == "posix":
        from fsconform.adapters.posix.store import PosixStore

        return PosixStore(connection.name, Path(unquote(urlsplit(connection.uri).path)), setup.request_rate, setup.logs)
    if connection.kind == "python":
        from fsconform.adapters.pythonic.store import PythonStore

        return PythonStore(
            connection.name,
            connection.name,
            connection.uri,
            connection.configuration,
            setup.operation_timeout,
            setup.request_rate,
            setup.logs,
        )
    return hadoop_store(connection, setup)


def hadoop_store(connection: Connection, setup: Setup, kind: type[HadoopStore] | None = None) -> HadoopStore:
    """A store behind Hadoop's FileSystem interface, of a ``kind``. Raises JarError, ValueError or OSError."""
    from fsconform.adapters.hadoop.store import HadoopStore

    own = bundled_profile(connection.profile) if connection.profile else None
    classpath = resolve(own, (connection.group,), setup.say) if own else setup.jars(connection.group)
    return (kind or HadoopStore)(
        connection.name,
        connection.uri,
        jars=connection.jars,
        classpath=classpath,
        configuration=connection.configuration | (connection.root_configuration if setup.real_root else {}),
        configuration_files=connection.configuration_files,
        xmx=connection.xmx or setup.xmx,
        operation_timeout=connection.timeout or setup.operation_timeout,
        request_rate=connection.rate or setup.request_rate,
        logs_folder=setup.logs,
        real_root=setup.real_root,
        own=connection.own,
    )
