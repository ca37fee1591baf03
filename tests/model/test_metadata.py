"""The meaning of the operations on metadata: what is allowed, and which clause is broken by what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Fact, Facts, Raised, Returned, Value, facts
from fsconform.model.core.paths import parse
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.metadata.access import Access
from fsconform.model.filesystem.metadata.file_checksum import GetFileChecksum
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes
from fsconform.model.filesystem.metadata.owner import SetOwner
from fsconform.model.filesystem.metadata.permission import PERMISSION, SetPermission
from fsconform.model.filesystem.metadata.replication import SetReplication
from fsconform.model.filesystem.metadata.shared_by_setters import know
from fsconform.model.filesystem.metadata.times import SetTimes
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import CreateWith
from fsconform.model.filesystem.namespace.mkdirs import MkdirsWith
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import MODIFIED, File, State, locate
from fsconform.model.filesystem.status.enclosing_root import GetEnclosingRoot
from fsconform.model.filesystem.status.home_directory import GetHomeDirectory
from fsconform.model.filesystem.status.msync import Msync
from fsconform.model.filesystem.status.server_defaults import GetDefaultBlockSize
from fsconform.model.filesystem.status.sizes_and_replication import GetBlockSize, GetLength, GetReplication
from fsconform.model.filesystem.status.working_directory import WorkingDirectory

Tree = Callable[[str], State]
UNIX = {"supports-unix-permissions": True}
TIMED = {"supports-settimes": True}
A = parse("/a")


def allowed(state: State, operation: Operation, outcome: Value | str, **declared: bool) -> str:
    """How an outcome stands, with the clause that says so; of what is not allowed the clause of the difference."""
    result = Raised(ancestry(outcome)) if isinstance(outcome, str) else Returned(outcome)
    contract = Contract(
        {name.replace("_", "-").replace("own-", "fsconform."): value for name, value in declared.items()}
    )
    found = Oracle(contract).step(state, operation, result)
    if found:
        branch = found[0][0]
        return f"{'deviates' if branch.deviates else 'departs' if branch.departs else 'conforms'} {branch.clause}"
    differs = MEANINGS[type(operation)].differs
    difference = differs(state, operation, outcome) if differs and not isinstance(outcome, str) else None
    return f"nothing {difference.clause}" if difference else "nothing"


def after(state: State, *operations: Operation, **declared: bool) -> State:
    """The state after operations that succeed."""
    oracle = Oracle(Contract({name.replace("_", "-"): value for name, value in declared.items()}))
    for operation in operations:
        ((_, then),) = oracle.step(state, operation, Returned(True if isinstance(operation, Rename) else None))
        assert then is not None
        state = then
    return state


def status(path: str = "/a", **fields: Fact) -> Facts:
    """All of a file's status, as a store without permissions gives it."""
    usual: dict[str, Any] = {
        "path": path,
        "directory": False,
        "length": 3,
        "blockSize": 1024,
        "modified": 5,
        "accessed": 0,
        "permission": 0o666,
        "owner": "me",
        "group": "me",
        "user": "me",
        "encrypted": True,
        "erasureCoded": False,
        "acl": False,
    }
    return facts("attributes", **usual | fields)


def kept(path: str = "/a", **fields: Fact) -> Facts:
    """All of a file's status, as a store with permissions gives it."""
    return status(path, **{"encrypted": False, "permission": 0o640, **fields})


STATUS = "filesystem.getFileStatus"
STAND_INS = "introduction.object-stores"


