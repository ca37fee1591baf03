"""The judge of datasets: follows a program step by step, and says of each departure whether the contract permits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fsconform.engine.datasets import describe
from fsconform.engine.datasets.at_once import judge_both
from fsconform.engine.datasets.describe import Judgeable
from fsconform.engine.layers import Judgement
from fsconform.model.datasets.contract import CommitContract
from fsconform.model.datasets.dataset import EMPTY, Dataset, Look, rows_of
from fsconform.model.datasets.findings import Verdicts
from fsconform.model.datasets.operations import Ending, Feed, Program, Stream, Write, WriteBoth
from fsconform.model.datasets.rules import judge_write
from fsconform.model.datasets.streaming_queries import Streamed, judge_stream
from fsconform.specs.layers import dataset_clauses


@dataclass(frozen=True, slots=True)
class Observed:
    """How a step ended, and what stood there afterwards."""

    ending: Ending
    look: Look


def judge(program: Program, seen: Sequence[Observed], contract: CommitContract) -> Judgement[Dataset]:
    """Judge a program by what was observed of its steps, under a contract."""
    found: Judgement[Dataset] = Judgement()
    state, streamed = EMPTY, Streamed()
    for step, (operation, observed) in enumerate(zip(program, seen, strict=False)):
        found.states.append(state)
        if observed.ending.ended == "not-expressible":
            found.skipped.append(observed.ending.why)
            break
        found.operations += 1
        if isinstance(operation, Feed):
            streamed = replace(streamed, fed=streamed.fed + rows_of(operation.rows))
            continue
        verdicts = _verdicts(operation, state, streamed, observed)
        found.clauses.update(set(verdicts.clauses))
        said = observed.ending.message, observed.ending.stack
        for breach in verdicts.breaches:
            signature = f"{breach.who or describe.situation(operation, state)}: {breach.symptom}"
            found.departs(signature, step, operation.NAME, breach, contract, dataset_clauses(), *said)
        state = verdicts.after
        if isinstance(operation, Stream):
            streamed = replace(streamed, seen=observed.look.counted())
    found.states.append(state)
    return found


def _verdicts(operation: Judgeable, state: Dataset, streamed: Streamed, observed: Observed) -> Verdicts:
    if isinstance(operation, Write):
        return judge_write(operation, state, observed.ending, observed.look)
    if isinstance(operation, WriteBoth):
        return judge_both(operation, state, observed.ending, observed.look)
    return judge_stream(operation, streamed, observed.ending, observed.look)
