"""Which facts of a wrong answer are wrong: their names, what they were and what they were to be.

A returned value of several facts is compared by checks that say yes or no. So each fact is replaced by what it might
have been to be right (the other truth value, what was set of the path, the number of its bytes, another fact of the
same answer), and the contract's best branches are asked again: facts whose replacing makes the answer right are wrong.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fsconform.engine import describe
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation, paths_of, shape
from fsconform.model.core.outcomes import Fact, Facts, Outcome, Returned
from fsconform.model.core.paths import show
from fsconform.model.filesystem.branches import Difference
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import Dir, File, State, locate

SEVERAL = 3
"""So many facts at most are replaced at a time."""

MAX_ASKED = 3000
"""After so many replaced answers the search ends."""

_NUMBERS = (0, 1, 2, 0o777, 0o666)
_TEXTS = ("", "done", "nothing", "raised IOException", "raised UnsupportedOperationException")


@dataclass(frozen=True, slots=True)
class WrongFact:
    """A fact of an answer that is not what it was to be. ``expected`` is empty where several others would be right."""

    name: str
    observed: str
    expected: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """The facts of an answer that are wrong: all of them, or ``either`` the one or the other."""

    facts: tuple[WrongFact, ...] = ()
    either: bool = False

    @property
    def names(self) -> list[str]:
        """The names of the facts, in order."""
        return sorted(one.name for one in self.facts)

    def expected(self) -> str:
        """The facts as they were to be, as a person writes them, such as ``permission 0644``."""
        return self._said(
            [f"{one.name} {one.expected}" if one.expected else f"another {one.name}" for one in self.facts]
        )

    def observed(self) -> str:
        """The facts as they were observed."""
        return self._said([f"{one.name} {one.observed}" for one in self.facts])

    def _said(self, texts: list[str]) -> str:
        return (" or " if self.either else ", ").join(texts)


NOTHING = Wrong()
"""Of an answer that is right, or of which it is not known which facts are wrong."""

Right = Callable[[Mapping[str, Fact]], bool]
"""Whether an answer is right with some facts replaced."""


def wrong_facts(oracle: Oracle, state: State, operation: Operation, outcome: Outcome) -> Wrong:
    """The fewest facts of a returned value that must be others for the contract to expect it.

    Nothing of a value that is expected as it is, and of one that is no facts.
    """
    if not isinstance(outcome, Returned) or not isinstance(outcome.value, Facts):
        return NOTHING
    value = outcome.value
    checks = [branch.check for branch in oracle.situation(state, operation).best if branch.check is not None]

    def right(replaced: Mapping[str, Fact]) -> bool:
        facts = Facts(value.kind, tuple((name, replaced.get(name, fact)) for name, fact in value.items))
        return any(check(state, operation, facts) for check in checks)

    if right({}):
        return NOTHING
    others = {name: _others(fact, value, state, operation) for name, fact in value.items}
    said = describe.difference_of(outcome, state, operation)
    # Of very many facts, as scripts of a stream have, the search would end in vain where the meaning names the one.
    return _searched(value, others, right, said is not None and bool(said.field)) or _as_said(value, said)


def _searched(value: Facts, others: Mapping[str, Sequence[Fact]], right: Right, named: bool) -> Wrong | None:
    """What a search finds; where the operation's meaning has ``named`` a fact, too many pairs are not searched."""
    single: list[WrongFact] = []
    for name, facts in others.items():
        fit = [fact for fact in facts if right({name: fact})]
        if fit:
            expected = describe.fact_text(fit[0], name) if len(fit) == 1 else ""
            single.append(WrongFact(name, describe.fact_text(value.get(name), name), expected))
    if single:
        return Wrong(tuple(single), either=len(single) > 1)
    pairs = sum(len(one) * len(other) for one, other in itertools.combinations(others.values(), 2))
    if named and pairs > MAX_ASKED:
        return None
    for number, replaced in enumerate(_replaced(others)):
        if number > MAX_ASKED:
            break
        if right(replaced):
            return Wrong(
                tuple(
                    WrongFact(name, describe.fact_text(value.get(name), name), describe.fact_text(fact, name))
                    for name, fact in replaced.items()
                )
            )
    return None


def _as_said(value: Facts, difference: Difference | None) -> Wrong:
    """The fact that the operation's meaning names, or the only one that there is."""
    if difference is not None and difference.field:
        observed = describe.fact_text(value.get(difference.field), difference.field)
        return Wrong((WrongFact(difference.field, observed, difference.wanted),))
    if len(value.items) == 1:
        ((name, fact),) = value.items
        return Wrong((WrongFact(name, describe.fact_text(fact, name), ""),))
    return NOTHING


