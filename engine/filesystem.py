"""The filesystem as a subject of the harness: how what was proved of it is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fsconform.engine import describe
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import Proven
from fsconform.engine.findings import Finding, expectation
from fsconform.engine.minimise import own_steps
from fsconform.engine.subject import Subject, most_common
from fsconform.engine.waivers import Failing
from fsconform.model.core.option import Option, OptionValue
from fsconform.model.core.outcomes import Outcome
from fsconform.model.core.paths import show
from fsconform.model.filesystem.contract import OPTIONS
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program, encode_operation, encode_program
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import Dir, State, walk
from fsconform.records.results import StepRecord
from fsconform.specs.catalogue import Clause, catalogue

CHANGES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Filesystem(Subject[Proven]):
    """A filesystem, judged by an oracle."""

    oracle: Oracle

    def clauses(self) -> Mapping[str, Clause]:
        """The catalogue, by id."""
        return catalogue()

    def encode(self, program: Program) -> list[dict[str, Any]]:
        """A program as replay files have it. Raises ValueError."""
        return encode_program(program)

    def size(self, program: Program) -> int:
        """How many steps a program has, without probes and those that build its place."""
        return own_steps(program)

    def failing(self, proven: Proven) -> Failing:
        """What waivers are held against."""
        return proven.failing

    def area(self, finding: Finding) -> str:
        """The operation that departs: of a query that only shows what an earlier call did, that call's."""
        return finding.after.partition(" ")[0] or finding.operation

    def known(self, finding: Finding) -> Quirk | None:
        """The known bug of the store that a finding is; None if it is none."""
        return self.oracle.quirks.get(finding.quirk) if finding.quirk else None

    def sequence(self, proven: Proven) -> list[StepRecord]:
        """The steps of a program: what was expected of each, what was observed, and what it changed."""
        trial = proven.trial or proven.met_in
        shown = trial is not None and trial.program[: len(proven.program)] == proven.program
        states = trial.judgement.states if trial is not None and shown else []
        events = trial.execution.trace.events if trial is not None and shown else ()
        rows = []
        for index, step in enumerate(proven.program):
            state = states[index] if index < len(states) else None
            after = states[index + 1] if index + 1 < len(states) else None
            outcome: Outcome | None = events[index].outcome if index < len(events) else None
            rows.append(
                StepRecord(
                    call=describe.call(step.operation),
                    operation=encode_operation(step.operation),
                    observed=describe.observed(outcome) if outcome is not None else "",
                    expected=expectation(self.oracle, state, step.operation) if state is not None else "",
                    probe=step.probe,
                    marked=shown and index == proven.finding.step,
                    changed=_changed(state, after) if state is not None and after is not None else (),
                    setup=step.setup,
                    client=step.client,
                )
            )
        return rows

    def options(self, collected: Collected, proven: Iterable[Proven]) -> Iterator[tuple[str, Option, object, str]]:
        """Every option that is judged or declared, what the store's behaviour shows of it, and the evidence."""
        by_name: dict[str, dict[OptionValue, Counter[str]]] = {}
        for (literal, clause), times in collected.used.items():
            by_name.setdefault(literal[0], {}).setdefault(literal[1], Counter())[clause] += times
        named: dict[str, list[str]] = {}
        for one in proven:
            for name, value in one.finding.changes[0] if one.finding.changes else ():
                named.setdefault(name, []).append(one.finding.signature)
                if one.finding.failing:
                    by_name.setdefault(name, {}).setdefault(value, Counter())[one.finding.clause] += one.count
        for name, option in OPTIONS.items():
            if option.kind == "informs" and name not in self.oracle.contract.declared:
                continue
            seen = by_name.get(name, {})
            observed: object = next(iter(seen)) if len(seen) == 1 else "conflict" if seen else None
            evidence = "; ".join(
                f"{str(value).lower()}: {', '.join(f'{clause} ({times})' for clause, times in most_common(clauses, 3))}"
                for value, clauses in sorted(seen.items())
            )
            if named.get(name):
                evidence += f" [{named[name][0]}]"
            yield name, option, observed, evidence


def _changed(before: State, after: State) -> tuple[str, ...]:
    if before is after:
        return ()
    old, new = dict(walk(before)), dict(walk(after))
    rows = [f"- {show(path)}" for path in old if path not in new]
    rows += [f"+ {show(path)}{'/' if type(node) is Dir else ''}" for path, node in new.items() if path not in old]
    rows += [
        f"~ {show(path)}" for path, node in new.items() if path in old and type(node) is not Dir and old[path] != node
    ]
    if len(rows) > CHANGES_SHOWN:
        rows[CHANGES_SHOWN:] = [f"and {len(rows) - CHANGES_SHOWN} more"]
    return tuple(rows)
