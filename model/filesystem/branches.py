"""What an operation means: cases of the state it meets, each with the branches the specification gives it.

A branch is (clause, level, condition on options, outcome pattern, next state). A case is a precondition that fails or
the postcondition that applies. Where several preconditions fail at once the documents give no order, so any of their
errors is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fsconform.model.core.errors import FULL_NAMES
from fsconform.model.core.option import Literal as OptionLiteral
from fsconform.model.core.outcomes import Garbled, Outcome, Raised, Returned
from fsconform.model.filesystem.options.core import ACCEPTS_INVALID_PATHS, REFUSES_PATHS_BELOW_FILES
from fsconform.model.filesystem.state import State

Level = Literal["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "UNDEFINED"]
Effect = Callable[[State, Any], State | None]
"""From the state and the operation to the next state; None where the model can't represent what comes next."""
Check = Callable[[State, Any, Any], bool]
"""From the state, the operation and the returned value to whether that value is right."""

Kept = Callable[[State, Any, object], tuple[str, ...]]
"""From the state, the operation and the returned value to the clauses that it keeps."""

ANY = object()
"""As the value of a returning branch: whatever was returned."""


def keep(root: State, _operation: Any) -> State:
    """FS' = FS."""
    return root


def lost(_root: State, _operation: Any) -> None:
    """What comes next has no place in the specification's model; judging ends."""
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """One allowed behaviour.

    ``raises`` is the fully qualified class that the error must be or extend; otherwise the call returns ``value``, or
    anything that ``check`` accepts. ``departs`` marks behaviour that the documents do not allow and an option declares;
    ``deviates`` behaviour that breaks a SHOULD. ``expected`` is how a reader is told of the branch. ``also`` are
    further clauses that behaviour of this branch keeps; where there is ``kept`` it says which of them.
    """

    clause: str
    level: Level
    expected: str
    effect: Effect = keep
    raises: str = ""
    value: object = None
    check: Check | None = None
    when: tuple[OptionLiteral, ...] = ()
    departs: bool = False
    deviates: bool = False
    also: tuple[str, ...] = ()
    kept: Kept | None = None

    @property
    def fails(self) -> bool:
        """True for the behaviours of a call that is refused: it leaves the state alone."""
        return self.effect is keep

    def matches(self, outcome: Outcome) -> bool:
        """True if the outcome fits the pattern; a value that needs ``check`` fits by its type."""
        if isinstance(outcome, Raised):
            return bool(self.raises) and self.raises in outcome.classes
        if not isinstance(outcome, Returned) or self.raises:
            return False
        if self.check is not None:
            return not isinstance(outcome.value, bool | Garbled) and outcome.value is not None
        return self.value is ANY or outcome.value is self.value


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A failed precondition, or a postcondition, and what is allowed then. ``clause`` is the one judged by default.

    ``unchanged`` is the clause, a MUST, that promises of a call which is not refused that it changes nothing.
    """

    name: str
    clause: str
    branches: tuple[Branch, ...]
    unchanged: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """What is wrong with a value: the clause it breaks, and words that hold neither names nor sizes.

    ``field`` is the name of the fact that is wrong, where the value is facts, and ``wanted`` what it was to be, as a
    person writes it; both are empty where they are not known.
    """

    clause: str
    level: Level
    words: str
    field: str = ""
    wanted: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """An operation's meaning. ``classify`` gives the cases that apply as a bit mask over ``cases``.

    ``differs`` says of a returned value that no branch allows what is wrong with it, where it can say so. What a
    ``derived`` query gets wrong is its own fault: the queries of the core, which probes ask, tell of the state.
    """

    operation: type
    cases: tuple[Case, ...]
    classify: Callable[[State, Any], int]
    differs: Callable[[State, Any, Any], Difference | None] | None = None
    derived: bool = False
    clauses: Mapping[str, tuple[str, Level]] = field(default_factory=dict)
    """Of facts that have a clause of their own, that clause with its level, by the fact's name."""

    def met(self, root: State, operation: Any) -> tuple[Case, ...]:
        """The cases that apply."""
        mask = self.classify(root, operation)
        return tuple(case for bit, case in enumerate(self.cases) if mask >> bit & 1)


MEANINGS: dict[type, Meaning] = {}
"""The meaning of each operation, entered where it is declared by :func:`meaning`."""


