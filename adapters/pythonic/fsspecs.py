"""fsspec: its calls for the operations of the specification, and the tables of its errors, local and of s3fs.

mkdirs is makedirs with exist_ok, getFileStatus info, listStatus ls with detail, listFiles find, rename mv. Composed of
several calls are:

- delete: isdir says whether it is rm_file, rm with recursive, or rmdir where the deletion is not to be recursive; the
  FileNotFoundError of the call that is made, or NotADirectoryError, is false, as Hadoop's delete says it;
- rename: isdir says whether mv is to be recursive.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from fsconform.adapters.pythonic.library import Binding, Calls, CannotName, NoAnswer, Table, whole
from fsconform.adapters.pythonic.loops import OwnLoop
from fsconform.model.core.outcomes import Data, Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists, IsDirectory, IsFile

_MODES = {"create": "xb", "overwrite": "wb", "append": "ab"}

_BOTH: dict[type[BaseException], str] = {
    FileNotFoundError: "FileNotFoundException",
    PermissionError: "AccessControlException",
    # An interface that a filesystem does not have; io.UnsupportedOperation is an OSError and a ValueError.
    NotImplementedError: "UnsupportedOperationException",
    # Without a number all that is known is that a call failed: shutil.Error of a local mv is one.
    OSError: "IOException",
}
_LOOKING = _BOTH | {
    # What a number would have said, where the error was made without one.
    NotADirectoryError: "FileNotFoundException",
    IsADirectoryError: "PathIsDirectoryException",
    FileExistsError: "FileAlreadyExistsException",
    # The only argument that these calls are given is the path.
    ValueError: "InvalidPathException",
}
_MAKING = _BOTH | {
    NotADirectoryError: "ParentNotDirectoryException",
    IsADirectoryError: "FileAlreadyExistsException",
    FileExistsError: "FileAlreadyExistsException",
    ValueError: "InvalidPathException",
}
TABLE = Table(
    looking=_LOOKING,
    making=_MAKING,
    # Calls on a file object are given numbers.
    streams=_BOTH | {ValueError: "IllegalArgumentException"},
)
"""The errors of fsspec. Those that carry a number of the operating system are known by that, as most of s3fs are."""

Answered = Callable[[Callable[[], Any]], Any]
"""Makes a call, and raises NoAnswer where the store did not answer."""


class FsspecBinding(Calls):
    """The calls of one filesystem of fsspec below the path ``base``."""

    def __init__(self, filesystem: Any, base: str, answered: Answered) -> None:
        super().__init__(base, answered)
        self._fs = filesystem

    def open_reader(self, path: Path) -> IO[bytes]:
        """open in the mode rb."""
        file: IO[bytes] = self._answered(lambda: self._fs.open(self._at(path), "rb"))
        return file

    def open_writer(self, path: Path, mode: str) -> IO[bytes]:
        """open in the mode xb, wb or ab."""
        file: IO[bytes] = self._answered(lambda: self._opened(path, mode))
        return file

    def mkdirs(self, operation: Mkdirs) -> bool:
        """makedirs, which gives nothing back: that it did not raise is true."""
        self._fs.makedirs(self._at(operation.path), exist_ok=True)
        return True

    def read(self, operation: Open) -> Data:
        """open in the mode rb, read to the end, close."""
        with self._fs.open(self._at(operation.path), "rb") as file:
            return whole(file)

    def delete(self, operation: Delete) -> bool:
        """rm_file, rm or rmdir."""
        if not operation.path:
            raise CannotName("the program's root is no root of the store: rm would take it away")
        try:
            self._remove(self._at(operation.path), operation.recursive)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def rename(self, operation: Rename) -> bool:
        """mv, which gives nothing back: that it did not raise is true."""
        source = self._at(operation.src)
        try:
            self._fs.mv(source, self._at(operation.dst), recursive=self._fs.isdir(source))
        except NotADirectoryError as error:
            if error.filename == source:  # a file stands above the source: it is missing
                raise FileNotFoundError(str(error)) from error
            raise
        return True

    def get_file_status(self, operation: GetFileStatus) -> Status:
        """info."""
        return _status(operation.path, self._fs.info(self._at(operation.path)))

    def exists(self, operation: Exists) -> bool:
        """exists."""
        return bool(self._fs.exists(self._at(operation.path)))

    def list_status(self, operation: ListStatus) -> tuple[Status, ...]:
        """ls with detail."""
        return tuple(self._listed(one) for one in self._fs.ls(self._at(operation.path), detail=True))

    def list_files(self, operation: ListFiles) -> tuple[Status, ...]:
        """find with detail, one level deep if it is not to be recursive."""
        depth = None if operation.recursive else 1
        found = self._fs.find(self._at(operation.path), maxdepth=depth, detail=True)
        return tuple(self._listed(one) for one in found.values())

    def is_file(self, operation: IsFile) -> bool:
        """isfile."""
        return bool(self._fs.isfile(self._at(operation.path)))

    def is_directory(self, operation: IsDirectory) -> bool:
        """isdir."""
        return bool(self._fs.isdir(self._at(operation.path)))

    def _remove(self, where: str, recursive: bool) -> None:
        if not self._fs.isdir(where):
            self._fs.rm_file(where)
        elif recursive:
            self._fs.rm(where, recursive=True)
        else:
            self._fs.rmdir(where)

    def _opened(self, path: Path, mode: str) -> Any:
        try:
            return self._fs.open(self._at(path), _MODES[mode])
        except Exception as error:
            # A file object made in part is closed as it is collected, and that of s3fs writes then: now, and not at any
            # later moment, such as the end of Python, which it would wait beyond.
            traceback.clear_frames(error.__traceback__)
            raise

    def _listed(self, found: dict[str, Any]) -> Status:
        """The status in a listing. What does not lie below the base keeps its whole path, which no program has."""
        name = str(found["name"])
        inside = () if name == self._base else tuple(name.removeprefix(f"{self._base}/").split("/"))
        return _status(inside, found)


def _status(path: Path, found: dict[str, Any]) -> Status:
    return Status(path, found["type"] == "directory", found["size"])


def local() -> Callable[[str], Binding]:
    """LocalFileSystem with auto_mkdir, its own option for making the missing parents of what is written or moved."""
    from fsspec.implementations.local import LocalFileSystem

    filesystem = LocalFileSystem(auto_mkdir=True, skip_instance_cache=True)
    return lambda base: FsspecBinding(filesystem, base, lambda call: call())


_LOADING = threading.Lock()


def s3(
    endpoint: str, access_key: str, secret_key: str, region: str, timeout: float
) -> tuple[Callable[[str], Binding], Callable[[], None]]:
    """s3fs as it is by default, its cache of listings too, on an endpoint, and what ends its connections.

    ``timeout`` is in seconds. The end takes seconds at most, whatever is under way or was left open.
    """
    from s3fs import S3FileSystem

    own = OwnLoop("s3fs")
    with _LOADING:
        filesystem = S3FileSystem(
            key=access_key,
            secret=secret_key,
            endpoint_url=endpoint,
            client_kwargs={"region_name": region},
            config_kwargs={"connect_timeout": timeout, "read_timeout": timeout},
            loop=own.loop,
            skip_instance_cache=True,
        )

    def end() -> None:
        connected = getattr(filesystem, "_s3creator", None)
        if connected is not None and not own.loop.is_closed():
            with suppress(Exception):
                filesystem.close_session(own.loop, connected)
        own.close()

    return lambda base: FsspecBinding(filesystem, base, s3_answered), end


def s3_answered(call: Callable[[], Any]) -> Any:
    """What a call of s3fs gave. Raises NoAnswer where S3 did not answer, or asked to try again."""
    from aiohttp import ClientConnectionError
    from botocore.exceptions import ClientError, HTTPClientError
    from botocore.exceptions import ConnectionError as NotConnected

    try:
        return call()
    except (TimeoutError, ConnectionError, ClientConnectionError, HTTPClientError, NotConnected) as error:
        raise NoAnswer(f"the store did not answer: {type(error).__name__}: {error}") from error
    except OSError as error:
        cause = error.__cause__
        if isinstance(cause, ClientError) and cause.response.get("ResponseMetadata", {}).get("HTTPStatusCode") == 503:
            raise NoAnswer(f"the store asks to try again: {error}") from error
        raise
