"""Errors by which a store, or the way to it, says "try again": they tell nothing of what the store conforms to.

The one table of them. Whatever else a store raises is an answer, and is judged. An error is known by the fully
qualified name of its class or of one that it extends; where a class says other things too, its message decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sign:
    """A class of errors that say so, and why; only those with a ``message`` that matches, if there is a pattern."""

    name: str
    why: str
    message: re.Pattern[str] | None = None


_BUSY = re.compile(r"Status Code: (?:429|503)\b|\bSlowDown\b")

SIGNS: tuple[Sign, ...] = (
    # S3A. Its own retries have come to an end when a caller sees these.
    Sign("org.apache.hadoop.fs.s3a.AWSServiceThrottledException", "the store throttles: HTTP 503 or 429"),
    Sign("org.apache.hadoop.fs.s3a.AWSStatus500Exception", "the store failed in itself: HTTP 500"),
    Sign("org.apache.hadoop.fs.s3a.AWSServiceIOException", "the store throttles: HTTP 503 or 429", _BUSY),
    # The way to the store. A FileSystem method has no such meaning for any of them.
    Sign("java.net.ConnectException", "nobody answers at the store's address"),
    Sign("java.net.NoRouteToHostException", "there is no way to the store's address"),
    Sign("java.net.SocketTimeoutException", "the store did not answer in time"),
    Sign("java.io.InterruptedIOException", "the store did not answer in time, or the call was cut off"),
    # Hadoop's RPC and the NameNode: not now, or not here.
    Sign("org.apache.hadoop.ipc.RetriableException", "the server asks to try again"),
    Sign("org.apache.hadoop.ipc.StandbyException", "the server is a standby"),
    Sign("org.apache.hadoop.hdfs.server.namenode.SafeModeException", "the NameNode is in safe mode"),
)

THROTTLES = re.compile(r"(?:Throttled|Throttling|Throttle|SlowDown|TooManyRequests)(?:Exception|Error)$")
"""How connectors name errors of this kind that the table cannot know: the end of a class's own name."""

_BY_NAME: dict[str, tuple[Sign, ...]] = {
    name: tuple(sign for sign in SIGNS if sign.name == name) for name in {sign.name for sign in SIGNS}
}


def reason(classes: Iterable[str], message: str) -> str:
    """Why an error of these classes, itself first, says "try again"; empty if it does not."""
    names = tuple(classes)
    for name in names:
        for sign in _BY_NAME.get(name, ()):
            if sign.message is None or sign.message.search(message):
                return f"{sign.why} ({_short(names[0])})"
        if THROTTLES.search(_short(name)):
            return f"the store throttles ({_short(names[0])})"
    return ""


def _short(name: str) -> str:
    return name.rpartition(".")[2].rpartition("$")[2]
