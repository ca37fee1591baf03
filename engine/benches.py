"""The sessions of one store, each with the judge: lent to the threads that drive it."""

from __future__ import annotations

import queue
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from fsconform.engine.busy import BusyTime
from fsconform.engine.internal import InternalErrors
from fsconform.engine.judge import Judge
from fsconform.engine.protocol import Store
from fsconform.engine.trial import Bench
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.oracle import Oracle


class Benches:
    """The sessions of one store: one for each shard, opened when first needed."""

    def __init__(self, store: Store, contract: Contract, shards: int) -> None:
        self.store = store
        self.oracle = Oracle(contract)
        self.judge = Judge(self.oracle)
        self.shards = shards
        self.busy = BusyTime()
        self.internal = InternalErrors()
        self._free: queue.LifoQueue[Bench | None] = queue.LifoQueue()
        self._all: list[Bench] = []
        for _ in range(shards):
            self._free.put(None)

    def judge_by(self, contract: Contract) -> None:
        """Judge by another contract from now on."""
        self.oracle = Oracle(contract)
        self.judge = Judge(self.oracle)
        for bench in self._all:
            bench.judge = self.judge

    def open(self) -> None:
        """Open all sessions, at the same time. Raises StoreLost or SandboxRefused."""
        with ThreadPoolExecutor(self.shards, thread_name_prefix="opening") as pool:
            taken = [pool.submit(self.take) for _ in range(self.shards)]
        benches = [one.result() for one in taken if one.exception() is None]
        for bench in reversed(benches):
            self.give_back(bench)
        for one in taken:
            one.result()

    def take(self) -> Bench:
        """A bench that no other thread uses. Raises StoreLost or SandboxRefused."""
        bench = self._free.get()
        if bench is None:
            try:
                bench = Bench(self.store.session(), self.judge, self.busy, self.internal, self.store.session)
            except BaseException:
                self._free.put(None)
                raise
            self._all.append(bench)
        return bench

    def give_back(self, bench: Bench) -> None:
        """Let others use the bench."""
        self._free.put(bench)

    @contextmanager
    def lent(self) -> Iterator[Bench]:
        """A bench for a while. Raises StoreLost or SandboxRefused."""
        bench = self.take()
        try:
            yield bench
        finally:
            self.give_back(bench)

    @property
    def sessions(self) -> int:
        """How many sessions were opened."""
        return len(self._all)

    @property
    def store_nanoseconds(self) -> int:
        """Time spent inside the store's calls, over all sessions."""
        return sum(bench.store_nanoseconds for bench in self._all)

    @property
    def throttled(self) -> Counter[str]:
        """How often the store asked to try again, by the reason it gave, over all sessions."""
        return sum((bench.throttled for bench in self._all), Counter())

    def close(self) -> None:
        """Close all sessions, one after another: the last removes what they share. May be called twice."""
        for bench in self._all:
            bench.session.close()
