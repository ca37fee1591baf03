"""Tables for a person, on standard output or in a file: as wide as the terminal, or of a fixed width."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH = 160
"""Columns of a table where there is no terminal."""


def table(*columns: str, counts: bool = False) -> Table:
    """An empty table; the first column is never folded. With ``counts`` the others are numbers."""
    made = Table(box=None, pad_edge=False, show_edge=False)
    for number, column in enumerate(columns):
        right = counts and number > 0
        made.add_column(
            Text(column), overflow="fold", no_wrap=number == 0 or right, justify="right" if right else "left"
        )
    return made


def add(to: Table, *cells: str) -> None:
    """Add a row of plain text: names in programs may look like rich's markup."""
    to.add_row(*map(Text, cells))


@contextmanager
def printer(out: Path | None = None) -> Iterator[Console]:
    """A console on standard output, or on a file."""
    if out is None:
        yield console_on(sys.stdout)
    else:
        with out.open("w", encoding="utf-8") as file:
            yield console_on(file)


def console_on(file: IO[str]) -> Console:
    """A console on a stream."""
    return Console(file=file, highlight=False, width=None if file.isatty() else WIDTH)
