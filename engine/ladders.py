"""Boundary ladders: for every numeric dimension powers of two and ten, and one less and one more.

Each rung is one program: set-up steps build the size, one or two steps use it, probes look at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

SPICE: tuple[str, ...] = (
    "ab",
    "A",
    "a ",
    " a",
    "a.",
    "a+b",
    "a%2Fb",
    "a%20b",
    "a#b",
    "a?b",
    "a&b=c",
    "a*b",
    "a[b]",
    "a{b}",
    "a\\b",
    "a'b",
    'a"b',
    "a;b",
    "a,b",
    "a|b",
    "a~",
    "~",
    "a:b",
    "a\tb",
    "a\nb",
    "a\x7fb",
    "\u00e9",
    "e\u0301",
    "\U0001f600",
    "\u202ea",
    "\u0130",
    "\u00df",
    "_temporary",
    ".hidden",
    ".a.crc",
    "a_$folder$",
    "...",
    "-a",
    "0",
    "CON",
)
"""Hostile names: each is used as a file, as a directory and as both ends of a rename."""


def rungs(highest: int, lowest: int = 1) -> tuple[int, ...]:
    """Powers of two and ten up to ``highest``, and one less and one more of each, from ``lowest``."""
    marks = {2**power for power in range(highest.bit_length())} | {10**power for power in range(len(str(highest)))}
    near = {mark + delta for mark in marks for delta in (-1, 0, 1)} | {highest}
    return tuple(sorted(size for size in near if lowest <= size <= highest))


def _setup(operations: Iterable[Operation]) -> list[Step]:
    return [Step(operation, setup=True) for operation in operations]


def _then(*operations: Operation) -> list[Step]:
    return [Step(operation) for operation in operations]


def children(highest: int) -> Iterator[Program]:
    """A directory of n files: listed, renamed, deleted."""
    for count in rungs(highest):
        files = [Create(("a", f"f{index}"), contents.EMPTY, False) for index in range(count)]
        yield (*_setup(files), *_then(ListStatus(("a",)), Rename(("a",), ("b",)), Delete(("b",), True)))


def depths(highest: int) -> Iterator[Program]:
    """A path of depth n: made at once, with a file at its end, moved and deleted."""
    for depth in rungs(highest):
        deep: Path = tuple(f"d{index}" for index in range(depth))
        yield tuple(
            _then(
                Mkdirs(deep),
                Create((*deep, "f"), contents.of(1, 3), False),
                Rename(deep[:1], ("e",)),
                Delete(("e",), True),
            )
        )


def name_lengths(highest: int) -> Iterator[Program]:
    """A name of n characters: as a file, as a directory, as both ends of a rename."""
    for size in sorted({*rungs(highest), *range(highest - 6, highest)}):
        name = ("n" * size,)
        yield tuple(_then(Create(name, contents.of(1, 3), False), Rename(name, ("b",)), Rename(("b",), name)))
        yield tuple(_then(Mkdirs(name), Create((*name, "f"), contents.of(1, 3), False)))
        yield tuple(_then(Create(("a",), contents.of(1, 3), False), Rename(("a",), name)))


def file_sizes(sizes: Iterable[int]) -> Iterator[Program]:
    """A file of n bytes: written, read, overwritten by a shorter one, moved."""
    for size in sizes:
        content = contents.of(1, size)
        yield tuple(
            _then(
                Create(("a",), content, False),
                Open(("a",)),
                Rename(("a",), ("b",)),
                Create(("b",), contents.of(2, size // 2), True),
            )
        )


def appended_sizes(sizes: Iterable[int]) -> Iterator[Program]:
    """n bytes appended to a file of n bytes, and one byte more."""
    for size in sizes:
        yield tuple(
            _then(
                Create(("a",), contents.of(1, size), False),
                Append(("a",), contents.of(2, size)),
                GetFileStatus(("a",)),
                Append(("a",), contents.of(3, 1)),
            )
        )


def appends(highest: int) -> Iterator[Program]:
    """n appends of a few bytes to one file."""
    for count in rungs(highest):
        more = [Append(("a",), contents.of(index + 2, 3)) for index in range(count)]
        yield (*_setup([Create(("a",), contents.of(1, 3), False)]), *_setup(more[:-1]), *_then(*more[-1:]))


def spice() -> Iterator[Program]:
    """Each hostile name as a file, as a directory and as both ends of a rename, beside a plain name."""
    for name in SPICE:
        yield tuple(_then(Create((name,), contents.of(1, 3), False), Create(("a",), contents.of(2, 4), False)))
        yield tuple(_then(Mkdirs((name, "b")), Mkdirs(("a", "b")), Delete((name,), True)))
        yield tuple(_then(Create(("c",), contents.of(1, 3), False), Rename(("c",), (name,)), Rename((name,), ("d",))))
        yield tuple(_then(Create(("a", name), contents.of(1, 3), False), Rename(("a",), ("d",)), Delete(("d",), True)))


SMALL_SIZES = (0, 1, 2, 511, 512, 513, 4095, 4096, 4097, 65535, 65536, 65537)
