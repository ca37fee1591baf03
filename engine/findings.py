"""Findings: where a trace departs from the specification, and the signature that makes one bug one finding."""

from __future__ import annotations

from dataclasses import dataclass

from fsconform.engine import describe, subject
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import NotExpressible, Outcome
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.branches import Branch, Case
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.output.writers import touched
from fsconform.model.filesystem.programs import Trace
from fsconform.model.filesystem.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(subject.Finding):
    """One departure of a filesystem. ``noticed`` is the step that showed it.

    ``roles`` are the cases the departing call met; ``first`` is false if an earlier departure of the same trace may be
    the cause. A ``quirk`` has the verdict ``waived``; ``model.quirks`` says of ``impact`` what it does to a user.
    """

    noticed: int
    roles: frozenset[str]
    observed_kind: str
    after: str
    first: bool = True

    @property
    def waivable(self) -> bool:
        """Whether a waiver may accept it: it fails the gate, or is of a call that did not return."""
        return self.failing or self.observed_kind == describe.NO_RETURN


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
