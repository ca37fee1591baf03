"""Extended attributes, ACLs, storage policies, snapshots, quotas and links: what is allowed, what breaks a clause."""

from __future__ import annotations

import pytest

from fsconform.model.core.content import of
from fsconform.model.core.errors import FULL_NAMES, ancestry
from fsconform.model.core.operation import Operation, with_paths
from fsconform.model.core.outcomes import Facts, Outcome, Raised, Returned, facts
from fsconform.model.filesystem.branches import MEANINGS, Difference
from fsconform.model.filesystem.contract import Contract
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
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.symlinks import CreateSymlink, GetLinkTarget
from fsconform.model.filesystem.options import attributes as options
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.protocols.snapshots import CreateSnapshot, DeleteSnapshot, RenameSnapshot
from fsconform.model.filesystem.state import EMPTY, State

ALL = Oracle(Contract({name: True for name in vars(options).values() if str(name).startswith("fsconform.supports-")}))
NONE = Oracle(Contract({}))
A, B, D, F = ("a",), ("b",), ("d",), ("d", "f")
BASE = ("user::rwx", "group::r-x", "other::r-x")
START = (Create(A, of(1, 3), False), Mkdirs(D), Create(F, of(2, 3), False))


def outcome(given: object) -> Outcome:
    if isinstance(given, str) and given in FULL_NAMES:
        return Raised(ancestry(given))
    return Returned(given)  # type: ignore[arg-type]


def told(oracle: Oracle, state: State, operation: Operation, given: object) -> tuple[str, str]:
    """The verdict on an outcome and the clause it is judged by."""
    allowed = oracle.step(state, operation, outcome(given))
    if not allowed:
        return "nothing", oracle.situation(state, operation).clause[0]
    branch = allowed[0][0]
    return ("deviation" if branch.deviates else "declared" if branch.departs else "conforms"), branch.clause


def after(*calls: Operation, oracle: Oracle = ALL) -> State:
    """The state that calls lead to, each of them doing what is expected first."""
    state: State | None = EMPTY
    for call in (*START, *calls):
        assert state is not None
        state = oracle.predicted(state, call)
    assert state is not None
    return state


def xattr(value: str) -> Facts:
    return facts("xattr", value=value)


def xattrs(**pairs: str) -> Facts:
    names = tuple(f"user.{name}" for name in pairs)
    return facts("xattrs", names=names, values=tuple(pairs.values()))


def acl(*entries: str) -> Facts:
    return facts("acl", owner="o", group="g", sticky=False, entries=entries)


def policy(name: str) -> Facts:
    return facts("storage policy", name=name)


SET_A = SetXAttr(A, "user.a", "1", "both")
SET_B = SetXAttr(A, "user.b", "2", "both")
REMOVE_A = RemoveXAttr(A, "user.a")
GET_A = GetXAttr(A, "user.a")

CHANGERS = (
    SET_A,
    RemoveXAttr(A, "user.a"),
    SetAcl(A, BASE),
    ModifyAcl(A, ("user:bob:rwx",)),
    RemoveAclEntries(A, ("user:bob",)),
    RemoveDefaultAcl(D),
    RemoveAcl(A),
    SetStoragePolicy(A, "HOT"),
    UnsetStoragePolicy(A),
    CreateSnapshot(D, "s"),
    RenameSnapshot(D, "s", "t"),
    DeleteSnapshot(D, "s"),
    SetQuota(D, -1, -1),
    CreateSymlink(A, B),
)


@pytest.mark.parametrize("call", CHANGERS, ids=lambda call: call.NAME)
def test_a_call_that_is_not_supported_says_so(call: Operation) -> None:
    clause = "introduction.failures.unsupported"
    assert told(NONE, after(), call, "UnsupportedOperationException") == ("conforms", clause)
    assert told(NONE, after(), call, None)[0] == "nothing"
    if call.NAME != "createSymlink":
        assert told(ALL, after(), call, "UnsupportedOperationException")[0] in ("nothing", "deviation")


@pytest.mark.parametrize("call", (SET_A, SetAcl(A, BASE), SetStoragePolicy(A, "HOT"), SetQuota(D, -1, -1)))
def test_no_other_error_stands_for_unsupported(call: Operation) -> None:
    clause = "introduction.failures.unsupported"
    assert told(NONE, after(), call, "IOException") == ("nothing", clause)
    assert told(NONE, after(), call, "RuntimeException") == ("nothing", clause)