class Cases:
    """The cases of one operation, in the order of the specification's headings; each gets the next free bit.

    A module declares them one after another and keeps the bits under names, by which ``classify`` says which are met:

        MET = Cases(*COMMON_CASES)
        FILE = MET.case("file", CLAUSE, BRANCHES)
    """

    def __init__(self, *first: Case) -> None:
        self._cases = list(first)

    def case(self, name: str, clause: str, branches: tuple[Branch, ...], unchanged: str = "") -> int:
        """Declare the next case; its bit."""
        return self.add(Case(name, clause, branches, unchanged))

    def add(self, case: Case) -> int:
        """Declare a case that several operations share as the next one; its bit."""
        self._cases.append(case)
        return 1 << len(self._cases) - 1

    @property
    def all(self) -> tuple[Case, ...]:
        """The cases in the order of their bits."""
        return tuple(self._cases)


def meaning(
    operation: type,
    cases: Cases,
    *,
    differs: Callable[[State, Any, Any], Difference | None] | None = None,
    derived: bool = False,
    clauses: Mapping[str, tuple[str, Level]] | None = None,
) -> Callable[[Callable[[State, Any], int]], Meaning]:
    """Enter the meaning of an operation by the function that says which of its cases are met. A decorator.

    The arguments are those of :class:`Meaning`. Raises ValueError for an operation that has one already.
    """

    def enter(classify: Callable[[State, Any], int]) -> Meaning:
        made = Meaning(operation, cases.all, classify, differs, derived, clauses or {})
        if MEANINGS.setdefault(operation, made) is not made:
            raise ValueError(f"two meanings of {operation.__name__}")
        return made

    return enter


def raises(
    clause: str,
    error: str,
    *when: OptionLiteral,
    level: Level = "MUST",
    departs: bool = False,
    deviates: bool = False,
) -> Branch:
    """A branch that raises an error the documents name, and changes nothing."""
    return Branch(
        clause,
        level,
        f"raise {error}",
        raises=FULL_NAMES[error],
        when=when,
        departs=departs,
        deviates=deviates,
    )


def returns(
    clause: str,
    value: object,
    *when: OptionLiteral,
    effect: Effect = keep,
    level: Level = "MUST",
    departs: bool = False,
    deviates: bool = False,
    expected: str = "",
    also: tuple[str, ...] = (),
) -> Branch:
    """A branch that returns a constant, or anything for ``ANY``."""
    words = "return anything" if value is ANY else "succeed" if value is None else f"return {str(value).lower()}"
    return Branch(clause, level, expected or words, effect, "", value, None, when, departs, deviates, also)


def gives(
    clause: str,
    expected: str,
    check: Check,
    *when: OptionLiteral,
    level: Level = "MUST",
    departs: bool = False,
    deviates: bool = False,
    also: tuple[str, ...] = (),
    effect: Effect = keep,
) -> Branch:
    """A branch that returns a value which ``check`` accepts, and changes nothing unless there is an ``effect``."""
    return Branch(clause, level, expected, effect, "", None, check, when, departs, deviates, also)


VALID_PATHS = "model.paths.valid-elements"
REFUSED_CLAUSE = "filesystem.refused-changes-nothing"
RENAMED_ATTRIBUTES = "filesystem.rename.post.attributes"
"""Permission, owner and group of what was renamed: no sentence keeps them."""
RUNTIME_CLAUSE = "introduction.failures.no-runtime-exception"


def runtime_instead(branches: tuple[Branch, ...]) -> tuple[Branch, ...]:
    """A refused call may raise a RuntimeException, but SHOULD NOT: added to the branches of a failed precondition."""
    return (*branches, raises(RUNTIME_CLAUSE, "RuntimeException", level="SHOULD NOT", deviates=True))


def below_a_file(clause: str) -> Case:
    """What a store may declare of paths that have a file for an ancestor; it applies beside "missing"."""
    return Case(
        "below a file", clause, (raises(clause, "IOException", (REFUSES_PATHS_BELOW_FILES, True), departs=True),)
    )


def if_accepted(branch: Branch) -> Branch:
    """The branch as it applies to a path the specification forbids: only where a store declares to accept those."""
    return replace(
        branch, clause=VALID_PATHS, level="MUST NOT", when=(*branch.when, (ACCEPTS_INVALID_PATHS, True)), departs=True
    )
