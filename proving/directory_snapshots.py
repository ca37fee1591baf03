"""The full store's snapshots of a directory in a small tree. Source: HDFS Snapshots.

The tree is apart from the store's own: made for the call, and forgotten afterwards. Seeded faults override
``rules_of_snapshots`` and ``world_after``.
"""

from __future__ import annotations

from fsconform.model.filesystem.directory_snapshots import (
    AT_BEGINNING,
    DONE,
    FAILED,
    Rules,
    World,
    play,
    reported,
)
from fsconform.model.filesystem.protocols.calls_with_snapshots import (
    NO_REPORT,
    shown,
    shown_report,
    shown_snapshots,
)
from fsconform.proving.keeping_store import KeepingStore, Told


class Snapshots(KeepingStore):
    """Snapshots of a store: each keeps what was there when it was taken."""

    def calls_with_snapshots(self, path: str, calls: tuple[str, ...]) -> Told | None:
        """What comes of each call, what is there after each, and what reports say.

        FileNotFoundException if no path; None of a file.
        """
        if self.found(path).data is not None:
            return None
        world, rules = AT_BEGINNING, self.rules_of_snapshots()
        outcomes, now, snapshots, reports = [], [], [], []
        for call in calls:
            entries = reported(world, call, rules)
            outcome, world = self.world_after(world, call)
            outcomes.append(outcome)
            now.append(shown(world.tree))
            snapshots.append(shown_snapshots(world.snapshots))
            reports.append(NO_REPORT if entries is None or outcome != DONE else shown_report(entries))
        return {
            "outcomes": tuple(outcomes),
            "now": tuple(now),
            "snapshots": tuple(snapshots),
            "reports": tuple(reports),
        }

    # --- inside; seeded faults override these

    def world_after(self, world: World, call: str) -> tuple[str, World]:
        """What comes of one call, and what it leaves."""
        allowed = play(world, call, self.rules_of_snapshots())
        outcome = DONE if DONE in allowed else FAILED
        left = allowed[outcome]
        return outcome, world if left is None else left

    def rules_of_snapshots(self) -> Rules:
        """By which rules snapshots are taken, kept and compared."""
        return Rules()
