"""Everything a program's place shows: each entry as listed, by status and by content, through the calls judged."""

from __future__ import annotations

from fsconform.adapters.pythonic.library import Binding, CannotName, NoAnswer
from fsconform.engine.protocol import Observation, Snapshot
from fsconform.model.core.outcomes import Data, Status, Value
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus

MOST = 10_000
"""The most entries of a snapshot: a store whose listing leads back into itself must come to an end."""


def take(binding: Binding) -> Snapshot:
    """A snapshot of the program's place. Raises NoAnswer; what else a library raises is a problem of the snapshot."""
    return _Walk(binding).run()


class _Walk:
    """One walk from the root."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._problem = ""
        self._seen: set[Path] = set()

    def run(self) -> Snapshot:
        """All entries, in the order of their paths."""
        entries: list[Observation] = []
        waiting: list[Path] = [()]
        while waiting and len(entries) < MOST:
            directory = waiting.pop()
            listing = self._ask(ListStatus(directory))
            for listed in listing if isinstance(listing, tuple) else ():
                if listed.path[:-1] != directory or not listed.path or listed.path in self._seen:
                    self._note(f"listStatus({show(directory)}) gave {show(listed.path)}, no child or given before")
                    continue
                self._seen.add(listed.path)
                entries.append(self._observe(listed))
                if listed.is_dir:
                    waiting.append(listed.path)
        if waiting:
            self._note(f"more than {MOST} entries")
        entries.sort(key=lambda entry: entry.listed.path)
        return Snapshot(tuple(entries), not self._problem, self._problem)

    def _observe(self, listed: Status) -> Observation:
        path = listed.path
        status = self._ask(GetFileStatus(path))
        data = None if listed.is_dir else self._ask(Open(path))
        if status != listed:
            self._note(f"listing and status of {show(path)} disagree")
        if isinstance(data, Data) and data.length != listed.length:
            self._note(f"{show(path)} is listed with {listed.length} bytes and has {data.length}")
        return Observation(
            listed, status if isinstance(status, Status) else None, data if isinstance(data, Data) else None
        )

    def _ask(self, operation: GetFileStatus | ListStatus | Open) -> Value:
        """What a call gave; None, with the problem noted, if it raised."""
        told = f"{operation.NAME}({show(operation.path)})"
        call = self._binding.call(operation)
        if call is None:
            self._note(f"there is no call for {told}")
            return None
        try:
            return call()
        except NoAnswer:
            raise
        except CannotName as error:
            self._note(f"{told}: {error}")
        except Exception as error:
            self._note(f"{told}: {type(error).__name__}: {error}")
        return None

    def _note(self, problem: str) -> None:
        self._problem = self._problem or problem
