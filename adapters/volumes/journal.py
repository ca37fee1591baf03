"""The journal of a filesystem's names: what was done to directory entries and is not durable, and what hangs on what.

Pure. A step is atomic: both ends of a rename survive, or none. What a step hangs on survives where it does: without
that a directory could stand in one that was never made, or two directories in each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fsconform.adapters.volumes.attributes import Attributes


@dataclass(frozen=True, slots=True)
class Entry:
    """A change of one directory entry: the inodes it named before and names after, 0 for none."""

    directory: int
    name: bytes
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Step:
    """One operation: entries that change at once, or the attributes that an inode gets."""

    moment: int
    call: str
    entries: tuple[Entry, ...]
    hangs_on: frozenset[int]
    """Moments of the steps that it needs; those that are durable by now count no more."""
    inode: int = 0
    attributes: Attributes | None = None


@dataclass(slots=True)
class Journal:
    """The steps that are pending, by their moments, in order."""

    steps: dict[int, Step] = field(default_factory=dict)
    _of_name: dict[tuple[int, bytes], int] = field(default_factory=dict)
    _in_directory: dict[int, dict[int, None]] = field(default_factory=dict)
    _made: dict[int, int] = field(default_factory=dict)
    _of_inode: dict[int, dict[int, None]] = field(default_factory=dict)
    _last_move: int = 0

    def note(
        self, moment: int, call: str, entries: tuple[Entry, ...], *, made: int = 0, gone: int = 0, moved: bool = False
    ) -> Step:
        """Enter a change of names.

        ``made`` is the directory that it makes, ``gone`` the one it takes away; ``moved``: it moves a directory from
        one directory to another.
        """
        needs: set[int] = set()
        for entry in entries:
            needs.add(self._of_name.get((entry.directory, entry.name), 0))
            needs.add(self._made.get(entry.directory, 0))
        needs.update(self._in_directory.get(gone, ()))
        if moved:
            needs.add(self._last_move)
            self._last_move = moment
        step = Step(moment, call, entries, frozenset(needs & self.steps.keys()))
        self.steps[moment] = step
        for entry in entries:
            self._of_name[entry.directory, entry.name] = moment
            self._in_directory.setdefault(entry.directory, {})[moment] = None
        if made:
            self._made[made] = moment
        return step

    def note_attributes(self, moment: int, call: str, inode: int, attributes: Attributes) -> Step:
        """Enter a change of an inode's attributes, all of which it says anew."""
        before = self._of_inode.setdefault(inode, {})
        last = next(reversed(before), 0)
        step = Step(moment, call, (), frozenset((last,)) if last else frozenset(), inode, attributes)
        before[moment] = None
        self.steps[moment] = step
        return step

    def of_directory(self, inode: int) -> list[int]:
        """The moments of what changed entries of a directory."""
        return list(self._in_directory.get(inode, ()))

    def of_attributes(self, inode: int) -> list[int]:
        """The moments of what changed an inode's attributes."""
        return list(self._of_inode.get(inode, ()))

    def with_needs(self, moments: Iterable[int]) -> list[int]:
        """These steps and all that they hang on, in order."""
        found: set[int] = set()
        left = [one for one in moments if one in self.steps]
        while left:
            moment = left.pop()
            if moment not in found:
                found.add(moment)
                left.extend(self.steps[moment].hangs_on & self.steps.keys())
        return sorted(found)

    def take(self, moments: Iterable[int]) -> list[Step]:
        """Take steps out, which are durable from now on; in order."""
        taken = [self.steps.pop(moment) for moment in sorted(moments)]
        for step in taken:
            for entry in step.entries:
                key = (entry.directory, entry.name)
                if self._of_name.get(key) == step.moment:
                    del self._of_name[key]
                _without(self._in_directory, entry.directory, step.moment)
                if self._made.get(entry.after) == step.moment:
                    del self._made[entry.after]
            if step.inode:
                _without(self._of_inode, step.inode, step.moment)
        return taken

    def forget(self) -> None:
        """Nothing is pending any more."""
        self.steps.clear()
        self._of_name.clear()
        self._in_directory.clear()
        self._made.clear()
        self._of_inode.clear()
        self._last_move = 0


def _without(index: dict[int, dict[int, None]], key: int, moment: int) -> None:
    """Take a moment out; of a rename in one directory it may be gone already."""
    moments = index.get(key)
    if moments is not None:
        moments.pop(moment, None)
        if not moments:
            del index[key]
