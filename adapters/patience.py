"""How long processes of our own are waited for: so much longer as other work keeps this machine's processors busy.

For what fsconform starts itself, its services, workers and tools. What a user gives as a time-out stays what it is.
"""

from __future__ import annotations

import os
import time

MOST = 8.0
"""So many times its base a wait may take at most: a process that hangs is given up on the busiest machine, too."""


def busyness() -> float:
    """How many threads want each core, by the average of the last minute: from 1 to :data:`MOST`."""
    try:
        load = os.getloadavg()[0]
    except OSError:  # some systems do not tell
        return 1.0
    return min(MOST, max(1.0, load / (os.cpu_count() or 1)))


def patient(seconds: float) -> float:
    """A time of so many seconds on an idle machine, as it is now."""
    return seconds * busyness()


class Patience:
    """A wait for what takes at most so many ``seconds`` on an idle machine. It begins when it is made.

    It grows while it lasts with the greatest busyness seen, and never shrinks.
    """

    def __init__(self, seconds: float) -> None:
        self._base, self._factor, self._began = seconds, 1.0, time.monotonic()

    @property
    def seconds(self) -> float:
        """What the wait may take in all, by what was seen of the machine so far."""
        self._factor = max(self._factor, busyness())
        return self._base * self._factor

    @property
    def left(self) -> float:
        """Seconds that are left; 0 if it is over."""
        return max(0.0, self._began + self.seconds - time.monotonic())

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return not self.left
