"""Which properties say how often and how long Hadoop's clients try again, for users whose calls last too long.

Sources: core-default.xml and hdfs-default.xml of Hadoop 3.5.0; the documents of the connectors that Hadoop has not.
"""

from __future__ import annotations

PROPERTIES: dict[str, tuple[str, ...]] = {
    "hdfs": ("ipc.client.connect.max.retries", "ipc.client.connect.max.retries.on.timeouts"),
    "viewfs": ("ipc.client.connect.max.retries", "ipc.client.connect.max.retries.on.timeouts"),
    "s3a": ("fs.s3a.retry.limit", "fs.s3a.attempts.maximum", "fs.s3a.connection.timeout"),
    "abfs": ("fs.azure.io.retry.max.retries", "fs.azure.io.retry.max.backoff.interval"),
    "abfss": ("fs.azure.io.retry.max.retries", "fs.azure.io.retry.max.backoff.interval"),
    "gs": ("fs.gs.http.max.retry", "fs.gs.http.read-timeout"),
    "cosn": ("fs.cosn.maxRetries", "fs.cosn.retry.interval.seconds"),
}
"""By the scheme of a store's URI, the properties to lower."""


def advice(scheme: str) -> str:
    """What a user can do about calls that last too long; which properties, where they are known."""
    known = PROPERTIES.get(scheme)
    if known is None:
        return "if its client retries, lower what its properties say of retries and time-outs (--conf NAME=VALUE)"
    return f"if its client retries, lower {' or '.join(known)} (--conf NAME=VALUE)"
