"""The full store's calls of several users in a small tree. Source: the paper on HDFS, IV.B.

The tree is apart from the store's own: made for the call, and forgotten afterwards. Seeded faults override
``rules_of_users`` and ``outcome_of_call``.
"""

from __future__ import annotations

from fsconform.model.filesystem.permissions import DENIED, DONE, Owned, Play, Rules, Tree, tree_of
from fsconform.model.filesystem.protocols.calls_by_users import shown
from fsconform.proving.keeping_store import KeepingStore, Told

_MEMBERS = ("ann", "bob")
_FREE = 0o777
_LENGTH = 3


class Users(KeepingStore):
    """Users of a store: ann and bob are in the group of all that is there, eve is in none."""

    def calls_by_users(
        self,
        path: str,
        top: int,
        top_owner: str,
        file: int,
        file_owner: str,
        inner: int,
        inner_owner: str,
        calls: tuple[str, ...],
    ) -> Told | None:
        """What comes of each call, and what is there then. FileNotFoundException if no path."""
        if self.found(path).data is not None:
            return None
        tree = tree_of(Owned(top_owner, top), Owned(file_owner, file, _LENGTH), Owned(inner_owner, inner))
        if not self.can.supports_unix_permissions:
            tree = {name: Owned(node.owner, _FREE, node.length) for name, node in tree.items()}
        outcomes = []
        for call in calls:
            outcome, tree = self.outcome_of_call(tree, call)
            outcomes.append(outcome)
        left = tuple(sorted(shown(name, node) for name, node in tree.items() if name))
        return {"members": _MEMBERS, "outcomes": tuple(outcomes), "left": left}

    # --- inside; seeded faults override these

    def outcome_of_call(self, tree: Tree, call: str) -> tuple[str, Tree]:
        """What comes of one call, and the tree that it leaves."""
        user, _, what = call.partition(" ")
        play = Play(tree, _MEMBERS, self.rules_of_users())
        allowed = play.call(user, what)
        left = tree if play.tree is None else play.tree
        # Where several outcomes are allowed this store denies.
        return DENIED if DENIED in allowed else DONE, left

    def rules_of_users(self) -> Rules:
        """By which rules calls are granted."""
        return Rules()
