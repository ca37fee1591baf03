"""What a session asks of a library: its calls, bound to the place in which one program plays."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import IO, Any, Protocol

from fsconform.adapters.errnos import LOOKING, MAKING
from fsconform.adapters.streams import Inexpressible
from fsconform.model.core import content as contents
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Raised, Value
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists, IsDirectory, IsFile
from fsconform.model.filesystem.status.summaries import GetContentSummary

_READ = 1 << 16
"""Bytes that are read at a time."""

UNLISTED = "RuntimeException"
"""What an error that no table lists extends: the library's users can't be ready for it either."""


_LOOKING = LOOKING | {errno.EEXIST: "FileAlreadyExistsException"}
"""rmdir of Linux says ENOTEMPTY, never EEXIST, which comes of what a library makes on its way."""


class CannotName(Inexpressible):
    """The library has no call for what is asked, or no text that names the path; the text says which."""


class NoAnswer(Exception):
    """The store behind the library did not answer: nobody knows what the call did."""


class Binding(Protocol):
    """A library's calls, in the place of one program."""

    def call(self, operation: Operation) -> Callable[[], Value] | None:
        """The call that an operation is; None where the library has none. Calls raise the library's own errors.

        They raise CannotName too, and NoAnswer.
        """
        ...

    def open_reader(self, path: Path) -> IO[bytes]:
        """A file object that reads a file. Raises as calls do."""
        ...

    def open_writer(self, path: Path, mode: str) -> IO[bytes]:
        """A file object that writes a file, opened in a mode of ``OpenWriter``. Raises as calls do."""
        ...


@dataclass(frozen=True, slots=True)
class Table:
    """Which of the specification's errors each error of a library stands for, by short names.

    ``looking`` holds for calls on a path that is to exist, ``making`` for those that make one exist, ``streams`` for
    calls on a file object. An error that carries a number of the operating system is known by that; any other by the
    first of its classes that has a row.
    """

    looking: Mapping[type[BaseException], str]
    making: Mapping[type[BaseException], str]
    streams: Mapping[type[BaseException], str]

    def raised(self, error: Exception, what: str, where: str, stack: str = "") -> Raised:
        """What was raised in a call of the kind ``what``: looking, making or streams."""
        rows = {"looking": self.looking, "making": self.making, "streams": self.streams}[what]
        return Raised(self._classes(error, rows, MAKING if what == "making" else _LOOKING), _told(error, where), stack)

    def _classes(
        self, error: Exception, rows: Mapping[type[BaseException], str], numbers: Mapping[int, str]
    ) -> tuple[str, ...]:
        number = error.errno if isinstance(error, OSError) else None
        if number is not None and number in numbers:
            return ancestry(numbers[number])
        name = next((rows[one] for one in type(error).__mro__ if one in rows), None)
        if name is None:
            return (f"{type(error).__module__}.{type(error).__name__}", *ancestry(UNLISTED))
        return ancestry(name)


def _told(error: Exception, where: str) -> str:
    number = f" ({errno.errorcode.get(error.errno, error.errno)})" if isinstance(error, OSError) and error.errno else ""
    return f"{where}: {type(error).__name__}: {error}{number}"


@lru_cache(maxsize=1 << 12)
def name_of(path: Path) -> str:
    """A path as the libraries take it, with slashes between the elements. Raises CannotName.

    What a library would take for another path is not asked: names that are empty or ``.`` or ``..``, which might lead
    out of the program's place, and those that hold a slash.
    """
    for element in path:
        if "/" in element:
            raise CannotName(f"the element {element!r} holds a slash, which separates elements")
        if element in ("", ".", ".."):
            raise CannotName(f"the element {element!r} means another directory than one of that name")
        try:
            element.encode()
        except UnicodeEncodeError as error:
            raise CannotName(f"a name has no UTF-8 form: {error.reason}") from error
    return "/".join(path)


_METHODS: dict[type[Operation], str] = {
    Mkdirs: "mkdirs",
    Create: "create",
    Append: "append",
    Open: "read",
    Delete: "delete",
    Rename: "rename",
    GetFileStatus: "get_file_status",
    Exists: "exists",
    ListStatus: "list_status",
    ListFiles: "list_files",
    GetContentSummary: "content_summary",
    IsFile: "is_file",
    IsDirectory: "is_directory",
}


class Calls:
    """The calls of a library below the path ``base``, a method for each operation that the library has a call for.

    ``answered`` makes a call; it raises NoAnswer where the store did not answer.
    """

    def __init__(self, base: str, answered: Callable[[Callable[[], Any]], Any]) -> None:
        self._base, self._answered = base, answered

    def call(self, operation: Operation) -> Callable[[], Value] | None:
        """See :class:`Binding`."""
        method = getattr(self, _METHODS[type(operation)], None) if type(operation) in _METHODS else None
        if method is None or getattr(operation, "via", "") != "":
            return None
        return partial(self._answered, partial(method, operation))

    def create(self, operation: Create) -> None:
        """The library's call that opens a new file, write, close."""
        self._write(operation.path, "overwrite" if operation.overwrite else "create", operation.content)

    def append(self, operation: Append) -> None:
        """The library's call that opens a file to append to it, write, close."""
        self._write(operation.path, "append", operation.content)

    def _at(self, path: Path) -> str:
        return f"{self._base}/{name_of(path)}" if path else self._base

    def _opened(self, path: Path, mode: str) -> Any:
        """A file object, opened in a mode of ``OpenWriter``."""
        raise NotImplementedError

    def _write(self, path: Path, mode: str, content: contents.Content) -> None:
        with self._opened(path, mode) as file:
            for piece in contents.chunks(content):
                written(file, piece)


def written(file: Any, data: bytes | bytearray | memoryview) -> None:
    """Write all of it, as Python's io module has it: write tells how many bytes it took, or nothing if all."""
    left = memoryview(data)
    if not left:
        file.write(data)
    while left:
        # The caller's own array is passed the first time, for a library to keep or to copy.
        taken = file.write(data if len(left) == len(data) else left)
        left = left[len(left) if taken is None else taken :]
        if taken == 0:
            raise OSError("write took no byte")


def whole(file: IO[bytes]) -> Data:
    """What a file holds from where it stands to its end. Raises what reading raises."""
    length, digest = 0, hashlib.sha256()
    while piece := file.read(_READ):
        length += len(piece)
        digest.update(piece)
    return Data(length, digest.hexdigest())
