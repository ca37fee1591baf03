"""The write pipeline of HDFS: module Pipeline and the model of blocks have the same steps, readings and looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from fsconform.adapters.checkers.tools import Tlc
from fsconform.app.formal import checking
from fsconform.engine.formal import pipelines
from fsconform.engine.formal.pipelines import Graph, Judge, compare
from fsconform.model.blocks import clauses as ids
from fsconform.model.blocks import rules, steps
from fsconform.model.blocks.answers import Answer, Block, Cluster, Done, Failed, File, Replica, Sighted
from fsconform.model.blocks.rules import Verdicts
from fsconform.model.blocks.steps import BLOCK_BYTES, Step
from fsconform.model.core import content as contents
from fsconform.specs import formal

NODES = ("d1", "d2", "d3")


def graph_of(tool: Tlc, name: str, **constants: str) -> Graph:
    check = formal.checks()[name]
    check = replace(check, constants={**check.constants, **constants}, invariants=(), properties=())
    outcome, graph = checking.pipeline_graph(tool, check, formal.module_texts(), 300)
    assert outcome.ending == "passed", outcome.told
    assert graph.beginnings and graph.seen and len(graph.views) == outcome.distinct
    return graph


@pytest.fixture(scope="module")
def graph(tlc: Tlc) -> Graph:
    """The module's graph within small bounds: one packet, one node that fails, a lease that may be taken."""
    return graph_of(tlc, "pipeline")


@pytest.mark.timeout(300)
def test_the_module_and_the_model_have_the_same(graph: Graph) -> None:
    found = compare(graph, NODES, 1)
    assert found.differences == []
    assert found.places > 300 and found.tried > 5_000 and found.common > 1_000


def without(*clauses: str) -> Judge:
    """A judge to whom these clauses are nothing."""

    def judge(step: Step, cluster: Cluster, answer: Answer) -> Verdicts:
        verdicts = rules.judge_step(step, cluster, answer)
        verdicts.breaches = [breach for breach in verdicts.breaches if breach.clause not in clauses]
        return verdicts

    return judge


def after(change: Callable[[Step, File], File]) -> Judge:
    """A judge who remembers something else of the file than what is so."""

    def judge(step: Step, cluster: Cluster, answer: Answer) -> Verdicts:
        verdicts = rules.judge_step(step, cluster, answer)
        if verdicts.after is not None:
            verdicts.after = verdicts.after.with_file(
                pipelines.FILE, change(step, verdicts.after.files[pipelines.FILE])
            )
        return verdicts

    return judge


def unpromised(step: Step, file: File) -> File:
    return replace(file, promised=0) if isinstance(step, steps.Hflush) else file


def promised(step: Step, file: File) -> File:
    size = contents.length(file.content)
    return replace(file, promised=size) if isinstance(step, steps.Write) else file


def blind_to(field: str) -> Judge:
    """A judge to whom each replica's stamp, or length, is its block's."""

    def judge(step: Step, cluster: Cluster, answer: Answer) -> Verdicts:
        if isinstance(answer, Sighted):
            blocks = tuple(
                replace(block, replicas=tuple(replace(row, **{field: getattr(block, field)}) for row in block.replicas))
                for block in answer.blocks
            )
            answer = replace(answer, blocks=blocks)
        return rules.judge_step(step, cluster, answer)

    return judge


ONLY_THE_MODEL, ONLY_THE_MODULE = "only the model has", "only the module has"

