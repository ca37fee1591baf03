"""The consoles that all commands print by, and what a person sees while a run is under way.

A text loses the secrets that are known before it is laid out, as a line that is folded would hide them from
``app.sink``, through which all of it goes after that. Nothing else makes a console or prints; a test holds that.
"""

from __future__ import annotations

import io
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from fsconform.engine.events import Advanced, Confirming, Doing, Event
from fsconform.engine.secrecy import KNOWN
from fsconform.harness.output import write_text
from fsconform.reports.escaping import line, lines


class SafeConsole(Console):
    """A console whose texts have no secrets that are known, and escapes for what a terminal would act upon.

    Line breaks are ours: what is told of names and messages of others is put through ``line`` where a text is made.
    """

    def print(self, *objects: Any, **how: Any) -> None:
        """See rich's Console."""
        super().print(*map(safe, objects), **how)


def safe(one: Any) -> Any:
    """A text or a table as it may be shown; what is something else stays."""
    if isinstance(one, str):
        return lines(KNOWN.text(one))
    if isinstance(one, Text):
        told = lines(KNOWN.text(one.plain))
        return one if told == one.plain else Text(told, one.style)
    if isinstance(one, Table):
        for column in one.columns:
            column.header = safe(column.header)
            column._cells[:] = map(safe, column._cells)
    return one


console = SafeConsole(stderr=True, highlight=False)
plain = SafeConsole(highlight=False, soft_wrap=True)


def console_on(file: IO[str], width: int | None = None, colour: bool | None = None) -> Console:
    """A console on a stream. ``width`` is in columns, by default the terminal's."""
    return SafeConsole(file=file, highlight=False, width=width, force_terminal=colour)


def console_on_stderr() -> Console:
    """A console on standard error that knows the terminal as it is now."""
    return SafeConsole(stderr=True, highlight=False)


def console_of_tables(width: int, error: bool = False) -> Console:
    """A console on standard output or standard error, ``width`` columns wide where there is no terminal."""
    stream = sys.stderr if error else sys.stdout
    return console_on(stream, None if stream.isatty() else width)


def write_out(text: str) -> None:
    """Write a text on standard output as it is, as where it is a file's content."""
    sys.stdout.write(KNOWN.text(text))
    sys.stdout.flush()


@dataclass(slots=True)
class Pace:
    """How fast a phase of a store comes on: what was done of it when it was first heard of, and when, in seconds."""

    phase: str
    done: int
    begun: float
    said: float

    def left(self, done: int, total: int | None, now: float) -> float | None:
        """Seconds that the rest takes at this pace; None while that can't be known."""
        if total is None or done <= self.done or now - self.begun < SHORTEST:
            return None
        return (now - self.begun) * max(0, total - done) / (done - self.done)


SHORTEST = 5.0
"""Seconds of a phase after which it says how long it takes."""
EVERY = 60.0
"""Seconds between two lines on a phase where there is no terminal."""


def in_words(seconds: float | None) -> str:
    """A time that is left, roughly; empty if it is not known."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{max(1, round(seconds))} s left"
    minutes = round(seconds / 60)
    return f"{minutes} min left" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min left"


class Live:
    """Shows progress while it is open. For use by several threads.

    Without a terminal each phase is one line, and one a minute with counts and the time that is left.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[seen]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            transient=False,
        )
        self._tasks: dict[str, TaskID] = {}
        self._said: set[tuple[str, str]] = set()
        self._paces: dict[str, Pace] = {}
        self._clock = clock
        self._lock = threading.Lock()

    def __enter__(self) -> Live:
        if console.is_terminal:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if console.is_terminal:
            self._bars.stop()

    def hear(self, event: Event) -> None:
        """Show where judging a store stands."""
        match event:
            case Doing(store, text):
                self._show(store, text, 0, None, "")
            case Confirming(store, signature, number, of, phase):
                self._show(store, phase, number, of, escape(line(signature[:60])))
            case Advanced(store, explorer, done, total):
                seen = f"{event.operations} operations, {event.accepted} accepted, {event.failing} failing"
                self._show(store, explorer, done, total, seen)

    def _show(self, store: str, phase: str, done: int, total: int | None, seen: str) -> None:
        phase, seen = KNOWN.text(phase), KNOWN.text(seen)
        with self._lock:
            now = self._clock()
            pace = self._paces.get(store)
            if pace is None or pace.phase != phase:
                pace = self._paces[store] = Pace(phase, done, now, now)
            left = in_words(pace.left(done, total, now))
            if console.is_terminal:
                if store not in self._tasks:
                    self._tasks[store] = self._bars.add_task(store, total=None, seen="", left="")
                self._bars.update(
                    self._tasks[store],
                    description=escape(line(f"{store}: {phase}")),
                    completed=done,
                    total=total,
                    seen=seen,
                    left=left,
                )
            elif (store, phase) not in self._said:
                self._said.add((store, phase))
                console.print(line(f"{store}: {phase}"), markup=False, soft_wrap=True)
            elif total is not None and now - pace.said >= EVERY:
                pace.said = now
                count = ", ".join(filter(None, (f"{done:,} of {total:,}", left)))
                console.print(line(f"{store}: {phase}, {count}"), markup=False, soft_wrap=True)


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
        yield console_of_tables(WIDTH)
    else:
        page = io.StringIO()
        yield console_on(page, WIDTH)
        write_text(out, page.getvalue())
