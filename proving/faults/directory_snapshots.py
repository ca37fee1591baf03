"""Faults of snapshots of directories."""

from __future__ import annotations

from dataclasses import replace

from fsconform.model.filesystem.directory_snapshots import Rules, Tree, World
from fsconform.model.filesystem.protocols.calls_with_snapshots import (
    CALLED,
    ENTRIES,
    HELD,
    KEPT,
    NESTED,
    PERMITTED,
    READ,
    RENAMES,
    UNHINDERED,
)
from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore


class _SeesBytes(Rules):
    def kept(self, snapshot: Tree, before: Tree, after: Tree) -> Tree:
        now = {node.identity: node for node in after.values()}
        return {path: now.get(node.identity, node) for path, node in snapshot.items()}


@seeded("snapshots-see-later-bytes", "a file in a snapshot has what is appended later", clause=KEPT)
class _Bytes(FullStore):
    def rules_of_snapshots(self) -> Rules:
        return _SeesBytes()


class _LosesWhatMoves(Rules):
    def kept(self, snapshot: Tree, before: Tree, after: Tree) -> Tree:
        moved = {node.identity for path, node in before.items() if path not in after} & {
            node.identity for path, node in after.items() if not path.startswith("d/")
        }
        return {path: node for path, node in snapshot.items() if node.identity not in moved}


@seeded("snapshots-lose-what-moves-out", "what is renamed out of the directory is gone from snapshots", clause=KEPT)
class _Loses(FullStore):
    def rules_of_snapshots(self) -> Rules:
        return _LosesWhatMoves()


class _Writable(Rules):
    def may_write_to_snapshots(self) -> bool:
        return True


@seeded("snapshots-can-be-changed", "a file is deleted in a snapshot", clause=READ)
class _Changed(FullStore):
    def rules_of_snapshots(self) -> Rules:
        return _Writable()


class _HoldsNothing(Rules):
    def holds_its_directory(self, world: World) -> bool:
        return False


@seeded("snapshots-hold-nothing", "a directory with snapshots can be deleted", clause=HELD)
class _Held(FullStore):
    def rules_of_snapshots(self) -> Rules:
        return _HoldsNothing()


class _Nests(Rules):
    def nests(self) -> bool:
        return True


@seeded("snapshots-nest", "a directory below a snapshottable one is made snapshottable", clause=NESTED)
class _Nested(FullStore):
    def rules_of_snapshots(self) -> Rules:
        return _Nests()


class _AsksNobody(Rules):
    def asks_leave(self) -> bool:
        return False


@seeded("snapshots-of-any-directory", "snapshots are taken of what is not snapshottable", clause=PERMITTED)
class _Asks(FullStore):
    def rules_of_snapshots(self) -> Rules:
        return _AsksNobody()


@seeded("snapshots-renamed-to-nothing", "a snapshot that is renamed is gone", clause=CALLED)
class _Renamed(FullStore):
    def world_after(self, world: World, call: str) -> tuple[str, World]:
        outcome, after = super().world_after(world, call)
        if not call.startswith("resnap") or after is world:
            return outcome, after
        kept = {name: tree for name, tree in after.snapshots.items() if name in world.snapshots}
        return outcome, replace(after, snapshots=kept)


@seeded("snapshots-undo-deletes", "what is deleted stays in a directory that has snapshots", clause=UNHINDERED)
class _Undone(FullStore):
    def world_after(self, world: World, call: str) -> tuple[str, World]:
        outcome, after = super().world_after(world, call)
        return outcome, world if call == "delete f" and world.snapshots else after


class _NoChanges(Rules):
    def entries(self, earlier: Tree, later: Tree) -> frozenset[str] | None:
        found = super().entries(earlier, later)
        return found and frozenset(entry for entry in found if not (entry.startswith("M ") and entry.endswith("f")))


@seeded("snapshot-report-misses-changes", "a report does not say that a file was changed", clause=ENTRIES)
class _Misses(FullStore):
    def rules_of_snapshots(self) -> Rules:
        return _NoChanges()


class _NoRenames(Rules):
    def entries(self, earlier: Tree, later: Tree) -> frozenset[str] | None:
        found = super().entries(earlier, later)
        if found is None:
            return None
        plain = {entry for entry in found if not entry.startswith("R ")}
        for entry in found - plain:
            old, _, new = entry[2:].partition(" -> ")
            plain |= {f"- {old}", f"+ {new}"}
        return frozenset(plain)


@seeded("snapshot-report-splits-renames", "a report says of a rename that one is gone and another made", clause=RENAMES)
class _Splits(FullStore):
    def rules_of_snapshots(self) -> Rules:
        return _NoRenames()
