"""Hadoop archives as files: an index, a master index, and a part with the bytes of all files.

It writes what Hadoop's own tool (hadoop-archives, one mapper) writes of the same tree; a nightly test compares the two.
The format is version 3, the only one that the tool of any release still in use makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_plus

from fsconform.model.core import content as contents

Elements = tuple[str, ...]
Rows = tuple[tuple[int, int, int], ...]

VERSION = 3
PART, INDEX, MASTER = "part-0", "_index", "_masterindex"

LINES_OF_A_RANGE = 1000
"""The master index has a line for so many of the index."""

FILE_MODE, DIRECTORY_MODE = 0o644, 0o755


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or directory. ``modified`` is in milliseconds since 1970; ``content`` of a directory is None.

    A content is rows of (seed, length, offset), as :class:`fsconform.model.core.content.Segment` has them.
    """

    modified: int
    content: Rows | None = None

    @property
    def length(self) -> int:
        """The length in bytes; 0 of a directory."""
        return sum(row[1] for row in self.content or ())


Tree = Mapping[Elements, Entry]
"""What is to be archived, by path; the root, whose path is empty, is among it."""


def encoded(text: str) -> str:
    """A name as the index has it: as java.net.URLEncoder writes it in UTF-8."""
    return quote_plus(text, safe="*").replace("~", "%7E")


def hash_of(path: str) -> int:
    """The number by which the index is sorted: Java's hash of the path, without its sign."""
    found = 0
    units = path.encode("utf-16-be")
    for first, second in zip(units[::2], units[1::2], strict=True):
        found = (31 * found + (first << 8 | second)) & 0xFFFFFFFF
    return found & 0x7FFFFFFF


def _properties(entry: Entry, owner: str, group: str) -> str:
    mode = DIRECTORY_MODE if entry.content is None else FILE_MODE
    return encoded(f"{entry.modified} {mode} {encoded(owner)} {encoded(group)}")


def _ordered(children: Mapping[Elements, list[str]]) -> Iterator[Elements]:
    """All paths, each directory before what is in it."""
    waiting: list[Elements] = [()]
    while waiting:
        path = waiting.pop()
        yield path
        waiting.extend((*path, name) for name in reversed(children.get(path, ())))


def _children(tree: Tree) -> dict[Elements, list[str]]:
    found: dict[Elements, list[str]] = {}
    for path in sorted(path for path in tree if path):
        found.setdefault(path[:-1], []).append(path[-1])
    return found


def index_of(tree: Tree, owner: str = "fsconform", group: str = "fsconform") -> tuple[bytes, bytes]:
    """The index and the master index of a tree."""
    children, start = _children(tree), 0
    lines: list[tuple[int, str]] = []
    for path in _ordered(children):
        entry, told = tree[path], "/" + "/".join(path)
        if entry.content is None:
            names = "".join(f"{encoded(name)} " for name in children.get(path, ()))
            rest = f"dir {_properties(entry, owner, group)} 0 0 {names}"
        else:
            rest = f"file {PART} {start} {entry.length} {_properties(entry, owner, group)} "
            start += entry.length
        lines.append((hash_of(told), f"{encoded(told)} {rest}\n"))
    lines.sort(key=lambda line: line[0])
    return "".join(line for _, line in lines).encode(), _master(lines)


def _master(lines: list[tuple[int, str]]) -> bytes:
    told, first, at = f"{VERSION} \n", 0, 0
    for begin in range(0, len(lines), LINES_OF_A_RANGE):
        part = lines[begin : begin + LINES_OF_A_RANGE]
        last, end = part[-1][0], at + sum(len(line) for _, line in part)
        told += f"{first} {last} {at} {end} \n"
        first, at = last, end
    return told.encode()


def write(tree: Tree, folder: Path) -> None:
    """Write the archive of a tree as ``folder``, which must not be there. Raises OSError."""
    index, master = index_of(tree)
    folder.mkdir()
    (folder / INDEX).write_bytes(index)
    (folder / MASTER).write_bytes(master)
    with (folder / PART).open("wb") as part:
        for path in _ordered(_children(tree)):
            for piece in contents.chunks(tuple(contents.Segment(*row) for row in tree[path].content or ())):
                part.write(piece)
