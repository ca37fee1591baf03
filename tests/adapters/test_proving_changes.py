"""What the store in memory does by the documents in its further changes; each seeded fault breaks some of it.

Rows are as in test_proving_further.py.
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
from fsconform.model.filesystem import operations as ops
from fsconform.model.filesystem.operations import attributes as at
from fsconform.model.filesystem.operations import changes as ch
from fsconform.model.filesystem.operations import listing as li
from fsconform.model.filesystem.programs import Step
from fsconform.proving.changes import LOCAL_FILE, LOCAL_TREE, MISUSES, PAGE
from fsconform.proving.faults import FAULTS
from fsconform.proving.kept import Abilities
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
    ((ch.Concat(F, (G,)), ops.Open(F)), FC + GC),
    ((ch.Concat(F, (G,)), li.ListFiles(D, False)), ["/d/f:15"]),
    ((ops.Create((*D, "i"), X, False), ch.Concat(F, (G, (*D, "i"))), ops.Open(F)), FC + GC + X),
    ((ch.Concat(NO, (Z,)),), FNF),
    ((ch.Concat(F, ((*D, "no"),)),), FNF),
    ((ch.Concat(F, ()),), ARGUMENT),
    ((ch.Concat(F, (Z,)),), ARGUMENT),
    ((ch.Concat(F, (F,)),), ARGUMENT),
    ((ch.Concat(F, (G, G)),), ARGUMENT),
    ((ch.Truncate(F, 4),), True),
    ((ch.Truncate(F, 4), ops.Open(F)), of(ord("f"), 4)),
    ((ch.Truncate(F, 10), ops.Open(F)), FC),
    ((ch.Truncate(F, 11),), HADOOP_ARGUMENT),
    ((ch.Truncate(F, -1),), HADOOP_ARGUMENT),
    ((ch.Truncate(D, 0),), FNF),
    ((ch.Truncate(NO, 0),), FNF),
]

RENAME: list[Row] = [
    ((ch.RenameWith(F, NO, False), ops.Open(NO)), FC),
    ((ch.RenameWith(F, NO, False), ops.Exists(F)), False),
    ((ch.RenameWith(D, NO, False), li.ListFiles(NO, True)), ["/no/f:10", "/no/g:5", "/no/s/t/h:3"]),
    ((ch.RenameWith(D, M, True), li.ListFiles(M, True)), ["/m/f:10", "/m/g:5", "/m/s/t/h:3"]),
    ((ch.RenameWith(F, Z, True), ops.Open(Z)), FC),
    ((ch.RenameWith(F, Z, False),), EXISTS),
    ((ch.RenameWith(D, M, False),), EXISTS),
    ((ch.RenameWith(M, D, True),), IO),
    ((ch.RenameWith(F, M, True),), IO),
    ((ch.RenameWith(M, Z, True),), IO),
    ((ch.RenameWith(NO, M, True),), FNF),
    ((ch.RenameWith(F, F, True),), EXISTS),
    ((ch.RenameWith(D, (*D, "no"), True),), IO),
    ((ch.RenameWith(ROOT, NO, True),), IO),
    ((ch.RenameWith(M, ROOT, True),), IO),
    ((ch.RenameWith(F, NONO, True),), FNF),
    ((ch.RenameWith(F, BELOW, True),), PARENT),
]

OTHERS: list[Row] = [
    ((ch.BulkDelete(D, (F, G, (*D, "no"))),), {"failed": (), "pageSize": PAGE, "capable": True, "default": False}),
    ((ch.BulkDelete(D, (F, G)), li.ListFiles(D, True)), ["/d/s/t/h:3"]),
    ((ops.Create((*D, "ff"), X, False), ch.BulkDelete(D, (F,)), ops.Exists((*D, "ff"))), True),
    ((ch.BulkDelete(ROOT, (D, M)),), {"failed": ("/d",)}),
    ((ch.BulkDelete(D, (Z,)),), ARGUMENT),
    ((ch.BulkDelete(ROOT, (Z,) * (PAGE + 1)),), ARGUMENT),
    ((ch.DeleteOnExit(D), ops.Exists(D)), False),
    ((ch.DeleteOnExit(NO),), False),
    ((ch.DeleteOnExit(F, "cancelled"), ops.Exists(F)), True),
    ((ch.CopyFromLocal(NONO, X, False, False), ops.Open(NONO)), X),
    ((ch.CopyFromLocal(M, X, True, False), ops.Open((*M, LOCAL_FILE))), X),
    ((ch.CopyFromLocal(NO, X, True, False),), {"left": False}),
    ((ch.CopyFromLocal(NO, X, False, False),), {"left": True}),
    ((ch.CopyFromLocal(Z, X, False, False),), THERE),
    ((ch.CopyFromLocal(Z, X, False, True), ops.Open(Z)), X),
    ((ch.CopyFromLocal(D, X, False, False),), THERE),
    ((ch.CopyMissingFromLocal(NO, True),), FNF),
    ((ch.MoveFromLocal(Z, X),), {"left": False}),
    ((ch.CopyTreeFromLocal(NO, X, False, False), li.ListFiles(NO, True)), ["/no/f:20", "/no/d/g:0"]),
    ((ch.CopyTreeFromLocal(M, X, False, False), li.ListFiles(M, True)), ["/m/t/f:20", "/m/t/d/g:0"]),
    ((ch.CopyTreeFromLocal(Z, X, False, True),), THERE),
    ((ops.Mkdirs((*M, LOCAL_TREE)), ch.CopyTreeFromLocal(M, X, False, False)), THERE),
    ((ops.Mkdirs((*M, LOCAL_TREE)), ch.CopyTreeFromLocal(M, X, True, True)), {"left": False}),
    ((ops.Create((*M, LOCAL_TREE), X, False), ch.CopyTreeFromLocal(M, X, False, True)), EXISTS),
    ((ch.CopyToLocal(F),), FC),
    ((ch.CopyToLocal(NO),), FNF),
    *(((ch.OpenByHandle(F, handle, "nothing", NO),), FC) for handle in ("exact", "content", "path", "reference")),
    *(((ch.OpenByHandle(F, handle, "append", NO),), 13) for handle in ("path", "reference")),
    *(((ch.OpenByHandle(F, handle, "append", NO),), HANDLE) for handle in ("exact", "content")),
    *(((ch.OpenByHandle(F, handle, "rename", NO),), FC) for handle in ("content", "reference")),
    *(((ch.OpenByHandle(F, handle, "rename", NO),), HANDLE) for handle in ("exact", "path")),
    *(((ch.OpenByHandle(F, handle, "delete", NO),), HANDLE) for handle in ("exact", "reference")),
    *(((ch.OpenByHandle(F, handle, "replace", NO),), HANDLE) for handle in ("path", "content")),
    ((ch.OpenByHandle(D, "exact", "nothing", NO),), IO),
    ((ch.OpenByHandle(NO, "exact", "nothing", NO),), FNF),
]

BUILDERS: list[Row] = [
    ((ch.CreateNonRecursive(NO, X, False), ops.Open(NO)), X),
    ((ch.CreateNonRecursive(NONO, X, False),), FNF),
    ((ch.CreateNonRecursive(BELOW, X, False),), PARENT),
    ((ch.CreateNonRecursive(F, X, False),), EXISTS),
    ((ch.CreateFile(F, X, True, False, (), ()), ops.Open(F)), X),
    ((ch.CreateFile(F, X, False, False, (), ()),), EXISTS),
    ((ch.CreateFile(NONO, X, True, False, (), ()),), FNF),
    ((ch.CreateFile(NONO, X, True, True, (), ()), ops.Open(NONO)), X),
    ((ch.CreateFile(NO, X, True, False, ("a.b=1",), ()),), ARGUMENT),
    ((ch.CreateFile(NO, X, True, False, ("a.b=1",), ()), ops.Exists(NO)), False),
    ((ch.CreateFile(NO, X, True, False, (), ("a.b=1",)),), None),
    ((ch.CreateFile(NO, X, True, False, ("a.b=1",), ("a.b=2",)),), None),
    ((ch.OpenFile(F, (), ()),), FC),
    ((ch.OpenFile(F, (), (), "status"),), FC),
    ((ch.OpenFile(NO, (), ()),), FNF),
    ((ch.OpenFile(D, (), ()),), FNF),
    ((ch.OpenFile(F, ("a.b=1",), ()),), ARGUMENT),
    ((ch.OpenFile(F, (), ("a.b=1",)),), FC),
    *(
        ((ch.OpenFile(F, (f"fs.option.openfile.{option}",), ()),), FC)
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
    ((ch.Upload(NONO, X, 3, "complete"), ops.Open(NONO)), X),
    ((ch.Upload(F, X, 3, "reversed"), ops.Open(F)), X),
    ((ch.Upload(F, X, 3, "abort"), ops.Open(F)), FC),
    ((ch.Upload(NO, X, 3, "abort"), ops.Exists(NO)), False),
    ((ch.Upload(ROOT, X, 3, "complete"),), DIRECTORY),
    ((ch.Upload(M, X, 3, "complete"),), DIRECTORY),
    ((ch.Upload(NO, X, 0, "complete"),), ARGUMENT),
    ((ch.Upload(BELOW, X, 1, "complete"),), PARENT),
]

V, W = "value", "w\u00e4rt"
BASE = ("user::rwx", "group::r-x", "other::---")


def attributes(*changes: Operation, path: Any = F, via: str = "") -> tuple[Operation, ...]:
    """The attributes after some calls."""
    return (at.SetXAttr(path, "user.a", V, "both"), *changes, at.GetXAttrs(path, via))


def entries(*changes: Operation, path: Any = M) -> tuple[Operation, ...]:
    """The ACL after some calls, the first of which gives it an entry of joe's and a default one of ann's."""
    return (at.ModifyAcl(path, ("user:joe:r--", "default:user:ann:rwx")), *changes, at.GetAclStatus(path))


JOE = ("user:joe:r--", "group::r-x")
ANN = ("default:user::rwx", "default:user:ann:rwx", "default:group::r-x", "default:mask::rwx", "default:other::r-x")

KEPT: list[Row] = [
    (attributes(), {"names": ("user.a",), "values": (V,)}),
    (attributes(via="list"), {"names": ("user.a",), "values": ()}),
    (attributes(at.SetXAttr(F, "user.b", W, "create")), {"names": ("user.a", "user.b"), "values": (V, W)}),
    (attributes(at.SetXAttr(F, "user.c", W, "create"), via="some"), {"names": ("user.a",)}),
    (attributes(at.SetXAttr(F, "user.a", W, "replace")), {"values": (W,)}),
    (attributes(at.SetXAttr(F, "user.a", W, "both")), {"values": (W,)}),
    (attributes(at.SetXAttr(F, "user.a", W, "create")), {"values": (V,)}),
    (attributes(at.RemoveXAttr(F, "user.a")), {"names": ()}),
    (attributes(at.SetXAttr(F, "user.b", V, "both"), at.RemoveXAttr(F, "user.a")), {"names": ("user.b",)}),
    (attributes(ops.Create(F, EMPTY, True)), {"names": ()}),
    ((*attributes()[:1], at.SetXAttr(F, "user.a", W, "create")), IO),
    ((at.SetXAttr(F, "user.a", V, "replace"),), IO),
    ((at.SetXAttr(F, "a", V, "create"),), HADOOP_ARGUMENT),
    ((at.SetXAttr(NO, "user.a", V, "create"),), FNF),
    ((at.GetXAttrs(NO),), FNF),
    ((at.SetXAttr(F, "user.a", "", "create"), at.GetXAttr(F, "user.a")), {"value": ""}),
    ((at.GetXAttr(F, "user.a"),), None),
    ((at.RemoveXAttr(F, "user.a"),), IO),
    (entries(), {"entries": JOE + ANN, "owner": "proving", "sticky": False}),
    (entries(at.ModifyAcl(M, ("user:joe:rw-",))), {"entries": ("user:joe:rw-", "group::r-x", *ANN)}),
    (entries(at.ModifyAcl(M, ("group:them:rw-",))), {"entries": (*JOE, "group:them:rw-", *ANN)}),
    (entries(at.RemoveAclEntries(M, ("default:user:ann",))), {"entries": (*JOE, *(ANN[0], ANN[2], ANN[4]))}),
    (entries(at.RemoveAclEntries(M, ("user:joe",))), {"entries": ANN}),
    (entries(at.RemoveDefaultAcl(M)), {"entries": JOE}),
    (entries(at.RemoveAcl(M)), {"entries": ()}),
    (entries(at.SetAcl(M, (*BASE, "user:ann:r--"))), {"entries": ("user:ann:r--", "group::r-x")}),
    ((at.SetAcl(M, ("user:joe:r--",)),), IO),
    ((at.SetAcl(M, ("joe",)),), HADOOP_ARGUMENT),
    ((at.ModifyAcl(F, ("default:user:joe:r--",)),), IO),
    ((at.GetAclStatus(NO),), FNF),
    ((at.GetStoragePolicy(F),), {"name": "HOT"}),
    ((at.SetStoragePolicy(D, "COLD"), at.GetStoragePolicy(H)), {"name": "COLD"}),
    ((at.SetStoragePolicy(F, "COLD"), at.GetStoragePolicy(F)), {"name": "COLD"}),
    ((at.SetStoragePolicy(F, "COLD"), at.UnsetStoragePolicy(F), at.GetStoragePolicy(F)), {"name": "HOT"}),
    ((at.UnsetStoragePolicy(F),), None),
    ((at.SetStoragePolicy(F, "WET"),), IO),
    ((at.GetStoragePolicy(NO),), FNF),
    ((at.SetQuota(M, 5, 7), li.GetQuotaUsage(M)), {"quota": 5, "spaceQuota": 7}),
    ((at.SetQuota(M, 5, 7), at.SetQuota(M, -1, -1), li.GetContentSummary(M)), {"quota": -1, "spaceQuota": -1}),
    ((at.SetQuota(M, 2, -1), ops.Mkdirs((*M, "a"))), True),
    ((at.SetQuota(M, 2, -1), ops.Mkdirs((*M, "a", "b"))), IO),
    ((at.SetQuota(M, 2, -1), ops.Create((*M, "a", "b"), EMPTY, False), ops.Exists((*M, "a"))), False),
    ((at.SetQuota(M, 2, -1), ops.Rename(D, M)), IO),
    ((at.SetQuota(NO, 2, -1),), FNF),
    ((at.SetQuota(F, 2, -1),), FNF),
    ((at.SetQuota(M, 0, -1),), ARGUMENT),
    ((at.CreateSnapshot(M, "s"),), UNSUPPORTED),
    ((at.RenameSnapshot(M, "s", "r"),), UNSUPPORTED),
    ((at.DeleteSnapshot(M, "s"),), UNSUPPORTED),
    ((at.CreateSymlink(F, NO),), UNSUPPORTED),
    ((at.GetLinkTarget(F),), UNSUPPORTED),
    ((at.SupportsSymlinks(),), False),
]

PROTOCOLS: list[Row] = [
    *(((ch.LeaveBuilder(NO, kind), ops.Exists(NO)), False) for kind in ("create", "append", "open")),
    ((ch.OpenInStages(F, ()),), {"failed": "nothing"}),
    ((ch.OpenInStages(NO, ()),), {"failed": "get"}),
    ((ch.OpenInStages(D, ("a.b=1",)),), {"failed": "build"}),
    ((ch.CreateFile(M, X, True, True, (), ()),), EXISTS),
    ((ch.OpenFile(F, (), ("fs.option.openfile.split.end=-4",)),), FC),
    ((ch.OpenFile(F, (), ("fs.option.openfile.read.policy=random",)),), FC),
    ((ch.OpenByHandle(F, "path", "append", NO, "bytes"),), 13),
    ((ch.OpenByHandle(F, "path", "rename", NO, "builder"),), HANDLE),
    *(((ch.MisuseUpload(NO, X, manner, Z),), error) for manner, error in MISUSES.items()),
    *(
        ((ch.MisuseUpload(NO, X, manner, Z), ops.Open(NO)), X)
        for manner in ("omitted", "repeated", "other uploader", "complete twice", "abort after complete")
    ),
    ((ch.MisuseUpload(F, X, "other path", Z), ops.Open(F)), FC),
    *(((ch.MisuseUpload(path, X, "other path", path), ops.Open(path)), X) for path in (NO, F)),
]

ROWS = [*PROTOCOLS, *CONCAT, *RENAME, *OTHERS, *BUILDERS, *KEPT]
MODULES = ("changes", "copies", "builders", "attributes", "protocols")
OURS = [name for name, fault in FAULTS.items() if fault.kind.__module__.rpartition(".")[2] in MODULES]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: repr(row[0]))
def test_store_does_what_the_documents_say(row: Row, play: Play, meets: Meets) -> None:
    program, expected = row
    assert meets(play(ProvingStore(), program)[-1], expected)


WITHOUT: list[tuple[str, Operation, Any]] = [
    ("supports_concat", ch.Concat(F, (G,)), UNSUPPORTED),
    ("supports_truncate", ch.Truncate(F, 1), UNSUPPORTED),
    ("supports_file_reference", ch.OpenByHandle(F, "path", "nothing", NO), UNSUPPORTED),
    ("supports_content_check", ch.OpenByHandle(F, "content", "nothing", NO), UNSUPPORTED),
    ("supports_content_check", ch.OpenByHandle(F, "path", "nothing", NO), FC),
    ("supports_multipartuploader", ch.Upload(F, X, 1, "complete"), UNSUPPORTED),
    ("supports_bulk_delete", ch.BulkDelete(D, (F,)), {"pageSize": 1, "default": True, "failed": ()}),
    ("supports_bulk_delete", ch.BulkDelete(D, (F, G)), ARGUMENT),
    ("supports_xattrs", at.GetXAttrs(F), UNSUPPORTED),
    ("supports_acls", at.GetAclStatus(F), UNSUPPORTED),
    ("supports_storage_policies", at.GetStoragePolicy(F), UNSUPPORTED),
    ("supports_quotas", at.SetQuota(M, 5, 7), UNSUPPORTED),
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
