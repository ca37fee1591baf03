"""Folders of machines that can lose their power: a volume for each, mounted below whatever stands there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from fsconform.adapters.volumes.durability import Discipline, Loss
from fsconform.adapters.volumes.volume import Volume

ALL = "cluster"
"""The name of all machines of a service at once."""

Lose = Callable[[Volume], Loss]
"""What becomes of a volume whose machine loses its power."""


class PoweredFolders:
    """The volumes of a service, by the name of the machine. There are none unless they are ``wanted``."""

    def __init__(self) -> None:
        self.wanted = False
        self._volumes: dict[str, Volume] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The machines, once what they store is mounted."""
        return tuple(self._volumes)

    def mount(self, name: str, folder: Path, log: Path) -> None:
        """Make a folder, and mount a machine's volume there; nothing but the folder where none are wanted.

        Raises CannotMount, OSError.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if self.wanted and name not in self._volumes:
            self._volumes[name] = Volume(folder, Discipline.ORDERED, log)

    def settle(self, discipline: Discipline) -> None:
        """Make all durable, and follow a discipline from now on. Raises VolumeLost."""
        for volume in self._volumes.values():
            volume.follow(discipline)

    def lose(self, names: Sequence[str], lose: Lose) -> list[Loss]:
        """Let machines lose their power on which nothing runs any more. Raises VolumeLost, KeyError."""
        return [lose(self._volumes[name]) for name in names]

    def volumes(self, names: Sequence[str]) -> list[Volume]:
        """The volumes of machines. Raises KeyError for a name that none has."""
        return [self._volumes[name] for name in names]

    def close(self) -> None:
        """Unmount all, in whatever state they are."""
        while self._volumes:
            self._volumes.popitem()[1].close()


class LocalMachine:
    """This machine as the store of a folder has it: what stands below the folder is lost with the power.

    The processes of the clients end before that; it is for whoever runs them to see to it.
    """

    def __init__(self, name: str, folder: Path, log: Path) -> None:
        """Mount it. Raises CannotMount, OSError."""
        self._name, self._log, self._folders = name, log, PoweredFolders()
        self._folders.wanted = True
        self._folders.mount(name, folder, log)

    @property
    def powered(self) -> tuple[str, ...]:
        """Its name, as long as it is mounted."""
        return self._folders.names

    def settle(self, discipline: Discipline) -> None:
        """Make all durable, and follow a discipline from now on. Raises VolumeLost."""
        self._folders.settle(discipline)

    def lose_power(self, part: str, lose: Lose) -> None:
        """Lose the power, and get it back. Raises VolumeLost."""
        self._folders.lose([part], lose)

    def volumes(self, part: str) -> list[Volume]:
        """Its volume."""
        return self._folders.volumes([part])

    def notice(self, part: str) -> None:
        """Nothing looks for room by itself."""

    def recover(self) -> None:
        """Nothing ended with the medium."""

    def stop(self) -> None:
        """Unmount it. May be called twice."""
        self._folders.close()

    def logs(self) -> list[Path]:
        """What its process said, if it did."""
        return [self._log] if self._log.is_file() and self._log.stat().st_size else []
