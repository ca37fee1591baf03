"""The suite of networks that fail: a client's link to a server of the store fails at a request of a call.

One client goes by links: it performs a scenario, in which one of its requests meets a fault. The other makes what is
there before and looks afterwards, by no link. A call that returned did what it says, once; one that raised an
IOException did it or did not, and nothing in between; a reader has the right bytes, or an error.

First all places are tried, one after another: each scenario, each request of it, each fault. Then scenarios are drawn
by chance with faults that come several times, and later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from random import Random

from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.injection import ABORT, DATANODE, FTP, NAMENODE, S3, SERVER, SFTP, WEBHDFS, Wire
from fsconform.model.core import content
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.truncate import Truncate
from fsconform.model.filesystem.options.changes import SUPPORTS_CONCAT, SUPPORTS_TRUNCATE
from fsconform.model.filesystem.options.core import SUPPORTS_APPEND
from fsconform.model.filesystem.options.writers import CREATE_VISIBILITY_DELAYED, SUPPORTS_HFLUSH
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.suites.race_rows import Once

A, B, D = ("a",), ("b",), ("d",)
_OLD, _FIRST, _SECOND, _NEW = (content.of(seed, size) for seed, size in ((1, 3), (2, 5), (3, 8), (4, 9)))
_LARGE, _OF_PARTS = content.of(6, 300_000), content.of(7, 11 << 20)
_HELD = "held"

_FILE: Calls = (Create(A, _OLD, False),)
_TWO: Calls = (*_FILE, Create(B, _FIRST, False))
_TREE: Calls = (Create((*A, "f"), _OLD, False), Create((*A, "s", "g"), _NEW, False), Mkdirs((*A, "s", "e")))
_WRITTEN: Calls = (OpenWriter(A, _HELD, "create"), Write(_HELD, _FIRST))

_UPLOAD = (("CREATE-UPLOAD", 1), ("PART", 2), ("COMPLETE", 1))
_DELAYED, _ABORT = (CREATE_VISIBILITY_DELAYED,), ((ABORT, 1),)


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a client does by a link, and what is there before.

    ``calls`` is how many requests it makes of a NameNode, ``transfers`` of a DataNode, ``requests`` of an S3 server, as
    far as they are tried one by one. ``named`` are requests of S3 that fail by their names, each with how many of them.
    ``needs`` are options that the store's contract must give.
    """

    beginning: Calls
    lane: Calls
    calls: int
    transfers: int
    requests: int
    needs: tuple[str, ...] = ()
    named: tuple[tuple[str, int], ...] = ()


SCENARIOS: dict[str, Scenario] = {
    "create": Scenario((), (Create(A, _NEW, False),), 3, 1, 4),
    "create, large": Scenario((), (Create(A, _LARGE, False),), 3, 1, 4),
    "create over": Scenario(_FILE, (Create(A, _NEW, True),), 3, 1, 3),
    "append": Scenario(_FILE, (Append(A, _NEW),), 3, 1, 0, (SUPPORTS_APPEND,)),
    "append twice": Scenario(_FILE, (Append(A, _NEW), Append(A, _SECOND)), 6, 2, 0, (SUPPORTS_APPEND,)),
    "mkdirs": Scenario((), (Mkdirs((*A, "s", "t")),), 1, 0, 5),
    "rename a file": Scenario(_FILE, (Rename(A, D),), 1, 0, 8, (), (("COPY", 1), ("DELETE", 1))),
    "rename a tree": Scenario(_TREE, (Rename(A, D),), 1, 0, 10, (), (("COPY", 3), ("DELETE-MANY", 1))),
    "rename and back": Scenario(_FILE, (Rename(A, D), Rename(D, A)), 2, 0, 0),
    "delete a file": Scenario(_FILE, (Delete(A, False),), 1, 0, 4, (), (("DELETE", 1),)),
    "delete a tree": Scenario(_TREE, (Delete(A, True),), 1, 0, 6, (), (("DELETE-MANY", 1),)),
    "write and close": Scenario((), (*_WRITTEN, CloseWriter(_HELD)), 3, 1, 4),
    "write, hflush and close": Scenario(
        (), (*_WRITTEN, Sync(_HELD, "hflush"), Write(_HELD, _SECOND), CloseWriter(_HELD)), 4, 1, 0, (SUPPORTS_HFLUSH,)
    ),
    "create, in parts": Scenario((), (Create(A, _OF_PARTS, False),), 0, 0, 0, (), _UPLOAD),
    "create over, in parts": Scenario(_FILE, (Create(A, _OF_PARTS, True),), 0, 0, 0, (), (("COMPLETE", 1),)),
    "write and close, in parts": Scenario(
        (), (OpenWriter(A, _HELD, "create"), Write(_HELD, _OF_PARTS), CloseWriter(_HELD)), 0, 0, 0, (), _UPLOAD
    ),
    "abort, in parts": Scenario(
        (), (OpenWriter(A, _HELD, "create"), Write(_HELD, _OF_PARTS), AbortWriter(_HELD)), 0, 0, 0, _DELAYED, _ABORT
    ),
    "abort over, in parts": Scenario(
        _FILE,
        (OpenWriter(A, _HELD, "overwrite"), Write(_HELD, _OF_PARTS), AbortWriter(_HELD)),
        *(0, 0, 0, _DELAYED, _ABORT),
    ),
    "concat": Scenario(_TWO, (Concat(A, (B,)),), 1, 0, 0, (SUPPORTS_CONCAT,)),
    "truncate": Scenario(_FILE, (Truncate(A, 1),), 1, 0, 0, (SUPPORTS_TRUNCATE,)),
    "read": Scenario(_FILE, (Open(A),), 1, 1, 2),
    "read, large": Scenario((Create(A, _LARGE, False),), (Open(A),), 1, 1, 2),
    "status and listing": Scenario(_TREE, (GetFileStatus(A), ListStatus(A)), 2, 0, 4),
}
"""By what a reader calls them."""

