"""The ids of the clauses that blocks and replicas are judged by; specs/clauses/ has their text and their source."""

from __future__ import annotations

_PAPER, _HISTORY = "hdfs-paper-2010.", "hdfs-append-history."

BLOCK_SIZE = _PAPER + "blocks.size"
UNIQUE_ID = _PAPER + "blocks.unique-id"
PER_FILE = _PAPER + "replication.per-file"
KEPT = _PAPER + "replication.kept"
OVER = _PAPER + "replication.over"
STORED = _PAPER + "replicas.stored"
LENGTH = _PAPER + "replicas.length"
LOCATIONS = _PAPER + "reports.locations"
REPLICATED = _PAPER + "heartbeats.replicated"
NEXT_BLOCK = _PAPER + "pipeline.next-block"
HFLUSH_ALL = _PAPER + "pipeline.hflush-all"
STAGES = _PAPER + "pipeline.stages"
OPEN_LENGTH = _PAPER + "reading.open-length"
NEXT_REPLICA = _PAPER + "reading.next-replica"
VERIFIED = _PAPER + "checksums.verified"
REPORTED = _PAPER + "checksums.reported"
OTHER_REPLICA = _PAPER + "checksums.other-replica"
KEPT_FIRST = _PAPER + "checksums.kept-first"
REPLACED = _PAPER + "checksums.replaced"
SCANNED = _PAPER + "scanner.finds"
OUTDATED = _HISTORY + "stamps.outdated"
INCREASE = _HISTORY + "stamps.increase"
OLD_REPORTED = _HISTORY + "stamps.reported"
ALL_NODES = _HISTORY + "hflush.all-nodes"
EXCLUSIVE = _PAPER + "leases.exclusive"
RENEWED = _PAPER + "leases.renewed"
SOFT_LIMIT = _PAPER + "leases.soft-limit"
TAKEOVER = _PAPER + "leases.takeover"
HARD_LIMIT = _PAPER + "leases.hard-limit"
CONVERTED = _PAPER + "upgrade.converted"
REQUIRED = _PAPER + "upgrade.required"
ONE_UPGRADE = _PAPER + "upgrade.one"
OLD_KEPT = _PAPER + "upgrade.old-kept"
LAYOUT_STORED = _PAPER + "upgrade.layout-stored"
ROLLBACK = _PAPER + "upgrade.rollback"
ROLLBACK_BLOCKS = _PAPER + "upgrade.rollback-blocks"
NO_FORWARD = _PAPER + "upgrade.no-forward"
FINALIZE = _PAPER + "upgrade.finalize"

CLAUSES = frozenset(
    {
        *(BLOCK_SIZE, UNIQUE_ID, PER_FILE, KEPT, OVER, STORED, LENGTH, LOCATIONS, REPLICATED),
        *(NEXT_BLOCK, HFLUSH_ALL, STAGES, OPEN_LENGTH, NEXT_REPLICA),
        *(VERIFIED, REPORTED, OTHER_REPLICA, KEPT_FIRST, REPLACED, SCANNED),
        *(OUTDATED, INCREASE, OLD_REPORTED, ALL_NODES),
        *(EXCLUSIVE, RENEWED, SOFT_LIMIT, TAKEOVER, HARD_LIMIT),
        *(CONVERTED, REQUIRED, ONE_UPGRADE, OLD_KEPT, LAYOUT_STORED),
        *(ROLLBACK, ROLLBACK_BLOCKS, NO_FORWARD, FINALIZE),
    }
)
"""All of them."""
