"""An event loop of one session, in a thread of its own, that ends when the session ends.

fsspec has one loop for the whole process, in a thread that Python freezes as it ends. What is closed later, such as
a file object that is collected then, waits for that loop without end. On a loop that was closed such a call fails at
once.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from concurrent.futures import TimeoutError as NotInTime
from contextlib import suppress

PATIENCE = 3.0
"""Seconds that calls under way have to be cancelled in, and the thread to end."""


class OwnLoop:
    """A loop that runs from now to :meth:`close`, which the end of Python calls too."""

    def __init__(self, name: str) -> None:
        """Start a thread of that name."""
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name=name, daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def close(self) -> None:
        """Cancel what is under way and end the thread, in twice PATIENCE at most. May be called twice."""
        atexit.unregister(self.close)
        if self.loop.is_closed():
            return
        if self._thread.is_alive():
            with suppress(NotInTime):
                asyncio.run_coroutine_threadsafe(_cancelled(), self.loop).result(PATIENCE)
            self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(PATIENCE)
        if not self._thread.is_alive():  # else it is stuck, and Python ends without it
            self.loop.close()


async def _cancelled() -> None:
    """Cancel all other tasks of this loop, and wait for them."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
