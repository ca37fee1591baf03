"""Running a tool as a process of its own, with an end to its time, and hearing its lines as they come."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


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
