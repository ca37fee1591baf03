"""Stores that are up: how each is reached, as plain data that other processes can use too, and what takes it down."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal as Choice
from typing import Protocol, runtime_checkable

from fsconform.adapters.jars import load_profile, resolve
from fsconform.adapters.network.links import Network
from fsconform.adapters.volumes.durability import Discipline
from fsconform.adapters.volumes.powered import Lose
from fsconform.adapters.volumes.volume import Volume

Say = Callable[[str], None]

CONTAINER = "container"
"""The value of :attr:`Setup.via` that has services run in containers."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What stores are built with: a folder for logs, a time-out in seconds, a rate in calls a second and session."""

    logs: Path
    say: Say
    operation_timeout: float = 30.0
    request_rate: float | None = None
    xmx: str = "512m"
    profile: str = ""
    real_root: bool = False
    fault: str = ""
    via: str = ""
    """How services are brought up: ``container``, or else as processes of this machine."""
    on_volumes: bool = False
    """Whether what the store keeps is on volumes that can lose their power."""

    def jars(self, group: str) -> list[Path]:
        """The jars of a group of the profile, fetched first if need be. Raises JarError."""
        profile = load_profile(self.profile) if self.profile else load_profile()
        return resolve(profile, (group,), self.say)


@dataclass(frozen=True, slots=True)
class Connection:
    """How a store that is up is reached. ``group`` is the group of Hadoop's jars that its client needs."""

    name: str
    kind: Choice["hadoop", "posix", "proving", "python"] = "hadoop"
    uri: str = ""
    group: str = "client"
    jars: tuple[Path, ...] = ()
    configuration: dict[str, str] = field(default_factory=dict)
    configuration_files: tuple[Path, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    root_configuration: dict[str, str] = field(default_factory=dict)
    """Settings of its client beside the others where it plays in the real root."""
    profile: str = ""
    """A bundled profile of its own that the client's jars are of, whatever Hadoop the run uses."""
    timeout: float | None = None
    """For one call, in seconds, where the store has its own: else that of the setup. So are rate and heap."""
    rate: float | None = None
    xmx: str = ""
    own: bool = False
    """That it was started here, and that directories of programs may be made there without its client."""


class Service(Protocol):
    """What brings a store up and down."""

    def stop(self) -> None:
        """Stop it. May be called twice."""
        ...

    def logs(self) -> Sequence[Path]:
        """Its logs."""
        ...


@runtime_checkable
class Crashable(Protocol):
    """A service whose daemons can be killed and started again on what they left."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its daemons."""
        ...

    def crash(self, part: str) -> None:
        """Send a daemon SIGKILL, and wait until it is gone."""
        ...

    def restart(self, part: str) -> None:
        """Start it again and wait until it serves. Raises ServiceError."""
        ...


@runtime_checkable
class Powered(Protocol):
    """A service whose machines can lose their power: what it keeps is on volumes."""

    @property
    def powered(self) -> tuple[str, ...]:
        """The names of the machines, and of all at once."""
        ...

    def settle(self, discipline: Discipline) -> None:
        """Make all durable, and have the disks follow a discipline from now on. Raises VolumeLost."""
        ...

    def lose_power(self, part: str, lose: Lose) -> None:
        """Let a machine lose its power, and get it back. Raises ServiceError, VolumeLost."""
        ...

    def volumes(self, part: str) -> list[Volume]:
        """The volumes of a machine, or of all. Raises KeyError for a name that none has."""
        ...

    def notice(self, part: str) -> None:
        """Wait until what looks for room by itself has noticed that it has none."""
        ...

    def recover(self) -> None:
        """Wait until it serves again after a medium failed, and start what ended by that. Raises ServiceError."""
        ...


class Site:
    """A store that was brought up, with what there is to take down: a service, and a folder that is removed.

    ``network`` is what can be put between a client and the store.
    """

    def __init__(
        self,
        connection: Connection,
        home: Path | None = None,
        service: Service | None = None,
        network: Network | None = None,
    ) -> None:
        self.connection, self.network = connection, network
        self._home, self._service = home, service

    @property
    def is_own(self) -> bool:
        """True if all of the store is the harness's: its service was started here, or it is in this process."""
        return self._service is not None or self.connection.kind == "proving"

    @property
    def crashable(self) -> Crashable | None:
        """Its service, if that can be crashed."""
        return self._service if isinstance(self._service, Crashable) else None

    @property
    def powered(self) -> Powered | None:
        """Its service, if that stands on volumes."""
        found = self._service
        return found if isinstance(found, Powered) and found.powered else None

    def logs(self) -> list[str]:
        """Paths of the service's logs."""
        return list(map(str, self._service.logs())) if self._service is not None else []

    def close(self) -> None:
        """Stop the service and remove the folder. May be called twice."""
        try:
            if self._service is not None:
                self._service.stop()
        finally:
            if self._home is not None:
                shutil.rmtree(self._home, ignore_errors=True)


def custom_site(
    name: str,
    uri: str,
    jars: tuple[Path, ...],
    configuration: Mapping[str, str],
    configuration_files: tuple[Path, ...],
    timeout: float | None = None,
    rate: float | None = None,
    xmx: str = "",
) -> Site:
    """A store that the user named: it is up, or is not ours to bring up."""
    return Site(
        Connection(
            name,
            uri=uri,
            jars=jars,
            configuration=dict(configuration),
            configuration_files=configuration_files,
            timeout=timeout,
            rate=rate,
            xmx=xmx,
        )
    )
