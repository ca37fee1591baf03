"""Faults that a concurrent program injects behind the store while its clients make calls: plain data, of several kinds.

Each kind is a class with a key of its own in the program's JSON form. What injects it is the harness's, as only there
it is known what stands behind a store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

MOST_DELAY = 10_000_000_000
"""Nanoseconds."""

NAMENODE, DATANODE, MINIO, S3PROXY, SERVER = "namenode", "datanode-0", "minio", "s3proxy", "server"
"""The daemons of the harness's own services that can be killed and started again; the last is the store in memory's.

Services, stores and suites have the names from here. A server that keeps in memory what it says it has done is none of
them: Azurite, and S3Proxy without another S3 behind it.
"""

DAEMONS = (NAMENODE, DATANODE, MINIO, S3PROXY, SERVER)

_PART = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")

Away = tuple[int, int]
"""From and to when a fault was there, in nanoseconds of the monotonic clock."""


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """A fault in a part of what stands behind the store, ``delay`` nanoseconds after the common start."""

    KIND: ClassVar[str] = ""
    """The key of its kind in a program's JSON form."""

    part: str
    delay: int

    def __post_init__(self) -> None:
        """Raises ValueError for one that can't be meant."""
        if not isinstance(self.part, str) or not _PART.fullmatch(self.part):
            raise ValueError("the name of what a fault is in is made of small letters, digits and dashes")
        if type(self.delay) is not int or not 0 <= self.delay <= MOST_DELAY:
            raise ValueError(f"a fault is injected after 0 to {MOST_DELAY} nanoseconds")

    @property
    def title(self) -> str:
        """What happens, as signatures say it; without the moment."""
        raise NotImplementedError

    def at(self, delay: int) -> Self:
        """The same at another moment."""
        return replace(self, delay=min(delay, MOST_DELAY))


@dataclass(frozen=True, slots=True)
class Crash(InjectedFault):
    """A daemon is killed by SIGKILL, and started again on its port and its storage."""

    KIND: ClassVar[str] = "crash"

    @property
    def title(self) -> str:
        """Which daemon is killed."""
        return f"{self.part} killed meanwhile"


KINDS: Mapping[str, type[InjectedFault]] = {kind.KIND: kind for kind in (Crash,)}
"""By their keys."""


def encode(fault: InjectedFault) -> dict[str, Any]:
    """A fault as one entry of a JSON object: its kind, and its fields."""
    return {fault.KIND: asdict(fault)}


def decode(row: Mapping[str, Any]) -> InjectedFault | None:
    """The fault of a JSON object that has entries of other meanings too. Raises ValueError naming what is wrong."""
    found = [(kind, row[kind]) for kind in KINDS if row.get(kind) is not None]
    if len(found) > 1:
        raise ValueError("a program has one fault at most")
    for kind, entries in found:
        names = [one.name for one in fields(KINDS[kind])]
        if not isinstance(entries, Mapping) or set(entries) != set(names):
            raise ValueError(f"a {kind} has {' and '.join([', '.join(names[:-1]), names[-1]])}")
        return KINDS[kind](**entries)
    return None


@runtime_checkable
class Injectable(Protocol):
    """A store behind which stands something of the harness's own, into which faults can be injected."""

    def injects(self, fault: InjectedFault) -> bool:
        """Whether a fault can be injected."""
        ...

    def inject(self, fault: InjectedFault) -> Away:
        """Inject it now, and return once the store serves again. Raises StoreLost if it does not."""
        ...
