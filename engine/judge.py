"""The judge: follows a trace through the oracle and says of each departure what it is.

A trace is first followed under the contract alone, on the fast path. Where it departs, other option values are tried
(``explain``); where none helps it is a violation, and judging goes on from a snapshot of the store's real state if
there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from fsconform.engine.describe import difference_of, kind_of
from fsconform.engine.explain import Explanation, contradicts_declaration, explain
from fsconform.engine.findings import (
    Finding,
    Verdict,
    case_of,
    culprit_before,
    expectation,
    observed_text,
    roles,
    signature,
    tells_of_state,
)
from fsconform.engine.protocol import Snapshot
from fsconform.engine.resync import adopt
from fsconform.model.branches import REFUSED_CLAUSE, Branch, Kept, Level
from fsconform.model.contract import ACCEPTS_INVALID_PATHS
from fsconform.model.further.open_streams import is_live
from fsconform.model.invariants import CLAUSES, Breach, breaches, sets_of
from fsconform.model.operations import MUTATORS, NAMES
from fsconform.model.oracle import BY_OPERATION, Oracle
from fsconform.model.outcomes import NotExpressible, Outcome, Raised, Returned, Unknown
from fsconform.model.programs import Trace
from fsconform.model.state import EMPTY_DIR, Dir

MAX_STATES = 64
"""More states that remain possible than this end a program as inconclusive."""

MAX_CHECKED = 1 << 17
"""So many states are remembered with the invariants they break."""


@dataclass(slots=True)
class Judgement:
    """What judging a trace gave. Counts leave nothing out: ``operations`` are judged steps that are no probes."""

    findings: list[Finding] = field(default_factory=list)
    clauses: Counter[str] = field(default_factory=Counter)
    used: Counter[tuple[tuple[str, bool], str]] = field(default_factory=Counter)
    """How often an option value was needed, with the clause it bears on."""
    operations: int = 0
    probes: int = 0
    states: list[Dir] = field(default_factory=list)
    """The model's state before each judged step, and after the last."""
    wants_snapshot: int | None = None
    """The step after which the store's real state would let judging go on."""


