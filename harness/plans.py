"""From suites, filters and a seed to the explorers of one store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fsconform.adapters.stores.preset import Preset
from fsconform.engine.effort import NOTHING, Amounts, machine_programs
from fsconform.engine.explorers import (
    Explorer,
    Source,
    both_modes,
    enumeration,
    from_list,
    from_made,
    one_mode,
    sampled,
)
from fsconform.engine.grammar import Suite
from fsconform.engine.probes import probed, sets_up_much, without_probes
from fsconform.harness.problems import known
from fsconform.model.core.operation import OPERATIONS
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.specs.catalogue import catalogue
from fsconform.specs.witness import witnesses
from fsconform.suites import variations
from fsconform.suites.exploring import explorer
from fsconform.suites.races import CRASHES, FRESHNESS, POWER, RACE_SUITES, RACES, WIRE, RaceSuite
from fsconform.suites.registry import DEFAULT, SUITES

PATIENCE = 500
"""After so many programs in a row that a filter does not let through an explorer without an end is ended."""

PAIRS = "enumeration of 2 operations"

KINDS = ("witnesses", "variations", "enumeration", "ladders", "hypothesis", "traces")
"""The kinds of explorers, as a user names them."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What programs are wanted: those in which one of the clauses is judged and one of the operations occurs."""

    clauses: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.clauses or self.operations)

    def wanted(self, oracle: Oracle, program: Program) -> bool:
        """True if the filter lets the program through."""
        own = without_probes(program)
        if self.operations and not any(step.operation.NAME in self.operations for step in own):
            return False
        return not self.clauses or self._touches(oracle, program)

    def _touches(self, oracle: Oracle, program: Program) -> bool:
        state: State | None = EMPTY
        for step in program:
            if state is None:
                return False
            situation = oracle.situation(state, step.operation)
            if any(branch.clause in self.clauses for branch in situation.branches if not branch.deviates):
                return True
            state = oracle.settled(state, situation.first.effect(state, step.operation))
        return False


def kind_of(name: str) -> str:
    """The kind of an explorer by its name; empty for earlier findings, which are always wanted."""
    return next((kind for kind in KINDS if kind in name.split()), "")


def explorers(
    suites: tuple[Suite, ...],
    oracle: Oracle,
    seed: int,
    wanted: Filter,
    earlier: tuple[Program, ...] = (),
    kinds: frozenset[str] = frozenset(),
    traces: tuple[Program, ...] = (),
    amounts: Amounts | None = None,
) -> tuple[Explorer, ...]:
    """The explorers of the suites: earlier findings, witnesses and single calls whole, then the rest.

    ``kinds`` are those of KINDS that are wanted, none for all; ``traces`` are programs of a model checker. ``amounts``
    says how many programs each gives; without, each gives all that it has.
    """
    varied = (not kinds or "variations" in kinds) and (amounts is None or amounts.variations != 0)
    found = _explorers(suites, oracle, seed, wanted, earlier, varied, amounts or NOTHING)
    if traces:
        played = [probed(oracle, program, "end") for program in traces]
        found = (*found, from_list("traces", _let_through(played, oracle, wanted)))
    if amounts is not None:
        found = with_amounts(found, suites, amounts, seed)
    return tuple(one for one in found if not kinds or kind_of(one.name) in ("", *kinds))


def with_amounts(
    found: Sequence[Explorer], suites: Sequence[Suite], amounts: Amounts, seed: int
) -> tuple[Explorer, ...]:
    """The explorers with their quotas: lists are sampled by the seed; what is to give nothing is left out."""
    machines = {f"hypothesis {name}": programs for name, programs in machine_programs(suites, amounts).items()}
    listed = {"boundary ladders": amounts.ladders, "traces": amounts.traces}
    limited = []
    for one in found:
        if one.name in listed:
            one = sampled(one, listed[one.name], seed)
        elif one.name == variations.NAME:
            one = replace(one, quota=amounts.variations)
        elif one.name in machines:
            one = replace(one, quota=machines[one.name])
        elif kind_of(one.name) == "enumeration" and not one.whole:
            one = replace(one, quota=amounts.pairs if one.name == PAIRS else amounts.longer)
        if one.quota != 0:
            limited.append(one)
    return tuple(limited)


