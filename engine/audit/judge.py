"""The judge of audit logs: follows a log with the set of all namespaces that agree with it so far.

The NameNode writes a line after it has let go of its lock, so lines of calls that were under way together may stand in
another order than their effects. A possibility is therefore a tree and the later lines whose effects it has already; a
line is flagged where no possibility allows it, in whatever order the calls then under way took effect.

A flagged line was not what happened: something else did. It is taken to be wrong in its command or in one of its paths,
not in all at once. What stands at its paths is forgotten, and, where its command changes the namespace, one place that
is not known may have changed: the first later line that can't be explained otherwise is put down to that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fsconform.engine.audit.effects import CHANGING, SILENT, Assumptions, Effects, Trees, by_inode, resolved, tells
from fsconform.engine.audit.lines import Entry, Names
from fsconform.engine.audit.tree import ABSENT, DIRECTORY, FILE, LINK, UNKNOWN_ROOT, Node

MAX_POSSIBILITIES = 8
"""More than these are joined to one that stands for all of them, and for more."""

MAX_SEARCHED = 64
"""So many steps of orders are tried for one line before it is held possible and what it touches is forgotten."""

AHEAD_PER_CALL = 4
"""For each call that may be under way, so many later lines are looked at for effects that came earlier."""

ANYWHERE_LINES = 1000
"""Within so many lines a flagged line's unknown effect may show anywhere; later only near its own paths."""

MAX_GONE = 200_000
"""So many paths are remembered to be gone from directories that are not known whole."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A line that no namespace allows, or (``due_to`` is not 0) one that only an earlier flagged line explains."""

    line: int
    command: str
    why: str
    due_to: int = 0


@dataclass(slots=True)
class Tally:
    """What following a log gave. ``telling`` entries are those that say anything of the namespace."""

    entries: int = 0
    telling: int = 0
    refused: int = 0
    damaged: int = 0
    joined: int = 0
    given_up: int = 0
    most_possibilities: int = 1
    commands: dict[str, int] = field(default_factory=dict)
    unheard_of: dict[str, int] = field(default_factory=dict)
    flags: list[Flag] = field(default_factory=list)
    explained: list[Flag] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Possibility:
    root: Node
    early: frozenset[int] = frozenset()

    @property
    def key(self) -> tuple[int, frozenset[int]]:
        return self.root.digest, self.early


@dataclass(slots=True)
class _Debt:
    """What a flagged line did in truth, as far as it has not shown: at most one place changed."""

    line: int
    near: tuple[Names, ...]


