"""How module OutputStream and the reference model correspond: states, calls and outcomes, both ways.

A chunk of the module is one byte, as in the namespace's. The module ends where nothing is known of a stream any more:
what the model has there is not compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from immutables import Map

from fsconform.engine.formal.equality import Reading, Source
from fsconform.engine.formal.namespace import ERRORS, FILE_BLOCK, RESULTS, content
from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned, Status, facts
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.options.core import SUPPORTS_APPEND, SUPPORTS_STRICT_EXCEPTIONS
from fsconform.model.filesystem.options.listing import LISTED_TIMES_DIFFER
from fsconform.model.filesystem.options.writers import (
    CREATE_VISIBILITY_DELAYED,
    METADATA_UPDATED_ON_HSYNC,
    SUPPORTS_HFLUSH,
    SUPPORTS_HSYNC,
)
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.stream_capabilities import WriterCapability
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.state import EMPTY, File, State, Writer, locate, put
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.model.filesystem.stream_scripts import told_bytes, told_error

CONSTANTS: Mapping[str, str] = {
    "SupportsAppend": SUPPORTS_APPEND,
    "SupportsStrictExceptions": SUPPORTS_STRICT_EXCEPTIONS,
    "SupportsHflush": SUPPORTS_HFLUSH,
    "SupportsHsync": SUPPORTS_HSYNC,
    "CreateVisibilityDelayed": CREATE_VISIBILITY_DELAYED,
    "MetadataUpdatedOnHsync": METADATA_UPDATED_ON_HSYNC,
    "ListedTimesDiffer": LISTED_TIMES_DIFFER,
}
"""The module's constants that are options of the contract."""

PATH = ("f",)
"""The one path of the module."""

SYNC_FACTS = ("capability", "syncable")
ABORT_FACTS = ("already", "capability", "path", "abortable")

Old = tuple[Content, ...]
"""What a file holds; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The finite model: chunks, and the length of files in chunks."""

    chunks: tuple[str, ...] = ("x",)
    length: int = 1


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the module's ``act`` names it. ``how`` is a mode, a call that syncs, or a capability."""

    op: str
    stream: str
    how: str = ""
    data: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of the module's. One that is not open has a phase and nothing else."""

    phase: str
    content: Content = ()
    least: int = 0
    synced: int = 0
    appends: bool = False
    before: Old = ()
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """What both sides tell states by: the file, unless it is being written, and the streams that were opened."""

    file: Old
    streams: frozenset[tuple[str, Stream]]


@dataclass(frozen=True, slots=True)
class Answer:
    """One allowed outcome. ``dev`` breaks a SHOULD; ``after`` is None where nothing is known any more."""

    res: str
    told: frozenset[str]
    read: tuple[str, ...]
    length: int
    dev: bool
    after: Situation | None


def state(file: Sequence[Sequence[str]], streams: Iterable[Sequence[Any]]) -> State:
    """The model's state for the module's; of each stream it is told how many bytes are saved for certain."""
    held = [content(one) for one in file]
    root, known = EMPTY, EMPTY.writers
    for name, phase, written, least, synced, appends, before, shown in streams:
        if phase == "none":
            continue
        if phase == "open":
            old = [File(content(one)) for one in before]
            first = old[0] if old else None
            known = known.set(
                name, Writer(PATH, content(written), "open", least, synced, first, len(old), appends, shown)
            )
            held = [first.content if appends and first is not None else contents.EMPTY]
        else:
            known = known.set(name, Writer(PATH, contents.EMPTY, phase))
    if held:
        root = put(root, PATH, File(held[0]))
    return replace(root, writers=known)


def situation(root: State) -> Situation | None:
    """What a state of the model's is told by; None where nothing is known."""
    node = locate(root, PATH)
    file: Old = (node.content,) if isinstance(node, File) else ()
    streams: Map[str, Stream] = Map()
    for name, one in root.writers.items():
        if one.phase == "astray":
            return None
        if one.phase == "open":
            file = ()
            before = (one.before.content,) if one.before is not None else ()
            told = Stream("open", one.content, one.least, one.synced, one.appends, before, one.shown)
            streams = streams.set(name, told)
        else:
            streams = streams.set(name, Stream(one.phase))
    return Situation(file, frozenset(streams.items()))


def operation(call: Call) -> Operation:
    """The operation of a call. Raises ValueError for a call that the model has not."""
    match call.op:
        case "open to write":
            return OpenWriter(PATH, call.stream, call.how)
        case "write":
            return Write(call.stream, content(call.data))
        case "sync":
            return Sync(call.stream, call.how)
        case "hasCapability":
            return WriterCapability(call.stream, call.how)
        case "close":
            return CloseWriter(call.stream)
        case "abort":
            return AbortWriter(call.stream)
        case "open":
            return Open(PATH)
        case "getFileStatus":
            return GetFileStatus(PATH)
        case "exists":
            return Exists(PATH)
        case "observe":
            return Observe(PATH)
    raise ValueError(f"the model has no call {call.op!r}")


Possible = tuple[str, frozenset[str], tuple[str, ...], int, Outcome]
"""An outcome as the module tells it (result, facts, bytes, length), and as the model has it."""

_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=1 << 10)
def answers(call: Call, bounds: Bounds) -> tuple[Possible, ...]:
    """Every outcome that a call could have in the finite model, right or wrong."""
    return tuple(_possible(call, bounds))


