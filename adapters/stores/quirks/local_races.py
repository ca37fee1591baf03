"""Known races of Hadoop's local filesystems: what RawLocalFileSystem does in parts, and another client meets between.

Source: RawLocalFileSystem.create, delete, mkdirs, mkOneDirWithMode, rename, listStatus and FileUtil.list, listFiles and
copy of 3.5.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.engine.histories.concurrent import Calls, Concurrent
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.small_steps import TRUE, Continued, Making, Moving, Reached, SmallSteps, Way, copying
from fsconform.model.core import content
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.namespace.create import Create, CreateWith
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.quirks import Impact
from fsconform.model.filesystem.state import Absence, Dir, State, locate, remove
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.records.results import RaceOutcome

_A, _B, _NEW, _EMPTY = ("a",), ("b",), content.of(2, 5), content.of(1, 0)
_CHMOD = ("org.apache.hadoop.util.Shell$ExitCodeException", "org.apache.hadoop.io.nativeio.NativeIOException")
_IN_THE_WAY = (
    "org.apache.hadoop.fs.FileAlreadyExistsException",
    "org.apache.hadoop.fs.ParentNotDirectoryException",
)
_NOT_FOUND, _IO_ERROR = "java.io.FileNotFoundException", "java.io.IOException"


def creates_what_it_saw_missing(
    steps: SmallSteps, state: State, op: Create | CreateWith, outcome: Outcome, left: Making | str | None
) -> Reached:
    """create without overwrite: it looks first, and then makes the file whatever is there by then."""
    if left is None:
        if not op.overwrite and isinstance(locate(state, op.path), Absence):
            yield state, Continued(creates_what_it_saw_missing, "looked")
        return
    made = left if isinstance(left, Making) else None
    for after, rest in steps.writing(state, replace(op, overwrite=True), outcome, made):
        yield after, Continued(creates_what_it_saw_missing, rest) if isinstance(rest, Making) else rest


def opens_what_it_saw_missing(
    steps: SmallSteps, state: State, op: OpenWriter, outcome: Outcome, left: str | None
) -> Reached:
    """As :func:`creates_what_it_saw_missing`, for a file that stays open."""
    if left is None:
        if op.mode == "create" and isinstance(locate(state, op.path), Absence):
            yield state, Continued(opens_what_it_saw_missing, "looked")
        return
    for after in steps.atomic(state, replace(op, mode="overwrite"), outcome):
        yield after, None


def sets_permissions_later(
    steps: SmallSteps, state: State, op: Mkdirs, outcome: Outcome, left: Making | None
) -> Reached:
    """mkdirs: each directory is made, and then a process sets its permission, which fails if it is gone by then."""
    if not _is_of_chmod(outcome):
        return
    for after, made in steps.directories(state, op.path, left):
        yield after, Continued(sets_permissions_later, made)
    if left is not None and type(locate(state, op.path[: left.depth])) is not Dir:
        yield state, None


def sets_permission_of_a_file_later(
    steps: SmallSteps, state: State, op: OpenWriter, outcome: Outcome, left: Making | str | None
) -> Reached:
    """As :func:`sets_permissions_later`, for a file that is opened to write: it is made, and then chmod fails."""
    if not _is_of_chmod(outcome) or op.mode == "append":
        return
    if left is None or isinstance(left, Making):
        for after, made in steps.directories(state, op.path[:-1], left):
            yield after, Continued(sets_permission_of_a_file_later, made)
        for after in steps.atomic(state, Create(op.path, _EMPTY, op.mode == "overwrite"), Returned(None)):
            yield after, Continued(sets_permission_of_a_file_later, "made")
    elif isinstance(locate(state, op.path), Absence):
        yield state, None


def _is_of_chmod(outcome: Outcome) -> bool:
    """Whether the permission of what was made could not be set."""
    return isinstance(outcome, Raised) and outcome.classes[0] in _CHMOD


def _copied(
    way: Way, steps: SmallSteps, state: State, op: Rename, outcome: Outcome, left: tuple[Any, frozenset[Path]] | None
) -> Reached:
    """The steps of a rename by copies, each with the places at which something was made."""
    inner, places = left if left is not None else (None, frozenset[Path]())
    for after, rest in steps.moving(state, op, outcome, inner):
        if rest is None:
            yield after, None
            continue
        made = places
        if isinstance(inner, Moving) and isinstance(rest, Moving):
            done = inner.to_copy - rest.to_copy | rest.begun
            made |= {rest.target + path[len(op.src) :] for path in done}
        yield after, Continued(way, (rest, made))


def copies_and_sets_permissions_later(
    steps: SmallSteps, state: State, op: Rename, outcome: Outcome, left: tuple[Any, frozenset[Path]] | None
) -> Reached:
    """rename by copies: what is copied is made, and then its permission is set by a process, as in mkdirs."""
    if not _is_of_chmod(outcome):
        return
    yield from _copied(copies_and_sets_permissions_later, steps, state, op, outcome, left)
    if left is not None and any(isinstance(locate(state, place), Absence) for place in left[1]):
        yield state, None


def deletes_what_came_meanwhile(
    steps: SmallSteps, state: State, op: Rename, outcome: Outcome, left: tuple[Any, frozenset[Path]] | None
) -> Reached:
    """rename by copies: once all is copied the whole source goes, with what another client put there meanwhile."""
    if outcome != TRUE:
        return
    yield from _copied(deletes_what_came_meanwhile, steps, state, op, outcome, left)
    is_copied = left is not None and isinstance(left[0], Moving) and not left[0].to_copy
    if is_copied and not isinstance(locate(state, op.src), Absence):
        yield remove(state, op.src), None


def is_refused_where_it_looked_before(
    steps: SmallSteps, state: State, op: Mkdirs, outcome: Outcome, left: tuple[object, ...] | None
) -> Reached:
    """mkdirs: where something came or went on its path meanwhile it is refused, and no directory is there then."""
    if not _is_in_the_way(outcome):
        return
    if left is None:
        yield state, Continued(is_refused_where_it_looked_before, _kinds(state, op.path))
        return
    for after, _ in steps.directories(state, op.path[:-1], None):
        yield after, Continued(is_refused_where_it_looked_before, _kinds(after, op.path))
    if _kinds(state, op.path) != left and type(locate(state, op.path)) is not Dir:
        yield state, None


def is_refused_where_it_looked_for_a_place(
    steps: SmallSteps, state: State, op: Rename, outcome: Outcome, left: tuple[Path, tuple[object, ...]] | None
) -> Reached:
    """rename by copies: as mkdirs of the destination is refused, so is the rename, and nothing was moved."""
    if not _is_in_the_way(outcome):
        return
    if left is None:
        place = _place(state, op)
        yield state, Continued(is_refused_where_it_looked_for_a_place, (place, _kinds(state, place)))
    elif _kinds(state, left[0]) != left[1]:
        yield state, None


def _is_in_the_way(outcome: Outcome) -> bool:
    """Whether a call was refused for what it found on its path."""
    return outcome == Returned(False) or (isinstance(outcome, Raised) and outcome.classes[0] in _IN_THE_WAY)


def _place(state: State, op: Rename) -> Path:
    """Where a rename by copies puts its source, by what is at the destination."""
    return (*op.dst, *op.src[-1:]) if type(locate(state, op.dst)) is Dir else op.dst


def _kinds(state: State, path: Path) -> tuple[object, ...]:
    """What is on the way to a path and at it."""
    return tuple(type(locate(state, path[:number])) for number in range(1, len(path) + 1))


def lists_what_went_away(
    steps: SmallSteps, state: State, op: ListStatus, outcome: Outcome, left: str | None
) -> Reached:
    """listStatus: a directory that goes away after it was found is one that can't be read."""
    if not isinstance(outcome, Raised) or outcome.classes[0] == _NOT_FOUND:
        return
    here = type(locate(state, op.path)) is Dir
    if left is None and here:
        yield state, Continued(lists_what_went_away, "found")
    elif left is not None and not here:
        yield state, None


