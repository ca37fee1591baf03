"""Storage policies: setStoragePolicy, unsetStoragePolicy, getStoragePolicy.

The specification has no section on them. Source: introduction.md, "Operations and failures", for calls that are not
implemented; the Javadoc of FileSystem; where it is silent, HDFS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fsconform.model.core.drawing import Draft, drawn, drawn_plainly
from fsconform.model.core.operation import Operation, operation
from fsconform.model.core.paths import Path
from fsconform.model.filesystem.branches import Branch, Cases, Difference, Level, gives, lost, meaning, raises, returns
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
from fsconform.model.filesystem.options.attributes import (
    SUPPORTS_STORAGE_POLICIES,
)
from fsconform.model.filesystem.state import Absence, State, locate
from fsconform.model.filesystem.validity import COMMON_CASES, bits

if TYPE_CHECKING:
    from random import Random

_EXISTS = "filesystem.storage-policies.pre.exists"
_SET, _UNSET, _GET = "filesystem.setStoragePolicy", "filesystem.unsetStoragePolicy", "filesystem.getStoragePolicy"
_KNOWN = f"{_SET}.pre.known"
_YES = (SUPPORTS_STORAGE_POLICIES, True)

SURE_POLICIES = frozenset(("HOT", "WARM", "COLD", "ONE_SSD", "ALL_SSD"))
"""HDFS's policies that any path can have at any time."""
FILE_POLICIES = frozenset(("LAZY_PERSIST", "PROVIDED", "ALL_NVDIMM"))
"""HDFS's policies that bear on new files only, or that older stores lack."""

POLICIES = ("HOT", "WARM", "ONE_SSD", "ALL_SSD", "NONE_SUCH")
"""Those that are drawn. COLD is not among them: a store without archive disks can then write no file."""


@operation
@dataclass(frozen=True, slots=True)
class SetStoragePolicy(Operation):
    """``setStoragePolicy(path, policy)``."""

    NAME: ClassVar[str] = "setStoragePolicy"
    MUTATES: ClassVar[bool] = True
    path: Path
    policy: str


@operation
@dataclass(frozen=True, slots=True)
class UnsetStoragePolicy(Operation):
    """``unsetStoragePolicy(path)``."""

    NAME: ClassVar[str] = "unsetStoragePolicy"
    MUTATES: ClassVar[bool] = True
    path: Path


@operation
@dataclass(frozen=True, slots=True)
class GetStoragePolicy(Operation):
    """``getStoragePolicy(path)``. Returns facts ``storage policy`` with ``name``."""

    NAME: ClassVar[str] = "getStoragePolicy"
    path: Path


def _have_policy(root: State, op: SetStoragePolicy) -> State:
    """The path has the policy."""
    return changed(root, op.path, {POLICY: op.policy.upper()})


def _have_none(root: State, op: UnsetStoragePolicy) -> State:
    """The path has no policy of its own."""
    return changed(root, op.path, {POLICY: None})


_TO_SET = Cases(*COMMON_CASES, *absent(_EXISTS, SUPPORTS_STORAGE_POLICIES))
_SURE = _TO_SET.case(
    "a policy",
    f"{_SET}.post",
    (returns(f"{_SET}.post", None, _YES, effect=_have_policy), unsupported(SUPPORTS_STORAGE_POLICIES)),
)
_UNSURE = _TO_SET.case(
    "a policy that a store may lack or refuse",
    _KNOWN,
    (
        returns(_KNOWN, None, _YES, effect=_have_policy, level="SHOULD"),
        raises(_KNOWN, "IllegalArgumentException", level="SHOULD"),
        *refused(_KNOWN, "IOException", SUPPORTS_STORAGE_POLICIES),
    ),
)
_NO_POLICY = _TO_SET.case(
    "no policy",
    _KNOWN,
    (
        raises(_KNOWN, "IllegalArgumentException", level="SHOULD"),
        *refused(_KNOWN, "IOException", SUPPORTS_STORAGE_POLICIES),
        returns(_KNOWN, None, _YES, effect=lost, level="SHOULD", deviates=True),
    ),
)


@meaning(SetStoragePolicy, _TO_SET)
def _classify_set(root: State, op: SetStoragePolicy) -> int:
    node, name = locate(root, op.path), op.policy.upper()
    case = _SURE if name in SURE_POLICIES else _UNSURE if name in FILE_POLICIES else _NO_POLICY
    if isinstance(node, Absence):
        return absence(op.path, node) | (0 if case == _SURE else case)
    return bits(op.path, node) | case


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


_UNSETTING = (returns(f"{_UNSET}.post", None, _YES, effect=_have_none), unsupported(SUPPORTS_STORAGE_POLICIES))

_TO_UNSET = Cases(*COMMON_CASES, *absent(_EXISTS, SUPPORTS_STORAGE_POLICIES))
_WITHOUT = _TO_UNSET.case("without a policy that was set", f"{_UNSET}.post", _UNSETTING)
_WITH_OWN = _TO_UNSET.case("with a policy of its own", f"{_UNSET}.post", _UNSETTING)
_WITH_INHERITED = _TO_UNSET.case("with a policy of an ancestor", f"{_UNSET}.post", _UNSETTING)


@meaning(UnsetStoragePolicy, _TO_UNSET)
def _classify_unset(root: State, op: UnsetStoragePolicy) -> int:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return absence(op.path, node)
    effective = _effective(root, op.path)
    return bits(op.path, node) | (_WITHOUT if effective is None else _WITH_OWN if effective[1] else _WITH_INHERITED)


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
        return Difference(f"{_GET}.post", "MUST", "no policy")
    if effective is None or _policy(value) == effective[0]:
        return None
    if effective[1]:
        return Difference(f"{_GET}.post", "MUST", "another policy than was set", "name", effective[0])
    return Difference(f"{_GET}.inherited", "SHOULD", "another policy than an ancestor's", "name", effective[0])


def _policy_given(clause: str, expected: str, *more: Branch) -> tuple[Branch, ...]:
    level: Level = "MUST" if clause.endswith("post") else "SHOULD"
    return (gives(clause, expected, _right_policy, level=level), unsupported(SUPPORTS_STORAGE_POLICIES), *more)


_TO_GET = Cases(*COMMON_CASES, *absent(_EXISTS, SUPPORTS_STORAGE_POLICIES))
_OF_NONE = _TO_GET.case("without a policy that was set", f"{_GET}.post", _policy_given(f"{_GET}.post", "some policy"))
_OWN = _TO_GET.case(
    "with a policy of its own", f"{_GET}.post", _policy_given(f"{_GET}.post", "the policy that was set")
)
_INHERITED = _TO_GET.case(
    "with a policy of an ancestor",
    f"{_GET}.inherited",
    _policy_given(
        f"{_GET}.inherited",
        "the policy of the nearest ancestor that has one",
        gives(f"{_GET}.inherited", "a policy", _any_policy, _YES, level="SHOULD", deviates=True),
    ),
)


@meaning(GetStoragePolicy, _TO_GET, differs=_differs_policy)
def _classify_get(root: State, op: GetStoragePolicy) -> int:
    node = locate(root, op.path)
    if isinstance(node, Absence):
        return absence(op.path, node)
    effective = _effective(root, op.path)
    return bits(op.path, node) | (_OF_NONE if effective is None else _OWN if effective[1] else _INHERITED)


@drawn(SetStoragePolicy)
def _draw(_draft: Draft, dice: Random, path: Path) -> SetStoragePolicy:
    return SetStoragePolicy(path, dice.choice(POLICIES))


drawn_plainly(UnsetStoragePolicy, GetStoragePolicy)