class Judge:
    """Judges traces under one contract."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.checked: dict[Dir, tuple[Breach, ...]] = {}
        self._accepts_invalid = oracle.contract.value(ACCEPTS_INVALID_PATHS) is True

    def judge(self, trace: Trace, snapshots: Mapping[int, Snapshot] | None = None, start: Dir = EMPTY_DIR) -> Judgement:
        """Judge a trace from a known state; ``snapshots`` maps a step's number to the store's state after it."""
        return _Walk(self, trace, snapshots or {}, start).run()

    def accepts_invalid(self) -> bool:
        """True if the contract declares that forbidden path elements are accepted."""
        return self._accepts_invalid


class _Walk:
    """One pass over one trace."""

    def __init__(self, judge: Judge, trace: Trace, snapshots: Mapping[int, Snapshot], start: Dir) -> None:
        self.judge = judge
        self.oracle = judge.oracle
        self.trace = trace
        self.snapshots = snapshots
        self.states: tuple[Dir, ...] = (start,)
        self.base, self.base_step = start, 0
        self.result = Judgement()

    def run(self) -> Judgement:
        result, step = self.result, self.oracle.step
        for index, (planned, event) in enumerate(zip(self.trace.program, self.trace.events, strict=False)):
            result.states.append(self.states[0])
            outcome, operation = event.outcome, planned.operation
            if type(outcome) is NotExpressible:
                continue
            if planned.probe:
                result.probes += 1
            else:
                result.operations += 1
            if type(outcome) is Unknown:
                self._unknown(index, outcome)
                return result
            if len(self.states) == 1:
                allowed = step(self.states[0], operation, outcome)
            else:
                allowed = tuple(one for state in self.states for one in step(state, operation, outcome))
            go_on = self._allowed(index, allowed) if allowed else self._departs(index, outcome)
            if not go_on:
                return result
        result.states.append(self.states[0])
        return result

    def _allowed(self, index: int, allowed: tuple[tuple[Branch, Dir | None], ...]) -> bool:
        branch, state = allowed[0]
        self.result.clauses[branch.clause] += 1
        for kept in branch.also if branch.kept is None else self._kept(index, branch.kept):
            self.result.clauses[kept] += 1
        if branch.raises and isinstance(self.trace.program[index].operation, MUTATORS):
            self.result.clauses[REFUSED_CLAUSE] += 1
        for literal in branch.when:
            self.result.used[(literal, branch.clause)] += 1
        if branch.departs or branch.deviates or branch.level == "UNDEFINED":
            self._note(index, branch)
        if len(allowed) == 1:
            if state is None:
                return False
            if state is not self.states[0]:
                self.states = (state,)
                self._check_invariants(index, state)
            return True
        distinct: dict[Dir, None] = {after: None for _, after in allowed if after is not None}
        self.states = tuple(distinct)
        return 0 < len(self.states) <= MAX_STATES

    def _kept(self, index: int, kept: Kept) -> tuple[str, ...]:
        outcome = self.trace.events[index].outcome
        value = outcome.value if isinstance(outcome, Returned) else None
        return kept(self.states[0], self.trace.program[index].operation, value)

    def _note(self, index: int, branch: Branch) -> None:
        """A departure that the contract declares, or from a SHOULD: a finding that fails nothing."""
        if branch.level == "UNDEFINED" and not branch.departs and not branch.deviates:
            return
        verdict: Verdict = "deviation" if branch.deviates else "declared"
        operation = self.trace.program[index].operation
        cases = self.oracle.situation(self.states[0], operation).cases
        changes = (tuple(sorted(branch.when)),) if branch.when else ()
        self._add(index, index, verdict, branch.clause, branch.level, (case_of(cases, branch),), "", changes)

    def _departs(self, index: int, outcome: Outcome) -> bool:
        explanation = explain(self.oracle, self.trace, index, self.base, self.base_step)
        if explanation is not None:
            return self._explained(index, explanation)
        operation = self.trace.program[index].operation
        situation = self.oracle.situation(self.states[0], operation)
        cases = tuple(case.name for case in situation.cases)
        after = ""
        clause, level = situation.clause
        difference = difference_of(outcome, self.states[0], operation)
        if difference is not None:
            clause, level = difference.clause, difference.level
        if not isinstance(operation, MUTATORS):
            culprit = culprit_before(self.trace, self.result.states, index)
            if culprit is not None:
                state, changing = self.result.states[culprit], self.trace.program[culprit].operation
                after = f"{NAMES[type(changing)]} ({roles(self.oracle, state, changing)})"
                derived = BY_OPERATION[type(operation)].derived or situation.of_streams
                if not derived and tells_of_state(kind_of(outcome, self.states[0], operation)):
                    clause, level = self._promise(culprit)
        self.result.clauses[clause] += 1
        self._add(index, index, "violation", clause, level, cases, after, ())
        return self._resynchronise(index)

    def _promise(self, culprit: int) -> tuple[str, Level]:
        """The clause that a state-changing call breaks if the state after it is not the expected one."""
        situation = self.oracle.situation(self.result.states[culprit], self.trace.program[culprit].operation)
        if isinstance(self.trace.events[culprit].outcome, Raised):
            return REFUSED_CLAUSE, "MUST"
        if len(situation.cases) == 1 and situation.cases[0].unchanged:
            return situation.cases[0].unchanged, "MUST"
        return situation.clause

    def _explained(self, index: int, explanation: Explanation) -> bool:
        hypothesis = explanation.hypothesis
        culprit, branch = hypothesis.culprit, hypothesis.branch
        assert culprit is not None and branch is not None
        verdict: Verdict = "undeclared"
        if contradicts_declaration(self.oracle.contract, explanation.changes[0]):
            verdict = "declared-false"
        operation = self.trace.program[culprit].operation
        cases = self.oracle.situation(self.result.states[culprit], operation).cases
        self.result.clauses[branch.clause] += 1
        level = "MUST" if branch.level == "MAY" else branch.level
        self._add(culprit, index, verdict, branch.clause, level, (case_of(cases, branch),), "", explanation.changes)
        if hypothesis.state is None:
            return False
        self.states = (hypothesis.state,)
        self.base, self.base_step = hypothesis.state, index + 1
        return True

    def _resynchronise(self, index: int) -> bool:
        if is_live(self.states[0]):
            return False  # a stream that is open writes on, whatever a snapshot shows
        snapshot = self.snapshots.get(index)
        if snapshot is None:
            if index + 1 < len(self.trace.events):
                self.result.wants_snapshot = index
            return False
        adopted = adopt(snapshot, self.trace.program)
        for breach in adopted.breaches:
            self._breach(index, breach)
        if adopted.state is None:
            return False
        self.states = (adopted.state,)
        self.base, self.base_step = adopted.state, index + 1
        return True

    def _check_invariants(self, index: int, state: Dir) -> None:
        checked = self.judge.checked
        found = checked.get(state)
        if found is None:
            if len(checked) >= MAX_CHECKED:
                checked.clear()
            found = checked[state] = breaches(sets_of(state), self.judge.accepts_invalid())
            self.result.clauses.update(CLAUSES)
        for breach in found:
            self._breach(index, breach)

    def _breach(self, index: int, breach: Breach) -> None:
        operation = self.trace.program[index].operation
        after = f"{NAMES[type(operation)]} ({roles(self.oracle, self.result.states[index], operation)})"
        self.result.findings.append(
            Finding(
                signature=signature("invariant", (breach.clause,), "broken", after),
                verdict="violation",
                clause=breach.clause,
                level="MUST",
                step=index,
                noticed=index,
                operation="invariant",
                roles=frozenset((breach.clause,)),
                observed_kind="broken",
                after=after,
                expected="a valid filesystem",
                observed=breach.text,
                first=not any(found.verdict in FAILING for found in self.result.findings),
            )
        )

    def _unknown(self, index: int, outcome: Unknown) -> None:
        operation = self.trace.program[index].operation
        situation = self.oracle.situation(self.states[0], operation)
        cases = tuple(case.name for case in situation.cases)
        clause, level = situation.clause
        self._add(index, index, "inconclusive", clause, level, cases, "", ())

    def _add(
        self,
        step: int,
        noticed: int,
        verdict: Verdict,
        clause: str,
        level: str,
        cases: tuple[str, ...],
        after: str,
        changes: tuple[tuple[tuple[str, bool], ...], ...],
    ) -> None:
        operation, outcome = self.trace.program[step].operation, self.trace.events[step].outcome
        state = self.result.states[step]
        name, kind = NAMES[type(operation)], kind_of(outcome, state, operation)
        observed = observed_text(outcome)
        if noticed != step:
            kind += f", then {NAMES[type(self.trace.program[noticed].operation)]} showed otherwise"
            observed += f"; later {observed_text(self.trace.events[noticed].outcome)}"
        raised = outcome if isinstance(outcome, Raised) else None
        self.result.findings.append(
            Finding(
                signature=signature(name, cases, kind, after),
                verdict=verdict,
                clause=clause,
                level=level,
                step=step,
                noticed=noticed,
                operation=name,
                roles=frozenset(cases),
                observed_kind=kind,
                after=after,
                expected=expectation(self.oracle, state, operation),
                observed=observed,
                changes=changes,
                first=not any(found.verdict in FAILING for found in self.result.findings),
                message=raised.message if raised else "",
                stack=raised.stack if raised else "",
            )
        )


FAILING: frozenset[Verdict] = frozenset(("violation", "declared-false", "undeclared"))
"""The verdicts that fail a gate."""
