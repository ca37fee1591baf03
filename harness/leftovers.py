"""What a fsconform that was killed left on this machine: told when the next begins, removed by ``fsconform clean``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters import offspring, temporary
from fsconform.adapters.volumes import mounts
from fsconform.harness.console import console
from fsconform.reports.visible import visible

SHOWN = 5
"""How many of a kind are named; the rest is counted."""

_told: list[bool] = []


@dataclass(frozen=True, slots=True)
class Left:
    """Folders, processes and volumes whose makers are gone."""

    folders: tuple[Path, ...]
    processes: tuple[offspring.Process, ...]
    volumes: tuple[mounts.Mounted, ...] = ()


def left() -> Left:
    """What there is on this machine, of this user."""
    return Left(tuple(temporary.stale()), tuple(offspring.stale()), tuple(mounts.stale()))


def tell() -> None:
    """Say what was left behind, once in a process. It is not touched: whoever looks into it may still want it.

    But for volumes, which are unmounted: the process that had all that was in them is gone.
    """
    if _told:
        return
    _told.append(True)
    _unmounted()
    found = left()
    names = [str(one) for one in found.folders]
    names += [f"volume {one.path}" for one in found.volumes]
    names += [f"process {one.pid} ({one.command})" for one in found.processes]
    if names:
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        told = f"left by a fsconform that was killed: {', '.join(map(visible, names[:SHOWN]))}{more}"
        console.print(f"{told}: `fsconform clean` removes it", markup=False, soft_wrap=True)


def remove() -> tuple[list[str], list[str]]:
    """Remove what was left behind; what was removed, and the problems met."""
    removed: list[str] = []
    problems: list[str] = []
    found = left()
    for one in found.processes:
        for gone in offspring.end(one.mark):
            removed.append(f"process {gone.pid} ({gone.command})")
    unmounted, still = _unmounted()
    removed += unmounted
    problems += still
    for path in left().folders:  # those in which nothing is mounted any more, too
        problem = temporary.remove(path)
        (problems if problem else removed).append(problem or str(path))
    return removed, problems


def _unmounted() -> tuple[list[str], list[str]]:
    """Unmount the volumes that were left behind; which, and the problems met."""
    removed: list[str] = []
    problems: list[str] = []
    for one in mounts.stale():
        problem = mounts.clear(one)
        (problems if problem else removed).append(problem or f"volume {one.path}")
    return removed, problems


@dataclass(slots=True)
class PassingLogs:
    """A folder for logs. It is kept as soon as one reported text names it: what a person is sent to must be there."""

    folder: Path
    named: bool = False

    def reported(self, *texts: str) -> None:
        """Note texts that a person gets to read."""
        self.named = self.named or any(str(self.folder) in text for text in texts)


@contextmanager
def passing_logs(command: str) -> Iterator[PassingLogs]:
    """A new temporary folder for the logs of a command. The text of an exception that leaves the block is reported."""
    tell()
    logs = PassingLogs(temporary.folder(command))
    try:
        yield logs
    except BaseException as error:
        logs.reported(str(error))
        raise
    finally:
        if not logs.named:
            shutil.rmtree(logs.folder, ignore_errors=True)
        else:
            with suppress(OSError):
                temporary.keep(logs.folder)
