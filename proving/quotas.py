"""The full store's calls under quotas in a small tree. Source: the paper on HDFS, IV.B, and the HDFS Quotas Guide.

The tree is apart from the store's own: made for the call, and forgotten afterwards. Seeded faults override
``rules_of_quotas``, ``left_by`` and ``charged_tree``.
"""

from __future__ import annotations

from fsconform.model.filesystem.protocols.calls_under_quotas import shown, summary, usage
from fsconform.model.filesystem.quotas import OUTCOMES, Rules, Tree, play, tree_at_first
from fsconform.proving.keeping_store import KeepingStore, Told


class Quotas(KeepingStore):
    """Quotas of a store: each is checked before a call does anything, and what is counted is what is there."""

    def calls_under_quotas(
        self, path: str, names: int, space: int, inner_names: int, inner_space: int, calls: tuple[str, ...]
    ) -> Told | None:
        """What comes of each call, what is counted after each, and what is there then.

        FileNotFoundException if no path, UnsupportedOperationException without quotas; None of a file.
        """
        self.need(self.can.supports_quotas, "quotas")
        if self.found(path).data is not None:
            return None
        tree = tree_at_first(names, space, inner_names, inner_space)
        outcomes, usages, summaries, rules = [], [], [], self.rules_of_quotas()
        for call in calls:
            outcome, tree = self.left_by(tree, call)
            outcomes.append(outcome)
            usages.append(usage(self.charged_tree(tree, call), rules))
            summaries.append(summary(tree, rules))
        return {
            "outcomes": tuple(outcomes),
            "usages": tuple(usages),
            "summaries": tuple(summaries),
            "left": shown(tree),
        }

    # --- inside; seeded faults override these

    def left_by(self, tree: Tree, call: str) -> tuple[str, Tree]:
        """What comes of one call, and the tree that it leaves."""
        allowed = play(tree, call, self.rules_of_quotas())
        # Of several outcomes that are allowed this store has the first.
        outcome = next(word for word in OUTCOMES if word in allowed)
        left = allowed[outcome]
        return outcome, tree if left is None else left

    def charged_tree(self, tree: Tree, _call: str) -> Tree:
        """What is counted after a call: what is there."""
        return tree

    def rules_of_quotas(self) -> Rules:
        """By which rules calls are refused and space is counted."""
        return Rules()
