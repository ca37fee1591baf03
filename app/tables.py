"""Tables for a person, on standard output or in a file: as wide as the terminal, or of a fixed width."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fsconform.app import console
from fsconform.app.whole import write_text

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
        yield console.console_of_tables(WIDTH)
    else:
        page = io.StringIO()
        yield console.console_on(page, WIDTH)
        write_text(out, page.getvalue())
