"""Directories of programs in stores that the harness starts: made by its cheaper ways, against made by the client.

The same short programs are executed in both ways by turns, in one session each. A ratio of wall time, and one of the
processor time of the worker, of what it starts and of the service, are taken of each round; their medians are shown.
"""

from __future__ import annotations

import itertools
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import psutil

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.adapters.stores.site import Connection, Setup
from fsconform.engine.explorers import enumeration
from fsconform.engine.protocol import Job
from fsconform.harness.presets import PRESETS
from fsconform.harness.sites import connect
from fsconform.model.filesystem.oracle import Oracle

STORES = ("rawlocal", "file", "s3a")
PROGRAMS = 128
ROUNDS = 3
Spent = tuple[float, float]
"""Seconds of wall time and of processor time."""


def processor_seconds() -> float:
    """What all processes that this one started have used, with what they started and waited for."""
    spent = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += times.user + times.system + times.children_user + times.children_system
    return spent


def spent_on(connection: Connection, setup: Setup, jobs: list[Job]) -> Spent:
    """What executing the programs takes, beginning with a session that has executed some."""
    store = connect(connection, setup)
    try:
        session = store.session()
        try:
            warm = PROGRAMS // 2
            list(session.execute(jobs[:warm]))
            began, used = time.monotonic(), processor_seconds()
            list(session.execute(jobs[warm:]))
            return time.monotonic() - began, processor_seconds() - used
        finally:
            session.close()
    finally:
        store.close()


def ratios(name: str, logs: Path) -> tuple[list[float], list[float]]:
    """Wall time and processor time of the cheaper way over those of the client's, a round each."""
    oracle = Oracle(load_shipped(PRESETS[name].contract))
    programs = itertools.islice(enumeration(2, oracle, 0).source(0), PROGRAMS + PROGRAMS // 2)
    jobs = [Job(program) for _, program in programs]
    setup = Setup(logs, lambda text: None)
    site = PRESETS[name].bring_up(PRESETS[name], setup)
    walls, used = [], []
    try:
        for _ in range(ROUNDS):
            ours, clients = (
                spent_on(replace(site.connection, own=own), setup, jobs) for own in (site.connection.own, False)
            )
            walls.append(ours[0] / clients[0])
            used.append(ours[1] / clients[1])
    finally:
        site.close()
    return walls, used


def main() -> None:
    """Print a line for each store."""
    with tempfile.TemporaryDirectory(prefix="fsconform-bench-") as logs:
        for name in STORES:
            walls, used = ratios(name, Path(logs))
            print(
                f"{name}: {PROGRAMS} programs of two operations take {statistics.median(walls):.2f} of the wall time "
                f"and {statistics.median(used):.2f} of the processor time that they take with directories made by the "
                "client",
                flush=True,
            )


if __name__ == "__main__":
    main()
