"""The full store in memory: the core of store.py with all further calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconform.proving.administration import Administration
from fsconform.proving.attributes import Attributes
from fsconform.proving.directory_snapshots import Snapshots
from fsconform.proving.keeping_store import Checksums, Told
from fsconform.proving.listing import Listing
from fsconform.proving.quotas import Quotas
from fsconform.proving.related_calls import RelatedCalls
from fsconform.proving.scripts import Streams
from fsconform.proving.shared_streams import SharedStreams
from fsconform.proving.store import FileStatus, StoreError, parent_of
from fsconform.proving.trash import Trash
from fsconform.proving.users import Users
from fsconform.proving.writers import Writers, told_error

_LISTINGS = {
    "listStatus": "",
    "listStatusIterator": "iterator",
    "listLocatedStatus": "located",
    "listFiles": "files",
    "listStatus of the file": "",
}
"""What programs call the kinds of listings, and what the store calls the way into them."""

_DIFFERENCES = {"disagree": ("length", "directory"), "untimely": ("modified",)}
"""What programs call the listings that differ in some attributes."""


class FullStore(
    Listing,
    RelatedCalls,
    Attributes,
    Trash,
    Administration,
    Users,
    Quotas,
    Snapshots,
    Streams,
    Writers,
    SharedStreams,
    Checksums,
):
    """The store; see the classes that it is put together of. Seeded faults are made of this one."""

    def carried(self, name: str, call: Callable[[], Any]) -> Any:
        """What a call of this name gives: a store that clients reach by no network makes it."""
        return call()

    def compare_listed(self, path: str) -> Told:
        """How a listing's statuses differ from those that getFileStatus gives; of a sound store, in nothing."""
        entries = self.list_files(path, True) if self.via == "files" else self.list_status(path)
        differing: set[str] = set()
        unlocated = misplaced = 0
        for entry in entries:
            direct = self.get_attributes(entry.path)
            listed = self.listed_attributes(entry)
            differing |= {name for name, value in listed.items() if value != direct[name]}
            if self.via in ("located", "files"):
                places = self.listed_places(entry)
                unlocated += places is None
                misplaced += places is not None and places != self.get_file_block_locations(entry.path, 0, entry.length)
        return {
            "entries": len(entries),
            "differing": tuple(sorted(differing)),
            "unlocated": unlocated,
            "misplaced": misplaced,
        }

    def observe(self, path: str) -> Told:
        """What status, reading and the listing of its parent tell of a path, and which listings tell it otherwise."""
        told: Told = {"status": "missing", "length": -1, "read": "", "listed": -1, "disagree": (), "untimely": ()}
        try:
            status = self.get_file_status(path)
        except StoreError as error:
            if error.classes[0] != "java.io.FileNotFoundException":
                return told | {"status": told_error(error), "read": self.told_read(path)}
        else:
            if status.is_dir:
                return told | {"status": "directory"}
            told |= {"status": "file", "length": status.length}
            for name, attributes in _DIFFERENCES.items():
                told[name] = tuple(kind for kind in _LISTINGS if self.differs(path, kind, attributes))
        listed = self.entry_of(path, "listStatus")
        told["listed"] = -1 if listed is None or listed.is_dir else listed.length
        return told | {"read": self.told_read(path)}

    def entry_of(self, path: str, kind: str) -> FileStatus | None:
        """What a kind of listing, of its parent or of itself, tells of a path; None if it is not there."""
        listed = path if kind.endswith("of the file") else parent_of(path) or "/"
        before, self.via = self.via, _LISTINGS[kind]
        try:
            entries = self.list_files(listed, False) if self.via == "files" else self.list_status(listed)
        except StoreError:
            return None
        finally:
            self.via = before
        return next((entry for entry in entries if entry.path == path), None)

    def differs(self, path: str, kind: str, attributes: tuple[str, ...]) -> bool:
        """Whether a kind of listing tells some attributes otherwise than getFileStatus; no entry has no length."""
        listed = self.entry_of(path, kind)
        if listed is None:
            return "length" in attributes
        direct, told = self.get_attributes(path), self.listed_attributes(listed)
        return any(told[name] != direct[name] for name in attributes)

    def listed_attributes(self, entry: FileStatus) -> Told:
        """All that a listing tells of an entry."""
        return self.attributes(entry, self.found(entry.path))

    def listed_places(self, entry: FileStatus) -> Told | None:
        """The block locations that a listing tells of an entry; None if it is no LocatedFileStatus."""
        return self.get_file_block_locations(entry.path, 0, entry.length)
