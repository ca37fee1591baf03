"""An event loop of one session, in a thread of its own, that ends when the session ends.

fsspec has one loop for the whole process, in a thread that Python freezes as it ends. What is closed later, such as
a file object that is collected then, waits for that loop without end. On a loop that was closed such a call fails at
once.
"""

from __future__ import annotations

import asyncio
import atexit
import threading

PATIENCE = 5.0
"""Seconds that calls under way have to be cancelled in, and the thread to end."""


class OwnLoop:
    """A loop that runs from now to :meth:`close`, which the end of Python calls too."""

    def __init__(self, name: str) -> None:
        """Start a thread of that name."""
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        self._told = False
        atexit.register(self.close)

    def close(self) -> None:
        """Cancel what is under way and end the thread, in PATIENCE; one that is stuck is left. May be called twice."""
        atexit.unregister(self.close)
        if not self._told:
            self._told = True
            self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        self.loop.run_forever()
        left = asyncio.all_tasks(self.loop)
        for task in left:
            task.cancel()
        self.loop.run_until_complete(_ended(left))
        self.loop.close()


async def _ended(tasks: set[asyncio.Task[object]]) -> None:
    """Wait for them, whatever they raise."""
    await asyncio.gather(*tasks, return_exceptions=True)
