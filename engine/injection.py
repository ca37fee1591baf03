"""Faults that a concurrent program injects behind the store while its clients make calls: plain data, of several kinds.

Each kind is a class with a key of its own in the program's JSON form. What injects it is the harness's, as only there
it is known what stands behind a store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from fsconform.engine.protocol import Session

MOST_DELAY = 10_000_000_000
"""Nanoseconds."""

NAMENODE, DATANODE, MINIO, S3PROXY, SERVER = "namenode", "datanode-0", "minio", "s3proxy", "server"
"""The daemons of the harness's own services that can be killed and started again; the last is the store in memory's.

Services, stores and suites have the names from here. A server that keeps in memory what it says it has done is none of
them: Azurite, and S3Proxy without another S3 behind it.
"""

DAEMONS = (NAMENODE, DATANODE, MINIO, S3PROXY, SERVER)

S3, FTP, SFTP, WEBHDFS = "s3", "ftp", "sftp", "webhdfs"
"""Links to servers of a protocol, whichever daemon that is; links to daemons have their names."""

_PART = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, slots=True)
class Away:
    """From ``began`` to ``ended`` a fault was there, in nanoseconds of the monotonic clock.

    What is killed has ended by ``gone``: a client that was answered before then may keep a connection to it, and learn
    that by its next call alone.
    """

    began: int
    ended: int
    gone: int


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """A fault in a part of what stands behind the store, ``delay`` nanoseconds after the common start."""

    KIND: ClassVar[str] = ""
    """The key of its kind in a program's JSON form."""
    BESIDE_KILLS: ClassVar[bool] = False
    """Whether a client may be killed as well."""

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


SURVIVING = ("nothing", "a part", "a torn write")
"""What a loss of power leaves of what was not synced: a part that a seed chooses, or one in which a write is torn."""

DISCIPLINES = ("ordered", "posix")
"""What the disks keep that lose their power: what ext4 keeps as it is mounted by default, or what POSIX promises."""

MACHINE = "machine"
"""The part that is the clients' own machine: who makes the calls ends with its power."""


@dataclass(frozen=True, slots=True)
class PowerLoss(InjectedFault):
    """Machines lose their power, and get it back: of what their disks were not asked to sync only some ``survives``.

    All that was done before the lanes begin is synced. ``returned`` has it happen once all lanes are done, and not
    after ``delay``. It may come beside the end of a client, after that.
    """

    KIND: ClassVar[str] = "power"
    BESIDE_KILLS: ClassVar[bool] = True

    returned: bool
    survives: str
    seed: int
    discipline: str

    def __post_init__(self) -> None:
        """Raises ValueError for one that can't be meant."""
        InjectedFault.__post_init__(self)
        if not isinstance(self.returned, bool):
            raise ValueError("whether the power is lost once all lanes have returned is true or false")
        if self.survives not in SURVIVING:
            raise ValueError(f"of what is not synced survives one of: {', '.join(SURVIVING)}")
        if type(self.seed) is not int or not 0 <= self.seed < 1 << 32:
            raise ValueError("the seed of what survives is a number from 0 to 4294967295")
        if self.discipline not in DISCIPLINES:
            raise ValueError(f"a disk's discipline is one of: {', '.join(DISCIPLINES)}")

    @property
    def title(self) -> str:
        """Which machines lose their power, and what their disks keep."""
        return f"{self.part} without power {'then' if self.returned else 'meanwhile'} ({self.discipline} disks)"


LINK_FAULTS: Mapping[str, str] = {
    "reset": "connection to {part} reset before {request} arrives",
    "lose-reply": "reply of {part} to {request} lost",
    "cut-request": "connection to {part} cut within {request}",
    "cut-reply": "connection to {part} cut within the reply to {request}",
    "half-open": "silence between client and {part} from {request} on",
    "latency": "{part} far away from {request} on",
    "jitter": "{part} far away and unsteady from {request} on",
    "slow": "{part} slow from {request} on",
    "slow-down": "{part} answers {request} with 503 SlowDown",
    "too-many": "{part} answers {request} with 429",
    "server-error": "{part} answers {request} with 500",
    "truncated": "body of the reply of {part} to {request} cut short",
    "wrong-length": "reply of {part} to {request} with a wrong length",
    "twice": "{request} delivered to {part} twice",
}
"""What may happen on a link, by its name in programs, as signatures say it."""

MOST_AMOUNT = 1 << 30
MOST_COUNT = 10_000
ABORT = "ABORT"
"""The request that cleans up what a stream had uploaded that is aborted."""

_REQUEST = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,63}|")