def _possible(call: Call, bounds: Bounds) -> Iterator[Possible]:
    if call.op in ("sync", "abort"):
        yield from _told(call)
        return
    if call.op == "observe":
        yield from _seen(bounds)
        return
    for error in ERRORS:
        yield error, _NONE, (), 0, Raised(ancestry(error))
    match call.op:
        case "open":
            for chunks in _files(bounds):
                yield "read", _NONE, chunks, 0, Returned(Data(len(chunks), contents.digest(content(chunks)) or ""))
        case "getFileStatus":
            for length in range(bounds.length + 2):
                yield "status", _NONE, (), length, Returned(Status(PATH, False, length, FILE_BLOCK))
        case "exists" | "hasCapability":
            yield "true", _NONE, (), 0, Returned(True)
            yield "false", _NONE, (), 0, Returned(False)
        case _:
            yield RESULTS[None], _NONE, (), 0, Returned(None)


def _files(bounds: Bounds) -> Iterator[tuple[str, ...]]:
    for length in range(bounds.length + 1):
        yield from itertools.product(bounds.chunks, repeat=length)


def _seen(bounds: Bounds) -> Iterator[Possible]:
    """What may be seen of a file, or of what is missing; its entry in the listing has the length, another, or is none.

    What is missing has no status from which listings could differ.
    """
    files = [("seen", chunks, told_bytes(b"".join(contents.chunks(content(chunks))))) for chunks in _files(bounds)]
    errors = [(error, (), told_error(ancestry(error))) for error in ERRORS]
    none: tuple[str, ...] = ()
    apart = [(), ("disagree",), ("untimely",), ("disagree", "untimely")]
    for read in (*files, *errors):
        yield _one_seen(read, "missing", -1, "not listed", none)
        yield _one_seen(read, "missing", -1, "listed otherwise", none)
        yield _one_seen(read, "directory", 0, "", none)
        for length, more, listing in itertools.product(range(bounds.length + 2), apart, _LISTINGS):
            if read in files or not (more or listing):
                yield _one_seen(read, "file", length, listing, more)


_LISTINGS = ("", "not listed", "listed otherwise")


def _one_seen(
    read: tuple[str, tuple[str, ...], str], status: str, length: int, listing: str, more: tuple[str, ...]
) -> Possible:
    res, chunks, answer = read
    told = frozenset({listing, status, *more} - {"", "file"})
    listed = {"": length, "not listed": -1, "listed otherwise": length + 1}[listing]
    values = {name: name if name in more else "" for name in ("disagree", "untimely")}
    seen = facts("seen", status=status, length=length, read=answer, listed=listed, **values)
    return res, told, chunks, max(length, 0), Returned(seen)


def _told(call: Call) -> Iterator[Possible]:
    """The outcomes of what tells facts; of flush none of them counts, and what was refused has no result to ask."""
    names = ABORT_FACTS if call.op == "abort" else SYNC_FACTS if call.how != "flush" else ()
    kind = "abort" if call.op == "abort" else "sync"
    for res in ("done", *ERRORS):
        answer = res if res == "done" else told_error(ancestry(res))
        asked = [name for name in names if res == "done" or name != "already"]
        for choice in itertools.product((False, True), repeat=len(asked)):
            values = dict.fromkeys(names, False) | dict(zip(asked, choice, strict=True))
            true = frozenset(name for name, value in values.items() if value)
            yield res, true, (), 0, Returned(facts(kind, answer=answer, **values))


def allowed_by(oracle: Oracle, root: State, call: Call, bounds: Bounds) -> set[Answer]:
    """All that the oracle allows of a call in a state, as far as the finite model has it."""
    asked, here = operation(call), situation(root)
    found: dict[tuple[Any, ...], bool] = {}
    for res, told, read, length, outcome in answers(call, bounds):
        for branch, after in oracle.step(root, asked, outcome):
            if after is not None and not _hold(after, bounds):
                continue
            key = (res, told, read, length, here if after is root else None if after is None else situation(after))
            found[key] = found.get(key, True) and branch.deviates
    return {Answer(res, told, read, length, dev, after) for (res, told, read, length, after), dev in found.items()}


def _hold(root: State, bounds: Bounds) -> bool:
    return all(one.length <= bounds.length for one in root.writers.values())


# --- what TLC prints, and words


def _source(fields: list[Any]) -> Source:
    file, streams, transitions = fields
    root = state(file, streams)
    here = situation(root)
    allowed: dict[Call, set[Answer]] = {}
    for op, stream, how, data, res, dev, out, told, read, length, post in transitions:
        outcomes = allowed.setdefault(Call(op, stream, how, tuple(data)), set())
        if not res:
            continue
        after = None if out else situation(state(*post)) if post else here
        outcomes.add(Answer(res, frozenset(told), tuple(read), length, dev, after))
    return Source(root, False, allowed)


def _difference(root: State, call: Call, answer: Answer, who: str) -> str:
    shown = ", ".join(filter(None, (call.stream, call.how, "".join(call.data))))
    parts = (answer.res, *sorted(answer.told), "".join(answer.read), str(answer.length or ""))
    result = " ".join(filter(None, parts)) + (" deviating" if answer.dev else "")
    here, after = _shown(situation(root)), _shown(answer.after)
    return f"only {who} allows {call.op}({shown}) in {here} to give {result} and leave {after}"


def _shown(one: Situation | None) -> str:
    if one is None:
        return "nothing known"
    streams = (f"{name} {_words(stream)}" for name, stream in sorted(one.streams, key=lambda pair: pair[0]))
    return "; ".join((f"a file of {contents.length(one.file[0])}" if one.file else "no file", *streams))


def _words(stream: Stream) -> str:
    if stream.phase != "open":
        return stream.phase
    before = f", before it {contents.length(stream.before[0])}" if stream.before else ""
    flushed = f"{stream.least} {'shown' if stream.shown else 'seen'}"
    seen = f"{contents.length(stream.content)} written, {flushed}, {stream.synced} synced"
    return f"open{' to append' if stream.appends else ''}, {seen}{before}"


READING = Reading(_source, allowed_by, _difference)
