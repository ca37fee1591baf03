"""Findings: where a trace departs from the specification, and the signature that makes one bug one finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from fsconform.engine import describe
from fsconform.model.core.operation import Operation
from fsconform.model.core.option import Literal
from fsconform.model.core.outcomes import NotExpressible, Outcome
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import Branch, Case
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.writers import touched
from fsconform.model.filesystem.programs import Trace
from fsconform.model.filesystem.state import State

Verdict = Choice[
    "conforms", "declared", "declared-false", "undeclared", "violation", "deviation", "waived", "inconclusive"
]


@dataclass(frozen=True, slots=True)
class Finding:
    """One departure. ``step`` is the step that departs, ``noticed`` the step that showed it, both numbered from 0.

    ``roles`` are the cases the departing call met; ``changes`` all smallest sets of option values that would allow it;
    ``first`` is false if an earlier departure of the same trace may be the cause. ``quirk`` is the id of the known bug
    that it is, with the verdict ``waived``; ``impact`` says what it does to a user (see model.quirks).
    """

    signature: str
    verdict: Verdict
    clause: str
    level: str
    step: int
    noticed: int
    operation: str
    roles: frozenset[str]
    observed_kind: str
    after: str
    expected: str
    observed: str
    changes: tuple[tuple[Literal, ...], ...] = ()
    first: bool = True
    message: str = ""
    stack: str = ""
    impact: str = ""
    """What it means for who uses the store: one of ``records.results.IMPACTS``; empty if it was not derived."""
    quirk: str = ""
    """The id of the known bug of the store that explains it; empty if none does."""
    precondition: str = ""
    """The clause by which a call was refused that yet changed something; empty where none was."""


def signature(operation: str, roles: frozenset[str] | tuple[str, ...], kind: str, after: str, harm: str = "") -> str:
    """The text by which one bug is one finding: no name and no size of the program stands in it.

    ``harm`` is the impact on data that a look at the store showed: with it a bug is another one than without.
    """
    where = "; ".join(sorted(roles))
    return f"{operation} ({where}) {kind}" + (f", {harm}" if harm else "") + (f" after {after}" if after else "")


def case_of(cases: tuple[Case, ...], branch: Branch) -> str:
    """The name of the case that a branch belongs to."""
    for case in cases:
        if case.clause == branch.clause or any(own.clause == branch.clause for own in case.branches):
            return case.name
    return cases[-1].name


def culprit_before(trace: Trace, states: list[State], index: int) -> int | None:
    """The last state-changing call before a query that could have made it wrong, if there is one.

    A call that is not expressible was not made. ``states`` holds the state before each step that was judged.
    """
    watched = touched(states[index], trace.program[index].operation)
    last = None
    for number in range(min(index, len(states)) - 1, -1, -1):
        operation = trace.program[number].operation
        if not operation.MUTATES or type(trace.events[number].outcome) is NotExpressible:
            continue
        if any(_related(path, other) for path in watched for other in touched(states[number], operation)):
            return number
        last = number if last is None else last
    return last


_FORM = ("block size", "repeated entries", "another path", "directory with a length", "unknown", "null")


def tells_of_state(kind: str) -> bool:
    """True if a query's wrong answer tells of another state, not of a wrong form of the right one."""
    return not any(form in kind for form in _FORM)


_ATTRIBUTES = tuple(f"another {one} than was set" for one in ("permission", "owner", "group"))


def tells_of_attributes(kind: str) -> bool:
    """True if a query shows another permission, owner or group than was set before."""
    return any(words in kind for words in _ATTRIBUTES)


def roles(oracle: Oracle, state: State, operation: Operation) -> str:
    """The cases an operation meets in a state, in words."""
    return "; ".join(sorted(case.name for case in oracle.situation(state, operation).cases))


def _related(path: Path, other: Path) -> bool:
    return path == other or is_ancestor(path, other) or is_ancestor(other, path)


def expectation(oracle: Oracle, state: State, operation: Operation) -> str:
    """What the contract expects of an operation in a state, in words."""
    words = []
    for branch in oracle.situation(state, operation).best:
        text = (describe.expected_value(state, operation) if branch.check is not None else "") or branch.expected
        if text not in words:
            words.append(text)
    return " or ".join(words)


def observed_text(outcome: Outcome) -> str:
    """What was observed, in words."""
    return describe.observed(outcome)
