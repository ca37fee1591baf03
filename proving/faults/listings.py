"""Faults of listings."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import FileStatus, Node, last_of, parent_of

PAGE = 4
"""Entries on a page in the fault ``listing-repeats``."""

LIMIT = 64
"""Entries that the fault ``listing-cut`` gives at most."""


@seeded("listing-repeats", f"a listing repeats the last entry of each full page of {PAGE} on the next", "HADOOP-19543")
class _Repeats(FullStore):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        entries = super().children(name, key, node)
        repeated = []
        for number, entry in enumerate(entries):
            if number and number % PAGE == 0:
                repeated.append(entries[number - 1])
            repeated.append(entry)
        return repeated


@seeded("listing-cut", f"a listing ends after {LIMIT} entries")
class _CutOff(FullStore):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        return super().children(name, key, node)[:LIMIT]


@seeded(
    "listing-includes-self",
    "the listing of a directory has the directory itself in it",
    clause="filesystem.listStatus.post.directory",
)
class _IncludesSelf(FullStore):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        return [self.status(name, key, node), *super().children(name, key, node)]


@seeded("listing-of-file-empty", "the listing of a file is empty", clause="filesystem.listStatus.post.file")
class _FileEmpty(FullStore):
    def list_status(self, path: str) -> list[FileStatus]:
        return [entry for entry in super().list_status(path) if entry.is_dir or entry.path != self.locate(path)[0]]


@seeded(
    "listing-of-missing-empty",
    "the listing of a missing path is empty instead of an error",
    clause="filesystem.listStatus.pre.exists",
)
class _MissingEmpty(FullStore):
    def list_status(self, path: str) -> list[FileStatus]:
        return super().list_status(path) if self.exists(path) else []


@seeded("sibling-prefix-unlists", "a directory lists nothing beside a sibling whose name it begins", "HDDS-4543")
class _SiblingPrefix(FullStore):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        last = last_of(key)
        siblings = self.nodes[parent_of(key)].names if key != self.base else {}
        if any(other != last and other.startswith(last) for other in siblings):
            return []
        return super().children(name, key, node)


@seeded("hidden-names-unlisted", "names that begin with a dot or an underscore are not listed")
class _Hidden(FullStore):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        return [entry for entry in super().children(name, key, node) if last_of(entry.path)[0] not in "._"]


@seeded("folder-markers-unlisted", "names that end in _$folder$ are taken for markers and not listed")
class _Markers(FullStore):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        return [entry for entry in super().children(name, key, node) if not entry.path.endswith("_$folder$")]


@seeded("empty-directory-unlisted", "an empty directory is missing from its parent's listing")
class _EmptyUnlisted(FullStore):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        both = zip(super().children(name, key, node), node.names, strict=True)
        return [entry for entry, child in both if not entry.is_dir or self.nodes[f"{key}/{child}"].names]