@pytest.mark.parametrize("call", CHANGERS[:9], ids=lambda call: call.NAME)
def test_a_missing_path(call: Operation) -> None:
    missing = with_paths(call, lambda path: ("x",))
    assert told(ALL, after(), missing, "FileNotFoundException")[0] == "conforms"
    assert told(ALL, after(), missing, "IOException")[0] == "deviation"
    assert told(ALL, after(), missing, None)[0] == "nothing"
    assert told(NONE, after(), missing, "UnsupportedOperationException")[0] == "conforms"


YES, NO, DEVIATES = "conforms", "nothing", "deviation"
FAILS, ILLEGAL, TAKEN = "IOException", "IllegalArgumentException", "FileAlreadyExistsException"
SET_ACL, GET_ACL = SetAcl(A, (*BASE, "user:bob:rw-")), GetAclStatus(A)
NO_BOB = RemoveAclEntries(A, ("user:bob",))
POLICY, INHERITED = "getStoragePolicy.post", "getStoragePolicy.inherited"
WARM_ABOVE, GET_BELOW = SetStoragePolicy(D, "WARM"), GetStoragePolicy(F)
WARM, GET_POLICY = SetStoragePolicy(A, "WARM"), GetStoragePolicy(A)


def attribute(name: str, value: str, flag: str) -> Operation:
    return SetXAttr(A, name, value, flag)


