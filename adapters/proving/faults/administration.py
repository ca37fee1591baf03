"""Faults of what administrators can do."""

from __future__ import annotations

from fsconform.adapters.proving.faults.base import seeded
from fsconform.adapters.proving.whole import WholeStore

_SAFE_MODE = "safemode.setSafeMode"


@seeded(
    "safe-mode-checked-by-default",
    "without a second argument a request to enter safe mode is looked at only",
    clause=f"{_SAFE_MODE}.unchecked",
    root=True,
)
class _ByDefault(WholeStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        return self.safe if overload == "short" else super().set_safe_mode(action, overload)


@seeded("safe-mode-left-by-get", "asking for safe mode ends it", clause=f"{_SAFE_MODE}.get", root=True)
class _LeftByGet(WholeStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        return super().set_safe_mode("leave" if action == "get" else action, overload)


@seeded("safe-mode-not-entered", "safe mode is not entered", clause=f"{_SAFE_MODE}.enter", root=True)
class _NotEntered(WholeStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        super().set_safe_mode("leave" if action == "enter" else action, overload)
        return self.safe or action == "enter"


@seeded("safe-mode-not-left", "safe mode stays when it is left", clause=f"{_SAFE_MODE}.leave", root=True)
class _NotLeft(WholeStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        return super().set_safe_mode("get" if action == "leave" else action, overload)


@seeded(
    "safe-mode-not-left-by-force",
    "safe mode stays when it is left by force",
    clause=f"{_SAFE_MODE}.force-exit",
    root=True,
)
class _NotByForce(WholeStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        return super().set_safe_mode("get" if action == "force exit" else action, overload)


@seeded(
    "safe-mode-tells-what-was",
    "an action returns what was before it",
    clause=f"{_SAFE_MODE}.post.result",
    root=True,
)
class _TellsWhatWas(WholeStore):
    def set_safe_mode(self, action: str, overload: str) -> bool:
        before = self.safe
        super().set_safe_mode(action, overload)
        return before
