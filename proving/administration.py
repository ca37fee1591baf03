"""The full store's calls for administrators, and for others than the caller.

Sources: safemode.md; introduction.md, "Core Expectations of a Hadoop Compatible FileSystem"; filesystem.md, "Path
getHomeDirectory()"; rename.md, "TRASH".
"""

from __future__ import annotations

from fsconform.proving.keeping_store import USER, KeepingStore, Told

_WORDS = {False: "off", True: "on"}
_PRIVATE, _PUBLIC = 0o700, 0o777
_EFFECTS = {"create": {"f", "g"}, "mkdirs": {"f", "g"}, "delete": set[str](), "rename": {"g"}}
"""What is in the directory after a call that was let through."""


class Administration(KeepingStore):
    """Safe mode, which is nothing but a switch here, and off whenever a program's call begins or ends."""

    safe = False

    def use_safe_mode(self, actions: tuple[str, ...], checked: bool) -> Told:
        """What each action returns and the state that it leaves; unless ``checked`` by both overloads."""
        told = self.try_actions(actions, "checked" if checked else "short")
        if not checked:
            told["alike"] = told == self.try_actions(actions, "unchecked")
        self.safe = False
        return told

    def try_actions(self, actions: tuple[str, ...], overload: str) -> Told:
        """The results of actions and the states after them, from no safe mode on."""
        self.safe = False
        results, states = [], []
        for action in actions:
            results.append(_WORDS[self.set_safe_mode(action, overload)])
            states.append(_WORDS[self.safe])
        return {"before": "off", "results": tuple(results), "states": tuple(states)}

    def call_as_another(self, path: str, call: str) -> Told | None:
        """What a call of another user comes to in a private directory with a file. FileNotFoundException if no path."""
        if self.found(path).data is not None:
            return None
        file, rights = {"f"}, _PRIVATE if self.can.supports_unix_permissions else _PUBLIC
        refused = not self.may(rights, call)
        if not refused and call in _EFFECTS:
            file = _EFFECTS[call]
        return {"refused": refused, "unchanged": file == {"f"}}

    def home_of_another(self) -> Told:
        """Whether another user has another home."""
        return {"different": self.home_of("another") != self.home_of(USER)}

    def rename_to_trash(self, path: str) -> Told | None:
        """What renames of a directory with a private one in it come to, in a place where all may write."""
        if self.found(path).data is not None:
            return None
        inner = _PRIVATE if self.can.supports_unix_permissions else _PUBLIC
        return {"plain": True, "trash": self.may_trash(inner)}

    # --- inside; seeded faults override these

    def set_safe_mode(self, action: str, overload: str) -> bool:
        """Do one action by one overload; whether safe mode is on then."""
        if action != "get":
            self.safe = action == "enter"
        return self.safe

    def may(self, permission: int, call: str) -> bool:
        """Whether somebody else may do that in a directory of this permission: enter it, read it or write to it."""
        wanted = {"list": 4, "status": 1, "open": 1, "append": 1}.get(call, 3)
        return not wanted & ~permission

    def may_trash(self, permission: int) -> bool:
        """Whether somebody else may move what holds a directory of this permission to the trash, so delete it."""
        return not 7 & ~permission

    def home_of(self, user: str) -> str:
        """The home directory of a user."""
        return f"/user/{user}"
