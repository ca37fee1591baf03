"""Capabilities that are claimed and not lived up to: one divergence each, however many calls show it.

A store that says yes to setPermission and forgets it departs wherever a permission is looked at: after setPermission,
after a rename, in statuses and in listings. That is one bug. A call is *without effect* where the same program without
it gives the same answer; whatever departs only because such a call is believed belongs to the capability that the call
is of. So does what departs only because the contract says that the store has the capability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING, Judge
from fsconform.engine.trial import Bench, Trial
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Facts, Outcome, Returned
from fsconform.model.filesystem.branches import keep
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.metadata.acls import ModifyAcl, RemoveAcl, RemoveAclEntries, RemoveDefaultAcl, SetAcl
from fsconform.model.filesystem.metadata.owner import SetOwner
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.metadata.storage_policies import SetStoragePolicy, UnsetStoragePolicy
from fsconform.model.filesystem.metadata.times import SetTimes
from fsconform.model.filesystem.metadata.xattrs import RemoveXAttr, SetXAttr
from fsconform.model.filesystem.options.attributes import SUPPORTS_ACLS, SUPPORTS_STORAGE_POLICIES, SUPPORTS_XATTRS
from fsconform.model.filesystem.options.metadata import SUPPORTS_SETTIMES, SUPPORTS_UNIX_PERMISSIONS
from fsconform.model.filesystem.oracle import Oracle, Situation
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.status.path_capabilities import CLAIMED

SETTERS: Mapping[str, tuple[type[Operation], ...]] = {
    SUPPORTS_UNIX_PERMISSIONS: (SetPermission, SetOwner),
    SUPPORTS_ACLS: (ModifyAcl, RemoveAclEntries, RemoveDefaultAcl, RemoveAcl, SetAcl),
    SUPPORTS_XATTRS: (SetXAttr, RemoveXAttr),
    SUPPORTS_SETTIMES: (SetTimes,),
    SUPPORTS_STORAGE_POLICIES: (SetStoragePolicy, UnsetStoragePolicy),
}
"""The calls that change what a capability is about, by the option that tells of it."""

CAPABILITIES = CLAIMED | set(SETTERS)
"""The options that tell of a capability."""

_MOMENTARY = frozenset(("modified", "accessed"))
"""What is another in each execution."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A divergence with the trial of its minimal program."""

    finding: Finding
    program: Program
    trial: Trial


@dataclass(frozen=True, slots=True)
class Claim:
    """The option of a capability that is claimed, and the calls by which it is not lived up to."""

    option: str
    calls: tuple[str, ...]


class DoubtingOracle(Oracle):
    """An oracle that does not believe some calls: they may return what they like and change nothing."""

    def __init__(self, contract: Contract, without_effect: frozenset[type]) -> None:
        self._without = without_effect
        super().__init__(contract)

    def _row(self, operation: type, mask: int) -> Situation:
        row = super()._row(operation, mask)
        if operation in self._without:
            branches = tuple(one if one.raises else replace(one, effect=keep) for one in row.branches)
            row = self._tables[operation][1][mask] = Situation(mask, row.cases, branches, self.contract, row.of_streams)
        return row


def claims(bench: Bench, contract: Contract, shown: Sequence[Shown]) -> dict[str, Claim]:
    """By the signatures of divergences the capability that was claimed, and the calls that do not live up to it.

    ``contract`` is the one that they were judged by. Programs are executed anew without the calls in question. Raises
    StoreLost.
    """
    failing = [one for one in shown if one.finding.verdict in FAILING]
    found: dict[str, Claim] = {}
    for one in failing:
        option = _declared(one.finding)
        if option:
            found[one.finding.signature] = Claim(option, (one.finding.operation,))
    for option, setters in SETTERS.items():
        if contract.value(option) is True:
            without = frozenset(kind for kind in setters if _is_without_effect(bench, kind, failing))
            for one in _because_of(contract, without, failing):
                calls = tuple(step.operation.NAME for step in one.program if type(step.operation) in without)
                found.setdefault(one.finding.signature, Claim(option, calls))
    return found


def in_words(claims: Sequence[Claim]) -> str:
    """What is to say of claims of one capability."""
    calls = sorted({call for one in claims for call in one.calls})
    return f"{claims[0].option} is claimed and not lived up to by {', '.join(calls)}"


def _declared(finding: Finding) -> str:
    """The capability that a contract claims, where a store without it would be allowed to do the same."""
    changes = finding.changes[0] if finding.changes else ()
    if finding.verdict == "violation" or len(changes) != 1:
        return ""
    name, value = changes[0]
    return name if name in CAPABILITIES and value is False else ""


def _is_without_effect(bench: Bench, kind: type[Operation], failing: Sequence[Shown]) -> bool:
    """True if divergences show right after a call of that kind, and each of them without the call as well."""
    after = [one for one in failing if one.finding.after.startswith(f"{kind.NAME} (")]
    return bool(after) and all(_is_same_without(bench, kind, one) for one in after)


def _is_same_without(bench: Bench, kind: type, shown: Shown) -> bool:
    left = tuple(step for step in shown.program if not isinstance(step.operation, kind))
    at = shown.finding.noticed - sum(
        isinstance(step.operation, kind) for step in shown.program[: shown.finding.noticed]
    )
    if not left or shown.finding.noticed >= len(shown.trial.execution.trace.events):
        return False
    (trial,) = bench.try_all([left])
    events = trial.execution.trace.events
    return at < len(events) and _answer(events[at].outcome) == _answer(
        shown.trial.execution.trace.events[shown.finding.noticed].outcome
    )


def _answer(outcome: Outcome) -> object:
    if isinstance(outcome, Returned) and isinstance(outcome.value, Facts):
        return outcome.value.kind, tuple(item for item in outcome.value.items if item[0] not in _MOMENTARY)
    return outcome


def _because_of(contract: Contract, without: frozenset[type], failing: Sequence[Shown]) -> list[Shown]:
    """The divergences of programs with calls without effect that are none once these calls are not believed."""
    if not without:
        return []
    judge = Judge(DoubtingOracle(contract, without))
    concerned = [one for one in failing if any(type(step.operation) in without for step in one.program)]
    return [
        one
        for one in concerned
        if not any(each.verdict in FAILING for each in judge.judge(one.trial.execution.trace).findings)
    ]
