"""The session protocol: what the engine asks of anything that drives a store. A session executes; it never judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Final, Protocol, runtime_checkable

from fsconform.model.core.outcomes import Data, Status, Unknown
from fsconform.model.filesystem.programs import Program, Trace

NO_SETTINGS: Mapping[str, str] = MappingProxyType({})
"""No settings of a client."""

MOST_LANES = 16
"""Clients, or threads of one, that perform a concurrent program at once, at most."""


RETURNED: Final = "returned"
"""In place of a time: a client is killed once its call has returned."""


class StoreLost(Exception):
    """The store, or the process that drives it, could not be reached or started. The text says which log to read."""


class SandboxRefused(Exception):
    """The sandbox directory the user named holds something that is not ours, or can't be one."""


class Misconfigured(SandboxRefused):
    """The store can't be opened the way the user described it. The text says what to mend."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One entry of a snapshot: what listing, status and read each said of it."""

    listed: Status
    status: Status | None
    data: Data | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a store shows below the program's root; ``consistent`` if listing, status and read agree throughout."""

    entries: tuple[Observation, ...]
    consistent: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Execution:
    """A trace, the store's state after each step that was asked for, and the nanoseconds spent in the store's calls.

    ``housekeeping`` is when the session called the store on its own account, to make, look at and remove directories of
    programs: from and to, on the clock of the trace's events. ``store_nanoseconds`` has both.
    ``throttled`` counts how often the store asked to try again, for the reason ``throttling``: so often the program was
    begun anew in a fresh directory, and the trace is the last attempt's. If the store asked in that one too, the step
    has the outcome Unknown.
    ``base`` is the directory in which the program played, as a path from the store's root; empty if the store counts
    paths from that directory on, or if it is not known. ``requests`` tells by kind what each step that was to be
    measured asked of the service behind the store, as far as the client counts it. ``killed`` says that the process
    that made the calls was ended as the job's meeting has it.
    """

    trace: Trace
    snapshots: tuple[tuple[int, Snapshot], ...] = ()
    store_nanoseconds: int = 0
    lost: str = ""
    housekeeping: tuple[tuple[int, int], ...] = ()
    throttled: int = 0
    throttling: str = ""
    base: str = ""
    requests: tuple[tuple[int, dict[str, int]], ...] = ()
    killed: bool = False

    @property
    def given_up(self) -> bool:
        """True if the store asked to try again until the program was given up."""
        events = self.trace.events
        return self.throttled > 0 and (not events or isinstance(events[-1].outcome, Unknown))


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where the sessions of one concurrent program meet: a ``board`` that all of them map, with a seat for each.

    ``board`` is the path of a file of this machine (``adapters.meeting``). The session on seat 0 leads: it makes the
    directory in which all of them play, and tells the others. Rounds are numbered from 0 and come in order, one program
    each. Steps from ``first`` up to, not including, ``last`` are those that all perform at once, from ``delay``
    nanoseconds after the common start on; the leader makes those before it alone, and those after it once all are done.
    ``alone`` says that each session has a process of its own, which no other client waits for: it may wait awake.
    With ``kill`` the session is to end its process by SIGKILL so many nanoseconds after the step before ``last`` began,
    or once that has returned; the process goes on with nothing after that step. ``disturbed`` says that a fault is
    injected meanwhile: an error by which the store asks to try again leaves open what its call did, and ends no more.
    On a network that is ``unsteady`` such an error is what came of a call, as any other is.
    """

    board: str
    seats: int
    seat: int
    round: int
    first: int
    last: int
    delay: int = 0
    alone: bool = False
    kill: int | str | None = None
    disturbed: bool = False
    unsteady: bool = False


@dataclass(frozen=True, slots=True)
class Threads:
    """Which steps of a program threads of one client perform at once, on one FileSystem.

    From step ``first`` on there is a lane of steps for each thread, one lane after another: ``lengths`` counts their
    steps, and ``delays`` are nanoseconds from the common start to the first step of each. Events come in the program's
    order.
    """

    first: int
    lengths: tuple[int, ...]
    delays: tuple[int, ...]

    @property
    def lanes(self) -> tuple[range, ...]:
        """The numbers of each lane's steps."""
        ends = tuple(accumulate(self.lengths, initial=self.first))
        return tuple(range(start, end) for start, end in pairwise(ends))

    @property
    def steps(self) -> range:
        """The numbers of all steps that threads perform."""
        return range(self.first, self.first + sum(self.lengths))


@dataclass(frozen=True, slots=True)
class Job:
    """A program for a fresh directory; ``snapshot_after`` numbers steps from 0, ``stacks`` asks for Java's stacks.

    ``measured`` numbers steps of which the cost is wanted: a session may leave out what listings among them returned,
    so that the time is the store's alone, and counts their requests if it can.
    With a ``meeting`` the program is one client's share of a concurrent one, and only its leader has a fresh directory;
    where they could not meet the execution is lost. With ``threads`` it is a concurrent one that this client's threads
    perform; of these steps neither snapshots nor costs are taken. It has no more than one of the two.
    """

    program: Program
    snapshot_after: tuple[int, ...] = ()
    stacks: bool = False
    measured: tuple[int, ...] = ()
    meeting: Meeting | None = None
    threads: Threads | None = None


class Session(Protocol):
    """A connection to one store."""

    def execute(self, jobs: Sequence[Job]) -> Iterator[Execution]:
        """Execute programs, each in a fresh directory, and give one execution each, in order.

        A job whose store is lost on the way gets an execution with ``lost`` set and, at the step that was running, the
        outcome Unknown; later jobs of the batch run on a new connection. Raises StoreLost if none can be had.
        """
        ...

    def close(self) -> None:
        """Remove what the session made in its sandbox and disconnect. May be called twice."""
        ...


@runtime_checkable
class HasWorker(Protocol):
    """A session that runs in a process of its own."""

    @property
    def worker_pid(self) -> int | None:
        """The process id of the present worker, None if there is none."""
        ...


@runtime_checkable
class Killable(Protocol):
    """A session whose client can be killed in the middle of a call."""

    @property
    def killable(self) -> bool:
        """Whether a meeting's ``kill`` is carried out."""
        ...


@runtime_checkable
class Separable(Protocol):
    """A session in this process that can have others beside it, each in a process of its own."""

    def separate(self) -> Session:
        """Open another session on the store, in a process of its own: it is closed before this one.

        Raises StoreLost or SandboxRefused.
        """
        ...


@runtime_checkable
class HasRoot(Protocol):
    """A store whose real root may be played in, as it was started for nothing else."""

    def on_root(self, configuration: Mapping[str, str] = NO_SETTINGS) -> Store:
        """The same store, whose programs play in its real root: all that is there is deleted before each of them.

        ``configuration`` has settings of its client beside those that it has. No other session may be open. Raises
        StoreLost if the store is not the harness's own.
        """
        ...


class Store(Protocol):
    """A store that sessions can be opened on."""

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        ...

    @property
    def uri(self) -> str:
        """Where the store is."""
        ...

    @property
    def versions(self) -> dict[str, str]:
        """Versions of what stands behind the store, as far as they are known."""
        ...

    def session(self) -> Session:
        """Open a new session, with a sandbox directory of its own. Raises StoreLost or SandboxRefused."""
        ...

    def logs(self) -> Iterable[str]:
        """Paths of the logs that explain a lost store."""
        ...

    def close(self) -> None:
        """Stop everything that was started for this store. May be called twice."""
        ...
