"""The suite of streams in the hands of several: one client writes while others look or write, and threads share one.

Other clients have streams of their own, so what one client opens the others see by its path alone. Threads of one
client share its streams: positioned reads of one stream by several.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.model.core import content
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.clauses import ISOLATED
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.read_stream import ReadOn
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.writers import SUPPORTS_HFLUSH, SUPPORTS_HSYNC
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import RecoverLease
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.quirks import NONE
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.suites.race_rows import Once

A, D = ("a",), ("d",)
_OLD, _FIRST, _SECOND, _OTHER, _NEW = (
    content.of(seed, size) for seed, size in ((1, 3), (2, 5), (3, 700), (4, 7), (5, 9))
)
_LARGE = content.of(6, 150_000)

_MOVING = "read on"
_SYNCS = {"hflush": SUPPORTS_HFLUSH, "hsync": SUPPORTS_HSYNC}

_HELD = "held"
"""The name of the stream that a beginning leaves open: the first lane's client holds it."""

BEGINNINGS: dict[str, Calls] = {
    "nothing": (),
    "a file": (Create(A, _OLD, False),),
    "an open stream": (OpenWriter(A, _HELD, "create"), Write(_HELD, _FIRST)),
    "an open stream that appends": (
        Create(A, _OLD, False),
        OpenWriter(A, _HELD, "append"),
        Write(_HELD, _FIRST),
    ),
    "a stream that reads": (Create(A, _LARGE, False), OpenReader(A, "r")),
}
"""What is there before the lanes begin, by what a reader calls it."""

_OPEN_BEGINNINGS = ("an open stream", "an open stream that appends")

LOOKS = 12
"""How often a client looks while another one writes."""

WRITES = 4
"""How often a thread writes while another one does."""

LOOKING: dict[str, Calls] = {
    "status": (GetFileStatus(A),) * LOOKS,
    "read": (Open(A),) * LOOKS,
    "list": (ListStatus(()),) * LOOKS,
}
"""Lanes of clients that look, by what a reader calls them."""

CHANGING: dict[str, Calls] = {
    "create": (Create(A, _NEW, False),),
    "create over": (Create(A, _NEW, True),),
    "append": (Append(A, _NEW),),
    "delete": (Delete(A, False),),
    "rename away": (Rename(A, D),),
    "recover the lease": (RecoverLease(A),),
}
"""Lanes of one call that changes, or of one that bears on leases."""

_MODES = {"create": "create", "create over": "overwrite", "append": "append"}

HOLDING: dict[str, Calls] = {
    "close": (CloseWriter(_HELD),),
    "hflush": (Sync(_HELD, "hflush"),),
    "hflush and close": (Sync(_HELD, "hflush"), Write(_HELD, _SECOND), Sync(_HELD, "hflush"), CloseWriter(_HELD)),
    "hsync and close": (Sync(_HELD, "hsync"), Write(_HELD, _SECOND), Sync(_HELD, "hsync"), CloseWriter(_HELD)),
}
"""Lanes of the client that holds the stream which the beginning left open."""

