"""Faults of the trash and its checkpoints."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.trash import CURRENT

_TRASH = "trashpolicy"


@seeded(
    "trash-of-missing",
    "a missing path is made a directory where it should be refused",
    clause=f"{_TRASH}.moveToTrash.pre.exists",
)
class _OfMissing(FullStore):
    def move_to_trash(self, path: str, enabled: bool) -> Told:
        if self.exists(path):
            return super().move_to_trash(path, enabled)
        self.mkdirs(path)
        return {"moved": False, "gone": False, "kept": False, "current": False}


@seeded("trash-always-on", "a trash that is turned off takes all", clause=f"{_TRASH}.moveToTrash.post.disabled")
class _AlwaysOn(FullStore):
    def left_alone(self, path: str) -> bool:
        return self.to_trash(path)


@seeded("trash-off-deletes", "a trash that is turned off deletes", clause=f"{_TRASH}.moveToTrash.post.disabled")
class _OffDeletes(FullStore):
    def left_alone(self, path: str) -> bool:
        if self.locate(path)[1] != self.base:
            self.delete(path, True)
        return False


@seeded("trash-in-trash", "what is in the trash is moved to it again", clause=f"{_TRASH}.moveToTrash.post.in-trash")
class _InTrash(FullStore):
    def moved_again(self, path: str) -> bool:
        return True


@seeded("trash-copies", "what is moved to the trash stays", clause=f"{_TRASH}.moveToTrash.post.moved")
class _Copies(FullStore):
    def to_trash(self, path: str) -> bool:
        self.trash.setdefault(self.current_of(path), set()).add(path)
        return True


@seeded("trash-loses", "what is moved to the trash is lost", clause=f"{_TRASH}.moveToTrash.post.moved")
class _Loses(FullStore):
    def to_trash(self, path: str) -> bool:
        done = super().to_trash(path)
        self.trash[CURRENT].discard(path)
        return done


@seeded(
    "trash-current-elsewhere",
    "getCurrentTrashDir of a path is not the directory that it goes to",
    clause=f"{_TRASH}.getCurrentTrashDir.path",
)
class _Elsewhere(FullStore):
    def current_of(self, path: str) -> str:
        return super().current_of(path) if self.exists(path) else "Other"


@seeded(
    "trash-checkpoint-of-nothing",
    "a checkpoint is made of no trash",
    clause=f"{_TRASH}.createCheckpoint.post.nothing",
)
class _OfNothing(FullStore):
    def create_checkpoint(self, age: int) -> None:
        self.trash.setdefault(CURRENT, set())
        super().create_checkpoint(age)


@seeded(
    "trash-checkpoint-not-made",
    "createCheckpoint removes what is in use",
    clause=f"{_TRASH}.createCheckpoint.post.checkpoint",
)
class _NotMade(FullStore):
    def create_checkpoint(self, age: int) -> None:
        self.trash.pop(CURRENT, None)


@seeded(
    "trash-checkpoint-is-current",
    "a checkpoint is the directory in use itself",
    clause=f"{_TRASH}.createCheckpoint.post.not-current",
)
class _IsCurrent(FullStore):
    def create_checkpoint(self, age: int) -> None:
        if CURRENT in self.trash:
            self.ages[CURRENT] = age


@seeded(
    "trash-expired-stay",
    "checkpoints that expired are left",
    clause=f"{_TRASH}.deleteCheckpoint.post.expired",
)
class _ExpiredStay(FullStore):
    def delete_checkpoints(self, at_once: bool) -> None:
        if at_once:
            super().delete_checkpoints(True)


@seeded(
    "trash-current-expires",
    "deleteCheckpoint removes what is in use too",
    clause=f"{_TRASH}.deleteCheckpoint.post.current-stays",
)
class _CurrentExpires(FullStore):
    def delete_checkpoints(self, at_once: bool) -> None:
        super().delete_checkpoints(at_once)
        if not at_once:
            self.trash.pop(CURRENT, None)


@seeded(
    "trash-young-stay",
    "deleting all checkpoints leaves the young",
    clause=f"{_TRASH}.deleteCheckpointsImmediately.post.all",
)
class _YoungStay(FullStore):
    def delete_checkpoints(self, at_once: bool) -> None:
        super().delete_checkpoints(False)


@seeded(
    "trash-emptied-at-once",
    "deleting all checkpoints removes what is in use too",
    clause=f"{_TRASH}.deleteCheckpointsImmediately.post.current-stays",
)
class _EmptiedAtOnce(FullStore):
    def delete_checkpoints(self, at_once: bool) -> None:
        super().delete_checkpoints(at_once)
        if at_once:
            self.trash.pop(CURRENT, None)


@seeded("trash-emptier-idle", "an emptier leaves what is in use", clause=f"{_TRASH}.emptier.round")
class _Idle(FullStore):
    def empty(self) -> None:
        self.delete_checkpoints(False)


@seeded("trash-emptier-hasty", "an emptier removes all checkpoints", clause=f"{_TRASH}.emptier.round")
class _Hasty(FullStore):
    def empty(self) -> None:
        self.create_checkpoint(0)
        self.delete_checkpoints(True)
