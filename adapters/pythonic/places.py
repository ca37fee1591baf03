"""Places in which programs play: a fresh one for each, below one that belongs to the session, in the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from fsconform.adapters.folders.sandbox import Sandbox
from fsconform.engine.protocol import StoreLost


class Places(Protocol):
    """What a session makes and removes in its sandbox."""

    def fresh(self, number: int) -> str:
        """Make the place of a program; its name as the library takes it. Raises StoreLost."""
        ...

    def remove(self, number: int) -> None:
        """Remove a program's place with all in it. Never raises for what a store can cause."""
        ...

    def clear(self, run: str) -> None:
        """Remove what a session of that name made, whose process is gone. Never raises for what a store can cause."""
        ...

    def leave(self) -> None:
        """Remove all that the session made. Never raises for what a store can cause."""
        ...


class FolderPlaces:
    """Directories of this machine, open to this user alone. ``leave`` is told when the session ends."""

    def __init__(self, sandbox: Sandbox, leave: Callable[[Sandbox], None]) -> None:
        self._sandbox, self._leave = sandbox, leave
        self._bases: dict[int, int] = {}

    def fresh(self, number: int) -> str:
        """Make a directory. Raises StoreLost."""
        self._bases[number] = self._sandbox.open_base(number)
        return str(self._sandbox.place_of(number))

    def remove(self, number: int) -> None:
        """Remove a directory."""
        base = self._bases.pop(number, None)
        if base is not None:
            self._sandbox.close_base(number, base)

    def clear(self, run: str) -> None:
        """Remove another session's directory."""
        self._sandbox.clear(run)

    def leave(self) -> None:
        """Remove the session's directory."""
        self._leave(self._sandbox)


class Keeper(Protocol):
    """What makes and removes directories in a store by another way than the library that is judged."""

    def make(self, place: str) -> None:
        """Make an empty directory. Raises what the way raises."""
        ...

    def remove(self, place: str) -> None:
        """Remove a directory with all in it; there need be none. Raises what the way raises."""
        ...

    def beginning(self, name: str) -> Iterable[str]:
        """The places whose names begin so, or that hold all of those. Raises what the way raises."""
        ...


class KeptPlaces:
    """Directories of a store, with names that nobody can have taken.

    ``root`` is the sandbox, as the library takes it, without a slash at its end; ``run`` names the session. ``sign``
    stands between what names it and what numbers the program: ``/``, or ``-`` where one directory can't be within
    another.
    """

    def __init__(self, root: str, keeper: Keeper, run: str, sign: str = "/") -> None:
        self._root, self._keeper, self._sign = root, keeper, sign
        self._own = f"{root}{sign}{run}"
        self._left: set[str] = set()

    def fresh(self, number: int) -> str:
        """Make a directory. Raises StoreLost."""
        place = f"{self._own}{self._sign}p{number}"
        self._left.add(place)
        try:
            self._keeper.make(place)
        except Exception as error:
            raise StoreLost(f"the program's directory {place} could not be made: {error}") from error
        return place

    def remove(self, number: int) -> None:
        """Remove a directory; what stays is taken up by :meth:`leave`."""
        self._remove(f"{self._own}{self._sign}p{number}")

    def clear(self, run: str) -> None:
        """Remove another session's places."""
        with suppress(Exception):
            for place in self._keeper.beginning(f"{self._root}{self._sign}{run}"):
                self._remove(place)

    def leave(self) -> None:
        """Remove what is left, and the session's directory."""
        for place in sorted(self._left):
            self._remove(place)
        if self._sign == "/":
            self._remove(self._own)

    def _remove(self, place: str) -> None:
        # What fails is tried again at the end; then the store is gone, or is taken down with all in it.
        with suppress(Exception):
            self._keeper.remove(place)
            self._left.discard(place)


def local_places(
    path: Path, run: str, leave: Callable[[Sandbox], None], entered: Callable[[Sandbox], None]
) -> FolderPlaces:
    """Places in the directory ``run`` of a sandbox; ``entered`` hears of it. Raises StoreLost or SandboxRefused."""
    sandbox = Sandbox(path, run)
    entered(sandbox)
    return FolderPlaces(sandbox, leave)
