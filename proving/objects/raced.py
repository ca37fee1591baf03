"""The object store in memory for several clients: one request at a time, but for the gaps that seeded faults leave."""

from __future__ import annotations

import functools
import threading
import time
from typing import Any

from fsconform.proving.objects.lists import ListingObjects

GAP_SECONDS = 0.0003
"""How long a gap in a request of a faulty store lasts: others have the store meanwhile."""

WAY_SECONDS = 0.00005
"""How long a request is on its way, and the answer: the time in which those of several clients overlap."""


class RacedObjects(ListingObjects):
    """A store that several clients ask, one at a time. Faults override its methods and leave gaps in them."""

    def __init__(self) -> None:
        super().__init__()
        self.busy = threading.Lock()
        self.caller = 0
        self.several = False
        """Whether there is more than one client: one alone is answered at once."""

    def gap(self) -> None:
        """Let others in for a moment, in the middle of a request."""
        caller = self.caller
        self.busy.release()
        try:
            time.sleep(GAP_SECONDS)
        finally:
            self.busy.acquire()
            self.caller = caller

    def client(self, number: int) -> RacedClient:
        """A client of the store, with the methods of boto3's."""
        self.several |= number > 0
        return RacedClient(self, number)


class RacedClient:
    """One client of the store."""

    def __init__(self, store: RacedObjects, number: int) -> None:
        self._store, self._number = store, number

    def __getattr__(self, name: str) -> Any:
        return functools.partial(self._ask, getattr(self._store, name))

    def _ask(self, method: Any, **parameters: Any) -> Any:
        if self._store.several:
            time.sleep(WAY_SECONDS)
        with self._store.busy:
            self._store.caller = self._number
            answer = method(**parameters)
        if self._store.several:
            time.sleep(WAY_SECONDS)
        return answer