@pytest.mark.parametrize(
    ("value", "declared", "expected"),
    [
        (status(), {}, f"conforms {STATUS}.post.encrypted-without-permissions"),
        (status(encrypted=False), {}, "nothing"),
        (status(permission=0o644), {}, f"deviates {STAND_INS}.permissions"),
        (status(group="staff"), {}, f"deviates {STAND_INS}.owner"),
        (status(group="staff", permission=0), {}, f"deviates {STAND_INS}.owner"),
        (status(length=4), {}, f"nothing {STATUS}.post.file"),
        (status(blockSize=0), {}, f"nothing {STATUS}.post.file"),
        (status(directory=True), {}, f"nothing {STATUS}.post.file"),
        (status("/b"), {}, f"nothing {STATUS}.post.file"),
        (status(erasureCoded=True), {}, "nothing"),
        (
            status(erasureCoded=True),
            {"own_erasure_coded": True},
            f"conforms {STATUS}.post.encrypted-without-permissions",
        ),
        (kept(), UNIX, f"conforms {STATUS}.post.file"),
        (kept(encrypted=True), UNIX, "nothing"),
        (kept(encrypted=True), {**UNIX, "own_in_encryption_zone": True}, f"conforms {STATUS}.post.encrypted"),
        (kept(), {**UNIX, "own_in_encryption_zone": True}, "nothing"),
        (kept(erasureCoded=True), {**UNIX, "own_erasure_coded": True}, f"conforms {STATUS}.post.erasure-coded"),
        (None, UNIX, f"nothing {STATUS}.post.file"),
        ("FileNotFoundException", UNIX, "nothing"),
    ],
)
def test_status_of_a_file(tree: Tree, value: Value | str, declared: dict[str, bool], expected: str) -> None:
    assert allowed(tree("a=3"), GetAttributes(A), value, **declared) == expected


def test_status_of_a_directory(tree: Tree) -> None:
    state, op = tree("a/b=3"), GetAttributes(A)
    usual = kept(directory=True, length=0, permission=0o755)
    long = kept(directory=True, length=4096)
    assert allowed(state, op, usual, **UNIX) == f"conforms {STATUS}.post.directory"
    assert allowed(state, op, long, **UNIX) == "nothing"
    declared = Oracle(Contract({**UNIX, "fsconform.directories-have-length": True}))
    ((branch, _),) = declared.step(state, op, Returned(long))
    assert branch.departs
    stand_in = status(directory=True, length=0, permission=0o777)
    assert allowed(state, op, stand_in) == f"conforms {STATUS}.post.encrypted-without-permissions"
    assert allowed(state, op, status(directory=True, length=0)) == f"deviates {STAND_INS}.permissions"
    assert allowed(state, op, kept(), **UNIX) == f"nothing {STATUS}.post.directory"
    assert allowed(tree("-"), op, "FileNotFoundException") == f"conforms {STATUS}.pre.exists"
    assert allowed(tree("-"), op, status()).startswith("nothing")


def test_who_is_named_in_an_access_control_list_is_seen(tree: Tree) -> None:
    state, lists = know(tree("a=3"), A, {"acl access:user:me": "rw-"}), {**UNIX, "own_supports_acls": True}
    assert allowed(state, GetAttributes(A), kept(acl=True), **lists) == f"conforms {STATUS}.post.acl"
    assert allowed(state, GetAttributes(A), kept(), **lists) == f"nothing {STATUS}.post.acl"
    assert allowed(tree("a=3"), GetAttributes(A), kept(acl=True), **UNIX) == "nothing"
    assert allowed(tree("a=3"), GetAttributes(A), status(acl=True)) == "nothing"


def test_a_permission_that_was_set_is_seen(tree: Tree) -> None:
    state = after(tree("a=3"), SetPermission(A, 0o640), **UNIX)
    assert allowed(state, GetAttributes(A), kept(), **UNIX) == f"conforms {STATUS}.post.file"
    assert allowed(state, GetAttributes(A), kept(permission=0o644), **UNIX) == f"nothing {STAND_INS}.permissions"
    moved = after(state, Rename(A, parse("/b")), **UNIX)
    assert allowed(moved, GetAttributes(parse("/b")), kept("/b", permission=0), **UNIX).startswith("nothing")
    again = after(moved, SetPermission(parse("/b"), 0o1777), **UNIX)
    assert allowed(again, GetAttributes(parse("/b")), kept("/b", permission=0), **UNIX).startswith("conforms")


