"""Faults of predicates, filtered and recursive listings, patterns and sums."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.globs import Pattern
from fsconform.proving.keeping_store import Told
from fsconform.proving.store import FileStatus, Node, last_of


@seeded("is-file-of-directories", "isFile is true of directories", clause="filesystem.isFile")
class _IsFileOfDirectories(FullStore):
    def is_file(self, path: str) -> bool:
        return self.exists(path)


@seeded("is-file-raises", "isFile of a missing path raises FileNotFoundException", clause="filesystem.isFile")
class _IsFileRaises(FullStore):
    def is_file(self, path: str) -> bool:
        return self.found(path).data is not None


@seeded("is-directory-not-root", "isDirectory is false of the root", clause="filesystem.isDirectory")
class _NotRoot(FullStore):
    def is_directory(self, path: str) -> bool:
        return super().is_directory(path) and self.locate(path)[1] != self.base


@seeded("is-directory-not-empty", "isDirectory is false of empty directories", clause="filesystem.isDirectory")
class _NotEmpty(FullStore):
    def is_directory(self, path: str) -> bool:
        return super().is_directory(path) and bool(self.found(path).names)


@seeded("filter-ignored", "a filter is not asked", clause="filesystem.listStatus.post.filtered")
class _FilterIgnored(FullStore):
    def accepts(self, prefix: str, entry: FileStatus) -> bool:
        return True


@seeded(
    "filter-not-asked-of-file",
    "a file is listed though the filter rejects it",
    clause="filesystem.listStatus.post.filtered",
)
class _NotAskedOfFile(FullStore):
    def list_filtered(self, path: str, prefix: str) -> list[FileStatus] | None:
        return self.list_status(path) if self.holds(path, True) else super().list_filtered(path, prefix)


@seeded(
    "filter-inverted", "what the filter rejects is given, the rest is not", clause="filesystem.listStatus.post.filtered"
)
class _FilterInverted(FullStore):
    def accepts(self, prefix: str, entry: FileStatus) -> bool:
        return not super().accepts(prefix, entry)


@seeded(
    "filter-drops-directories", "a filtered listing has no directories", clause="filesystem.listStatus.post.filtered"
)
class _FilterDrops(FullStore):
    def accepts(self, prefix: str, entry: FileStatus) -> bool:
        return not entry.is_dir and super().accepts(prefix, entry)


@seeded("many-first-only", "of several paths only the first is listed", clause="filesystem.listStatus.many.post")
class _FirstOnly(FullStore):
    def list_many(self, paths: list[str]) -> list[FileStatus]:
        return super().list_many(paths)[: len(self.list_status(paths[0]))] if paths else []


@seeded(
    "many-skips-missing", "of several paths missing ones are skipped", clause="filesystem.listStatus.many.pre.exist"
)
class _SkipsMissing(FullStore):
    def list_many(self, paths: list[str]) -> list[FileStatus]:
        return super().list_many([path for path in paths if self.exists(path)])


@seeded("many-adds-directories", "the directories listed are in the listing", clause="filesystem.listStatus.many.post")
class _AddsDirectories(FullStore):
    def list_many(self, paths: list[str]) -> list[FileStatus]:
        own = [self.get_file_status(path) for path in paths if self.holds(path, False)]
        return super().list_many(paths) + own


@seeded("list-files-flat", "a recursive listFiles does not descend", clause="filesystem.listFiles.post.recursive")
class _Flat(FullStore):
    def list_files(self, path: str, recursive: bool) -> list[FileStatus]:
        return super().list_files(path, False)


@seeded("list-files-descends", "listFiles descends though it is not recursive", clause="filesystem.listFiles.post.flat")
class _Descends(FullStore):
    def list_files(self, path: str, recursive: bool) -> list[FileStatus]:
        return super().list_files(path, True)


@seeded("list-files-of-missing", "listFiles of a missing path gives nothing", clause="filesystem.listFiles.pre.exists")
class _FilesOfMissing(FullStore):
    def list_files(self, path: str, recursive: bool) -> list[FileStatus]:
        return super().list_files(path, recursive) if self.exists(path) else []


@seeded(
    "list-files-repeats", "listFiles gives a file of a subdirectory twice", clause="filesystem.listFiles.post.recursive"
)
class _FilesRepeat(FullStore):
    def list_files(self, path: str, recursive: bool) -> list[FileStatus]:
        entries = super().list_files(path, recursive)
        return entries + [entry for entry in entries if entry.path.rpartition("/")[0] != path.rstrip("/")][:1]


@seeded("list-files-skips-empty", "listFiles lacks files without bytes", clause="filesystem.listFiles.post.recursive")
class _FilesSkipEmpty(FullStore):
    def list_files(self, path: str, recursive: bool) -> list[FileStatus]:
        return [entry for entry in super().list_files(path, recursive) if entry.length]


@seeded("list-files-without-length", "listFiles tells lengths of 0", clause="filesystem.listFiles.post.located")
class _WithoutLength(FullStore):
    def list_files(self, path: str, recursive: bool) -> list[FileStatus]:
        entries = super().list_files(path, recursive)
        return [FileStatus(entry.path, False, 0, entry.block_size) for entry in entries]


@seeded(
    "glob-of-missing-is-empty",
    "a plain pattern of nothing gives an empty array",
    clause="filesystem.globStatus.post.null",
)
class _GlobEmpty(FullStore):
    def glob_status(self, pattern: str) -> list[FileStatus] | None:
        return super().glob_status(pattern) or []


@seeded(
    "glob-without-match-is-null", "a pattern that nothing matches gives null", clause="filesystem.globStatus.post.empty"
)
class _GlobNull(FullStore):
    def glob_status(self, pattern: str) -> list[FileStatus] | None:
        return super().glob_status(pattern) or None


@seeded("glob-unsorted", "the matches of a pattern come backwards", clause="filesystem.globStatus.post.sorted")
class _GlobUnsorted(FullStore):
    def glob_status(self, pattern: str) -> list[FileStatus] | None:
        found = super().glob_status(pattern)
        return None if found is None else found[::-1]


@seeded("glob-first-match", "a pattern gives its first match only", clause="filesystem.globStatus.post.matches")
class _GlobFirst(FullStore):
    def glob_status(self, pattern: str) -> list[FileStatus] | None:
        found = super().glob_status(pattern)
        return None if found is None else found[:1]


@seeded("glob-files-only", "a pattern's last element matches no directory", clause="filesystem.globStatus.post.matches")
class _GlobFiles(FullStore):
    def glob_status(self, pattern: str) -> list[FileStatus] | None:
        found = super().glob_status(pattern)
        return None if found is None else [entry for entry in found if not entry.is_dir]


@seeded(
    "glob-matches-beginnings",
    "a pattern matches names that go on after it",
    clause="filesystem.globStatus.post.matches",
)
class _GlobBeginnings(FullStore):
    def matching_children(self, path: str, element: Pattern) -> list[str]:
        if isinstance(element, str) or not self.is_directory(path):
            return super().matching_children(path, element)
        return [entry.path for entry in self.list_status(path) if element.match(last_of(entry.path))]


@seeded(
    "summary-of-missing", "the summary of a missing path is all zeros", clause="filesystem.getContentSummary.pre.exists"
)
class _SummaryMissing(FullStore):
    def get_content_summary(self, path: str) -> Told:
        if self.exists(path):
            return super().get_content_summary(path)
        zeros = dict.fromkeys(("length", "files", "directories", "spaceConsumed"), 0)
        return {**zeros, "quota": -1, "spaceQuota": -1}


@seeded(
    "summary-file-is-directory", "a file's summary counts a directory", clause="filesystem.getContentSummary.post.file"
)
class _SummaryFile(FullStore):
    def get_content_summary(self, path: str) -> Told:
        told = super().get_content_summary(path)
        return {**told, "directories": 1} if self.holds(path, True) else told


@seeded("summary-children-only", "a summary does not descend", clause="filesystem.getContentSummary.post.directory")
class _SummaryChildren(FullStore):
    def get_content_summary(self, path: str) -> Told:
        entries = self.list_status(path)
        told = super().get_content_summary(path)
        files = sum(not entry.is_dir for entry in entries)
        if self.holds(path, False):
            told |= {"files": files, "directories": len(entries) - files + 1, "length": sum(e.length for e in entries)}
        return told


@seeded(
    "summary-skips-empty", "a summary lacks files without bytes", clause="filesystem.getContentSummary.post.directory"
)
class _SummaryEmpty(FullStore):
    def counts(self, key: str, node: Node) -> tuple[int, int, int, int]:
        return (0, 0, 0, 0) if node.data == b"" else super().counts(key, node)


@seeded(
    "summary-counts-twice", "a summary counts directories twice", clause="filesystem.getContentSummary.post.directory"
)
class _SummaryTwice(FullStore):
    def counts(self, key: str, node: Node) -> tuple[int, int, int, int]:
        length, files, directories, consumed = super().counts(key, node)
        return length, files, directories + (node.data is None), consumed


@seeded(
    "quota-usage-files-only", "the usage of names counts no directories", clause="filesystem.getQuotaUsage.post.entries"
)
class _UsageFiles(FullStore):
    def get_quota_usage(self, path: str) -> Told:
        return {**super().get_quota_usage(path), "entries": self.totals(self.locate(path)[1], self.found(path))[1]}


@seeded(
    "locations-of-missing",
    "the locations of a missing path are none",
    clause="filesystem.getFileBlockLocations.path.pre.exists",
)
class _LocationsMissing(FullStore):
    def get_file_block_locations(self, path: str, start: int, length: int) -> Told | None:
        return super().get_file_block_locations(path, start, length) if self.exists(path) else self.places([], [])


@seeded(
    "locations-of-negative-range",
    "a negative range is taken for 0",
    clause="filesystem.getFileBlockLocations.pre.range",
)
class _LocationsNegative(FullStore):
    def get_file_block_locations(self, path: str, start: int, length: int) -> Told | None:
        return super().get_file_block_locations(path, max(start, 0), max(length, 0))


@seeded(
    "locations-beyond-end",
    "a range beyond the end has a block",
    clause="filesystem.getFileBlockLocations.post.beyond-end",
)
class _LocationsBeyond(FullStore):
    def get_file_block_locations(self, path: str, start: int, length: int) -> Told | None:
        told = super().get_file_block_locations(path, start, length)
        return told if told and told["blocks"] else self.places([(start, 0)], ["host1"])


@seeded("locations-none", "no file has locations", clause="filesystem.getFileBlockLocations.post.blocks")
class _LocationsNone(FullStore):
    def get_file_block_locations(self, path: str, start: int, length: int) -> Told | None:
        super().get_file_block_locations(path, start, length)
        return self.places([], [])


@seeded(
    "locations-of-null-path",
    "a null path has no locations",
    clause="filesystem.getFileBlockLocations.path.pre.not-null",
)
class _NullPath(FullStore):
    def locate_null(self) -> Told | None:
        return None


@seeded("locations-of-null-status", "a null status is refused", clause="filesystem.getFileBlockLocations.post.null")
class _NullStatus(FullStore):
    def locate_null(self) -> Told | None:
        self.fail("NullPointerException", "status or path")
