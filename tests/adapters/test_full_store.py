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
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.metadata.access import Access
from fsconform.model.filesystem.metadata.acls import ModifyAcl
from fsconform.model.filesystem.metadata.file_checksum import GetFileChecksum
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes
from fsconform.model.filesystem.metadata.owner import SetOwner
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.metadata.replication import SetReplication
from fsconform.model.filesystem.metadata.times import SetTimes
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create, CreateWith
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs, MkdirsWith
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.namespace.truncate import Truncate
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.protocols.iterators import Iterate
from fsconform.model.filesystem.status.block_locations import GetFileBlockLocations, LocateNull
from fsconform.model.filesystem.status.compare_listed import CompareListed
from fsconform.model.filesystem.status.enclosing_root import GetEnclosingRoot
from fsconform.model.filesystem.status.etags import GetEtag
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.home_directory import GetHomeDirectory
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered, ListMany
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.msync import Msync
from fsconform.model.filesystem.status.path_capabilities import HasPathCapability
from fsconform.model.filesystem.status.predicates import Exists, IsDirectory, IsFile
from fsconform.model.filesystem.status.resolve_path import ResolvePath
from fsconform.model.filesystem.status.server_defaults import (
    GetDefaultBlockSize,
    GetDefaultReplication,
    GetServerDefaults,
)
from fsconform.model.filesystem.status.sizes_and_replication import GetBlockSize, GetLength, GetReplication
from fsconform.model.filesystem.status.summaries import GetContentSummary, GetQuotaUsage
from fsconform.model.filesystem.status.working_directory import WorkingDirectory
from fsconform.proving.faults import FAULTS
from fsconform.proving.keeping_store import EPOCH, Abilities
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
Z, M, NO, NONO, F_CRC = map(parse, ("/z", "/m", "/no", "/no/no", "/d/.f.crc"))
IN_D = ["/d/f:10", "/d/g:5", "/d/s/"]
FILES = ["/z:0", "/d/f:10", "/d/g:5", "/d/s/t/h:3"]


def put(way: str, path: Any = F, overwrite: bool = True) -> Operation:
    """A create of no bytes through some way in."""
    return Create(path, EMPTY, overwrite, way)


WAYS: list[Row] = [
    ((put("builder"), Open(F)), b""),
    ((put("flags"), Open(F)), b""),
    ((put("progress", F, False),), EXISTS),
    ((put("static", NONO, False), Exists(NONO)), True),
    ((put("context", M),), EXISTS),
    ((Append(F, EMPTY, "builder"), GetFileStatus(F)), "/d/f:10"),
    ((Append(NO, EMPTY, "builder"),), FNF),
    ((Open(D, "builder"),), FNF),
    ((Open(F, "builder and status"), put(""), Open(F, "builder and status")), b""),
    ((Open(F, "builder and length"),), 10),
    ((Mkdirs(NONO, "permission"),), True),
    ((Mkdirs(M, "context"),), True),
    ((Delete(D, True, "path"),), True),
    ((GetFileStatus(NO, "link"),), FNF),
    ((Exists(NO, "context"),), False),
    ((RenameWith(F, NO, False, "context"), Exists(F_CRC)), False),
    *(((ListStatus(D, way),), IN_D) for way in ListStatus.VIAS),
    *(((ListStatus(NO, way),), FNF) for way in ListStatus.VIAS),
    *(((ListStatus(Z, way),), ["/z:0"]) for way in ListStatus.VIAS),
]

