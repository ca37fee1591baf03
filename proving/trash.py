"""The full store's trash: paths that are moved out of the way, and checkpoints of them. Source: trashpolicy.md.

A trash is there for one call only, inside the program's directory and out of sight, and is empty afterwards. It is told
by the names of its directories: that in use, and those that were in use before checkpoints were made of them.
"""

from __future__ import annotations

from fsconform.proving.keeping_store import KeepingStore, Told

CURRENT = "Current"
INTERVAL = 60
"""Minutes for which a checkpoint is kept."""
_LONG_AGO = "long ago"


class Trash(KeepingStore):
    """Trash and its checkpoints; ``trash`` has for each of its directories the full paths that are in it."""

    trash: dict[str, set[str]]
    ages: dict[str, int]

    def move_to_trash(self, path: str, enabled: bool) -> Told:
        """Move a path to the trash, unless that is turned off.

        FileNotFoundException if there is nothing, IOException for what holds the trash.
        """
        self.trash, self.ages = {}, {}
        self.found(path)
        moved = self.to_trash(path) if enabled else self.left_alone(path)
        place = self.place_of(path)
        return {
            "moved": moved,
            "gone": not self.exists(path),
            "kept": place != "",
            "current": place != "" and self.current_of(path) == place,
        }

    def trash_checkpoint(self, path: str, act: str) -> Told:
        """What is left of a trash into which a path was moved, after some act. Raises what moving it does."""
        self.trash, self.ages = {}, {}
        if act != "create of nothing":
            self.found(path)
            self.to_trash(path)
        again: Told = {}
        if act in ("create", "create of nothing", "delete at once"):
            self.create_checkpoint(0)
        if act == "delete expired":
            self.create_checkpoint(2 * INTERVAL)
        expired: Told = {}
        if act == "run emptier":
            self.trash[_LONG_AGO], self.ages[_LONG_AGO] = set(), 2 * INTERVAL
            for _ in range(2):
                self.empty()
            expired = {"expired": _LONG_AGO in self.trash}
        if act in ("delete", "delete expired"):
            self.delete_checkpoints(False)
        if act in ("delete at once", "delete all but current"):
            self.delete_checkpoints(True)
        if act == "move again":
            again = {"moved": self.moved_again(path)}
        return {
            "checkpoints": len(self.trash.keys() - {CURRENT}),
            "current": CURRENT in self.trash,
            "kept": self.place_of(path) != "",
            **again,
            **expired,
        }

    # --- inside; seeded faults override these

    def to_trash(self, path: str) -> bool:
        """Move a path to the directory in use."""
        key = self.locate(path)[1]
        if key == self.base:
            self.fail("IOException", f"the trash is inside {path}")
        self.trash.setdefault(self.current_of(path), set()).add(path)
        self.remove_subtree(key)
        return True

    def left_alone(self, path: str) -> bool:
        """What a trash that is turned off does: nothing."""
        return False

    def empty(self) -> None:
        """A round of the emptier: what has expired goes, and the directory in use becomes a checkpoint."""
        self.delete_checkpoints(False)
        self.create_checkpoint(0)

    def moved_again(self, path: str) -> bool:
        """What is in the trash is not moved to it again."""
        return False

    def current_of(self, path: str) -> str:
        """The directory in use, for a path."""
        return CURRENT

    def place_of(self, path: str) -> str:
        """The directory that a path is in by its full name; the empty text if there is none."""
        return next((place for place, paths in self.trash.items() if path in paths), "")

    def create_checkpoint(self, age: int) -> None:
        """Make a checkpoint of the directory in use, so many minutes ago; nothing if there is none."""
        if CURRENT in self.trash:
            checkpoint = f"checkpoint {len(self.trash)}"
            self.trash[checkpoint] = self.trash.pop(CURRENT)
            self.ages[checkpoint] = age

    def delete_checkpoints(self, at_once: bool) -> None:
        """Remove checkpoints: those that have expired, or all."""
        for checkpoint, age in self.ages.items():
            if at_once or age > INTERVAL:
                self.trash.pop(checkpoint, None)
