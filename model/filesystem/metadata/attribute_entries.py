"""What the operations on extended attributes, ACLs, policies, snapshots, quotas and links have in common.

What is known of a path's attributes is kept in its metadata, in entries of this module's prefixes. An entry of None
says that the attribute is known to be gone; where there is no entry, nothing was done to it that the model followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from immutables import Map

from fsconform.model.core.outcomes import Fact
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import RUNTIME_CLAUSE, Branch, Case, Cases, raises
from fsconform.model.filesystem.options.core import REFUSES_PATHS_BELOW_FILES
from fsconform.model.filesystem.refusals import UNSUPPORTED
from fsconform.model.filesystem.state import UNDER_FILE, Absence, Dir, File, Meta, Node, State, locate, put
from fsconform.model.filesystem.validity import COMMON_CASES, bits

XATTR = "xattr "
ACL = "acl "
POLICY = "policy"
QUOTA = "quota"
OWN = (XATTR, ACL, POLICY, QUOTA)
"""How the names of entries begin that are of this family."""


def unsupported(option: str) -> Branch:
    """A call that is not implemented says so."""
    return raises(UNSUPPORTED, "UnsupportedOperationException", (option, False))


def refused(clause: str, error: str, option: str) -> tuple[Branch, ...]:
    """A failed precondition that SHOULD raise an error; another IOException, or a RuntimeException, deviates."""
    other = () if error == "IOException" else (raises(clause, "IOException", level="SHOULD", deviates=True),)
    return (
        raises(clause, error, level="SHOULD"),
        unsupported(option),
        *other,
        raises(RUNTIME_CLAUSE, "RuntimeException", level="SHOULD NOT", deviates=True),
    )


def absent(clause: str, option: str) -> tuple[Case, Case]:
    """The cases of a path that does not exist, first of each of these operations: it is missing; it is below a file."""
    return (
        Case("missing", clause, refused(clause, "FileNotFoundException", option)),
        Case(
            "below a file",
            clause,
            (raises(clause, "IOException", (REFUSES_PATHS_BELOW_FILES, True), level="SHOULD", departs=True),),
        ),
    )


_FIRST = Cases(*COMMON_CASES)
_MISSING, _BELOW_FILE = map(_FIRST.add, absent(UNSUPPORTED, "any option"))


def absence(path: Path, node: Absence) -> int:
    """The bits of a path that does not exist, among cases that begin with those of :func:`absent`."""
    return bits(path, node) | (_MISSING | _BELOW_FILE if node is UNDER_FILE else _MISSING)


def entries(node: Node) -> Mapping[str, Fact]:
    """What is known of a node, empty if nothing is."""
    return node.meta if node.meta is not None else {}


def with_entries(root: State, path: Path, known: Mapping[str, Fact]) -> State:
    """The tree with what is known of an existing path in place of what was."""
    node = locate(root, path)
    assert not isinstance(node, Absence)
    meta: Meta | None = Map(known) if known else None
    return put(root, path, File(node.content, meta) if type(node) is File else Dir(node.children, meta))  # type: ignore[union-attr]


def changed(root: State, path: Path, changes: Mapping[str, Fact]) -> State:
    """The tree with entries of an existing path added or replaced."""
    return with_entries(root, path, {**entries(existing(root, path)), **changes})


def existing(root: State, path: Path) -> Node:
    """The node at a path that is known to exist."""
    node = locate(root, path)
    assert not isinstance(node, Absence)
    return node


def said(value: Any, kind: str, name: str) -> Fact:
    """A fact of a returned value of a kind; None where the value is something else."""
    return value.get(name) if getattr(value, "kind", None) == kind else None
