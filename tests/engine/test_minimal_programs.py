"""Minimal programs meet no second failed precondition, and rest on the same option values as the finding they show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected, Sample
from fsconform.engine.confirm import Proven, prove_all
from fsconform.engine.findings import Finding
from fsconform.engine.judge import Judgement
from fsconform.engine.minimise import Shows
from fsconform.engine.subject import Verdict
from fsconform.engine.trial import shown_alike
from fsconform.model.core.option import Literal
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.programs import Program
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import Behaviour

Make = Callable[[str], Program]

DECLARED = {"supports-append": True, "supports-strict-exceptions": True}
SOURCE = "rename-returns-false-if-source-missing"


def proven(contract: dict[str, bool], *texts: Program) -> list[Proven]:
    store = ProvingStore(behaviour=Behaviour(rename_returns_false_if_source_missing=True))
    benches = Benches(store, Contract(contract), 2)
    bench = benches.take()
    collected = Collected()
    for trial in bench.try_all(texts):
        collected.add(trial, benches.oracle)
    benches.give_back(bench)
    return prove_all(benches, collected)


@pytest.mark.parametrize("declared", [True, False])
def test_candidates_that_meet_a_second_failed_precondition_do_not_show_it(
    declared: bool, program: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a rename whose source is missing: a destination that exists, too, is another thing that may be refused."""
    met, same, more = (program(f"create /a 1; mkdirs /d; rename /b {to}") for to in ("/d/x", "/y", "/a"))
    shown: list[list[bool]] = []

    def minimise(oracle: Oracle, text: Program, like: Finding, shows: Shows) -> Program:
        shown.append(shows([text, same, more]))
        return text

    monkeypatch.setattr("fsconform.engine.confirm.minimise", minimise)
    (one,) = proven(DECLARED | ({SOURCE: True} if declared else {}), met)
    assert shown == [[True, True, False]]
    assert one.finding.verdict == ("declared" if declared else "undeclared")
    assert one.finding.changes == (((SOURCE, True),),) and one.confirmed == "3/3"


def test_of_two_programs_the_one_with_the_fewer_failed_preconditions_is_shrunk(program: Make) -> None:
    several, single = program("create /a 1; rename /a/a /a"), program("mkdirs /x/y; mkdirs /z; rename /x/y/a /z/b")
    for order in ((several, single), (single, several)):
        found = proven(DECLARED | {SOURCE: True}, *order)
        (one,) = (each for each in found if "source missing" in each.finding.roles)
        assert one.count == 2
        assert one.program == program("rename /a /b")


def test_samples_prefer_fewer_failed_preconditions_to_smaller_programs(program: Make) -> None:
    short, long = program("rename /a /a"), program("mkdirs /a; mkdirs /b; rename /c /d")
    sample = Sample(finding("declared"), short, met=2)
    sample.offer(finding("declared"), long, met=1)
    assert (sample.program, sample.met, sample.count) == (long, 1, 2)
    sample.offer(finding("declared"), short, met=2)
    assert sample.program == long
    sample.offer(replace(finding("declared"), first=False), short, met=0)
    assert sample.program == long and sample.count == 4


def finding(verdict: Verdict, *changes: tuple[Literal, ...]) -> Finding:
    return Finding(
        "s",
        verdict,
        "c",
        "MUST",
        0,
        "rename",
        "e",
        "o",
        changes,
        noticed=0,
        roles=frozenset("x"),
        observed_kind="k",
        after="",
    )


A: tuple[Literal, ...] = (("a", True),)
B: tuple[Literal, ...] = (("b", True), ("c", False))


@pytest.mark.parametrize("verdict", ["declared", "undeclared", "declared-false"])
def test_what_options_explain_rests_on_the_same_ones(verdict: Verdict) -> None:
    def alike(seen: Finding, like: Finding) -> bool:
        return shown_alike(Judgement(findings=[seen]), like) is seen

    assert alike(finding(verdict, A), finding(verdict, A))
    assert alike(finding(verdict, A), finding(verdict, A, B)), "fewer ways are a clearer case of it"
    assert not alike(finding(verdict, A, B), finding(verdict, A))
    assert not alike(finding(verdict, B), finding(verdict, A))
    assert not alike(finding("violation"), finding(verdict, A))
    assert alike(finding("violation"), finding("violation"))
