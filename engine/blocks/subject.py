"""Blocks and replicas as a subject: how programs on a cluster are judged, shrunk and told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

from fsconform.engine import layers
from fsconform.engine.layers import Judgement
from fsconform.engine.levels import basis_of
from fsconform.engine.subject import Finding
from fsconform.model.blocks import rules, steps
from fsconform.model.blocks.answers import Answer, Block, Cluster, Done, Failed, Got, Sighted, Storage
from fsconform.model.blocks.contract import BlockContract
from fsconform.model.blocks.steps import Program, Step
from fsconform.model.core import content as contents
from fsconform.model.core.operation import defaults, shape
from fsconform.model.core.outcomes import Data, NotExpressible, Unknown
from fsconform.records.results import DATA_IMPACTS
from fsconform.specs.catalogue import BINDING
from fsconform.specs.layers import block_clauses

ATTEMPTS = 12
"""A program is shrunk in at most so many executions: each kills daemons, and waits for them."""

Tried = layers.Tried[Step, Answer]
Proven = layers.Proven[Step, Answer]


class Session(Protocol):
    """A way to one cluster, all of whose machines are the harness's own."""

    def execute(self, program: Program) -> tuple[Answer, ...]:
        """Carry a program out in a fresh directory, with all nodes up at its beginning. Raises StoreLost."""
        ...


def judge(program: Program, seen: Sequence[Answer], contract: BlockContract) -> Judgement[Cluster]:
    """Judge a program by the answers to it.

    Judging ends at an answer that nobody knows, and at a step that is about nothing that there is.
    """
    found: Judgement[Cluster] = Judgement()
    cluster = Cluster(frozenset(steps.NODES))
    for step, answer in zip(program, seen, strict=False):
        found.states.append(cluster)
        if isinstance(answer, NotExpressible):
            found.skipped.append(answer.reason)
            continue
        if isinstance(answer, Unknown) or not rules.is_about(step, cluster):
            break
        found.operations += 1
        verdicts = rules.judge_step(step, cluster, answer)
        found.clauses.update(set(verdicts.clauses))
        where = ", ".join(rules.situation(step, cluster))
        harms = isinstance(step, steps.Read)
        told = {(one.clause, one.symptom): one for one in reversed(verdicts.breaches)}
        for breach in list(told.values())[::-1]:
            signature = " ".join(filter(None, (step.NAME, f"({where})" if where else "", breach.symptom)))
            message = answer.message if isinstance(answer, Failed) else ""
            # What a clause describes, and no sentence promises, fails the gate where data come to harm alone.
            should = breach.should or not (harms or basis_of(breach.clause) in BINDING)
            place = len(found.states) - 1
            weighed = replace(breach, should=should)
            found.departs(signature, place, step.NAME, weighed, contract, block_clauses(), message=message)
            if harms:
                found.findings[-1] = replace(found.findings[-1], impact=_impact(breach.symptom))
        if verdicts.after is None:
            break
        cluster = verdicts.after
    found.states.append(cluster)
    return found


def _impact(symptom: str) -> str:
    """What a wrong reading means for who has the data."""
    lost, wrong, _ = DATA_IMPACTS
    return lost if "failed" in symptom or "fewer" in symptom else wrong


def call(step: Step) -> str:
    """The step as a reader would write it."""
    unsaid = defaults(type(step))
    words = []
    for name, form in shape(type(step)):
        value = getattr(step, name)
        if name in unsaid and value == unsaid[name]:
            continue
        if form == "content":
            words.append(f"{contents.length(value)} bytes")
        else:
            words.append(str(value) if name in ("file", "how") else f"{name}={value}")
    return f"{step.NAME}({', '.join(words)})"


def observed(answer: Answer) -> str:
    """What came of a step, in words."""
    match answer:
        case NotExpressible(reason):
            return f"not carried out: {reason}"
        case Unknown():
            return answer.reason
        case Failed(kind, message):
            return f"{kind}: {message}"
        case Got(results):
            return "; ".join(map(_result, results)) or "nothing"
        case Storage(layouts, kept, blocks_there):
            versions = ", ".join(f"{name} {version or 'none'}" for name, version in layouts)
            old = ", ".join(name for name, digest in kept if digest) or "nobody"
            return f"layout versions: {versions}; the state before is kept by {old}; {len(blocks_there)} blocks"
        case Sighted(replication, blocks):
            return f"replication {replication}; {_blocks(blocks)}"
        case Done(node, blocks, nodes):
            return ", ".join(filter(None, (node, *nodes, _blocks(blocks)))) or "done"


def _result(one: Data | Failed) -> str:
    return f"{one.length} bytes" if isinstance(one, Data) else f"{one.kind}: {one.message}"


def _blocks(blocks: Sequence[Block]) -> str:
    told = (
        f"block {number} of {block.length} bytes, stamp {block.stamp}: {', '.join(map(rules.shown, block.replicas))}"
        for number, block in enumerate(blocks)
    )
    return "; ".join(told)


def smaller(program: Program, finding: Finding | None = None) -> Iterator[Program]:
    """Programs without what comes after the finding, without a step, or with less content."""
    if finding is not None and finding.step + 1 < len(program):
        yield program[: finding.step + 1]
    for index in range(len(program) - 1, -1, -1):
        yield (*program[:index], *program[index + 1 :])
    for index, step in enumerate(program):
        content = getattr(step, "content", ())
        if contents.length(content) > 1:
            yield (*program[:index], replace(cast(Any, step), content=contents.of(1, 1)), *program[index + 1 :])


def rows(tried: Tried) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What was expected of each step that departs; no step changes what a table could show."""
    for index in range(len(tried.program)):
        departing = [one.expected for one in tried.judgement.findings if one.step == index]
        yield departing[0] if departing else "", ()


BLOCKS: layers.Layer[Step, Answer, BlockContract] = layers.Layer(
    judge=judge,
    smaller=smaller,
    attempts=lambda program: ATTEMPTS,
    catalogue=block_clauses,
    every_option=BlockContract.OPTIONS,
    call=call,
    encoded=steps.encode,
    observed=observed,
    rows=rows,
)
"""The blocks of files on a cluster of HDFS, and their replicas."""