def test_without_permissions_setting_them_has_no_effect(tree: Tree) -> None:
    state = tree("a=3")
    ((branch, then),) = Oracle(Contract()).step(state, SetPermission(A, 0o640), Returned(None))
    assert then is state and branch.clause == f"{STAND_INS}.setters"
    unsupported = "UnsupportedOperationException"
    assert allowed(state, SetPermission(A, 0o640), unsupported).startswith("deviates")
    assert allowed(state, SetPermission(A, 0o640), unsupported, **UNIX) == "nothing"
    assert allowed(state, SetPermission(A, 0o640), "IOException", **UNIX) == "nothing"


@pytest.mark.parametrize("operation", [SetPermission(A, 0o640), SetOwner(A, "me", ""), SetTimes(A, 1, 1)])
def test_setters_of_a_missing_path(tree: Tree, operation: Operation) -> None:
    state, options = tree("b=3"), UNIX | TIMED
    assert allowed(state, operation, "FileNotFoundException", **options).startswith("conforms")
    assert allowed(state, operation, None, **options) == "deviates introduction.failures.exceptions"
    assert allowed(state, operation, None).startswith("conforms")
    assert allowed(state, operation, "IllegalStateException", **options).startswith("deviates")


def test_an_owner_that_was_set_is_seen(tree: Tree) -> None:
    state = after(tree("a=3"), SetOwner(A, "you", ""), **UNIX)
    assert allowed(state, GetAttributes(A), kept(owner="you"), **UNIX).startswith("conforms")
    assert allowed(state, GetAttributes(A), kept(), **UNIX) == f"nothing {STAND_INS}.owner"
    state = after(state, SetOwner(A, "", "us"), **UNIX)
    assert allowed(state, GetAttributes(A), kept(owner="you"), **UNIX) == f"nothing {STAND_INS}.owner"
    assert allowed(state, GetAttributes(A), kept(owner="you", group="us"), **UNIX).startswith("conforms")
    assert allowed(state, SetOwner(A, "you", ""), "AccessControlException", **UNIX).startswith("conforms")


TIMES = "introduction.timestamps.hdfs.set-times"


@pytest.mark.parametrize(
    ("modified", "accessed", "expected"),
    [
        (1_999, 5_000, f"conforms {STATUS}"),
        (1_000, 5_000, f"conforms {STATUS}"),
        (2_000, 0, f"conforms {STATUS}"),
        (1_998, 5_000, f"nothing {TIMES}"),
        (3_000, 5_000, f"nothing {TIMES}"),
        (0, 5_000, f"nothing {TIMES}"),
        (1_999, 4_000, f"nothing {TIMES}"),
        (1_999, 9_999, f"conforms {STATUS}"),
    ],
)
def test_times_that_were_set_are_seen(tree: Tree, modified: int, accessed: int, expected: str) -> None:
    state = after(tree("a=3"), SetTimes(A, 1_999, 5_000), **TIMED)
    value = status(modified=modified, accessed=accessed)
    assert allowed(state, GetAttributes(A), value, **TIMED).startswith(expected)


def test_times_are_forgotten_when_something_changes(tree: Tree) -> None:
    state = after(tree("a=3"), SetTimes(A, 1_999, -1), **TIMED)
    node = locate(state, A)
    assert isinstance(node, File) and node.meta is not None and node.meta[MODIFIED] == 1_999
    wrong = status(modified=7)
    assert allowed(state, GetAttributes(A), wrong, **TIMED) == f"nothing {TIMES}"
    moved = after(state, Rename(A, parse("/b")), **TIMED)
    assert allowed(moved, GetAttributes(parse("/b")), status("/b", modified=7), **TIMED).startswith("conforms")
    options = {**TIMED, "supports_append": True}
    longer = after(state, Append(A, ()), **options)
    assert allowed(longer, GetAttributes(A), wrong, **TIMED).startswith("conforms")
    again = after(moved, SetTimes(parse("/b"), -1, 9), **TIMED)
    assert allowed(again, GetAttributes(parse("/b")), status("/b", modified=7), **TIMED).startswith("conforms")