class AuditJudge:
    """Follows one log. Memory is bounded by the namespace, not by the log."""

    def __init__(self, assumptions: Assumptions | None = None) -> None:
        self.assumptions = assumptions or Assumptions()
        self.effects = Effects(self.assumptions)
        self.tally = Tally()
        self._all: list[_Possibility] = [_Possibility(self.effects.start())]
        self._window: deque[Entry] = deque()
        self._ahead = AHEAD_PER_CALL * (self.assumptions.in_flight - 1)
        self._debts: list[_Debt] = []
        self._gone: deque[Names] = deque()
        self._tried = 0

    def follow(self, log: Iterable[Entry]) -> Tally:
        """Judge a whole log. An entry's line is judged once the lines that may have come before it are known."""
        for entry in log:
            self.take(entry)
        return self.end()

    def take(self, entry: Entry) -> None:
        """Take in the next entry."""
        tally = self.tally
        tally.entries += 1
        tally.commands[entry.command] = tally.commands.get(entry.command, 0) + 1
        if not entry.command:
            tally.damaged += 1
        if not entry.allowed:
            tally.refused += 1
        if not tells(entry):
            if entry.allowed and entry.command not in SILENT:
                tally.unheard_of[entry.command] = tally.unheard_of.get(entry.command, 0) + 1
            return
        tally.telling += 1
        self._window.append(entry)
        if len(self._window) > self._ahead:
            self._judge(self._window.popleft())

    def end(self) -> Tally:
        """Judge what is left and give what was found."""
        while self._window:
            self._judge(self._window.popleft())
        return self.tally

    def _judge(self, head: Entry) -> None:
        single = self._all[0]
        if len(self._all) == 1 and not single.early and not self._rivals(head, single.early, ()):
            trees = self.effects.apply(single.root, head)
            if len(trees) == 1:
                self._all = [_Possibility(trees[0])]
                self._remember(head)
                return
        # What no namespace at all allows needs no search for an order that does.
        found = self._searched(head) if self.effects.apply(UNKNOWN_ROOT, head) else {}
        if found:
            self._settle(found)
            self._remember(head)
        else:
            self._contradicted(head)

    def _searched(self, head: Entry) -> dict[object, _Possibility]:
        """All possibilities after the head took effect, with whatever overtook it."""
        found: dict[object, _Possibility] = {}
        self._tried = 0
        seen: set[object] = set()
        for one in self._all:
            if head.number in one.early:
                left = _Possibility(one.root, one.early - {head.number})
                found[left.key] = left
                continue
            for after in self._reach(one, head, (), seen):
                found[after.key] = after
        if self._tried > MAX_SEARCHED:
            self.tally.given_up += 1
            for one in self._all:
                left = _Possibility(self._without(one.root, head), one.early - {head.number})
                found[left.key] = left
        return found

    def _rivals(self, target: Entry, early: frozenset[int], under: tuple[Entry, ...]) -> list[Entry]:
        """The lines to come whose effects may have come before the target's, and bear on it."""
        in_order = self.assumptions.clients_in_order
        callers = {target.caller, *(one.caller for one in under)} if in_order else set()
        found = []
        for other in self._window:
            if in_order:
                if other.caller in callers:
                    continue
                # A client that waits for its answers has but one call under way.
                callers.add(other.caller)
            if other is not target and other.number not in early and other not in under and touch(target, other):
                found.append(other)
        return found

    def _reach(
        self, one: _Possibility, target: Entry, under: tuple[Entry, ...], seen: set[object]
    ) -> Iterator[_Possibility]:
        """What is possible once the target took effect, alone or after lines to come that bear on it."""
        self._tried += 1
        state = (target.number, one.key)
        if state in seen or self._tried > MAX_SEARCHED:
            return
        seen.add(state)
        apply = self.effects.apply
        direct = apply(one.root, target)
        for root in direct:
            yield _Possibility(root, one.early)
        if len(one.early) + len(under) >= self.assumptions.in_flight - 1:
            return
        for rival in self._rivals(target, one.early, under):
            before = apply(one.root, rival)
            if direct and (not before or self._same_either_way(direct, before, target, rival)):
                continue
            if not direct and rival.command not in CHANGING:
                continue
            for first in list(self._reach(one, rival, (*under, target), seen)):
                next_one = _Possibility(first.root, first.early | {rival.number})
                yield from self._reach(next_one, target, under, seen)

    def _same_either_way(self, direct: Trees, before: Trees, head: Entry, rival: Entry) -> bool:
        """Whether the rival makes no difference by coming first: it could not, or the outcome is the same."""
        apply = self.effects.apply
        overtaken = {root.digest for tree in before for root in apply(tree, head)}
        if not overtaken:
            return True
        return overtaken == {root.digest for tree in direct for root in apply(tree, rival)}

    def _settle(self, found: dict[object, _Possibility]) -> None:
        """Keep what is possible; where that is too much, one tree for all that have the same lines early."""
        self.tally.most_possibilities = max(self.tally.most_possibilities, len(found))
        if len(found) > MAX_POSSIBILITIES:
            self.tally.joined += 1
            by_early: dict[frozenset[int], Node] = {}
            for one in found.values():
                known = by_early.get(one.early)
                by_early[one.early] = one.root if known is None else self.effects.shape.joined(known, one.root)
            found = {early: _Possibility(root, early) for early, root in by_early.items()}
        self._all = list(found.values())

    def _contradicted(self, head: Entry) -> None:
        """No possibility allows the line: an earlier flagged one explains it, or it is flagged itself."""
        why = reason(self.effects, self._all[0].root, head)
        for debt in self._debts:
            excused = self._excused(debt, head)
            if excused:
                self._debts.remove(debt)
                self.tally.explained.append(Flag(head.number, head.command, why, debt.line))
                self._settle(excused)
                return
        self.tally.flags.append(Flag(head.number, head.command, why))
        self._all = [_Possibility(self._without(one.root, head), one.early) for one in self._all]
        if head.command in CHANGING:
            self._debts.append(_Debt(head.number, tuple(path[:-1] for path in _places(head))))

    def _without(self, root: Node, head: Entry) -> Node:
        """A tree without what is known of a line's paths, and of where a rename into a directory would have put it.

        No command makes anything else of the root, so what is below it stays.
        """
        places = _places(head)
        if head.command == "rename" and len(places) == 2 and places[0]:
            places = (*places, (*places[1], places[0][-1]))
        for path in places:
            root = self.effects.shape.forgotten(root, path) if path else root
        return root

    def _excused(self, debt: _Debt, head: Entry) -> dict[object, _Possibility]:
        """The possibilities if the flagged line's true effect was in the way of this one."""
        found: dict[object, _Possibility] = {}
        for path in _places(head):
            for depth in range(len(path), 0, -1):
                place = path[: depth - 1]
                near = any(place[: len(one)] == one for one in debt.near if one)
                if not near and head.number - debt.line > ANYWHERE_LINES:
                    continue
                for one in self._all:
                    root = one.root
                    if place:
                        root = self.effects.shape.forgotten(root, place)
                    else:
                        root = self.effects.shape.forgotten(root, path[:depth])
                    for after in self.effects.apply(root, head):
                        found[after.digest, one.early] = _Possibility(after, one.early)
                if found:
                    return found
        return found

    def _remember(self, head: Entry) -> None:
        """Bound what is remembered of paths that are gone: the oldest are forgotten."""
        if head.command not in ("delete", "rename", "concat"):
            return
        self._gone.extend(_places(head)[:1] if head.command != "concat" else _places(head)[:-1])
        while len(self._gone) > MAX_GONE:
            path = self._gone.popleft()
            self._all = [_Possibility(self._dropped(one.root, path), one.early) for one in self._all]

    def _dropped(self, root: Node, path: Names) -> Node:
        shape = self.effects.shape
        parent = shape.at(root, path[:-1])
        if parent.complete or not path or shape.at(root, path).digest != shape.gone.digest:
            return root
        return shape.forgotten(root, path)