def _explorers(
    suites: tuple[Suite, ...],
    oracle: Oracle,
    seed: int,
    wanted: Filter,
    earlier: tuple[Program, ...],
    varied: bool,
    amounts: Amounts,
) -> tuple[Explorer, ...]:
    def in_modes(kind: str, programs: Sequence[Program], again: Sequence[Program] = ()) -> list[Program]:
        if kind in amounts.both | amounts.each:
            tried = both_modes(programs, oracle, frozenset(again) if kind in amounts.each else ())
        else:
            tried = one_mode(programs, oracle, seed)
        return _let_through(tried, oracle, wanted)

    groups = {group for suite in suites for group in suite.witnesses}
    root = any(suite.root for suite in suites)
    deciding = [
        witness
        for witness in witnesses()
        if witness.group in groups and witness.root is root and _decides(witness.decides, wanted)
    ]
    found = []
    if earlier:
        found.append(from_list("earlier findings", earlier, whole=True))
    decisive = [witness.program for witness in deciding if amounts.large or not sets_up_much(witness.program)]
    own = {group for suite in suites if not (suite.alone or suite.trial) for group in suite.witnesses}
    basis = [witness.program for witness in deciding if varied and not root and witness.group in own]
    again = variations.varied(basis)
    found.append(from_made("witnesses", lambda: in_modes("witnesses", decisive, again), whole=True))
    quirks = [one.program for one in oracle.quirks.all if not root and _belongs(one.program, suites)]
    if quirks:
        found.append(from_list("quirks", _let_through(both_modes(quirks, oracle), oracle, wanted), whole=True))
    if varied and not root:
        found.append(variations.explorer(basis, oracle, seed))
    lengths: dict[int, dict[type, None]] = {}
    for suite in suites:
        for length in suite.lengths:
            lengths.setdefault(length, {}).update(dict.fromkeys(suite.kinds))
    if 1 in lengths:
        found.append(enumeration(1, oracle, seed, kinds=tuple(lengths[1]), whole=True))
    rungs = in_modes("ladders", [program for suite in suites for program in suite.ladders()])
    if rungs:
        found.append(from_list("boundary ladders", rungs))
    for length, kinds in sorted(lengths.items()):
        if length > 1:
            twice = length < 3 and "enumeration" in amounts.both
            found.append(enumeration(length, oracle, seed, kinds=tuple(kinds), both=twice))
    found += [explorer(suite, oracle, seed) for suite in suites]
    drawn = ("enumeration", "hypothesis", "variations")
    return tuple(_filtered(one, oracle, wanted) if one.name.startswith(drawn) and wanted else one for one in found)


def _belongs(program: Program, suites: tuple[Suite, ...]) -> bool:
    """True if a suite tries the call that a program ends with."""
    last = type(without_probes(program)[-1].operation)
    return any(last in suite.grammar.kinds for suite in suites)


def _decides(decides: tuple[str, ...], wanted: Filter) -> bool:
    return not wanted.clauses or bool(set(decides) & set(wanted.clauses))


def _let_through(programs: list[Program], oracle: Oracle, wanted: Filter) -> list[Program]:
    return [program for program in programs if not wanted or wanted.wanted(oracle, program)]


def _filtered(one: Explorer, oracle: Oracle, wanted: Filter) -> Explorer:
    inner: Source = one.source

    def source(first: int) -> Iterator[tuple[int, Program]]:
        left = PATIENCE
        for place, program in inner(first):
            if wanted.wanted(oracle, program):
                left = PATIENCE
                yield place, program
            elif one.size is None:
                left -= 1
                if not left:
                    return

    return replace(one, source=source, size=None)


def chosen_suites(names: tuple[str, ...]) -> tuple[Suite, ...]:
    """The suites of the given names but for those of races, or the default ones. Raises Problem."""
    there = {**SUITES, **RACE_SUITES}
    chosen = [known("suite", name, there) for name in dict.fromkeys(names or DEFAULT)]
    return tuple(SUITES[name] for name in chosen if name in SUITES)


def chosen_races(names: tuple[str, ...]) -> tuple[RaceSuite, ...]:
    """The suites of races among the given names."""
    return tuple(RACE_SUITES[name] for name in dict.fromkeys(names) if name in RACE_SUITES)


DEFAULT_RACES: tuple[RaceSuite, ...] = (RACES, FRESHNESS)
"""The suites of races of the stores of the default job, where neither suites nor a part of them are named."""


def default_races(preset: Preset) -> tuple[RaceSuite, ...]:
    """The suites of races with which the default job tries a store: links fail only where it has a network."""
    if not preset.kills:
        return DEFAULT_RACES
    injected = ((CRASHES, True), (POWER, preset.machines), (WIRE, preset.links))
    return (*DEFAULT_RACES, *(suite for suite, there in injected if there))


def chosen_filter(clauses: tuple[str, ...], operations: tuple[str, ...]) -> Filter:
    """The filter of the given clauses and operations. Raises Problem for one there is none of."""
    for clause in clauses:
        known("clause", clause, catalogue())
    for operation in operations:
        known("operation", operation, OPERATIONS)
    return Filter(clauses, operations)