def moves_to_where_it_looked_before(
    steps: SmallSteps, state: State, op: Rename, outcome: Outcome, left: Path | None
) -> Reached:
    """rename: it looks whether the destination is a directory, and later what there is to move."""
    if left is None:
        yield state, Continued(moves_to_where_it_looked_before, _place(state, op))
    elif not isinstance(locate(state, op.src), Absence):
        yield state, copying(state, op.src, left)


def deletes_more_than_it_saw(
    steps: SmallSteps, state: State, op: Delete, outcome: Outcome, left: str | None
) -> Reached:
    """delete that is not recursive: it looks whether the directory is empty, and then deletes it with all in it."""
    here = locate(state, op.path)
    if outcome != TRUE or op.recursive or not op.path or type(here) is not Dir:
        return
    if left is None and not here.children:
        yield state, Continued(deletes_more_than_it_saw, "empty")
    elif left is not None:
        yield remove(state, op.path), None


def lists_what_it_is_to_delete(
    steps: SmallSteps, state: State, op: Delete, outcome: Outcome, left: str | None
) -> Reached:
    """delete that is not recursive: a directory that goes away before it is seen to be empty can't be listed."""
    if op.recursive or not isinstance(outcome, Raised) or outcome.classes[0] != _IO_ERROR:
        return
    here = type(locate(state, op.path)) is Dir
    if left is None and here:
        yield state, Continued(lists_what_it_is_to_delete, "found")
    elif left is not None and not here:
        yield state, None


@dataclass(frozen=True, slots=True)
class _Row:
    """A known race but for its store."""

    name: str
    title: str
    clause: str
    impact: Impact
    outcome: RaceOutcome
    reason: str
    beginning: Calls
    calls: tuple[Operation, Operation]
    steps: Mapping[type[Operation], Way]


