"""The suite of losses of power: a machine loses it in a call or once that has returned, and others look what is left.

Where the clients make their calls on the machine itself, as on a local filesystem, whoever made them ends with it, and
a new client looks. A service's machine is one that clients live on without: its daemons end, its disks lose what they
were not asked to sync, and the daemons start again. A client that has a stream open then is gone as well.

All that is there before the lanes begin is synced, and a file beside them that nobody touches must be there afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from fsconform.engine.histories.concurrent import Calls, Concurrent, Kill
from fsconform.engine.injection import DISCIPLINES, MACHINE, SURVIVING, PowerLoss
from fsconform.engine.protocol import RETURNED
from fsconform.model.core import content
from fsconform.model.core.operation import paths_of
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.core import SUPPORTS_APPEND
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER, SUPPORTS_HFLUSH, SUPPORTS_HSYNC
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import RecoverLease
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.suites.race_rows import Once

A, D, BESIDE = ("a",), ("d",), ("k",)
_OLD, _FIRST, _SECOND, _NEW, _KEPT = (
    content.of(seed, size) for seed, size in ((1, 3), (2, 5), (3, 8), (4, 9), (5, 700))
)
_LARGE = content.of(6, 300_000)
_HELD = "held"

A_FILE: Calls = (Create(A, _OLD, False),)
A_TREE: Calls = (Create((*A, "f"), _OLD, False), Create((*A, "s", "g"), _NEW, False), Mkdirs((*A, "s", "e")))
THERE: Calls = (Create(BESIDE, _KEPT, False),)
"""What is there before each lane, and is not touched."""

_WRITTEN: Calls = (OpenWriter(A, _HELD, "create"), Write(_HELD, _FIRST))
_HSYNCED: Calls = (*_WRITTEN, Sync(_HELD, "hsync"))
_CLOSED: Calls = (CloseWriter(_HELD),)

IN_THE_CALL, ONCE_RETURNED = "meanwhile", "once they returned"
MOMENTS = (ONCE_RETURNED, IN_THE_CALL)


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a client does, and what is there before; ``needs`` are options that the store's contract must give."""

    beginning: Calls
    lane: Calls
    needs: tuple[str, ...] = ()

    @property
    def leaves_open(self) -> bool:
        """Whether a stream is open at its end."""
        opened = any(isinstance(call, OpenWriter) for call in self.lane)
        return opened and not any(isinstance(call, CloseWriter) for call in self.lane)


_HFLUSHES, _HSYNCS, _APPENDS = (SUPPORTS_HFLUSH,), (SUPPORTS_HSYNC,), (SUPPORTS_APPEND,)

SCENARIOS: dict[str, Scenario] = {
    "hsync": Scenario((), _HSYNCED, _HSYNCS),
    "hsync of much": Scenario(
        (), (OpenWriter(A, _HELD, "create"), Write(_HELD, _LARGE), Sync(_HELD, "hsync")), _HSYNCS
    ),
    "write after hsync": Scenario((), (*_HSYNCED, Write(_HELD, _SECOND)), _HSYNCS),
    "hflush after hsync": Scenario(
        (), (*_HSYNCED, Write(_HELD, _SECOND), Sync(_HELD, "hflush")), (*_HSYNCS, *_HFLUSHES)
    ),
    "hsync again": Scenario((), (*_HSYNCED, Write(_HELD, _SECOND), Sync(_HELD, "hsync")), _HSYNCS),
    "hsync, then close": Scenario((), (*_HSYNCED, *_CLOSED), _HSYNCS),
    "hsync, close, rename": Scenario((), (*_HSYNCED, *_CLOSED, Rename(A, D)), _HSYNCS),
    "hsync of an append": Scenario(
        A_FILE, (OpenWriter(A, _HELD, "append"), Write(_HELD, _FIRST), Sync(_HELD, "hsync")), (*_HSYNCS, *_APPENDS)
    ),
    "hflush": Scenario((), (*_WRITTEN, Sync(_HELD, "hflush")), _HFLUSHES),
    "close": Scenario((), (*_WRITTEN, *_CLOSED)),
    "close, then rename": Scenario((), (*_WRITTEN, *_CLOSED, Rename(A, D))),
    "create": Scenario((), (Create(A, _NEW, False),)),
    "create, large": Scenario((), (Create(A, _LARGE, False),)),
    "create over": Scenario(A_FILE, (Create(A, _NEW, True),)),
    "append": Scenario(A_FILE, (Append(A, _NEW),), _APPENDS),
    "mkdirs deep": Scenario((), (Mkdirs((*A, "s", "t")),)),
    "rename a file": Scenario(A_FILE, (Rename(A, D),)),
    "rename a tree": Scenario(A_TREE, (Rename(A, D),)),
    "delete a file": Scenario(A_FILE, (Delete(A, False),)),
    "delete a tree": Scenario(A_TREE, (Delete(A, True),)),
}
"""By what a reader calls them."""

