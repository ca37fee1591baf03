"""Histories of killed clients and lost replies: module Crash has those that the judge accepts, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fsconform.adapters.checkers import tlc
from fsconform.adapters.checkers.tools import Tlc
from fsconform.app.formal.checking import ROOT, contract_of, options_of
from fsconform.engine.formal import crashes
from fsconform.engine.formal.crashes import Call, Compared, Graph, Seen, calls_of, compare
from fsconform.engine.histories.deaths import Died
from fsconform.engine.histories.small_steps import PROMISES, SmallSteps
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Outcome
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.state import EMPTY, State
from fsconform.specs import formal
from fsconform.specs.formal import Check

STREAMS = '{"open", "write", "sync", "close", "recover", "read", "status"}'
RENAMES = '{"rename", "delete", "create", "read"}'
NO_FILE, A_FILE = "{0}", "{2}"


def bounded(contract: str, operations: str, beginning: str, length: int, **constants: str) -> Check:
    check = formal.checks()["crash-streams"]
    values = {"Operations": operations, "Beginnings": beginning, "MaxLength": str(length), **constants}
    return replace(
        check, contract=contract, constants={**check.constants, **values}, invariants=("TypeOK",), properties=()
    )


def graph_of(tool: Tlc, check: Check) -> Graph:
    graph = Graph()
    modules = {**formal.module_texts(), ROOT: formal.root_module(ROOT, check, crashes.EMIT)}
    configuration = formal.configuration(check, options_of(check), "INVARIANT Emit")
    outcome = tlc.check(tool, modules, ROOT, configuration, 300, hear=graph.add)
    assert outcome.ending == "passed", outcome.told
    assert graph.beginnings and graph.seen
    return graph


def judge_of(check: Check, kind: type[SmallSteps] = SmallSteps) -> SmallSteps:
    contract = contract_of(check)
    return kind(Oracle(contract), [name for name in PROMISES if contract.value(name)])


def compared(graph: Graph, check: Check, judge: SmallSteps, walks: int = 60, first: Sequence[Seen] = ()) -> Compared:
    number = int(check.constants["Beginnings"].strip("{}"))
    beginning: Sequence[str] | None = None if number == 0 else ("z",) * (number - 1)
    return compare(graph, judge, beginning, int(check.constants["MaxLength"]), walks, 6, first)


BOUNDS = {
    "streams, one writer at a time": bounded("hdfs", STREAMS, NO_FILE, 1, MaxWhole="0"),
    "renames and deletions": bounded("hdfs", RENAMES, A_FILE, 2, MaxLost="2", Kills="FALSE"),
    "an append beside the recovery of a lease": bounded("hdfs", '{"append", "read", "recover"}', A_FILE, 2),
}
MORE_BOUNDS = BOUNDS | {
    "streams, several writers": bounded("rawlocal", STREAMS, NO_FILE, 1, MaxWhole="0"),
    "streams that show nothing before they are closed": bounded("s3a", STREAMS, NO_FILE, 1, MaxWhole="0"),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_the_module_and_the_judge_have_the_same_histories(bounds: str, tlc: Tlc) -> None:
    check = BOUNDS[bounds]
    found = compared(graph_of(tlc, check), check, judge_of(check))
    assert found.histories > 5_000 and found.common > 1_000
    assert found.differences == ()


@pytest.mark.long
@pytest.mark.parametrize("bounds", MORE_BOUNDS)
def test_more_of_the_same_histories(bounds: str, tlc: Tlc) -> None:
    check = MORE_BOUNDS[bounds]
    found = compared(graph_of(tlc, check), check, judge_of(check), 400)
    assert found.histories > 20_000 and found.common > 5_000
    assert found.differences == ()


SHOWN = [
    Seen(Call(1, "open", "f", "create"), "ok"),
    Seen(Call(1, "write"), "ok"),
    Seen(Call(1, "sync", "", "hflush"), "ok"),
]

FAULTS: dict[str, tuple[str, str, int, Sequence[Seen]]] = {
    "a lease is never recovered": ('{"open", "recover"}', A_FILE, 1, ()),
    "a rename may stop half way": ('{"rename", "read"}', A_FILE, 1, ()),
    "an append is done twice": ('{"append", "read"}', A_FILE, 3, ()),
    "what was flushed is lost with its client": ('{"open", "write", "sync", "recover", "read"}', NO_FILE, 1, SHOWN),
}
"""Of each the calls of both clients, what there is in the beginning, the length of files, and how histories begin."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_module_is_found(fault: str, tlc: Tlc) -> None:
    operations, beginning, length, first = FAULTS[fault]
    check = bounded("hdfs", operations, beginning, length, Fault=f'"{fault}"')
    assert compared(graph_of(tlc, check), check, judge_of(check), 60, first).differences


class Forgetful(SmallSteps):
    """A judge to whom nothing need be left of what there was when a client was killed."""

    def step(self, state: State, operation: Operation, outcome: Outcome, rest: Any = None) -> Any:
        found = list(super().step(state, operation, outcome, rest))
        return [*found, (EMPTY, None)] if isinstance(operation, Died) else found


@pytest.mark.timeout(300)
def test_a_wrong_judge_is_found(tlc: Tlc) -> None:
    check = bounded("hdfs", '{"open", "read"}', A_FILE, 2)
    told = compared(graph_of(tlc, check), check, judge_of(check, Forgetful)).differences
    assert told and all(one.startswith("only the judge has") and "killed" in one for one in told)


def test_a_call_whose_reply_was_lost_is_pending_and_an_end_has_the_streams_of_its_client() -> None:
    opened = Seen(Call(1, "open", "f", "create"), "ok")
    lost = Seen(Call(1, "append", "f"), "lost")
    contract = contract_of(BOUNDS["renames and deletions"])
    first, second, end = calls_of([opened, lost, Seen(Call(1, "killed"), "")], contract)
    assert (first.invoked, first.returned, second.returned) == (0, 1, None)
    assert isinstance(end.operation, Died)
    assert end.operation.streams == {"s"} and end.operation.within == {("f",)}