def test_object_stores_may_leave_times_alone(tree: Tree) -> None:
    state = tree("a=3 d/")
    for options in ({}, {**TIMED, "is_blobstore": True}):
        assert after(state, SetTimes(A, 1, 1), **options) is state
    assert after(state, SetTimes(parse("/d"), 1, 1), **TIMED) is state
    assert allowed(state, SetTimes(A, 1, 1), "UnsupportedOperationException").startswith("conforms")
    assert allowed(state, SetTimes(A, 1, 1), "UnsupportedOperationException", **TIMED) == "nothing"


def number(value: int, **more: Fact) -> Facts:
    return facts("number", value=value, **more)


@pytest.mark.parametrize(
    ("state", "operation", "value", "expected"),
    [
        ("a=3", GetBlockSize(A), number(9, status=9), "conforms filesystem.getBlockSize.post.positive"),
        ("a=3", GetBlockSize(A), number(9), "conforms filesystem.getBlockSize.post.positive"),
        ("a=3", GetBlockSize(A), number(0, status=0), "nothing filesystem.getBlockSize.post.positive"),
        ("a=3", GetBlockSize(A), number(9, status=8), "nothing filesystem.getBlockSize.post"),
        ("a=0", GetBlockSize(A), number(0), f"nothing {STATUS}.post.file"),
        ("a/", GetBlockSize(A), number(0), "conforms filesystem.getBlockSize.post"),
        ("-", GetBlockSize(A), "FileNotFoundException", "conforms filesystem.getBlockSize.pre.exists"),
        ("-", GetBlockSize(A), number(1), "nothing"),
        ("a=3", GetLength(A), number(3), f"conforms {STATUS}.post.file"),
        ("a=3", GetLength(A), number(2), f"nothing {STATUS}.post.file"),
        ("a/", GetLength(A), number(0), f"conforms {STATUS}.post.directory"),
        ("a/", GetLength(A), number(4096), "nothing"),
        ("a=3", GetReplication(A), number(1), f"conforms {STATUS}.post.file"),
        ("a=3", GetReplication(A), number(-1), "nothing"),
        ("-", GetDefaultBlockSize(A, "plain"), number(1), "conforms filesystem.getDefaultBlockSize.post"),
        ("-", GetDefaultBlockSize(A, "plain"), number(0), "nothing"),
        ("-", GetDefaultBlockSize(A), number(0), "conforms filesystem.getDefaultBlockSize.path.missing"),
        ("-", GetDefaultBlockSize(A), "FileNotFoundException", "nothing"),
        ("a=3", GetDefaultBlockSize(A), number(-1), "nothing"),
        ("a=3", SetReplication(A, 2), "IOException", "nothing"),
        ("a=3", SetReplication(A, 0), "IOException", "conforms introduction.failures.exceptions"),
        ("-", Access(A, "r"), "FileNotFoundException", "conforms introduction.failures.exceptions"),
        ("-", Access(A, "r"), None, "deviates introduction.failures.exceptions"),
        ("a=3", GetFileChecksum(A), None, "conforms introduction.failures.unsupported"),
        ("a=3", GetFileChecksum(A), "IOException", "nothing"),
        ("-", Msync(), "UnsupportedOperationException", "conforms filesystem.msync.unsupported"),
        ("-", Msync(), None, "nothing"),
        ("-", Msync(), "IOException", "nothing"),
    ],
)
def test_numbers_and_calls(tree: Tree, state: str, operation: Operation, value: Value | str, expected: str) -> None:
    assert allowed(tree(state), operation, value) == expected


def test_msync_where_it_is_supported(tree: Tree) -> None:
    assert allowed(tree("-"), Msync(), None, own_supports_msync=True) == "conforms filesystem.msync.post"
    assert allowed(tree("-"), Msync(), "UnsupportedOperationException", own_supports_msync=True) == "nothing"


