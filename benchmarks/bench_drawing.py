"""Drawing programs of the state machines: by one process and by two, the first of each suite, and judged as they come.

Goals: 500 programs a second by the two cores there are, the first program of a suite within 0.1 s. Both are held
against the processor time of one process, from which other work on the machine takes less than from wall time. Two
processes draw the same programs as one, which is checked.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor

from fsconform.adapters.stores.contracts import load_shipped
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import Job
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle
from fsconform.proving.session import ProvingStore
from fsconform.suites.exploring import chunks, explorer
from fsconform.suites.registry import DEFAULT, SUITES

GOAL = 500
FIRST_GOAL = 0.1
CHUNKS = range(3, 6)
"""Of full size: the first ones are smaller."""
CONTRACT = Contract(load_shipped("proving").declared)

Drawn = tuple[str, int, str]
"""A suite, how many programs were drawn of it, and a digest of them."""


def draw(name: str) -> Drawn:
    """The chunks of one suite."""
    made = chunks(SUITES[name], Oracle(CONTRACT), 1)
    programs = [program for number in CHUNKS for program in made(number)]
    return name, len(programs), hashlib.sha256(repr(programs).encode()).hexdigest()


def timed(drawn: Iterable[Drawn]) -> tuple[float, float, list[Drawn]]:
    """Programs a second of wall time and of this process's processor time, and what was drawn."""
    begun, used = time.perf_counter(), time.process_time()
    found = list(drawn)
    count = sum(count for _, count, _ in found)
    return count / (time.perf_counter() - begun), count / (time.process_time() - used), found


def judged() -> float:
    """Programs a second of processor time, drawn, executed on the store in memory and judged in one process."""
    judge, session = Judge(Oracle(CONTRACT)), ProvingStore().session()
    begun, count = time.process_time(), 0
    for name in DEFAULT:
        for program in chunks(SUITES[name], judge.oracle, 1)(CHUNKS[0]):
            (execution,) = session.execute([Job(program)])
            assert not judge.judge(execution.trace).findings
            count += 1
    session.close()
    return count / (time.process_time() - begun)


def main() -> int:
    """Measure and print; 1 if a goal is missed."""
    next(explorer(SUITES["safemode"], Oracle(CONTRACT), 1).source(0))  # loads Hypothesis
    firsts = []
    for name in DEFAULT:
        begun = time.process_time()
        next(explorer(SUITES[name], Oracle(CONTRACT), 1).source(0))
        firsts.append((time.process_time() - begun, name))
    slowest = max(firsts)[0]
    print("first program, ms of processor time:", ", ".join(f"{one} {1000 * spent:.0f}" for spent, one in firsts))
    print(f"the slowest: {1000 * slowest:.0f} ms (goal {1000 * FIRST_GOAL:.0f})")
    alone, rate, expected = timed(map(draw, DEFAULT))
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(draw, ("safemode", "safemode")))
        both, _, found = timed(pool.map(draw, DEFAULT))
    assert found == expected, "two processes draw other programs than one"
    print(f"one process: {rate:,.0f} programs a second of processor time (goal {GOAL})")
    print(f"one process {alone:,.0f} a second of wall time, two {both:,.0f}, ratio {both / alone:.2f}")
    print(f"drawn, executed and judged by one process: {judged():,.0f} a second of processor time")
    return 0 if rate >= GOAL and slowest <= FIRST_GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