READING: dict[str, Calls] = {
    "read the begin": (ReadOn("r", ("pread 0 300", "pread 511 3", "pread 4095 4")),) * LOOKS,
    "read the middle": (ReadOn("r", ("pread 70000 300", "pread 65535 3", "pread 66000 4000")),) * LOOKS,
    "read the end fully": (ReadOn("r", ("readFully 149000 1000", "readFully 149998 2", "fill 131071 4")),) * LOOKS,
    "read ranges": (ReadOn("r", ("vectored 100+200 90000+5000",)),) * (LOOKS // 2),
    _MOVING: (ReadOn("r", ("read 100",)), ReadOn("r", ("from 80000 100",))) * (LOOKS // 2),
}
"""Lanes of threads that read one stream; only the last of them moves it."""

SHARING: dict[str, Calls] = {
    "write": (Write(_HELD, _SECOND),) * WRITES,
    "write other bytes": (Write(_HELD, _OTHER),) * WRITES,
    "write a lot": (Write(_HELD, _LARGE),) * 2,
    "hflush again": (Sync(_HELD, "hflush"),) * WRITES,
}
"""Lanes of threads that write through the stream which the beginning left open."""

ENDING: Calls = (ListStatus(()), GetFileStatus(A), Open(A), GetFileStatus(D), Open(D))
"""The looks at the store once all lanes are done."""


def writing(mode: str, stream: str, *, flushed: bool = False) -> Calls:
    """A lane that writes a file through a stream, opened by a mode; ``flushed``: with hflush after each write."""
    flush = (Sync(stream, "hflush"),) if flushed else ()
    rows = (Write(stream, _FIRST), *flush, Write(stream, _SECOND if flushed else _OTHER), *flush)
    return (OpenWriter(A, stream, mode), *rows, CloseWriter(stream))


@dataclass(frozen=True, slots=True)
class StreamRace(Once):
    """A beginning and what each lane does, by their names in the tables of this module, or in :func:`lane`.

    With ``threads`` the lanes are those of threads of one client.
    """

    beginning: str
    lanes: tuple[str, ...]
    threads: bool = False

    @property
    def program(self) -> Concurrent:
        """The race as a program whose lanes begin at once."""
        lanes = tuple(lane(name, f"w{number}") for number, name in enumerate(self.lanes, 1))
        ending = (CloseWriter(_HELD), *ENDING) if self.threads and self.beginning in _OPEN_BEGINNINGS else ENDING
        return Concurrent(BEGINNINGS[self.beginning], lanes, (0,) * len(lanes), ending, self.threads)

    @property
    def pair(self) -> tuple[str, str]:
        """The name of what the first lane does, and that of what the other one does, or all others do."""
        first, *others = self.lanes
        those = f"{len(others)} {'threads' if self.threads else 'clients'}: " if len(others) > 1 else ""
        return first, those + ", ".join(others)

    @property
    def group(self) -> str:
        """Clients have streams of their own, threads share those of one client."""
        return "threads that share streams" if self.threads else "streams of several clients"

    @property
    def needs(self) -> frozenset[str]:
        """The options without which a lane's calls do nothing that another client could see: one client shows that."""
        calls = [call for calls in self.program.lanes for call in calls]
        return frozenset(_SYNCS[call.call] for call in calls if isinstance(call, Sync))


def lane(name: str, stream: str) -> Calls:
    """The calls of a lane by its name; ``stream`` is the name of one that it opens. Raises KeyError.

    Beside the tables' there are those by stream: ``append by stream``, and with hflush ``append by stream, hflush``.
    """
    opened, by_stream, more = name.partition(" by stream")
    if by_stream:
        return writing(_MODES[opened], stream, flushed=more == ", hflush")
    return (CHANGING | HOLDING | LOOKING | READING | SHARING)[name]


def stream_races(contract: Contract | None = None) -> Iterator[StreamRace]:
    """The rows of a store with that contract, by default all rows; the most telling first.

    Where reads of several threads are known to mix the stream is moved by none: all that follows would be that again.
    """
    mixes = contract is not None and any(quirk.clause == ISOLATED for quirk in (contract.quirks or NONE).all)
    for row in _rows():
        promised = contract is None or all(contract.value(name) for name in row.needs)
        if promised and not (mixes and _MOVING in row.lanes):
            yield row


def _rows() -> Iterator[StreamRace]:
    for beginning in _OPEN_BEGINNINGS:
        for holding in HOLDING:
            for looking in LOOKING:
                yield StreamRace(beginning, (holding, looking))
        for holding in ("close", "hflush and close"):
            for changing in CHANGING:
                yield StreamRace(beginning, (holding, changing))
            for mode in _MODES:
                yield StreamRace(beginning, (holding, f"{mode} by stream"))
        yield StreamRace(beginning, ("hflush and close", "read", "read"))
        yield StreamRace(beginning, ("hflush and close", "status", "read"))
    for beginning in ("nothing", "a file"):
        for number, mode in enumerate(_MODES):
            name = f"{mode} by stream"
            for looking in LOOKING:
                yield StreamRace(beginning, (f"{name}, hflush", looking))
                yield StreamRace(beginning, (name, looking))
            yield StreamRace(beginning, (f"{name}, hflush", "read", "read"))
            for changing in CHANGING:
                yield StreamRace(beginning, (name, changing))
            for other in [*_MODES][number:]:
                yield StreamRace(beginning, (name, f"{other} by stream"))
    names = list(READING)
    for number, one in enumerate(names):
        for other in names[number:]:
            if not one == other == _MOVING:
                yield StreamRace("a stream that reads", (one, other), threads=True)
    yield StreamRace("a stream that reads", tuple(names), threads=True)
    yield StreamRace("a stream that reads", tuple(name for name in names if name != _MOVING), threads=True)
    for beginning in _OPEN_BEGINNINGS:
        for other in ("write other bytes", "write a lot", "hflush again"):
            yield StreamRace(beginning, ("write", other), threads=True)
        yield StreamRace(beginning, ("write", "write other bytes", "hflush again", "read"), threads=True)
