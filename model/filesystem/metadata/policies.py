"""Storage policies and symbolic links.

The specification has no section on the calls. Source: introduction.md, "Operations and failures", for calls that are
not implemented; the Javadoc of FileSystem and FileContext; where these are silent, HDFS.
"""

from __future__ import annotations

from typing import Any

from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Case, Difference, Meaning, gives, lost, raises, returns
from fsconform.model.filesystem.metadata.attribute_entries import (
    POLICY,
    absence,
    absent,
    changed,
    entries,
    refused,
    said,
    unsupported,
)
from fsconform.model.filesystem.operations.attributes import (
    GetStoragePolicy,
    SetStoragePolicy,
    UnsetStoragePolicy,
)
from fsconform.model.filesystem.options.attributes import (
    SUPPORTS_STORAGE_POLICIES,
)
from fsconform.model.filesystem.state import Absence, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

_POLICY_EXISTS = "filesystem.storage-policies.pre.exists"
_SET_POLICY, _UNSET_POLICY = "filesystem.setStoragePolicy", "filesystem.unsetStoragePolicy"
_GET_POLICY = "filesystem.getStoragePolicy"
_YES = (SUPPORTS_STORAGE_POLICIES, True)

SURE_POLICIES = frozenset(("HOT", "WARM", "COLD", "ONE_SSD", "ALL_SSD"))
"""HDFS's policies that any path can have at any time."""
FILE_POLICIES = frozenset(("LAZY_PERSIST", "PROVIDED", "ALL_NVDIMM"))
"""HDFS's policies that bear on new files only, or that older stores lack."""


def _have_policy(root: State, op: SetStoragePolicy) -> State:
    """The path has the policy."""
    return changed(root, op.path, {POLICY: op.policy.upper()})


def _have_none(root: State, op: UnsetStoragePolicy) -> State:
    """The path has no policy of its own."""
    return changed(root, op.path, {POLICY: None})


def _classify_set_policy(root: State, op: SetStoragePolicy) -> int:
    node, name = locate(root, op.path), op.policy.upper()
    case = 16 if name in SURE_POLICIES else 32 if name in FILE_POLICIES else 64
    if isinstance(node, Absence):
        return absence(op.path, node) | (0 if case == 16 else case)
    return bits(op.path, node) | case


_UNKNOWN_POLICY = f"{_SET_POLICY}.pre.known"

SET_STORAGE_POLICY = Meaning(
    SetStoragePolicy,
    (
        *COMMON_CASES,
        *absent(_POLICY_EXISTS, SUPPORTS_STORAGE_POLICIES),
        Case(
            "a policy",
            f"{_SET_POLICY}.post",
            (
                returns(f"{_SET_POLICY}.post", None, _YES, effect=_have_policy),
                unsupported(SUPPORTS_STORAGE_POLICIES),
            ),
        ),
        Case(
            "a policy that a store may lack or refuse",
            _UNKNOWN_POLICY,
            (
                returns(_UNKNOWN_POLICY, None, _YES, effect=_have_policy, level="SHOULD"),
                raises(_UNKNOWN_POLICY, "IllegalArgumentException", level="SHOULD"),
                *refused(_UNKNOWN_POLICY, "IOException", SUPPORTS_STORAGE_POLICIES),
            ),
        ),
        Case(
            "no policy",
            _UNKNOWN_POLICY,
            (
                raises(_UNKNOWN_POLICY, "IllegalArgumentException", level="SHOULD"),
                *refused(_UNKNOWN_POLICY, "IOException", SUPPORTS_STORAGE_POLICIES),
                returns(_UNKNOWN_POLICY, None, _YES, effect=lost, level="SHOULD", deviates=True),
            ),
        ),
    ),
    _classify_set_policy,
)


def _effective(root: State, path: Path) -> tuple[str, bool] | None:
    """The policy of an existing path, and whether it is its own; None where nothing is known."""
    node: Any = root.tree
    chain = [node]
    for name in path:
        node = node.children[name]
        chain.append(node)
    for depth in range(len(chain) - 1, -1, -1):
        policy = entries(chain[depth]).get(POLICY)
        if isinstance(policy, str):
            return policy, depth == len(path)
    return None


def _classify_policy(root: State, op: UnsetStoragePolicy | GetStoragePolicy) -> int:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return absence(op.path, node)
    effective = _effective(root, op.path)
    return bits(op.path, node) | (16 if effective is None else 32 if effective[1] else 64)


_UNSET = (
    returns(f"{_UNSET_POLICY}.post", None, _YES, effect=_have_none),
    unsupported(SUPPORTS_STORAGE_POLICIES),
)

UNSET_STORAGE_POLICY = Meaning(
    UnsetStoragePolicy,
    (
        *COMMON_CASES,
        *absent(_POLICY_EXISTS, SUPPORTS_STORAGE_POLICIES),
        Case("without a policy that was set", f"{_UNSET_POLICY}.post", _UNSET),
        Case("with a policy of its own", f"{_UNSET_POLICY}.post", _UNSET),
        Case("with a policy of an ancestor", f"{_UNSET_POLICY}.post", _UNSET),
    ),
    _classify_policy,
)


def _policy(value: Any) -> str:
    name = said(value, "storage policy", "name")
    return name.upper() if isinstance(name, str) else ""


def _right_policy(root: State, op: GetStoragePolicy, value: Any) -> bool:
    effective = _effective(root, op.path)
    return bool(_policy(value)) and (effective is None or _policy(value) == effective[0])


def _any_policy(_root: State, _op: GetStoragePolicy, value: Any) -> bool:
    return bool(_policy(value))


def _differs_policy(root: State, op: GetStoragePolicy, value: Any) -> Difference | None:
    if isinstance(locate(root, op.path), Absence):
        return None
    effective = _effective(root, op.path)
    if not _policy(value):
        return Difference(f"{_GET_POLICY}.post", "MUST", "no policy")
    if effective is None or _policy(value) == effective[0]:
        return None
    if effective[1]:
        return Difference(f"{_GET_POLICY}.post", "MUST", "another policy than was set", "name", effective[0])
    return Difference(f"{_GET_POLICY}.inherited", "SHOULD", "another policy than an ancestor's", "name", effective[0])


def _policy_given(clause: str, expected: str, *more: Branch) -> tuple[Branch, ...]:
    level: Any = "MUST" if clause.endswith("post") else "SHOULD"
    return (gives(clause, expected, _right_policy, level=level), unsupported(SUPPORTS_STORAGE_POLICIES), *more)


GET_STORAGE_POLICY = Meaning(
    GetStoragePolicy,
    (
        *COMMON_CASES,
        *absent(_POLICY_EXISTS, SUPPORTS_STORAGE_POLICIES),
        Case(
            "without a policy that was set", f"{_GET_POLICY}.post", _policy_given(f"{_GET_POLICY}.post", "some policy")
        ),
        Case(
            "with a policy of its own",
            f"{_GET_POLICY}.post",
            _policy_given(f"{_GET_POLICY}.post", "the policy that was set"),
        ),
        Case(
            "with a policy of an ancestor",
            f"{_GET_POLICY}.inherited",
            _policy_given(
                f"{_GET_POLICY}.inherited",
                "the policy of the nearest ancestor that has one",
                gives(f"{_GET_POLICY}.inherited", "a policy", _any_policy, _YES, level="SHOULD", deviates=True),
            ),
        ),
    ),
    _classify_policy,
    _differs_policy,
)


MEANINGS: tuple[Meaning, ...] = (
    SET_STORAGE_POLICY,
    UNSET_STORAGE_POLICY,
    GET_STORAGE_POLICY,
)