LOOKS: Calls = (
    Open(A),
    Open(B),
    Open(D),
    Open((*A, "f")),
    Open((*A, "s", "g")),
    Open((*D, "s", "g")),
    *(GetFileStatus(path) for path in (A, B, D, (*A, "s", "t"))),
    *(ListStatus(path) for path in (A, D, (*A, "s"), (*D, "s"), ())),
)
"""What the other client looks at afterwards: what is narrow comes first."""

ENDPOINT, SOCKET = "endpoint", "socket"
LINKS = (NAMENODE, DATANODE, S3, FTP, SFTP, WEBHDFS, ENDPOINT, SOCKET, SERVER)
"""What the links of stores lead to; endpoint and socket are that of a store which the user named, with HTTP or without,
and the server is that in memory.
"""

_OF_HTTP = ("reset", "lose-reply", "slow-down", "too-many", "server-error", "truncated", "wrong-length", "twice")
_OF_WEBHDFS = ("reset", "lose-reply", "slow-down", "server-error", "truncated", "wrong-length")
"""What a gateway before a NameNode may do. Nothing delivers a request twice there: only a client tries again."""

_OF_FTP = {
    "create": ("STOR",),
    "create, large": ("STOR",),
    "create over": ("STOR",),
    "mkdirs": ("MKD",),
    "rename a file": ("RNFR", "RNTO"),
    "rename a tree": ("RNFR", "RNTO"),
    "rename and back": ("RNTO",),
    "delete a file": ("DELE",),
    "delete a tree": ("DELE", "RMD"),
    "write and close": ("STOR",),
    "read": ("LIST", "RETR"),
    "read, large": ("RETR",),
    "status and listing": ("LIST",),
}
"""Verbs of FTP that fail by their names."""

_OF_BYTES = ((0, 1, 3, 12, 100, 100_000), (20, 100, 100_000))
"""Bytes of a transfer's reply, and of the transfer, after which it is cut off."""

SILENT = frozenset(("half-open", "latency", "jitter", "slow"))
"""Faults that take time-outs, or the time that they say."""

_AMOUNTS = {"latency": 300, "jitter": 200, "slow": 64}


@dataclass(frozen=True, slots=True)
class LinkFailure(Once):
    """A scenario, and how the network fails meanwhile."""

    scenario: str
    fault: Wire

    @property
    def program(self) -> Concurrent:
        """As a concurrent program: the client that waits and looks leads."""
        one = SCENARIOS[self.scenario]
        return Concurrent(one.beginning, ((), one.lane), (0, 0), LOOKS, fault=self.fault)

    @property
    def pair(self) -> tuple[str, str]:
        """What the client does, and what happens on which link."""
        of = f" of {self.fault.request}" if self.fault.request else ""
        return self.scenario, f"{self.fault.fault}{of} at {self.fault.part}"

    @property
    def group(self) -> str:
        """What their table is of."""
        return "the network fails"

    @property
    def is_slow(self) -> bool:
        """Whether it takes time-outs."""
        return self.fault.fault in SILENT


def _of_namenode(one: Scenario, part: str) -> Iterator[Wire]:
    for count in range(1, one.calls + 1):
        yield from (Wire(part, 0, fault, "", count) for fault in ("lose-reply", "reset"))
        yield Wire(part, 0, "cut-reply", "", count, 7)
    yield from (Wire(part, 0, "lose-reply", "", count, 0, 9) for count in range(1, one.calls + 1))
    yield from _slow(part, one.calls)


def _of_datanode(one: Scenario, part: str) -> Iterator[Wire]:
    replies, requests = _OF_BYTES
    for count in range(1, one.transfers + 1):
        yield from (Wire(part, 0, fault, "", count) for fault in ("lose-reply", "reset"))
        yield from (Wire(part, 0, "cut-reply", "", count, amount) for amount in replies)
        yield from (Wire(part, 0, "cut-request", "", count, amount) for amount in requests)
    yield from _slow(part, one.transfers)


