"""The model equals the module; a change of either is found."""

from __future__ import annotations

import dataclasses
import re

import pytest

from fsconform.adapters.checkers.tools import Tlc
from fsconform.app.formal.checking import Checked, run_check, sized
from fsconform.engine.formal import equality, namespace
from fsconform.engine.formal.equality import compare, source
from fsconform.engine.formal.namespace import Bounds
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Returned
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.oracle import Allowed, Oracle
from fsconform.model.filesystem.state import State
from fsconform.specs import formal
from fsconform.specs.catalogue import catalogue
from fsconform.specs.formal import Check

SMALL = {"Names": '{"a"}', "MaxDepth": "2", "SupportsAppend": "TRUE", "SupportsStrictExceptions": "TRUE"}


def small(**more: str) -> Check:
    check = formal.checks()["namespace"]
    return dataclasses.replace(check, constants={**check.constants, **SMALL, **more}, distinct=7, generated=0)


def checked(tlc: Tlc, check: Check, texts: dict[str, str] | None = None) -> Checked:
    found = run_check(tlc, check, texts or formal.module_texts(), 120)
    return dataclasses.replace(found, wrong=tuple(one for one in found.wrong if "generated" not in one))


def test_model_and_module_are_equal(tlc: Tlc) -> None:
    found = checked(tlc, small())
    assert found.right, found.wrong
    assert found.equality is not None and found.equality.states == 7
    assert found.equality.transitions == found.outcome.generated - 1 > 2000


CHANGES = [
    ('Exists(p) == { Same(IF exists(p) THEN "true" ELSE "false") }', "Exists(p) == {}"),
    ('IF exists(p) THEN "true" ELSE "false"', '"true"'),
    ("Refused({FAE, PND} \\union Relaxed)\n    ELSE { Done(", "Refused({FAE} \\union Relaxed)\n    ELSE { Done("),
    ('{ Done("ok", dirs, [files EXCEPT ![p] = @ \\o c], links) }', '{ Done("ok", dirs, files, links) }'),
    ('BelowFiles ELSE {}), {"true"})', "BelowFiles ELSE {}), {})"),
    ("failed == source \\union target", "failed == source"),
    ("{ Status(q, Last(q)) : q \\in children(p) }", "{ Status(q, Last(q)) : q \\in children(p) \\ dirs }"),
]


@pytest.mark.parametrize(("whole", "changed"), CHANGES, ids=[str(number) for number in range(len(CHANGES))])
def test_a_change_of_the_module_is_found(whole: str, changed: str, tlc: Tlc) -> None:
    texts = formal.module_texts()
    assert texts["Namespace"].count(whole) == 1
    texts["Namespace"] = texts["Namespace"].replace(whole, changed)
    check = dataclasses.replace(small(), invariants=(), properties=())
    found = checked(tlc, check, texts)
    assert found.equality is not None and found.equality.differences
    assert any("differences from the model" in one for one in found.wrong)
    assert any(one.startswith("only the mod") for one in found.wrong)


class _Changed(Oracle):
    """An oracle that allows too much, or too little, of one call."""

    def __init__(self, contract: Contract, kind: type[Operation], value: bool, grants: bool) -> None:
        super().__init__(contract)
        self._kind, self._value, self._grants = kind, value, grants

    def step(self, state: State, operation: Operation, outcome: Outcome) -> Allowed:
        allowed = super().step(state, operation, outcome)
        if type(operation) is self._kind and outcome == Returned(self._value):
            return ((self.situation(state, operation).first, state),) if self._grants else ()
        return allowed


@pytest.mark.parametrize(
    ("kind", "value", "grants"), [(Mkdirs, False, True), (Mkdirs, True, False), (Delete, True, True)]
)
def test_a_change_of_the_model_is_found(
    kind: type[Operation], value: bool, grants: bool, tlc: Tlc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "fsconform.app.formal.checking.Oracle", lambda contract: _Changed(contract, kind, value, grants)
    )
    found = checked(tlc, small())
    assert found.equality is not None and found.equality.differences


def test_lines_that_are_no_states() -> None:
    with pytest.raises(ValueError, match="not a state"):
        source("Progress(3)")
    assert compare((), Oracle(Contract()), Bounds()).transitions == 0
    assert not compare((), Oracle(Contract()), Bounds()).equal
    assert not list(equality.sources(["Progress(3)", "<<1, 2>>"]))


def test_the_checks_are_what_is_promised() -> None:
    checks = formal.checks()
    compared = [one for one in sized("middle") if one.equality]
    assert len({one.contract for one in compared}) >= 3
    assert sum(one.generated - 1 for one in compared) >= 1_000_000
    stated = formal.clauses()
    assert {name for one in checks.values() for name in (*one.invariants, *one.properties)} == set(stated)
    assert [name for name, ids in stated.items() if not ids] == ["TypeOK"]
    assert {clause for ids in stated.values() for clause in ids} <= set(catalogue())
    for text in formal.module_texts().values():
        assert set(re.findall(r"\\\* ([a-z]+\.[a-z][\w.-]+[a-z])", text)) <= set(catalogue())
    for module in formal.VIEWS:
        assert any(one.fault for one in checks.values() if one.module == module)
        assert any(one.fault and one.size == "small" for one in checks.values() if one.module == module)
    for one in checks.values():
        assert one.steps if one.violates else one.traces if one.goals else one.distinct and one.generated, one.name
    assert set(namespace.constants(Contract())) == set(namespace.CONSTANTS)
