"""Suites as data: what is tried, told once for every explorer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fsconform.model.programs import Program


def no_ladders() -> Iterator[Program]:
    """No ladders at all."""
    return iter(())


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite. ``witnesses`` names the files of witnesses it runs; ``kinds`` the operations it enumerates.

    ``lengths`` are the lengths of enumerated programs. ``ladders`` gives its boundary ladders. A suite on the real
    ``root`` must be asked for, and gets a store of its own.
    """

    name: str
    statement: str
    witnesses: tuple[str, ...]
    kinds: tuple[type, ...] = ()
    lengths: tuple[int, ...] = ()
    ladders: Callable[[], Iterator[Program]] = no_ladders
    default: bool = True
    root: bool = False