def _of_http(one: Scenario, part: str) -> Iterator[Wire]:
    for count in range(1, one.requests + 1):
        yield from (Wire(part, 0, fault, "", count) for fault in _OF_HTTP)
        yield from (Wire(part, 0, fault, "", count, 0, 9) for fault in ("lose-reply", "slow-down"))
    if one.requests:
        yield from (Wire(part, 0, "cut-reply", "", 1, amount) for amount in (14, 200, 400))
        yield from _slow(part, 1)


def _of_s3(one: Scenario, part: str) -> Iterator[Wire]:
    yield from _of_http(one, part)
    for name, requests in one.named:
        for count in range(1, requests + 1):
            yield from (Wire(part, 0, fault, name, count) for fault in _OF_HTTP)
        yield from (Wire(part, 0, fault, name, 1, 0, 9) for fault in ("lose-reply", "server-error"))


def _of_socket(one: Scenario, part: str) -> Iterator[Wire]:
    if not one.calls:
        return
    for count in (1, 2, 3, 5, 8, 13, 21, 34):
        yield from (Wire(part, 0, fault, "", count) for fault in ("lose-reply", "reset"))
        yield from (Wire(part, 0, "cut-reply", "", count, amount) for amount in (0, 20))
    yield from _slow(part, 1)


def _of_ftp(name: str, one: Scenario, part: str) -> Iterator[Wire]:
    yield from _of_socket(one, part)
    for verb in _OF_FTP.get(name, ()):
        yield from (Wire(part, 0, fault, verb) for fault in ("lose-reply", "reset"))


def _of_webhdfs(one: Scenario, part: str) -> Iterator[Wire]:
    for count in range(1, one.calls + 1):
        yield from (Wire(part, 0, fault, "", count) for fault in _OF_WEBHDFS)
    if one.calls:
        yield Wire(part, 0, "lose-reply", "", 1, 0, 9)
        yield from (Wire(part, 0, "cut-reply", "", 1, amount) for amount in (14, 200, 400))
        yield from _slow(part, 1)


def _of_memory(one: Scenario, part: str) -> Iterator[Wire]:
    for count in range(1, len(one.lane) + 1 if one.calls else 1):
        yield from (Wire(part, 0, fault, "", count) for fault in ("lose-reply", "reset"))
        yield Wire(part, 0, "half-open", "", count)
    for name, _ in one.named if one.named == _ABORT else ():
        yield from (Wire(part, 0, fault, name, 1, 0, times) for fault in ("lose-reply", "reset") for times in (9, 1))


def _slow(part: str, requests: int) -> Iterator[Wire]:
    for count in range(1, requests + 1):
        yield Wire(part, 0, "half-open", "", count)
    if requests:
        yield from (Wire(part, 0, fault, "", 1, amount) for fault, amount in _AMOUNTS.items())


_OF_LINKS = {
    NAMENODE: _of_namenode,
    DATANODE: _of_datanode,
    S3: _of_s3,
    SFTP: _of_socket,
    WEBHDFS: _of_webhdfs,
    ENDPOINT: _of_http,
    SOCKET: _of_socket,
    SERVER: _of_memory,
}


def _failures(name: str, part: str) -> Iterator[Wire]:
    """How a link fails in a scenario."""
    if part == FTP:
        return _of_ftp(name, SCENARIOS[name], part)
    return _OF_LINKS[part](SCENARIOS[name], part)


def scenarios(contract: Contract | None) -> list[str]:
    """The scenarios that a store with a contract has; all of them for None."""
    return [
        name
        for name, one in SCENARIOS.items()
        if contract is None or all(contract.value(option) for option in one.needs)
    ]


def wires(contract: Contract | None) -> Iterator[LinkFailure]:
    """Every scenario with each fault at each request, on each link."""
    for name in scenarios(contract):
        for link in LINKS:
            yield from (LinkFailure(name, fault) for fault in _failures(name, link))


def drawn_wires(contract: Contract, seed: int, links: Collection[str]) -> Iterator[LinkFailure]:
    """Scenarios by chance, without end, in which a link fails at some request, and at some of those after it."""
    dice = Random(f"wires {seed}")
    names, parts = scenarios(contract), [one for one in LINKS if one in links]
    while parts and names:
        name, part = dice.choice(names), dice.choice(parts)
        known = [one for one in _failures(name, part) if one.fault not in SILENT]
        if not known:
            continue
        fault = dice.choice(known)
        one = SCENARIOS[name]
        most = {NAMENODE: one.calls, WEBHDFS: one.calls, S3: one.requests, SOCKET: 8, FTP: 21, SFTP: 21}.get(part, 1)
        if fault.request:
            yield LinkFailure(name, replace(fault, times=dice.randint(1, 4)))
        elif fault.fault in ("cut-reply", "cut-request"):
            yield LinkFailure(name, Wire(part, 0, fault.fault, "", fault.count, dice.randrange(200)))
        else:
            count = dice.randint(1, most)
            yield LinkFailure(name, Wire(part, 0, fault.fault, "", count, 0, dice.randint(1, 4)))