def _replaced(others: Mapping[str, Sequence[Fact]]) -> Iterator[dict[str, Fact]]:
    for number in range(2, SEVERAL + 1):
        for names in itertools.combinations(others, number):
            for facts in itertools.product(*(others[name] for name in names)):
                yield dict(zip(names, facts, strict=True))


def _others(fact: Fact, value: Facts, state: State, operation: Operation) -> list[Fact]:
    """What a fact might be instead, the likeliest first."""
    if isinstance(fact, bool):
        return [not fact]
    told = [one for _, one in value.items if one is not None]
    told += [part for one in told if isinstance(one, tuple) for part in one]
    if isinstance(fact, tuple):
        told += [fact[:index] + fact[index + 1 :] for index in range(len(fact))]
    found: dict[tuple[type, Fact], Fact] = {}
    for one in (*_known(state, operation), *told, *_NUMBERS, *_TEXTS, (), True, False):
        if (type(one) is type(fact) or fact is None) and one != fact:
            found.setdefault((type(one), one), one)
    return list(found.values())


def _known(state: State, operation: Operation) -> Iterator[Fact]:
    """What the model knows that a fact might be: metadata and length of what the operation names, its own arguments."""
    for path in paths_of(operation):
        yield show(path)
        node = locate(state, path)
        if isinstance(node, File | Dir) and node.meta is not None:
            yield from (one for one in node.meta.values() if isinstance(one, bool | int | str))
        if isinstance(node, File):
            yield contents.length(node.content)
    for name, _ in shape(type(operation)):
        argument: Any = getattr(operation, name)
        if isinstance(argument, int | str):
            yield argument


def kind_of(state: State, operation: Operation, outcome: Outcome, wrong: Wrong) -> str:
    """As :func:`describe.kind_of`; where that says no more than which value was wrong, with the names of its facts."""
    kind = describe.kind_of(outcome, state, operation)
    if not isinstance(outcome, Returned) or not isinstance(outcome.value, Facts):
        return kind
    # Which of several facts fit, and which times, hangs on the moment: a signature must not.
    certain = wrong.facts and not wrong.either and describe.TIMES.isdisjoint(wrong.names)
    return f"{kind}: {', '.join(wrong.names)}" if certain and kind == describe.other(outcome.value) else kind


NOT_JUDGED = {
    ("abort", "abortable"): "judged where a stream is aborted, which the store in memory refuses",
    ("abort", "already"): "judged where a stream is aborted, which the store in memory refuses",
    ("acl", "group"): "no sentence says whose a list is",
    ("acl", "owner"): "no sentence says whose a list is",
    ("acl", "sticky"): "no sentence speaks of it",
    ("attributes", "replication"): "stores replicate as they like",
    ("attributes", "snapshotEnabled"): "no sentence speaks of it",
    ("attributes", "symlink"): "no sentence speaks of it",
    ("attributes", "user"): "who asks: owner and group are held against it",
    ("calls by users", "members"): "which users are in a group is the store's to say: outcomes are held against it",
    ("checksum", "algorithm"): "checksums may be of any kind",
    ("checksum", "bytes"): "checksums may be of any kind, and CompareChecksums compares them",
    ("comparison", "entries"): "how many were compared",
    ("full", "acknowledged"): "judged together with what is kept",
    ("full", "by"): "which call met the full disk",
    ("full", "closed"): "judged together with what was acknowledged",
    ("full", "later"): "judged of a stream that was closed without an error",
    ("home", "qualified"): "no sentence asks for it",
    ("locations", "hosts"): "judged of stores that are unaware of where blocks are",
    ("locations", "names"): "judged of stores that are unaware of where blocks are",
    ("locations", "topologies"): "judged of stores that are unaware of where blocks are",
    ("nowhere", "error"): "judged together with the kind of the error",
    ("path", "path"): "a path may lead anywhere",
    ("quota usage", "quota"): "what quotas do is judged, not what is said of them",
    ("quota usage", "spaceConsumed"): "replicas are counted as a store likes",
    ("quota usage", "spaceQuota"): "what quotas do is judged, not what is said of them",
    ("server defaults", "blockSize"): "defaults may be any",
    ("server defaults", "bytesPerChecksum"): "defaults may be any",
    ("server defaults", "fileBufferSize"): "defaults may be any",
    ("server defaults", "replication"): "defaults may be any",
    ("summary", "quota"): "what quotas do is judged, not what is said of them",
    ("summary", "spaceConsumed"): "replicas are counted as a store likes",
    ("summary", "spaceQuota"): "what quotas do is judged, not what is said of them",
    ("sync", "syncable"): "judged of stores that do not support the call",
    ("trash", "plain"): "what the rename is compared with",
}
"""Facts that no answer of the store in memory is wrong by alone, each with the reason, by kind and name."""
