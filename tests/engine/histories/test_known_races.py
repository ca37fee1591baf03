"""Known races accept what they say and nothing beside it: of each a history that it explains, and others like it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.quirks import every_race, races_of, with_quirks
from fsconform.engine.histories.concurrent import Concurrent, History, Observed
from fsconform.engine.histories.judging import Judge, Judged
from fsconform.engine.histories.known_races import KnownRace
from fsconform.engine.histories.linearizability import Call
from fsconform.engine.histories.subject import RACES
from fsconform.model.core import content
from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned, Status
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

ORACLES = {store: Oracle(with_quirks(load_shipped(store), store)) for store in ("rawlocal", "s3a", "ftp")}
JUDGES = {store: Judge(oracle, races_of((store,))) for store, oracle in ORACLES.items()}
PLAIN = {store: Judge(oracle) for store, oracle in ORACLES.items()}

RACED = [race for race in every_race() if race.forgets is None and race.disturbed is None]
"""Those that need no fault: tests/engine/histories/test_power.py and test_medium.py have the others."""

A, B = ("a",), ("b",)
BYTES = content.of(2, 5)
DONE, TRUE, FALSE = Returned(None), Returned(True), Returned(False)
MISSING = Raised(ancestry("FileNotFoundException"))
IO_ERROR = Raised(ancestry("IOException"))
THERE = Raised(ancestry("FileAlreadyExistsException"))
DENIED = Raised(("java.nio.file.AccessDeniedException", *ancestry("IOException")))
CHMOD = Raised(("org.apache.hadoop.util.Shell$ExitCodeException", *ancestry("IOException")))

Row = tuple[int, Operation, Outcome, int, int]
"""A client, its call, what came of it, and from when to when."""


def judged(rows: Sequence[Row], judge: Judge) -> Judged:
    calls: list[Observed] = [Call(*row) for row in rows]
    lanes = tuple(tuple(call.operation for call in calls if call.client == client) for client in (0, 1))
    return judge.judge(History(Concurrent((), lanes, (0, 0)), tuple(calls), tuple(call.client for call in calls)))


def create(client: int, begun: int, ended: int, outcome: Outcome = DONE, overwrite: bool = False) -> Row:
    return client, Create(A, BYTES, overwrite), outcome, begun, ended


def mkdirs(client: int, begun: int, ended: int, outcome: Outcome = TRUE) -> Row:
    return client, Mkdirs(A), outcome, begun, ended


def delete(client: int, begun: int, ended: int, outcome: Outcome = TRUE) -> Row:
    return client, Delete(A, True), outcome, begun, ended


def opened(client: int, begun: int, ended: int, outcome: Outcome, path: Path = A) -> Row:
    return client, OpenWriter(path, "w", "overwrite"), outcome, begun, ended


SHOWN: dict[str, list[list[Row]]] = {
    "creates-what-it-saw-missing": [
        [create(0, 0, 9), create(1, 1, 8)],
        [create(0, 0, 9), create(1, 1, 8), (0, GetFileStatus(A), Returned(Status(A, False, 5, 33554432)), 10, 11)],
    ],
    "sets-permissions-later": [
        [mkdirs(0, 0, 9, CHMOD), delete(1, 2, 3)],
        [mkdirs(0, 0, 9, CHMOD), (1, Rename(A, B), TRUE, 2, 3), (1, GetFileStatus(A), MISSING, 10, 11)],
        [
            mkdirs(0, 0, 1),
            (0, Mkdirs(B), TRUE, 2, 3),
            (0, Create((*A, "f"), BYTES, False), DONE, 4, 5),
            (1, Rename(B, A), CHMOD, 6, 19),
            (0, Delete(A, True), TRUE, 7, 18),
        ],
    ],
    "sets-permission-of-a-file-later": [
        [opened(0, 0, 9, CHMOD), delete(1, 2, 3)],
        [opened(0, 0, 9, CHMOD), (1, Rename(A, B), TRUE, 2, 3), (1, GetFileStatus(A), MISSING, 10, 11)],
        [
            opened(0, 0, 9, CHMOD, (*A, "f")),
            (1, GetFileStatus((*A, "f")), Returned(Status((*A, "f"), False, 0, 33554432)), 1, 2),
            (1, Delete((*A, "f"), False), TRUE, 3, 4),
        ],
    ],
    "refuses-to-make-what-changed-meanwhile": [
        [create(0, 0, 9, overwrite=True), mkdirs(1, 1, 8, FALSE)],
        [mkdirs(0, 0, 1), mkdirs(0, 2, 9, FALSE), delete(1, 3, 4)],
        [mkdirs(0, 0, 1), mkdirs(0, 2, 9, THERE), delete(1, 3, 4)],
        [
            (0, Create((*A, "f"), BYTES, False), DONE, 0, 1),
            (0, Mkdirs(B), TRUE, 2, 3),
            (1, Rename(B, A), FALSE, 4, 20),
            (0, Rename(A, ("d",)), TRUE, 5, 15),
            (0, GetFileStatus(B), Returned(Status(B, True, 4096)), 30, 31),
        ],
    ],
    "deletes-more-than-it-saw": [
        [
            mkdirs(0, 0, 1),
            (1, Delete(A, False), TRUE, 2, 20),
            (0, Mkdirs((*A, "s")), TRUE, 3, 9),
            (0, GetFileStatus((*A, "s")), Returned(Status((*A, "s"), True, 4096)), 10, 11),
            (0, ListStatus(()), Returned(()), 30, 31),
        ]
    ],
    "deletes-what-came-meanwhile": [
        [
            (0, Create((*A, "f"), BYTES, False), DONE, 0, 1),
            (0, Create((*B, "g"), BYTES, False), DONE, 2, 3),
            (1, Rename(B, A), TRUE, 4, 20),
            (0, Rename(A, B), TRUE, 5, 21),
            (0, ListStatus(()), Returned(()), 30, 31),
        ],
        [
            (0, Create((*A, "f"), BYTES, False), DONE, 0, 1),
            (0, Create((*B, "g"), BYTES, False), DONE, 2, 3),
            (1, Rename(B, A), TRUE, 4, 20),
            (0, Mkdirs((*B, "h")), TRUE, 5, 15),
            (0, ListStatus(()), Returned((Status(A, True, 4096),)), 30, 31),
            (0, GetFileStatus((*A, "b", "h")), MISSING, 32, 33),
        ],
    ],
    "moves-to-where-it-looked-before": [
        [
            mkdirs(0, 0, 1),
            (1, Rename(B, A), TRUE, 2, 20),
            (0, Rename(A, B), TRUE, 3, 5),
            (0, ListStatus(A), Returned((Status((*A, "b"), True, 4096),)), 30, 31),
        ]
    ],
    "lists-what-went-away": [
        [mkdirs(0, 0, 1), (0, ListStatus(A), DENIED, 2, 9), delete(1, 3, 4)],
        [mkdirs(0, 0, 1), (0, ListStatus(A), Raised(ancestry("IOException")), 2, 9), (1, Rename(A, B), TRUE, 3, 4)],
    ],
    "lists-what-it-is-to-delete": [
        [mkdirs(0, 0, 1), (0, Delete(A, False), IO_ERROR, 2, 9), delete(1, 3, 4)],
        [mkdirs(0, 0, 1), (0, Delete(A, False), IO_ERROR, 2, 9), (1, Rename(A, B), TRUE, 3, 4)],
    ],
}
"""Histories that each known race explains."""

BESIDE: dict[str, list[list[Row]]] = {
    "deletes-more-than-it-saw": [
        [
            mkdirs(0, 0, 1),
            (0, Mkdirs((*A, "s")), TRUE, 2, 3),
            (1, Delete(A, False), TRUE, 4, 20),
            (0, ListStatus(()), Returned(()), 30, 31),
        ],
        [
            mkdirs(0, 0, 1),
            (1, Delete(A, False), TRUE, 2, 20),
            (0, Mkdirs((*A, "s")), TRUE, 21, 22),
            (0, ListStatus(()), Returned(()), 30, 31),
        ],
    ],
    "deletes-what-came-meanwhile": [
        [
            (0, Create((*A, "f"), BYTES, False), DONE, 0, 1),
            (0, Create((*B, "g"), BYTES, False), DONE, 2, 3),
            (1, Rename(B, A), TRUE, 4, 20),
            (0, Create((*B, "h"), BYTES, False), DONE, 21, 22),
            (0, GetFileStatus((*B, "h")), MISSING, 32, 33),
        ],
        [
            (0, Create((*A, "f"), BYTES, False), DONE, 0, 1),
            (0, Create((*B, "g"), BYTES, False), DONE, 2, 3),
            (1, Rename(B, A), TRUE, 4, 20),
            (0, GetFileStatus(A), Returned(Status(A, True, 4096)), 5, 15),
            (0, GetFileStatus((*A, "f")), MISSING, 32, 33),
        ],
    ],
    "creates-what-it-saw-missing": [
        [create(0, 0, 2), create(1, 3, 8)],
        [mkdirs(0, 0, 9), create(1, 1, 8)],
    ],
    "sets-permissions-later": [
        [mkdirs(0, 0, 9, CHMOD), (1, GetFileStatus(B), MISSING, 2, 3)],
        [mkdirs(0, 0, 9, CHMOD), delete(1, 10, 11)],
        [mkdirs(0, 0, 9, DENIED), delete(1, 2, 3)],
        [delete(1, 0, 9), (0, GetFileStatus(A), CHMOD, 2, 3)],
    ],
    "sets-permission-of-a-file-later": [
        [opened(0, 0, 9, CHMOD), (1, GetFileStatus(B), MISSING, 2, 3)],
        [opened(0, 0, 9, CHMOD), delete(1, 10, 11)],
        [opened(0, 0, 9, DENIED), delete(1, 2, 3)],
        [
            opened(0, 0, 9, CHMOD),
            delete(1, 2, 3),
            (1, GetFileStatus(A), Returned(Status(A, False, 0, 33554432)), 10, 11),
        ],
    ],
    "refuses-to-make-what-changed-meanwhile": [
        [mkdirs(0, 0, 9, FALSE), mkdirs(1, 1, 8)],
        [mkdirs(0, 0, 9, FALSE)],
        [mkdirs(0, 0, 1), mkdirs(0, 2, 9, FALSE), delete(1, 10, 11)],
        [
            (0, Create((*A, "f"), BYTES, False), DONE, 0, 1),
            (0, Mkdirs(B), TRUE, 2, 3),
            (1, Rename(B, A), FALSE, 4, 20),
            (0, GetFileStatus(A), Returned(Status(A, True, 4096)), 5, 15),
        ],
        [
            (0, Create((*A, "f"), BYTES, False), DONE, 0, 1),
            (0, Mkdirs(B), TRUE, 2, 3),
            (1, Rename(B, A), FALSE, 4, 20),
            (0, Rename(A, ("d",)), TRUE, 5, 15),
            (0, GetFileStatus(B), MISSING, 30, 31),
        ],
    ],
    "moves-to-where-it-looked-before": [
        [
            mkdirs(0, 0, 1),
            (0, Rename(A, B), TRUE, 3, 5),
            (1, Rename(B, A), TRUE, 6, 20),
            (0, ListStatus(A), Returned((Status((*A, "b"), True, 4096),)), 30, 31),
        ],
        [
            mkdirs(0, 0, 1),
            (1, Rename(B, A), TRUE, 2, 20),
            (0, Rename(A, B), TRUE, 3, 5),
            (0, ListStatus(B), Returned((Status((*B, "a"), True, 4096),)), 30, 31),
        ],
    ],
    "lists-what-went-away": [
        [mkdirs(0, 0, 1), (0, ListStatus(A), DENIED, 2, 3), delete(1, 4, 5)],
        [mkdirs(0, 0, 1), (0, ListStatus(A), DENIED, 2, 9), (1, Mkdirs((*A, "s")), TRUE, 3, 4)],
    ],
    "lists-what-it-is-to-delete": [
        [mkdirs(0, 0, 1), (0, Delete(A, False), IO_ERROR, 2, 3), delete(1, 4, 5)],
        [mkdirs(0, 0, 1), delete(1, 2, 3), (0, Delete(A, False), IO_ERROR, 4, 9)],
        [mkdirs(0, 0, 1), (0, Delete(A, True), IO_ERROR, 2, 9), (1, Rename(A, B), TRUE, 3, 4)],
        [mkdirs(0, 0, 1), (0, Delete(A, False), DENIED, 2, 9), delete(1, 3, 4)],
        [
            mkdirs(0, 0, 1),
            (0, Delete(A, False), IO_ERROR, 2, 9),
            (1, GetFileStatus(A), Returned(Status(A, True, 4096)), 3, 4),
        ],
    ],
}
"""Histories that look alike and are none of it."""


FILE = ("a", "f")
OLD = content.of(1, 3)
ON_S3A: dict[str, list[list[Row]]] = {
    "makes-the-parent-of-what-it-deletes-again": [
        [
            (0, Create(FILE, OLD, False), DONE, 0, 1),
            (0, Delete(FILE, False), TRUE, 2, 9),
            (1, Delete(A, True), TRUE, 3, 8),
            (0, GetFileStatus(A), Returned(Status(A, True, 0)), 10, 11),
        ]
    ],
    "puts-a-file-beside-a-directory": [
        [
            (0, Create(B, OLD, False), DONE, 0, 1),
            (0, Rename(B, A), TRUE, 2, 9),
            (1, Mkdirs(A), TRUE, 3, 8),
            (0, GetFileStatus(A), Returned(Status(A, False, 3, 33554432)), 10, 11),
        ],
    ],
}
ON_FTP: dict[str, list[list[Row]]] = {
    "deletes-what-it-overwrites-first": [
        [create(0, 0, 1), create(1, 2, 3, IO_ERROR, overwrite=True), (0, GetFileStatus(A), MISSING, 10, 11)],
        [create(0, 0, 1), create(1, 2, 9, overwrite=True), (0, GetFileStatus(A), MISSING, 3, 4)],
        [create(0, 0, 1), opened(1, 2, 3, IO_ERROR), (0, GetFileStatus(A), MISSING, 10, 11)],
    ],
}
SHOWN |= ON_S3A | ON_FTP
BESIDE |= {
    "deletes-what-it-overwrites-first": [
        [create(0, 0, 1), create(1, 2, 3, IO_ERROR), (0, GetFileStatus(A), MISSING, 10, 11)],
        [create(0, 0, 1), create(1, 2, 3, overwrite=True), (0, GetFileStatus(A), MISSING, 10, 11)],
        [mkdirs(0, 0, 1), create(1, 2, 3, IO_ERROR, overwrite=True), (0, GetFileStatus(A), MISSING, 10, 11)],
        [create(0, 0, 1), opened(1, 2, 3, DONE), (0, GetFileStatus(A), MISSING, 10, 11)],
    ],
    "makes-the-parent-of-what-it-deletes-again": [
        [
            (0, Create(FILE, OLD, False), DONE, 0, 1),
            (0, Delete(FILE, False), TRUE, 2, 3),
            (1, Delete(A, True), TRUE, 4, 8),
            (0, GetFileStatus(A), Returned(Status(A, True, 0)), 10, 11),
        ],
        [
            (0, Create(FILE, OLD, False), DONE, 0, 1),
            (0, Delete(FILE, False), TRUE, 2, 9),
            (1, Delete(A, True), TRUE, 3, 8),
            (0, GetFileStatus(FILE), Returned(Status(FILE, False, 3, 33554432)), 10, 11),
        ],
    ],
    "puts-a-file-beside-a-directory": [
        [
            (0, Create(B, OLD, False), DONE, 0, 1),
            (1, Mkdirs(A), TRUE, 2, 3),
            (0, Rename(B, A), TRUE, 4, 9),
            (0, GetFileStatus(A), Returned(Status(A, False, 3, 33554432)), 10, 11),
        ],
        [
            (0, Create(B, OLD, False), DONE, 0, 1),
            (0, Rename(B, A), TRUE, 2, 9),
            (1, Mkdirs(A), TRUE, 3, 8),
            (0, GetFileStatus(A), MISSING, 10, 11),
        ],
    ],
}


def store_of(name: str) -> str:
    return "s3a" if name in ON_S3A else "ftp" if name in ON_FTP else "rawlocal"


def names_of(race: KnownRace) -> str:
    return race.id.partition("/")[2]


def test_each_known_race_has_its_histories() -> None:
    names = {names_of(race) for race in RACED}
    assert names == SHOWN.keys() == BESIDE.keys()


@pytest.mark.parametrize(
    ("name", "number"), [(name, number) for name, all in SHOWN.items() for number in range(len(all))]
)
def test_a_known_race_explains_what_it_says(name: str, number: int) -> None:
    found = judged(SHOWN[name][number], JUDGES[store_of(name)])
    assert (found.verdict, [names_of(one) for one in found.known]) == ("waived", [name])
    assert judged(SHOWN[name][number], PLAIN[store_of(name)]).verdict == "violation"


@pytest.mark.parametrize(
    ("name", "number"), [(name, number) for name, rows in BESIDE.items() for number in range(len(rows))]
)
def test_a_known_race_explains_nothing_beside_it(name: str, number: int) -> None:
    assert judged(BESIDE[name][number], JUDGES[store_of(name)]).fails


@pytest.mark.parametrize("race", RACED, ids=lambda race: race.id)
def test_a_known_race_is_told_as_a_quirk_is(race: KnownRace) -> None:
    rows = SHOWN[names_of(race)][0]
    own = Judge(ORACLES[store_of(names_of(race))], (race,))
    found = judged(rows, own)
    calls = tuple(Call(*row) for row in rows)
    history: History = History(Concurrent((), ((), ()), (0, 0)), calls, tuple(call.client for call in calls))
    blamed = RACES.blame(own, history, found)
    told = RACES.finding(own, history, found, blamed)
    assert (told.signature, told.quirk, told.verdict) == (race.signature, race.id, "waived")
    assert (told.clause, told.impact) == (race.clause, race.impact)
    assert isinstance(calls[blamed.place].operation, tuple(race.steps))
