"""What a person sees while a run is under way: one line a store, on standard error, live where there is a terminal."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from fsconform.engine.run import Progress as Report

console = Console(stderr=True, highlight=False)
plain = Console(highlight=False, soft_wrap=True)


class Live:
    """Shows progress while it is open. Without a terminal each phase is one line. For use by several threads."""

    def __init__(self) -> None:
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[seen]}"),
            TimeElapsedColumn(),
            console=console,
            transient=False,
        )
        self._tasks: dict[str, TaskID] = {}
        self._said: set[tuple[str, str]] = set()
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

    def hear(self, report: Report) -> None:
        """Show where a store's run stands."""
        seen = f"{report.operations} operations, {report.accepted} accepted, {report.failing} failing"
        self._show(report.store, report.phase, report.done, report.total, seen)

    def proving(self, store: str, signature: str, number: int, total: int) -> None:
        """Show which signature is being minimised."""
        self._show(store, "minimising and confirming", number, total, signature[:60])

    def counted(self, store: str, phase: str, number: int, total: int) -> None:
        """Show which of so many programs is running."""
        self._show(store, phase, number, total, "")

    def say(self, store: str, text: str) -> None:
        """Show a phase that has no count."""
        self._show(store, text, 0, None, "")

    def _show(self, store: str, phase: str, done: int, total: int | None, seen: str) -> None:
        with self._lock:
            if console.is_terminal:
                if store not in self._tasks:
                    self._tasks[store] = self._bars.add_task(store, total=None, seen="")
                self._bars.update(
                    self._tasks[store], description=f"{store}: {phase}", completed=done, total=total, seen=seen
                )
            elif (store, phase) not in self._said:
                self._said.add((store, phase))
                console.print(f"{store}: {phase}", markup=False, soft_wrap=True)
