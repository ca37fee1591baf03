"""Known races of S3A: what it does in several requests, and another client meets between; what MinIO below it forgets.

Sources: S3AFileSystem.deleteWithoutCloseCheck and maybeCreateFakeParentDirectory, mkdirs and rename of 3.5.0; MinIO's
cmd/xl-storage.go (RenameData) and cmd/os-reliable.go (renameAll) of February 2026.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from fsconform.adapters.stores.quirks import beside
from fsconform.adapters.stores.quirks.shared import UNTIL
from fsconform.engine.histories.concurrent import Concurrent, History
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.power import CLOSED_DURABLE
from fsconform.engine.histories.small_steps import TRUE, Continued, Reached, SmallSteps
from fsconform.engine.injection import MINIO, PowerLoss
from fsconform.model.core import content
from fsconform.model.core.outcomes import Outcome
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename, destination
from fsconform.model.filesystem.state import EMPTY_DIR, MISSING, NO_PARENT, Dir, File, State, locate, put, remove
from fsconform.model.filesystem.status.get_file_status import GetFileStatus

_A, _B = ("a",), ("b",)
_BELOW = (*_A, "f")
_OLD = content.of(1, 3)


def makes_the_parent_again(steps: SmallSteps, state: State, op: Delete, outcome: Outcome, left: str | None) -> Reached:
    """delete of a file or an empty directory: it goes, and then its parent is made if nothing is there by then."""
    if outcome != TRUE or not op.path:
        return
    if left is None:
        node = locate(state, op.path)
        if type(node) is File or (type(node) is Dir and not node.children):
            yield remove(state, op.path), Continued(makes_the_parent_again, "deleted")
    elif locate(state, op.path[:-1]) in (MISSING, NO_PARENT):
        yield put(state, op.path[:-1], EMPTY_DIR), None


def puts_a_file_beside_a_directory(
    steps: SmallSteps, state: State, op: Rename, outcome: Outcome, left: Path | None
) -> Reached:
    """rename of a file: it looks whether the destination is free, and copies to that name whatever is there by then."""
    if outcome != TRUE:
        return
    source = locate(state, op.src)
    if left is None:
        if type(source) is File and locate(state, op.dst) is MISSING:
            yield state, Continued(puts_a_file_beside_a_directory, destination(state, op))
        return
    there = locate(state, left)
    if type(source) is File and type(there) is Dir:
        yield beside.beside(remove(state, op.src), left, source, there), None


def makes_a_directory_beside_a_file(
    steps: SmallSteps, state: State, op: Mkdirs, outcome: Outcome, left: str | None
) -> Reached:
    """mkdirs: it looks whether there is a file, and makes the directory's marker whatever is there by then."""
    if outcome != TRUE or not op.path:
        return
    there = locate(state, op.path)
    if left is None:
        if there in (MISSING, NO_PARENT):
            yield state, Continued(makes_a_directory_beside_a_file, "looked")
    elif type(there) is File:
        yield beside.beside(state, op.path, there, EMPTY_DIR), None


def object_store_races(store: str) -> Iterable[KnownRace]:
    """The known races of a store that is built on S3A."""
    yield KnownRace(
        f"{store}/makes-the-parent-of-what-it-deletes-again",
        "a delete of a file makes the parent again that another client deleted meanwhile",
        "filesystem.delete.atomic",
        "wrong answer",
        "lost update",
        "once the object is deleted the parent is looked for, and its marker made where nothing is found",
        f"{store}/makes-the-parent-of-what-it-deletes-again",
        UNTIL,
        Concurrent((Create(_BELOW, _OLD, False),), ((Delete(_BELOW, False),), (Delete(_A, True),)), (0, 0)),
        {Delete: makes_the_parent_again},
    )
    yield KnownRace(
        f"{store}/puts-a-file-beside-a-directory",
        "a file renamed to a name at which another client makes a directory stands beside it",
        "filesystem.mkdirs.atomic",
        "data wrong",
        "both won",
        "both look first, and then each makes an object of its own: the keys differ by a slash",
        f"{store}/puts-a-file-beside-a-directory",
        UNTIL,
        Concurrent((Create(_B, _OLD, False),), ((Rename(_B, _A),), (Mkdirs(_A),)), (0, 0)),
        {Rename: puts_a_file_beside_a_directory, Mkdirs: makes_a_directory_beside_a_file},
    )


def forgotten_by_minio(history: History) -> Collection[int]:
    """All calls of the lanes, where the power of MinIO's machine is lost."""
    fault = history.program.fault
    if not isinstance(fault, PowerLoss) or fault.part != MINIO:
        return ()
    return [number for number, (call, place) in enumerate(history.rows) if place >= 0 and call.operation.MUTATES]


LOSES_WITH_THE_POWER = KnownRace(
    "s3a/on-minio-loses-what-it-acknowledged-with-the-power",
    "what was created, renamed or deleted last is as it was before, once MinIO's machine has lost its power",
    CLOSED_DURABLE,
    "data lost",
    "lost update",
    "MinIO syncs the bytes of an object under a temporary name, renames it, and syncs no directory after that",
    "s3a/on-minio-loses-what-it-acknowledged-with-the-power",
    UNTIL,
    Concurrent(
        (),
        ((), (Create(_A, _OLD, False),)),
        (0, 0),
        (GetFileStatus(_A), Open(_A)),
        fault=PowerLoss(MINIO, 0, returned=True, survives="nothing", seed=0, discipline="ordered"),
    ),
    {},
    forgotten_by_minio,
)
