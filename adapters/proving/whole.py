"""The whole store in memory: the core of store.py with all further calls."""

from __future__ import annotations

from fsconform.adapters.proving.administration import Administration
from fsconform.adapters.proving.attributes import Attributes
from fsconform.adapters.proving.episodes import Episodes
from fsconform.adapters.proving.kept import Told
from fsconform.adapters.proving.listing import Listing
from fsconform.adapters.proving.store import FileStatus
from fsconform.adapters.proving.streams import Streams
from fsconform.adapters.proving.trash import Trash


class WholeStore(Listing, Episodes, Attributes, Trash, Administration, Streams):
    """The store; see the classes that it is put together of. Seeded faults are made of this one."""

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

    def listed_attributes(self, entry: FileStatus) -> Told:
        """All that a listing tells of an entry."""
        return self.attributes(entry, self.found(entry.path))

    def listed_places(self, entry: FileStatus) -> Told | None:
        """The block locations that a listing tells of an entry; None if it is no LocatedFileStatus."""
        return self.get_file_block_locations(entry.path, 0, entry.length)
