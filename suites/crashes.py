"""The suite of crashes: a client is killed in a call, or once it has returned, and another looks at what it left.

Each scenario is a lane of calls by a client that is killed in the last of them. The other client makes what is there
before, looks at once, recovers the lease where there are leases, appends, and looks again.

Or a daemon behind the store is killed while two clients make calls, and started again: each call that returned must
have been carried out, and each that failed for want of the daemon wholly or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.injection import DAEMONS, Crash
from fsconform.engine.protocol import RETURNED
from fsconform.model.core import content
from fsconform.model.core.operation import paths_of
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.changes import SUPPORTS_MULTIPARTUPLOADER
from fsconform.model.filesystem.options.core import SUPPORTS_APPEND
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER, SUPPORTS_HFLUSH, SUPPORTS_HSYNC
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import RecoverLease
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.transfer.uploads import Upload
from fsconform.suites.race_rows import Once

A, B, D = ("a",), ("b",), ("d",)
_OLD, _FIRST, _SECOND, _NEW, _LATER = (
    content.of(seed, size) for seed, size in ((1, 3), (2, 5), (3, 8), (4, 9), (5, 4))
)
_LARGE, _PARTS = content.of(6, 300_000), content.of(7, 11 << 20)

_LOOKS: Calls = (
    ListStatus(()),
    GetFileStatus(A),
    Open(A),
    ListStatus(A),
    ListStatus((*A, "s")),
    GetFileStatus((*A, "f")),
    Open((*A, "s", "g")),
    GetFileStatus(D),
    Open(D),
    ListStatus(D),
)

FAR = (*A, "s", "t", "f")
"""Where a file is uploaded to. Hadoop's uploader keeps parts in a directory beside the parent: nobody looks there."""

_ABOVE: Calls = (Mkdirs(FAR[:-1]),)
_LOOKS_FAR: Calls = (GetFileStatus(FAR), Open(FAR), ListStatus(FAR[:-1]))
_UPLOADS = (SUPPORTS_MULTIPARTUPLOADER,)

_HELD = "held"
"""The name of the stream that the client has open."""

A_FILE: Calls = (Create(A, _OLD, False),)
A_TREE: Calls = (Create((*A, "f"), _OLD, False), Create((*A, "s", "g"), _NEW, False), Mkdirs((*A, "s", "e")))

_WRITTEN: Calls = (OpenWriter(A, _HELD, "create"), Write(_HELD, _FIRST))
_ADDED: Calls = (OpenWriter(A, _HELD, "append"), Write(_HELD, _FIRST))

