"""The real root directory: only on request, and only on a store that is the harness's own."""

from __future__ import annotations

from fsconform.engine.grammar import Suite

ROOT = Suite(
    "root",
    "operations on the real root directory of a store of its own",
    witnesses=("root",),
    default=False,
    root=True,
)
