"""How many requests a store's client has made, as it counts them itself. All of it is Hadoop's own bookkeeping."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm

_KINDS = (re.compile(r"object_(\w+?)_requests?"), re.compile(r"action_http_(\w+?)_requests?"))
"""Names of counters of single requests; the first form that a client has any of is the one to count by."""


def read(filesystem: Any) -> dict[str, int]:
    """The counters of a FileSystem's requests by kind; empty if it counts none.

    Object stores tell in their IOStatistics what they ask of the service; of others Hadoop counts reads and writes.
    """
    try:
        statistics = _retriever()(filesystem)
        if statistics is not None:
            found = statistics.counters()
            named = _named(tuple(jvm.text(name) for name in found.keySet()))
            if named:
                return {kind: int(found.get(name)) for name, kind in named}
        counted = jpype.JClass("org.apache.hadoop.fs.FileSystem").getStatistics(
            filesystem.getScheme(), filesystem.getClass()
        )
        return {"read": int(counted.getReadOps()), "write": int(counted.getWriteOps())}
    except (jvm.JavaError, TypeError, AttributeError):
        # A FileSystem without a scheme, or a Hadoop without IOStatistics: nothing is counted.
        return {}


def since(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """What came to the counters in between, without those that stood still."""
    return {kind: number - before.get(kind, 0) for kind, number in after.items() if number > before.get(kind, 0)}


@cache
def _retriever() -> Any:
    return jpype.JClass("org.apache.hadoop.fs.statistics.IOStatisticsSupport").retrieveIOStatistics


@cache
def _named(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    for form in _KINDS:
        named = tuple((name, match[1]) for name in sorted(names) if (match := form.fullmatch(name)))
        if named:
            return named
    return ()
