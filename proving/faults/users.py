"""Faults of what several users may do."""

from __future__ import annotations

from fsconform.model.filesystem.permissions import DENIED, FilesAreExecuted, MostOfAll, OthersOnly, Owned, Rules, Tree
from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore

_PAPER = "hdfs-paper-2010.permissions"


@seeded("users-are-all-others", "every user has the permissions of others", clause=f"{_PAPER}.classes")
class _Others(FullStore):
    def rules_of_users(self) -> Rules:
        return OthersOnly()


@seeded("users-add-up-classes", "a user has the permissions of all classes together", clause=f"{_PAPER}.classes")
class _AddUp(FullStore):
    def rules_of_users(self) -> Rules:
        return MostOfAll()


@seeded("users-execute-what-they-read", "a file is read by who may execute it alone", clause=f"{_PAPER}.files")
class _Execute(FullStore):
    def rules_of_users(self) -> Rules:
        return FilesAreExecuted()


class _NotSticky(Rules):
    def is_held(self, parent: Owned, node: Owned, user: str) -> bool:
        return False


@seeded("sticky-bit-ignored", "a sticky bit keeps nobody from deleting", clause=f"{_PAPER}.checked")
class _Loose(FullStore):
    def rules_of_users(self) -> Rules:
        return _NotSticky()


class _OwnerOfDirectoryHeld(Rules):
    def is_held(self, parent: Owned, node: Owned, user: str) -> bool:
        return super().is_held(parent, node, user) or (bool(parent.mode & 0o1000) and user != node.owner)


@seeded(
    "sticky-bit-holds-its-owner",
    "a sticky bit keeps the directory's owner from deleting as well",
    clause=f"{_PAPER}.checked",
)
class _Held(FullStore):
    def rules_of_users(self) -> Rules:
        return _OwnerOfDirectoryHeld()


class _PassByAll(Rules):
    def needed_to_pass(self) -> int:
        return 0


@seeded("users-pass-all-directories", "directories above a path are not checked", clause=f"{_PAPER}.checked")
class _Pass(FullStore):
    def rules_of_users(self) -> Rules:
        return _PassByAll()


class _NothingBelow(Rules):
    def needed_below(self) -> int:
        return 0


@seeded("trees-deleted-unchecked", "a tree is deleted without a look below it", clause=f"{_PAPER}.checked")
class _Below(FullStore):
    def rules_of_users(self) -> Rules:
        return _NothingBelow()


class _AllChange(Rules):
    def may_change(self, node: Owned, user: str) -> bool:
        return True


@seeded("users-change-modes-of-others", "everybody may set a mode", clause=f"{_PAPER}.checked")
class _Change(FullStore):
    def rules_of_users(self) -> Rules:
        return _AllChange()


class _NoAdmin(Rules):
    def passes_all(self, user: str) -> bool:
        return False


@seeded("superuser-is-checked", "a superuser is asked for permissions as others are", clause=f"{_PAPER}.checked")
class _Checked(FullStore):
    def rules_of_users(self) -> Rules:
        return _NoAdmin()


class _OwnedByAdmin(Rules):
    def owner_of_new(self, user: str) -> str:
        return "admin"


@seeded("new-files-belong-to-the-superuser", "all that is made belongs to one user", clause=f"{_PAPER}.identity")
class _Owner(FullStore):
    def rules_of_users(self) -> Rules:
        return _OwnedByAdmin()


@seeded("denied-calls-are-done", "a call that is denied is done all the same", clause=f"{_PAPER}.checked")
class _Done(FullStore):
    def outcome_of_call(self, tree: Tree, call: str) -> tuple[str, Tree]:
        outcome, left = super().outcome_of_call(tree, call)
        if outcome == DENIED and call.endswith("chmod d 777"):
            return outcome, super().outcome_of_call(tree, "admin chmod d 777")[1]
        return outcome, left
