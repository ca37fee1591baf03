"""Judges recordings: calls one after another by the oracle, and calls that overlap by the orders they may have had.

Calls that overlap and are on paths that have nothing to do with each other don't hang on each other; the others of a
group are judged together: there must be an order of them that keeps which returned before which was made, and that the
oracle allows. What need not happen at once is left out of that: reading, listing, what makes several directories or
deletes a tree, and a rename where the contract does not promise it. Where an order is not found soon, or one of the
calls that need not happen at once changes something, the group is not judged, and all that it may have changed is
forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from fsconform.engine.describe import call as described
from fsconform.engine.findings import expectation, observed_text
from fsconform.engine.levels import basis_of, harms_data, weighed
from fsconform.engine.recordings.cells import DIRECTORY, Cell, is_directory
from fsconform.engine.recordings.events import Event
from fsconform.engine.recordings.knowledge import Follower, Known, Step, related
from fsconform.engine.recordings.worlds import World, answer
from fsconform.engine.subject import Verdict
from fsconform.model.core.outcomes import Raised, Returned
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.oracle import Oracle
from fsconform.model.filesystem.status.list_status import ListStatus

MOST_TOGETHER = 64
"""Calls of a group that are judged together."""
MOST_STEPS = 4_000
"""Steps that are looked at before a group is given up."""

ATOMIC_RENAME = "supports-atomic-rename"


@dataclass(frozen=True, slots=True)
class Flagged:
    """A call whose outcome the contract does not allow, in any state that agrees with what was seen before it.

    ``beside`` are the places of the calls that it was judged together with, ``options`` what the contract would have
    to declare for it, if that is possible.
    """

    place: tuple[int, int]
    store: str
    call: str
    observed: str
    expected: str
    clause: str
    verdict: Verdict
    signature: str
    options: tuple[str, ...] = ()
    beside: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class Tally:
    """What judging a recording gave. Each call is counted once.

    ``judged`` calls hung on nothing but what was known; those that were ``learned`` from could have given other
    answers too, and said what is there; of the ``unjudged`` nothing could be said.
    """

    calls: int = 0
    judged: int = 0
    learned: int = 0
    unjudged: int = 0
    overlapping: int = 0
    """Of the calls, how many were judged by the orders they may have had."""
    given_up: int = 0
    """Of the calls, how many overlapped and were not judged for that."""
    clauses: Counter[str] = field(default_factory=Counter)
    quirks: Counter[str] = field(default_factory=Counter)
    """The known bugs of the store that were needed to explain a call, with how many of them."""
    excused: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    """The place of each of those calls, with the known bug."""
    flagged: list[Flagged] = field(default_factory=list)


class RecordingJudge:
    """Judges the events of one store under its contract, from nothing known."""

    def __init__(self, oracle: Oracle, known: Known | None = None) -> None:
        self.oracle = oracle
        self.follower = Follower(oracle)
        self.known = known or Known()
        self.tally = Tally()
        self._atomic_rename = oracle.contract.value(ATOMIC_RENAME) is True

    def follow(self, events: Iterable[Event]) -> Tally:
        """Judge events, in any order: their times say which came before which."""
        for cluster in tangled(sorted(events, key=lambda event: (event.begin, event.end))):
            self.tally.calls += len(cluster)
            if len(cluster) == 1 or not any(event.mutates for event in cluster):
                for event in cluster:
                    self._alone(event)
            else:
                self._together(cluster)
        return self.tally

    def _alone(self, event: Event) -> None:
        step = self.follower.step(self.known, event)
        self._count(step, event)
        if step.after is None:
            self._flag(step, event)
        else:
            self.known = step.after

    def _count(self, step: Step, event: Event) -> None:
        if not step.judged:
            self.tally.unjudged += 1
        elif step.decided:
            self.tally.judged += 1
        else:
            self.tally.learned += 1
        if step.taken is not None and step.taken.after:
            self.tally.clauses[step.taken.clauses[0]] += 1
            if not step.taken.conforms:
                self.tally.quirks.update(step.taken.quirks)
                self.tally.excused += [(event.place, quirk) for quirk in sorted(step.taken.quirks)]

    def _flag(self, step: Step, event: Event, beside: Sequence[Event] = ()) -> None:
        """Note a divergence, and go on from nothing known of what the call is about."""
        assert step.taken is not None
        self.tally.flagged.append(self._told(step.taken.worlds, event, beside))
        for lost in (event, *beside):
            known = self.follower.unjudged(self.known, lost)
            for path in lost.paths:
                known = self.follower.forgotten(known, path)
            self.known = known

    def _told(self, worlds: Sequence[World], event: Event, beside: Sequence[Event]) -> Flagged:
        operation = event.operation
        assert operation is not None
        world = min(worlds, key=lambda one: len(self._would_need(one, event)) or 99)
        situation = self.oracle.situation(world.state, operation)
        clause = situation.clause[0]
        needed = self._would_need(world, event)
        verdict: Verdict = "undeclared" if needed else "violation"
        harms = harms_data(world.state, operation, event.outcome)
        cases = "; ".join(sorted(case.name for case in situation.cases))
        if isinstance(event.outcome, Raised):
            kind = f"raised {event.outcome.classes[0].rpartition('.')[2]}"
        else:
            value = event.outcome.value if isinstance(event.outcome, Returned) else None
            kind = f"returned {str(value).lower()}" if value is None or isinstance(value, bool) else "wrong answer"
        return Flagged(
            place=event.place,
            store=event.store,
            call=described(operation),
            observed=observed_text(event.outcome),
            expected=expectation(self.oracle, world.state, operation),
            clause=clause,
            verdict=weighed(verdict, basis_of(clause), harms),
            signature=f"{operation.NAME} ({cases}): {kind}",
            options=needed,
            beside=tuple(one.place for one in beside),
        )

    def _would_need(self, world: World, event: Event) -> tuple[str, ...]:
        """The option values under which a world would allow the outcome; empty if none would."""
        assert event.operation is not None
        for branch, _ in self.oracle.step_under_any(world.state, event.operation, answer(world, event)):
            if branch.when:
                return tuple(f"{name}={str(value).lower()}" for name, value in branch.when)
        return ()

    # --- calls that overlap

    def _together(self, cluster: Sequence[Event]) -> None:
        asked = [event for event in cluster if not self._is_loose(event, cluster)]
        self.tally.unjudged += len(cluster) - len(asked)
        self.tally.given_up += len(cluster) - len(asked)
        if len(asked) == 1:
            self._alone(asked[0])
            return
        if len(asked) > MOST_TOGETHER or any(self._in_steps(event, asked) for event in asked):
            self._give_up(asked)
            return
        ends, best = self._orders(asked)
        if ends is None:
            self._give_up(asked)
        elif ends:
            self.tally.overlapping += len(asked)
            self.tally.judged += len(asked)
            self.known = self.follower.all_of(ends)
        else:
            self.tally.overlapping += len(asked)
            self.tally.judged += len(asked)
            done, known = best
            stuck = [event for number, event in enumerate(asked) if not done >> number & 1]
            for event in stuck:
                step = self.follower.step(known, event)
                if step.after is None:
                    self.known = known
                    self._flag(step, event, [one for one in asked if one is not event])
                    return
            raise AssertionError("an order ends although each call could come next")

    def _give_up(self, events: Sequence[Event]) -> None:
        self.tally.unjudged += len(events)
        self.tally.given_up += len(events)
        self.known = self.follower.forgetting(self.known, events)

    def _is_loose(self, event: Event, cluster: Sequence[Event]) -> bool:
        """Whether a call reads or lists what others change meanwhile: it may see some of that."""
        if event.mutates or not isinstance(event.operation, Open | ListStatus):
            return False
        return any(other.mutates and _overlap(event, other) for other in cluster)

    def _in_steps(self, event: Event, cluster: Sequence[Event]) -> bool:
        """Whether a call may change things one after another while others look."""
        operation, root = event.operation, self.known.root
        if event.mutates and operation is None and event.kind == "call":
            return True
        if isinstance(operation, Delete):
            steps = operation.recursive and not _is_single(root, operation.path)
        elif isinstance(operation, Rename | RenameWith):
            steps = not self._atomic_rename
        elif isinstance(operation, Mkdirs | Create):
            steps = not is_directory(root, operation.path[:-1])  # several levels may be made, one after another
        else:
            steps = False
        return steps and any(_overlap(event, other) for other in cluster if other is not event)

    def _orders(self, events: Sequence[Event]) -> tuple[list[Known] | None, tuple[int, Known]]:
        """What is known after each order that explains all calls; None if the search was given up.

        Where there is no such order, the calls of the longest one, as a bit mask, and what is known after it.
        """
        before = [
            sum(1 << other for other, earlier in enumerate(events) if earlier.end < event.begin) for event in events
        ]
        whole = (1 << len(events)) - 1
        best: tuple[int, Known] = (0, self.known)
        tried = {best}
        todo = [best]
        ends: dict[Known, None] = {}
        while todo:
            done, known = todo.pop()
            if done == whole:
                ends[known] = None
                continue
            if done.bit_count() > best[0].bit_count():
                best = (done, known)
            for number, event in enumerate(events):
                if done >> number & 1 or before[number] & ~done:
                    continue
                after = self.follower.step(known, event).after
                node = (done | 1 << number, after) if after is not None else None
                if node is not None and node not in tried:
                    if len(tried) > MOST_STEPS:
                        return None, best
                    tried.add(node)
                    todo.append(node)
        return list(ends), best


def _is_single(root: Cell, path: Path) -> bool:
    """Whether what is at a path has nothing below it for sure."""
    for name in path:
        if root.kinds != DIRECTORY:
            break
        root = root.child(name)
    return not root.kinds & DIRECTORY or (root.complete and not root.children)


def _overlap(one: Event, other: Event) -> bool:
    return one.begin <= other.end and other.begin <= one.end


def groups(events: Sequence[Event]) -> Iterator[list[Event]]:
    """Events in the order in which they began, in groups: none overlaps with one of another group."""
    group: list[Event] = []
    end = 0
    for event in events:
        if group and event.begin > end:
            yield group
            group = []
        end = max(end, event.end) if group else event.end
        group.append(event)
    if group:
        yield group


def tangled(events: Sequence[Event]) -> Iterator[list[Event]]:
    """Events in the order in which they began, in the smallest parts that can be judged one after another.

    Those of a part overlap, if not each with each, and are on related paths.
    """
    for group in groups(events):
        parts = clusters(group)
        if len(parts) == 1:
            yield parts[0]
            continue
        for part in parts:
            yield from tangled(part)


def clusters(group: Sequence[Event]) -> list[list[Event]]:
    """The events of a group, in parts that have nothing to do with each other, each in the order of its events."""
    if len(group) == 1:
        return [list(group)]
    found: list[list[Event]] = []
    for event in group:
        touching = [part for part in found if any(_related(event, other) for other in part)]
        merged = [other for part in touching for other in part] + [event]
        found = [part for part in found if not any(part is one for one in touching)]
        found.append(sorted(merged, key=lambda one: (one.begin, one.end)))
    return sorted(found, key=lambda part: part[0].begin)


def _related(one: Event, other: Event) -> bool:
    if one.stream is not None and one.stream == other.stream:
        return True
    return any(related(path, beside) for path in one.paths for beside in other.paths)


def shown(event: Event) -> str:
    """A call in words, also where the model has no operation for it."""
    return described(event.operation) if event.operation else f"{event.name}({', '.join(map(show, event.paths))})"
