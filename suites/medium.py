"""The suite of failing media: what a store answers, and keeps, whose disk is full, takes no changes, or rots.

Below the store, on its own machine or on that of a daemon, a disk fails before a client's calls or while they are made.
It is well again once they have returned; then daemons that ended are started again, and another client looks. All that
was acknowledged is there, what was refused happened as a whole or in part as a call may that is interrupted, and the
store takes changes again. A close that returned has saved what was written.

Of a byte that changed below the store nothing is asked where the contract promises no checksums. Else a reader gets the
bytes that were written, or an error that says so; looks afterwards leave the bytes of that file alone.

Sources: introduction.md, "Operations and failures"; outputstream.md, "write", "close"; the paper on HDFS, 2.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.injection import DATANODE, FLIPS, MACHINE, MINIO, NAMENODE, SERVER, Medium
from fsconform.model.core import content
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.core import SUPPORTS_APPEND
from fsconform.model.filesystem.options.writers import CHECKSUMS_VERIFIED, EXCLUSIVE_WRITER, SUPPORTS_HSYNC
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.suites.power import A_FILE, A_TREE, BESIDE, THERE, A, D, Scenario, looks_of
from fsconform.suites.race_rows import Once

AFTER = ("after",)
"""What is written once the medium is well again."""

_FIRST, _NEW, _LATER = (content.of(seed, size) for seed, size in ((2, 5), (4, 9), (7, 40)))
_LARGE, _OF_PARTS = content.of(6, 300_000), content.of(8, 6 << 20)
_HELD = "held"
_OPENED: Calls = (OpenWriter(A, _HELD, "create"), Write(_HELD, _FIRST))
_MORE: Calls = (Write(_HELD, _LARGE), CloseWriter(_HELD))
_APPENDS, _HSYNCS = (SUPPORTS_APPEND,), (SUPPORTS_HSYNC,)

CHANGES: dict[str, Scenario] = {
    "create": Scenario((), (Create(A, _NEW, False),)),
    "create, large": Scenario((), (Create(A, _LARGE, False),)),
    "create, in parts": Scenario((), (Create(A, _OF_PARTS, False),)),
    "create over": Scenario(A_FILE, (Create(A, _NEW, True),)),
    "append": Scenario(A_FILE, (Append(A, _LARGE),), _APPENDS),
    "write and close": Scenario((), (*_OPENED, *_MORE)),
    "hsync, write and close": Scenario((), (*_OPENED, Sync(_HELD, "hsync"), *_MORE), _HSYNCS),
    "write and hsync": Scenario((), (*_OPENED, Write(_HELD, _LARGE), Sync(_HELD, "hsync")), _HSYNCS),
    "write, close and rename": Scenario((), (*_OPENED, CloseWriter(_HELD), Rename(A, D))),
    "mkdirs deep": Scenario((), (Mkdirs((*A, "s", "t")),)),
    "rename a file": Scenario(A_FILE, (Rename(A, D),)),
    "rename a tree": Scenario(A_TREE, (Rename(A, D),)),
    "delete a file": Scenario(A_FILE, (Delete(A, False),)),
    "delete a tree": Scenario(A_TREE, (Delete(A, True),)),
    "read": Scenario(A_FILE, (Open(A), Open(BESIDE))),
}
"""What a client does on a disk that has no space or takes no changes, by what a reader calls it."""

ROOM = {"create, in parts": (1 << 22,)}
"""Bytes of room that are left, for those that need no less; of the others ``LEFT``."""

LEFT = (0, 1 << 16)

_POSITIONS = ("pread 0 300", "pread 900 200", "readFully 299000 1000", "read 2000")
_LARGE_FILE: Calls = (Create(A, _LARGE, False),)

READS: dict[str, Scenario] = {
    "read": Scenario(_LARGE_FILE, (Open(A), Open(A))),
    "read by positions": Scenario(_LARGE_FILE, (OpenReader(A, "r"), *(ReadOn("r", (one,)) for one in _POSITIONS))),
    "append and read": Scenario(_LARGE_FILE, (Append(A, _NEW), Open(A)), _APPENDS),
    "rename and read": Scenario(_LARGE_FILE, (Rename(A, D), Open(D))),
    "create over and read": Scenario(_LARGE_FILE, (Create(A, _NEW, True), Open(A))),
}
"""What a client does where a byte of the file that it reads has changed."""

BYTES = (0, 5, 8, 1_000, 299_999)
"""Which byte changes: in the headers of checksums, in the midst of the data, the last."""

PARTS = (MACHINE, NAMENODE, DATANODE, MINIO, SERVER)
"""Below what a medium fails; the last is in memory."""

ROTTING = (MACHINE, DATANODE, MINIO, SERVER)
"""Where what is stored has checksums."""

MEANWHILE = 1
"""Of faults that do not come before the calls the moment, before it is moved through them: nanoseconds."""


@dataclass(frozen=True, slots=True)
class Spoilage(Once):
    """A scenario, and which medium fails how."""

    scenario: str
    fault: Medium
    leased: bool

    @property
    def program(self) -> Concurrent:
        """The scenario as a concurrent program: the other client waits, and looks once the medium is well."""
        flips = self.fault.is_flip
        one = (READS if flips else CHANGES)[self.scenario]
        looks = looks_of(one, self.leased)
        if flips:
            looks = tuple(call for call in looks if not isinstance(call, Open) or call.path == BESIDE)
        again: Calls = (Create(AFTER, _LATER, False), Open(AFTER))
        beginning = (*THERE, *one.beginning)
        return Concurrent(beginning, ((), one.lane), (0, 0), (*looks, *again), fault=self.fault)

    @property
    def pair(self) -> tuple[str, str]:
        """The scenario, and below what the medium fails."""
        return self.scenario, self.fault.part

    @property
    def group(self) -> str:
        """What their table is of."""
        return "a medium fails"


def spoilages(contract: Contract | None) -> Iterator[Spoilage]:
    """Every scenario with each fault of each medium, for a store with a contract; all of them for None."""
    leased = contract is None or bool(contract.value(EXCLUSIVE_WRITER))

    def able(one: Scenario) -> bool:
        return contract is None or all(contract.value(option) for option in one.needs)

    for (name, one), part in product(CHANGES.items(), PARTS):
        if able(one):
            for room, delay in product(ROOM.get(name, LEFT), (0, MEANWHILE)):
                yield Spoilage(name, Medium(part, delay, "full", room), leased)
            for delay in (0, MEANWHILE):
                yield Spoilage(name, Medium(part, delay, "read-only"), leased)
    if contract is not None and not contract.value(CHECKSUMS_VERIFIED):
        return
    for (name, one), part, fault, which in product(READS.items(), ROTTING, FLIPS, BYTES):
        if able(one):
            yield Spoilage(name, Medium(part, 0, fault, which), leased)
