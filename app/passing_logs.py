"""Logs of commands that make no run folder: removed at the end, unless what was reported names one of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters import temporary
from fsconform.app import leftovers


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
    leftovers.tell()
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