_ROWS = (
    _Row(
        "creates-what-it-saw-missing",
        "two creates without overwrite of one file at once both succeed",
        "introduction.atomicity.create",
        "data lost",
        "both won",
        "create looks whether the file is there, and then opens it by a call that empties what is there instead of one "
        "that fails (O_EXCL)",
        (),
        (Create(_A, _NEW, False), Create(_A, _NEW, False)),
        {
            Create: creates_what_it_saw_missing,
            CreateWith: creates_what_it_saw_missing,
            OpenWriter: opens_what_it_saw_missing,
        },
    ),
    _Row(
        "sets-permissions-later",
        "a call that makes a directory fails by an ExitCodeException where another client takes the directory away",
        "filesystem.mkdirs.atomic",
        "wrong error",
        "wrongly refused",
        "a directory is made, and then its permission is set by chmod, a process of its own",
        (),
        (Mkdirs(_A), Delete(_A, True)),
        {
            Mkdirs: sets_permissions_later,
            Rename: copies_and_sets_permissions_later,
        },
    ),
    _Row(
        "sets-permission-of-a-file-later",
        "a file that is opened to write fails by an ExitCodeException where another client takes the file away",
        "introduction.atomicity.create",
        "wrong error",
        "wrongly refused",
        "the file is made, and then its permission is set by chmod, a process of its own",
        (),
        (OpenWriter(_A, "w", "overwrite"), Delete(_A, True)),
        {OpenWriter: sets_permission_of_a_file_later},
    ),
    _Row(
        "refuses-to-make-what-changed-meanwhile",
        "mkdirs, or a rename by copies, is refused, mostly by false, where what is on its path changes meanwhile",
        "filesystem.mkdirs.atomic",
        "wrong answer",
        "wrongly refused",
        "it looks whether something is there, and again whether that is a directory, before mkdir and after it failed",
        (),
        (Create(_A, _NEW, True), Mkdirs(_A)),
        {Mkdirs: is_refused_where_it_looked_before, Rename: is_refused_where_it_looked_for_a_place},
    ),
    _Row(
        "deletes-what-came-meanwhile",
        "a rename by copies deletes what another client put into its source meanwhile",
        "filesystem.rename.atomic",
        "data lost",
        "lost update",
        "once all is copied FileUtil.copy deletes the source with all that is in it by then",
        (Create((*_A, "f"), content.of(1, 3), False), Create((*_B, "g"), content.of(3, 7), False)),
        (Rename(_B, _A), Rename(_A, _B)),
        {Rename: deletes_what_came_meanwhile},
    ),
    _Row(
        "deletes-more-than-it-saw",
        "a delete that is not recursive deletes what another client puts into the directory meanwhile",
        "filesystem.delete.atomic",
        "data lost",
        "both won",
        "it looks whether the directory is empty, and then calls FileUtil.fullyDelete, which deletes whatever is in it",
        (Mkdirs(_A),),
        (Delete(_A, False), Create((*_A, "f"), _NEW, False)),
        {Delete: deletes_more_than_it_saw},
    ),
    _Row(
        "moves-to-where-it-looked-before",
        "a rename beside another one puts a directory one level too deep, where the destination was a directory before",
        "filesystem.rename.atomic",
        "wrong answer",
        "lost update",
        "where File.renameTo fails, FileUtil.copy looks at the destination first, and later at what there is to move",
        (Mkdirs(_A),),
        (Rename(_B, _A), Rename(_A, _B)),
        {Rename: moves_to_where_it_looked_before},
    ),
    _Row(
        "lists-what-went-away",
        "listStatus of a directory that another client takes away meanwhile raises another error than "
        "FileNotFoundException",
        "filesystem.listStatus.pre.exists",
        "wrong error",
        "wrongly refused",
        "FileUtil.list takes a directory that is gone for one that can't be read",
        (Mkdirs(_A),),
        (Delete(_A, True), ListStatus(_A)),
        {ListStatus: lists_what_went_away},
    ),
    _Row(
        "lists-what-it-is-to-delete",
        "a delete that is not recursive raises IOException where another client takes the directory away meanwhile",
        "filesystem.delete.atomic",
        "wrong error",
        "wrongly refused",
        "it lists the directory to see whether it is empty; for one that is gone FileUtil.listFiles raises IOException",
        (Mkdirs(_A),),
        (Delete(_A, False), Delete(_A, True)),
        {Delete: lists_what_it_is_to_delete},
    ),
)


def local_races(store: str) -> Iterable[KnownRace]:
    """The known races of a store that is built on RawLocalFileSystem."""
    for row in _ROWS:
        first, second = row.calls
        yield KnownRace(
            f"{store}/{row.name}",
            row.title,
            row.clause,
            row.impact,
            row.outcome,
            row.reason,
            f"{store}/{row.name}",
            UNTIL,
            Concurrent(row.beginning, ((first,), (second,)), (0, 0)),
            row.steps,
        )