SEEDS = (1, 2)
"""Of what survives in part."""

MACHINES = (MACHINE, "cluster", "namenode", "datanode-0", "minio", "server")
"""What loses its power: the clients' own machine, or that of a daemon, or those of all; the last is in memory."""


def looks_of(one: Scenario, leased: bool) -> Calls:
    """What another client looks at afterwards."""
    paths = {path for call in (*THERE, *one.beginning, *one.lane) for path in paths_of(call)}
    for call in one.lane:
        if isinstance(call, Rename):
            paths |= {(*call.dst, *path[len(call.src) :]) for path in paths if path[: len(call.src)] == call.src}
    every = {path[:depth] for path in paths for depth in range(1, len(path) + 1)}
    ordered = sorted(every, key=lambda path: (-len(path), path))
    recovered: Calls = (RecoverLease(A),) if leased and one.leaves_open else ()
    looks: list[Calls] = [(GetFileStatus(path), Open(path), ListStatus(path)) for path in ordered]
    return (GetFileStatus(()), *recovered, *(call for calls in looks for call in calls), ListStatus(()))


@dataclass(frozen=True, slots=True)
class Outage(Once):
    """A scenario, which machine loses its power, and when; what its disks keep."""

    scenario: str
    part: str
    moment: str
    survives: str
    seed: int
    discipline: str
    leased: bool

    @property
    def program(self) -> Concurrent:
        """The scenario as a concurrent program: the other client waits, and looks when the power is back."""
        one = SCENARIOS[self.scenario]
        ends = self.part == MACHINE or one.leaves_open
        returned = ends or self.moment == ONCE_RETURNED
        fault = PowerLoss(self.part, 0, returned, self.survives, self.seed, self.discipline)
        kill: Kill = None
        if ends:
            kill = RETURNED if self.moment == ONCE_RETURNED else 0
        looks = looks_of(one, self.leased)
        return Concurrent((*THERE, *one.beginning), ((), one.lane), (0, 0), looks, kill=kill, fault=fault)

    @property
    def pair(self) -> tuple[str, str]:
        """The scenario, and which machine."""
        return self.scenario, self.part

    @property
    def group(self) -> str:
        """What their table is of."""
        return "a machine loses its power"


def outages(contract: Contract | None) -> Iterator[Outage]:
    """Every scenario on every machine at each moment, for a store with a contract; all of them for None.

    Disks keep what ext4 keeps. Those of the clients' own machine keep what POSIX promises as well: the servers behind
    the others were not written for such disks.
    """
    leased = contract is None or bool(contract.value(EXCLUSIVE_WRITER))
    for name, part in product(SCENARIOS, MACHINES):
        if contract is not None and not all(contract.value(option) for option in SCENARIOS[name].needs):
            continue
        for moment, survives, discipline in product(MOMENTS, SURVIVING, DISCIPLINES):
            if discipline == DISCIPLINES[0] or part == MACHINE:
                for seed in SEEDS if survives != SURVIVING[0] else (0,):
                    yield Outage(name, part, moment, survives, seed, discipline, leased)
