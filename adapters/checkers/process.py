"""Running a model checker as a process of its own, with an end to its time, and what it said of a module."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from fsconform.engine.formal.terms import Term


def run(
    command: Sequence[str],
    folder: Path,
    seconds: float,
    hear: Callable[[str], None],
    environment: Mapping[str, str] | None = None,
) -> int | None:
    """Run a command in a folder; its exit code, or None if it was ended for its time. Raises OSError.

    Whatever ends the caller ends the process, and all that it started.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=dict(environment) if environment is not None else None,
        start_new_session=True,
    )
    late = threading.Event()

    def end() -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)

    def too_late() -> None:
        late.set()
        end()

    timer = threading.Timer(seconds, too_late)
    timer.daemon = True
    timer.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            hear(line)
        code = process.wait()
    finally:
        timer.cancel()
        if process.poll() is None:
            end()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
    return None if late.is_set() else code


State = dict[str, Term]
"""The variables of a state by name."""

Ending = Literal["passed", "violated", "parse error", "type error", "configuration error", "tool error", "timed out"]
"""How a run ended. Whatever is not told apart by the tool's exit code is a tool error, and never passed."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A property that does not hold, with the states that show it, the first initial."""

    name: str
    states: tuple[State, ...]


@dataclass(slots=True)
class Outcome:
    """A run of a model checker. ``distinct`` and ``generated`` count states; ``tail`` is what it said last.

    ``meaning`` has words for the exit code where the tool gives the code a meaning of its own, and ``reason`` is what
    the tool says of why nothing was decided, where that is not the last that it said.
    """

    ending: Ending
    exit_code: int | None = None
    distinct: int = 0
    generated: int = 0
    depth: int = 0
    seconds: float = 0.0
    violations: list[Violation] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    version: str = ""
    meaning: str = ""
    reason: str = ""

    @property
    def decided(self) -> bool:
        """True if the checker came to an end of its own, with a property broken or none."""
        return self.ending in ("passed", "violated")

    @property
    def told(self) -> str:
        """How it ended and why, for where nothing was decided."""
        why = self.reason or (self.tail[-1] if self.tail else "it said nothing")
        code = f"exit code {self.exit_code}" + (f", {self.meaning}" if self.meaning else "")
        return f"{self.version}: {self.ending} ({code}): {why}"
