"""WebHDFS through the package hdfs: its calls for the operations of the specification, and the table of its errors.

The calls are makedirs, write, read, status, list, delete, rename, content and walk of an InsecureClient. exists, isFile
and isDirectory are status that is not strict, whose answer is None for what is not there. makedirs, write and rename
give nothing back: that they did not raise is true.

What is read or written step by step is entered as a context is: its end is close.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import IO, Any, cast

from fsconform.adapters.pythonic.library import Binding, Calls, CannotName, NoAnswer, Table, whole
from fsconform.model.core import content as contents
from fsconform.model.core.errors import FULL_NAMES, ancestry
from fsconform.model.core.outcomes import Data, Raised, Status, Value, facts
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists, IsDirectory, IsFile
from fsconform.model.filesystem.status.summaries import GetContentSummary

_ROWS: dict[type[BaseException], str] = {
    # Of Python's io module: what a response that is read can't do, such as seek.
    io.UnsupportedOperation: "UnsupportedOperationException",
    OSError: "IOException",
}


class WebHdfsTable(Table):
    """As :class:`library.Table`; an HdfsError carries the short name of the server's own exception."""

    __slots__ = ()

    def raised(self, error: Exception, what: str, where: str, stack: str = "") -> Raised:
        """What was raised. A name that the specification lacks, or none at all, is an IOException.

        WebHDFS tells the name only, no ancestry; without a name it is the client itself that refuses.
        """
        if type(error).__name__ != "HdfsError":
            return super().raised(error, what, where, stack)
        name = getattr(error, "exception", None) or "HdfsError"
        classes = ancestry(name) if name in FULL_NAMES else (f"hdfs.{name}", *ancestry("IOException"))
        return Raised(classes, f"{where}: {name}: {error}", stack)


TABLE = WebHdfsTable(looking=_ROWS, making=_ROWS, streams=_ROWS | {ValueError: "IllegalArgumentException"})
"""The errors of the package hdfs. It checks no argument itself, so there is no row for a ValueError about a path."""


class _Entered:
    """What a context manager of the client gave, as a file object: its close is the end of the context.

    What says of itself that it can't seek, as a response does, has no call for it.
    """

    def __init__(self, context: AbstractContextManager[Any]) -> None:
        self._context = context
        self._inner = context.__enter__()
        self._seeks = hasattr(self._inner, "seekable") and bool(self._inner.seekable())
        self.closed = False

    def __enter__(self) -> _Entered:
        """The context was entered at the beginning."""
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """End it."""
        self.close()

    def close(self) -> None:
        """End the context; of one that has ended nothing."""
        if not self.closed:
            self.closed = True
            self._context.__exit__(None, None, None)

    def __getattr__(self, name: str) -> Any:
        """All else is what the client gave."""
        if name == "seek" and not self._seeks:
            raise AttributeError(name)
        return getattr(self._inner, name)


class WebHdfsBinding(Calls):
    """The calls of one client below the path ``base``."""

    def __init__(self, client: Any, base: str) -> None:
        super().__init__(base, answered)
        self._client = client

    def open_reader(self, path: Path) -> IO[bytes]:
        """read."""
        return cast(IO[bytes], self._answered(lambda: _Entered(self._client.read(self._at(path)))))

    def open_writer(self, path: Path, mode: str) -> IO[bytes]:
        """write without data."""
        where, how = self._at(path), _how(mode)
        return cast(IO[bytes], self._answered(lambda: _Entered(self._client.write(where, **how))))

    def mkdirs(self, operation: Mkdirs) -> bool:
        """makedirs."""
        self._client.makedirs(self._at(operation.path))
        return True

    def read(self, operation: Open) -> Data:
        """read, to the end."""
        with self._client.read(self._at(operation.path)) as file:
            return whole(file)

    def delete(self, operation: Delete) -> bool:
        """delete."""
        if not operation.path:
            raise CannotName("the program's root is no root of the store: delete would take it away")
        return bool(self._client.delete(self._at(operation.path), recursive=operation.recursive))

    def rename(self, operation: Rename) -> bool:
        """rename."""
        self._client.rename(self._at(operation.src), self._at(operation.dst))
        return True

    def get_file_status(self, operation: GetFileStatus) -> Status:
        """status."""
        return _status(operation.path, self._client.status(self._at(operation.path)))

    def exists(self, operation: Exists) -> bool:
        """status that is not strict."""
        return self._client.status(self._at(operation.path), strict=False) is not None

    def is_file(self, operation: IsFile) -> bool:
        """status that is not strict."""
        return self._type(operation.path) == "FILE"

    def is_directory(self, operation: IsDirectory) -> bool:
        """status that is not strict."""
        return self._type(operation.path) == "DIRECTORY"

    def list_status(self, operation: ListStatus) -> tuple[Status, ...]:
        """list with status."""
        found = self._client.list(self._at(operation.path), status=True)
        return tuple(_status((*operation.path, name), status) for name, status in found)

    def list_files(self, operation: ListFiles) -> tuple[Status, ...]:
        """walk with status, one level deep if it is not to be recursive; of its answer the files."""
        return tuple(self._walked(self._at(operation.path), 0 if operation.recursive else 1))

    def content_summary(self, operation: GetContentSummary) -> Value:
        """content."""
        found = self._client.content(self._at(operation.path))
        return facts(
            "summary",
            length=found["length"],
            files=found["fileCount"],
            directories=found["directoryCount"],
            quota=found["quota"],
            spaceConsumed=found["spaceConsumed"],
            spaceQuota=found["spaceQuota"],
        )

    def _type(self, path: Path) -> str:
        found = self._client.status(self._at(path), strict=False)
        return "" if found is None else str(found["type"])

    def _write(self, path: Path, mode: str, content: contents.Content) -> None:
        self._client.write(self._at(path), data=iter(tuple(contents.chunks(content))), **_how(mode))

    def _walked(self, where: str, depth: int) -> Iterator[Status]:
        for (above, _), _, files in self._client.walk(where, depth=depth, status=True):
            inside = above.removeprefix(self._base).strip("/")
            for name, status in files:
                yield _status((*filter(None, inside.split("/")), name), status)


def _how(mode: str) -> dict[str, bool]:
    return {"append": True} if mode == "append" else {"overwrite": mode == "overwrite"}


def _status(path: Path, found: dict[str, Any]) -> Status:
    return Status(path, found["type"] == "DIRECTORY", found["length"], found["blockSize"])


def answered(call: Callable[[], Any]) -> Any:
    """What a call gave. Raises NoAnswer where the NameNode did not answer, or asked to try again."""
    from requests.exceptions import ConnectionError, Timeout

    try:
        return call()
    except (ConnectionError, Timeout) as error:
        raise NoAnswer(f"the store did not answer: {type(error).__name__}: {error}") from error
    except Exception as error:
        if getattr(error, "exception", None) in ("RetriableException", "StandbyException", "SafeModeException"):
            raise NoAnswer(f"the store asks to try again: {error}") from error
        raise


def client(url: str, user: str, timeout: float) -> Any:
    """An InsecureClient of a NameNode at ``http://HOST:PORT``; ``timeout`` in seconds. No proxy stands between."""
    from hdfs import InsecureClient
    from requests import Session

    session = Session()
    session.trust_env = False
    return InsecureClient(url, user=user, timeout=timeout, session=session)


def bind(made: Any) -> Callable[[str], Binding]:
    """The calls of a client."""
    return lambda base: WebHdfsBinding(made, base)
