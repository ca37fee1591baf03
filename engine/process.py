"""What is set once for a process that is fsconform's own: a command, or a worker of Spark that executes units."""

from __future__ import annotations

import gc

YOUNGEST, MIDDLE, OLDEST = 50_000, 20, 50
"""Objects, and collections of the younger ones, before the collector looks at them."""


def collect_seldom() -> None:
    """Let the cycle collector run less often, and never look again at what is there already.

    Judging makes millions of small objects that no cycle holds; a fifth of its time would go to looking for some.
    """
    gc.freeze()
    gc.set_threshold(YOUNGEST, MIDDLE, OLDEST)
