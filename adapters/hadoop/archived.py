"""A store whose programs run on Hadoop archives, in the worker: what a program makes first is what its archive holds.

An archive can't be written to. So what a program begins with, files and directories that are made where nothing stands
in their way, is taken as the tree that is archived; the store is not asked. At the first other step the archive is
written and HarFileSystem opened on it, and this step and all that follow are the store's, whatever they are.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import archive_format, calls, jvm, transfer, wire
from fsconform.adapters.hadoop.archive_format import Entry
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs

FOLDER = "fsconform.archives.folder"
"""The property that names the folder for archives; it is what makes a store one of archives."""

_MOST_BYTES = 1 << 26
_LONGEST_NAME, _LONGEST_PATH, _DEEPEST = 255, 8000, 1000
"""In bytes, characters and elements: as HDFS, of which archives are made, has them by default."""


class Archive:
    """The archive of one program."""

    def __init__(self, opened: jvm.Opened, folder: Path) -> None:
        self.path = str(folder)
        self._opened, self._folder = opened, folder
        self._path_class = jpype.JClass("org.apache.hadoop.fs.Path")
        self._tree: dict[wire.Elements, Entry] = {(): Entry(_now())}
        self._sealed = False
        self._callers: dict[int, calls.Caller] = {}

    def prepare(self, call: Operation | wire.Unsendable, places: calls.Places) -> wire.AnyOutcome | None:
        """Take a step as part of what is archived; None if it is none, or is the store's to answer."""
        if self._sealed or not isinstance(call, Mkdirs | Create) or call.via:
            return None
        there = self._tree.get(call.path)
        above = [self._tree.get(call.path[:depth]) for depth in range(len(call.path))]
        if any(one is not None and one.content is not None for one in above) or not self._holds(call.path, places):
            return None
        if isinstance(call, Mkdirs):
            if there is None:
                self._put(call.path, Entry(_now()))
            return calls.TRUE if there is None or there.content is None else None
        if not call.path or (there is not None and (there.content is None or not call.overwrite)):
            return None
        if contents.length(call.content) > _MOST_BYTES:
            return None
        self._put(call.path, Entry(_now(), transfer.rows(call.content)))
        return calls.NOTHING

    def _put(self, path: wire.Elements, entry: Entry) -> None:
        for depth in range(len(path)):
            if path[:depth] not in self._tree or depth == len(path) - 1:
                self._tree[path[:depth]] = Entry(entry.modified)
        self._tree[path] = entry

    def _holds(self, path: wire.Elements, places: calls.Places) -> bool:
        """Whether Hadoop's tool could archive such a path: it makes a Path of each name alone."""
        if len(path) > _DEEPEST or sum(map(len, path)) + len(path) > _LONGEST_PATH:
            return False
        try:
            places.java(path)
            return all(
                name not in ("", ".", "..")
                and len(name.encode()) <= _LONGEST_NAME
                and str(self._path_class(name).toUri().getPath()) == name
                for name in path
            )
        except (calls.CannotName, jvm.JavaError, UnicodeError):
            return False

    def caller(self, client: int) -> calls.Caller:
        """A client of the archive, which is written now if it was not. Raises what Java raises, and OSError."""
        if not self._sealed:
            archive_format.write(self._tree, self._folder)
            self._sealed = True
        found = self._callers.get(client)
        if found is None:
            uri = jpype.JClass("java.io.File")(self.path).toURI().getRawPath()
            address = jpype.JClass("java.net.URI").create(f"har://{uri}".rstrip("/"))
            filesystem = jpype.JClass("org.apache.hadoop.fs.FileSystem").newInstance(
                address, self._opened.configuration
            )
            found = self._callers[client] = calls.Caller(filesystem)
        return found

    def close(self) -> None:
        """Close the clients and remove the archive."""
        for caller in self._callers.values():
            with contextlib.suppress(jvm.JavaError):
                caller.filesystem.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class Client:
    """A client of a program, which has an archive to talk to once that is written."""

    def __init__(self, archive: Archive, number: int) -> None:
        self._archive, self._number = archive, number

    @property
    def filesystem(self) -> Any:
        """The FileSystem."""
        return self._archive.caller(self._number).filesystem

    def perform(
        self, call: Operation | wire.Unsendable, places: calls.Places, stacks: bool, bare: bool = False
    ) -> wire.AnyOutcome:
        """See :meth:`fsconform.adapters.hadoop.calls.Caller.perform`."""
        prepared = self._archive.prepare(call, places)
        if prepared is not None:
            return prepared
        try:
            caller = self._archive.caller(self._number)
        except jvm.JavaError as error:
            return calls.raised(error, stacks)
        return caller.perform(call, places, stacks, bare)


class Archives:
    """What stands in the place of a sandbox: each program has an archive of its own, in the run's own folder."""

    made_marker = made_sandbox = False
    others: tuple[str, ...] = ()

    def __init__(self, opened: jvm.Opened, folder: str, run: str) -> None:
        self._opened, self._folder = opened, Path(folder) / run
        self.scheme, self.authority = opened.uri.getScheme(), None
        self._archive: Archive | None = None

    def take(self, resumed: bool) -> None:
        """Make the run's folder. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def base(self, number: int, attempt: int = 0) -> str:
        """Begin a program; the path of its archive, which is not there yet."""
        if self._archive is not None:
            self._archive.close()
        self._archive = Archive(self._opened, self._folder / f"p{number}-{attempt}.har")
        return self._archive.path

    def client(self, number: int) -> Client:
        """A client of the program that was begun last."""
        assert self._archive is not None
        return Client(self._archive, number)

    def looker(self) -> calls.Caller:
        """A client to take snapshots by. Raises what Java raises, and OSError."""
        assert self._archive is not None
        return self._archive.caller(0)

    def sweep(self) -> tuple[list[str], list[str]]:
        """Other sessions' folders go with the folder that holds them all."""
        return [], []

    def leave(self, marker: bool, sandbox: bool) -> str:
        """Remove the run's folder."""
        if self._archive is not None:
            self._archive.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        return ""


def _now() -> int:
    return time.time_ns() // 1_000_000
