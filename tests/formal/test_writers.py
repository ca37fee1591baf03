"""The module of the output stream equals the model of it; a change of either is found, and told in words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from fsconform.adapters.checkers.tools import Tlc
from fsconform.app.formal.checking import Checked, bounds_of, options_of, run_check
from fsconform.engine.formal import equality, writers
from fsconform.engine.formal.writers import Bounds, Call
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome, Raised, Returned
from fsconform.model.filesystem.contract import OPTIONS, Contract
from fsconform.model.filesystem.oracle import Allowed, Oracle
from fsconform.model.filesystem.output import writers as open_streams
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.write import Write
from fsconform.model.filesystem.state import State
from fsconform.specs import formal
from fsconform.specs.formal import Check

LIMITS = {"Streams": '{"s"}', "Chunks": '{"x"}', "MaxLength": "1"}


def small(name: str, **more: str) -> Check:
    """A check in narrow bounds, without the properties."""
    check = formal.checks()[name]
    return dataclasses.replace(check, constants={**check.constants, **LIMITS, **more}, invariants=(), properties=())


def compared(tlc: Tlc, check: Check, texts: dict[str, str] | None = None) -> tuple[Checked, list[str]]:
    """The check that was run, and all differences in words."""
    found = run_check(tlc, check, texts or formal.module_texts(), 120)
    assert found.outcome.ending == "passed" and found.equality is not None
    return found, found.equality.told


@pytest.fixture(autouse=True)
def all_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every difference is told, not the first few."""
    monkeypatch.setattr(equality, "DIFFERENCES_KEPT", 1 << 20)


@pytest.mark.parametrize(("name", "states"), [("streams-rawlocal", 32), ("streams-late-synced", 35)])
def test_model_and_module_are_equal(name: str, states: int, tlc: Tlc) -> None:
    found, told = compared(tlc, small(name))
    assert not told
    assert found.equality is not None and found.equality.equal
    assert found.equality.states == found.outcome.distinct == states


MODULE_CHANGES = [
    (
        "streams-rawlocal",
        "ELSE <<streams[s].content>>,\n                [",
        "ELSE file,\n                [",
        "close(s)",
    ),
    (
        "streams-rawlocal",
        'Told({ AllSaved(s, call) }, { {"capability"}, ',
        "Told({ AllSaved(s, call) }, { ",
        "only the model allows sync(s, hflush)",
    ),
    (
        "streams-rawlocal",
        "1, n)>> : n \\in From(Saved(file, streams[s]),",
        "1, n)>> : n \\in From(0,",
        "module allows open()",
    ),
    ("streams-s3a", "THEN <<(<<>>)>> ELSE one.before", "THEN <<(<<>>)>> ELSE <<one.content>>", "abort(s)"),
    (
        "streams-s3a",
        "ELSE Refused(results)\n\nRead",
        "ELSE {}\n\nRead",
        "only the model allows open() in no file to give FileNotFoundException",
    ),
]


@pytest.mark.parametrize(("name", "whole", "changed", "words"), MODULE_CHANGES, ids=range(len(MODULE_CHANGES)))
def test_a_change_of_the_module_is_found(name: str, whole: str, changed: str, words: str, tlc: Tlc) -> None:
    texts = formal.module_texts()
    assert texts["OutputStream"].count(whole) == 1
    texts["OutputStream"] = texts["OutputStream"].replace(whole, changed)
    found, told = compared(tlc, small(name), texts)
    assert any("differences from the model" in one for one in found.wrong)
    assert any(words in one for one in told), told[:5]


Settling = Callable[[State, str], State]


def _close_loses(root: State, name: str) -> State:
    return open_streams.changed(root, name, phase="closed")


def _abort_shows(root: State, name: str) -> State:
    return open_streams.changed(open_streams.settled(root, name), name, phase="aborted")


@pytest.mark.parametrize(
    ("name", "effect", "changed", "words"),
    [
        ("streams-rawlocal", "settled", _close_loses, "only the model allows close(s) in no file; s open, 1 written"),
        ("streams-s3a", "undone", _abort_shows, "only the model allows abort(s) in no file; s open, 1 written"),
    ],
)
def test_a_changed_effect_of_the_model_is_found(
    name: str, effect: str, changed: Settling, words: str, tlc: Tlc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_streams, effect, changed)
    _, told = compared(tlc, small(name))
    assert any(one.startswith(words) for one in told), told[:5]


class _Changed(Oracle):
    """An oracle that refuses what is allowed, or allows what is refused, of one kind of call with one outcome."""

    def __init__(self, contract: Contract, kind: type[Operation], outcome: Callable[[Outcome], bool]) -> None:
        super().__init__(contract)
        self._kind, self._fits = kind, outcome

    def step(self, state: State, operation: Operation, outcome: Outcome) -> Allowed:
        allowed = super().step(state, operation, outcome)
        if type(operation) is not self._kind or not self._fits(outcome):
            return allowed
        return () if allowed else ((self.situation(state, operation).first, state),)


CHANGED: list[tuple[type[Operation], Callable[[Outcome], bool], str]] = [
    (Write, lambda outcome: outcome == Returned(None), "only the model allows write(s, x) in a file of 0; s closed"),
    (OpenWriter, lambda outcome: isinstance(outcome, Raised), "only the module allows open to write(s, create)"),
]


@pytest.mark.parametrize(("kind", "outcome", "words"), CHANGED, ids=["write", "open to write"])
def test_a_changed_branch_of_the_model_is_found(
    kind: type[Operation],
    outcome: Callable[[Outcome], bool],
    words: str,
    tlc: Tlc,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fsconform.app.formal.checking.Oracle", lambda contract: _Changed(contract, kind, outcome))
    found, told = compared(tlc, small("streams-rawlocal"))
    assert any(one.startswith(words) for one in told), told[:5]
    assert any("differences from the model" in one for one in found.wrong)


def test_states_of_the_module_are_told_apart() -> None:
    open_one: list[Any] = ["s", "open", ["x"], 0, 0, False, [["y"]], False]
    state = writers.situation(writers.state([[]], [open_one, ["t", "none", [], 0, 0, False, [], False]]))
    assert state is not None and not state.file and len(state.streams) == 1
    assert state != writers.situation(writers.state([[]], [[*open_one[:2], [], *open_one[3:]]]))
    closed = writers.situation(writers.state([["x"]], [["s", "closed", [], 0, 0, False, [], False]]))
    assert closed is not None and closed != writers.situation(writers.state([["x"]], []))
    lost = open_streams.changed(writers.state([[]], [open_one]), "s", phase="astray")
    assert writers.situation(lost) is None


def test_calls_and_constants() -> None:
    with pytest.raises(ValueError, match="no call 'rename'"):
        writers.operation(Call("rename", "s"))
    told = [one[1] for one in writers.answers(Call("abort", "s"), Bounds()) if one[0] != "done"]
    assert told and not any("already" in one for one in told)
    assert isinstance(writers.operation(Call("abort", "s")), AbortWriter)
    assert set(writers.CONSTANTS.values()) <= set(OPTIONS)
    check = formal.checks()["streams-late-synced"]
    assert set(options_of(check)) == set(writers.CONSTANTS) and options_of(check)["SupportsHsync"]
    assert bounds_of(check) == Bounds(("x",), 2)
