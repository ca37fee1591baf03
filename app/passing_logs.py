"""Logs of commands that make no run folder: removed at the end, unless what was reported names one of them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


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
    logs = PassingLogs(Path(tempfile.mkdtemp(prefix=f"fsconform-{command}-")))
    try:
        yield logs
    except BaseException as error:
        logs.reported(str(error))
        raise
    finally:
        if not logs.named:
            shutil.rmtree(logs.folder, ignore_errors=True)
