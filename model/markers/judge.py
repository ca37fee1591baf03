"""Judges one call: what the bucket held before and after, and what was asked of it meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsconform.model.markers.calls import Call, Held, expected
from fsconform.model.markers.keys import above
from fsconform.model.markers.policy import Policy, Retention

_BY_POLICY = {
    Policy.DELETE: "markers.delete",
    Policy.KEEP: "markers.keep",
    Policy.AUTHORITATIVE: "markers.authoritative",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a call: what it raised, empty if nothing; the bucket after it; the keys of each delete request.

    ``tombstones`` are the keys that got one, None in a bucket without versions.
    """

    held: Held
    raised: str = ""
    deletes: tuple[tuple[str, ...], ...] = ()
    tombstones: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Departure:
    """A clause that a call broke, and how."""

    clause: str
    why: str


def judge(call: Call, before: Held, seen: Seen, retention: Retention, tombstones: bool = True) -> tuple[Departure, ...]:
    """The clauses that an allowed call broke.

    Without ``tombstones`` the store is known to leave none where it should; that none is too many is judged still.
    """
    if seen.raised:
        return (Departure("markers.files", f"{call.what} raised {seen.raised}"),)
    right = expected(call, before, retention)
    return tuple(
        Departure(clause, why)
        for clause, keys, why in (
            *_of_files(right.held, seen.held),
            *_of_markers(call, before, right.held, right.either, seen.held, retention),
            *_of_requests(call, right.asked, right.mine, seen.deletes),
            *_of_tombstones(right.asked, before, seen.tombstones, tombstones),
        )
        if keys
    )


_Row = tuple[str, Sequence[str] | frozenset[str], str]


def _told(keys: frozenset[str] | Sequence[str]) -> str:
    return ", ".join(sorted(keys))


def _of_files(right: Held, seen: Held) -> list[_Row]:
    lost, more = right.files - seen.files, seen.files - right.files
    return [
        ("markers.files", lost, f"files are gone: {_told(lost)}"),
        ("markers.files", more, f"files are there that should not be: {_told(more)}"),
    ]


def _of_markers(
    call: Call, before: Held, right: Held, either: frozenset[str], seen: Held, retention: Retention
) -> list[_Row]:
    lost, more = right.markers - seen.markers - either, seen.markers - right.markers - either
    made = f"{call.path}/" if call.what == "mkdirs" else ""
    leaves = frozenset(key for key in lost if right.below(key) == {key} and key != made)
    parents = frozenset(above(call.to or call.path))
    kept = lost - leaves - {made}
    moved = frozenset(key for key in more if call.what == "rename" and key.startswith(f"{call.to}/"))
    surplus = (more & parents) - moved
    strange = more - moved - surplus
    return [
        ("markers.mkdirs", lost & {made}, f"no marker was made: {made}"),
        ("markers.leaf", leaves, f"empty directories are gone: {_told(leaves)}"),
        (_BY_POLICY[retention.policy], kept, f"markers did not stay: {_told(kept)}"),
        (_BY_POLICY[retention.policy], surplus, f"markers stayed: {_told(surplus)}"),
        ("markers.rename", moved, f"surplus markers were taken along: {_told(moved)}"),
        ("markers.files", strange, f"markers are there that should not be: {_told(strange)}"),
    ]


def _of_requests(
    call: Call, asked: frozenset[str] | None, mine: frozenset[str], deletes: tuple[tuple[str, ...], ...]
) -> list[_Row]:
    keys = frozenset(key for request in deletes for key in request)
    others = keys - mine if call.what in ("delete", "rename") else frozenset[str]()
    rows: list[_Row] = [("markers.files", others, f"asked for the deletion of other keys: {_told(others)}")]
    if asked is None:
        return rows
    if not asked:
        return [*rows, ("markers.no-request", keys, f"asked for deletions: {_told(keys)}")]
    missing, more = asked - keys, keys - asked
    again = deletes[1:]
    return [
        *rows,
        ("markers.request", missing, f"did not ask for the deletion of {_told(missing)}"),
        ("markers.request", more, f"asked for the deletion of {_told(more)}"),
        ("markers.request", [str(len(again))] if again else [], f"asked in {len(deletes)} requests, not in one"),
    ]


def _of_tombstones(
    asked: frozenset[str] | None, before: Held, tombstones: frozenset[str] | None, left: bool
) -> list[_Row]:
    if tombstones is None or asked is None:
        return []
    missing = asked & before.markers - tombstones if left else frozenset[str]()
    more = tombstones - asked
    return [
        ("markers.tombstones", missing, f"deleted markers left no tombstone: {_told(missing)}"),
        ("markers.tombstones", more, f"tombstones where nothing was to be deleted: {_told(more)}"),
    ]