IN_THE_CALL, ONCE_RETURNED = "killed in it", "killed once it returned"


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a client does that is killed in the last of its calls, and what is there before.

    ``needs`` are options that the store's contract must give, as nothing comes of the calls else. ``place`` is where
    the file is that is looked at, and appended to, afterwards; ``looks`` come before that.
    """

    beginning: Calls
    lane: Calls
    needs: tuple[str, ...] = ()
    place: Path = A
    looks: Calls = _LOOKS


SCENARIOS: dict[str, Scenario] = {
    "create": Scenario((), (Create(A, _NEW, False),)),
    "create, large": Scenario((), (Create(A, _LARGE, False),)),
    "create over": Scenario(A_FILE, (Create(A, _NEW, True),)),
    "append": Scenario(A_FILE, (Append(A, _NEW),), (SUPPORTS_APPEND,)),
    "mkdirs deep": Scenario((), (Mkdirs((*A, "s", "t")),)),
    "rename a file": Scenario(A_FILE, (Rename(A, D),)),
    "rename a tree": Scenario(A_TREE, (Rename(A, D),)),
    "delete a file": Scenario(A_FILE, (Delete(A, False),)),
    "delete a tree": Scenario(A_TREE, (Delete(A, True),)),
    "write": Scenario((), _WRITTEN),
    "hflush": Scenario((), (*_WRITTEN, Sync(_HELD, "hflush")), (SUPPORTS_HFLUSH,)),
    "hsync": Scenario((), (*_WRITTEN, Sync(_HELD, "hsync")), (SUPPORTS_HSYNC,)),
    "write after hflush": Scenario((), (*_WRITTEN, Sync(_HELD, "hflush"), Write(_HELD, _SECOND)), (SUPPORTS_HFLUSH,)),
    "close after hflush": Scenario(
        (), (*_WRITTEN, Sync(_HELD, "hflush"), Write(_HELD, _SECOND), CloseWriter(_HELD)), (SUPPORTS_HFLUSH,)
    ),
    "close": Scenario((), (*_WRITTEN, CloseWriter(_HELD))),
    "write of an append": Scenario(A_FILE, _ADDED, (SUPPORTS_APPEND,)),
    "hflush of an append": Scenario(A_FILE, (*_ADDED, Sync(_HELD, "hflush")), (SUPPORTS_APPEND, SUPPORTS_HFLUSH)),
    "upload": Scenario(_ABOVE, (Upload(FAR, _PARTS, 2, "complete"),), _UPLOADS, FAR, _LOOKS_FAR),
    "upload over": Scenario(
        (*_ABOVE, Create(FAR, _OLD, False)), (Upload(FAR, _PARTS, 2, "complete"),), _UPLOADS, FAR, _LOOKS_FAR
    ),
    "close of an append": Scenario(A_FILE, (*_ADDED, CloseWriter(_HELD)), (SUPPORTS_APPEND,)),
}
"""By what a reader calls them."""

_AFTERWARDS: Calls = (Create(B, _LATER, False), Open(B), ListStatus(()))


def ending(contract: Contract | None, scenario: str) -> Calls:
    """What the other client does after a scenario on a store with a contract; all of it for None."""
    one = SCENARIOS[scenario]
    leased = contract is None or bool(contract.value(EXCLUSIVE_WRITER))
    appends = contract is None or bool(contract.value(SUPPORTS_APPEND))
    recovered: Calls = (RecoverLease(one.place), Open(one.place), GetFileStatus(one.place)) if leased else ()
    appended: Calls = (Append(one.place, _LATER), Open(one.place)) if appends else ()
    return (*one.looks, *recovered, *appended, *_AFTERWARDS)


@dataclass(frozen=True, slots=True)
class ClientCrash(Once):
    """A scenario, the moment at which its client is killed, and what is done afterwards."""

    scenario: str
    moment: str
    afterwards: Calls

    @property
    def program(self) -> Concurrent:
        """The scenario as a concurrent program: the other client waits, and comes when the first is dead."""
        one = SCENARIOS[self.scenario]
        program = Concurrent(one.beginning, ((), one.lane), (0, 0), self.afterwards, kill=0)
        return replace(program, kill=RETURNED) if self.moment == ONCE_RETURNED else program

    @property
    def pair(self) -> tuple[str, str]:
        """The scenario and the moment."""
        return self.scenario, self.moment

    @property
    def group(self) -> str:
        """What their table is of."""
        return "a client is killed"


@dataclass(frozen=True, slots=True)
class Load:
    """What is there before, and what two clients do while a daemon is killed, each below a directory of its own.

    Of a call that failed meanwhile nobody knows whether it was carried out, and when: few calls, or the orders of those
    that may have been are too many to be looked at. None is made below what such a call may move or delete: of a file
    that is written there nothing would be known.
    """

    beginning: Calls
    lanes: tuple[Calls, Calls]


def _load(top: str) -> dict[str, tuple[Calls, Calls]]:
    """What is there before below a directory, and what its client does there, by what a reader calls it."""
    f, g, h, s, t, u = ((top, name) for name in "fghstu")
    files: Calls = tuple(Create(one, _OLD, False) for one in (f, g, h))
    a_tree: Calls = (Create((*s, "f"), _OLD, False), Mkdirs((*s, "d")), Create((*s, "e", "g"), _NEW, False))
    return {
        "create": ((), (Create(f, _NEW, False), Create(g, _FIRST, False), Create(h, _LATER, False))),
        "create over": (files, (Create(f, _NEW, True), Create(g, _FIRST, True), Create(h, _LATER, True))),
        "append": (files, (Append(f, _NEW), Append(g, _FIRST), Append(h, _LATER))),
        "mkdirs": ((), (Mkdirs((*s, "e", "g")), Mkdirs((*t, "e")))),
        "rename": (files[:1], (Rename(f, g), Rename(g, h), Rename(h, f))),
        "rename a tree": (a_tree, (Rename(s, t), Rename(t, u))),
        "delete": ((*files[:1], *a_tree), (Delete(f, False), Delete(s, True))),
    }


LOAD: dict[str, Load] = {
    name: Load((*before, *_load("b")[name][0]), (lane, _load("b")[name][1]))
    for name, (before, lane) in _load("a").items()
}
"""What is done while a daemon is killed."""


def _paths_of(calls: Calls) -> Iterator[Path]:
    for call in calls:
        for path in paths_of(call):
            yield from (path[:depth] for depth in range(1, len(path) + 1))


def _looks_of(parts: tuple[Calls, ...]) -> Calls:
    """A look at each path that may be there, then a listing of each directory: what is narrow comes first."""
    paths = sorted({path for calls in parts for path in _paths_of(calls)}, key=lambda path: (-len(path), path))
    reads = (Open(path) for path in paths if len(path) > 1)
    return (*reads, *(GetFileStatus(path) for path in paths), *(ListStatus(path) for path in paths), ListStatus(()))


@dataclass(frozen=True, slots=True)
class ServiceCrash(Once):
    """What two clients do while a daemon behind the store is killed and started again."""

    load: str
    part: str

    @property
    def program(self) -> Concurrent:
        """As a concurrent program."""
        load = LOAD[self.load]
        looks = _looks_of((load.beginning, *load.lanes))
        return Concurrent(load.beginning, load.lanes, (0, 0), looks, fault=Crash(self.part, 0))

    @property
    def pair(self) -> tuple[str, str]:
        """What the clients do, and which daemon is killed."""
        return self.load, self.part

    @property
    def group(self) -> str:
        """What their table is of."""
        return "a daemon is killed and started again"


def crashes(contract: Contract | None) -> Iterator[ClientCrash | ServiceCrash]:
    """Every scenario with each moment, for a store with a contract; all of them for None. Then those of daemons."""
    for name, one in SCENARIOS.items():
        if contract is None or all(contract.value(option) for option in one.needs):
            afterwards = ending(contract, name)
            yield ClientCrash(name, IN_THE_CALL, afterwards)
            yield ClientCrash(name, ONCE_RETURNED, afterwards)
    appends = contract is None or bool(contract.value(SUPPORTS_APPEND))
    for load in LOAD:
        if appends or load != "append":
            yield from (ServiceCrash(load, part) for part in DAEMONS)
