"""Listings of directories that grow."""

from __future__ import annotations

from functools import partial

from fsconform.engine.grammar import Suite
from fsconform.engine.ladders import children

MOST_CHILDREN = 129

LISTING = Suite(
    "listing",
    f"directories of up to {MOST_CHILDREN} entries",
    witnesses=("queries",),
    ladders=partial(children, MOST_CHILDREN),
)
