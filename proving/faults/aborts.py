"""Faults of aborts and leases: each breaks one clause of abortable.md or leaserecoverable.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fsconform.proving.faults.base import seeded
from fsconform.proving.faults.writers import writing
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.outputs import ABORTABLE, DelayedWriter, Writer

_LEASES = "leaserecoverable"

_Kind = TypeVar("_Kind", bound=type[Writer])


def _fault(clause: str, name: str, description: str) -> Callable[[_Kind], _Kind]:
    return writing(f"abortable.{clause}", f"abort-{name}", description)


class _Aborting(DelayedWriter):
    """Knows that it was aborted."""

    aborted = False

    def abort(self) -> bool:
        self.aborted = True
        return super().abort()


# --- streams that can't be aborted


@_fault("abort.pre.visible-on-close", "of-what-is-seen", "a stream that shows its data before close can be aborted")
class _OfSeen(Writer):
    abortable = True
    offered = Writer.offered | {ABORTABLE}

    def abort(self) -> bool:
        before, self.closed = self.closed, True
        self.held.clear()
        return before


@_fault("abort.pre.supported", "unable-misnamed", "a stream that can't be aborted refuses it with IOException")
class _UnableMisnamed(Writer):
    def abort(self) -> bool:
        self.store.fail("IOException", "abort")


@_fault("abort.pre.supported", "does-nothing", "an abort that is not supported does nothing without a word")
class _DoesNothing(Writer):
    def abort(self) -> bool:
        return self.closed


@_fault("capability.stream.unsupported", "claimed", "a stream that can't be aborted says that it can")
class _Claimed(Writer):
    offered = Writer.offered | {ABORTABLE}


@seeded(
    "abort-claimed-of-paths",
    "a store says of its paths that streams can be aborted, which they can't",
    clause="abortable.capability.path.unsupported",
)
class _ClaimedOfPaths(FullStore):
    def capabilities(self) -> frozenset[str]:
        return super().capabilities() | {ABORTABLE}


# --- streams that can be aborted


@_fault("abort.pre.interfaces", "without-interface", "a stream that can be aborted is not Abortable")
class _WithoutInterface(DelayedWriter):
    abortable = False


@_fault("capability.stream.supported", "untold", "a stream that can be aborted does not say so")
class _Untold(DelayedWriter):
    offered = DelayedWriter.offered - {ABORTABLE}


@_fault("capability.stream.supported", "refused", "an abort is unsupported, though the stream claims it")
class _Refused(DelayedWriter):
    def abort(self) -> bool:
        self.store.fail("UnsupportedOperationException", "abort")


@_fault("abort.post.closed", "once", "a stream that is closed can't be aborted")
class _Once(DelayedWriter):
    def abort(self) -> bool:
        self.check_open()
        return super().abort()


@_fault("abort.post.closed", "removes-what-was-closed", "an abort after close removes the file")
class _RemovesClosed(_Aborting):
    def abort(self) -> bool:
        if self.closed and not self.aborted:
            self.store.delete(self.path, False)
        return super().abort()


@_fault("abort.post.unchanged", "puts", "an abort puts what was written so far")
class _Puts(DelayedWriter):
    def abort(self) -> bool:
        if not self.closed:
            self.closed = True
            self.finish()
            return False
        return super().abort()


@_fault("abort.post.unchanged", "puts-nothing", "an abort makes an empty file where there is none")
class _PutsNothing(_Aborting):
    def abort(self) -> bool:
        before = super().abort()
        if not before and self.key not in self.store.nodes:
            self.store.create(self.path, b"", True)
        return before


@_fault("abort.post.existing-file", "removes-old", "an abort removes the file that was to be overwritten")
class _RemovesOld(DelayedWriter):
    def abort(self) -> bool:
        before = super().abort()
        if not before:
            self.store.delete(self.path, False)
        return before


@_fault("abort.post.existing-file", "empties-old", "close of an aborted stream empties the file that was there")
class _EmptiesOld(_Aborting):
    def close(self) -> None:
        node = self.store.nodes.get(self.key)
        if self.aborted and node is not None and node.data is not None:
            node.data = b""
        super().close()


@_fault("close.post.not-visible", "forgotten-at-close", "close of an aborted stream puts what was written")
class _Forgotten(_Aborting):
    rest = b""

    def abort(self) -> bool:
        self.rest = self.rest if self.aborted else bytes(self.held)
        return super().abort()

    def close(self) -> None:
        if self.aborted and self.rest:
            self.store.create(self.path, self.rest, True)
        super().close()


@_fault("close.post.no-exception", "close-fails", "close of an aborted stream fails")
class _CloseFails(_Aborting):
    def close(self) -> None:
        if self.aborted:
            self.store.fail("IOException", "aborted")
        super().close()


@_fault("write.post.aborted", "write-goes-on", "writes to an aborted stream are lost without a word")
class _WriteGoesOn(_Aborting):
    def check_open(self) -> None:
        if not self.aborted:
            super().check_open()


@_fault("flush.post.aborted", "flush-fails", "flush of an aborted stream fails")
class _FlushFails(_Aborting):
    def flush(self) -> None:
        if self.aborted:
            self.check_open()


@_fault("result.already-closed", "never-already", "an abort never says that the stream was closed before")
class _NeverAlready(DelayedWriter):
    def abort(self) -> bool:
        super().abort()
        return False


@_fault("result.already-closed", "already-aborted-only", "an abort after close says that the stream was open")
class _AlreadyAborted(_Aborting):
    def abort(self) -> bool:
        before = self.aborted
        return super().abort() and before


@_fault("abort.thread-safe", "not-while-writing", "an abort fails while another thread writes")
class _NotWhileWriting(DelayedWriter):
    def abort(self) -> bool:
        if self.busy:
            self.store.fail("IOException", "the stream is busy")
        return super().abort()


@_fault("abort.thread-safe", "lost-while-writing", "an abort while another thread writes is forgotten")
class _LostWhileWriting(DelayedWriter):
    def abort(self) -> bool:
        return False if self.busy else super().abort()


# --- leases


@seeded(
    "lease-never-recovered",
    "recoverLease waits for the stream to be closed",
    clause=f"{_LEASES}.recoverLease.post.recovery",
)
class _NeverRecovered(FullStore):
    def recovered(self, path: str) -> bool:
        return self.writing(self.leased(path)) is None


@seeded(
    "lease-of-directory", "the lease of a directory is recovered", clause=f"{_LEASES}.recoverLease.pre.not-a-directory"
)
class _OfDirectory(FullStore):
    def recover_lease(self, path: str) -> Told:
        if self.found(path).data is None:
            return {"first": True, "closed": True, "finally": True}
        return super().recover_lease(path)


@seeded(
    "lease-of-closed",
    "recoverLease is false of a file that nobody writes",
    clause=f"{_LEASES}.recoverLease.post.closed",
)
class _OfClosed(FullStore):
    def recovered(self, path: str) -> bool:
        before = self.writing(self.leased(path))
        return super().recovered(path) and before is not None


@seeded(
    "lease-recovered-too-soon",
    "recoverLease is true while the stream goes on",
    clause=f"{_LEASES}.recoverLease.post.unfinished",
)
class _TooSoon(FullStore):
    def recovered(self, path: str) -> bool:
        self.leased(path)
        return True


@seeded("closed-directory", "isFileClosed is true of a directory", clause=f"{_LEASES}.isFileClosed.pre.not-a-directory")
class _ClosedDirectory(FullStore):
    def is_file_closed(self, path: str) -> bool:
        return self.found(path).data is None or super().is_file_closed(path)


@seeded("open-directory", "isFileClosed is false of a directory", clause=f"{_LEASES}.isFileClosed.pre.not-a-directory")
class _OpenDirectory(FullStore):
    def is_file_closed(self, path: str) -> bool:
        return self.found(path).data is not None and super().is_file_closed(path)


@seeded(
    "never-closed",
    "isFileClosed is false of a file that was written and closed",
    clause=f"{_LEASES}.isFileClosed.post.closed",
)
class _NeverClosed(FullStore):
    def is_file_closed(self, path: str) -> bool:
        written = any(one.path == path for one in self.writers.values())
        return super().is_file_closed(path) and not written


@seeded(
    "always-closed",
    "isFileClosed is true of a file that is being written",
    clause=f"{_LEASES}.isFileClosed.post.open",
)
class _AlwaysClosed(FullStore):
    def is_file_closed(self, path: str) -> bool:
        self.leased(path)
        return True


@seeded(
    "asking-closes",
    "isFileClosed takes the lease from the stream",
    clause=f"{_LEASES}.isFileClosed.post.unchanged",
)
class _AskingCloses(FullStore):
    def is_file_closed(self, path: str) -> bool:
        closed = super().is_file_closed(path)
        self.recovered(path)
        return closed
