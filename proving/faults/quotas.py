"""Faults of quotas of names and space."""

from __future__ import annotations

from dataclasses import replace

from fsconform.model.filesystem.protocols.calls_under_quotas import (
    BLOCKS,
    ITSELF,
    KEPT,
    NAMES_EXACT,
    RENAMES,
    REPLICAS,
    SPACE_REFUSED,
    STICK,
)
from fsconform.model.filesystem.quotas import (
    NONE,
    SPACE,
    OneReplica,
    QuotasLeftBehind,
    RenamesUnchecked,
    ReplicationUnchecked,
    Rules,
    Tree,
    WithoutItself,
    WrittenBytes,
    play,
)
from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore


@seeded("quotas-leave-out-the-directory", "a directory does not count against its own quota", clause=ITSELF)
class _Itself(FullStore):
    def rules_of_quotas(self) -> Rules:
        return WithoutItself()


@seeded("quotas-count-one-replica", "space is counted once, not for each replica", clause=REPLICAS)
class _Replicas(FullStore):
    def rules_of_quotas(self) -> Rules:
        return OneReplica()


@seeded("quotas-ignore-more-replicas", "replication is raised beyond a quota of space", clause=REPLICAS)
class _MoreReplicas(FullStore):
    def rules_of_quotas(self) -> Rules:
        return ReplicationUnchecked()


@seeded("quotas-count-bytes-of-open-blocks", "a block in work counts the bytes written so far", clause=BLOCKS)
class _Blocks(FullStore):
    def rules_of_quotas(self) -> Rules:
        return WrittenBytes()


@seeded("quotas-let-renames-pass", "what is renamed into a directory is held against no quota", clause=RENAMES)
class _Renames(FullStore):
    def rules_of_quotas(self) -> Rules:
        return RenamesUnchecked()


@seeded("quotas-lost-by-rename", "a directory that is renamed loses its quotas", clause=STICK)
class _Lost(FullStore):
    def rules_of_quotas(self) -> Rules:
        return QuotasLeftBehind()


class _NeverReached(Rules):
    def exceeds(self, quota: int, used: int, more: int) -> bool:
        return quota != NONE and more > 0 and used + more >= quota


@seeded("quotas-refuse-what-reaches-them", "what exactly reaches a quota is refused", clause=NAMES_EXACT)
class _Never(FullStore):
    def rules_of_quotas(self) -> Rules:
        return _NeverReached()


class _ByOne(Rules):
    def exceeds(self, quota: int, used: int, more: int) -> bool:
        return quota != NONE and more > 0 and used + more > quota + 1


@seeded("quotas-allow-one-more", "a quota is exceeded by one", clause=NAMES_EXACT)
class _OneMore(FullStore):
    def rules_of_quotas(self) -> Rules:
        return _ByOne()


class _Nearest(Rules):
    def limits(self, tree: Tree, path: str) -> tuple[str, ...]:
        return super().limits(tree, path)[:1]


@seeded("quotas-of-the-parent-alone", "quotas further up than the parent bear on nothing", clause=NAMES_EXACT)
class _Parent(FullStore):
    def rules_of_quotas(self) -> Rules:
        return _Nearest()


class _NoSpace(Rules):
    def refused(self, tree: Tree, path: str, names: int, space: int, shared: tuple[str, ...] = ()) -> tuple[str, ...]:
        return tuple(by for by in super().refused(tree, path, names, space, shared) if by != SPACE)


@seeded("quotas-of-space-ignored", "a quota of space refuses nothing", clause=SPACE_REFUSED)
class _Space(FullStore):
    def rules_of_quotas(self) -> Rules:
        return _NoSpace()


class _DoneAllTheSame(Rules):
    def left_by_refusal(self, _before: Tree, after: Tree) -> Tree:
        return after


@seeded("quotas-refuse-what-they-do", "a call that a quota refused is done all the same", clause=KEPT)
class _Done(FullStore):
    def rules_of_quotas(self) -> Rules:
        return _DoneAllTheSame()


@seeded("quotas-keep-what-was-deleted", "what is deleted goes on counting in getQuotaUsage", clause=NAMES_EXACT)
class _Deleted(FullStore):
    def left_by(self, tree: Tree, call: str) -> tuple[str, Tree]:
        self.before = tree
        return super().left_by(tree, call)

    def charged_tree(self, tree: Tree, call: str) -> Tree:
        return self.before if call.startswith("delete") else tree


@seeded("quotas-never-give-space-back", "a file that was cut goes on counting in getQuotaUsage", clause=SPACE_REFUSED)
class _Cut(FullStore):
    def left_by(self, tree: Tree, call: str) -> tuple[str, Tree]:
        self.before = tree
        return super().left_by(tree, call)

    def charged_tree(self, tree: Tree, call: str) -> Tree:
        return self.before if call.startswith("truncate") else tree


@seeded("quotas-charge-refused-blocks", "a block that was refused is counted", clause=KEPT)
class _Charged(FullStore):
    def charged_tree(self, tree: Tree, call: str) -> Tree:
        refused = call == "append f" and SPACE in play(tree, call, self.rules_of_quotas())
        return super().charged_tree({**tree, "d/f": replace(tree["d/f"], open=True)} if refused else tree, call)
