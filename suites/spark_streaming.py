"""Streaming queries of Spark from a directory of files to a file sink, whose driver is killed in each phase."""

from __future__ import annotations

from collections.abc import Iterator

from fsconform.model.datasets.operations import PHASES, Fault, Feed, Stream
from fsconform.suites.spark_writers import SPARK_WRITERS, DatasetSuite, Trial

FIRST, SECOND, THIRD = (0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)


def _plain() -> Iterator[Trial]:
    for partitioned in (False, True):
        yield Trial(
            "streams",
            (Feed(FIRST), Feed(SECOND), Stream(partitioned=partitioned), Feed(THIRD), Stream(partitioned=partitioned)),
        )
    yield Trial("streams", (Feed(FIRST), Stream("json"), Stream("json")))


def _killed() -> Iterator[Trial]:
    """The driver is killed in each phase of the first batch, and of a later one."""
    for phase in PHASES:
        kill = Stream(fault=Fault("halt", phase))
        yield Trial("killed streams", (Feed(FIRST), Feed(SECOND), kill, Stream()))
        yield Trial("killed streams", (Feed(FIRST), Stream(), Feed(SECOND), kill, Feed(THIRD), Stream()))


def _failed() -> Iterator[Trial]:
    for phase in ("task-write", "task-commit", "job-commit"):
        fail = Stream(fault=Fault("fail", phase))
        yield Trial("failed streams", (Feed(FIRST), Feed(SECOND), fail, Stream()))
    twice = Stream(partitioned=True, fault=Fault("halt", "job-commit"))
    yield Trial("killed streams", (Feed(FIRST), twice, Feed(SECOND), twice, Stream(partitioned=True)))


SPARK_STREAMING = DatasetSuite(
    "spark-streaming",
    "streaming queries with a checkpoint into a file sink: each row once, whatever was killed",
    (*_plain(), *_killed(), *_failed()),
    default=False,
)

DATASET_SUITES = {suite.name: suite for suite in (SPARK_WRITERS, SPARK_STREAMING)}
"""The suites of what Spark's writers leave, by name."""
