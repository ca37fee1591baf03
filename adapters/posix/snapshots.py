"""Everything a program's directory shows: each entry as listed, by status and by content."""

from __future__ import annotations

from fsconform.adapters.posix import calls
from fsconform.engine.protocol import Observation, Snapshot
from fsconform.model.core.outcomes import Data, Status
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus


def take(base: int) -> Snapshot:
    """A snapshot of the program's directory, by the calls that are judged. Never raises OSError."""
    entries: list[Observation] = []
    problems: list[str] = []
    waiting: list[Path] = [()]
    while waiting:
        directory = waiting.pop()
        try:
            listed = calls.list_status(base, ListStatus(directory))
        except OSError as error:
            problems.append(f"listStatus({show(directory)}): {error.strerror}")
            continue
        waiting += [status.path for status in listed if status.is_dir]
        entries += [_observe(base, status, problems) for status in listed]
    entries.sort(key=lambda entry: entry.listed.path)
    return Snapshot(tuple(entries), not problems, problems[0] if problems else "")


def _observe(base: int, listed: Status, problems: list[str]) -> Observation:
    status: Status | None = None
    data: Data | None = None
    try:
        status = calls.get_file_status(base, GetFileStatus(listed.path))
        if not listed.is_dir:
            data = calls.read(base, Open(listed.path))
    except OSError as error:
        problems.append(f"{show(listed.path)} is listed, but: {error.strerror}")
    else:
        if status != listed:
            problems.append(f"listing and status of {show(listed.path)} disagree")
        if data is not None and data.length != listed.length:
            problems.append(f"{show(listed.path)} is listed with {listed.length} bytes and has {data.length}")
    return Observation(listed, status, data)
