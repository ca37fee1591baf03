"""The dimensions in which a store's limits are searched for: for each the program that tries a size.

Each try is a program in a fresh directory. A size works if every call gives what the specification promises for such a
name, path or file; whatever else the store says counts as a refusal, with what it said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsconform.engine import describe
from fsconform.engine.limits import Search, Tried
from fsconform.engine.protocol import Execution
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, NotExpressible, Returned, Status, Unknown, Value
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

FOUR_BYTES = "\U0001f600"
"""A character of four bytes in UTF-8 and of two units in Java's strings: stores count it as four, two or one."""

ELEMENT = 63
"""Bytes of the names that long paths are made of: no store is known to refuse a name so short."""

Fits = Callable[[Value], bool]
"""Whether a value is what a call promises to return."""

Calls = tuple[tuple[Operation, Fits], ...]


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension. ``calls`` makes the program of a size, ``bound`` is how far to go.

    ``of_base`` is the part of the size that a program's directory has before the program begins, ``least`` what a
    program adds to it at least.
    """

    name: str
    unit: str
    bound: int
    calls: Callable[[int], Calls]
    of_base: Callable[[str], int] = lambda base: 0
    least: int = 1

    def begin(self, base: str) -> Search:
        """A search that begins with the least there can be in such a directory."""
        return Search(self.bound, self.of_base(base) + self.least)

    def program(self, size: int, base: str) -> Program:
        """The program that tries a size in a directory, or the next larger one that there can be."""
        return tuple(Step(operation) for operation, _ in self.calls(self._own(size, base)))

    def tried(self, size: int, planned: str, execution: Execution) -> Tried:
        """What an execution of the program says; it was planned for another directory than it ran in, perhaps."""
        own = self._own(size, planned)
        actual = own + self.of_base(execution.base or planned)
        events = execution.trace.events
        for (operation, fits), event in zip(self.calls(own), events, strict=False):
            outcome = event.outcome
            if isinstance(outcome, Unknown | NotExpressible):
                return Tried(actual, undecided=f"{operation.NAME} of {actual:,}: {describe.observed(outcome)}")
            if not isinstance(outcome, Returned) or not fits(outcome.value):
                return Tried(actual, refused=f"{operation.NAME} {describe.observed(outcome)}")
        if execution.lost or len(events) < len(execution.trace.program):
            return Tried(actual, undecided=f"{actual:,}: {execution.lost or 'the program was not executed whole'}")
        return Tried(actual)

    def _own(self, size: int, base: str) -> int:
        return max(self.least, size - self.of_base(base))


_BODY = contents.of(1, 3)


def _nothing(value: Value) -> bool:
    return value is None


def _true(value: Value) -> bool:
    return value is True


def _reads(content: contents.Content) -> Fits:
    wanted = Data(contents.length(content), contents.digest(content) or "")
    return lambda value: value == wanted


def _lists(*paths: Path) -> Fits:
    wanted = set(paths)

    def fits(value: Value) -> bool:
        return isinstance(value, tuple) and len(value) == len(wanted) and {one.path for one in value} == wanted

    return fits


def _file_called(name: str) -> Calls:
    path = (name,)
    return (
        (Create(path, _BODY, False), _nothing),
        (Open(path), _reads(_BODY)),
        (ListStatus(()), _lists(path)),
    )


def _directory_called(name: str) -> Calls:
    path = (name,)
    return ((Mkdirs(path), _true), (ListStatus(()), _lists(path)))


def long_path(length: int) -> Path:
    """A relative path that is so many bytes long with a slash before each element: 2 or more."""
    full, rest = divmod(length, ELEMENT + 1)
    sizes = [ELEMENT] * full + ([rest - 1] if rest > 1 else [])
    if rest == 1:  # a slash alone is no element: the last two share what there is
        sizes[-1:] = [ELEMENT - 1, 1]
    return tuple("p" * size for size in sizes)


def _file_at(length: int) -> Calls:
    path = long_path(length)
    parents: Calls = ((Mkdirs(path[:-1]), _true),) if len(path) > 1 else ()
    return (*parents, (Create(path, _BODY, False), _nothing), (Open(path), _reads(_BODY)))


def _nested(depth: int) -> Calls:
    path = ("d",) * depth

    def there(value: Value) -> bool:
        return isinstance(value, Status) and value.is_dir and value.path == path

    return ((Mkdirs(path), _true), (GetFileStatus(path), there))


def _filled(entries: int) -> Calls:
    paths = [("d", f"f{number}") for number in range(entries)]
    return (
        (Mkdirs(("d",)), _true),
        *((Create(path, contents.EMPTY, False), _nothing) for path in paths),
        (ListStatus(("d",)), _lists(*paths)),
    )


def _long_file(length: int) -> Calls:
    path, content = ("f",), contents.of(1, length)

    def there(value: Value) -> bool:
        return isinstance(value, Status) and value.length == length

    return (
        (Create(path, content, False), _nothing),
        (GetFileStatus(path), there),
        (Open(path), _reads(content)),
    )


NAME = Dimension("name of a file", "bytes", 1 << 12, lambda size: _file_called("n" * size))
DIRECTORY_NAME = Dimension("name of a directory", "bytes", 1 << 12, lambda size: _directory_called("n" * size))
WIDE_NAME = Dimension(
    "name of a file in characters of four bytes", "characters", 1 << 12, lambda size: _file_called(FOUR_BYTES * size)
)
PATH = Dimension("path of a file", "bytes", 1 << 15, _file_at, lambda base: len(base.encode()), 2)
DEPTH = Dimension("depth of a directory", "elements", 1 << 12, _nested, lambda base: base.count("/"))
LENGTH = Dimension("length of a file", "bytes", 1 << 24, _long_file)
ENTRIES = Dimension("entries of a directory", "files", 1 << 20, _filled)

QUICK: tuple[Dimension, ...] = (NAME, DIRECTORY_NAME, WIDE_NAME, PATH, DEPTH, LENGTH)
"""The dimensions in which a try is quick; filling a directory takes whatever time there is."""


def path_bytes_at(depth: int, base: str) -> int:
    """The bytes of the path that :data:`DEPTH` tries at a depth, in a directory."""
    return len(base.encode()) + 2 * max(depth - DEPTH.of_base(base), 0)
