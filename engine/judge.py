"""The judge: follows a trace through the oracle and says of each departure what it is.

A trace is first followed under the contract alone, on the fast path. Where it departs, other option values are tried
(``explain``); where none helps it is a violation, and judging goes on from a snapshot of the store's real state if
there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fsconform.engine.describe import difference_of
from fsconform.engine.explain import Explanation, contradicts_declaration, explain
from fsconform.engine.fields import Wrong, kind_of, wrong_facts
from fsconform.engine.findings import (
    Finding,
    case_of,
    culprit_before,
    expectation,
    observed_text,
    roles,
    signature,
    tells_of_attributes,
    tells_of_state,
)
from fsconform.engine.impact import SHOULD, of_answer, of_change
from fsconform.engine.levels import basis_of, harms_data, weighed
from fsconform.engine.protocol import Snapshot
from fsconform.engine.resync import adopt, is_concealed
from fsconform.engine.subject import Verdict
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import NotExpressible, Outcome, Raised, Returned, Unknown
from fsconform.model.filesystem.branches import MEANINGS, REFUSED_CLAUSE, RENAMED_ATTRIBUTES, Branch, Kept, Level
from fsconform.model.filesystem.invariants import CLAUSES, Breach, breaches, sets_of
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.options.core import ACCEPTS_INVALID_PATHS
from fsconform.model.filesystem.oracle import Allowed, Oracle
from fsconform.model.filesystem.output.writers import is_live
from fsconform.model.filesystem.programs import Trace
from fsconform.model.filesystem.quirks import Quirk
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.records.results import DATA_IMPACTS
from fsconform.specs.catalogue import BINDING

STATE_FACTS = frozenset(
    [
        "accessed",
        "acl",
        "bytes",
        "directories",
        "directory",
        "entries",
        "files",
        "group",
        "length",
        "modified",
        "name",
        "names",
        "owner",
        "permission",
        "value",
        "values",
    ]
)
"""The facts that tell what is stored: where one is wrong, what is broken is the promise of the call that changed it.

Any other that is wrong breaks the clause of the query itself.
"""

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
    states: list[State] = field(default_factory=list)
    """The model's state before each judged step, and after the last."""
    wants_snapshot: int | None = None
    """The step after which the store's real state would let judging go on."""


