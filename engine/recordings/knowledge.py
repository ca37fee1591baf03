"""What is known of a store while a recording is followed, and what each call makes of that.

A file that is open to be written is not known until its stream was closed: neither how much of it others see, nor, on
stores that show files late, whether it is there. Where its path was renamed, deleted or opened again meanwhile, nothing
is known of it after the close either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from immutables import Map

from fsconform.engine.recordings.cells import FILE, UNKNOWN_ROOT, Cell, forgotten, joined, put
from fsconform.engine.recordings.events import Event, Stream
from fsconform.engine.recordings.worlds import Taken, TooMany, take
from fsconform.model.core.paths import Path, is_ancestor
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.oracle import Oracle

SEEN_LATE = "create-visibility-delayed"


@dataclass(frozen=True, slots=True)
class Live:
    """A stream that is open: the paths that it may write to. Of one that is ``astray`` nothing is known any more."""

    paths: tuple[Path, ...]
    astray: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one store: its tree, and the streams that are open."""

    root: Cell = UNKNOWN_ROOT
    live: Map[Stream, Live] = field(default_factory=Map)


@dataclass(frozen=True, slots=True)
class Step:
    """What a call made of what is known. ``after`` is None where no world allows its outcome.

    ``judged`` is true where the oracle had a say, ``decided`` where all that the call hangs on was known.
    """

    after: Known | None
    judged: bool
    decided: bool = False
    taken: Taken | None = None


def related(one: Path, other: Path) -> bool:
    """Whether one path is the other, or below it."""
    return one == other or is_ancestor(one, other) or is_ancestor(other, one)


class Follower:
    """Follows events under one contract."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.seen_late = oracle.contract.value(SEEN_LATE) is not False

    def step(self, known: Known, event: Event) -> Step:
        """What becomes of what is known by a call."""
        if event.kind == "close":
            return Step(self._closed(known, event), judged=event.content is not None)
        if event.operation is None:
            return Step(self.unjudged(known, event), judged=False)
        try:
            taken = take(self.oracle, known.root, event)
        except TooMany:
            return Step(self.unjudged(known, event), judged=False)
        if taken.unjudged:
            return Step(self.unjudged(known, event), judged=False)
        decided = len(taken.worlds) == 1 and taken.worlds[0].root == known.root
        if not taken.after:
            return Step(None, judged=True, decided=decided, taken=taken)
        root = taken.joined
        if event.kind == "open" and not event.failed:
            after = self._opened(known, event, root, taken)
        else:
            after = self.settled(self._strayed(replace(known, root=root), event))
        return Step(after, judged=True, decided=decided, taken=taken)

    def unjudged(self, known: Known, event: Event) -> Known:
        """What is left of what is known by a call of which nobody knows what it did."""
        if not event.mutates:
            return known
        root = known.root
        for path in event.paths:
            root = forgotten(root, path)
        after = self._strayed(Known(root, known.live), event)
        if event.kind == "open" and event.stream is not None and not event.failed:
            after = replace(after, live=after.live.set(event.stream, Live(event.paths, astray=True)))
        return self.settled(after)

    def forgetting(self, known: Known, events: Iterable[Event]) -> Known:
        """What is left after calls of which nobody knows what they did, nor in which order."""
        for event in events:
            known = self.unjudged(known, event)
            if event.kind == "close" and event.stream is not None and event.stream in known.live:
                known = Known(known.root, known.live.delete(event.stream))
        return known

    def _opened(self, known: Known, event: Event, root: Cell, taken: Taken) -> Known:
        (path,) = event.paths
        if self.seen_late:
            for world in taken.worlds:  # there may be nothing before the stream is closed, no parents either
                root = joined(root, world.root)
        live = known.live
        again = False
        for stream, other in live.items():
            if path in other.paths:
                live, again = live.set(stream, replace(other, astray=True)), True
        if event.stream is not None:
            live = live.set(event.stream, Live((path,), again or isinstance(event.operation, Append)))
        return self.settled(Known(root, live))

    def _closed(self, known: Known, event: Event) -> Known:
        stream = known.live.get(event.stream) if event.stream is not None else None
        live = known.live.delete(event.stream) if stream is not None and event.stream is not None else known.live
        root = known.root
        if stream is not None and not stream.astray and not event.failed and event.content is not None:
            return self.settled(Known(put(root, event.paths[0], Cell(FILE, event.content)), live))
        for path in {*event.paths, *(stream.paths if stream is not None else ())}:
            root = forgotten(root, path)
        return self.settled(Known(root, live))

    def _strayed(self, known: Known, event: Event) -> Known:
        """The streams whose files a call may have moved, taken away or written to."""
        if not event.mutates or not known.live or (event.kind == "open" and event.failed):
            return known
        root, live = known.root, known.live
        for stream, one in known.live.items():
            if any(path == other or is_ancestor(path, other) for path in event.paths for other in one.paths):
                paths = one.paths
                if isinstance(event.operation, Rename | RenameWith) or len(event.paths) > 1:
                    paths = tuple(dict.fromkeys((*paths, *event.paths)))
                    for path in event.paths:
                        root = forgotten(root, path)
                live = live.set(stream, Live(paths, astray=True))
        return Known(root, live)

    def all_of(self, ends: Sequence[Known]) -> Known:
        """What is so in each of some ends."""
        root, live = ends[0].root, ends[0].live
        for other in ends[1:]:
            root = joined(root, other.root)
            for stream, one in other.live.items():
                if live.get(stream) != one:
                    paths = (*live[stream].paths, *one.paths) if stream in live else one.paths
                    live = live.set(stream, Live(tuple(dict.fromkeys(paths)), astray=True))
        return self.settled(Known(root, live))

    def forgotten(self, known: Known, path: Path) -> Known:
        """What is known with nothing known of a path."""
        return self.settled(Known(forgotten(known.root, path), known.live))

    def settled(self, known: Known) -> Known:
        """Of what is being written nobody knows how much is seen, or whether it is there at all."""
        root = known.root
        for stream in known.live.values():
            for path in stream.paths:
                hidden = stream.astray or self.seen_late
                root = forgotten(root, path) if hidden else put(root, path, Cell(FILE))
        return Known(root, known.live) if root is not known.root else known