LISTING: list[Row] = [
    *(((IsFile(path),), path in (F, Z)) for path in (ROOT, D, F, Z, NO)),
    *(((IsDirectory(path),), path in (ROOT, D, M)) for path in (ROOT, D, M, F, NO)),
    ((ListFiltered(D, "s"),), ["/d/s/"]),
    ((ListFiltered(D, "f"),), ["/d/f:10"]),
    ((ListFiltered(F, "g"),), []),
    ((ListFiltered(NO, "f"),), FNF),
    ((ListMany((S, M, F)),), ["/d/s/t/", "/d/f:10"]),
    ((ListMany((D, NO)),), FNF),
    ((ListMany(()),), []),
    ((ListFiles(ROOT, True),), FILES),
    ((ListFiles(D, False),), ["/d/f:10", "/d/g:5"]),
    ((ListFiles(F, False),), ["/d/f:10"]),
    ((ListFiles(NO, True),), FNF),
    ((GlobStatus("d/*"),), IN_D),
    ((GlobStatus("?/[f-h]"),), ["/d/f:10", "/d/g:5"]),
    ((GlobStatus("d/[^f]"),), ["/d/g:5", "/d/s/"]),
    ((GlobStatus("{d/f,z,d/{s,x}/t}"),), ["/d/f:10", "/d/s/t/", "/z:0"]),
    ((GlobStatus("d/f"),), ["/d/f:10"]),
    ((Create(("f*",), EMPTY, False), GlobStatus("f\\*")), ["/f*:0"]),
    ((GlobStatus("f"),), None),
    ((GlobStatus("f*"),), []),
    ((Create(("fa",), EMPTY, False), GlobStatus("[f]")), []),
    ((GlobStatus("d/[f"),), IO),
    ((GlobStatus("d/{f"),), IO),
    ((GetContentSummary(ROOT),), {"length": 18, "files": 4, "directories": 5, "spaceConsumed": 18, "quota": -1}),
    ((GetContentSummary(F),), {"length": 10, "files": 1, "directories": 0}),
    ((GetContentSummary(NO),), FNF),
    ((GetQuotaUsage(D),), {"entries": 6, "spaceConsumed": 18, "spaceQuota": -1}),
    ((GetFileBlockLocations(F, 2, 3),), {"blocks": ("0,10,1",), "hosts": ("host1",)}),
    ((GetFileBlockLocations(F, 10, 3),), {"blocks": ()}),
    ((GetFileBlockLocations(D, 0, 3),), {"blocks": ()}),
    ((GetFileBlockLocations(F, -1, 3),), HADOOP_ARGUMENT),
    ((GetFileBlockLocations(F, 0, -1),), HADOOP_ARGUMENT),
    ((GetFileBlockLocations(NO, 0, 1),), FNF),
    ((LocateNull(),), NULL),
    ((LocateNull("status"),), None),
    *(((Iterate(D, manner),), IN_D) for manner in ("alone", "asked", "twice")),
    ((Iterate(ROOT, "alone", "files"),), FILES),
    ((Iterate(D, "beyond"),), END),
    ((Iterate(D, "honest"),), {"agreed": True}),
    ((Iterate(NO, "alone"),), FNF),
    *(
        ((CompareListed(ROOT, way),), {"differing": (), "unlocated": 0, "misplaced": 0})
        for way in ("", *CompareListed.VIAS)
    ),
]


def after(*changes: Operation, path: Any = F, **expected: Any) -> Row:
    """What a status tells after some calls."""
    return (*changes, GetAttributes(path)), expected


