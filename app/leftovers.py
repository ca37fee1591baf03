"""What a fsconform that was killed left on this machine: told when the next begins, removed by ``fsconform clean``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters import offspring, temporary
from fsconform.app.console import console
from fsconform.reports.visible import visible

SHOWN = 5
"""How many of a kind are named; the rest is counted."""

_told: list[bool] = []


@dataclass(frozen=True, slots=True)
class Left:
    """Folders and processes whose makers are gone."""

    folders: tuple[Path, ...]
    processes: tuple[offspring.Process, ...]


def left() -> Left:
    """What there is on this machine, of this user."""
    return Left(tuple(temporary.stale()), tuple(offspring.stale()))


def tell() -> None:
    """Say what was left behind, once in a process. It is not touched: whoever looks into it may still want it."""
    if _told:
        return
    _told.append(True)
    found = left()
    names = [str(one) for one in found.folders]
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
    for path in found.folders:
        problem = temporary.remove(path)
        (problems if problem else removed).append(problem or str(path))
    return removed, problems