class Judge:
    """Judges traces under one contract."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.checked: dict[State, tuple[Breach, ...]] = {}
        self._accepts_invalid = oracle.contract.value(ACCEPTS_INVALID_PATHS) is True

    def judge(self, trace: Trace, snapshots: Mapping[int, Snapshot] | None = None, start: State = EMPTY) -> Judgement:
        """Judge a trace from a known state; ``snapshots`` maps a step's number to the store's state after it."""
        return _Walk(self, trace, snapshots or {}, start).run()

    def accepts_invalid(self) -> bool:
        """True if the contract declares that forbidden path elements are accepted."""
        return self._accepts_invalid


@dataclass(frozen=True, slots=True)
class _Line:
    """A state that remains possible, and what it took to come there.

    ``uses`` are the quirks it rests on and that are not reported yet, each with its step. ``index`` is the step that
    led to the state, ``past`` the line before it; None where no other line was left.
    """

    state: State
    index: int = -1
    uses: tuple[tuple[int, Quirk], ...] = ()
    past: _Line | None = None


class _Walk:
    """One pass over one trace."""

    def __init__(self, judge: Judge, trace: Trace, snapshots: Mapping[int, Snapshot], start: State) -> None:
        self.judge = judge
        self.oracle = judge.oracle
        self.trace = trace
        self.snapshots = snapshots
        self.lines: tuple[_Line, ...] = (_Line(start),)
        self.base, self.base_step = start, 0
        self.result = Judgement()
        self._wrongs: dict[int, tuple[State, Wrong]] = {}

    def run(self) -> Judgement:
        result, step, quirky = self.result, self.oracle.step, self.oracle.quirks.shows
        for index, (planned, event) in enumerate(zip(self.trace.program, self.trace.events, strict=False)):
            state = self.lines[0].state
            result.states.append(state)
            outcome, operation = event.outcome, planned.operation
            if type(outcome) is NotExpressible:
                continue
            if planned.probe:
                result.probes += 1
            else:
                result.operations += 1
            if type(outcome) is Unknown:
                self._unknown(index)
                return result
            if len(self.lines) == 1 and not quirky(type(operation)):
                allowed = step(state, operation, outcome)
                go_on = self._allowed(index, allowed) if allowed else self._departs(index, outcome)
            else:
                go_on = self._follow_all(index, operation, outcome)
            if not go_on:
                return result
        result.states.append(self.lines[0].state)
        return result

    def _allowed(self, index: int, allowed: Allowed) -> bool:
        """Go on from the only line there is, by branches of the specification."""
        state = allowed[0][1]
        self._count(index, allowed[0][0])
        if len(allowed) == 1:
            if state is None:
                return False
            if state is not self.lines[0].state:
                self.lines = (_Line(state, index),)
                self._check_invariants(index, state)
            return True
        distinct: dict[State, None] = {after: None for _, after in allowed if after is not None}
        if not 0 < len(distinct) <= MAX_STATES:
            return False
        self.lines = tuple(_Line(one, index, (), self.lines[0]) for one in distinct)
        self._settle(index)
        return True

    def _count(self, index: int, branch: Branch) -> None:
        """Note the clauses that a step keeps, and the option values that it needs."""
        self.result.clauses[branch.clause] += 1
        for kept in branch.also if branch.kept is None else self._kept(index, branch.kept):
            self.result.clauses[kept] += 1
        if branch.raises and self.trace.program[index].operation.MUTATES:
            self.result.clauses[REFUSED_CLAUSE] += 1
        for literal in branch.when:
            self.result.used[(literal, branch.clause)] += 1
        if branch.departs or branch.deviates or branch.level == "UNDEFINED":
            self._note(index, branch)

    def _follow_all(self, index: int, operation: Operation, outcome: Outcome) -> bool:
        """Go on from all lines, by the specification and by quirks; of equal states by the fewest quirks."""
        followed: dict[State, _Line] = {}
        allowed = unknown = False
        for line in self.lines:
            steps = self.oracle.step(line.state, operation, outcome)
            for branch, after in steps:
                if not allowed and line is self.lines[0]:
                    self._count(index, branch)
                allowed = True
                if after is not None and _fewer(line.uses, followed.get(after)):
                    followed[after] = _Line(after, index, line.uses, line)
            # What happened may be what this line stands for: the others alone would not be all that is possible.
            unknown = unknown or (bool(steps) and all(after is None for _, after in steps))
        for line in self.lines:
            for _, after, quirk in self.oracle.offered(line.state, operation, outcome):
                uses = line.uses if _rests(line, quirk) else (*line.uses, (index, quirk))
                if after is None:
                    unknown = True
                    if not allowed:
                        self._quirk(index, index, quirk)
                elif _fewer(uses, followed.get(after)):
                    followed[after] = _Line(after, index, uses, line)
        if unknown:
            return False  # what the store may do from here on is not known
        if not followed:
            return False if allowed else self._departs(index, outcome)
        self.lines = tuple(sorted(followed.values(), key=lambda line: len(line.uses)))
        if len(self.lines) > MAX_STATES:
            return False
        self._settle(index)
        return True

    def _settle(self, index: int) -> None:
        """Report the quirks that every line rests on; once there is one line, it is what happened."""
        first = self.lines[0]
        needed = [(at, quirk) for at, quirk in first.uses if all(_rests(line, quirk) for line in self.lines)]
        if needed:
            self._rewrite(first)
            for at, quirk in needed:
                self._quirk(at, index, quirk)
            done = {quirk.id for _, quirk in needed}
            self.lines = tuple(
                replace(line, uses=tuple(use for use in line.uses if use[1].id not in done)) for line in self.lines
            )
        if len(self.lines) == 1:
            certain = self._rewrite(first)
            self.lines = (_Line(first.state, index),)
            if needed:
                self.base, self.base_step = first.state, index + 1
            elif first.state is not certain:
                self._check_invariants(index, first.state)

    def _rewrite(self, line: _Line) -> State:
        """Put the states that a line came by in the place of those of a line that ended; gives the first of them."""
        while line.past is not None:
            line, after = line.past, line
            for at in range(line.index + 1, after.index + 1):
                self.result.states[at] = line.state
        return line.state

    def _quirk(self, step: int, noticed: int, quirk: Quirk) -> None:
        """Report a quirk that was needed."""
        operation, outcome = self.trace.program[step].operation, self.trace.events[step].outcome
        observed = observed_text(outcome)
        if noticed != step:
            observed += f"; later {observed_text(self.trace.events[noticed].outcome)}"
        raised = outcome if isinstance(outcome, Raised) else None
        self.result.clauses[quirk.clause] += 1
        self.result.findings.append(
            Finding(
                signature=quirk.signature,
                verdict="waived",
                clause=quirk.clause,
                level="MUST",
                step=step,
                noticed=noticed,
                operation=operation.NAME,
                roles=frozenset((quirk.id,)),
                observed_kind="as known",
                after="",
                expected=expectation(self.oracle, self.result.states[step], operation),
                observed=observed,
                message=raised.message if raised else "",
                stack=raised.stack if raised else "",
                quirk=quirk.id,
                impact=quirk.impact,
            )
        )

    def _kept(self, index: int, kept: Kept) -> tuple[str, ...]:
        outcome = self.trace.events[index].outcome
        value = outcome.value if isinstance(outcome, Returned) else None
        return kept(self.lines[0].state, self.trace.program[index].operation, value)

    def _note(self, index: int, branch: Branch) -> None:
        """A departure that the contract declares, or from a SHOULD: a finding that fails nothing."""
        if branch.level == "UNDEFINED" and not branch.departs and not branch.deviates:
            return
        verdict: Verdict = "deviation" if branch.deviates else "declared"
        operation = self.trace.program[index].operation
        cases = self.oracle.situation(self.lines[0].state, operation).cases
        changes = (tuple(sorted(branch.when)),) if branch.when else ()
        self._add(index, index, verdict, branch.clause, branch.level, (case_of(cases, branch),), "", changes)

    def _departs(self, index: int, outcome: Outcome) -> bool:
        explanation = explain(self.oracle, self.trace, index, self.base, self.base_step)
        if explanation is not None:
            return self._explained(index, explanation)
        operation = self.trace.program[index].operation
        situation = self.oracle.situation(self.lines[0].state, operation)
        cases = tuple(case.name for case in situation.cases)
        after = precondition = ""
        clause, level = situation.clause
        state = self.lines[0].state
        difference = difference_of(outcome, state, operation)
        wrong = self._wrong(index)
        if difference is not None:
            clause, level = difference.clause, difference.level
        elif wrong.facts:
            clause, level = _clause_of(operation, wrong) or (clause, level)
        if not operation.MUTATES:
            culprit = culprit_before(self.trace, self.result.states, index)
            if culprit is not None:
                before, changing = self.result.states[culprit], self.trace.program[culprit].operation
                after = f"{changing.NAME} ({roles(self.oracle, before, changing)})"
                derived = MEANINGS[type(operation)].derived or situation.of_streams
                of_state = not wrong.facts or not STATE_FACTS.isdisjoint(wrong.names)
                kind = kind_of(state, operation, outcome, wrong)
                if isinstance(changing, Rename | RenameWith) and tells_of_attributes(kind):
                    clause, level = RENAMED_ATTRIBUTES, "MUST"
                elif not derived and of_state and tells_of_state(kind):
                    clause, level = self._promise(culprit)
                    if clause == REFUSED_CLAUSE:
                        precondition = self.oracle.situation(before, changing).clause[0]
        self.result.clauses[clause] += 1
        self._add(index, index, "violation", clause, level, cases, after, (), precondition)
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
        clause, level = branch.clause, "MUST" if branch.level == "MAY" else branch.level
        clause = (_clause_of(operation, self._wrong(culprit)) or (clause, level))[0]
        self.result.clauses[clause] += 1
        self._add(culprit, index, verdict, clause, level, (case_of(cases, branch),), "", explanation.changes)
        if hypothesis.state is None:
            return False
        self.lines = (_Line(hypothesis.state, index),)
        self.base, self.base_step = hypothesis.state, index + 1
        return True

    def _resynchronise(self, index: int) -> bool:
        if is_live(self.lines[0].state):
            return False  # a stream that is open writes on, whatever a snapshot shows
        snapshot = self.snapshots.get(index)
        if snapshot is None:
            outcome = self.trace.events[index].outcome
            # Of a call that did what it was to refuse a look shows what became of the data, at the end too.
            did = self.trace.program[index].operation.MUTATES and isinstance(outcome, Returned)
            if did or index + 1 < len(self.trace.events):
                self.result.wants_snapshot = index
            return False
        adopted = adopt(snapshot, self.trace.program)
        for breach in adopted.breaches:
            self._breach(index, breach)
        if adopted.state is None:
            return False
        if any(is_concealed(line.state, adopted.state, self.oracle.quirks) for line in self.lines):
            return False
        self.lines = (_Line(adopted.state, index),)
        self.base, self.base_step = adopted.state, index + 1
        return True

    def _check_invariants(self, index: int, state: State) -> None:
        program = self.trace.program
        if index + 1 < len(program) and program[index].setup and program[index + 1].setup:
            return  # of a large directory that is built each state has nearly all of the last: that one is checked
        found = self._breaches(state)
        # They count for each program that comes to the state: which one comes first hangs on the threads.
        self.result.clauses.update(CLAUSES)
        if found:
            # What the divergence before left is reported with it; it may have moved since.
            before = self._breaches(self.base) if self.base_step else ()
            known = {(breach.clause, breach.path[-1:]) for breach in before}
            for breach in found:
                if (breach.clause, breach.path[-1:]) not in known:
                    self._breach(index, breach)

    def _breaches(self, state: State) -> tuple[Breach, ...]:
        checked = self.judge.checked
        found = checked.get(state)
        if found is None:
            if len(checked) >= MAX_CHECKED:
                checked.clear()
            found = checked[state] = breaches(sets_of(state), self.judge.accepts_invalid())
        return found

    def _breach(self, index: int, breach: Breach) -> None:
        operation = self.trace.program[index].operation
        after = f"{operation.NAME} ({roles(self.oracle, self.result.states[index], operation)})"
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

    def _unknown(self, index: int) -> None:
        operation = self.trace.program[index].operation
        situation = self.oracle.situation(self.lines[0].state, operation)
        cases = tuple(case.name for case in situation.cases)
        clause, level = situation.clause
        self._add(index, index, "inconclusive", clause, level, cases, "", ())

    def _weighed(self, verdict: Verdict, clause: str, noticed: int) -> Verdict:
        basis = basis_of(clause)
        if verdict not in FAILING or basis in BINDING:
            return verdict
        operation, outcome = self.trace.program[noticed].operation, self.trace.events[noticed].outcome
        return weighed(verdict, basis, harms_data(self.result.states[noticed], operation, outcome))

    def _impact(self, step: int, noticed: int, verdict: Verdict, kind: str) -> tuple[str, str]:
        """What a finding means for a user, and the harm to data that a look after the call showed."""
        if verdict in ("inconclusive", "declared"):
            return "", ""
        operation, state, harm = self.trace.program[step].operation, self.result.states[step], ""
        snapshot = self.snapshots.get(step)
        if snapshot is not None and operation.MUTATES:
            shown = adopt(snapshot, self.trace.program).state
            if shown is not None:
                # What a call that raised did not write is not lost: its caller still has it, and knows.
                raised = isinstance(self.trace.events[step].outcome, Raised)
                allowed = (*self.oracle.expected(state, operation), *((state,) if raised else ()))
                harm = of_change(state, allowed, shown, () if raised else getattr(operation, "content", ()))
        asked, answer = self.trace.program[noticed].operation, self.trace.events[noticed].outcome
        found = harm or of_answer(self.result.states[noticed], asked, answer, self.result.states[:noticed], kind)
        if verdict == "deviation" and found not in DATA_IMPACTS:
            found = SHOULD
        return found, harm if verdict == "violation" else ""

    def _wrong(self, step: int) -> Wrong:
        """The facts that are wrong in a step's answer: searched once for a state."""
        state = self.result.states[step]
        known = self._wrongs.get(step)
        if known is None or known[0] is not state:
            operation, outcome = self.trace.program[step].operation, self.trace.events[step].outcome
            known = self._wrongs[step] = (state, wrong_facts(self.oracle, state, operation, outcome))
        return known[1]

    def _words(self, step: int) -> tuple[str, str]:
        """What was expected of a step and what was observed; of facts, first those that are wrong."""
        operation, outcome = self.trace.program[step].operation, self.trace.events[step].outcome
        state = self.result.states[step]
        expected, observed = expectation(self.oracle, state, operation), observed_text(outcome)
        wrong = self._wrong(step)
        if wrong.facts:
            expected, observed = f"{wrong.expected()}: {expected}", f"{wrong.observed()}: {observed}"
        return expected, observed

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
        precondition: str = "",
    ) -> None:
        operation, outcome = self.trace.program[step].operation, self.trace.events[step].outcome
        state = self.result.states[step]
        verdict = self._weighed(verdict, clause, noticed)
        name, kind = operation.NAME, kind_of(state, operation, outcome, self._wrong(step))
        expected, observed = self._words(step)
        if noticed != step:
            kind += f", then {self.trace.program[noticed].operation.NAME} showed otherwise"
            later, shown = self._words(noticed)
            expected, observed = f"{expected}; later {later}", f"{observed}; later {shown}"
        raised = outcome if isinstance(outcome, Raised) else None
        impact, harm = self._impact(step, noticed, verdict, kind)
        self.result.findings.append(
            Finding(
                signature=signature(name, cases, kind, after, harm),
                impact=impact,
                verdict=verdict,
                clause=clause,
                level=level,
                step=step,
                noticed=noticed,
                operation=name,
                roles=frozenset(cases),
                observed_kind=kind,
                after=after,
                expected=expected,
                observed=observed,
                changes=changes,
                first=not any(found.verdict in FAILING for found in self.result.findings),
                message=raised.message if raised else "",
                stack=raised.stack if raised else "",
                precondition=precondition,
            )
        )


def _clause_of(operation: Operation, wrong: Wrong) -> tuple[str, Level] | None:
    """The clause on the first of the wrong facts that has one of its own."""
    clauses = MEANINGS[type(operation)].clauses
    return next((clauses[one.name] for one in wrong.facts if one.name in clauses), None)


def _fewer(uses: tuple[tuple[int, Quirk], ...], other: _Line | None) -> bool:
    return other is None or len(uses) < len(other.uses)


def _rests(line: _Line, quirk: Quirk) -> bool:
    return any(quirk is used for _, used in line.uses)


FAILING: frozenset[Verdict] = frozenset(("violation", "declared-false", "undeclared"))
"""The verdicts that fail a gate."""
