"""Which call of a history that no order explains is at fault, and which clause that breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fsconform.engine.histories import confirming
from fsconform.engine.histories.breaches import COMPLETE, OPENED, breaches, clauses_of_cleanups
from fsconform.engine.histories.concurrent import History, Observed
from fsconform.engine.histories.execution import ENDING, error_classes
from fsconform.engine.histories.race_subject import Blame
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME
from fsconform.engine.injection import Crash, Medium, Wire
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned, Unknown
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.read_stream import ReadOn
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.options.writers import EXCLUSIVE_WRITER
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.leases import RecoverLease
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.stream_scripts import POSITIONED, parse
from fsconform.model.filesystem.transfer.uploads import Upload
from fsconform.records.results import RaceOutcome

Judge = confirming.Judge[Operation, Outcome]

_IO_ERROR = ancestry("IOException")[0]

ATOMIC: dict[type[Operation], str] = {
    Rename: "filesystem.rename.atomic",
    RenameWith: "rename.rename3.atomic",
    Create: "introduction.atomicity.create",
    Delete: "filesystem.delete.atomic",
    Mkdirs: "filesystem.mkdirs.atomic",
    Append: "outputstream.concurrent.writers",
    Sync: "outputstream.sync.post.visible",
    CloseWriter: "outputstream.close.post.metadata",
    RecoverLease: "leaserecoverable.recoverLease.post.recovery",
    Write: "outputstream.saved",
    OpenWriter: "outputstream.concurrent.writers",
    Upload: "multipartuploader.complete.post.data",
}
"""What a call breaks that others saw half done, or that was lost: of several, the first is the one that is named."""

VISIBLE: dict[type[Operation], str] = {
    Rename: "introduction.consistency.rename",
    RenameWith: "introduction.consistency.rename",
    Create: "introduction.consistency.create",
    Delete: "introduction.consistency.delete",
    Mkdirs: "filesystem.mkdirs.post",
    Append: "filesystem.append.post",
    Sync: "outputstream.sync.post.visible",
    CloseWriter: "introduction.consistency.create",
    RecoverLease: "leaserecoverable.recoverLease.post.recovery",
    Write: "outputstream.saved",
    OpenWriter: "introduction.consistency.create",
    Upload: "multipartuploader.complete.post.data",
}
"""What a call breaks that others did not see though it had returned."""

PERSISTED: dict[type[Operation], str] = dict.fromkeys((Create, Append), "outputstream.close.post.durable")
"""What a call breaks that had returned, and whose bytes are gone once a daemon was killed and started again."""

_OF_PROMISES: dict[str, tuple[type[Operation], ...]] = {
    ATOMIC_RENAME: (Rename,),
    ATOMIC_DELETE: (Delete,),
    EXCLUSIVE_WRITER: (Append, Create, OpenWriter),
}

THREAD_SAFE = "fsdatainputstream.positioned.thread-safe"
ISOLATED = "fsdatainputstream.positioned.isolated"
"""What is broken if threads that read one stream at once get other bytes than one by one."""

IMPACT: dict[RaceOutcome, str] = {
    "both won": "data lost",
    "lost update": "data lost",
    "stale": "visible too late or too long",
    "seen half-done": "wrong answer",
    "wrongly refused": "wrong error",
}
"""What each outcome means for who uses the store: one of ``records.results.IMPACTS``."""

SHARED = "outputstream.thread-safe"
"""What is broken if threads that write through one stream at once do not come to what some order of them does."""

_THROUGH_ONE = Write | Sync | CloseWriter
"""Calls through a stream that threads share."""

IO_EXCEPTION, RETRIES = "introduction.network.ioexception", "introduction.retries.order"
"""What is broken on a network that fails: by a call's error, by what it did twice or denied."""

SAME_FOR_ALL = "introduction.consistency.all-clients"

OF_LINKS: dict[type[Operation], str] = {CloseWriter: "outputstream.close.uploads", Open: "filesystem.open.post"}
"""What a call breaks by its answer on a network that fails, where that is not that it was tried again."""

LIMIT, NO_RUNTIME_EXCEPTION = "outputstream.write.limit", "introduction.failures.no-runtime-exception"
"""What an error breaks that is no IOException, or false in place of one, on a medium that fails: of a write, of others.
"""

OF_MEDIA: dict[type[Operation], str] = {
    Open: "filesystem.open.post",
    ReadOn: "fsdatainputstream.read-buffer.post.bytes",
    CloseWriter: "outputstream.saved",
}
"""What a call breaks by its answer on a medium that fails, where that is not what others do not see of it."""

UNHEARD = Unknown("taken for a call of which nobody heard")


