"""Everything a store shows below a program's root, in the worker: each entry as listed, by status and by content."""

from __future__ import annotations

import time
from collections.abc import Callable

from fsconform.adapters.hadoop import calls, jvm, wire

MOST = 10_000
"""The most entries of a snapshot: a store whose listing leads back into itself must come to an end."""


def take(caller: calls.Caller, places: calls.Places, job: int, step: int, beat: Callable[[], None]) -> wire.Snapshot:
    """A snapshot. ``beat`` is called about once a second while it goes on. Never raises what a store can cause."""
    entries: list[wire.Entry] = []
    problem = _Walk(caller, places, entries, beat).run()
    return wire.Snapshot(job, step, tuple(entries), not problem, problem)


class _Walk:
    """One walk from the root; it ends at the first problem that makes going on pointless."""

    def __init__(
        self, caller: calls.Caller, places: calls.Places, entries: list[wire.Entry], beat: Callable[[], None]
    ) -> None:
        self._caller, self._places, self._entries, self._beat = caller, places, entries, beat
        self._problem = ""
        self._next = time.monotonic() + 1
        self._seen: set[wire.Elements] = set()

    def run(self) -> str:
        """Fill the entries; the first problem, or an empty text."""
        root = self._ask(lambda: self._caller.status(self._places.java(()), self._places, ()), "getFileStatus", ())
        if not isinstance(root, wire.Status) or not root.is_dir:
            self._note("the root is no directory" if isinstance(root, wire.Status) else "the root has no status")
            return self._problem
        waiting: list[wire.Elements] = [()]
        while waiting and len(self._entries) < MOST:
            waiting.extend(self._directory(waiting.pop()))
        if waiting:
            self._note(f"more than {MOST} entries")
        return self._problem

    def _directory(self, directory: wire.Elements) -> list[wire.Elements]:
        """Record the entries of a directory; the directories among them."""
        listing = self._ask(
            lambda: self._caller.listing(self._places.java(directory), self._places), "listStatus", directory
        )
        if not isinstance(listing, wire.Listing):
            return []
        below = []
        for listed in listing.statuses[:MOST]:
            path = listed.path
            if path[:-1] != directory or not path or path in self._seen:
                self._note(f"listStatus({_show(directory)}) gave {_show(path)}, which is no child or was given before")
                continue
            self._seen.add(path)
            self._entries.append(self._entry(listed))
            if listed.is_dir:
                below.append(path)
            if time.monotonic() > self._next:
                self._beat()
                self._next = time.monotonic() + 1
        return below

    def _entry(self, listed: wire.Status) -> wire.Entry:
        path = listed.path
        status = self._ask(
            lambda: self._caller.status(self._places.java(path), self._places, path), "getFileStatus", path
        )
        status = status if isinstance(status, wire.Status) else None
        data = None
        if not listed.is_dir:
            data = self._ask(lambda: self._caller.read(self._places.java(path)), "open", path)
        data = data if isinstance(data, wire.Data) else None
        if status is not None and (status.path, status.is_dir) != (path, listed.is_dir):
            self._note(f"listing and status of {_show(path)} disagree")
        if status is not None and not listed.is_dir and status.length != listed.length:
            self._note(f"listing and status of {_show(path)} disagree about the length")
        if data is not None and data.length != listed.length:
            self._note(f"{_show(path)} is listed with {listed.length} bytes and has {data.length}")
        return wire.Entry(listed, status, data)

    def _ask(self, call: Callable[[], wire.AnyOutcome], name: str, path: wire.Elements) -> wire.AnyOutcome | None:
        """What a call gave; None, with the problem noted, if it raised."""
        try:
            found = call()
        except calls.CannotName as error:
            self._note(f"{name}({_show(path)}): {error}")
        except calls.NullReturned as error:
            self._note(f"{name}({_show(path)}): the store returned null: {error}")
        except jvm.JavaError as error:
            self._note(f"{name}({_show(path)}) raised {jvm.ancestry(error)[0]}: {jvm.message(error)}")
        except UnicodeDecodeError:
            self._note(f"{name}({_show(path)}) raised an error whose message is no valid text")
        else:
            if found == calls.NOTHING:
                self._note(f"{name}({_show(path)}) returned null")
            return found
        return None

    def _note(self, problem: str) -> None:
        self._problem = self._problem or problem


def _show(path: wire.Elements) -> str:
    return "/" + "/".join(path)