def _places(entry: Entry) -> tuple[Names, ...]:
    if any(map(by_inode, entry.paths)):
        return ()
    return tuple(place for path in entry.paths if (place := resolved(path)) is not None)


def touch(one: Entry, other: Entry) -> bool:
    """Whether two entries speak of places of which one is the other or lies below it."""
    for mine in one.paths:
        for theirs in other.paths:
            shorter = min(len(mine), len(theirs))
            if mine[:shorter] == theirs[:shorter]:
                return True
    return not one.command or not other.command


_KINDS = ((ABSENT, "absent"), (FILE, "a file"), (DIRECTORY, "a directory"), (LINK, "a link"))


def shown(path: Names) -> str:
    """A path for a person."""
    return "/" + "/".join(path)


def said(node: Node) -> str:
    """What is known of a node, in words."""
    if node.kinds == ABSENT | DIRECTORY and node.complete and not node.children:
        return "gone (absent, or a directory that no line tells of)"
    return " or ".join(word for kind, word in _KINDS if node.kinds & kind)


def reason(effects: Effects, root: Node, entry: Entry) -> str:
    """Why an entry is not possible in a tree: the last known node on each of its paths."""
    found = []
    for path in entry.paths:
        place = resolved(path)
        if place is None:
            continue
        depth = 0
        while depth < len(place) and effects.shape.at(root, place[:depth]).kinds & DIRECTORY:
            depth += 1
        depth = depth if effects.shape.at(root, place[:depth]).kinds & DIRECTORY else max(depth, 0)
        found.append(f"{shown(place[:depth])} is {said(effects.shape.at(root, place[:depth]))}")
    return f"{entry.command} succeeded, yet " + ", and ".join(dict.fromkeys(found)) if found else "it can't be"
