"""What the store in memory does by the documents in listings and metadata; each seeded fault breaks some of it.

A row is a program on a tree, and what its last operation gives: the short name of an error, a file's bytes, statuses
as texts, or facts of which those named count.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from fsconform.engine.protocol import Job
from fsconform.model.core.content import EMPTY, of
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Outcome, Returned
from fsconform.model.core.paths import parse
from fsconform.model.filesystem import operations as ops
from fsconform.model.filesystem.operations import attributes as at
from fsconform.model.filesystem.operations import changes as ch
from fsconform.model.filesystem.operations import listing as li
from fsconform.model.filesystem.operations import metadata as me
from fsconform.model.filesystem.operations import protocols as pr
from fsconform.model.filesystem.programs import Step
from fsconform.proving.faults import FAULTS
from fsconform.proving.kept import EPOCH, Abilities
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import BLOCK_SIZE

Row = tuple[tuple[Operation, ...], Any]
Play = Callable[..., tuple[Any, ...]]
Meets = Callable[[Any, Any], bool]

FNF, IO, ARGUMENT = "FileNotFoundException", "IOException", "IllegalArgumentException"
HADOOP_ARGUMENT, EXISTS, UNSUPPORTED = (
    "HadoopIllegalArgumentException",
    "FileAlreadyExistsException",
    "UnsupportedOperationException",
)
END, NULL = "NoSuchElementException", "NullPointerException"
ROOT, D, F, G, S, T, H = map(parse, ("/", "/d", "/d/f", "/d/g", "/d/s", "/d/s/t", "/d/s/t/h"))
Z, M, NO, NONO = map(parse, ("/z", "/m", "/no", "/no/no"))
IN_D = ["/d/f:10", "/d/g:5", "/d/s/"]
FILES = ["/z:0", "/d/f:10", "/d/g:5", "/d/s/t/h:3"]


def put(way: str, path: Any = F, overwrite: bool = True) -> Operation:
    """A create of no bytes through some way in."""
    return ops.Create(path, EMPTY, overwrite, way)


WAYS: list[Row] = [
    ((put("builder"), ops.Open(F)), b""),
    ((put("flags"), ops.Open(F)), b""),
    ((put("progress", F, False),), EXISTS),
    ((put("static", NONO, False), ops.Exists(NONO)), True),
    ((put("context", M),), EXISTS),
    ((ops.Append(F, EMPTY, "builder"), ops.GetFileStatus(F)), "/d/f:10"),
    ((ops.Append(NO, EMPTY, "builder"),), FNF),
    ((ops.Open(D, "builder"),), FNF),
    ((ops.Open(F, "builder and status"), put(""), ops.Open(F, "builder and status")), b""),
    ((ops.Open(F, "builder and length"),), 10),
    ((ops.Mkdirs(NONO, "permission"),), True),
    ((ops.Mkdirs(M, "context"),), True),
    ((ops.Delete(D, True, "path"),), True),
    ((ops.GetFileStatus(NO, "link"),), FNF),
    ((ops.Exists(NO, "context"),), False),
    *(((ops.ListStatus(D, way),), IN_D) for way in ops.ListStatus.VIAS),
    *(((ops.ListStatus(NO, way),), FNF) for way in ops.ListStatus.VIAS),
    *(((ops.ListStatus(Z, way),), ["/z:0"]) for way in ops.ListStatus.VIAS),
]

LISTING: list[Row] = [
    *(((li.IsFile(path),), path in (F, Z)) for path in (ROOT, D, F, Z, NO)),
    *(((li.IsDirectory(path),), path in (ROOT, D, M)) for path in (ROOT, D, M, F, NO)),
    ((li.ListFiltered(D, "s"),), ["/d/s/"]),
    ((li.ListFiltered(D, "f"),), ["/d/f:10"]),
    ((li.ListFiltered(F, "g"),), []),
    ((li.ListFiltered(NO, "f"),), FNF),
    ((li.ListMany((S, M, F)),), ["/d/s/t/", "/d/f:10"]),
    ((li.ListMany((D, NO)),), FNF),
    ((li.ListMany(()),), []),
    ((li.ListFiles(ROOT, True),), FILES),
    ((li.ListFiles(D, False),), ["/d/f:10", "/d/g:5"]),
    ((li.ListFiles(F, False),), ["/d/f:10"]),
    ((li.ListFiles(NO, True),), FNF),
    ((li.GlobStatus("d/*"),), IN_D),
    ((li.GlobStatus("?/[f-h]"),), ["/d/f:10", "/d/g:5"]),
    ((li.GlobStatus("d/[^f]"),), ["/d/g:5", "/d/s/"]),
    ((li.GlobStatus("{d/f,z,d/{s,x}/t}"),), ["/d/f:10", "/d/s/t/", "/z:0"]),
    ((li.GlobStatus("d/f"),), ["/d/f:10"]),
    ((ops.Create(("f*",), EMPTY, False), li.GlobStatus("f\\*")), ["/f*:0"]),
    ((li.GlobStatus("f"),), None),
    ((li.GlobStatus("f*"),), []),
    ((ops.Create(("fa",), EMPTY, False), li.GlobStatus("[f]")), []),
    ((li.GlobStatus("d/[f"),), IO),
    ((li.GlobStatus("d/{f"),), IO),
    ((li.GetContentSummary(ROOT),), {"length": 18, "files": 4, "directories": 5, "spaceConsumed": 18, "quota": -1}),
    ((li.GetContentSummary(F),), {"length": 10, "files": 1, "directories": 0}),
    ((li.GetContentSummary(NO),), FNF),
    ((li.GetQuotaUsage(D),), {"entries": 6, "spaceConsumed": 18, "spaceQuota": -1}),
    ((li.GetFileBlockLocations(F, 2, 3),), {"blocks": ("0,10,1",), "hosts": ("host1",)}),
    ((li.GetFileBlockLocations(F, 10, 3),), {"blocks": ()}),
    ((li.GetFileBlockLocations(D, 0, 3),), {"blocks": ()}),
    ((li.GetFileBlockLocations(F, -1, 3),), HADOOP_ARGUMENT),
    ((li.GetFileBlockLocations(F, 0, -1),), HADOOP_ARGUMENT),
    ((li.GetFileBlockLocations(NO, 0, 1),), FNF),
    ((li.LocateNull(),), NULL),
    ((li.LocateNull("status"),), None),
    *(((pr.Iterate(D, manner),), IN_D) for manner in ("alone", "asked", "twice")),
    ((pr.Iterate(ROOT, "alone", "files"),), FILES),
    ((pr.Iterate(D, "beyond"),), END),
    ((pr.Iterate(D, "honest"),), {"agreed": True}),
    ((pr.Iterate(NO, "alone"),), FNF),
    *(
        ((li.CompareListed(ROOT, way),), {"differing": (), "unlocated": 0, "misplaced": 0})
        for way in ("", *li.CompareListed.VIAS)
    ),
]


def after(*changes: Operation, path: Any = F, **expected: Any) -> Row:
    """What a status tells after some calls."""
    return (*changes, me.GetAttributes(path)), expected


METADATA: list[Row] = [
    after(replication=1, permission=0o644, owner="proving", group="provers", acl=False, symlink=None),
    after(encrypted=False, erasureCoded=False, snapshotEnabled=False, blockSize=BLOCK_SIZE, length=10),
    after(path=M, directory=True, permission=0o755, replication=0, blockSize=0, accessed=0),
    after(me.MkdirsWith(NONO, 0o777), path=NONO, permission=0o755),
    after(me.MkdirsWith(M, 0o700), path=M, permission=0o755),
    after(me.CreateWith(NO, EMPTY, False, 0o666), path=NO, permission=0o644),
    after(me.CreateWith(NO, EMPTY, False, 0o600), path=NO, permission=0o600),
    after(me.CreateWith(F, EMPTY, True, 0o640), permission=0o640),
    after(me.SetPermission(F, 0o1777), permission=0o1777),
    after(me.SetOwner(F, "joe", ""), owner="joe", group="provers"),
    after(me.SetOwner(F, "", "joes"), owner="proving", group="joes"),
    after(me.SetTimes(F, 5, 6), modified=5, accessed=6),
    after(me.SetTimes(F, 5, 6), me.SetTimes(F, -1, 7), modified=5, accessed=7),
    after(me.SetTimes(F, 5, 6), ops.Rename(F, NO), path=NO, modified=5, accessed=6),
    after(me.SetReplication(F, 3), replication=3),
    after(at.ModifyAcl(F, ("user:joe:r--",)), acl=True),
    ((me.SetPermission(NO, 0o777),), FNF),
    ((me.SetOwner(NO, "joe", ""),), FNF),
    ((me.SetOwner(F, "", ""),), IO),
    ((me.SetTimes(NO, 1, 1),), FNF),
    ((me.SetReplication(NO, 1),), False),
    ((me.SetReplication(D, 1),), False),
    ((me.SetReplication(F, 0),), IO),
    ((me.SetReplication(F, 2), li.GetContentSummary(F)), {"spaceConsumed": 20}),
    ((me.GetBlockSize(F),), {"value": BLOCK_SIZE, "status": BLOCK_SIZE}),
    ((me.GetBlockSize(NO),), FNF),
    ((me.GetLength(F),), {"value": 10}),
    ((me.GetLength(NO),), FNF),
    ((me.GetReplication(D),), {"value": 0}),
    ((me.GetDefaultBlockSize(NO),), {"value": BLOCK_SIZE}),
    ((me.GetDefaultReplication(NO),), {"value": 1}),
    ((me.GetServerDefaults(ROOT),), {"blockSize": BLOCK_SIZE, "replication": 1}),
    ((me.GetHomeDirectory(),), {"absolute": True, "qualified": True, "ofThisStore": True}),
    (
        (me.WorkingDirectory(D, ("f",)),),
        {"working": "/d", "path": "/d/f", "directory": False, "length": 10, "others": True},
    ),
    ((me.WorkingDirectory(NO, ("f",)), ops.Exists(NO)), False),
    ((me.WorkingDirectory(NO, ("f",)),), FNF),
    ((me.WorkingDirectory(D, ()),), {"path": "/d"}),
    ((me.ResolvePath(F),), {"path": "/d/f"}),
    ((me.ResolvePath(NO),), FNF),
    *(((me.GetEnclosingRoot(path),), {"directory": True, "above": True, "again": True}) for path in (ROOT, F, NO)),
    ((me.Access(F, "rw"),), None),
    ((me.Access(F, "x"),), "AccessControlException"),
    ((me.SetOwner(F, "joe", ""), me.Access(F, "w")), "AccessControlException"),
    ((me.Access(NO, "r"),), FNF),
    ((me.GetFileChecksum(F),), {"algorithm": "SHA-256"}),
    ((me.GetFileChecksum(D),), FNF),
    ((me.GetFileChecksum(NO),), FNF),
    ((me.Msync(),), None),
    *(
        ((me.HasPathCapability(NO, f"fs.capability.{name}"),), able)
        for name, able in {
            "paths.append": True,
            "paths.symlinks": False,
            "paths.snapshots": False,
            "etags.available": True,
            "etags.consistent.across.rename": True,
            "bulk.delete": True,
            "nonsense": False,
        }.items()
    ),
    ((me.HasPathCapability(F, "nonsense"),), False),
    ((me.HasPathCapability(NO, "nonsense"), ops.Exists(NO)), False),
    ((li.GetFileBlockLocations(F, 2, 3, "status"),), {"blocks": ("0,10,1",)}),
    ((me.GetEtag(F),), {"everywhere": True, "consistent": True, "serializable": True}),
    ((me.GetEtag(D),), None),
    ((me.GetEtag(NO),), FNF),
]

ROWS = [*WAYS, *LISTING, *METADATA]
MODULES = ("ways", "queries", "iterators", "metadata", "claims")

FURTHER: list[tuple[Operation, ...]] = [
    (me.SetTimes(F, 5, 6), ops.Append(F, of(1, 2)), me.GetAttributes(F)),
    (me.SetTimes(F, 5, 6), ch.Truncate(F, 1), me.GetAttributes(F)),
    (me.GetEtag(F), ops.Create(F, of(1, 10), True), me.GetEtag(F)),
    (me.GetEtag(F), ops.Rename(F, NO), me.GetEtag(NO)),
    (me.SetPermission(F, 0o600), ops.Mkdirs(NO), ops.Rename(F, NO), me.GetAttributes((*NO, F[-1]))),
    (ops.Open(F, "builder and status"), ops.Create(F, EMPTY, True), ops.Open(F, "builder and status")),
]
"""Programs whose outcomes are not the same in any sound store; what they show is told below."""

OURS = [name for name, fault in FAULTS.items() if fault.kind.__module__.rpartition(".")[2] in MODULES]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: repr(row[0][-1]))
def test_store_does_what_the_documents_say(row: Row, play: Play, meets: Meets) -> None:
    program, expected = row
    assert meets(play(ProvingStore(), program)[-1], expected)


def told(outcome: Outcome, name: str) -> Any:
    """A fact of an outcome."""
    assert isinstance(outcome, Returned) and isinstance(outcome.value, Facts)
    return outcome.value.get(name)


def test_changes_set_the_time(play: Play) -> None:
    for program in FURTHER[:2]:
        *_, last = play(ProvingStore(), program)
        assert told(last, "modified") > EPOCH and told(last, "accessed") == 6


def test_etags_go_with_the_bytes(play: Play) -> None:
    program = (*FURTHER[2], ops.Rename(F, NO), me.GetEtag(NO))
    first, _, second, _, third = (each for each in play(ProvingStore(), program))
    assert told(first, "value") != told(second, "value") == told(third, "value")


def test_checksum_of_a_half_is_that_of_its_bytes(play: Play) -> None:
    program = (me.GetFileChecksum(F, "length"), ch.Truncate(F, 5), me.GetFileChecksum(F))
    half, _, whole = play(ProvingStore(), program)
    assert half == whole


def test_programs_have_the_same_times_whenever_they_run() -> None:
    job = Job((Step(ops.Mkdirs(M)), Step(me.GetAttributes(M))))
    first, second = ProvingStore().session().execute([job, job])
    assert first.trace.events[1].outcome == second.trace.events[1].outcome


WITHOUT: list[tuple[str, Operation, Any]] = [
    ("supports_settimes", me.SetTimes(F, 1, 1), UNSUPPORTED),
    ("supports_msync", me.Msync(), UNSUPPORTED),
    ("supports_unix_permissions", me.SetPermission(F, 0), None),
    ("supports_unix_permissions", me.GetAttributes(F), {"permission": 0o666, "encrypted": True, "group": "proving"}),
    ("supports_unix_permissions", me.GetAttributes(M), {"permission": 0o777, "encrypted": True}),
    ("supports_replication", me.SetReplication(NO, 1), True),
    (
        "supports_block_locality",
        li.GetFileBlockLocations(F, 2, 3),
        {"blocks": ("0,10,1",), "names": ("localhost:9866",)},
    ),
    ("supports_checksums", me.GetFileChecksum(F), None),
    ("supports_etags", me.GetEtag(F), None),
    ("supports_etags", me.HasPathCapability(F, "fs.capability.etags.available"), False),
    ("supports_append", me.HasPathCapability(F, "fs.capability.paths.append"), False),
]


@pytest.mark.parametrize(("ability", "operation", "expected"), WITHOUT, ids=repr)
def test_store_without_an_ability(ability: str, operation: Operation, expected: Any, play: Play, meets: Meets) -> None:
    store = ProvingStore(behaviour=Abilities(**{ability: False}))
    assert meets(play(store, (operation,))[-1], expected)


def test_every_fault_of_these_is_shown_by_a_row(unseen: Callable[..., list[str]]) -> None:
    assert len(OURS) >= 100
    assert unseen(OURS, [program for program, _ in ROWS] + FURTHER) == []


@pytest.mark.parametrize("fault", [None, *OURS])
def test_random_programs_break_no_store_and_leave_nothing_behind(fault: str | None) -> None:
    draw, pool = random.Random(5), [operation for program, _ in ROWS for operation in program]
    session = ProvingStore(fault=fault).session()
    jobs = [Job(tuple(map(Step, draw.choices(pool, k=15))), (14,)) for _ in range(15)]
    assert len(list(session.execute(jobs))) == 15
    assert session.store.nodes.keys() == {""} and not session.store.nodes[""].names
