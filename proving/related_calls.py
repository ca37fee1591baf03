"""The full store's calls that are told of by what they do to each other.

Sources: filesystem.md, on etags, path handles and copyFromLocalFile; introduction.md, on timestamps and networks. Its
times of access are as coarse as those of HDFS by default, and the local disk it copies from is itself.
"""

from __future__ import annotations

from fsconform.proving.changes import Changes
from fsconform.proving.keeping_store import Kept, Told, joined
from fsconform.proving.metadata import Metadata
from fsconform.proving.store import StoreError, is_below, parent_of

_MINUTE = 60_000
_HOUR = 60 * _MINUTE
"""Milliseconds."""


class RelatedCalls(Changes, Metadata):
    """Several calls in one, and what they told."""

    def compare_etags(self, path: str, data: bytes, other: bytes) -> Told | None:
        """The etags of a path after each of two contents was written to it; None if the store has none."""
        told: Told = {}
        for name, written in (("first", data), ("second", other)):
            self.create(path, written, True)
            node, held = self.bytes_of(path)
            told[name] = self.etag(node, held)
        return told if self.can.supports_etags else None

    def open_foreign_handle(self) -> None:
        """Refused: InvalidPathHandleException, or UnsupportedOperationException if there are no handles at all."""
        self.need(self.can.supports_file_reference or self.can.supports_content_check, "open(PathHandle)")
        self.refuse_handle("it is none of this store's")

    def copy_within(self, src: str, dst: str, overwrite: bool) -> None:
        """Copy from the local disk, which is the store itself; IOException for paths that are one or nested."""
        source, target = self.locate(src)[1], self.locate(dst)[1]
        if source == target:
            self.same_path(src)
        elif is_below(source, target) or is_below(target, source):
            self.nested_paths(src, dst)
        else:
            self.create(dst, self.open(src), overwrite)

    def rename_timed(self, path: str) -> Told | None:
        """What a rename into another directory does to times; None for a directory."""
        if self.found(path).data is None:
            return None
        name = self.locate(path)[0]
        parent = parent_of(name) or "/"
        aside = joined(parent, "aside")
        self.mkdirs(aside)
        before = [self.modified(one) for one in (path, parent, aside)]
        self.rename(path, joined(aside, "f"))
        after = [self.modified(one) for one in (joined(aside, "f"), parent, aside)]
        told = [self.attributes(self.get_file_status(one), self.found(one)) for one in (joined(aside, "f"), aside)]
        times = [one[name] for one in told for name in ("modified", "accessed")]
        self.rename(joined(aside, "f"), path)
        self.delete(aside, True)
        least = min(time for time in times if isinstance(time, int))
        later = all(then > once for once, then in zip(before[1:], after[1:], strict=True))
        return {"kept": after[0] == before[0], "directories": later, "least": least}

    def read_timed(self, path: str) -> Told | None:
        """Whether reading moves the time of access half an hour and two hours after it; None for a directory."""
        node = self.found(path)
        if node.data is None:
            return None
        self.need(self.can.supports_settimes, "setTimes")
        kept, moved = self.kept(node), []
        for minutes in (30, 120):
            now = self.tick()
            kept.accessed = then = now - minutes * _MINUTE
            self.read_at(kept, now)
            moved.append(kept.accessed != then)
        return {"soon": moved[0], "late": moved[1]}

    def call_nowhere(self) -> Told:
        """The error of a call that nobody answers."""
        try:
            self.unanswered()
        except StoreError as error:
            return {"error": True, "io": "java.io.IOException" in error.classes}
        return {"error": False, "io": False}

    # --- inside; seeded faults override these

    def modified(self, path: str) -> int:
        """The time of modification of a path."""
        return self.kept(self.found(path)).modified

    def same_path(self, path: str) -> None:
        """Refuse to copy a path to itself."""
        self.fail("FileAlreadyExistsException", f"{path} is the source")

    def nested_paths(self, src: str, dst: str) -> None:
        """Refuse to copy a path to one above it or below it."""
        self.fail("IOException", f"one of {src} and {dst} is below the other")

    def read_at(self, kept: Kept, now: int) -> None:
        """Note that a file was read, unless that is noted since an hour."""
        if now > kept.accessed + _HOUR:
            kept.accessed = now

    def unanswered(self) -> None:
        """Find nobody at the store's address."""
        self.fail("IOException", "nobody answers")
