"""Lanes of steps, performed at once by threads of one session."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from fsconform.engine.protocol import Threads

LEAD_NANOSECONDS = 400_000
"""From the moment at which the threads are told of their lanes to the common start."""

_EAGER_NANOSECONDS = 200_000
"""From so long before a moment on it is waited for by the shortest sleeps: one may take longer than it is asked for."""

_AWAKE_NANOSECONDS = 100_000
"""From so long before it on it is waited for awake, by one who is alone: no longer, as that takes a processor."""

_BEAT_SECONDS = 0.5
_SWITCH_SECONDS = 0.00002
"""How long Python lets one thread go on while others wait: by default that is longer than most calls take."""

_T = TypeVar("_T")


def perform(
    threads: Threads, act: Callable[[int, int], _T], pool: ThreadPoolExecutor, beat: Callable[[], None] = lambda: None
) -> list[_T]:
    """What ``act`` gives for each step, from the numbers of its lane and of the step, in the program's order.

    ``pool`` has a thread for each lane. ``beat`` is called by this thread now and then, as long as steps come to their
    ends. Raises what ``act`` raises, once all threads are done.
    """
    start, done = time.monotonic_ns() + LEAD_NANOSECONDS, [0] * len(threads.lengths)

    def run(lane: int) -> list[_T]:
        wait_until(start + threads.delays[lane])
        found = []
        for step in threads.lanes[lane]:
            found.append(act(lane, step))
            done[lane] += 1
        return found

    with _switching():
        running = [pool.submit(run, lane) for lane in range(len(threads.lengths))]
        before, left = 0, set(running)
        while left:
            left = wait(left, _BEAT_SECONDS).not_done
            if left and sum(done) > before:
                before = sum(done)
                beat()
    return [one for each in running for one in each.result()]


def perform_anew(threads: Threads, act: Callable[[int, int], _T]) -> list[_T]:
    """As :func:`perform`, by threads that are made for it."""
    with ThreadPoolExecutor(len(threads.lengths), "lane") as pool:
        return perform(threads, act, pool)


def wait_until(moment: int, alone: bool = False) -> None:
    """Wait up to a moment of the monotonic clock.

    It is met to a microsecond where this thread is ``alone``, with no other of its process to go on meanwhile; else to
    some sixty, as long as the shortest sleep: others have the interpreter then.
    """
    eager = _AWAKE_NANOSECONDS if alone else _EAGER_NANOSECONDS
    while (left := moment - time.monotonic_ns()) > 0:
        if left > eager or not alone:
            time.sleep(max(0, left - eager) / 1e9)


@contextmanager
def _switching() -> Iterator[None]:
    """Python's threads take turns more often meanwhile."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
