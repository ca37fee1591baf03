"""The suites of blocks and replicas: what is done to files and machines of a cluster, a program for each situation.

``replicas``: replication that is set up and down, replicas that are spoilt and met by readers or by a scanner, nodes
that are away and come back. ``pipeline``: a writer whose DataNodes are killed at each stage, with readers beside it.
``cluster-leases``: writers that live, are idle or gone, and another client that wants their files. ``upgrade``: a
cluster that goes to another release, and back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fsconform.model.blocks.steps import (
    BLOCK_BYTES,
    SPOILT,
    SURE,
    Begin,
    Close,
    Create,
    Delete,
    Expire,
    Finalize,
    Hflush,
    Inspect,
    Intrude,
    Isolate,
    Kill,
    Look,
    Program,
    Read,
    Reopen,
    Restart,
    RestartNameNode,
    Rollback,
    Scan,
    SetReplication,
    Spoil,
    Takeover,
    Upgrade,
    Vanish,
    Write,
)
from fsconform.model.core import content as contents

A = "a"
_SMALL, _MORE, _LATER = contents.of(1, 3_000), contents.of(2, 70_000), contents.of(3, 200)
_BLOCKS = contents.of(4, 2 * BLOCK_BYTES + 5)
"""Two blocks that are full, and one that is not."""

_FIRST, _REST = contents.of(5, BLOCK_BYTES - 4_000), contents.of(6, 9_000)
"""Nearly a block, and what goes on in the next one."""


@dataclass(frozen=True, slots=True)
class BlockSuite:
    """A suite: programs by what a reader calls them.

    Those in ``short`` are its short selection, those in ``default`` the few that a run without any choice has.
    """

    name: str
    statement: str
    programs: Mapping[str, Program]
    short: tuple[str, ...]
    default: tuple[str, ...]


def _replicas() -> Iterator[tuple[str, Program]]:
    yield "up", (Create(A, _SMALL, 1), Look(A, 1), SetReplication(A, 3), Look(A, 3), Read(A))
    yield "down", (Create(A, _BLOCKS, 3), Look(A, 3), SetReplication(A, 1), Look(A, 1), Read(A))
    yield (
        "up and down",
        (*(Create(A, _SMALL, 2), SetReplication(A, 3), Look(A, 3), SetReplication(A, 2), Look(A, 2), Read(A)),),
    )
    for how in SPOILT:
        spoil = Spoil(A, how)
        yield f"{how}, read", (Create(A, _SMALL, 2), Look(A, 2), spoil, Read(A, SURE), Look(A, 2), Read(A))
        yield f"{how}, scanned", (Create(A, _SMALL, 2), Look(A, 2), spoil, Scan(), Look(A, 2), Read(A))
        yield (
            f"{how}, no node to spare",
            (*(Create(A, _SMALL, 3), Look(A, 3), spoil, Read(A, SURE), Look(A, 2, 1), Read(A)),),
        )
    yield (
        "data of a block in the middle, read",
        (*(Create(A, _BLOCKS, 2), Look(A, 2), Spoil(A, "data", 1, 1), Read(A, SURE), Look(A, 2), Read(A)),),
    )
    yield "NameNode restarted", (Create(A, _BLOCKS, 3), Look(A, 3), RestartNameNode(), Look(A, 3), Read(A))
    yield "node away and back", (Create(A, _SMALL, 3), Look(A, 3), Kill(A), Read(A, 3), Restart(), Look(A, 3), Read(A))
    yield "node lost", (Create(A, _SMALL, 2), Look(A, 2), Kill(A), Look(A, 2), Read(A), Restart(), Look(A, 2), Read(A))


def _pipeline() -> Iterator[tuple[str, Program]]:
    whole = (Read(A), Look(A, 2), Restart(), Look(A, 3), Read(A))
    yield "setup", (Begin(A), Kill(A), Write(A, _SMALL), Close(A), *whole)
    yield "streaming", (Begin(A), Write(A, _MORE), Hflush(A), Kill(A, 1), Write(A, _MORE), Read(A), Close(A), *whole)
    for replica in range(3):
        yield (
            f"hflush, node {replica + 1}",
            (
                *(
                    Begin(A),
                    Write(A, _SMALL),
                    Hflush(A),
                    Read(A),
                    Kill(A, replica),
                    Read(A),
                    Write(A, _MORE),
                    Hflush(A),
                ),
                *(Read(A), Close(A), *whole),
            ),
        )
    yield "close", (Begin(A), Write(A, _SMALL), Hflush(A), Kill(A, 2), Close(A), *whole)
    yield "close, nothing flushed", (Begin(A), Write(A, _SMALL), Kill(A), Close(A), *whole)
    yield (
        "next block",
        (*(Begin(A), Write(A, _FIRST), Hflush(A), Kill(A), Write(A, _REST), Hflush(A), Read(A), Close(A), *whole),),
    )
    yield (
        "two nodes, one after the other",
        (
            *(Begin(A), Write(A, _SMALL), Hflush(A), Kill(A), Write(A, _MORE), Hflush(A), Read(A), Kill(A)),
            *(Write(A, _LATER), Hflush(A), Read(A), Close(A), Read(A), Restart(), Look(A, 3), Read(A)),
        ),
    )
    yield "append", (Create(A, _SMALL), Reopen(A), Write(A, _MORE), Hflush(A), Read(A), Close(A), Look(A, 3), Read(A))
    yield (
        "old replica, closed file",
        (
            *(
                Begin(A),
                Write(A, _SMALL),
                Hflush(A),
                Kill(A),
                Write(A, _MORE),
                Close(A),
                Restart(1),
                Isolate(1),
                Read(A, 3),
            ),
            *(Restart(), Look(A, 3), Read(A)),
        ),
    )
    yield (
        "old replica, open file",
        (
            *(Begin(A), Write(A, _SMALL), Hflush(A), Kill(A), Write(A, _MORE), Hflush(A), Restart(1), Read(A, 5)),
            *(Write(A, _LATER), Close(A), Look(A, 3), Read(A)),
        ),
    )
    yield (
        "old replica, appended file",
        (
            *(Create(A, _SMALL), Kill(A), Reopen(A), Write(A, _MORE), Close(A), Restart(1), Isolate(1), Read(A, 3)),
            *(Restart(), Look(A, 3), Read(A)),
        ),
    )


_IDLE = 75
"""Seconds: more than the soft limit, and less than the hard limit."""


def _leases() -> Iterator[tuple[str, Program]]:
    flushed = (Begin(A), Write(A, _SMALL), Hflush(A))
    go_on = (Read(A), Look(A, 3), Reopen(A), Intrude(A), Write(A, _LATER), Close(A), Look(A, 3), Read(A))
    yield (
        "exclusive writer",
        (*(Begin(A), Intrude(A), *flushed[1:], Intrude(A), Read(A), Close(A)), *go_on),
    )
    yield "idle writer", (*flushed, Intrude(A, _IDLE), Read(A), Write(A, _MORE), Hflush(A), Close(A), *go_on)
    yield "takeover", (*flushed, Write(A, _LATER), Vanish(A), Intrude(A), Read(A), Takeover(A), *go_on)
    yield "hard limit", (*flushed, Write(A, _LATER), Vanish(A), Expire(A), *go_on)


B, C = "b", "c"
_OTHER = contents.of(7, 5_000)


def _upgrade() -> Iterator[tuple[str, Program]]:
    there = (Create(A, _BLOCKS), Create(B, _SMALL), Look(A, 3), Look(B, 3))
    changed = (Delete(A), Reopen(B), Write(B, _LATER), Close(B), Create(C, _OTHER))
    old, new = (Read(A), Read(B), Read(C)), (Read(B), Read(C))
    yield (
        "rolled back",
        (
            *(*there, Upgrade(False), Read(A), Upgrade(), Inspect(), Read(A), Read(B), *changed, *new, Inspect()),
            *(Upgrade(), *new, Inspect(), Rollback(), Inspect(), Look(A, 3), Look(B, 3), *old),
        ),
    )
    yield (
        "finalized",
        (*there, Upgrade(), *changed, Finalize(), Inspect(), *new, Look(B, 3), Rollback(), *new, Look(C, 3)),
    )
    yield (
        "rolled back, and upgraded again",
        (*there, Upgrade(), *changed, Rollback(), *old, Upgrade(), Read(A), Read(B), Finalize(), Read(A), Look(B, 3)),
    )


REPLICAS = BlockSuite(
    "replicas",
    "replicas set up and down, spoilt, lost and come back: found, reported, replaced",
    dict(_replicas()),
    ("up", "data, read", "node away and back"),
    ("up", "data, read"),
)
PIPELINE = BlockSuite(
    "pipeline",
    "a writer whose DataNodes are killed at each stage, readers beside it, old replicas that come back",
    dict(_pipeline()),
    ("streaming", "close", "old replica, closed file"),
    ("streaming",),
)
LEASES = BlockSuite(
    "cluster-leases",
    "writers that live, are idle or gone, and another client that wants their files: soft limit, takeover, hard limit",
    dict(_leases()),
    ("exclusive writer", "takeover"),
    ("exclusive writer",),
)
UPGRADE = BlockSuite(
    "upgrade",
    "a cluster of an older release upgraded, rolled back and finalized: files, appends and deletions, the old state",
    dict(_upgrade()),
    ("rolled back",),
    (),
)
BLOCK_SUITES: Mapping[str, BlockSuite] = {suite.name: suite for suite in (REPLICAS, PIPELINE, LEASES, UPGRADE)}
"""By name."""
