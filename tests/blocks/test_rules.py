"""Which readings of an open file may fail: those that need a node of which nothing is known, or which is down."""

from __future__ import annotations

import pytest

from fsconform.engine.blocks.subject import judge
from fsconform.model.blocks import steps
from fsconform.model.blocks.answers import Answer, Block, Done, Failed, Got, Replica
from fsconform.model.blocks.contract import PROMISED
from fsconform.model.blocks.steps import BLOCK_BYTES, Program
from fsconform.model.core.content import of

HOLDER, OTHER = steps.NODES[:2]
READ = (steps.Read("a"), Got((Failed("CannotObtainBlockLengthException", "last block"),)))
UNFLUSHED = ((steps.Begin("a", 1), Done()), (steps.Write("a", of(1, 9)), Done()))


def flushed(length: int) -> tuple[tuple[steps.Step, Answer], ...]:
    """A file with one replica, flushed: one block, on a node that is known."""
    block = Block(1, 1001, length, (Replica(HOLDER, "live", 1001, length),))
    written = (steps.Write("a", of(1, length)), Done())
    return ((steps.Begin("a", 1), Done()), written, (steps.Hflush("a"), Done(blocks=(block,))))


@pytest.mark.parametrize(
    ("played", "breaks"),
    [
        ((*UNFLUSHED, (steps.Kill("a"), Done(HOLDER)), READ), False),
        ((*flushed(BLOCK_BYTES), (steps.Write("a", of(2, 9)), Done()), (steps.Kill("a"), Done(OTHER)), READ), False),
        ((*flushed(9), (steps.Kill("a"), Done(HOLDER)), READ), False),
        ((*flushed(9), (steps.Kill("a"), Done(OTHER)), READ), True),
        ((*flushed(9), (steps.Write("a", of(2, 9)), Done()), (steps.Kill("a"), Done(OTHER)), READ), True),
        (((steps.Begin("a", 1), Done()), READ), True),
    ],
)
def test_a_reading_that_failed_is_judged_where_a_good_replica_is_surely_there(
    played: tuple[tuple[steps.Step, Answer], ...], breaks: bool
) -> None:
    program: Program = tuple(step for step, _ in played)
    found = judge(program, [answer for _, answer in played], PROMISED)
    assert any("failed although there are good replicas" in one.signature for one in found.findings) is breaks