def blame(judge: Judge, history: History, broken: Sequence[str] = ()) -> Blame:
    """The changing call that explains all once nothing is asked of it: it may have happened at any time, or never.

    Where another client looked only after that call had returned, what it did was not seen in time. If no single call
    explains all, it is the first in the order of :data:`ATOMIC`. Of promises that are ``broken`` it is a call that the
    first of them is of. Where nothing changed it is a read of several threads.
    """
    if isinstance(history.program.fault, Wire):
        return _of_links(judge, history)
    if isinstance(history.program.fault, Medium):
        return _of_media(judge, history)
    order = list(ATOMIC)
    changing = [
        number for number, place in enumerate(history.places) if place >= 0 and _kind(history, number) in ATOMIC
    ]
    changing.sort(key=lambda number: order.index(_kind(history, number)))
    for number in changing if broken else ():
        if isinstance(history.calls[number].operation, _OF_PROMISES[broken[0]]):
            return Blame(number, _halved(history, number))
    for number in changing:
        if not judge.judge(without(history, [number])).fails:
            late = looks_after(history, number)
            if late and not judge.judge(without(history, late)).fails:
                return Blame(number, _lost(history, number) or VISIBLE[_kind(history, number)], unseen=True)
            return Blame(number, _halved(history, number))
    reads = [
        number for number, (call, place) in enumerate(history.rows) if place >= 0 and isinstance(call.operation, ReadOn)
    ]
    if reads and not changing:
        return _of_reads(judge, history, reads)
    first = changing[0] if changing else 0
    return Blame(first, _lost(history, first) or _halved(history, first))


def _lost(history: History, number: int) -> str:
    """The clause that a call breaks which had returned before a daemon was back that was killed; empty for others."""
    call, away = history.calls[number], history.away
    if not isinstance(history.program.fault, Crash) or away is None or call.returned is None:
        return ""
    return PERSISTED.get(type(call.operation), "") if call.returned < away.ended else ""


def _of_links(judge: Judge, history: History) -> Blame:
    """The call of the lanes that was wrong where the network failed: one that broke something by itself, or its error.

    Else the first that explains all once nothing is asked of it, or the last that changes something.
    """
    for one in breaches(history):
        return Blame(one.call, one.clause)
    own = [number for number, place in enumerate(history.places) if place >= 0]
    for number in own:
        outcome = history.calls[number].outcome
        if isinstance(outcome, Raised) and _IO_ERROR not in outcome.classes:
            return Blame(number, IO_EXCEPTION)
    own.sort(key=lambda number: _kind(history, number) not in OF_LINKS)
    wrong = (number for number in own if not judge.judge(without(history, [number])).fails)
    found = next(wrong, next((number for number in reversed(own) if history.calls[number].operation.MUTATES), 0))
    return Blame(found, _clause_of_links(history.calls[found].operation))


def _of_media(judge: Judge, history: History) -> Blame:
    """The call that was wrong where a medium failed: one that raises no IOException, or that can't be explained.

    The first of those that explain all once nothing is asked of them, or of all of their kind; else the last change.
    """
    own = [number for number, place in enumerate(history.places) if place >= 0]
    for number in own:
        call, classes = history.calls[number], error_classes(history.calls[number].outcome)
        if classes and _IO_ERROR not in classes:
            return Blame(number, LIMIT if isinstance(call.operation, Write) else NO_RUNTIME_EXCEPTION)
    later = [number for number, place in enumerate(history.places) if place == ENDING]
    changing = [number for number in later if history.calls[number].operation.MUTATES]
    own.sort(key=lambda number: _kind(history, number) not in OF_MEDIA)
    alike = [[other for other in own if _kind(history, other) is _kind(history, number)] for number in own]
    suspects = [*([number] for number in (*own, *changing)), *alike]
    wrong = (numbers[0] for numbers in suspects if not judge.judge(without(history, numbers)).fails)
    found = next(wrong, next((number for number in reversed(own) if history.calls[number].operation.MUTATES), 0))
    refused = history.calls[found].outcome == Returned(False)
    return Blame(found, NO_RUNTIME_EXCEPTION if refused else _clause_of_media(history.calls[found].operation))


def _clause_of_media(operation: Operation) -> str:
    """What a call breaks by its answer on a medium that fails."""
    kind = type(operation)
    return OF_MEDIA.get(kind, VISIBLE.get(kind, SAME_FOR_ALL))


def _clause_of_links(operation: Operation) -> str:
    """What a call breaks by its answer on a network that fails."""
    return OF_LINKS.get(type(operation), RETRIES if operation.MUTATES else SAME_FOR_ALL)


def _halved(history: History, number: int) -> str:
    """The clause that a call breaks which others saw half done, or which was lost."""
    operation = history.calls[number].operation
    if history.program.threads and isinstance(operation, _THROUGH_ONE):
        return SHARED
    if isinstance(operation, OpenWriter) and operation.mode != "append":
        return ATOMIC[Create]
    if isinstance(operation, Append) and history.program.is_costly:  # there is one writer, and it or the store is gone
        return VISIBLE[Append]
    return ATOMIC.get(type(operation), SAME_FOR_ALL)


