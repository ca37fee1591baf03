"""Campaigns: what a unit costs, how two cores scale, what Spark costs beside the plain engine, and a simulated cluster.

``python benchmarks/bench_campaign.py [PROGRAMS=36000] [ROUNDS=3]``. All on the store in memory, which no two executors
share. Goals: local[2] at least 1.7 times local[1]; a campaign that takes the engine's own exploration ten minutes takes
local[1] at most 15% more. For that two campaigns are run, of which one has six times the programs: what the others
cost is the slope, and the rest is paid once, as is what lies beside the jobs. Each ratio is of runs that follow one
another, and the median over the rounds is told.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import campaigns

from fsconform.pipeline.bootstrap import spare_archives
from fsconform.pipeline.session import session
from fsconform.pipeline.simulate import Cluster, simulate

SUITES = ("namespace", "paths", "content")
SEED = 5
UNIT = 3000
"""A task is to take seconds, not tenths of one: the store in memory judges some thousand programs in that time."""
CAMPAIGN_SECONDS = 600.0
SCALING_GOAL, OVERHEAD_GOAL = 1.7, 0.15
EXECUTORS = (1, 2, 10, 100, 300, 1000)
TASKS = 200
FEWER = 6
LOSS, SHARED = 0.001, 8
"""Attempts that are lost, of all; units that a shared store serves at a time: assumed, not measured."""


def spark(master: str, programs: int, folder: str) -> tuple[float, float, list[float]]:
    """Wall seconds of the whole command and of its jobs, and the seconds that each source of units took for a unit."""
    suites = [word for suite in SUITES for word in ("--suite", suite)]
    options = ("--store", "proving", "--programs", str(programs), "--unit", str(UNIT), "--seed", str(SEED))
    out = Path(tempfile.mkdtemp(dir=folder))
    results, seconds, _ = campaigns.campaign(out, *options, *suites, "--master", master)
    (record,) = results.stores
    units = [one.seconds / max(1.0, one.programs / UNIT) for one in record.explorers if one.programs]
    return seconds, record.seconds, units


def tasks(folder: str) -> tuple[float, float]:
    """Seconds that the driver needs to launch a task that does nothing, and that such a task takes in Python."""
    with session("local[2]", {}, Path(folder) / "logs") as opened:

        def nothing(batches: Iterator[Any]) -> Iterator[Any]:
            yield from batches
            spare_archives()

        def timed(number: int, python: bool) -> float:
            frame = opened.range(0, number, 1, number)
            begun = time.monotonic()
            (frame.mapInArrow(nothing, "id long") if python else frame).agg({"id": "sum"}).collect()
            return time.monotonic() - begun

        timed(20, False), timed(20, True)  # both are slow the first time
        launch, python = timed(10 * TASKS, False) / (10 * TASKS), timed(TASKS, True) / TASKS
    return launch, python * 2  # two at a time


def main(programs: str = "36000", rounds: str = "3") -> int:
    """Measure and print; 1 if a goal is missed."""
    count, scaling, overheads, costs, fixed = int(programs), [], [], [], []
    with tempfile.TemporaryDirectory(prefix="fsconform-bench-") as folder:
        for number in range(int(rounds)):
            _, short, _ = spark("local[1]", count // FEWER, folder)
            whole, one, units = spark("local[1]", count, folder)
            _, two, _ = spark("local[2]", count, folder)
            plain = campaigns.plain("proving", SUITES, count, SEED, prove=False).seconds
            scaling.append(one / two)
            slope = (one - short) / (count - count // FEWER)
            paid_once = whole - slope * count
            overheads.append(slope * count / plain - 1 + paid_once / CAMPAIGN_SECONDS)
            fixed.append(paid_once)
            costs += units
            print(
                f"round {number + 1}: load {os.getloadavg()[0]:.1f}: plain {plain:.1f} s, local[1] {one:.1f} s, "
                f"of {count // FEWER} programs {short:.1f} s, local[2] {two:.1f} s, paid once {paid_once:.1f} s",
                flush=True,
            )
        launch, task = tasks(folder)
    print(f"a task: the driver launches one in {launch * 1000:.1f} ms; an empty one takes Python {task * 1000:.0f} ms")
    scale, overhead = statistics.median(scaling), statistics.median(overheads)
    print(
        f"a unit of {UNIT} programs: {statistics.median(costs):.2f} s (median), {min(costs):.2f} to {max(costs):.2f} s"
    )
    print(f"local[2] against local[1]: {scale:.2f} (goal {SCALING_GOAL})")
    print(f"Spark beside the plain engine, ten minutes: {overhead:+.1%} (goal {OVERHEAD_GOAL:.0%})")
    for executors in EXECUTORS:
        cluster = Cluster(executors, 1, statistics.median(fixed), launch, task, loss=LOSS)
        shared = replace(cluster, capacity=SHARED)
        own, bound = (simulate(which, costs, 20_000) for which in (cluster, shared))
        print(
            f"simulated, {executors:5} executors, 20,000 units: {own.seconds:9.0f} s, {own.speedup:6.1f} times; "
            f"one shared store for 8 units at a time: {bound.speedup:5.1f} times"
        )
    return 0 if scale >= SCALING_GOAL and overhead <= OVERHEAD_GOAL else 1


if __name__ == "__main__":
    campaigns.fixed_hashes()
    raise SystemExit(main(*sys.argv[1:]))
