"""Witnesses that are made in code: pages of entries, trees that grow, names that are given up and taken again.

A store lists and deletes in pages, walks trees level by level, and remembers names. What goes wrong there needs no odd
operation, but a number: of entries, of levels, of steps back. Each directory is built once, by set-up steps, and looked
at, moved and deleted by every call that does so.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.namespace.create import Create, CreateWith
from fsconform.model.filesystem.namespace.create_file import CreateFile, CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs, MkdirsWith
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.programs import Program, Step
from fsconform.model.filesystem.protocols.iterators import Iterate
from fsconform.model.filesystem.protocols.trash import MoveToTrash
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered, ListMany
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.model.filesystem.status.summaries import GetContentSummary
from fsconform.model.filesystem.transfer.bulk_delete import BulkDelete
from fsconform.model.filesystem.transfer.local_copies import CopyFromLocal, MoveFromLocal
from fsconform.model.filesystem.transfer.uploads import Upload

PAGES, TREES, AGAIN, MODES = "pages", "trees", "again", "modes"
"""The groups of these witnesses."""

PAGE = 1000
"""Entries in a page of a listing: S3's, and by default the NameNode's."""

SIZES = (PAGE - 1, PAGE, PAGE + 1, 2 * PAGE)
MOST_MOVED = PAGE + 1
"""Where a move copies each file, one of two pages takes longer than a call may on a machine that has other work."""

DEPTHS = (4, 8, 16, 31)

PERMISSIONS = (0o000, 0o111, 0o444, 0o644, 0o700, 0o777, 0o1777)
"""Permissions that no default gives, the least and the greatest among them."""

Row = tuple[str, tuple[str, ...], Program, str]
"""A witness: its name, what it decides, its program and its group."""

_DIRECTORY: Path = ("d",)
_MOVED: Path = ("e",)
_OLD, _NEW = contents.of(1, 9), contents.of(2, 4)


def rows() -> Iterator[Row]:
    """All of them, in a fixed order."""
    yield from _pages()
    yield from _trees()
    yield from _again()
    yield from _modes()


def _setup(*operations: Operation) -> Program:
    return tuple(Step(operation, setup=True) for operation in operations)


def _then(*operations: Operation) -> Program:
    return tuple(Step(operation) for operation in operations)


# --- pages of entries


def _looks(path: Path, flat: bool, manners: tuple[str, ...]) -> list[Operation]:
    """Each call that lists a directory, in each of its ways; ``flat`` if it holds files only.

    ``manners`` are those in which iterators are walked beside the calls that drain them, asking hasNext each time;
    without any, of the two ways of listFiles there is one.
    """
    found: list[Operation] = [ListStatus(path, via) for via in ("", *ListStatus.VIAS)]
    found += [Iterate(path, manner, via) for manner in manners for via in ("", *Iterate.VIAS)]
    found += [ListFiles(path, recursive) for recursive in ((False, True) if manners else (True,))]
    found += [ListFiltered(path, "f"), ListMany((path,)), GetContentSummary(path)]
    if flat:
        found.append(GlobStatus(f"{'/'.join(path)}/*"))
    return found


def _pages() -> Iterator[Row]:
    lists = (
        "filesystem.listStatus.post.directory",
        "filesystem.listFiles.post.flat",
        "filesystem.listFiles.post.recursive",
        "filesystem.listStatusIterator.post",
        "filesystem.listLocatedStatus.post",
        "filesystem.getContentSummary.post.directory",
        "filesystem.globStatus.post.matches",
        "filesystem.rename.post.directory",
        "rename.rename3.post.directory",
        "filesystem.delete.post.recursive",
    )
    for size in SIZES:
        files = [Create((*_DIRECTORY, f"f{number:04}"), contents.EMPTY, False) for number in range(size)]
        moves = (
            Rename(_DIRECTORY, _MOVED),
            ListStatus(_MOVED),
            Exists(_DIRECTORY),
            RenameWith(_MOVED, _DIRECTORY, False),
            ListStatus(_DIRECTORY),
            Exists(_MOVED),
        )
        removes = (
            Delete(_DIRECTORY, False),
            ListStatus(_DIRECTORY),
            Delete(_DIRECTORY, True),
            ListStatus(()),
        )
        looks = _looks(_DIRECTORY, True, ("alone",) if size == PAGE + 1 else ())
        used = (*looks, *(moves if size <= MOST_MOVED else ()), *removes)
        program = (*_setup(Mkdirs(_DIRECTORY), *files), *_then(*used))
        yield f"directory of {size} files", lists, program, PAGES
    files = [Create((*_DIRECTORY, f"f{number:04}"), contents.EMPTY, False) for number in range(PAGE + 1)]
    yield (
        f"trash takes a directory of {PAGE + 1} files",
        ("trashpolicy.moveToTrash.post.moved",),
        (*_setup(Mkdirs(_DIRECTORY), *files), *_then(MoveToTrash(_DIRECTORY, True), ListStatus(()))),
        PAGES,
    )


# --- trees that grow


def _trees() -> Iterator[Row]:
    decides = (
        "filesystem.listFiles.post.recursive",
        "filesystem.getContentSummary.post.directory",
        "filesystem.rename.post.directory",
        "filesystem.delete.post.recursive",
        "filesystem.delete.pre.not-empty",
    )
    for depth in DEPTHS:
        levels = [(*_DIRECTORY, *(f"d{level}" for level in range(deep))) for deep in range(depth)]
        files = [Create((*level, "f"), contents.of(1 + deep, 3), False) for deep, level in enumerate(levels)]
        moved: Path = (*_MOVED, *levels[-1][1:])
        program = (
            *_setup(*files),
            *_then(
                *_looks(_DIRECTORY, False, ("alone", "asked")),
                ListStatus(levels[-1]),
                GlobStatus("/".join((*_DIRECTORY, *("*" for _ in levels)))),
                Rename(_DIRECTORY, _MOVED),
                ListFiles(_MOVED, True),
                Open((*moved, "f")),
                RenameWith(_MOVED, _DIRECTORY, False),
                ListFiles(_DIRECTORY, True),
                Delete(_DIRECTORY, False),
                ListFiles(_DIRECTORY, True),
                Delete(_DIRECTORY, True),
                Exists(levels[-1]),
            ),
        )
        yield f"tree of {depth} levels", decides, program, TREES


# --- names that are given up and taken again


def _given_up() -> Iterator[tuple[str, Program]]:
    """Ways in which the name /p/a is given up, with what stood there."""
    path, other = ("p", "a"), ("p", "z")
    file = _then(Create(path, _OLD, False))
    empty, full = _then(Mkdirs(path)), _then(Create((*path, "c"), _OLD, False))
    for what, there in (("file", file), ("empty directory", empty), ("directory", full)):
        recursive = what == "directory"
        yield f"a {what} that is deleted", (*there, *_then(Delete(path, recursive)))
        yield f"a {what} that is renamed away", (*there, *_then(Rename(path, other)))
        yield f"a {what} that is renamed with options", (*there, *_then(RenameWith(path, other, True)))
        yield f"a {what} that is moved to trash", (*there, *_then(MoveToTrash(path, True)))
        if not recursive:
            yield f"a {what} that is deleted in bulk", (*there, *_then(BulkDelete(("p",), (path,))))
        yield (
            f"a {what} whose parent is deleted and made anew",
            (*there, *_then(Delete(("p",), True), Mkdirs(("p",)))),
        )
    yield "a file that is overwritten", (*file, *_then(Create(path, contents.of(3, 7), True), Delete(path, False)))


def _taken() -> Iterator[tuple[str, str, Program]]:
    """Ways in which that name is taken, each with the clause that says what is there then."""
    path, file, directory = ("p", "a"), ("x",), ("y",)
    made, filled = _setup(Create(file, _NEW, False)), _setup(Create((*directory, "g"), _NEW, False))
    yield "created", "filesystem.create.post", _then(Create(path, _NEW, False))
    yield "created below", "filesystem.create.post", _then(Create((*path, "c"), _NEW, False))
    yield "made a directory", "filesystem.mkdirs.post", _then(Mkdirs(path))
    yield "renamed to, a file", "filesystem.rename.post.file", (*made, *_then(Rename(file, path)))
    yield "renamed to, a directory", "filesystem.rename.post.directory", (*filled, *_then(Rename(directory, path)))
    options = "rename.rename3.post.file"
    yield "renamed to with options", options, (*made, *_then(RenameWith(file, path, False)))
    copied = "filesystem.copyFromLocalFile.post.file"
    yield "copied to", copied, _then(CopyFromLocal(path, _NEW, False, False))
    yield "moved to", copied, _then(MoveFromLocal(path, _NEW))
    yield "uploaded", "multipartuploader.complete.post.data", _then(Upload(path, _NEW, 1, "complete"))
    yield "created by a builder", "filesystem.create.post", _then(CreateFile(path, _NEW, False, True, (), ()))
    yield "created, no parents", "filesystem.create.post", _then(CreateNonRecursive(path, _NEW, False))
    stream = _then(OpenWriter(path, "w", "create"), Write("w", _NEW), CloseWriter("w"))
    yield "written by a stream", "filesystem.create.post", stream


def _again() -> Iterator[Row]:
    for given, before in _given_up():
        for taken, clause, after in _taken():
            yield f"the name of {given} is {taken}", (clause,), (*before, *after), AGAIN


# --- parameters of unusual values


def _modes() -> Iterator[Row]:
    clause = "introduction.object-stores.permissions"
    for mode in PERMISSIONS:
        made = _then(Create(("a",), _NEW, False), SetPermission(("a",), mode), GetAttributes(("a",)))
        kept = _then(Rename(("a",), ("b",)), GetFileStatus(("b",)), GetAttributes(("b",)))
        yield f"permission {mode:04o} of a file", (clause,), (*made, *kept), MODES
        made = _then(Mkdirs(("a", "b")), SetPermission(("a",), mode), GetAttributes(("a",)), GetAttributes(("a", "b")))
        yield f"permission {mode:04o} of a directory", (clause,), made, MODES
        made = _then(CreateWith(("a",), _NEW, False, mode), GetAttributes(("a",)), MkdirsWith(("d",), mode))
        yield f"made with permission {mode:04o}", (clause,), (*made, *_then(GetAttributes(("d",)))), MODES
