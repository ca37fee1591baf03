"""What the store in memory does by the documents in its further changes; each seeded fault breaks some of it.

Rows are as in test_full_store.py.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from fsconform.engine.protocol import Job
from fsconform.model.core.content import EMPTY, of
from fsconform.model.core.operation import Operation
from fsconform.model.core.paths import parse
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_file import OpenFile, OpenInStages
from fsconform.model.filesystem.metadata.acls import (
    GetAclStatus,
    ModifyAcl,
    RemoveAcl,
    RemoveAclEntries,
    RemoveDefaultAcl,
    SetAcl,
)
from fsconform.model.filesystem.metadata.quotas import SetQuota
from fsconform.model.filesystem.metadata.storage_policies import GetStoragePolicy, SetStoragePolicy, UnsetStoragePolicy
from fsconform.model.filesystem.metadata.xattrs import GetXAttr, GetXAttrs, RemoveXAttr, SetXAttr
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.create_file import CreateFile, CreateNonRecursive
from fsconform.model.filesystem.namespace.delete_on_exit import DeleteOnExit
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.namespace.symlinks import CreateSymlink, GetLinkTarget, SupportsSymlinks
from fsconform.model.filesystem.namespace.truncate import Truncate
from fsconform.model.filesystem.programs import Step
from fsconform.model.filesystem.protocols.abandoned_builders import LeaveBuilder
from fsconform.model.filesystem.protocols.path_handles import OpenByHandle
from fsconform.model.filesystem.protocols.snapshots import CreateSnapshot, DeleteSnapshot, RenameSnapshot
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.model.filesystem.status.summaries import GetContentSummary, GetQuotaUsage
from fsconform.model.filesystem.transfer.bulk_delete import BulkDelete
from fsconform.model.filesystem.transfer.local_copies import (
    CopyFromLocal,
    CopyMissingFromLocal,
    CopyToLocal,
    CopyTreeFromLocal,
    MoveFromLocal,
)
from fsconform.model.filesystem.transfer.uploads import MisuseUpload, Upload
from fsconform.proving.changes import LOCAL_FILE, LOCAL_TREE, MISUSES, PAGE
from fsconform.proving.faults import FAULTS
from fsconform.proving.keeping_store import Abilities
from fsconform.proving.session import ProvingStore

Row = tuple[tuple[Operation, ...], Any]
Play = Callable[..., tuple[Any, ...]]
Meets = Callable[[Any, Any], bool]

FNF, IO, ARGUMENT = "FileNotFoundException", "IOException", "IllegalArgumentException"
HADOOP_ARGUMENT, EXISTS = "HadoopIllegalArgumentException", "FileAlreadyExistsException"
UNSUPPORTED, PARENT = "UnsupportedOperationException", "ParentNotDirectoryException"
THERE, HANDLE, DIRECTORY = "PathExistsException", "InvalidPathHandleException", "PathIsDirectoryException"
ROOT, D, F, G, S, T, H = map(parse, ("/", "/d", "/d/f", "/d/g", "/d/s", "/d/s/t", "/d/s/t/h"))
Z, M, NO, NONO, BELOW = map(parse, ("/z", "/m", "/no", "/no/no", "/z/no"))
X = of(7, 20)
FC, GC = of(ord("f"), 10), of(ord("g"), 5)

CONCAT: list[Row] = [
    ((Concat(F, (G,)), Open(F)), FC + GC),
    ((Concat(F, (G,)), ListFiles(D, False)), ["/d/f:15"]),
    ((Create((*D, "i"), X, False), Concat(F, (G, (*D, "i"))), Open(F)), FC + GC + X),
    ((Concat(NO, (Z,)),), FNF),
    ((Concat(F, ((*D, "no"),)),), FNF),
    ((Concat(F, ()),), ARGUMENT),
    ((Concat(F, (Z,)),), ARGUMENT),
    ((Concat(F, (F,)),), ARGUMENT),
    ((Concat(F, (G, G)),), ARGUMENT),
    ((Truncate(F, 4),), True),
    ((Truncate(F, 4), Open(F)), of(ord("f"), 4)),
    ((Truncate(F, 10), Open(F)), FC),
    ((Truncate(F, 11),), HADOOP_ARGUMENT),
    ((Truncate(F, -1),), HADOOP_ARGUMENT),
    ((Truncate(D, 0),), FNF),
    ((Truncate(NO, 0),), FNF),
]

RENAME: list[Row] = [
    ((RenameWith(F, NO, False), Open(NO)), FC),
    ((RenameWith(F, NO, False), Exists(F)), False),
    ((RenameWith(D, NO, False), ListFiles(NO, True)), ["/no/f:10", "/no/g:5", "/no/s/t/h:3"]),
    ((RenameWith(D, M, True), ListFiles(M, True)), ["/m/f:10", "/m/g:5", "/m/s/t/h:3"]),
    ((RenameWith(F, Z, True), Open(Z)), FC),
    ((RenameWith(F, Z, False),), EXISTS),
    ((RenameWith(D, M, False),), EXISTS),
    ((RenameWith(M, D, True),), IO),
    ((RenameWith(F, M, True),), IO),
    ((RenameWith(M, Z, True),), IO),
    ((RenameWith(NO, M, True),), FNF),
    ((RenameWith(F, F, True),), EXISTS),
    ((RenameWith(D, (*D, "no"), True),), IO),
    ((RenameWith(ROOT, NO, True),), IO),
    ((RenameWith(M, ROOT, True),), IO),
    ((RenameWith(F, NONO, True),), FNF),
    ((RenameWith(F, BELOW, True),), PARENT),
]

OTHERS: list[Row] = [
    ((BulkDelete(D, (F, G, (*D, "no"))),), {"failed": (), "pageSize": PAGE, "capable": True, "default": False}),
    ((BulkDelete(D, (F, G)), ListFiles(D, True)), ["/d/s/t/h:3"]),
    ((Create((*D, "ff"), X, False), BulkDelete(D, (F,)), Exists((*D, "ff"))), True),
    ((BulkDelete(ROOT, (D, M)),), {"failed": ("/d",)}),
    ((BulkDelete(D, (Z,)),), ARGUMENT),
    ((BulkDelete(ROOT, (Z,) * (PAGE + 1)),), ARGUMENT),
    ((DeleteOnExit(D), Exists(D)), False),
    ((DeleteOnExit(NO),), False),
    ((DeleteOnExit(F, "cancelled"), Exists(F)), True),
    ((CopyFromLocal(NONO, X, False, False), Open(NONO)), X),
    ((CopyFromLocal(M, X, True, False), Open((*M, LOCAL_FILE))), X),
    ((CopyFromLocal(NO, X, True, False),), {"left": False}),
    ((CopyFromLocal(NO, X, False, False),), {"left": True}),
    ((CopyFromLocal(Z, X, False, False),), THERE),
    ((CopyFromLocal(Z, X, False, True), Open(Z)), X),
    ((CopyFromLocal(D, X, False, False),), THERE),
    ((CopyMissingFromLocal(NO, True),), FNF),
    ((MoveFromLocal(Z, X),), {"left": False}),
    ((CopyTreeFromLocal(NO, X, False, False), ListFiles(NO, True)), ["/no/f:20", "/no/d/g:0"]),
    ((CopyTreeFromLocal(M, X, False, False), ListFiles(M, True)), ["/m/t/f:20", "/m/t/d/g:0"]),
    ((CopyTreeFromLocal(Z, X, False, True),), THERE),
    ((Mkdirs((*M, LOCAL_TREE)), CopyTreeFromLocal(M, X, False, False)), THERE),
    ((Mkdirs((*M, LOCAL_TREE)), CopyTreeFromLocal(M, X, True, True)), {"left": False}),
    ((Create((*M, LOCAL_TREE), X, False), CopyTreeFromLocal(M, X, False, True)), EXISTS),
    ((CopyToLocal(F),), FC),
    ((CopyToLocal(NO),), FNF),
    *(((OpenByHandle(F, handle, "nothing", NO),), FC) for handle in ("exact", "content", "path", "reference")),
    *(((OpenByHandle(F, handle, "append", NO),), 13) for handle in ("path", "reference")),
    *(((OpenByHandle(F, handle, "append", NO),), HANDLE) for handle in ("exact", "content")),
    *(((OpenByHandle(F, handle, "rename", NO),), FC) for handle in ("content", "reference")),
    *(((OpenByHandle(F, handle, "rename", NO),), HANDLE) for handle in ("exact", "path")),
    *(((OpenByHandle(F, handle, "delete", NO),), HANDLE) for handle in ("exact", "reference")),
    *(((OpenByHandle(F, handle, "replace", NO),), HANDLE) for handle in ("path", "content")),
    ((OpenByHandle(D, "exact", "nothing", NO),), IO),
    ((OpenByHandle(NO, "exact", "nothing", NO),), FNF),
]

BUILDERS: list[Row] = [
    ((CreateNonRecursive(NO, X, False), Open(NO)), X),
    ((CreateNonRecursive(NONO, X, False),), FNF),
    ((CreateNonRecursive(BELOW, X, False),), PARENT),
    ((CreateNonRecursive(F, X, False),), EXISTS),
    ((CreateFile(F, X, True, False, (), ()), Open(F)), X),
    ((CreateFile(F, X, False, False, (), ()),), EXISTS),
    ((CreateFile(NONO, X, True, False, (), ()),), FNF),
    ((CreateFile(NONO, X, True, True, (), ()), Open(NONO)), X),
    ((CreateFile(NO, X, True, False, ("a.b=1",), ()),), ARGUMENT),
    ((CreateFile(NO, X, True, False, ("a.b=1",), ()), Exists(NO)), False),
    ((CreateFile(NO, X, True, False, (), ("a.b=1",)),), None),
    ((CreateFile(NO, X, True, False, ("a.b=1",), ("a.b=2",)),), None),
    ((OpenFile(F, (), ()),), FC),
    ((OpenFile(F, (), (), "status"),), FC),
    ((OpenFile(NO, (), ()),), FNF),
    ((OpenFile(D, (), ()),), FNF),
    ((OpenFile(F, ("a.b=1",), ()),), ARGUMENT),
    ((OpenFile(F, (), ("a.b=1",)),), FC),
    *(
        ((OpenFile(F, (f"fs.option.openfile.{option}",), ()),), FC)
        for option in (
            "buffer.size=10",
            "footer.cache=true",
            "length=10",
            "length=-1",
            "length=many",
            "read.policy=nonsense",
            "read.policy=parquet, vector",
            "split.start=7",
            "split.end=4",
        )
    ),
    ((Upload(NONO, X, 3, "complete"), Open(NONO)), X),
    ((Upload(F, X, 3, "reversed"), Open(F)), X),
    ((Upload(F, X, 3, "abort"), Open(F)), FC),
    ((Upload(NO, X, 3, "abort"), Exists(NO)), False),
    ((Upload(ROOT, X, 3, "complete"),), DIRECTORY),
    ((Upload(M, X, 3, "complete"),), DIRECTORY),
    ((Upload(NO, X, 0, "complete"),), ARGUMENT),
    ((Upload(BELOW, X, 1, "complete"),), PARENT),
]

V, W = "value", "w\u00e4rt"
BASE = ("user::rwx", "group::r-x", "other::---")


def attributes(*changes: Operation, path: Any = F, via: str = "") -> tuple[Operation, ...]:
    """The attributes after some calls."""
    return (SetXAttr(path, "user.a", V, "both"), *changes, GetXAttrs(path, via))


def entries(*changes: Operation, path: Any = M) -> tuple[Operation, ...]:
    """The ACL after some calls, the first of which gives it an entry of joe's and a default one of ann's."""
    return (ModifyAcl(path, ("user:joe:r--", "default:user:ann:rwx")), *changes, GetAclStatus(path))


JOE = ("user:joe:r--", "group::r-x")
ANN = ("default:user::rwx", "default:user:ann:rwx", "default:group::r-x", "default:mask::rwx", "default:other::r-x")

KEPT: list[Row] = [
    (attributes(), {"names": ("user.a",), "values": (V,)}),
    (attributes(via="list"), {"names": ("user.a",), "values": ()}),
    (attributes(SetXAttr(F, "user.b", W, "create")), {"names": ("user.a", "user.b"), "values": (V, W)}),
    (attributes(SetXAttr(F, "user.c", W, "create"), via="some"), {"names": ("user.a",)}),
    (attributes(SetXAttr(F, "user.a", W, "replace")), {"values": (W,)}),
    (attributes(SetXAttr(F, "user.a", W, "both")), {"values": (W,)}),
    (attributes(SetXAttr(F, "user.a", W, "create")), {"values": (V,)}),
    (attributes(RemoveXAttr(F, "user.a")), {"names": ()}),
    (attributes(SetXAttr(F, "user.b", V, "both"), RemoveXAttr(F, "user.a")), {"names": ("user.b",)}),
    (attributes(Create(F, EMPTY, True)), {"names": ()}),
    ((*attributes()[:1], SetXAttr(F, "user.a", W, "create")), IO),
    ((SetXAttr(F, "user.a", V, "replace"),), IO),
    ((SetXAttr(F, "a", V, "create"),), HADOOP_ARGUMENT),
    ((SetXAttr(NO, "user.a", V, "create"),), FNF),
    ((GetXAttrs(NO),), FNF),
    ((SetXAttr(F, "user.a", "", "create"), GetXAttr(F, "user.a")), {"value": ""}),
    ((GetXAttr(F, "user.a"),), None),
    ((RemoveXAttr(F, "user.a"),), IO),
    (entries(), {"entries": JOE + ANN, "owner": "proving", "sticky": False}),
    (entries(ModifyAcl(M, ("user:joe:rw-",))), {"entries": ("user:joe:rw-", "group::r-x", *ANN)}),
    (entries(ModifyAcl(M, ("group:them:rw-",))), {"entries": (*JOE, "group:them:rw-", *ANN)}),
    (entries(RemoveAclEntries(M, ("default:user:ann",))), {"entries": (*JOE, *(ANN[0], ANN[2], ANN[4]))}),
    (entries(RemoveAclEntries(M, ("user:joe",))), {"entries": ANN}),
    (entries(RemoveDefaultAcl(M)), {"entries": JOE}),
    (entries(RemoveAcl(M)), {"entries": ()}),
    (entries(SetAcl(M, (*BASE, "user:ann:r--"))), {"entries": ("user:ann:r--", "group::r-x")}),
    ((SetAcl(M, ("user:joe:r--",)),), IO),
    ((SetAcl(M, ("joe",)),), HADOOP_ARGUMENT),
    ((ModifyAcl(F, ("default:user:joe:r--",)),), IO),
    ((GetAclStatus(NO),), FNF),
    ((GetStoragePolicy(F),), {"name": "HOT"}),
    ((SetStoragePolicy(D, "COLD"), GetStoragePolicy(H)), {"name": "COLD"}),
    ((SetStoragePolicy(F, "COLD"), GetStoragePolicy(F)), {"name": "COLD"}),
    ((SetStoragePolicy(F, "COLD"), UnsetStoragePolicy(F), GetStoragePolicy(F)), {"name": "HOT"}),
    ((UnsetStoragePolicy(F),), None),
    ((SetStoragePolicy(F, "WET"),), IO),
    ((GetStoragePolicy(NO),), FNF),
    ((SetQuota(M, 5, 7), GetQuotaUsage(M)), {"quota": 5, "spaceQuota": 7}),
    ((SetQuota(M, 5, 7), SetQuota(M, -1, -1), GetContentSummary(M)), {"quota": -1, "spaceQuota": -1}),
    ((SetQuota(M, 2, -1), Mkdirs((*M, "a"))), True),
    ((SetQuota(M, 2, -1), Mkdirs((*M, "a", "b"))), IO),
    ((SetQuota(M, 2, -1), Create((*M, "a", "b"), EMPTY, False), Exists((*M, "a"))), False),
    ((SetQuota(M, 2, -1), Rename(D, M)), IO),
    ((SetQuota(NO, 2, -1),), FNF),
    ((SetQuota(F, 2, -1),), FNF),
    ((SetQuota(M, 0, -1),), ARGUMENT),
    ((CreateSnapshot(M, "s"),), UNSUPPORTED),
    ((RenameSnapshot(M, "s", "r"),), UNSUPPORTED),
    ((DeleteSnapshot(M, "s"),), UNSUPPORTED),
    ((CreateSymlink(F, NO),), UNSUPPORTED),
    ((GetLinkTarget(F),), UNSUPPORTED),
    ((SupportsSymlinks(),), False),
]

PROTOCOLS: list[Row] = [
    *(((LeaveBuilder(NO, kind), Exists(NO)), False) for kind in ("create", "append", "open")),
    ((OpenInStages(F, ()),), {"failed": "nothing"}),
    ((OpenInStages(NO, ()),), {"failed": "get"}),
    ((OpenInStages(D, ("a.b=1",)),), {"failed": "build"}),
    ((CreateFile(M, X, True, True, (), ()),), EXISTS),
    ((OpenFile(F, (), ("fs.option.openfile.split.end=-4",)),), FC),
    ((OpenFile(F, (), ("fs.option.openfile.read.policy=random",)),), FC),
    ((OpenByHandle(F, "path", "append", NO, "bytes"),), 13),
    ((OpenByHandle(F, "path", "rename", NO, "builder"),), HANDLE),
    *(((MisuseUpload(NO, X, manner, Z),), error) for manner, error in MISUSES.items()),
    *(
        ((MisuseUpload(NO, X, manner, Z), Open(NO)), X)
        for manner in ("omitted", "repeated", "other uploader", "complete twice", "abort after complete")
    ),
    ((MisuseUpload(F, X, "other path", Z), Open(F)), FC),
    *(((MisuseUpload(path, X, "other path", path), Open(path)), X) for path in (NO, F)),
]

ROWS = [*PROTOCOLS, *CONCAT, *RENAME, *OTHERS, *BUILDERS, *KEPT]
MODULES = ("changes", "copies", "builders", "attributes", "protocols")
OURS = [name for name, fault in FAULTS.items() if fault.kind.__module__.rpartition(".")[2] in MODULES]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: repr(row[0]))
def test_store_does_what_the_documents_say(row: Row, play: Play, meets: Meets) -> None:
    program, expected = row
    assert meets(play(ProvingStore(), program)[-1], expected)


WITHOUT: list[tuple[str, Operation, Any]] = [
    ("supports_concat", Concat(F, (G,)), UNSUPPORTED),
    ("supports_truncate", Truncate(F, 1), UNSUPPORTED),
    ("supports_file_reference", OpenByHandle(F, "path", "nothing", NO), UNSUPPORTED),
    ("supports_content_check", OpenByHandle(F, "content", "nothing", NO), UNSUPPORTED),
    ("supports_content_check", OpenByHandle(F, "path", "nothing", NO), FC),
    ("supports_multipartuploader", Upload(F, X, 1, "complete"), UNSUPPORTED),
    ("supports_bulk_delete", BulkDelete(D, (F,)), {"pageSize": 1, "default": True, "failed": ()}),
    ("supports_bulk_delete", BulkDelete(D, (F, G)), ARGUMENT),
    ("supports_xattrs", GetXAttrs(F), UNSUPPORTED),
    ("supports_acls", GetAclStatus(F), UNSUPPORTED),
    ("supports_storage_policies", GetStoragePolicy(F), UNSUPPORTED),
    ("supports_quotas", SetQuota(M, 5, 7), UNSUPPORTED),
]


@pytest.mark.parametrize(("ability", "operation", "expected"), WITHOUT, ids=repr)
def test_store_without_an_ability(ability: str, operation: Operation, expected: Any, play: Play, meets: Meets) -> None:
    store = ProvingStore(behaviour=Abilities(**{ability: False}))
    assert meets(play(store, (operation,))[-1], expected)


def test_every_fault_of_these_is_shown_by_a_row(unseen: Callable[..., list[str]]) -> None:
    assert len(OURS) >= 100
    assert unseen(OURS, [program for program, _ in ROWS]) == []


@pytest.mark.parametrize("fault", [None, *OURS])
def test_random_programs_break_no_store_and_leave_nothing_behind(fault: str | None) -> None:
    draw, pool = random.Random(5), [operation for program, _ in ROWS for operation in program]
    session = ProvingStore(fault=fault).session()
    jobs = [Job(tuple(map(Step, draw.choices(pool, k=15))), (14,)) for _ in range(15)]
    assert len(list(session.execute(jobs))) == 15
    assert session.store.nodes.keys() == {""} and not session.store.nodes[""].names