METADATA: list[Row] = [
    after(replication=1, permission=0o644, owner="proving", group="provers", acl=False, symlink=None),
    after(encrypted=False, erasureCoded=False, snapshotEnabled=False, blockSize=BLOCK_SIZE, length=10),
    after(path=M, directory=True, permission=0o755, replication=0, blockSize=0, accessed=0),
    after(MkdirsWith(NONO, 0o777), path=NONO, permission=0o755),
    after(MkdirsWith(M, 0o700), path=M, permission=0o755),
    after(CreateWith(NO, EMPTY, False, 0o666), path=NO, permission=0o644),
    after(CreateWith(NO, EMPTY, False, 0o600), path=NO, permission=0o600),
    after(CreateWith(F, EMPTY, True, 0o640), permission=0o640),
    after(SetPermission(F, 0o1777), permission=0o1777),
    after(SetOwner(F, "joe", ""), owner="joe", group="provers"),
    after(SetOwner(F, "", "joes"), owner="proving", group="joes"),
    after(SetTimes(F, 5, 6), modified=5, accessed=6),
    after(SetTimes(F, 5, 6), SetTimes(F, -1, 7), modified=5, accessed=7),
    after(SetTimes(F, 5, 6), Rename(F, NO), path=NO, modified=5, accessed=6),
    after(SetReplication(F, 3), replication=3),
    after(ModifyAcl(F, ("user:joe:r--",)), acl=True),
    ((SetPermission(NO, 0o777),), FNF),
    ((SetOwner(NO, "joe", ""),), FNF),
    ((SetOwner(F, "", ""),), IO),
    ((SetTimes(NO, 1, 1),), FNF),
    ((SetReplication(NO, 1),), False),
    ((SetReplication(D, 1),), False),
    ((SetReplication(F, 0),), IO),
    ((SetReplication(F, 2), GetContentSummary(F)), {"spaceConsumed": 20}),
    ((GetBlockSize(F),), {"value": BLOCK_SIZE, "status": BLOCK_SIZE}),
    ((GetBlockSize(NO),), FNF),
    ((GetLength(F),), {"value": 10}),
    ((GetLength(NO),), FNF),
    ((GetReplication(D),), {"value": 0}),
    ((GetDefaultBlockSize(NO),), {"value": BLOCK_SIZE}),
    ((GetDefaultReplication(NO),), {"value": 1}),
    ((GetServerDefaults(ROOT),), {"blockSize": BLOCK_SIZE, "replication": 1}),
    ((GetHomeDirectory(),), {"absolute": True, "qualified": True, "ofThisStore": True}),
    (
        (WorkingDirectory(D, ("f",)),),
        {"working": "/d", "path": "/d/f", "directory": False, "length": 10, "others": True},
    ),
    ((WorkingDirectory(NO, ("f",)), Exists(NO)), False),
    ((WorkingDirectory(NO, ("f",)),), FNF),
    ((WorkingDirectory(D, ()),), {"path": "/d"}),
    ((ResolvePath(F),), {"path": "/d/f"}),
    ((ResolvePath(NO),), FNF),
    *(((GetEnclosingRoot(path),), {"directory": True, "above": True, "again": True}) for path in (ROOT, F, NO)),
    ((Access(F, "rw"),), None),
    ((Access(F, "x"),), "AccessControlException"),
    ((SetOwner(F, "joe", ""), Access(F, "w")), "AccessControlException"),
    ((Access(NO, "r"),), FNF),
    ((GetFileChecksum(F),), {"algorithm": "SHA-256"}),
    ((GetFileChecksum(D),), FNF),
    ((GetFileChecksum(NO),), FNF),
    ((Msync(),), None),
    *(
        ((HasPathCapability(NO, f"fs.capability.{name}"),), able)
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
    ((HasPathCapability(F, "nonsense"),), False),
    ((HasPathCapability(NO, "nonsense"), Exists(NO)), False),
    ((GetFileBlockLocations(F, 2, 3, "status"),), {"blocks": ("0,10,1",)}),
    ((GetEtag(F),), {"everywhere": True, "consistent": True, "serializable": True}),
    ((GetEtag(D),), None),
    ((GetEtag(NO),), FNF),
]

ROWS = [*WAYS, *LISTING, *METADATA]
MODULES = ("overloads", "queries", "iterators", "metadata", "claims")

FURTHER: list[tuple[Operation, ...]] = [
    (SetTimes(F, 5, 6), Append(F, of(1, 2)), GetAttributes(F)),
    (SetTimes(F, 5, 6), Truncate(F, 1), GetAttributes(F)),
    (GetEtag(F), Create(F, of(1, 10), True), GetEtag(F)),
    (GetEtag(F), Rename(F, NO), GetEtag(NO)),
    (SetPermission(F, 0o600), Mkdirs(NO), Rename(F, NO), GetAttributes((*NO, F[-1]))),
    (Open(F, "builder and status"), Create(F, EMPTY, True), Open(F, "builder and status")),
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
    program = (*FURTHER[2], Rename(F, NO), GetEtag(NO))
    first, _, second, _, third = (each for each in play(ProvingStore(), program))
    assert told(first, "value") != told(second, "value") == told(third, "value")


def test_checksum_of_a_half_is_that_of_its_bytes(play: Play) -> None:
    program = (GetFileChecksum(F, "length"), Truncate(F, 5), GetFileChecksum(F))
    half, _, whole = play(ProvingStore(), program)
    assert half == whole


def test_programs_have_the_same_times_whenever_they_run() -> None:
    job = Job((Step(Mkdirs(M)), Step(GetAttributes(M))))
    first, second = ProvingStore().session().execute([job, job])
    assert first.trace.events[1].outcome == second.trace.events[1].outcome


WITHOUT: list[tuple[str, Operation, Any]] = [
    ("supports_settimes", SetTimes(F, 1, 1), UNSUPPORTED),
    ("supports_msync", Msync(), UNSUPPORTED),
    ("supports_unix_permissions", SetPermission(F, 0), None),
    ("supports_unix_permissions", GetAttributes(F), {"permission": 0o666, "encrypted": True, "group": "proving"}),
    ("supports_unix_permissions", GetAttributes(M), {"permission": 0o777, "encrypted": True}),
    ("supports_replication", SetReplication(NO, 1), True),
    (
        "supports_block_locality",
        GetFileBlockLocations(F, 2, 3),
        {"blocks": ("0,10,1",), "names": ("localhost:9866",)},
    ),
    ("supports_checksums", GetFileChecksum(F), None),
    ("supports_etags", GetEtag(F), None),
    ("supports_etags", HasPathCapability(F, "fs.capability.etags.available"), False),
    ("supports_append", HasPathCapability(F, "fs.capability.paths.append"), False),
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
