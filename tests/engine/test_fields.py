"""A wrong answer of several facts is reported with the fact that is wrong, as it was and as it was to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.benches import Benches
from fsconform.engine.describe import call, fact_text
from fsconform.engine.fields import NOT_JUDGED
from fsconform.engine.findings import Finding
from fsconform.engine.judge import FAILING, Judge
from fsconform.engine.trial import Trial
from fsconform.model.core import content as contents
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Fact, Facts, Returned
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.metadata.times import SetTimes
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.programs import Step, Trace
from fsconform.model.filesystem.protocols.calls_by_users import CallsByUsers
from fsconform.model.filesystem.state import Dir, File, locate
from fsconform.proving.session import ProvingStore
from fsconform.specs.witness import witnesses

CONTRACT = Contract(load_shipped("proving").declared)
SAMPLES = 2
"""Answers that are altered of each situation: an operation, its cases, and what is known of its path."""


def others(fact: Fact) -> list[Fact]:
    """Facts that another is altered to."""
    match fact:
        case None:
            return ["x", 7]
        case bool():
            return [not fact]
        case int():
            return [fact + 7_000_000_000, -5] if fact > 10**9 else [fact + 1, fact + 1000, -5]
        case str():
            return [f"{fact}x", "", "java.lang.IllegalStateException"]
        case tuple():
            return [(*fact, "x"), *(fact[:index] + fact[index + 1 :] for index in range(len(fact)))]


def answers(benches: Benches, root: bool) -> Iterator[tuple[Trial, int, Facts]]:
    """Right answers of several facts: the trial, the step and the facts; a few of each situation."""
    bench, seen = benches.take(), Counter[tuple[object, ...]]()
    for witness in witnesses():
        if witness.root is not root:
            continue
        (trial,) = bench.try_all([witness.program])
        if any(finding.verdict in FAILING for finding in trial.judgement.findings):
            continue
        for step, event in enumerate(trial.execution.trace.events):
            value = event.outcome.value if isinstance(event.outcome, Returned) else None
            if isinstance(value, Facts):
                operation, state = trial.program[step].operation, trial.judgement.states[step]
                node = locate(state, operation.path) if hasattr(operation, "path") else None
                meta = tuple(sorted(node.meta)) if isinstance(node, File | Dir) and node.meta is not None else ()
                situation = (type(operation), benches.oracle.situation(state, operation).mask, meta)
                seen[situation] += 1
                if seen[situation] <= SAMPLES:
                    yield trial, step, value


def altered(benches: Benches, trial: Trial, step: int, value: Facts, name: str, fact: Fact) -> Finding | None:
    """What is found if one fact of an answer is another."""
    items = tuple((own, fact if own == name else was) for own, was in value.items)
    events = trial.execution.trace.events[: step + 1]
    last = replace(events[step], outcome=Returned(Facts(value.kind, items)))
    judged = Judge(benches.oracle).judge(Trace(trial.program[: step + 1], (*events[:step], last)))
    return next((finding for finding in judged.findings if finding.noticed == step), None)


def test_every_altered_fact_is_named_with_what_was_expected_and_observed() -> None:
    """Of every operation that answers with facts; a fact that is judged nowhere is documented as such."""
    judged: dict[tuple[str, str], int] = {}
    unnamed = []
    for root in (False, True):
        benches = Benches(ProvingStore(real_root=root), CONTRACT, 1)
        for trial, step, value in answers(benches, root):
            for name, was in value.items:
                for fact in others(was):
                    key = (value.kind, "answer of an action" if name.isdigit() else name)
                    finding = altered(benches, trial, step, value, name, fact)
                    judged[key] = judged.get(key, 0) + (finding is not None)
                    if finding is None:
                        continue
                    shown = f"{name} {fact_text(fact, name)}"
                    if name not in finding.expected.split() and f"{name}:" not in finding.expected.split():
                        unnamed.append(f"{key}: expected {finding.expected}: {finding.signature}")
                    elif shown not in finding.observed.partition(": returned ")[0]:
                        unnamed.append(f"{key}: {shown} not in {finding.observed}: {finding.signature}")
    assert sum(map(bool, judged.values())) > 60, "hardly anything is judged"
    assert unnamed == [], "\n".join(unnamed)
    never = sorted(key for key, times in judged.items() if not times)
    assert never == sorted(NOT_JUDGED)


SETTERS = (SetPermission(("a",), 0o644), SetTimes(("a",), 1_795_428_000_000, 1_795_428_000_000))


def of_status(fact: str, wrong: Fact, setters: tuple[Operation, ...] = SETTERS) -> Finding:
    """What is found of a status of a file with one fact that is another."""
    operations = (Create(("a",), contents.of(1, 3), False), *setters, GetAttributes(("a",)))
    program = tuple(map(Step, operations))
    benches = Benches(ProvingStore(), CONTRACT, 1)
    (trial,) = benches.take().try_all([program])
    outcome = trial.execution.trace.events[-1].outcome
    assert isinstance(outcome, Returned) and isinstance(outcome.value, Facts) and not trial.judgement.findings
    finding = altered(benches, trial, len(program) - 1, outcome.value, fact, wrong)
    assert finding is not None
    return finding


@pytest.mark.parametrize(
    ("fact", "wrong", "expected", "observed"),
    [
        ("permission", 0o1274, "permission 0644", "permission 01274"),
        ("modified", 0, "modified 2026-11-23T10:00:00.000Z", "modified 1970-01-01T00:00:00.000Z"),
        ("length", 700, "length 3 bytes", "length 700 bytes"),
        ("encrypted", True, "encrypted false", "encrypted true"),
    ],
)
def test_facts_are_written_as_a_person_writes_them(fact: str, wrong: Fact, expected: str, observed: str) -> None:
    """Permissions in octal, times with their zone, sizes in bytes."""
    finding = of_status(fact, wrong)
    assert expected in finding.expected and observed in finding.observed
    assert expected not in finding.observed


def test_a_wrong_permission_breaks_no_clause_on_length() -> None:
    """The clause is that of the fact, or the promise of the call that set it."""
    permission = of_status("permission", 0o1274, SETTERS[:1])
    assert permission.clause in ("filesystem.setPermission.post", "introduction.object-stores.setters")
    assert of_status("encrypted", True, ()).clause == "filesystem.getFileStatus.post.encrypted"


def test_arguments_are_written_as_a_person_writes_them() -> None:
    assert call(SetPermission(("a",), 0o1274)) == "setPermission(/a, permission=01274)"
    assert "modified=2026-11-23T10:00:00.000Z" in call(SetTimes(("a",), 1_795_428_000_000, -1))
    assert "top=01777, top_owner=ann, file=0000" in call(CallsByUsers((), 0o1777, "ann", 0, "bob", 0o755, "eve", ()))
