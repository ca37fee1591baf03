"""Faults of what administrators can do, and of what others may."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore

_SAFE_MODE = "safemode.setSafeMode"


@seeded(
    "safe-mode-checked-by-default",
    "without a second argument a request to enter safe mode is looked at only",
    clause=f"{_SAFE_MODE}.unchecked",
    root=True,
)
class _ByDefault(FullStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        return self.safe if overload == "short" else super().set_safe_mode(action, overload)


@seeded("safe-mode-left-by-get", "asking for safe mode ends it", clause=f"{_SAFE_MODE}.get", root=True)
class _LeftByGet(FullStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        return super().set_safe_mode("leave" if action == "get" else action, overload)


@seeded("safe-mode-not-entered", "safe mode is not entered", clause=f"{_SAFE_MODE}.enter", root=True)
class _NotEntered(FullStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        super().set_safe_mode("leave" if action == "enter" else action, overload)
        return self.safe or action == "enter"


@seeded("safe-mode-not-left", "safe mode stays when it is left", clause=f"{_SAFE_MODE}.leave", root=True)
class _NotLeft(FullStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        return super().set_safe_mode("get" if action == "leave" else action, overload)


@seeded(
    "safe-mode-not-left-by-force",
    "safe mode stays when it is left by force",
    clause=f"{_SAFE_MODE}.force-exit",
    root=True,
)
class _NotByForce(FullStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        return super().set_safe_mode("get" if action == "force exit" else action, overload)


@seeded(
    "safe-mode-tells-what-was",
    "an action returns what was before it",
    clause=f"{_SAFE_MODE}.post.result",
    root=True,
)
class _TellsWhatWas(FullStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        before = self.safe
        super().set_safe_mode(action, overload)
        return before


@seeded("another-may-list", "a private directory is listed to all", clause="introduction.security.denied")
class _MayList(FullStore):
    def may(self, permission: int, call: str) -> bool:
        return call == "list" or super().may(permission, call)


@seeded(
    "another-may-delete", "a file is deleted by all from a private directory", clause="introduction.security.denied"
)
class _MayDelete(FullStore):
    def may(self, permission: int, call: str) -> bool:
        return call == "delete" or super().may(permission, call)


@seeded(
    "trash-asks-for-rename-only",
    "renaming to the trash asks for no permission to delete",
    clause="rename.rename3.options.trash",
)
class _RenameOnly(FullStore):
    def may_trash(self, permission: int) -> bool:
        return True


@seeded("home-of-the-process", "all callers have one home", clause="filesystem.getHomeDirectory.caller")
class _OneHome(FullStore):
    def home_of(self, user: str) -> str:
        return "/user/proving"
