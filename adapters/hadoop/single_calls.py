"""Calls that a worker without a store makes one at a time, on one FileSystem: what release.py asks for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm
from fsconform.model.core import content as contents

Row = dict[str, Any]

_BUFFER = 1 << 16


class Client:
    """A FileSystem of the release, and Hadoop's own commands."""

    def __init__(self, tell_secrets: Callable[[Any], None]) -> None:
        """``tell_secrets`` hears of each configuration before any code of a store has it. A JVM must run."""
        self._tell_secrets = tell_secrets
        self._path = jpype.JClass("org.apache.hadoop.fs.Path")
        self.versions = jvm.runtimes()
        """The versions of Hadoop and of Java."""
        self._fs: Any = None
        self.do: dict[str, Callable[[Row], Any]] = {
            "configure": self._configure,
            "open": self._open,
            "mkdirs": lambda row: bool(self._fs.mkdirs(self._at(row["path"]))),
            "create": self._create,
            "delete": lambda row: bool(self._fs.delete(self._at(row["path"]), row["recursive"])),
            "rename": lambda row: bool(self._fs.rename(self._at(row["path"]), self._at(row["to"]))),
            "list": lambda row: sorted(_told(one) for one in self._fs.listStatus(self._at(row["path"]))),
            "tree": self._tree,
            "status": lambda row: _told(self._fs.getFileStatus(self._at(row["path"]))),
            "read": self._read,
            "capability": self._capability,
            "stream_capability": self._stream_capability,
            "command": self._command,
            "begin": self._begin,
            "reopen": lambda row: self._keep(row, self._fs.append(self._at(row["path"]))),
            "write": self._write,
            "hflush": lambda row: self._streams[row["path"]].hflush(),
            "close": lambda row: self._streams.pop(row["path"]).close(),
            "abandon": self._abandon,
            "closed": lambda row: bool(self._fs.isFileClosed(self._at(row["path"]))),
            "replicate": lambda row: bool(self._fs.setReplication(self._at(row["path"]), jpype.JShort(row["factor"]))),
            "digest": self._digest,
        }
        self._streams: dict[str, Any] = {}
        """The streams that write, by path."""

    def _at(self, path: str) -> Any:
        return self._path(f"{self._uri.getScheme()}://{self._uri.getRawAuthority() or ''}{path}")

    def _configure(self, row: Row) -> None:
        """Take a configuration, and close all that stands on the one before."""
        self._fs = None
        jpype.JClass("org.apache.hadoop.fs.FileSystem").closeAll()
        self._configuration = jvm.configured(row["files"], row["configuration"])
        self._tell_secrets(self._configuration)

    def _open(self, row: Row) -> None:
        """Open the FileSystem of a URI, in place of the one before."""
        self._configure(row)
        opened = jvm.opened(self._configuration, row["uri"])
        self._uri, self._fs = opened.uri, opened.instance()

    def _create(self, row: Row) -> None:
        stream = self._fs.create(self._at(row["path"]), row["overwrite"])
        stream.write(row["text"].encode())
        stream.close()

    def _begin(self, row: Row) -> None:
        """Open a new file to write to, with a number of replicas and a size of blocks."""
        place, factor, size = self._at(row["path"]), jpype.JShort(row["factor"]), jpype.JLong(row["block"])
        self._keep(row, self._fs.create(place, False, jpype.JInt(_BUFFER), factor, size))

    def _keep(self, row: Row, stream: Any) -> None:
        self._streams[row["path"]] = stream

    def _write(self, row: Row) -> None:
        """Write what rows of seed, length and offset generate."""
        stream = self._streams[row["path"]]
        for piece in contents.chunks(tuple(contents.Segment(*one) for one in row["content"])):
            stream.write(jpype.JArray(jpype.JByte)(piece))

    def _abandon(self, row: Row) -> None:
        """Close all streams that are open, whatever comes of it."""
        for stream in self._streams.values():
            with suppress(jvm.JavaError):
                stream.close()
        self._streams.clear()

    def _digest(self, row: Row) -> tuple[int, str]:
        """Length and SHA-256 of all that is read of a file."""
        digest, length, buffer = hashlib.sha256(), 0, jpype.JArray(jpype.JByte)(_BUFFER)
        stream = self._fs.open(self._at(row["path"]))
        try:
            while (count := int(stream.read(buffer))) >= 0:
                digest.update(bytes(buffer[:count]))
                length += count
        finally:
            stream.close()
        return length, digest.hexdigest()

    def _read(self, row: Row) -> str:
        status = self._fs.getFileStatus(self._at(row["path"]))
        content = jpype.JArray(jpype.JByte)(int(status.getLen()))
        stream = self._fs.open(self._at(row["path"]))
        try:
            stream.readFully(0, content)
        finally:
            stream.close()
        return bytes(content).decode("utf-8", "replace")

    def _tree(self, row: Row) -> list[tuple[str, bool, int]]:
        """All files below a path."""
        found = []
        each = self._fs.listFiles(self._at(row["path"]), True)
        while each.hasNext():
            found.append(_told(each.next()))
        return sorted(found)

    def _capability(self, row: Row) -> bool:
        if not hasattr(self._fs, "hasPathCapability"):
            raise Lacking(f"Hadoop {self.versions['hadoop']} has no hasPathCapability: it came with 3.3.0")
        return bool(self._fs.hasPathCapability(self._at(row["path"]), row["name"]))

    def _stream_capability(self, row: Row) -> bool:
        if not hasattr(self._fs, "hasCapability"):
            raise Lacking(f"the FileSystem of Hadoop {self.versions['hadoop']} has no hasCapability")
        return bool(self._fs.hasCapability(row["name"]))

    def _command(self, row: Row) -> Row:
        """What ``hadoop s3guard ARGUMENTS`` does: its exit code, what it prints, and why it failed."""
        system, encoding = jpype.JClass("java.lang.System"), "UTF-8"
        buffer = jpype.JClass("java.io.ByteArrayOutputStream")()
        stream = jpype.JClass("java.io.PrintStream")(buffer, True, encoding)
        before = system.out, system.err
        tool = jpype.JClass("org.apache.hadoop.fs.s3a.s3guard.S3GuardTool")
        configuration = jpype.JClass("org.apache.hadoop.conf.Configuration")(self._configuration)
        why = ""
        system.setOut(stream)
        system.setErr(stream)
        try:
            status = int(tool.run(configuration, jpype.JArray(jpype.JString)(row["arguments"])))
        except jvm.JavaError as error:
            names, why = jvm.ancestry(error), jvm.message(error)
            if "org.apache.hadoop.util.ExitUtil$ExitException" in names:
                status = int(error.getExitCode())  # type: ignore[attr-defined]
            elif "org.apache.hadoop.fs.shell.CommandFormat$UnknownOptionException" in names:
                status = 42  # the command's main function makes this of it
            else:
                status, why = -1, f"{names[0]}: {why}"
        finally:
            system.setOut(before[0])
            system.setErr(before[1])
        return {"status": status, "out": jvm.text(buffer.toString(encoding)), "why": why}


class Lacking(Exception):
    """The release has no such thing."""


def _told(status: Any) -> tuple[str, bool, int]:
    return jvm.text(status.getPath().toUri().getPath()), bool(status.isDirectory()), int(status.getLen())