WRONG_JUDGES: dict[str, tuple[Judge, str]] = {
    "hflush may return before all nodes have the data": (without(ids.ALL_NODES), ONLY_THE_MODEL),
    "hflush promises nothing": (after(unpromised), ONLY_THE_MODEL),
    "write promises what it wrote": (after(promised), ONLY_THE_MODULE),
    "a stamp need not grow": (without(ids.INCREASE), ONLY_THE_MODEL),
    "a replica with an old stamp counts": (blind_to("stamp"), ONLY_THE_MODEL),
    "a replica of another length counts": (blind_to("length"), ONLY_THE_MODEL),
    "replicas that are missing are not made": (without(ids.KEPT, ids.REPLICATED), ONLY_THE_MODEL),
    "a reader may fail though there is a replica": (without(ids.NEXT_REPLICA), ONLY_THE_MODEL),
    "a reader may be given other bytes": (without(ids.STAGES, ids.OUTDATED), ONLY_THE_MODEL),
    "a writer may fail with one of its nodes": (without(ids.STAGES), ONLY_THE_MODEL),
    "another writer is let in": (without(ids.EXCLUSIVE, ids.SOFT_LIMIT), ONLY_THE_MODEL),
    "the end of a lease may drop flushed bytes": (without(ids.HARD_LIMIT), ONLY_THE_MODEL),
}
"""Of each the side that has something of which the other one knows nothing."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("wrong", WRONG_JUDGES)
def test_a_wrong_model_is_found(wrong: str, graph: Graph) -> None:
    judge, side = WRONG_JUDGES[wrong]
    found = compare(graph, NODES, 1, judge).differences
    assert any(words.startswith(side) for words in found)


FAULTS: dict[str, dict[str, str]] = {
    "hflush waits for one": {},
    "the stamp stays": {},
    "any state takes part": {},
    "lengths stay": {},
    "old stamps are read": {},
    "old stamps are reported": {},
    "an append leaves the stamp": {"MaxAppends": "1", "MaxFailures": "0"},
    "an append begins anew": {"MaxAppends": "1", "MaxFailures": "0"},
}
"""Of each the constants within which it is seen."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", ["hflush waits for one", "the stamp stays"])
def test_a_wrong_module_is_found(fault: str, tlc: Tlc) -> None:
    assert compare(graph_of(tlc, "pipeline", Fault=f'"{fault}"', **FAULTS[fault]), NODES, 1).differences


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", FAULTS)
def test_every_wrong_module_is_found(fault: str, tlc: Tlc) -> None:
    assert compare(graph_of(tlc, "pipeline", Fault=f'"{fault}"', **FAULTS[fault]), NODES, 1).differences


def test_a_difference_fails_the_check(tlc: Tlc, monkeypatch: pytest.MonkeyPatch) -> None:
    check = formal.checks()["pipeline"]
    small = replace(check, constants={**check.constants, "MaxFailures": "0"}, distinct=0, generated=0)
    monkeypatch.setattr(pipelines.compare, "__defaults__", (without(ids.ALL_NODES),))
    found = checking.run_check(tlc, small, formal.module_texts(), 300)
    assert found.equality is not None and found.equality.differences and found.equality.transitions
    assert any("differences from the model" in words for words in found.wrong)
    assert any("only the model has" in words and "hflush" in words for words in found.wrong)


# A lease that ends leaves a greater stamp.

FLUSHED = Block(1, 1001, 9)


@pytest.mark.parametrize(
    ("length", "seen", "block", "breaks"),
    [
        (9, FLUSHED, FLUSHED, True),
        (9, FLUSHED, Block(1, 1002, 9), False),
        (BLOCK_BYTES, Block(1, 1001, BLOCK_BYTES), Block(1, 1001, BLOCK_BYTES), False),
        (BLOCK_BYTES + 9, Block(1, 1001, BLOCK_BYTES), Block(1, 1001, BLOCK_BYTES), False),
    ],
)
def test_the_end_of_a_lease_leaves_a_greater_stamp_of_a_block_that_was_open(
    length: int, seen: Block, block: Block, breaks: bool
) -> None:
    """A full block was complete, and one of which nothing is known may be gone."""
    cluster: Cluster | None = Cluster(frozenset(NODES))
    program: list[tuple[Step, Answer]] = [
        (steps.Begin("a"), Done()),
        (steps.Write("a", contents.of(1, min(length, BLOCK_BYTES))), Done()),
        (steps.Hflush("a"), Done(blocks=(seen,))),
        *([(steps.Write("a", contents.of(2, length - BLOCK_BYTES)), Done())] if length > BLOCK_BYTES else []),
        (steps.Vanish("a"), Done()),
        (steps.Expire("a"), Done(blocks=(block,))),
    ]
    clauses: set[str] = set()
    for step, answer in program:
        assert cluster is not None
        verdicts = rules.judge_step(step, cluster, answer)
        clauses |= {breach.clause for breach in verdicts.breaches}
        cluster = verdicts.after
    assert (ids.INCREASE in clauses) is breaks


@pytest.mark.parametrize(("length", "breaks"), [(8, [ids.ALL_NODES]), (9, []), (10, [ids.LENGTH])])
def test_after_hflush_each_replica_is_as_long_as_what_was_written(length: int, breaks: list[str]) -> None:
    written = File(3, contents.of(1, 9), open=True)
    block = Block(1, 1001, 9, (Replica("d1", "live", 1001, length),))
    verdicts = rules.judge_step(
        steps.Hflush("a"), Cluster(frozenset(NODES), files={"a": written}), Done(blocks=(block,))
    )
    assert [breach.clause for breach in verdicts.breaches] == breaks


def test_a_lease_that_never_ends_is_a_breach() -> None:
    left = Cluster(frozenset(NODES), files={"a": File(3, open=True, left=True)})
    verdicts = rules.judge_step(steps.Expire("a"), left, Failed("java.io.IOException"))
    assert [breach.clause for breach in verdicts.breaches] == [ids.HARD_LIMIT]
