"""Calls under quotas of names and space, in a tree that is made for them and taken away.

Blocks are of 1 MiB, so that a NameNode with the least block size that Hadoop ships with allows them; what is written is
a few bytes. Only HDFS counts blocks as its guide to quotas says: of other stores no such call is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm
from fsconform.adapters.hadoop.calls import Caller, Outcome, Places
from fsconform.adapters.hadoop.handlers.classes import java, permission
from fsconform.adapters.streams import Inexpressible
from fsconform.model.core.outcomes import facts
from fsconform.model.filesystem.metadata.quotas import LEAVE
from fsconform.model.filesystem.protocols.calls_under_quotas import CallsUnderQuotas, first
from fsconform.model.filesystem.quotas import (
    APPENDED,
    BLOCK,
    DELETED,
    DIRECTORIES,
    DONE,
    FAILED,
    FILES,
    LIMITED,
    NAMES,
    NONE,
    OPENED,
    RENAMED,
    REPLICATED,
    SET,
    SPACE,
)

_PLACE = "fsconform-quotas"
_REFUSED = {
    "org.apache.hadoop.hdfs.protocol.NSQuotaExceededException": NAMES,
    "org.apache.hadoop.hdfs.protocol.DSQuotaExceededException": SPACE,
}
_BUFFER = 4096
_FILE_MODE = 0o644


class _Calls:
    """The calls in a tree; the stream that one of them leaves open is kept until it is closed."""

    def __init__(self, fs: Any, place: Any) -> None:
        self._fs, self._place = fs, place
        self._open: Any = None

    def at(self, path: str) -> Any:
        """A path of the tree."""
        return java("Path")(self._place, path)

    def make(self, path: str, length: int, replication: int) -> None:
        """A new file."""
        self._write(self._create(path, replication), length)

    def limit(self, path: str, names: int, space: int) -> None:
        """Set both quotas of a directory."""
        self._fs.setQuota(self.at(path), jpype.JLong(names), jpype.JLong(space))

    def close(self) -> None:
        """Close the stream that is open, if any. Raises what its close raises."""
        stream, self._open = self._open, None
        if stream is not None:
            stream.close()

    def call(self, word: str) -> Any:
        """One call; false where it returned, or there was nothing by which to see, that nothing was done."""
        if word in FILES:
            return self.make(*FILES[word])
        if word in DIRECTORIES:
            return self._fs.mkdirs(self.at(DIRECTORIES[word]))
        if word in DELETED:
            return self._fs.delete(self.at(DELETED[word]), True)
        if word in RENAMED:
            old, new = RENAMED[word]
            return self._fs.rename(self.at(old), self.at(new))
        if word in REPLICATED:
            path, replication = REPLICATED[word]
            return self._fs.setReplication(self.at(path), jpype.JShort(replication))
        if word in SET:
            path, kind, value = SET[word]
            return self.limit(path, *((value, LEAVE) if kind == NAMES else (LEAVE, value)))
        return self._stream(word)

    def _stream(self, word: str) -> Any:
        match word:
            case "open n":
                stream = self._create("d/n", 1)
                self._open = stream
                stream.write(bytes(OPENED))
                stream.hflush()
            case "close n":
                if self._open is None:
                    return False
                self.close()
            case "append f":
                self._write(self._fs.append(self.at("d/f")), APPENDED)
            case "truncate f":
                return self._fs.truncate(self.at("d/f"), jpype.JLong(0))
            case _:
                raise Inexpressible(f"no call for {word}")
        return None

    def _create(self, path: str, replication: int) -> Any:
        return self._fs.create(
            self.at(path),
            permission(_FILE_MODE),
            False,
            jpype.JInt(_BUFFER),
            jpype.JShort(replication),
            jpype.JLong(BLOCK),
            None,
        )

    def _write(self, stream: Any, length: int) -> None:
        try:
            if length:
                stream.write(bytes(length))
        finally:
            stream.close()


def _outcome(act: Callable[[], Any]) -> str:
    try:
        returned = act()
    except jvm.JavaError as error:
        classes = jvm.ancestry(error)
        seen = (*classes, *jvm.remote(error, classes))
        return next((word for kind, word in _REFUSED.items() if kind in seen), FAILED)
    return FAILED if returned is not None and not bool(returned) else DONE


@contextmanager
def _tree(caller: Caller, op: CallsUnderQuotas, place: Any) -> Iterator[_Calls]:
    """The tree with its quotas. Raises Inexpressible where files of several replicas and such blocks can't be made."""
    calls = _Calls(caller.base, place)
    try:
        tree = first(op)
        try:
            for path, entry in tree.items():
                if entry.length is None:
                    caller.base.mkdirs(calls.at(path))
                else:
                    calls.make(path, entry.length, entry.replication)
        except jvm.JavaError as error:
            raise Inexpressible(f"the tree can't be made: {jvm.message(error)}") from error
        for path, entry in tree.items():
            if (entry.names, entry.space) != (NONE, NONE):
                calls.limit(path, entry.names, entry.space)
        yield calls
    finally:
        _outcome(calls.close)
        caller.base.delete(place, True)


def _limited(fs: Any, calls: _Calls) -> list[str]:
    return [path for path in LIMITED if fs.exists(calls.at(path))]


def _usage(fs: Any, calls: _Calls) -> str:
    rows = []
    for path in _limited(fs, calls):
        told = fs.getQuotaUsage(calls.at(path))
        used = f"{int(told.getFileAndDirectoryCount())} {int(told.getSpaceConsumed())}"
        rows.append(f"{path} {used} of {int(told.getQuota())} {int(told.getSpaceQuota())}")
    return "; ".join(rows)


def _summary(fs: Any, calls: _Calls) -> str:
    rows = []
    for path in _limited(fs, calls):
        told = fs.getContentSummary(calls.at(path))
        names = int(told.getFileCount()) + int(told.getDirectoryCount())
        rows.append(f"{path} {names} {int(told.getSpaceConsumed())}")
    return "; ".join(rows)


def _left(fs: Any, place: Any) -> tuple[str, ...]:
    """What is below a place, as the facts have it."""
    rows, pending = [], [("", place)]
    while pending:
        base, directory = pending.pop()
        for status in fs.listStatus(directory):
            path = base + jvm.text(status.getPath().getName())
            if bool(status.isDirectory()):
                rows.append(path)
                pending.append((path + "/", status.getPath()))
            else:
                rows.append(f"{path} {int(status.getLen())} {int(status.getReplication())}")
    return tuple(sorted(rows))


def calls_in_limited_tree(caller: Caller, op: CallsUnderQuotas, places: Places) -> Outcome:
    """What comes of the calls, what is counted after each, and what is there in the end.

    Raises Inexpressible where the store is not known to count as HDFS does, or no such tree can be made.
    """
    above, fs = places.java(op.path), caller.base
    scheme = jvm.text(fs.getUri().getScheme())
    if scheme != "hdfs":
        raise Inexpressible(f"{scheme}: is not known to count blocks against quotas as HDFS does")
    if not fs.getFileStatus(above).isDirectory():
        raise Inexpressible("there is no directory")
    place = java("Path")(above, _PLACE)
    outcomes, usages, summaries = [], [], []
    with _tree(caller, op, place) as calls:
        for word in op.calls:
            outcomes.append(_outcome(partial(calls.call, word)))
            usages.append(_usage(fs, calls))
            summaries.append(_summary(fs, calls))
        left = _left(fs, place)
    return facts(
        "calls under quotas",
        outcomes=tuple(outcomes),
        usages=tuple(usages),
        summaries=tuple(summaries),
        left=left,
    )