ROWS: tuple[tuple[str, tuple[Operation, ...], Operation, object, str, str], ...] = (
    ("read back", (SET_A,), GET_A, xattr("1"), YES, "getXAttr.post"),
    ("another value", (SET_A,), GET_A, xattr("2"), NO, "getXAttr.post"),
    ("lost", (SET_A,), GET_A, None, NO, "getXAttr.post"),
    ("lost with an error", (SET_A,), GET_A, FAILS, NO, "getXAttr.post"),
    ("removed", (SET_A, REMOVE_A), GET_A, FAILS, YES, "getXAttr.missing"),
    ("removed, as null", (SET_A, REMOVE_A), GET_A, None, YES, "getXAttr.missing"),
    ("still there", (SET_A, REMOVE_A), GET_A, xattr("1"), NO, "getXAttr.missing"),
    ("never set", (), GET_A, xattr("1"), DEVIATES, "getXAttrs.fresh"),
    ("all", (SET_A, SET_B), GetXAttrs(A), xattrs(a="1", b="2"), YES, "getXAttrs.post"),
    ("one of two", (SET_A, SET_B), GetXAttrs(A), xattrs(b="2"), NO, "getXAttrs.post"),
    ("a stranger", (SET_A,), GetXAttrs(A), xattrs(a="1", z="2"), DEVIATES, "getXAttrs.fresh"),
    ("one removed", (SET_A, REMOVE_A), GetXAttrs(A), xattrs(a="1"), NO, "getXAttrs.post"),
    ("names", (SET_A,), GetXAttrs(A, "list"), facts("xattrs", names=("user.a",)), YES, "getXAttrs.post"),
    ("some of which one lacks", (SET_A,), GetXAttrs(A, "some"), FAILS, YES, "getXAttr.missing"),
    ("some that are there", (SET_A, SET_B), GetXAttrs(A, "some"), FAILS, NO, "getXAttrs.post"),
    ("create again", (SET_A,), attribute("user.a", "2", "create"), FAILS, YES, "setXAttr.flag.create"),
    ("created again", (SET_A,), attribute("user.a", "2", "create"), None, NO, "setXAttr.flag.create"),
    ("replace nothing", (SET_A, REMOVE_A), attribute("user.a", "2", "replace"), None, NO, "setXAttr.flag.replace"),
    ("replace", (SET_A,), attribute("user.a", "2", "replace"), None, YES, "setXAttr.post"),
    ("no namespace", (), attribute("a", "2", "both"), ILLEGAL, YES, "setXAttr.pre.name"),
    ("no namespace, taken", (), attribute("a", "2", "both"), None, DEVIATES, "setXAttr.pre.name"),
    ("too long", (), attribute("user.a", "x" * 2000, "both"), FAILS, YES, "setXAttr.limits"),
    ("after rename", (SET_A, Rename(A, B)), GetXAttr(B, "user.a"), None, NO, "getXAttr.post"),
    ("after append", (SET_A, Append(A, of(1, 1))), GET_A, xattr("1"), YES, "getXAttr.post"),
    ("acl", (SET_ACL,), GET_ACL, acl("group::r-x", "user:bob:rw-"), YES, "getAclStatus.post"),
    ("acl lost", (SET_ACL,), GET_ACL, acl("group::r-x"), NO, "getAclStatus.post"),
    ("acl wider", (SET_ACL,), GET_ACL, acl("user:bob:rwx"), NO, "getAclStatus.post"),
    ("acl with more", (SetAcl(A, BASE),), GET_ACL, acl("user:bob:rwx"), NO, "getAclStatus.post"),
    ("acl of the unknown", (), GET_ACL, acl("user:bob:rwx"), YES, "getAclStatus.post"),
    ("acl removed", (SET_ACL, RemoveAcl(A)), GET_ACL, acl("user:bob:rw-"), NO, "getAclStatus.post"),
    ("entry removed", (SET_ACL, NO_BOB), GET_ACL, acl("user:bob:rw-"), NO, "getAclStatus.post"),
    ("no base", (), SetAcl(A, BASE[:2]), FAILS, YES, "setAcl.pre.base"),
    ("default on a file", (), ModifyAcl(A, ("default:user:bob:r--",)), FAILS, YES, "acls.pre.directory"),
    ("policy", (SetStoragePolicy(A, "warm"),), GET_POLICY, policy("WARM"), YES, POLICY),
    ("another policy", (WARM,), GET_POLICY, policy("HOT"), NO, POLICY),
    ("an ancestor's policy", (WARM_ABOVE,), GET_BELOW, policy("WARM"), YES, INHERITED),
    ("not the ancestor's", (WARM_ABOVE,), GET_BELOW, policy("HOT"), DEVIATES, INHERITED),
    ("no policy", (), SetStoragePolicy(A, "NONE"), FAILS, YES, "setStoragePolicy.pre.known"),
    ("snapshot not permitted", (), CreateSnapshot(D, "s"), FAILS, YES, "createSnapshot.pre.permitted"),
    ("snapshot of a file", (), CreateSnapshot(A, "s"), facts("path"), NO, "createSnapshot.pre.directory"),
    ("quota of no names", (), SetQuota(D, 0, -1), ILLEGAL, YES, "setQuota.pre.value"),
    ("quota of a file", (), SetQuota(A, 3, -1), None, NO, "setQuota.pre.directory"),
    ("link target of a file", (), GetLinkTarget(A), FAILS, YES, "getLinkTarget.pre.link"),
    ("link target that is none", (), GetLinkTarget(A), facts("path", path="/a"), NO, "getLinkTarget.pre.link"),
    ("link onto a file", (), CreateSymlink(D, A), TAKEN, YES, "createSymlink.pre.free"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("calls", "call", "given", "verdict", "clause"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS]
)
def test_row(calls: tuple[Operation, ...], call: Operation, given: object, verdict: str, clause: str) -> None:
    assert told(ALL, after(*calls), call, given) == (verdict, f"filesystem.{clause}")


def test_default_entries_stay_where_a_store_declares_it() -> None:
    before = after(ModifyAcl(D, ("default:user:bob:r-x",)))
    call = SetAcl(D, BASE)
    keeps = Oracle(Contract({**ALL.contract.declared, options.SET_ACL_KEEPS_DEFAULT: True}))
    query, answer = GetAclStatus(D), Returned(acl("default:user:bob:r-x"))
    for oracle, wanted in ((ALL, [False]), (keeps, [False, True])):
        states = [state for _, state in oracle.step(before, call, Returned(None))]
        assert [bool(state and oracle.step(state, query, answer)) for state in states] == wanted


def test_a_directory_may_hide_its_attributes_where_a_store_declares_it() -> None:
    hides = Oracle(Contract({options.DIRECTORIES_WITHOUT_XATTRS: True}))
    assert told(hides, after(), GetXAttrs(D), "FileNotFoundException") == (
        "declared",
        "filesystem.getXAttrs.existing",
    )
    assert told(hides, after(), GetXAttrs(A), "FileNotFoundException")[0] == "nothing"
    assert told(NONE, after(), GetXAttrs(D), "FileNotFoundException")[0] == "nothing"


def test_words_for_what_is_wrong() -> None:
    state = after(SET_A, SET_B, REMOVE_A, SetStoragePolicy(A, "WARM"))
    wrong: tuple[tuple[Operation, Facts, str], ...] = (
        (GET_A, xattr("1"), "filesystem.removeXAttr.post"),
        (GetXAttr(A, "user.b"), xattr("1"), "filesystem.getXAttr.post"),
        (GetXAttrs(A), xattrs(a="1"), "filesystem.getXAttrs.post"),
        (GetStoragePolicy(A), policy("HOT"), "filesystem.getStoragePolicy.post"),
    )
    for call, value, clause in wrong:
        differs = MEANINGS[type(call)].differs
        assert differs is not None
        found = differs(state, call, value)
        assert isinstance(found, Difference) and found.clause == clause and "user." not in found.words


def test_what_is_done_to_one_path_stays_there() -> None:
    state = after(SET_A, Rename(A, B), Create(A, of(1, 1), False))
    assert told(ALL, state, GetXAttr(B, "user.a"), xattr("1"))[0] == "conforms"
    assert told(ALL, state, GET_A, "IOException")[0] == "conforms"


def test_of_several_faults_any_may_be_told() -> None:
    nowhere = ("x",)
    calls = (SetXAttr(nowhere, "a", "1", "both"), GetXAttr(nowhere, "a"), SetStoragePolicy(nowhere, "NONE"))
    for call in (*calls, SetQuota(nowhere, 0, -1)):
        assert told(ALL, after(), call, "IllegalArgumentException")[0] == "conforms"
        assert told(ALL, after(), call, "FileNotFoundException")[0] == "conforms"
        assert told(ALL, after(), call, None)[0] == "nothing"
    assert told(ALL, after(), SetAcl(nowhere, BASE[:2]), "IOException")[0] == "conforms"


QUOTA = SetQuota(D, 3, -1)
NAMES = "filesystem.setQuota.names"


@pytest.mark.parametrize(
    ("calls", "call", "over"),
    [
        ((QUOTA,), Mkdirs(("d", "x")), False),
        ((QUOTA,), Mkdirs(("d", "x", "y")), True),
        ((QUOTA,), Create(("d", "x", "y"), of(1, 0), False), True),
        ((QUOTA, Mkdirs(("d", "x"))), Create(("d", "y"), of(1, 1), False), True),
        ((QUOTA, Mkdirs(("d", "x"))), Mkdirs(("d", "x", "y")), True),
        ((QUOTA, Mkdirs(("d", "x"))), Mkdirs(("e",)), False),
        ((QUOTA, Rename(D, ("e",)), Mkdirs(("e", "x"))), Mkdirs(("e", "y")), True),
        ((QUOTA, SetQuota(D, -1, -1)), Mkdirs(("d", "x", "y")), False),
        ((QUOTA, SetQuota(D, (1 << 63) - 1, -1)), Mkdirs(("d", "x", "y")), True),
        ((SetQuota(D, (1 << 63) - 1, -1),), Mkdirs(("d", "x", "y")), False),
    ],
)
def test_a_quota_of_names(calls: tuple[Operation, ...], call: Operation, over: bool) -> None:
    state, done = after(*calls), True if isinstance(call, Mkdirs) else None
    if over:
        assert told(ALL, state, call, "IOException") == ("conforms", NAMES)
        assert told(ALL, state, call, "RuntimeException")[0] == "deviation"
        assert told(ALL, state, call, done) == ("deviation", NAMES)
    else:
        assert told(ALL, state, call, "IOException")[0] == "nothing"
        assert told(ALL, state, call, done)[0] == "conforms"


def test_what_is_there_already_breaks_no_quota() -> None:
    state = after(SetQuota(D, 1, -1))
    assert told(ALL, state, Create(F, of(1, 9), True), None)[0] == "conforms"
    assert told(ALL, state, Mkdirs(D), True)[0] == "conforms"


def test_a_quota_of_space_ends_what_is_followed() -> None:
    ((_, state),) = ALL.step(after(), SetQuota(D, -1, 1), Returned(None))
    assert state is None
