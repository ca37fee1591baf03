"""The folder that a campaign writes to, on any filesystem that can put a whole file where none is, in one step.

How that is done differs, and rename is not it on an object store:

file:                      a hard link to a whole file, which fails where there is one
hdfs: and what is one      a rename that refuses to overwrite: one step of the NameNode
s3a: and others with the capability ``fs.option.create.conditional.overwrite``:
                           a file that appears as it is closed, if there is none

Any other filesystem is refused: two attempts at a unit could both believe that they were chosen.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from fsconform.records.given import GivenError, read_bytes

CONDITIONAL = "fs.option.create.conditional.overwrite"
"""The capability of a path, and the option of ``createFile()``, by which a file appears only if there is none."""

RENAMING = ("org.apache.hadoop.hdfs.DistributedFileSystem", "org.apache.hadoop.hdfs.web.WebHdfsFileSystem")
"""The classes of filesystems whose rename without overwriting is one atomic step."""

_LACKING = ("No FileSystem for scheme", "ClassNotFoundException", "NoClassDefFoundError")

_CLASH = ("FileAlreadyExistsException", "412", "PreconditionFailed", "RemoteFileChangedException")


MOST_BYTES = 4 << 30
"""Of one file of a campaign."""


class DepotError(Exception):
    """The folder can't be used; the text names it, says why and how to mend it."""


class Depot(Protocol):
    """A folder. Names are relative to it, with slashes."""

    def put(self, name: str, data: bytes) -> None:
        """Write a file, and the folders above it. Raises DepotError."""
        ...

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """Write a file whole if there is none of the name; False if there is. Raises DepotError."""
        ...

    def read(self, name: str) -> bytes | None:
        """The content of a file, None if there is none. Raises DepotError."""
        ...

    def size(self, name: str) -> int | None:
        """The bytes of a file, None if there is none. Raises DepotError."""
        ...

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, sorted; none where there is no folder. Raises DepotError."""
        ...

    def close(self) -> None:
        """Let go of what reaches it. May be called twice."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a campaign writes: a URI, with Hadoop's configuration and the jars that its scheme needs."""

    uri: str
    configuration: Mapping[str, str] = field(default_factory=dict)
    jars: tuple[str, ...] = ()

    @property
    def local(self) -> Path | None:
        """The folder on this machine that is meant, None if it is elsewhere."""
        parts = urlsplit(self.uri)
        if parts.scheme not in ("", "file") or parts.netloc:
            return None
        return Path(unquote(parts.path) if parts.scheme else self.uri).absolute()