def _of_reads(judge: Judge, history: History, reads: Sequence[int]) -> Blame:
    """The first of several reads of one stream that is wrong by itself, else the first of all."""
    wrong = (number for number in reads if judge.judge(without(history, [one for one in reads if one != number])).fails)
    return Blame(next(wrong, reads[0]), _of_scripts(history))


def _of_scripts(history: History) -> str:
    """The clause that reads of threads are to keep: whether one of them moves the stream."""
    scripts = [call.operation.script for call in history.calls if isinstance(call.operation, ReadOn)]
    moves = any(parse(text).kind not in POSITIONED for script in scripts for text in script)
    return ISOLATED if moves else THREAD_SAFE


def clauses_of(history: History) -> Iterator[str]:
    """The clauses that the calls of the lanes are to keep, each as often as it is judged."""
    if isinstance(history.program.fault, Medium):
        for call, place in history.rows:
            if place >= 0:
                yield from (NO_RUNTIME_EXCEPTION, _clause_of_media(call.operation))
        return
    if isinstance(history.program.fault, Wire):
        for call, place in history.rows:
            if place >= 0:
                yield from (COMPLETE, IO_EXCEPTION, _clause_of_links(call.operation))
                yield from clauses_of_cleanups(call.operation, history.program.fault)
        return
    threads = history.program.threads
    of_reads = _of_scripts(history) if threads else ""
    for call, place in history.rows:
        kind = type(call.operation)
        if place < 0:
            continue
        if threads and isinstance(call.operation, ReadOn):
            yield of_reads
        elif threads and isinstance(call.operation, _THROUGH_ONE):
            yield SHARED
        elif kind in ATOMIC:
            yield from (ATOMIC[kind], VISIBLE[kind])
            if isinstance(history.program.fault, Crash) and kind in PERSISTED:
                yield PERSISTED[kind]
            if isinstance(history.program.fault, Crash) and kind is Append:
                yield OPENED


def _kind(history: History, number: int) -> type[Operation]:
    return type(history.calls[number].operation)


def without(history: History, numbers: Sequence[int]) -> History:
    """The history as if nobody had heard of some of its calls.

    A look of which nobody heard leaves all as it was: it is left out, as each would double the orders that are tried.
    """
    chosen = frozenset(numbers)
    rows = [
        (replace(call, outcome=UNHEARD, returned=None) if number in chosen else call, place)
        for number, (call, place) in enumerate(history.rows)
        if number not in chosen or _leaves_something(call)
    ]
    return replace(history, calls=tuple(call for call, _ in rows), places=tuple(place for _, place in rows))


def _leaves_something(call: Observed) -> bool:
    """Whether a call may leave the store, or a stream that is read, other than it was."""
    return call.operation.MUTATES or getattr(call.operation, "stream", None) is not None


def looks_after(history: History, number: int) -> list[int]:
    """The looks of other clients that began after a call had returned."""
    call = history.calls[number]
    return [
        other
        for other, look in enumerate(history.calls)
        if look.client != call.client and not look.operation.MUTATES and look.invoked > (call.returned or 0)
    ]


def outcome_of(judge: Judge, history: History, blamed: Blame) -> RaceOutcome:
    """What a history that no order explains shows of the two calls."""
    ends = [number for number, place in enumerate(history.places) if place == ENDING]
    within = without(history, ends)
    if not judge.judge(within).fails:
        return "lost update"
    if blamed.unseen:
        return "stale"
    looks = [number for number, call in enumerate(history.calls) if not call.operation.MUTATES]
    if not judge.judge(without(history, [*ends, *looks])).fails:
        return "seen half-done"
    succeeded = all(_succeeded(history, number) for number, place in enumerate(history.places) if place >= 0)
    return "both won" if succeeded else "wrongly refused"


def _succeeded(history: History, number: int) -> bool:
    match history.calls[number].outcome:
        case Returned(value):
            return value is not False
        case Raised():
            return not history.calls[number].operation.MUTATES
    return True


def is_refused(outcome: Outcome) -> bool:
    """Whether a call was refused, by an error or by false."""
    return isinstance(outcome, Raised) or outcome == Returned(False)


def stale_for(judge: Judge, history: History, place: int) -> int:
    """From the return of a call to the beginning of the last look that did not see what it did: nanoseconds."""
    late = looks_after(history, place)
    for number in range(1, len(late) + 1):
        if not judge.judge(without(history, late[:number])).fails:
            return history.calls[late[number - 1]].invoked - (history.calls[place].returned or 0)
    return 0