@dataclass(frozen=True, slots=True)
class Wire(InjectedFault):
    """The network fails between a client and the store: on the link ``part``, at the request that is counted.

    The request is the ``count``-th by the name of ``request``, or of any name for "", after the lanes have begun; the
    same happens to those that come after it, ``times`` in all.
    ``amount`` is in the unit of the ``fault``: milliseconds of latency and jitter, bytes let through before a cut, KiB
    a second of what is slow.
    """

    KIND: ClassVar[str] = "wire"

    fault: str
    request: str = ""
    count: int = 1
    amount: int = 0
    times: int = 1

    def __post_init__(self) -> None:
        """Raises ValueError for one that can't be meant."""
        InjectedFault.__post_init__(self)
        if not isinstance(self.fault, str) or self.fault not in LINK_FAULTS:
            raise ValueError(f"the faults of a link are {', '.join(LINK_FAULTS)}")
        if not isinstance(self.request, str) or not _REQUEST.fullmatch(self.request):
            raise ValueError("the name of a request is made of letters, digits and dashes")
        if any(type(one) is not int or not 1 <= one <= MOST_COUNT for one in (self.count, self.times)):
            raise ValueError(f"the request at which a link fails is the first to the {MOST_COUNT}th, as often at most")
        if type(self.amount) is not int or not 0 <= self.amount <= MOST_AMOUNT:
            raise ValueError(f"the amount of a link's fault is 0 to {MOST_AMOUNT}")

    @property
    def title(self) -> str:
        """What happens on the link."""
        return LINK_FAULTS[self.fault].format(part=self.part, request=self.request or "a request")

    def at(self, delay: int) -> Self:
        """Itself: its moment is a request."""
        return self


MEDIUM_FAULTS: Mapping[str, str] = {
    "full": "{part} without space",
    "read-only": "the disk of {part} read-only",
    "data": "a byte of data flipped at {part}",
    "checksums": "a byte of checksums flipped at {part}",
}
"""What may happen to the medium on which a part keeps what it stores, by its name in programs, as signatures say it."""

FLIPS = ("data", "checksums")
"""The faults of a medium that change a byte of what was stored last."""


@dataclass(frozen=True, slots=True)
class Medium(InjectedFault):
    """The medium below a part fails: it has no more space, takes no changes, or gives one byte otherwise than written.

    It does so before the lanes begin, or after ``delay`` if that is not 0, until all lanes are done: then there is room
    again, changes are taken, and the byte is as it was. ``amount`` is, of a full medium, how many bytes of room are
    left, and of a flipped byte which one of the file it is, counted anew from the file's beginning at its end.
    """

    KIND: ClassVar[str] = "medium"

    fault: str
    amount: int = 0

    def __post_init__(self) -> None:
        """Raises ValueError for one that can't be meant."""
        InjectedFault.__post_init__(self)
        if not isinstance(self.fault, str) or self.fault not in MEDIUM_FAULTS:
            raise ValueError(f"the faults of a medium are {', '.join(MEDIUM_FAULTS)}")
        if type(self.amount) is not int or not 0 <= self.amount <= MOST_AMOUNT:
            raise ValueError(f"the amount of a medium's fault is 0 to {MOST_AMOUNT}")

    @property
    def title(self) -> str:
        """What happens to which medium."""
        return MEDIUM_FAULTS[self.fault].format(part=self.part)

    @property
    def is_flip(self) -> bool:
        """Whether a byte changes that was stored."""
        return self.fault in FLIPS

    def at(self, delay: int) -> Self:
        """At another moment if it happens meanwhile; what is there before the lanes begin stays so."""
        return replace(self, delay=min(max(1, delay), MOST_DELAY)) if self.delay else self


KINDS: Mapping[str, type[InjectedFault]] = {kind.KIND: kind for kind in (Crash, PowerLoss, Wire, Medium)}
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


@runtime_checkable
class OnVolumes(Injectable, Protocol):
    """A store whose machines can lose their power."""

    def settle(self, fault: PowerLoss) -> None:
        """Make all durable that was done so far, before the lanes begin. Raises StoreLost."""
        ...


@runtime_checkable
class HasMedium(Injectable, Protocol):
    """A store below which stand media that can fail."""

    def spoil(self, fault: Medium) -> None:
        """Let a medium fail from now on. Raises StoreLost, also where nothing is stored that could be spoilt."""
        ...

    def mend(self, fault: Medium) -> None:
        """Let it be well again, and return once the store serves. Raises StoreLost if it does not."""
        ...


class Network(Protocol):
    """The network between a client and a store, of which links fail on demand."""

    def session(self) -> Session:
        """The session of the client that goes by the links."""
        ...

    def injects(self, fault: Wire) -> bool:
        """Whether there is such a link, and it can fail so."""
        ...

    def arm(self, fault: Wire) -> None:
        """Let a link fail, from the request on that the fault names. Raises StoreLost."""
        ...

    def disarm(self) -> bool:
        """Let all links be well again; whether the fault happened. Raises StoreLost."""
        ...


@runtime_checkable
class HasNetwork(Protocol):
    """A store whose clients can be put behind links that fail."""

    def fails_on(self, fault: Wire) -> bool:
        """Whether there may be such a link: without bringing it up."""
        ...

    def network(self) -> AbstractContextManager[Network]:
        """Bring the links up, with one client that goes by them. Raises StoreLost."""
        ...
