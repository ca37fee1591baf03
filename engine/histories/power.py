"""What a loss of power may leave: which data and names were promised to survive, and whether they are there afterwards.

What hsync has returned for is there, and what was there when all was synced before the lanes began. What close saved is
there if the contract says so, and not else: "For durability guarantees, hsync() MUST be called first". What hflush made
visible need not survive. Of changes of names the text says nothing: where the contract has them durable the looks
afterwards are judged like any others, and elsewhere a file may be found under any name that it had since it was synced.

A disk that keeps what POSIX promises and no more keeps no name that its directory was not asked to sync. There a file
that is gone altogether breaks nothing, where names are not promised; one that is there without its data does.

What is lost and was not promised is counted, and never fails.

Sources: outputstream.md, "Syncable.hsync()", "Durability", "Does close() synchronize and persist data?", "HDFS and
OutputStream.close()", "Object stores".
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from fsconform.engine.histories.concurrent import History, Observed
from fsconform.engine.histories.linearizability import Linearized
from fsconform.engine.injection import DISCIPLINES, PowerLoss
from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Raised, Returned
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.options.writers import CLOSE_DURABLE, NAMESPACE_DURABLE
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import RecoverLease
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.stream_states import answer, told
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

HSYNC_DURABLE, CLOSED_DURABLE = "outputstream.hsync.post.durable", "outputstream.close.post.durable"

EXPECTED = "what it said was saved survives a loss of power"

MOST_ENDS = 64
"""Ends of a file that no promise is of, in bytes, of which each is told from what was never written."""

_NOT_FOUND = ancestry("FileNotFoundException")[0]
_REFUSALS = frozenset(
    ancestry(name)[0] for name in ("FileNotFoundException", "FileAlreadyExistsException", "ParentNotDirectoryException")
)

BEGINNING, ENDING = -1, -2


@dataclass(slots=True)
class Held:
    """A file as it was written: its bytes, how many of them are promised, and by which call."""

    content: Content
    synced: int
    by: int
    names: dict[Path, None]
    """Under which it may be found."""
    last: str
    """What last changed its bytes, or was to save them."""
    gone: bool = False
    """Whether it was deleted, or written anew: then nothing is promised of it."""
    is_open: bool = False

    @property
    def length(self) -> int:
        """In bytes, all that was written included."""
        return contents.length(self.content)

    @property
    def is_settled(self) -> bool:
        """Whether all that was written is promised."""
        return not self.is_open and self.synced == self.length

    def promise(self, number: int) -> None:
        """All that was written so far is promised from now on; what was promised before is so by the call before."""
        if self.length > self.synced:
            self.synced, self.by = self.length, number

    def fits(self, data: object) -> bool:
        """Whether what was read has what is promised, and then nothing that was never written but zeros."""
        if not isinstance(data, Data) or not self.synced <= data.length:
            return False
        if contents.is_of(self.content, data):
            return True
        if self.length - self.synced > MOST_ENDS:
            return data.length > self.synced or contents.is_of(contents.slice_of(self.content, 0, self.synced), data)
        if data.length > self.length:
            return False
        whole = b"".join(contents.chunks(self.content))
        ends = range(self.synced, data.length + 1)
        return any(hashlib.sha256(whole[:end] + bytes(data.length - end)).hexdigest() == data.digest for end in ends)


@dataclass(frozen=True, slots=True)
class Broken:
    """A promise that was not kept: of which call, which clause it breaks, and the look that shows it."""

    call: int
    clause: str
    look: int


class Ledger:
    """What was promised by the calls of a history, and what the looks afterwards show."""

    def __init__(self, history: History, contract: Contract) -> None:
        """Go through the calls, in the order in which they began."""
        self.history, self.files = history, list[Held]()
        self._at: dict[Path, Held] = {}
        self._streams: dict[str, Held] = {}
        self._close_durable = bool(contract.value(CLOSE_DURABLE))
        self._names_durable = bool(contract.value(NAMESPACE_DURABLE))
        settled = False
        for number, (call, place) in enumerate(self.history.rows):
            if place == ENDING:
                break
            if place >= 0 and not settled:
                settled = True
                self._settle()
            if _may_have_happened(call):
                self._note(number, call.operation, _happened(call), call)
        if not settled:
            self._settle()

    def _settle(self) -> None:
        """All is synced before the lanes begin, of which somebody heard that it was done."""
        for one in self.files:
            if self.history.calls[one.by].returned is not None:
                one.promise(one.by)

    def _note(self, number: int, operation: Operation, sure: bool, call: Observed) -> None:
        match operation:
            case Create(path, content):
                self._written_anew(path)
                made = self._made(path, content, number, "create")
                if sure and self._close_durable:
                    made.promise(number)
            case Append(path, content) if path in self._at:
                held = self._at[path]
                held.content, held.last = (*held.content, *content), "append"
                if sure and self._close_durable:
                    held.promise(number)
            case OpenWriter(path, stream, mode):
                if mode != "append" or path not in self._at:
                    self._written_anew(path)
                    self._made(path, contents.EMPTY, number, "create")
                held = self._streams[stream] = self._at[path]
                held.is_open = True
            case Write(stream, content) if stream in self._streams:
                held = self._streams[stream]
                held.content, held.last = (*held.content, *content), "write"
            case Sync(stream, kind) if stream in self._streams:
                held = self._streams[stream]
                held.last = kind
                if sure and kind == "hsync" and _is_kept(call):
                    held.promise(number)
            case CloseWriter(stream) if stream in self._streams:
                held = self._streams.pop(stream)
                held.is_open, held.last = not sure, "close"
                if sure and self._close_durable:
                    held.promise(number)
            case Rename(source, target):
                self._moved(source, target, sure)
            case Delete(path):
                for place, held in list(self._at.items()):
                    if place == path or is_ancestor(path, place):
                        held.gone = True
                        del self._at[place]
            case _:
                pass

    def _made(self, path: Path, content: Content, number: int, last: str) -> Held:
        held = self._at[path] = Held(content, 0, number, {path: None}, last)
        self.files.append(held)
        return held

    def _written_anew(self, path: Path) -> None:
        if path in self._at:
            self._at.pop(path).gone = True

    def _moved(self, source: Path, target: Path, sure: bool) -> None:
        for place, held in list(self._at.items()):
            if place == source or is_ancestor(source, place):
                there = (*target, *place[len(source) :])
                self._written_anew(there)
                del self._at[place]
                self._at[there] = held
                held.names = {there: None} if sure and self._names_durable else {**held.names, there: None}

    # What the looks show.

    def looks(self, kind: type[Operation]) -> dict[Path, int]:
        """The last look of a kind at each path, afterwards, of which the outcome was heard."""
        found: dict[Path, int] = {}
        for number, (call, place) in enumerate(self.history.rows):
            if place == ENDING and type(call.operation) is kind and call.returned is not None:
                found[call.operation.path] = number  # type: ignore[attr-defined]
        return found

    def broken(self) -> Broken | None:
        """The first promise that was not kept, as far as was looked."""
        opened = self.looks(Open)
        for held in self.files:
            if held.gone or not held.synced or not all(path in opened for path in held.names):
                continue
            outcomes = [self.history.calls[opened[path]].outcome for path in held.names]
            if any(isinstance(one, Returned) and held.fits(one.value) for one in outcomes):
                continue
            if self._is_posix and not self._names_durable and all(map(_is_missing, outcomes)):
                continue
            look = next((opened[path] for path in held.names if not self._missing(opened[path])), None)
            return Broken(held.by, self._clause(held.by), opened[next(iter(held.names))] if look is None else look)
        return None

    @property
    def _is_posix(self) -> bool:
        fault = self.history.program.fault
        return isinstance(fault, PowerLoss) and fault.discipline == DISCIPLINES[1]

    def _missing(self, number: int) -> bool:
        return _is_missing(self.history.calls[number].outcome)

    def _clause(self, number: int) -> str:
        """Where close persists nothing it is what the disks had synced: "all the way to the disk device"."""
        synced = isinstance(self.history.calls[number].operation, Sync) or not self._close_durable
        return HSYNC_DURABLE if synced else CLOSED_DURABLE

    def judgeable(self) -> History:
        """The history without the looks at what nothing is promised of, as others are judged."""
        unread = {path for held in self.files if held.gone or not held.is_settled for path in held.names}
        unseen = {path for held in self.files if held.is_open or held.last == "write" for path in held.names}
        rows = [
            (call, place) for call, place in self.history.rows if place != ENDING or not _is_of(call, unread, unseen)
        ]
        return replace(self.history, calls=tuple(call for call, _ in rows), places=tuple(place for _, place in rows))

    def lost(self) -> Iterator[str]:
        """What was lost that nothing promised, in words."""
        opened, seen = self.looks(Open), self.looks(GetFileStatus)
        for held in self.files:
            if held.gone or held.is_settled or not all(path in opened for path in held.names):
                continue
            outcomes = [self.history.calls[opened[path]].outcome for path in held.names]
            if not any(isinstance(one, Returned) and contents.is_of(held.content, one.value) for one in outcomes):
                yield f"what {held.last} saved"
        if self._names_durable:
            return
        for call, place in self.history.rows:
            if place < 0 or not _happened(call):
                continue
            match call.operation:
                case Rename(_, target) if target in seen and self._missing(seen[target]):
                    yield "a rename"
                case Mkdirs(path) if path in seen and self._missing(seen[path]):
                    yield "a directory that was made"
                case Delete(path) if path in seen and isinstance(self.history.calls[seen[path]].outcome, Returned):
                    yield "a deletion"
                case _:
                    pass


def judged(
    contract: Contract, history: History, search: Callable[[History], Linearized]
) -> tuple[Broken | None, Linearized | None, tuple[str, ...]]:
    """The promise that was not kept; or else what a search found of the rest, where changes of names are promised.

    Last comes what was lost that nothing promised. Raises what the search raises.
    """
    ledger = Ledger(history, contract)
    found, lost = ledger.broken(), tuple(ledger.lost())
    if found is not None or not contract.value(NAMESPACE_DURABLE):
        return found, None, lost
    trimmed = ledger.judgeable()
    searched = search(trimmed)
    kept = [number for number, call in enumerate(history.calls) if any(call is one for one in trimmed.calls)]
    places = dict(enumerate(kept))
    order = tuple(places[number] for number in searched.order if number in places)
    return None, replace(searched, order=order, stuck=tuple(places[number] for number in searched.stuck)), lost


def clauses_of(history: History) -> Iterator[str]:
    """The clauses that a loss of power is judged by, each as often as a call of the lanes promised it."""
    for call, place in history.rows:
        if place >= 0 and _happened(call):
            if isinstance(call.operation, Sync) and call.operation.call == "hsync":
                yield HSYNC_DURABLE
            elif isinstance(call.operation, Create | Append | CloseWriter):
                yield CLOSED_DURABLE


def _is_of(call: Observed, unread: set[Path], unseen: set[Path]) -> bool:
    """Whether a look shows something of files of which nothing is promised."""
    match call.operation:
        case Open(path):
            return path in unread
        case GetFileStatus(path):
            return path in unseen
        case ListStatus(path):
            return any(one[:-1] == path or one == path for one in unseen)
        case RecoverLease():
            return True
    return False


def _happened(call: Observed) -> bool:
    return call.returned is not None and isinstance(call.outcome, Returned) and call.outcome.value is not False


def _may_have_happened(call: Observed) -> bool:
    """Whether a call may have changed something: it returned, or failed with no answer that says that it did not."""
    if not call.operation.MUTATES or call.outcome == Returned(False):
        return False
    return not isinstance(call.outcome, Raised) or not (_REFUSALS & {*call.outcome.classes})


def _is_kept(call: Observed) -> bool:
    """Whether hsync of a stream that says that it can was done."""
    value = call.outcome.value if isinstance(call.outcome, Returned) else None
    return answer(value) == "done" and (told(value, "capability") or told(value, "syncable"))


def _is_missing(outcome: object) -> bool:
    return isinstance(outcome, Raised) and _NOT_FOUND in outcome.classes
