"""How much of a run a page shows, so that a store that breaks everything makes no page that a browser can't open."""

from __future__ import annotations

from dataclasses import dataclass

PAGE_AT_MOST = 2_000_000
"""Bytes of one page."""
IN_FULL = 100
"""Divergences that one page shows in full, if ALL_AT_MOST allows it."""
ALL_AT_MOST = 1_000_000
"""Bytes of all divergences that one page shows in full."""
ONE_AT_MOST = 120_000
"""Bytes of one of them."""
REST_LISTED = 300
"""Rows of further divergences, which are only named."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that is shown of one divergence.

    ``steps`` of its program, ``text`` characters in a cell of a table, ``block`` characters of a stack trace or a log.
    """

    steps: int
    text: int
    block: int


CAPS = (Caps(60, 400, 20_000), Caps(60, 200, 4_000), Caps(40, 80, 1_000), Caps(20, 40, 400))
"""From generous to narrow: a divergence is shown with the first that keeps it below ONE_AT_MOST, else with the last."""


@dataclass(frozen=True, slots=True)
class IndexCaps:
    """The most that the index shows: ``listed`` rows of one table, ``text`` characters of one signature."""

    listed: int
    text: int


INDEX_CAPS = (IndexCaps(300, 300), IndexCaps(100, 100), IndexCaps(20, 40))
"""From generous to narrow: the index is made with the first that keeps it below PAGE_AT_MOST, else with the last."""
