"""Stores that were brought up, connected to, and taken down with what they stand on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from fsconform.adapters.jars import JarError, bundled_profile, resolve
from fsconform.adapters.java import NoJava
from fsconform.adapters.services.daemon import ServiceError
from fsconform.adapters.spark.helper import HelperError
from fsconform.adapters.stores.site import Connection, Setup, Site
from fsconform.adapters.volumes.durability import Discipline, Loss
from fsconform.adapters.volumes.volume import Volume, VolumeLost
from fsconform.engine.injection import Away, Crash, Injectable, InjectedFault, OnVolumes, PowerLoss
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
    """A store with the site it stands on, which is taken down at its end."""

    def __init__(self, store: Store, site: Site, again: Callable[[], Store] | None = None) -> None:
        """``again`` brings the same store up once more, on volumes."""
        super().__init__(store)
        self._site, self._again = site, again

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
            service.restart(fault.part)
        except ServiceError as error:
            raise StoreLost(f"{fault.part} was killed, and did not come back: {error}") from error
        return began, time.monotonic_ns()

    def _lose_power(self, fault: PowerLoss) -> Away:
        machines = self._site.powered
        assert machines is not None, "it was asked whether it can be injected"
        began = time.monotonic_ns()
        try:
            machines.lose_power(fault.part, partial(_lose, fault))
        except (ServiceError, VolumeLost) as error:
            raise StoreLost(f"{fault.part} lost its power, and did not come back: {error}") from error
        return began, time.monotonic_ns()

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
        return Owned(connect(site.connection, setup), site, again)
    except BaseException:
        site.close()
        raise


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


def hadoop_store(connection: Connection, setup: Setup) -> HadoopStore:
    """A store behind Hadoop's FileSystem interface. Raises JarError, ValueError or OSError."""
    from fsconform.adapters.hadoop.store import HadoopStore

    own = bundled_profile(connection.profile) if connection.profile else None
    classpath = resolve(own, (connection.group,), setup.say) if own else setup.jars(connection.group)
    return HadoopStore(
        connection.name,
        connection.uri,
        jars=connection.jars,
        classpath=classpath,
        configuration=connection.configuration | (connection.root_configuration if setup.real_root else {}),
        configuration_files=connection.configuration_files,
        xmx=setup.xmx,
        operation_timeout=setup.operation_timeout,
        request_rate=setup.request_rate,
        logs_folder=setup.logs,
        real_root=setup.real_root,
        own=connection.own,
    )
