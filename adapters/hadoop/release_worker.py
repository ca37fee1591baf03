"""The worker of one Hadoop release: ``python -m fsconform.adapters.hadoop.release_worker FD``.

It has a JVM of its own with the jars of that release, one FileSystem, and answers one call at a time.
"""

from __future__ import annotations

import os
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm, resolved
from fsconform.adapters.lines import Closed, Line, Row

_STACK_LINES = 12


class Client:
    """A FileSystem of the release, and Hadoop's own commands."""

    def __init__(self, hello: Row, line: Line) -> None:
        self._line = line
        jpype.startJVM(hello["libjvm"], *hello["arguments"], classpath=hello["class_path"], convertStrings=False)
        self._path = jpype.JClass("org.apache.hadoop.fs.Path")
        self._version = jvm.text(jpype.JClass("org.apache.hadoop.util.VersionInfo").getVersion())
        self._filesystem: Any = None
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
        }

    @property
    def versions(self) -> dict[str, str]:
        """The versions of Hadoop and of Java."""
        return {"hadoop": self._version, "java": jvm.text(jpype.JClass("java.lang.System").getProperty("java.version"))}

    @property
    def _fs(self) -> Any:
        return self._filesystem

    def _at(self, path: str) -> Any:
        return self._path(f"{self._uri.getScheme()}://{self._uri.getRawAuthority() or ''}{path}")

    def _configure(self, row: Row) -> None:
        """Take a configuration, and close all that stands on the one before."""
        self._filesystem = None
        jpype.JClass("org.apache.hadoop.fs.FileSystem").closeAll()
        self._configuration = jpype.JClass("org.apache.hadoop.conf.Configuration")()
        for file in row["files"]:
            self._configuration.addResource(jpype.JClass("java.io.File")(file).toURI().toURL())
        for name, value in row["configuration"].items():
            self._configuration.set(name, value)
        for found in (resolved.secrets, resolved.provided):
            self._line.send({"secrets": found(self._configuration)})
            self._line.receive()

    def _open(self, row: Row) -> None:
        """Open the FileSystem of a URI, in place of the one before."""
        self._configure(row)
        self._uri = self._path(row["uri"]).toUri()
        self._filesystem = jpype.JClass("org.apache.hadoop.fs.FileSystem").newInstance(self._uri, self._configuration)

    def _create(self, row: Row) -> None:
        stream = self._fs.create(self._at(row["path"]), row["overwrite"])
        stream.write(row["text"].encode())
        stream.close()

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
            raise Lacking(f"Hadoop {self._version} has no hasPathCapability: it came with 3.3.0")
        return bool(self._fs.hasPathCapability(self._at(row["path"]), row["name"]))

    def _stream_capability(self, row: Row) -> bool:
        if not hasattr(self._fs, "hasCapability"):
            raise Lacking(f"the FileSystem of Hadoop {self._version} has no hasCapability")
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


def _serve(line: Line) -> None:
    try:
        client = Client(line.receive(), line)
    except Exception as error:
        line.send({"broken": f"{type(error).__name__}: {error}"})
        return
    line.send({"value": client.versions})
    while True:
        row = line.receive()
        try:
            line.send({"value": client.do[row.pop("do")](row)})
        except jvm.JavaError as error:
            print(jvm.stack(error), file=sys.stderr, flush=True)
            line.send({"raised": list(jvm.ancestry(error)), "message": jvm.message(error), "why": jvm.explain(error)})
        except Lacking as error:
            line.send({"lacking": str(error)})


def main() -> None:
    """Serve until the other side is gone; the process ends with it."""
    status = 0
    try:
        _serve(Line(socket.socket(fileno=int(sys.argv[1]))))
    except Closed:
        pass
    except BaseException:
        traceback.print_exc()
        status = 70
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
