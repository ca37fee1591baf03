"""A volume as the harness has it: mounted below whatever is judged, robbed of its power, unmounted in the end."""

from __future__ import annotations

import os
import pickle
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from fsconform.adapters.child import Child, channel, module_path
from fsconform.adapters.patience import patient
from fsconform.adapters.volumes import mounts, orders
from fsconform.adapters.volumes.durability import CAPACITY, Discipline, Loss, Pending, Statistics
from fsconform.adapters.volumes.mounts import CannotMount

_ANSWER_SECONDS = 30.0
_LOOK_SECONDS = 1.0

A = TypeVar("A", bound=orders.Answer)


class VolumeLost(Exception):
    """The process of a volume is gone or does not answer; the text says why."""


class Volume:
    """A filesystem in memory, mounted on an empty directory of this user; a context manager that unmounts it.

    A loss of power leaves what the discipline says (:mod:`fsconform.adapters.volumes.durability`), and what was open
    on it answers ESTALE from then on: end or kill the processes that stand on it first.
    """

    def __init__(self, place: Path, discipline: Discipline, log: Path, capacity: int = CAPACITY) -> None:
        """Mount it on ``place``; what its process prints goes to ``log``; ``capacity`` in bytes.

        Raises CannotMount, also where this machine can't (see ``mounts.lacking``), and OSError.
        """
        self.place = mounts.checked(place)
        self.discipline = discipline
        self._source, self._closed = mounts.source(), False
        if lack := mounts.lacking():
            raise CannotMount(lack)
        environment = os.environ | {"PYTHONPATH": module_path()}
        self._child = Child(log, "fsconform.adapters.volumes.mount", environment)
        self._channel = channel(self._child.connection)
        try:
            self._ask(orders.Mount(str(self.place), self._source, discipline, capacity), orders.Done)
        except BaseException as error:
            self._end()
            if isinstance(error, OSError):
                raise CannotMount(f"{place} could not be mounted: {error.strerror}") from error
            raise

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._child.pid

    def drop_all(self) -> Loss:
        """Lose the power: nothing that is pending survives. Raises VolumeLost, as all methods do."""
        return self._ask(orders.DropAll(), Loss)

    def drop_some(self, seed: int) -> Loss:
        """Lose the power: of what is pending survives what the seed says."""
        return self._ask(orders.DropSome(seed), Loss)

    def tear(self, seed: int) -> Loss:
        """The same, and the last write of a file survives in part, where one can be torn."""
        return self._ask(orders.Tear(seed), Loss)

    def pending(self) -> Pending:
        """What would be lost now."""
        return self._ask(orders.TellPending(), Pending)

    def statistics(self) -> Statistics:
        """How often what was called since it was mounted."""
        return self._ask(orders.TellStatistics(), Statistics)

    def sync(self) -> None:
        """Make all durable, as sync(2) would, which the kernel does not pass on."""
        self._ask(orders.Sync(), orders.Done)

    def follow(self, discipline: Discipline) -> None:
        """Make all durable, and follow a discipline from now on."""
        self._ask(orders.Follow(discipline), orders.Done)
        self.discipline = discipline

    def limit(self, capacity: int) -> None:
        """Have so many bytes of space in all; what has no room gets ENOSPC."""
        self._ask(orders.Limit(capacity), orders.Done)

    def read_only(self, on: bool) -> None:
        """Answer changes with EROFS, or take them again."""
        self._ask(orders.ReadOnly(on), orders.Done)

    def flip(self, path: str | bytes | Path, offset: int, mask: int = 0xFF) -> None:
        """Change bits of one byte of a file, whose path is from the top of the volume, on the medium.

        Raises OSError where there is no such byte.
        """
        self._ask(orders.Flip(os.fsencode(path), offset, mask), orders.Done)

    def close(self) -> str:
        """Unmount, also where its process was killed, and end the process; why it is still mounted, else empty."""
        if self._closed:
            return ""
        with suppress(VolumeLost, OSError):
            self._ask(orders.Quit(), orders.Done)
        return self._end()

    def __enter__(self) -> Self:
        """The volume, which is mounted already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it. Raises VolumeLost where it stays mounted and no other error is on its way."""
        problem = self.close()
        if problem and error is None:
            raise VolumeLost(problem)

    def _end(self) -> str:
        self._closed = True
        self._channel.close()
        self._child.kill()
        return mounts.unmount(self.place, self._source)

    def _ask(self, order: orders.Order, kind: type[A]) -> A:
        try:
            self._channel.send(order)
            until = time.monotonic() + patient(_ANSWER_SECONDS)
            while not self._channel.poll(_LOOK_SECONDS):
                if time.monotonic() > until:
                    self._child.kill()
                    raise VolumeLost(f"no answer within {patient(_ANSWER_SECONDS):.0f} s, and the volume was killed")
            answer: orders.Answer = self._channel.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            raise VolumeLost(f"the volume on {self.place} is gone: {self._child.why_ended()}") from None
        if isinstance(answer, orders.Failed):
            if answer.number:
                raise OSError(answer.number, answer.text)
            if isinstance(order, orders.Mount):
                raise CannotMount(answer.text)
            raise VolumeLost(answer.text)
        if not isinstance(answer, kind):
            raise VolumeLost(f"the volume on {self.place} answered {type(answer).__name__} to {type(order).__name__}")
        return answer
