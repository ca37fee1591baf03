"""Suites as data: what is tried, told once for every explorer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fsconform.engine.ladders import SPICE
from fsconform.engine.probes import MODES, Mode
from fsconform.model.core.operation import Operation
from fsconform.model.filesystem.programs import Program

NAMES: tuple[str, ...] = ("a", "b", "ab")
"""Few, so that programs come back to the same paths; one begins with another."""

RACK: tuple[str, ...] = (*SPICE, ".", "..")
"""The hostile names of the ladders, and the two that the specification forbids although they look like names."""

SIZES: tuple[int, ...] = (0, 1, 511, 512, 513, 4095, 4096, 4097, 65535, 65536, 65537)
"""Sizes in bytes at the edges of sectors, pages, buffers and parts."""

EIGHTHS = 8


def no_ladders() -> Iterator[Program]:
    """No ladders at all."""
    return iter(())


@dataclass(frozen=True, slots=True)
class Grammar:
    """What programs drawn at random are made of.

    ``weights`` are the operations, each with how often it is drawn beside the others. Paths are made of ``names`` up
    to ``depth`` elements. Of eight programs ``spiced`` use a few names of the ``rack`` too, and ``crowded`` may hold
    one large structure: a directory of so many ``children``, a path of one of the ``depths``, a file with so many
    ``appends``. Programs have up to ``longest`` operations, beside a few files and directories that they begin with and
    the steps that build such a structure. They are probed in ``modes`` by turns, and made by up to so many ``clients``.
    """

    weights: tuple[tuple[type[Operation], int], ...]
    names: tuple[str, ...] = NAMES
    depth: int = 3
    rack: tuple[str, ...] = RACK
    spiced: int = 3
    sizes: tuple[int, ...] = SIZES
    children: tuple[int, ...] = ()
    depths: tuple[int, ...] = ()
    appends: tuple[int, ...] = ()
    crowded: int = 2
    modes: tuple[Mode, ...] = MODES
    clients: int = 1
    longest: int = 12

    @property
    def kinds(self) -> tuple[type[Operation], ...]:
        """The operations that take part."""
        return tuple(kind for kind, _ in self.weights)


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite. ``area`` is its marker in pytest; ``witnesses`` names the files of witnesses it runs.

    Each other field serves one way of exploring: ``kinds`` are the operations that are enumerated, in programs of the
    given ``lengths``; ``ladders`` gives the boundary ladders; ``grammar`` is what programs are drawn from at random. A
    suite on the real ``root`` must be asked for, and gets a store of its own. With ``limits`` a part of the budget goes
    into the search for the store's limits and into what its calls cost; what is found is listed and never judged. One
    on ``trial`` is tried only where it is named, under pytest by its marker: it takes long, or its findings are not
    written up yet. One that runs ``alone`` has one session, whatever is asked for: what a program does bears on others.
    """

    name: str
    area: str
    statement: str
    witnesses: tuple[str, ...]
    grammar: Grammar
    kinds: tuple[type, ...] = ()
    lengths: tuple[int, ...] = ()
    ladders: Callable[[], Iterator[Program]] = no_ladders
    default: bool = True
    root: bool = False
    limits: bool = False
    trial: bool = False
    alone: bool = False