RELATIVE: dict[str, Fact] = {"working": "/a", "path": "/a/b", "directory": False, "length": 3, "others": True}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "conforms filesystem.relative-paths"),
        ({"path": "/b"}, "nothing filesystem.relative-paths"),
        ({"working": "/"}, "nothing filesystem.relative-paths"),
        ({"length": 1}, "nothing filesystem.relative-paths"),
        ({"directory": True}, "nothing filesystem.relative-paths"),
        ({"others": False}, "nothing filesystem.working-directory"),
    ],
)
def test_relative_paths(tree: Tree, change: dict[str, Fact], expected: str) -> None:
    value = facts("relative", **{**RELATIVE, **change})
    assert allowed(tree("a/b=3 b=1"), WorkingDirectory(A, parse("/b")), value) == expected


def test_relative_paths_that_lead_nowhere(tree: Tree) -> None:
    operation = WorkingDirectory(A, parse("/b"))
    for state in ("-", "a/", "a=3", "b=3"):
        assert allowed(tree(state), operation, "FileNotFoundException") == f"conforms {STATUS}.pre.exists"
        assert allowed(tree(state), operation, facts("relative", **RELATIVE)).startswith("nothing")
    itself = WorkingDirectory(A, ())
    assert allowed(tree("a=3"), itself, "IOException") == "conforms filesystem.relative-paths"
    assert allowed(tree("a/"), itself, "IOException") == "nothing"


def test_homes_and_enclosing_roots(tree: Tree) -> None:
    home = facts("home", absolute=True, qualified=False, ofThisStore=True)
    assert allowed(tree("-"), GetHomeDirectory(), home) == "conforms filesystem.getHomeDirectory.post"
    for name in ("absolute", "ofThisStore"):
        wrong = facts("home", **dict(home.items) | {name: False})
        assert allowed(tree("-"), GetHomeDirectory(), wrong) == "nothing filesystem.getHomeDirectory.post"
    root: dict[str, Fact] = {"directory": True, "above": True, "again": True}
    clauses = {"directory": "directory", "above": "ancestor", "again": "idempotent"}
    for state, clause in (("a=3", "post.ancestor"), ("-", "missing")):
        op = GetEnclosingRoot(A)
        assert (
            allowed(tree(state), op, facts("enclosing root", **root))
            == f"conforms filesystem.getEnclosingRoot.{clause}"
        )
        for name, broken in clauses.items():
            value = facts("enclosing root", **root | {name: False})
            assert allowed(tree(state), op, value) == f"nothing filesystem.getEnclosingRoot.post.{broken}"
        assert allowed(tree(state), op, "FileNotFoundException") == "nothing"
        assert allowed(tree(state), op, None) == "nothing filesystem.getEnclosingRoot.post.default"


def test_creation_with_permission_means_what_creation_means(tree: Tree) -> None:
    state = tree("a=3 d/")
    assert allowed(state, MkdirsWith(A, 0o700), "FileAlreadyExistsException") == (
        "conforms filesystem.mkdirs.pre.not-a-file"
    )
    assert allowed(state, MkdirsWith(parse("/b/c"), 0o700), True) == "conforms filesystem.mkdirs.post"
    ((_, then),) = Oracle(Contract()).step(state, CreateWith(parse("/d/b"), (), False, 0o600), Returned(None))
    assert then is not None and isinstance(locate(then, parse("/d/b")), File)


def test_what_is_known_can_be_forgotten(tree: Tree) -> None:
    state = know(tree("a=3"), A, {PERMISSION: 1})
    assert state != tree("a=3") and know(state, A, {}, (PERMISSION,)) == tree("a=3")


def test_no_time_that_is_named(tree: Tree) -> None:
    assert allowed(tree("-"), SetTimes(A, -1, -1), None, **TIMED).startswith("conforms")
    assert after(tree("a=3"), SetTimes(A, -1, -1), **TIMED) == tree("a=3")
