"""The whole store's calls for administrators. Source: safemode.md."""

from __future__ import annotations

from fsconform.adapters.proving.kept import KeepingStore, Told

_WORDS = {False: "off", True: "on"}


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

    # --- inside; seeded faults override these

    def set_safe_mode(self, action: str, overload: str) -> bool:
        """Do one action by one overload; whether safe mode is on then."""
        if action != "get":
            self.safe = action == "enter"
        return self.safe
