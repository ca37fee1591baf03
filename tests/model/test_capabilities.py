"""What is allowed of path capabilities and etags, and which clause is broken by what is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsconform.model.core.errors import ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Raised, Returned, Value, facts
from fsconform.model.core.paths import parse
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import State
from fsconform.model.filesystem.status.etags import GetEtag
from fsconform.model.filesystem.status.path_capabilities import KNOWN, HasPathCapability

Tree = Callable[[str], State]
STATUS = "filesystem.getFileStatus"
UNIX = {"supports-unix-permissions": True}
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


HAS = "pathcapabilities.hasPathCapability"


@pytest.mark.parametrize(
    ("name", "value", "declared", "expected"),
    [
        ("fs.capability.paths.append", True, {"supports_append": True}, f"conforms {HAS}.post.no-false-claim"),
        ("fs.capability.paths.append", False, {"supports_append": True}, f"conforms {HAS}.post.no-false-claim"),
        ("fs.capability.paths.append", False, {}, f"conforms {HAS}.post.no-false-claim"),
        ("fs.capability.paths.append", True, {}, "nothing"),
        ("FS.Capability.Paths.Append", True, {}, "nothing"),
        ("fs.capability.paths.permissions", True, {}, "nothing"),
        ("fs.capability.paths.acls", True, {}, "nothing"),
        ("fs.capability.paths.truncate", True, {}, "nothing"),
        (
            "fs.capability.paths.truncate",
            True,
            {"own_supports_truncate": True},
            f"conforms {HAS}.post.no-false-claim",
        ),
        ("fs.capability.multipart.uploader", True, {}, "nothing"),
        ("fs.capability.paths.permissions", True, UNIX, f"conforms {HAS}.post.no-false-claim"),
        ("fs.capability.nonsense", True, {}, "nothing"),
        ("fs.capability.nonsense", False, {}, f"conforms {HAS}.post.result"),
        ("fsconform.nonsense", True, {}, "nothing"),
        ("fs.own.nonsense", True, {}, f"conforms {HAS}.post.result"),
        ("", "IllegalArgumentException", {}, f"conforms {HAS}.post.result"),
        ("", True, {}, "nothing"),
        ("fs.capability.etags.available", True, {}, "nothing"),
        ("fs.capability.etags.available", True, {"etags_available": True}, "conforms filesystem.etagSource.available"),
        ("fs.capability.etags.available", False, {"etags_available": True}, "nothing"),
        ("fs.capability.etags.preserved.in.rename", True, {}, "nothing"),
        (
            "fs.capability.etags.preserved.in.rename",
            False,
            {"etags_preserved_in_rename": True},
            "deviates filesystem.etagSource.rename-declared",
        ),
        (
            "fs.capability.etags.consistent.across.rename",
            False,
            {},
            "conforms filesystem.etagSource.rename-consistent",
        ),
    ],
)
def test_capabilities(tree: Tree, name: str, value: bool | str, declared: dict[str, bool], expected: str) -> None:
    for state in ("a=3", "-"):
        assert allowed(tree(state), HasPathCapability(A, name), value, **declared) == expected


def test_capabilities_do_not_depend_on_what_is_there(tree: Tree) -> None:
    for name in (*sorted(KNOWN), "fsconform.nonsense"):
        asked = HasPathCapability(A, name)
        assert allowed(tree("-"), asked, "FileNotFoundException") == f"deviates {HAS}.no-existence-check"
        assert allowed(tree("a=3"), asked, "FileNotFoundException") == "nothing"


def test_what_a_context_is_held_to(tree: Tree) -> None:
    for name, expected in (("truncate", "nothing"), ("symlinks", "nothing"), ("append", f"conforms {HAS}.post.result")):
        asked = HasPathCapability(A, f"fs.capability.paths.{name}", "context")
        assert allowed(tree("a=3"), asked, True) == expected
        assert allowed(tree("a=3"), asked, False).startswith("conforms")


ETAG = "filesystem.etagSource"


def etag(value: str = "x", **flags: bool) -> Facts:
    usual = {"everywhere": True, "consistent": True, "serializable": True}
    return facts("etag", value=value, **usual | flags)


@pytest.mark.parametrize(
    ("state", "value", "expected", "without"),
    [
        ("a=3", etag(), f"conforms {ETAG}.provided", "nothing"),
        ("a=3", etag(""), "nothing", f"conforms {ETAG}.provided"),
        ("a=3", None, "nothing", f"conforms {ETAG}.provided"),
        ("a=3", etag(everywhere=False), f"nothing {ETAG}.everywhere", f"nothing {ETAG}.everywhere"),
        ("a=3", etag(consistent=False), f"nothing {ETAG}.consistent", f"nothing {ETAG}.consistent"),
        ("a=3", etag(serializable=False), f"nothing {ETAG}.serializable", f"nothing {ETAG}.serializable"),
        ("a/", etag(""), f"conforms {ETAG}.everywhere", f"conforms {ETAG}.everywhere"),
        ("a/", None, f"conforms {ETAG}.everywhere", f"conforms {ETAG}.everywhere"),
        ("-", "FileNotFoundException", f"conforms {STATUS}.pre.exists", f"conforms {STATUS}.pre.exists"),
    ],
)
def test_etags(tree: Tree, state: str, value: Value | str, expected: str, without: str) -> None:
    assert allowed(tree(state), GetEtag(A), value, etags_available=True) == expected
    assert allowed(tree(state), GetEtag(A), value) == without
