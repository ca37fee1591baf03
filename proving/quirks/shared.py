"""Twins of the quirks that stores have from Hadoop's own base classes, and their shadows, made for a store each."""

from __future__ import annotations

from fsconform.proving.full_store import FullStore
from fsconform.proving.quirks.base import shadow, twin
from fsconform.proving.store import is_below, parent_of
from fsconform.proving.streams import Range, Stream


class OverwritesItself(FullStore):
    """A rename with options that overwrites deletes the destination first, be it the source."""

    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        key = self.locate(src)[1]
        node = self.nodes.get(key)
        itself = overwrite and key and key == self.locate(dst)[1] and self.via != "context"
        if itself and node is not None and not node.names:
            self.deleted_first(key)
            self.fail("IOException", f"{dst} was the source")
        super().rename_with(src, dst, overwrite)

    def deleted_first(self, key: str) -> None:
        """Delete what was to be renamed to itself."""
        self.remove_subtree(key)


class OverwritesBelowItself(FullStore):
    """A rename with options that overwrites deletes an empty directory before the rename below itself is refused."""

    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        key, below = self.locate(src)[1], self.locate(dst)[1]
        node, target = self.nodes.get(key), self.nodes.get(below)
        empty = target is not None and target.data is None and not target.names
        if overwrite and empty and is_below(below, key) and node is not None:
            self.deleted_first(key, below)
            self.fail("IOException", f"{dst} is below {src}")
        super().rename_with(src, dst, overwrite)

    def deleted_first(self, key: str, below: str) -> None:
        """Delete the destination."""
        self.remove_subtree(below)


LONGEST = 255
"""Bytes of UTF-8 in a name."""


def size_of(name: str) -> int:
    """Bytes of UTF-8 in a name."""
    return len(name.encode("utf-8", "surrogatepass"))


class LongName(FullStore):
    """A call with a name that is too long is refused once the directories before it are made."""

    def mkdirs(self, path: str) -> bool:
        self.refuse_long(path)
        return super().mkdirs(path)

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        self.refuse_long(path)
        super().create(path, data, overwrite)

    def refuse_long(self, path: str) -> None:
        """Refuse a name that is too long, once the directories before it are made."""
        name, key = self.locate(path)
        elements = name.split("/")[1:]
        place = next((place for place, element in enumerate(elements) if size_of(element) > LONGEST), None)
        if place is None or self.nearest(key).data is not None:
            return
        self.beside(parent_of(key))
        if place:
            FullStore.mkdirs(self, "/" + "/".join(elements[:place]))
        self.fail("IOException", path)

    def beside(self, parent: str) -> None:
        """What a shadow does beside it."""


class LongNameLeaves(LongName):
    """And a file is left whose name is that of the parent and .tmp."""

    def beside(self, parent: str) -> None:
        if parent:
            FullStore.create(self, f"{parent}.tmp", b"", True)


class _NullPointer(Stream):
    def check_ranges(self, ranges: list[Range]) -> None:
        if None in ranges:
            raise self.fail("NullPointerException")
        super().check_ranges(ranges)


class _NullPointerForNegative(_NullPointer):
    def check_range(self, offset: int, size: int) -> None:
        if size < 0:
            raise self.fail("NullPointerException")
        super().check_range(offset, size)


class _ClosesForNull(_NullPointer):
    def check_ranges(self, ranges: list[Range]) -> None:
        if None in ranges:
            self.data = b""
        super().check_ranges(ranges)


def overwriting(store: str) -> None:
    """The twins and shadows of what FileSystem.rename with options does."""
    itself = f"{store}/overwriting-rename-to-itself-deletes"
    below = f"{store}/overwriting-rename-below-itself-deletes-destination"
    twin(itself)(OverwritesItself)

    class _TakesSiblings(OverwritesItself):
        def deleted_first(self, key: str) -> None:
            super().deleted_first(key)
            parent = key.rpartition("/")[0]
            for name in list(self.nodes[parent].names):
                self.remove_subtree(f"{parent}/{name}")

    class _TakesFullDirectories(OverwritesItself):
        def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
            key = self.locate(src)[1]
            if overwrite and key and key == self.locate(dst)[1] and key in self.nodes and self.nodes[key].names:
                self.remove_subtree(key)
                self.fail("IOException", f"{dst} was the source")
            super().rename_with(src, dst, overwrite)

    shadow(itself, f"{store}-rename-to-itself-deletes-siblings", "what is beside it is deleted")(_TakesSiblings)
    shadow(itself, f"{store}-rename-to-itself-deletes-full-directories", "and with what is in it")(
        _TakesFullDirectories
    )
    twin(below)(OverwritesBelowItself)

    class _TakesSource(OverwritesBelowItself):
        def deleted_first(self, key: str, below: str) -> None:
            for name in list(self.nodes[key].names):
                self.remove_subtree(f"{key}/{name}")

    class _LeavesFile(OverwritesBelowItself):
        def deleted_first(self, key: str, below: str) -> None:
            self.remove_subtree(below)
            FullStore.create(self, below, b"?", False)

    shadow(below, f"{store}-rename-below-itself-empties-source", "all that is in the source is deleted")(_TakesSource)
    shadow(below, f"{store}-rename-below-itself-leaves-a-file", "a file is left in its place")(_LeavesFile)


def null_ranges(store: str) -> None:
    """The twin and shadows of what readVectored does with a range that is null."""
    quirk = f"{store}/null-range-raises-null-pointer"
    twin(quirk)(_NullPointer)
    shadow(quirk, f"{store}-negative-length-raises-null-pointer", "so does a length below 0")(_NullPointerForNegative)
    shadow(quirk, f"{store}-null-range-empties-the-stream", "and the stream gives no more bytes")(_ClosesForNull)


# --- the buffer in front of a stream that reads

BUFFER = 4096
"""Bytes that a stream reads ahead."""


class Ahead(Stream):
    """A stream that reads ahead: ``behind`` is where its file is."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.behind = self.count = 0

    def read(self) -> int:
        one = bytearray(1)
        return one[0] if self.read_into(one, 0, 1) > 0 else -1

    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        end = self.pos
        found = super().read_into(buffer, offset, size)
        end += max(found, 0)
        while self.behind < end:
            wanted = end - max(self.behind, end - found)
            self.count = min(max(wanted if wanted >= BUFFER else BUFFER, 0), len(self.data) - self.behind)
            self.behind += self.count
        return found

    def seek(self, to: int) -> None:
        held = self.pos < self.behind and self.behind - self.count <= to < self.behind
        super().seek(to)
        if not held:
            self.behind, self.count = to, 0

    def skip(self, count: int) -> int:
        moved = super().skip(count)
        self.behind = max(self.behind, self.pos)
        return moved

    def seek_to_new_source(self, to: int) -> bool:
        found = super().seek_to_new_source(to)
        self.drop()
        return found

    def drop(self) -> None:
        """Go where the file is."""
        self.pos = self.behind


class _ToStart(Ahead):
    def drop(self) -> None:
        self.pos = self.behind = 0


class _Less(Ahead):
    def drop(self) -> None:
        self.pos = self.behind = max(self.pos, self.behind - 1)


def dropping(store: str) -> None:
    """The twin and shadows of what seekToNewSource does to what was read ahead."""
    quirk = f"{store}/new-source-drops-the-buffer"
    twin(quirk)(Ahead)
    shadow(quirk, f"{store}-new-source-goes-to-the-start", "the stream is at its start")(_ToStart)
    shadow(quirk, f"{store}-new-source-leaves-a-byte", "one byte less is skipped")(_Less)


overwriting("hadoop")
null_ranges("hadoop")
