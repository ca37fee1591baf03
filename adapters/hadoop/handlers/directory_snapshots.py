"""Calls in and beside a directory of which snapshots are taken, in a tree that is made for them and taken away.

Only HDFS lets a client allow snapshots: of other stores no such call is made.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm
from fsconform.adapters.hadoop.calls import Caller, Outcome, Places
from fsconform.adapters.hadoop.handlers.classes import java
from fsconform.adapters.streams import Inexpressible
from fsconform.model.core.outcomes import facts
from fsconform.model.filesystem.directory_snapshots import (
    APPENDED,
    AT_BEGINNING,
    COMPARED,
    CREATED,
    CUT,
    DELETED,
    DIRECTORIES,
    DONE,
    FAILED,
    GIVEN_UP,
    NOW,
    RECALLED,
    RENAMED,
    ROOT,
    TAKEN,
    WRITTEN,
)
from fsconform.model.filesystem.protocols.calls_with_snapshots import (
    NO_REPORT,
    CallsWithSnapshots,
    rows_of,
    shown_report,
)

_PLACE = "fsconform-snapshots"
_SNAPSHOTS = ".snapshot"
_INSIDE = f"{ROOT}/{_SNAPSHOTS}/s1"
_WAIT_SECONDS = 30.0
"""So long may a store take to adjust the end of a file that was cut within a block."""
_POLL_SECONDS = 0.05


class _Calls:
    """The calls in a tree. ``distributed`` is the client with the calls that HDFS alone has."""

    def __init__(self, fs: Any, distributed: Any, place: Any) -> None:
        self._fs, self._distributed, self._place = fs, distributed, place

    def at(self, path: str) -> Any:
        """A path of the tree."""
        return java("Path")(self._place, path)

    def make(self, path: str, data: str, overwrite: bool = False) -> None:
        """A file with these bytes."""
        self._write(self._fs.create(self.at(path), overwrite), data)

    def call(self, word: str) -> Any:
        """One call; false where it returned that nothing was done. Of a difference the report comes back."""
        root = self.at(ROOT)
        if word in CREATED:
            return self.make(CREATED[word], WRITTEN)
        if word in DIRECTORIES:
            return self._fs.mkdirs(self.at(DIRECTORIES[word]))
        if word in DELETED:
            return self._fs.delete(self.at(DELETED[word]), True)
        if word in RENAMED:
            return self._rename(*RENAMED[word])
        if word in TAKEN:
            return self._fs.createSnapshot(root, TAKEN[word])
        if word in GIVEN_UP:
            return self._fs.deleteSnapshot(root, GIVEN_UP[word])
        if word in RECALLED:
            return self._fs.renameSnapshot(root, *RECALLED[word])
        if word in COMPARED:
            old, new = COMPARED[word]
            return self._distributed.getSnapshotDiffReport(root, old, "" if new == NOW else new)
        return self._write_or_administer(word)

    def _write_or_administer(self, word: str) -> Any:
        match word:
            case "append f":
                self._write(self._fs.append(self.at("d/f")), APPENDED)
            case "append g":
                self._write(self._fs.append(self.at("d/e/g")), APPENDED)
            case "truncate f":
                self._truncate("d/f", 0)
            case "cut f":
                self._truncate("d/f", CUT)
            case "overwrite f":
                self.make("d/f", WRITTEN, overwrite=True)
            case "allow d":
                self._distributed.allowSnapshot(self.at(ROOT))
            case "allow e":
                self._distributed.allowSnapshot(self.at("d/e"))
            case "disallow d":
                self._distributed.disallowSnapshot(self.at(ROOT))
            case _:
                return self._in_snapshot(word)
        return None

    def _in_snapshot(self, word: str) -> Any:
        match word:
            case "create s1/n":
                self.make(f"{_INSIDE}/n", WRITTEN)
            case "append s1/f":
                self._write(self._fs.append(self.at(f"{_INSIDE}/f")), APPENDED)
            case "delete s1/f":
                return self._fs.delete(self.at(f"{_INSIDE}/f"), True)
            case "mkdir s1/m":
                return self._fs.mkdirs(self.at(f"{_INSIDE}/m"))
            case "rename s1/f out":
                return self._rename(f"{_INSIDE}/f", "o/f")
            case "rename k into s1":
                return self._rename("o/k", f"{_INSIDE}/k")
            case _:
                raise Inexpressible(f"no call for {word}")
        return None

    def _rename(self, old: str, new: str) -> Any:
        return self._fs.rename(self.at(old), self.at(new))

    def _write(self, stream: Any, data: str) -> None:
        try:
            stream.write(data.encode())
        finally:
            stream.close()

    def _truncate(self, path: str, length: int) -> None:
        if self._fs.truncate(self.at(path), jpype.JLong(length)):
            return
        end = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < end and not self._distributed.isFileClosed(self.at(path)):
            time.sleep(_POLL_SECONDS)

    def rows(self, directory: str) -> str:
        """What is below a directory of the tree, as the facts have it."""
        found: dict[str, str | None] = {}
        pending = [("", self.at(directory) if directory else self._place)]
        while pending:
            base, above = pending.pop()
            for status in self._fs.listStatus(above):
                path = base + jvm.text(status.getPath().getName())
                if bool(status.isDirectory()):
                    found[path] = None
                    pending.append((path + "/", status.getPath()))
                else:
                    found[path] = self._read(status.getPath())
        return rows_of(found)

    def snapshots(self) -> str:
        """What the snapshots have, as the facts have it."""
        try:
            names = [jvm.text(status.getPath().getName()) for status in self._fs.listStatus(self.at(_LISTED))]
        except jvm.JavaError:
            return ""  # the directory is not there, or is not snapshottable
        return "; ".join(f"{name}: {self.rows(f'{_LISTED}/{name}')}" for name in sorted(names))

    def _read(self, path: Any) -> str:
        stream = self._fs.open(path)
        try:
            return bytes(stream.readAllBytes()).decode("latin-1")
        finally:
            stream.close()

    def take_away(self) -> None:
        """Delete the snapshots and the tree."""
        try:
            for status in self._fs.listStatus(self.at(_LISTED)):
                self._fs.deleteSnapshot(self.at(ROOT), status.getPath().getName())
        except jvm.JavaError:
            pass  # there are none
        for path in (ROOT, f"{ROOT}/e"):
            _outcome(partial(self._distributed.disallowSnapshot, self.at(path)))
        self._fs.delete(self._place, True)


_LISTED = f"{ROOT}/{_SNAPSHOTS}"


def _outcome(act: Callable[[], Any]) -> tuple[str, Any]:
    """Whether a call was done, and what it returned."""
    try:
        returned = act()
    except jvm.JavaError:
        return FAILED, None
    return (FAILED, None) if returned is False else (DONE, returned)


@contextmanager
def _tree(caller: Caller, place: Any) -> Iterator[_Calls]:
    calls = _Calls(caller.base, caller.filesystem, place)
    try:
        for path, node in AT_BEGINNING.tree.items():
            if node.data is None:
                caller.base.mkdirs(calls.at(path))
            else:
                calls.make(path, node.data)
        yield calls
    finally:
        calls.take_away()


def _report(returned: Any) -> str:
    """What a report says, as the facts have it."""
    entries = []
    for entry in returned.getDiffList():
        source = _path(entry.getSourcePath())
        label = jvm.text(entry.getType().getLabel())
        target = entry.getTargetPath()
        entries.append(f"{label} {source}" + (f" -> {_path(target)}" if target is not None and label == "R" else ""))
    return shown_report(entries)


def _path(path: Any) -> str:
    return bytes(path).decode("utf-8") or "."


def calls_in_snapshottable_tree(caller: Caller, op: CallsWithSnapshots, places: Places) -> Outcome:
    """What comes of the calls, what is there after each, and what reports say.

    Raises Inexpressible where the store is not HDFS, whose own calls are needed.
    """
    above, fs = places.java(op.path), caller.base
    scheme = jvm.text(fs.getUri().getScheme())
    if scheme != "hdfs" or not hasattr(caller.filesystem, "allowSnapshot"):
        raise Inexpressible(f"{scheme}: has no call by which snapshots are allowed")
    if not fs.getFileStatus(above).isDirectory():
        raise Inexpressible("there is no directory")
    outcomes, now, snapshots, reports = [], [], [], []
    with _tree(caller, java("Path")(above, _PLACE)) as calls:
        for word in op.calls:
            outcome, returned = _outcome(partial(calls.call, word))
            outcomes.append(outcome)
            reports.append(_report(returned) if word in COMPARED and outcome == DONE else NO_REPORT)
            now.append(calls.rows(""))
            snapshots.append(calls.snapshots())
    return facts(
        "calls with snapshots",
        outcomes=tuple(outcomes),
        now=tuple(now),
        snapshots=tuple(snapshots),
        reports=tuple(reports),
    )
