"""How module Namespace and the reference model correspond: states, calls and outcomes, both ways.

A chunk of the module is one byte of generated content, so that lengths are the same numbers on both sides. The module
names errors by the classes that clauses name; ``IOException`` and ``RuntimeException`` stand there for any other of
their kind.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fsconform.model.core import content as contents
from fsconform.model.core.content import Content
from fsconform.model.core.errors import ancestry, short
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned, Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.create_file import CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.namespace.symlinks import CreateSymlink
from fsconform.model.filesystem.options.attributes import SUPPORTS_SYMLINKS
from fsconform.model.filesystem.options.changes import NON_RECURSIVE_MAKES_PARENTS
from fsconform.model.filesystem.options.core import (
    CREATE_FILE_UNDER_FILE_ALLOWED,
    CREATE_OVERWRITES_DIRECTORY,
    REFUSES_PATHS_BELOW_FILES,
    RENAME_CREATES_DEST_DIRS,
    RENAME_OVERWRITES_DEST,
    RENAME_REMOVE_DEST_IF_EMPTY_DIR,
    RENAME_RETURNS_FALSE_IF_DEST_EXISTS,
    RENAME_RETURNS_FALSE_IF_SOURCE_MISSING,
    RENAME_RETURNS_FALSE_ON_FAILURE,
    SUPPORTS_APPEND,
    SUPPORTS_STRICT_EXCEPTIONS,
)
from fsconform.model.filesystem.state import EMPTY, EMPTY_DIR, File, State, put, walk
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists

CONSTANTS: Mapping[str, str] = {
    "SupportsAppend": SUPPORTS_APPEND,
    "SupportsStrictExceptions": SUPPORTS_STRICT_EXCEPTIONS,
    "SupportsSymlinks": SUPPORTS_SYMLINKS,
    "CreateOverwritesDirectory": CREATE_OVERWRITES_DIRECTORY,
    "CreateFileUnderFileAllowed": CREATE_FILE_UNDER_FILE_ALLOWED,
    "NonRecursiveMakesParents": NON_RECURSIVE_MAKES_PARENTS,
    "RenameCreatesDestDirs": RENAME_CREATES_DEST_DIRS,
    "RenameOverwritesDest": RENAME_OVERWRITES_DEST,
    "RenameRemoveDestIfEmptyDir": RENAME_REMOVE_DEST_IF_EMPTY_DIR,
    "RenameReturnsFalseIfDestExists": RENAME_RETURNS_FALSE_IF_DEST_EXISTS,
    "RenameReturnsFalseIfSourceMissing": RENAME_RETURNS_FALSE_IF_SOURCE_MISSING,
    "RenameReturnsFalseOnFailure": RENAME_RETURNS_FALSE_ON_FAILURE,
    "RefusesPathsBelowFiles": REFUSES_PATHS_BELOW_FILES,
}
"""The module's constants that are options of the contract."""

RESULTS: Mapping[object, str] = {True: "true", False: "false", None: "ok"}

ERRORS = (
    "FileNotFoundException",
    "FileAlreadyExistsException",
    "ParentNotDirectoryException",
    "PathIsNotEmptyDirectoryException",
    "IOException",
    "UnsupportedOperationException",
    "RuntimeException",
)
"""The classes that the module tells apart."""

FILE_BLOCK = 512

Seen = frozenset[tuple[str, str, int]]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The finite model: names, the depth of paths, chunks, and the length of files in chunks."""

    names: tuple[str, ...] = ("a", "b")
    depth: int = 2
    chunks: tuple[str, ...] = ("x",)
    length: int = 1

    def hold(self, root: State) -> bool:
        """True of a state that the finite model has."""
        return all(
            len(path) <= self.depth and (not isinstance(node, File) or contents.length(node.content) <= self.length)
            for path, node in walk(root)
        )


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the module's ``act`` names it. ``dst`` is a rename's destination, or what a symbolic link names."""

    op: str
    path: Path
    dst: Path = ()
    data: tuple[str, ...] = ()
    flag: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """One allowed outcome. ``dev`` breaks a SHOULD; ``out`` leads to what the model can't represent.

    ``after`` is the next state, None where ``out`` is true.
    """

    res: str
    seen: Seen
    read: tuple[str, ...]
    dev: bool
    out: bool
    after: State | None


def constants(contract: Contract) -> dict[str, bool]:
    """The module's constants under a contract."""
    return {name: bool(contract.value(option)) for name, option in CONSTANTS.items()}


def content(chunks: Iterable[str]) -> Content:
    """Content of one byte for each chunk."""
    return tuple(part for chunk in chunks for part in contents.of(int.from_bytes(chunk.encode()), 1))


