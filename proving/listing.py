"""The full store's calls that list, match and sum up.

Sources: filesystem.md on the predicates and listings; the Javadoc of FileSystem.globStatus for patterns.
"""

from __future__ import annotations

from fsconform.proving.globs import Pattern, has_magic, parse
from fsconform.proving.keeping_store import FURTHER, KeepingStore, Told
from fsconform.proving.store import BLOCK_SIZE, FileStatus, Node, StoreError, last_of

LOCAL = "localhost"


class RemoteIterator:
    """What a call that gives an iterator gives: elements one by one, with or without asking for them first."""

    def __init__(self, store: Listing, entries: list[FileStatus]) -> None:
        self.store = store
        self.left = entries

    def has_next(self) -> bool:
        """True if there is an element left."""
        return bool(self.left)

    def next(self) -> FileStatus:
        """The next element. Raises NoSuchElementException if none is left."""
        if not self.left:
            self.store.fail("NoSuchElementException", "no element is left")
        return self.left.pop(0)


class Listing(KeepingStore):
    """Listings of all kinds, patterns, sums and block locations."""

    iterator: type[RemoteIterator] = RemoteIterator

    def is_file(self, path: str) -> bool:
        """True if there is a file."""
        node = self.nodes.get(self.locate(path)[1])
        return node is not None and node.data is not None

    def is_directory(self, path: str) -> bool:
        """True if there is a directory."""
        node = self.nodes.get(self.locate(path)[1])
        return node is not None and node.data is None

    def list_filtered(self, path: str, prefix: str) -> list[FileStatus] | None:
        """What list_status gives of names that begin so; a file's own name is asked too. None would stand for null."""
        return [entry for entry in self.list_status(path) if self.accepts(prefix, entry)]

    def list_many(self, paths: list[str]) -> list[FileStatus]:
        """The listings of all paths, one after another. Raises FileNotFoundException if one of them is missing."""
        return [entry for path in paths for entry in self.list_status(path)]

    def list_files(self, path: str, recursive: bool) -> list[FileStatus]:
        """The files in a directory's listing, or all below it; of a file it is the file itself."""
        found: list[FileStatus] = []
        pending = [path]
        while pending:
            here = pending.pop()
            entries = self.list_status(here)
            found += [entry for entry in entries if not entry.is_dir]
            if recursive:
                pending += reversed([entry.path for entry in entries if entry.is_dir and entry.path != here])
        return found

    def glob_status(self, pattern: str) -> list[FileStatus] | None:
        """What matches a pattern below the program's directory, by path; None for a plain path that is missing.

        IOException if a bracket or brace is left open.
        """
        try:
            patterns = parse(pattern, self.behaviour.case_sensitive)
        except ValueError as error:
            self.fail("IOException", f"illegal pattern {pattern!r}: {error}")
        found: dict[str, FileStatus] = {}
        for elements in patterns:
            for path in self.matching(elements):
                found[path] = self.get_file_status(path)
        if not found and not has_magic(pattern):
            return None
        return [found[path] for path in sorted(found)]

    def iterate(self, path: str, manner: str) -> list[FileStatus] | Told:
        """What a loop over an iterator gives: alone, or asking before each element once or twice.

        honest tells whether it said the truth of what came next; beyond goes on after the end and raises what comes.
        """
        iterator = self.iterator(self, self.entries_of(path))
        most = len(self.nodes) + 2  # no sound iteration is longer, and a faulty one must end too
        if manner == "honest":
            return {"agreed": all(_honest(iterator) for _ in range(most))}
        if manner in ("alone", "beyond"):
            found = _drained(iterator, most)
            if manner == "beyond":
                iterator.next()
            return found
        found = []
        while iterator.has_next() and (manner == "asked" or iterator.has_next()) and len(found) < most:
            found.append(iterator.next())
        return found

    def get_content_summary(self, path: str) -> Told:
        """Bytes, files and directories at and below a path, a directory itself being one of the latter."""
        length, files, directories, consumed = self.totals(self.locate(path)[1], self.found(path))
        kept = self.kept(self.found(path))
        return {
            "length": length,
            "files": files,
            "directories": directories,
            "quota": kept.quota,
            "spaceConsumed": consumed,
            "spaceQuota": kept.space_quota,
        }

    def get_quota_usage(self, path: str) -> Told:
        """What counts against the quotas of a path, and the quotas, -1 where there is none."""
        _, files, directories, consumed = self.totals(self.locate(path)[1], self.found(path))
        kept = self.kept(self.found(path))
        return {
            "entries": files + directories,
            "quota": kept.quota,
            "spaceConsumed": consumed,
            "spaceQuota": kept.space_quota,
        }

    def get_file_block_locations(self, path: str, start: int, length: int) -> Told | None:
        """The blocks that hold bytes of a range; one for the whole file where places are not known.

        FileNotFoundException if there is nothing; HadoopIllegalArgumentException if a number is negative.
        """
        node = self.found(path)
        if start < 0 or length < 0:
            self.fail("HadoopIllegalArgumentException", f"range {start}, {length}")
        size = 0 if node.data is None else len(node.data)
        if size <= start:
            return self.places([], [])
        if not self.can.supports_block_locality:
            return self.places([(0, size)], [LOCAL])
        blocks = [(at, min(BLOCK_SIZE, size - at)) for at in range(0, size, BLOCK_SIZE)]
        wanted = [(at, long) for at, long in blocks if at < start + length and start < at + long]
        copies = range(1, self.kept(node).replication + 1)
        return self.places(wanted, [f"host{number}" for number in copies])

    def locate_null(self) -> Told | None:
        """The block locations of null: none for a status, NullPointerException for a path."""
        if self.via == "status":
            return None
        self.fail("NullPointerException", "path")

    # --- inside; seeded faults override these

    def accepts(self, prefix: str, entry: FileStatus) -> bool:
        """Whether the filter lets an entry pass."""
        return last_of(entry.path).startswith(prefix)

    def entries_of(self, path: str) -> list[FileStatus]:
        """What an iteration goes over."""
        return self.list_files(path, True) if self.via == "files" else self.list_status(path)

    def matching(self, elements: tuple[Pattern, ...]) -> list[str]:
        """The paths that match a pattern, element by element from the program's directory on."""
        found = [self.base or "/"]
        for element in elements:
            found = [path for above in found for path in self.matching_children(above, element)]
        return [path for path in found if self.exists(path)]

    def matching_children(self, path: str, element: Pattern) -> list[str]:
        """The children of a path that match one element of a pattern; a plain one is taken unseen."""
        top = path.rstrip("/")
        if isinstance(element, str):
            return [f"{top}/{element}"]
        if not self.is_directory(path):
            return []
        return [entry.path for entry in self.list_status(path) if element.fullmatch(last_of(entry.path))]

    def totals(self, key: str, node: Node) -> tuple[int, int, int, int]:
        """Bytes, files, directories and bytes with all their copies, at and below a key."""
        length, files, directories, consumed = 0, 0, 0, 0
        pending = [(key, node)]
        while pending:
            at, one = pending.pop()
            own = self.counts(at, one)
            length, files, directories, consumed = (
                length + own[0],
                files + own[1],
                directories + own[2],
                consumed + own[3],
            )
            if one.data is None:
                pending += [(f"{at}/{name}", self.nodes[f"{at}/{name}"]) for name in self.counted(one)]
        return length, files, directories, consumed

    def counted(self, node: Node) -> list[str]:
        """The names in a directory that its totals hold."""
        return list(node.names)

    def counts(self, key: str, node: Node) -> tuple[int, int, int, int]:
        """What a file or directory adds to the totals by itself."""
        if node.data is None:
            return 0, 0, 1, 0
        size = len(node.data)
        return size, 1, 0, size * self.kept(node).replication

    def places(self, blocks: list[tuple[int, int]], hosts: list[str]) -> Told:
        """Blocks, each on all of the hosts, as they are told."""
        return {
            "blocks": tuple(f"{at},{length},{len(hosts)}" for at, length in blocks),
            "names": tuple(f"{host}:9866" for host in hosts if blocks),
            "hosts": tuple(host for host in hosts if blocks),
            "topologies": tuple(f"/default/{host}" for host in hosts if blocks),
        }


def _drained(iterator: RemoteIterator, most: int) -> list[FileStatus]:
    """The elements that next alone gives."""
    found: list[FileStatus] = []
    while len(found) < most:
        try:
            found.append(iterator.next())
        except StoreError as error:
            if error.classes != FURTHER["NoSuchElementException"]:
                raise
            break
    return found


def _honest(iterator: RemoteIterator) -> bool:
    """Whether an iterator says twice the same of the next element, and rightly; the element is taken."""
    said = iterator.has_next()
    if iterator.has_next() is not said:
        return False
    try:
        iterator.next()
    except StoreError:
        return not said
    return said
