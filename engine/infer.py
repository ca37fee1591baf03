"""From what was observed of a store to the contract that explains it.

Each clue is a disjunction of conjunctions of option values. All clues together are a formula, of which a SAT solver
says for each option whether it is forced, free, or in conflict. Clues that can't all hold are told by the smallest set
of them that can't. Of the contracts that explain everything one is taken that changes as few of the preferred values as
possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import Any
from typing import Literal as Choice

from fsconform.engine.observe import Clue
from fsconform.model.core.option import Literal
from fsconform.model.filesystem.branches import MEANINGS
from fsconform.model.filesystem.contract import OPTIONS
from fsconform.model.filesystem.options.core import ACCEPTS_INVALID_PATHS
from fsconform.model.filesystem.programs import Program

Status = Choice["observed", "not used", "chosen", "unobserved", "conflict"]
"""``observed``: no other value explains the store. ``not used``: the store had the occasion to use a value that only
permits, and did not. ``chosen``: one of several ways to explain it. ``conflict``: programs show both values."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A program that decides an option, with the clause; ``times`` counts the programs that say the same.

    ``seen`` says of a race in how many of its runs it was seen.
    """

    program: Program
    clause: str
    named: str = ""
    times: int = 1
    seen: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the clues say of one option; the value of an unobserved one is the preferred one."""

    option: str
    value: bool
    status: Status
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Programs that no contract allows together, each with the option values under one of which it would be allowed."""

    options: tuple[str, ...]
    programs: tuple[tuple[Evidence, tuple[tuple[Literal, ...], ...]], ...]


@dataclass(frozen=True, slots=True)
class Inference:
    """Every option that judging depends on, and the conflicts."""

    decisions: Mapping[str, Decision]
    conflicts: tuple[Conflict, ...] = field(default=())

    @property
    def values(self) -> dict[str, bool]:
        """The values that were decided, or chosen, by option."""
        return {name: one.value for name, one in self.decisions.items() if one.status != "unobserved"}


@cache
def judged() -> tuple[str, ...]:
    """The options that judging depends on, in the order of the vocabulary."""
    return tuple(one.name for one in OPTIONS.values() if one.kind != "informs" and isinstance(one.default, bool))


@cache
def permitting() -> Mapping[str, bool]:
    """The options of which one value permits more than the other asks for, each with that value.

    They are those that are said to permit, and those of which no other value is ever asked for.
    """
    asked: dict[str, set[bool]] = {ACCEPTS_INVALID_PATHS: {True}}
    for meaning in MEANINGS.values():
        for case in meaning.cases:
            for branch in case.branches:
                for name, value in branch.when:
                    asked.setdefault(name, set()).add(value)
    one_sided = {name: next(iter(values)) for name, values in asked.items() if len(values) == 1}
    return one_sided | {name: True for name in judged() if OPTIONS[name].kind == "permits"}


def infer(
    clues: Iterable[Clue], preferred: Mapping[str, bool] | None = None, occasions: Mapping[str, Evidence] | None = None
) -> Inference:
    """The contract that explains all clues.

    ``preferred`` are values for what nothing decides, by default Hadoop's. ``occasions`` names, for options, a program
    in which the store could have used the value that permits.
    """
    wanted = {name: OPTIONS[name].default is True for name in judged()} | dict(preferred or {})
    every = sorted(clues, key=lambda one: one.weight)
    # What fewer programs show gives way, so that the rest still says something.
    held = _Formula(every).most_explained()
    conflicts = []
    torn: dict[str, Conflict] = {}
    for one in every:
        if not any(one is other for other in held):
            conflict = _conflict(_Formula([*held, one]).core())
            conflicts.append(conflict)
            torn |= dict.fromkeys(conflict.options, conflict)
    formula = _Formula(held)
    chosen = formula.closest(wanted)
    forced = {(name, value) for name, value in chosen.items() if not formula.allows(name, not value)}
    left = _left_open(held, forced)
    decisions = {}
    for name, default in wanted.items():
        value, occasion = chosen[name], (occasions or {}).get(name)
        asking = [one for one in left if any(name == asked for way in one.ways for asked, _ in way.needs)]
        if name in torn:
            decision = Decision(name, value, "conflict", tuple(evidence for evidence, _ in torn[name].programs))
        elif (name, value) in forced:
            against = formula.against(name, value)
            decision = Decision(name, value, "observed", tuple(_evidence(one, (name, value)) for one in against))
        elif not asking and occasion is not None and name in permitting():
            decision = Decision(name, not permitting()[name], "not used", (occasion,))
        elif value is not default:
            decision = Decision(name, value, "chosen", tuple(_evidence(one, (name, value)) for one in asking[:1]))
        else:
            decision = Decision(name, default, "unobserved")
        decisions[name] = decision
    return Inference(decisions, tuple(conflicts))


def _left_open(clues: Sequence[Clue], forced: Collection[Literal]) -> list[Clue]:
    """The clues that what is forced does not settle, with the ways that it leaves open."""
    against = {(name, not value) for name, value in forced}
    found = []
    for clue in clues:
        ways = tuple(way for way in clue.ways if not way.needs & against)
        if not any(way.needs <= set(forced) for way in ways):
            found.append(replace(clue, ways=ways))
    return found


def _evidence(clue: Clue, literal: Literal) -> Evidence:
    return Evidence(clue.program, clue.clause(literal), clue.named, clue.count)


def _conflict(core: Sequence[Clue]) -> Conflict:
    needed = [{literal for way in clue.ways for literal in way.needs} for clue in core]
    both = {name for one in needed for name, value in one if any((name, not value) in other for other in needed)}
    rows = []
    for clue in core:
        ways = tuple(sorted(tuple(sorted(way.needs)) for way in clue.ways))
        clause = next((clue.clause(literal) for way in ways for literal in way if literal[0] in both), "")
        rows.append((Evidence(clue.program, clause, clue.named, clue.count), ways))
    return Conflict(tuple(sorted(both)), tuple(rows))


class _Formula:
    """Clues as clauses. Each option is a variable, and so is each clue, which can be left out by not assuming it."""

    def __init__(self, clues: Sequence[Clue]) -> None:
        self._clues = clues
        self._options = {name: number for number, name in enumerate(judged(), 1)}
        last = len(self._options)
        self._hard: list[list[int]] = []
        self._selectors: list[int] = []
        for clue in clues:
            last += 1
            selector, ways = last, []
            for way in clue.ways:
                last += 1
                ways.append(last)
                self._hard += [[-last, self._literal(*literal)] for literal in way.needs]
            self._hard.append([-selector, *ways])
            self._selectors.append(selector)

    def _literal(self, name: str, value: bool) -> int:
        return self._options[name] if value else -self._options[name]

    def allows(self, name: str, value: bool) -> bool:
        """True if all clues can hold while an option has a value."""
        with _sat().solvers.Solver(bootstrap_with=self._hard) as solver:
            return bool(solver.solve(assumptions=[*self._selectors, self._literal(name, value)]))

    def most_explained(self) -> list[Clue]:
        """The clues that can hold together, of the values that explain most programs; in their order."""
        with _sat().solvers.Solver(bootstrap_with=self._hard) as solver:
            if solver.solve(assumptions=self._selectors):
                return list(self._clues)
        # Of values that explain equally many the better evidence decides, which comes first.
        last = len(self._clues)
        soft = [
            ([selector], clue.count * (last + 1) ** 2 + last - place)
            for place, (selector, clue) in enumerate(zip(self._selectors, self._clues, strict=True))
        ]
        with _sat().examples.rc2.RC2(_weighted(self._hard, soft)) as found:
            model = set(found.compute())
        return [clue for selector, clue in zip(self._selectors, self._clues, strict=True) if selector in model]

    def core(self) -> list[Clue]:
        """The clues of least weight that can't hold together, where not all can."""
        return self._smallest(self._hard)

    def against(self, name: str, value: bool) -> list[Clue]:
        """The clues of least weight that can't hold together if an option does not have the value."""
        return self._smallest([*self._hard, [self._literal(name, not value)]])

    def _smallest(self, hard: Collection[list[int]]) -> list[Clue]:
        soft = [([selector], clue.weight) for selector, clue in zip(self._selectors, self._clues, strict=True)]
        with _sat().examples.optux.OptUx(_weighted(hard, soft)) as found:
            return [self._clues[number - 1] for number in found.compute()]

    def closest(self, preferred: Mapping[str, bool]) -> dict[str, bool]:
        """Values under which all clues hold, and of which as few as possible differ from the preferred ones."""
        soft = [([self._literal(name, value)], 1) for name, value in preferred.items()]
        with _sat().examples.rc2.RC2(_weighted([*self._hard, *([one] for one in self._selectors)], soft)) as solver:
            model = set(solver.compute())
        return {name: variable in model for name, variable in self._options.items()}


def _sat() -> Any:
    """PySAT, which an extra brings, with the parts of it that are used. Raises ModuleNotFoundError without it."""
    for name in ("examples.optux", "examples.rc2", "formula", "solvers"):
        import_module(f"pysat.{name}")
    return import_module("pysat")


def _weighted(hard: Collection[list[int]], soft: Iterable[tuple[list[int], int]]) -> Any:
    formula = _sat().formula.WCNF()
    for clause in hard:
        formula.append(clause)
    for clause, weight in soft:
        formula.append(clause, weight=weight)
    return formula