def state(dirs: Iterable[Sequence[str]], files: Iterable[tuple[Sequence[str], Sequence[str]]]) -> State:
    """The model's state for the module's sets. Raises ValueError for sets that are no filesystem."""
    known = {tuple(path) for path in dirs}
    contents_by_path = {tuple(path): content(chunks) for path, chunks in files}
    if () not in known or any(path[:-1] not in known for path in (*known, *contents_by_path) if path):
        raise ValueError("a parent is no directory")
    if known & set(contents_by_path):
        raise ValueError("a path is a directory and a file")
    root = EMPTY
    for directory in sorted(known):
        root = put(root, directory, EMPTY_DIR) if directory else root
    for path, held in contents_by_path.items():
        root = put(root, path, File(held))
    return root


_SIMPLE: Mapping[str, Callable[[Path], Operation]] = {
    "mkdirs": Mkdirs,
    "open": Open,
    "getFileStatus": GetFileStatus,
    "exists": Exists,
    "listStatus": ListStatus,
}


def operation(call: Call) -> Operation:
    """The operation of a call. Raises ValueError for a call that the model has not."""
    if call.op in _SIMPLE:
        return _SIMPLE[call.op](call.path)
    match call.op:
        case "create":
            return Create(call.path, content(call.data), call.flag)
        case "createNonRecursive":
            return CreateNonRecursive(call.path, content(call.data), call.flag)
        case "append":
            return Append(call.path, content(call.data))
        case "delete":
            return Delete(call.path, call.flag)
        case "rename":
            return Rename(call.path, call.dst)
        case "rename with options":
            return RenameWith(call.path, call.dst, call.flag)
        case "createSymlink":
            return CreateSymlink(call.dst, call.path)
    raise ValueError(f"the model has no call {call.op!r}")


def outcome(call: Call, res: str, seen: Iterable[Sequence[Any]] = (), read: Sequence[str] = ()) -> Outcome:
    """The outcome that the module's ``res``, ``seen`` and ``read`` tell of. Raises ValueError or KeyError."""
    if res in ERRORS:
        return Raised(ancestry(res))
    if res == "read":
        return Returned(_data(tuple(read)))
    if res == "status":
        (one,) = seen
        return Returned(_status(call.path, one))
    if res == "list":
        return Returned(tuple(sorted((_status(call.path, one) for one in seen), key=lambda status: status.path)))
    return Returned({text: value for value, text in RESULTS.items()}[res])  # type: ignore[arg-type]


def _data(chunks: tuple[str, ...]) -> Data:
    bytes_read = content(chunks)
    return Data(contents.length(bytes_read), contents.digest(bytes_read) or "")


def _status(path: Path, one: Sequence[Any]) -> Status:
    name, kind, length = one
    is_dir = kind == "dir"
    return Status((*path, name) if name else path, is_dir, int(length), 0 if is_dir else FILE_BLOCK)


def answers(call: Call, bounds: Bounds) -> Iterator[tuple[str, Seen, tuple[str, ...], Outcome]]:
    """Every outcome that a call could have in the finite model, right or wrong."""
    for error in ERRORS:
        yield error, frozenset(), (), Raised(ancestry(error))
    lengths = range(bounds.length + 1)
    entries = [("dir", 0), *(("file", length) for length in lengths)]
    match call.op:
        case "open":
            for length in lengths:
                for chunks in itertools.product(bounds.chunks, repeat=length):
                    yield "read", frozenset(), chunks, Returned(_data(chunks))
        case "getFileStatus":
            for kind, length in entries:
                yield from _listed(call, "status", [("", kind, length)])
        case "listStatus":
            for kind, length in entries:
                yield from _listed(call, "list", [("", kind, length)])
            for chosen in itertools.product((None, *entries), repeat=len(bounds.names)):
                named = zip(bounds.names, chosen, strict=True)
                yield from _listed(call, "list", [(name, *entry) for name, entry in named if entry is not None])
        case "mkdirs" | "delete" | "rename" | "exists":
            yield "true", frozenset(), (), Returned(True)
            yield "false", frozenset(), (), Returned(False)
        case _:
            yield "ok", frozenset(), (), Returned(None)


def _listed(
    call: Call, res: str, seen: list[tuple[str, str, int]]
) -> Iterator[tuple[str, Seen, tuple[str, ...], Outcome]]:
    yield res, frozenset(seen), (), outcome(call, res, seen)


def told(value: Raised | Returned) -> str:
    """What the module calls an outcome; for errors that it does not know, the nearest that it knows."""
    if isinstance(value, Raised):
        return next((short(name) for name in value.classes if short(name) in ERRORS), "RuntimeException")
    if isinstance(value.value, Data):
        return "read"
    if isinstance(value.value, Status):
        return "status"
    return "list" if isinstance(value.value, tuple) else RESULTS.get(value.value, "ok")
