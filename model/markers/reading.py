"""What a client has to see of a tree that another one wrote, whatever markers lie in it: probes, and what they owe.

Source: the document on directory markers, its section on how incompatible applications fail: listings that leave out
files, and renames that leave them behind, without an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TREE = ("t/", "t/f", "t/s/", "t/s/g", "t/s/e/")
"""The keys of the tree, in the order in which it is made: directories by mkdirs, files by create."""

LONG = 7
"""Bytes in each file."""

AUTHORITATIVE = ("t/s/",)
"""The authoritative directory, where the writer has that policy."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A call of the reader, with its arguments, and what it owes: a value, or the name of an error.

    ``left`` are the files that the bucket has to hold after it, None for all of the tree.
    """

    name: str
    what: str
    arguments: Mapping[str, Any]
    owed: Any
    left: tuple[str, ...] = ("t/f", "t/s/g")


@dataclass(frozen=True, slots=True)
class Loss:
    """A probe that went wrong: what was owed, what came; ``silent`` if no error told of it."""

    probe: str
    owed: str
    came: str
    silent: bool


def _directory(path: str) -> tuple[str, bool, int]:
    return path, True, 0


def _file(path: str) -> tuple[str, bool, int]:
    return path, False, LONG


_MOVED = ("r/f", "r/s/g")
REFUSED = "an IOException"

PROBES = (
    Probe("list the root", "list", {"path": "/"}, [_directory("/t")]),
    Probe("list the directory", "list", {"path": "/t"}, [_file("/t/f"), _directory("/t/s")]),
    Probe("list the directory below", "list", {"path": "/t/s"}, [_directory("/t/s/e"), _file("/t/s/g")]),
    Probe("list the empty directory", "list", {"path": "/t/s/e"}, []),
    Probe("list all files", "tree", {"path": "/"}, [_file("/t/f"), _file("/t/s/g")]),
    Probe("status of the directory", "status", {"path": "/t/s"}, _directory("/t/s")),
    Probe("read a file", "read", {"path": "/t/s/g"}, "content"),
    Probe("delete, not recursively", "delete", {"path": "/t/s", "recursive": False}, REFUSED),
    Probe("list after the refusal", "list", {"path": "/t/s"}, [_directory("/t/s/e"), _file("/t/s/g")]),
    Probe("rename the directory", "rename", {"path": "/t", "to": "/r"}, True, _MOVED),
    Probe("list all files after it", "tree", {"path": "/r"}, [_file("/r/f"), _file("/r/s/g")], _MOVED),
    Probe("list the moved empty directory", "list", {"path": "/r/s/e"}, [], _MOVED),
    Probe("delete a file", "delete", {"path": "/r/s/g", "recursive": False}, True, ("r/f",)),
    Probe("status of its directory after it", "status", {"path": "/r/s"}, _directory("/r/s"), ("r/f",)),
    Probe("delete all", "delete", {"path": "/r", "recursive": True}, True, ()),
    Probe("list the root after it", "list", {"path": "/"}, [], ()),
)
"""In their order: those that change something come last."""

AGAIN = (
    Probe("delete the directory, recursively", "delete", {"path": "/t", "recursive": True}, True, ()),
    Probe("list the root after it", "list", {"path": "/"}, [], ()),
)
"""For a second copy of the tree, which no other call has changed."""


def judge(probe: Probe, value: Any, error: str, ancestors: tuple[str, ...], files: frozenset[str]) -> Loss | None:
    """What went wrong with a probe: it returned ``value``, or raised an error; ``files`` are in the bucket after it."""
    came: str | None = None
    if probe.owed == REFUSED:
        if not error:
            came = f"returned {_short(value)}"
        elif "java.io.IOException" not in ancestors:
            came = error
    elif error:
        came = error
    elif _plain(value) != _plain(probe.owed):
        came = _short(value)
    left = frozenset(probe.left)
    if came is not None:
        return Loss(probe.name, _short(probe.owed), came, not error)
    if files != left:
        told = ", ".join(sorted(files - left)) or "none", ", ".join(sorted(left - files)) or "none"
        return Loss(
            probe.name, _short(probe.owed), f"{_short(value)}; files too many: {told[0]}; lost: {told[1]}", True
        )
    return None


def _plain(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _short(value: Any) -> str:
    """A value for a person: listings as names."""
    if isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple):
        return " ".join(f"{one[0]}{'/' if one[1] else ''}" for one in value)
    if isinstance(value, list | tuple) and len(value) == 3 and isinstance(value[0], str):
        return f"{value[0]}{'/' if value[1] else ''}"
    return "nothing" if value in ([], "") else str(value)