class LocalDepot:
    """A folder of this machine's filesystem."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, name: str, data: bytes) -> None:
        """See Depot."""
        path = self.root / name
        half = self._half(path, data)
        try:
            half.replace(path)
        except OSError as error:
            raise DepotError(f"{path}: {error.strerror or error}") from error

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """See Depot."""
        path = self.root / name
        half = self._half(path, data)
        try:
            os.link(half, path)
        except FileExistsError:
            return False
        except OSError as error:
            raise DepotError(
                f"{path}: {error.strerror or error}: the folder must be on a filesystem with hard links"
            ) from error
        finally:
            half.unlink(missing_ok=True)
        return True

    def read(self, name: str) -> bytes | None:
        """See Depot."""
        try:
            return read_bytes(self.root / name, MOST_BYTES) if os.path.lexists(self.root / name) else None
        except (GivenError, ValueError) as error:
            raise DepotError(str(error)) from error

    def size(self, name: str) -> int | None:
        """See Depot."""
        try:
            return (self.root / name).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise DepotError(f"{self.root / name}: {error}") from error

    def names(self, folder: str) -> list[str]:
        """See Depot."""
        try:
            return sorted(one for one in os.listdir(self.root / folder) if not one.startswith("."))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise DepotError(f"{self.root / folder}: {error.strerror or error}") from error

    def close(self) -> None:
        """See Depot."""

    def _half(self, path: Path, data: bytes) -> Path:
        half = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            half.write_bytes(data)
        except OSError as error:
            with contextlib.suppress(OSError):
                half.unlink(missing_ok=True)
            raise DepotError(f"{path}: {error.strerror or error}: choose another folder with --out") from error
        return half


class HadoopDepot:
    """A folder behind Hadoop's FileSystem interface, in a JVM that py4j reaches."""

    def __init__(self, jvm: Any, configuration: Any, uri: str, end: Any = None) -> None:
        """``end`` is called when it is closed. Raises DepotError for a filesystem without an atomic way."""
        self._jvm, self._root, self._end = jvm, uri.rstrip("/"), end
        with self._telling(""):
            self._path_class = jvm.org.apache.hadoop.fs.Path
            root = self._path_class(self._root)
            self._fs = root.getFileSystem(configuration)
            kind = str(self._fs.getClass().getName())
            self._conditional = bool(self._fs.hasPathCapability(root, CONDITIONAL))
            self._context = jvm.org.apache.hadoop.fs.FileContext.getFileContext(self._fs.getUri(), configuration)
        if not self._conditional and kind not in RENAMING:
            raise DepotError(
                f"{uri}: {kind} offers no way to put a file where none is in one step. "
                "Name a folder on file:, hdfs: or s3a: (with fs.s3a.create.conditional.enabled, which is its default)"
            )

    def put(self, name: str, data: bytes) -> None:
        """See Depot."""
        with self._telling(name):
            self._write(self._fs.create(self._path(name), True), data)

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """See Depot."""
        return self._conditionally(name, data) if self._conditional else self._by_rename(name, data)

    def read(self, name: str) -> bytes | None:
        """See Depot."""
        with self._telling(name):
            path = self._path(name)
            if not self._fs.exists(path):
                return None
            stream = self._fs.open(path)
            try:
                return bytes(self._jvm.org.apache.hadoop.io.IOUtils.readFullyToByteArray(stream))
            finally:
                stream.close()

    def size(self, name: str) -> int | None:
        """See Depot."""
        with self._telling(name):
            path = self._path(name)
            return int(self._fs.getFileStatus(path).getLen()) if self._fs.exists(path) else None

    def names(self, folder: str) -> list[str]:
        """See Depot."""
        with self._telling(folder):
            path = self._path(folder)
            if not self._fs.exists(path):
                return []
            found = [str(status.getPath().getName()) for status in self._fs.listStatus(path)]
            return sorted(one for one in found if not one.startswith("."))

    def close(self) -> None:
        """See Depot."""
        end, self._end = self._end, None
        if end is not None:
            end()

    def _path(self, name: str) -> Any:
        return self._path_class(f"{self._root}/{name}" if name else self._root)

    def _write(self, stream: Any, data: bytes) -> None:
        stream.write(bytearray(data))
        stream.close()

    def _conditionally(self, name: str, data: bytes) -> bool:
        try:
            builder = self._fs.createFile(self._path(name)).recursive().overwrite(True)
            self._write(builder.must(CONDITIONAL, True).build(), data)
        except Exception as error:
            if _clashes(error):
                return False
            raise DepotError(f"{self._root}/{name}: {_told(error)}") from error
        return True

    def _by_rename(self, name: str, data: bytes) -> bool:
        folder, _, last = name.rpartition("/")
        half = f"{folder}/.{last}.{secrets.token_hex(8)}"
        self.put(half, data)
        options = self._jvm.java.lang.reflect.Array.newInstance(self._rename_class(), 0)
        try:
            self._context.rename(self._path(half), self._path(name), options)
        except Exception as error:
            with contextlib.suppress(Exception):
                self._fs.delete(self._path(half), False)
            if _clashes(error):
                return False
            raise DepotError(f"{self._root}/{name}: {_told(error)}") from error
        return True

    def _rename_class(self) -> Any:
        return self._jvm.java.lang.Class.forName("org.apache.hadoop.fs.Options$Rename")

    @contextlib.contextmanager
    def _telling(self, name: str) -> Any:
        try:
            yield
        except DepotError:
            raise
        except Exception as error:
            where = f"{self._root}/{name}" if name else self._root
            raise DepotError(f"{where}: {_told(error)}{_mend(error)}") from error


def open_depot(place: Place) -> Depot:
    """The folder of a place; where it is not on this machine, a JVM is started that ends with this process.

    Raises DepotError.
    """
    if place.local is not None:
        return LocalDepot(place.local)
    from fsconform.pipeline.gateway import started

    try:
        gateway, end = started(place.jars)
    except OSError as error:
        raise DepotError(f"{place.uri}: no JVM to reach it by could be started: {error}") from error
    try:
        configuration = gateway.jvm.org.apache.hadoop.conf.Configuration()
        for name, value in place.configuration.items():
            configuration.set(name, value)
        return HadoopDepot(gateway.jvm, configuration, place.uri, end)
    except BaseException:
        end()
        raise


def _clashes(error: Exception) -> bool:
    text = _told(error)
    return any(word in text for word in _CLASH)


def _mend(error: Exception) -> str:
    """What helps where the client has no class for the scheme; empty for other errors."""
    if any(name in _told(error) for name in _LACKING):
        return (
            ": name the jar that has it, by --out-jars of `fsconform campaign` and by --jars of `fsconform recheck`, "
            "or mend the scheme"
        )
    return ""


def _told(error: Exception) -> str:
    """What a Java error says of itself, in a line; of others their text, or their kind if they have none."""
    java = _java_exception(error)
    text = " ".join(str(java.toString() if java is not None else error).split())[:500]
    return text or type(error).__name__


def _java_exception(error: BaseException) -> Any:
    """The Java exception that an error is, or hides; None if there is none.

    A Spark session that was ever started in this process replaces py4j's errors by its own, which ask its JVM, and
    fail where that one has ended.
    """
    link: BaseException | None = error
    while link is not None:
        if type(link).__name__ == "Py4JJavaError":
            return getattr(link, "java_exception", None)
        link = link.__context__
    return None
