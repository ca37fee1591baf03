"""What renames and deletions of trees that are not atomic may come to where clients meet, and what they may not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, permutations

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import with_quirks
from fsconform.engine.histories.linearizability import Call, linearize
from fsconform.engine.histories.small_steps import ATOMIC_DELETE, ATOMIC_RENAME, SmallSteps
from fsconform.model.core import content
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, Outcome, Raised, Returned
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY
from fsconform.model.filesystem.status.predicates import Exists, IsDirectory, IsFile

Made = tuple[Operation, Outcome]

ORACLE = Oracle(load_shipped("s3a"))
DONE, TRUE, FALSE = Returned(None), Returned(True), Returned(False)
GONE = Raised(ancestry("FileNotFoundException"))
A, B, C = ("a",), ("b",), ("c",)
AF, AS, AG = (*A, "f"), (*A, "s"), (*A, "s", "g")
BYTES = content.of(1, 3)


def file(path: Path) -> Made:
    return Create(path, BYTES, False), DONE


def directory(path: Path) -> Made:
    return Mkdirs(path), TRUE


def moved(source: Path, target: Path) -> Made:
    return Rename(source, target), TRUE


def deleted(path: Path) -> Made:
    return Delete(path, True), TRUE


def is_there(*paths: Path) -> tuple[Made, ...]:
    return tuple((Exists(path), TRUE) for path in paths)


def is_gone(*paths: Path) -> tuple[Made, ...]:
    return tuple((Exists(path), FALSE) for path in paths)


@dataclass(frozen=True, slots=True)
class Race:
    """A beginning, what two clients do, each one call after another, and what is found when both are done."""

    beginning: Sequence[Made]
    lanes: Sequence[Sequence[Made]]
    ending: Sequence[Made]

    def at_once(self) -> list[Call[Operation, Outcome]]:
        """The history where the second client makes all its calls within the one of the first."""
        (long,), others = self.lanes
        before = lay(0, self.beginning, 0)
        within = lay(2, others, len(before) + 1)
        after = len(before) + len(within) + 2
        return [*before, Call(1, *long, 10 * len(before), 10 * after - 1), *within, *lay(0, self.ending, after)]

    def apart(self) -> Iterator[list[Call[Operation, Outcome]]]:
        """The histories where one client makes its calls when the other has made its own."""
        for lanes in permutations(self.lanes):
            yield lay(0, [*self.beginning, *chain(*lanes), *self.ending], 0)

    def holds(self, *promised: str) -> bool:
        """Whether an order explains it, under these promises."""
        return holds(self.at_once(), *promised)


def lay(client: int, lane: Iterable[Made], begin: int) -> list[Call[Operation, Outcome]]:
    """The calls of a client one after another, each in 10 ns; so many of these went before."""
    return [Call(client, *made, 10 * number, 10 * number + 9) for number, made in enumerate(lane, start=begin)]


def holds(calls: list[Call[Operation, Outcome]], *promised: str) -> bool:
    return linearize(SmallSteps(ORACLE, promised), [EMPTY], calls).holds


TREE = (file(AF), file(AG))

EXPLAINED: dict[str, tuple[Race, set[str]]] = {
    "an empty directory, renamed onto one name twice, is nowhere": (
        Race([directory(A)], [[moved(A, B)], [moved(A, B)]], is_gone(A, B)),
        {ATOMIC_RENAME},
    ),
    "an empty directory at the destination of what another client deleted is gone": (
        Race([*TREE, directory(B)], [[moved(A, B)], [deleted(A)]], is_gone(A, B)),
        {ATOMIC_RENAME},
    ),
    "what came into the source since it was looked at is moved": (
        Race([file(AF), file((*C, "x"))], [[moved(A, B)], [moved(C, B), directory((*A, "h"))]],
             [*is_there((*B, "f"), (*B, "h"), (*B, "x")), *is_gone(A, C)]),
        {ATOMIC_RENAME},
    ),
    "a deletion leaves what a rename put there": (
        Race(TREE, [[deleted(A)], [moved(AF, (*AS, "f"))]], [*is_there((*AS, "f")), *is_gone(AF, AG)]),
        {ATOMIC_DELETE},
    ),
    "a deletion leaves what came since it listed": (
        Race([file(AG)], [[deleted(A)], [directory((*AS, "t")), *is_there(AG)]],
             [*is_there((*AS, "t")), *is_gone(AG)]),
        {ATOMIC_DELETE},
    ),
    "a copy makes the directory again that was deleted meanwhile": (
        Race([file((*B, "x")), file((*B, "y"))], [[moved(B, C)], [deleted(C)]],
             [*is_there((*C, "y")), *is_gone(B, (*C, "x"))]),
        {ATOMIC_RENAME},
    ),
    "a rename makes the parent again of what it took away": (
        Race([file(AF)], [[moved(AF, B)], [deleted(A)]], [(IsDirectory(A), TRUE), (IsFile(B), TRUE), *is_gone(AF)]),
        {ATOMIC_RENAME},
    ),
    "a deletion makes the parent again of what it took away": (
        Race(TREE, [[deleted(AS)], [deleted(A)]], [(IsDirectory(A), TRUE), *is_gone(AF, AS)]),
        {ATOMIC_DELETE},
    ),
}  # fmt: skip
"""What steps explain, and the options that each rules it out by itself."""

REFUSED: dict[str, Race] = {
    "a file, renamed onto one name twice, is nowhere": Race(
        [file(A)], [[moved(A, B)], [moved(A, B)]], is_gone(A, B)
    ),
    "a tree, renamed onto one name twice, is nowhere": Race(
        [file(AF)], [[moved(A, B)], [moved(A, B)]], is_gone(A, B)
    ),
    "an empty directory, renamed onto one name beside a call elsewhere, is nowhere": Race(
        [directory(A)], [[moved(A, B)], [directory(C)]], is_gone(A, B)
    ),
    "a directory with something in it at the destination is gone": Race(
        [*TREE, directory(B)], [[moved(A, B)], [directory((*B, "x")), deleted(A)]], is_gone(A, B)
    ),
    "a rename that returned true leaves its source": Race(
        [file(A)], [[moved(A, B)], [directory(C)]], is_there(A, B)
    ),
    "a file is lost where nobody meddled": Race(
        [file(AF), file((*C, "x"))], [[moved(AF, B)], [deleted(C)]], is_gone(AF, B, C)
    ),
    "a deletion leaves a file that nobody wrote during it": Race(
        TREE, [[deleted(A)], [moved(AF, (*AS, "f"))]], is_there((*AS, "f"), AG)
    ),
    "a deletion leaves a directory that nobody made again": Race(
        [*TREE, file(C)], [[deleted(A)], [deleted(C)]], [(IsDirectory(A), TRUE)]
    ),
    "a deletion leaves an empty directory in which another client put nothing": Race(
        TREE, [[deleted(A)], [directory((*A, "h"))]], is_there((*A, "h"), AS)
    ),
    "what comes again with its parent is more than the parent": Race(
        TREE, [[deleted(AS)], [deleted(A)]], is_there(A, AF)
    ),
    "a rename is refused, and nobody meddled": Race(
        [directory(A)], [[(Rename(A, B), GONE)], [directory(C)]], is_there(A)
    ),
    "a rename into a directory that it makes is refused, and nobody meddled": Race(
        [*TREE], [[(Rename(A, (*C, "x")), GONE)], [directory(B)]], is_there(AF, AG)
    ),
    "an empty directory at the destination of a rename that is refused is gone": Race(
        [*TREE, directory(B)], [[(Rename(A, B), GONE)], [directory(C)]], [*is_there(AF), *is_gone(B)]
    ),
    "a rename half done is refused, and nobody meddled": Race(
        [file(AF), file(AG)], [[(Rename(A, B), GONE)], [directory(C)]], is_there((*B, "f"), AG)
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", EXPLAINED)
def test_steps_explain_what_they_lead_to(what: str) -> None:
    race, _ = EXPLAINED[what]
    assert race.holds()


@pytest.mark.parametrize("what", EXPLAINED)
def test_who_promises_to_be_atomic_may_not(what: str) -> None:
    race, options = EXPLAINED[what]
    found = {name: race.holds(name) for name in (ATOMIC_RENAME, ATOMIC_DELETE)}
    assert {name for name, holds in found.items() if not holds} == options
    assert not race.holds(ATOMIC_RENAME, ATOMIC_DELETE)


@pytest.mark.parametrize("what", EXPLAINED)
def test_nor_do_steps_explain_it_of_calls_one_after_another(what: str) -> None:
    race, _ = EXPLAINED[what]
    assert not any(holds(calls) for calls in race.apart())


@pytest.mark.parametrize("what", REFUSED)
def test_steps_lead_to_nothing_else(what: str) -> None:
    assert not REFUSED[what].holds()


REPLACED = content.of(2, 7)
OLD = Returned(Data(7, hashlib.sha256(b"".join(content.chunks(REPLACED))).hexdigest()))
CHECKSUMS = Raised(("org.apache.hadoop.fs.ChecksumException", *ancestry("IOException")))


@pytest.mark.parametrize(
    ("seen", "allowed"),
    [
        ([GONE, CHECKSUMS], True),
        ([GONE, GONE, CHECKSUMS], True),
        ([OLD, GONE, CHECKSUMS], True),
        ([CHECKSUMS, OLD], False),
        ([GONE, OLD], False),
    ],
    ids=["gone and then unreadable", "gone twice", "old, gone, unreadable", "old once unreadable", "old once gone"],
)
def test_a_rename_that_deletes_first_leaves_the_checksums_of_what_it_replaced(
    seen: Sequence[Outcome], allowed: bool
) -> None:
    beginning = [(Create(B, REPLACED, False), DONE), file(A)]
    race = Race(beginning, [[(RenameWith(A, B, True), DONE)], [(Open(B), one) for one in seen]], [(Open(B), CHECKSUMS)])
    local = Oracle(with_quirks(load_shipped("file"), "file"))
    assert linearize(SmallSteps(local, ()), [EMPTY], race.at_once()).holds == allowed
