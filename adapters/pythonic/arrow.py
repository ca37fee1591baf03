"""pyarrow.fs: its calls for the operations of the specification, and the table of its errors.

mkdirs is create_dir with recursive, rename is move, listStatus is get_file_info of a selector, and getFileStatus
get_file_info of the path, whose answer NotFound is FileNotFoundException. Composed of several calls are:

- delete: get_file_info says whether delete_file or delete_dir is the call; of what is NotFound there is nothing to
  call, which is false;
- the precondition of what the interface can't say: it has no create that leaves a file alone which is there, and no
  deletion of a directory only if that is empty. Where get_file_info finds nothing, or a listing no entry, the calls it
  has mean the same and are made; otherwise the operation is not expressible.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import IO, Any

from fsconform.adapters.pythonic.library import Binding, Calls, CannotName, NoAnswer, Table, whole
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

_ROWS: dict[type[BaseException], str] = {
    FileNotFoundError: "FileNotFoundException",
    PermissionError: "AccessControlException",
    # An interface that a filesystem does not have, such as appending on S3.
    NotImplementedError: "UnsupportedOperationException",
    # ArrowIOError is OSError: without a number all that is known is that a call failed.
    OSError: "IOException",
}
TABLE = Table(
    # ArrowInvalid is a ValueError. The only argument that these calls are given is the path.
    looking=_ROWS | {ValueError: "InvalidPathException"},
    making=_ROWS | {ValueError: "InvalidPathException"},
    # Those on a file object are given numbers.
    streams=_ROWS | {ValueError: "IllegalArgumentException"},
)
"""The errors of pyarrow.fs. Those that carry a number of the operating system are known by that."""

_SILENT = re.compile(r"NETWORK_CONNECTION|REQUEST_TIMEOUT|SLOW_DOWN|SERVICE_UNAVAILABLE|curlCode", re.IGNORECASE)
"""How the S3 client tells that it got no answer, or to try again."""


class ArrowBinding(Calls):
    """The calls of one filesystem of pyarrow below the path ``base``."""

    def __init__(self, filesystem: Any, base: str) -> None:
        super().__init__(base, answered)
        self._fs = filesystem

    def open_reader(self, path: Path) -> IO[bytes]:
        """open_input_file."""
        file: IO[bytes] = self._answered(lambda: self._fs.open_input_file(self._at(path)))
        return file

    def open_writer(self, path: Path, mode: str) -> IO[bytes]:
        """open_output_stream, or open_append_stream."""
        file: IO[bytes] = self._answered(lambda: self._opened(path, mode))
        return file

    def mkdirs(self, operation: Mkdirs) -> bool:
        """create_dir, which gives nothing back: that it did not raise is true."""
        self._fs.create_dir(self._at(operation.path), recursive=True)
        return True

    def read(self, operation: Open) -> Data:
        """open_input_stream, read to the end, close."""
        with self._fs.open_input_stream(self._at(operation.path)) as file:
            return whole(file)

    def delete(self, operation: Delete) -> bool:
        """delete_file or delete_dir; of the root delete_dir_contents, as the root stays."""
        where = self._at(operation.path)
        kind = self._kind(where)
        if kind == "NotFound":
            return False
        if kind != "Directory":
            self._fs.delete_file(where)
            return True
        if not operation.recursive and self._listing(where, False):
            raise CannotName("pyarrow.fs has no deletion of a directory that spares what is in it")
        if operation.path:
            self._fs.delete_dir(where)
        else:
            self._fs.delete_dir_contents(where)
        return True

    def rename(self, operation: Rename) -> bool:
        """move, which gives nothing back: that it did not raise is true.

        NotADirectoryError does not tell which of the two paths it is about: get_file_info is asked, to name the error.
        """
        source, destination = self._at(operation.src), self._at(operation.dst)
        try:
            self._fs.move(source, destination)
        except NotADirectoryError as error:
            if self._kind(source) == "NotFound":
                raise FileNotFoundError(str(error)) from error
            if self._kind(destination) != "NotFound":
                raise FileExistsError(str(error)) from error
            raise
        return True

    def get_file_status(self, operation: GetFileStatus) -> Status:
        """get_file_info of the path."""
        found = self._fs.get_file_info(self._at(operation.path))
        if found.type.name == "NotFound":
            raise FileNotFoundError("get_file_info says NotFound")
        return self._status(operation.path, found)

    def exists(self, operation: Exists) -> bool:
        """get_file_info of the path: false if it says NotFound."""
        return self._kind(self._at(operation.path)) != "NotFound"

    def list_status(self, operation: ListStatus) -> tuple[Status, ...]:
        """get_file_info of a selector."""
        return tuple(self._listed(one) for one in self._listing(self._at(operation.path), False))

    def list_files(self, operation: ListFiles) -> tuple[Status, ...]:
        """get_file_info of a selector, recursive if so asked; of its answer the files."""
        found = self._listing(self._at(operation.path), operation.recursive)
        return tuple(self._listed(one) for one in found if one.type.name != "Directory")

    def is_file(self, operation: IsFile) -> bool:
        """get_file_info of the path."""
        return self._kind(self._at(operation.path)) == "File"

    def is_directory(self, operation: IsDirectory) -> bool:
        """get_file_info of the path."""
        return self._kind(self._at(operation.path)) == "Directory"

    def _kind(self, where: str) -> str:
        return str(self._fs.get_file_info(where).type.name)

    def _listing(self, where: str, recursive: bool) -> list[Any]:
        from pyarrow.fs import FileSelector

        found: list[Any] = self._fs.get_file_info(FileSelector(where, recursive=recursive))
        return found

    def _opened(self, path: Path, mode: str) -> Any:
        where = self._at(path)
        if mode == "append":
            return self._fs.open_append_stream(where)
        if mode == "create" and self._kind(where) != "NotFound":
            raise CannotName("pyarrow.fs has no creation of a file that leaves alone what is there")
        return self._fs.open_output_stream(where)

    def _listed(self, found: Any) -> Status:
        """The status in a listing. What does not lie below the base keeps its whole path, which no program has."""
        inside = found.path.removeprefix(f"{self._base}/")
        return self._status(tuple(inside.split("/")), found)

    def _status(self, path: Path, found: Any) -> Status:
        is_directory = found.type.name == "Directory"
        # FileInfo has no size of a directory, so the specification's 0 is as true as any.
        return Status(path, is_directory, 0 if is_directory else found.size)


def answered(call: Callable[[], Any]) -> Any:
    """What a call gave. Raises NoAnswer where the store did not answer."""
    try:
        return call()
    except OSError as error:
        if error.errno is None and _SILENT.search(str(error)):
            raise NoAnswer(f"the store did not answer, or asks to try again: {error}") from error
        raise


def local() -> Callable[[str], Binding]:
    """LocalFileSystem as it is by default."""
    from pyarrow.fs import LocalFileSystem

    filesystem = LocalFileSystem()
    return lambda base: ArrowBinding(filesystem, base)


def s3(endpoint: str, access_key: str, secret_key: str, region: str, timeout: float) -> Callable[[str], Binding]:
    """S3FileSystem as it is by default, on an endpoint ``http://HOST:PORT``; ``timeout`` in seconds."""
    from pyarrow.fs import S3FileSystem

    scheme, _, host = endpoint.partition("://")
    filesystem = S3FileSystem(
        access_key=access_key,
        secret_key=secret_key,
        region=region,
        scheme=scheme,
        endpoint_override=host,
        connect_timeout=timeout,
        request_timeout=timeout,
    )
    return lambda base: ArrowBinding(filesystem, base)
