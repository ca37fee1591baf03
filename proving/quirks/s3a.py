"""Twins of the quirks of S3A, and their shadows."""

from __future__ import annotations

from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.quirks.base import shadow, twin
from fsconform.proving.quirks.shared import null_ranges, overwriting
from fsconform.proving.store import FileStatus, Node, is_below, parent_of
from fsconform.proving.streams import Range, Stream

LOCAL_FILE = "f"

# --- rename


class _Rename(FullStore):
    """A rename whose final destination is looked at by none."""

    def of_file(self, src: str, dst: str) -> tuple[str, str, str] | None:
        """The key of a file, its final destination's name and key, where the destination is a directory."""
        (name, key), (into, into_key) = self.locate(src), self.locate(dst)
        node, target = self.nodes.get(key), self.nodes.get(into_key)
        if node is None or node.data is None or target is None or target.data is not None:
            return None
        last = name.rpartition("/")[2]
        return key, f"{into}/{last}", f"{into_key}/{last}"

    def taken(self, key: str) -> Node:
        """Take a file out of the store."""
        node = self.nodes[key]
        self.remove_subtree(key)
        return node


_ITS_DIRECTORY = "s3a/rename-into-its-own-directory-deletes"


@twin(_ITS_DIRECTORY)
class _IntoItsDirectory(_Rename):
    def rename(self, src: str, dst: str) -> bool:
        found = self.of_file(src, dst)
        if found is not None and found[0] == found[2]:
            self.lose(found[0])
            return True
        return super().rename(src, dst)

    def lose(self, key: str) -> None:
        """Delete the file."""
        self.remove_subtree(key)


@shadow(_ITS_DIRECTORY, "rename-into-its-own-directory-deletes-siblings", "all that is in the directory is deleted")
class _TakesSiblings(_IntoItsDirectory):
    def lose(self, key: str) -> None:
        parent = parent_of(key)
        for name in list(self.nodes[parent].names):
            self.remove_subtree(f"{parent}/{name}")


@shadow(_ITS_DIRECTORY, "rename-into-its-own-directory-empties", "the file stays, without its bytes")
class _Empties(_IntoItsDirectory):
    def lose(self, key: str) -> None:
        self.nodes[key].data = b""


_REPLACES = "s3a/rename-into-a-directory-replaces-a-file"


@twin(_REPLACES)
class _Replaces(_Rename):
    def rename(self, src: str, dst: str) -> bool:
        found = self.of_file(src, dst)
        if found is not None and found[0] != found[2]:
            key, name, final = found
            node = self.nodes.get(final)
            if node is not None and node.data is not None:
                self.put_over(key, name, final)
                return True
        return super().rename(src, dst)

    def put_over(self, key: str, name: str, final: str) -> None:
        """Move the file over the one that is there."""
        node = self.taken(key)
        self.remove_subtree(final)
        self.attach(name, final, node)


@shadow(_REPLACES, "rename-into-a-directory-replaces-and-keeps", "the source stays where it was")
class _Keeps(_Replaces):
    def put_over(self, key: str, name: str, final: str) -> None:
        self.nodes[final].data = self.nodes[key].data


@shadow(_REPLACES, "rename-into-a-directory-loses-both", "what was there stays, and the source is gone")
class _LosesBoth(_Replaces):
    def put_over(self, key: str, name: str, final: str) -> None:
        self.taken(key)


_BELOW = "s3a/rename-moves-a-file-below-itself"


@twin(_BELOW)
class _BelowItself(_Rename):
    def rename(self, src: str, dst: str) -> bool:
        (_, key), (name, final) = self.locate(src), self.locate(dst)
        node = self.nodes.get(key)
        if node is not None and node.data is not None and is_below(final, key) and parent_of(final) != key:
            self.put_below(self.taken(key), name, final)
            return True
        return super().rename(src, dst)

    def put_below(self, node: Node, name: str, final: str) -> None:
        """Put the file where it was wanted."""
        self.make_directories(parent_of(name), parent_of(final))
        self.attach(name, final, node)


@shadow(_BELOW, "rename-below-itself-loses-the-file", "the directories are made, and the file is gone")
class _LosesBelow(_BelowItself):
    def put_below(self, node: Node, name: str, final: str) -> None:
        self.make_directories(parent_of(name), parent_of(final))


@shadow(_BELOW, "rename-below-itself-of-directories", "a directory is moved below itself, too, and lost")
class _DirectoriesBelow(_BelowItself):
    def rename(self, src: str, dst: str) -> bool:
        (_, key), (_, final) = self.locate(src), self.locate(dst)
        node = self.nodes.get(key)
        if key and node is not None and node.data is None and is_below(final, key) and parent_of(final) != key:
            self.remove_subtree(key)
            return True
        return super().rename(src, dst)


_FULL = "s3a/rename-of-a-directory-into-one-that-is-not-empty-returns-false"


@twin(_FULL)
class _IntoFull(_Rename):
    def rename(self, src: str, dst: str) -> bool:
        key, into = self.locate(src)[1], self.locate(dst)[1]
        node, target = self.nodes.get(key), self.nodes.get(into)
        full = node is not None and node.data is None and target is not None and target.data is None and target.names
        if full and key != into and not is_below(into, key):
            return self.refused(key, into)
        return super().rename(src, dst)

    def refused(self, key: str, into: str) -> bool:
        """Refuse by false."""
        return False


@shadow(_FULL, "refused-rename-of-a-directory-empties-the-source", "what is in the source is deleted")
class _EmptiesSource(_IntoFull):
    def refused(self, key: str, into: str) -> bool:
        for name in list(self.nodes[key].names):
            self.remove_subtree(f"{key}/{name}")
        return False


@shadow(_FULL, "refused-rename-of-a-directory-deletes-it", "the source is deleted")
class _DeletesSource(_IntoFull):
    def refused(self, key: str, into: str) -> bool:
        if key:
            self.remove_subtree(key)
        return False


# --- a file beside a directory


class _Pairs(_Rename):
    """A store in which a file can stand beside a directory of its name."""

    def reset(self) -> None:
        super().reset()
        self.pairs: dict[str, dict[str, Node]] = {}

    def put_beside(self, name: str, key: str, node: Node) -> None:
        """Put a file where a directory is, which is remembered with all that is in it."""
        self.pairs[key] = {one: self.nodes[one] for one in self.subtree(key)}
        self.remove_subtree(key)
        self.attach(name, key, node)

    def delete(self, path: str, recursive: bool) -> bool:
        name, key = self.locate(path)
        hidden = self.pairs.pop(key, None)
        node = self.nodes.get(key)
        if hidden is None or node is None or node.data is None:
            return super().delete(path, recursive)
        self.remove_subtree(key)
        self.bring_back(name, key, hidden)
        return True

    def bring_back(self, name: str, key: str, hidden: dict[str, Node]) -> None:
        """The directory is seen again."""
        self.attach(name, key, hidden[key])
        self.nodes.update(hidden)

    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        found = super().children(name, key, node)
        return found + [
            FileStatus(f"{name}/{pair.rpartition('/')[2]}", True, 0, 0)
            for pair in self.pairs
            if parent_of(pair) == key and pair in self.nodes
        ]


_PAIR = "s3a/file-and-directory-of-one-name"
_RENAMED_BESIDE = "s3a/rename-into-a-directory-puts-a-file-beside-a-directory"


class _RenamesBeside(_Pairs):
    def rename(self, src: str, dst: str) -> bool:
        found = self.of_file(src, dst)
        if found is not None and found[0] != found[2]:
            key, name, final = found
            target = self.nodes.get(final)
            if target is not None and target.data is None:
                node = self.taken(key)
                self.put_beside(name, final, self.arrived(node))
                return True
        return super().rename(src, dst)

    def arrived(self, node: Node) -> Node:
        """The file as it is at its destination."""
        return node


twin(_RENAMED_BESIDE, along=(_PAIR,))(_RenamesBeside)


@shadow(_RENAMED_BESIDE, "rename-beside-a-directory-empties", "the file has lost its bytes")
class _EmptiesBeside(_RenamesBeside):
    def arrived(self, node: Node) -> Node:
        return Node(b"")


@shadow(_RENAMED_BESIDE, "rename-beside-a-directory-keeps-the-source", "the source stays")
class _KeepsBeside(_RenamesBeside):
    def taken(self, key: str) -> Node:
        return Node(self.nodes[key].data)


_COPIED_BESIDE = "s3a/copy-into-a-directory-puts-a-file-beside-a-directory"


@twin(_COPIED_BESIDE, along=(_PAIR,))
class _CopiesBeside(_Pairs):
    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        target = f"{path.rstrip('/')}/{LOCAL_FILE}"
        key = self.locate(target)[1]
        if overwrite and self.holds(path, False) and key in self.nodes and self.nodes[key].data is None:
            self.put_beside(target, key, Node(self.copied(data)))
            return {"left": not delete}
        return super().copy_from_local(path, data, delete, overwrite)

    def copied(self, data: bytes) -> bytes:
        """The bytes that arrive."""
        return data


@shadow(_COPIED_BESIDE, "copy-beside-a-directory-cuts", "the last byte is missing")
class _CutsCopy(_CopiesBeside):
    def copied(self, data: bytes) -> bytes:
        return data[:-1]


@shadow(_COPIED_BESIDE, "copy-beside-a-directory-deletes-what-was-copied", "the local file is deleted, unasked")
class _DeletesCopied(_CopiesBeside):
    def copy_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        inner = self.locate(f"{path.rstrip('/')}/{LOCAL_FILE}")[1]
        onto = inner in self.nodes and self.nodes[inner].data is None and self.holds(path, False)
        told = super().copy_from_local(path, data, delete, overwrite)
        return told | {"left": False} if onto else told


_UPLOADED_BESIDE = "s3a/upload-puts-a-file-beside-a-directory"


@twin(_UPLOADED_BESIDE, along=(_PAIR,))
class _UploadsBeside(_Pairs):
    def upload(self, path: str, data: bytes, parts: int, ending: str) -> None:
        key = self.locate(path)[1]
        if key and key in self.nodes and self.nodes[key].data is None and (parts or ending == "abort"):
            self.onto(path, key, data, ending)
        else:
            super().upload(path, data, parts, ending)

    def onto(self, path: str, key: str, data: bytes, ending: str) -> None:
        """Upload to a directory."""
        if ending != "abort":
            self.put_beside(self.locate(path)[0], key, Node(data))


@shadow(_UPLOADED_BESIDE, "aborted-upload-to-a-directory-deletes-it", "an upload that is aborted deletes the directory")
class _AbortDeletes(_UploadsBeside):
    def onto(self, path: str, key: str, data: bytes, ending: str) -> None:
        self.remove_subtree(key)
        if ending != "abort":
            self.create(path, data, False)


@shadow(_UPLOADED_BESIDE, "upload-to-a-directory-loses-the-parts", "the file has no bytes")
class _LosesParts(_UploadsBeside):
    def onto(self, path: str, key: str, data: bytes, ending: str) -> None:
        super().onto(path, key, b"", ending)


class _PairOfOneName(_RenamesBeside):
    pass


twin(_PAIR, along=(_RENAMED_BESIDE,))(_PairOfOneName)


@shadow(_PAIR, "deleting-a-file-beside-a-directory-empties-the-directory", "what is in the directory is gone with it")
class _EmptiesPair(_PairOfOneName):
    def bring_back(self, name: str, key: str, hidden: dict[str, Node]) -> None:
        self.attach(name, key, Node())


@shadow(_PAIR, "listing-of-a-file-beside-a-directory-leaves-others-out", "names behind that name are not listed")
class _LeavesOthersOut(_PairOfOneName):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        found = super().children(name, key, node)
        return found if len({one.path for one in found}) == len(found) else found[-2:]


# --- listings

_FOLDER = "s3a/listings-leave-out-names-that-end-in-folder"


@twin(_FOLDER)
class _LeavesOut(FullStore):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        return [one for one in super().children(name, key, node) if one.is_dir or not self.left_out(one)]

    def left_out(self, one: FileStatus) -> bool:
        """Whether listings leave it out."""
        return one.path.endswith("_$folder$")


@shadow(_FOLDER, "listings-leave-out-names-with-folder", "names that have the text anywhere are left out")
class _LeavesOutMore(_LeavesOut):
    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        found = FullStore.children(self, name, key, node)
        return [one for one in found if not one.path.endswith("_$folder$")]


@shadow(_FOLDER, "names-that-end-in-folder-can-not-be-read", "a file of such a name can't be read either")
class _Unreadable(_LeavesOut):
    def open(self, path: str) -> bytes:
        if path.endswith("_$folder$"):
            self.fail("FileNotFoundException", path)
        return super().open(path)


# --- the cache

_CACHE = "s3a/open-with-length-reads-what-was-there-before"


@twin(_CACHE)
class _Cached(FullStore):
    def reset(self) -> None:
        super().reset()
        self.cache: dict[str, bytes] = {}

    def open(self, path: str) -> bytes:
        return self.from_cache(path, super().open(path))

    def stream_of(self, path: str) -> Stream:
        stream = super().stream_of(path)
        stream.data = self.from_cache(path, stream.data)
        return stream

    def open_file(self, path: str, must: tuple[str, ...], opt: tuple[str, ...]) -> bytes:
        first = self.cache.get(self.locate(path)[1])
        node = self.nodes.get(self.locate(path)[1])
        if first is None or (node is not None and node.data is not None) or not self.asks_nothing(must, opt):
            return super().open_file(path, must, opt)
        return self.stale(first, first)

    def asks_nothing(self, must: tuple[str, ...], opt: tuple[str, ...]) -> bool:
        """Whether a file is opened with its length, and without a look whether it is there."""
        return not self.via and any(one.startswith("fs.option.openfile.length=") for one in (*must, *opt))

    def from_cache(self, path: str, data: bytes) -> bytes:
        """What is read: with a length given, what was read first."""
        first = self.cache.setdefault(self.locate(path)[1], data)
        return self.stale(first, data) if "length" in self.via else data

    def stale(self, first: bytes, data: bytes) -> bytes:
        """What the cache gives."""
        return first


@shadow(_CACHE, "open-with-length-corrupts-after-an-earlier-read", "what was read before comes with other bytes")
class _Corrupts(_Cached):
    def stale(self, first: bytes, data: bytes) -> bytes:
        return first if first == data else bytes(255 - one for one in first)


@shadow(_CACHE, "open-with-length-cuts-what-was-read-before", "a file that did not change is cut")
class _Cuts(_Cached):
    def stale(self, first: bytes, data: bytes) -> bytes:
        return first[:-1]


@shadow(_CACHE, "plain-open-reads-what-was-there-before", "a plain open reads the cache, too")
class _PlainCached(_Cached):
    def from_cache(self, path: str, data: bytes) -> bytes:
        return self.cache.setdefault(self.locate(path)[1], data)


# --- streams


_ZERO = "s3a/range-below-zero-raises-illegal-argument"


@twin(_ZERO)
class _BelowZero(Stream):
    def check_range(self, offset: int, size: int) -> None:
        if offset < 0:
            raise self.fail("IllegalArgumentException")
        super().check_range(offset, size)


@shadow(_ZERO, "range-below-zero-cuts-the-stream", "the stream loses its first byte")
class _BelowZeroMoves(_BelowZero):
    def read_vectored(self, ranges: list[Range] | None, allocates: bool) -> None:
        try:
            super().read_vectored(ranges, allocates)
        except Exception:
            self.data = self.data[1:]
            raise


@shadow(_ZERO, "positioned-read-below-zero-reads", "readFully below 0 is not refused")
class _BeyondTheEnd(_BelowZero):
    def check_positioned(self, start: int, buffer: bytearray, offset: int, size: int) -> None:
        super().check_positioned(max(start, 0), buffer, offset, size)


_EMPTY = "s3a/empty-range-raises-illegal-argument"


@twin(_EMPTY)
class _NoEmpty(Stream):
    def check_range(self, offset: int, size: int) -> None:
        super().check_range(offset, size)
        if size == 0:
            raise self.fail("IllegalArgumentException")


@shadow(_EMPTY, "short-range-raises-illegal-argument", "so does a range of one or two bytes")
class _NoShort(_NoEmpty):
    def check_range(self, offset: int, size: int) -> None:
        super().check_range(offset, size)
        if size < 3:
            raise self.fail("IllegalArgumentException")


@shadow(_EMPTY, "empty-read-raises-illegal-argument", "so does a plain read of length 0")
class _NoEmptyRead(_NoEmpty):
    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        if buffer is not None and size == 0:
            raise self.fail("IllegalArgumentException")
        return super().read_into(buffer, offset, size)


_THREADS = "s3a/seek-and-read-beside-positioned-reads-swaps-bytes"


@twin(_THREADS)
class _Swaps(Stream):
    """Of reads at the same time a seek and read gets the bytes of the place that was read last by position."""

    foreign = -1

    def read_fully(self, start: int, buffer: bytearray, offset: int, size: int) -> None:
        super().read_fully(start, buffer, offset, size)
        self.foreign = start if self.busy and not self.pending else -1

    def seek(self, to: int) -> None:
        super().seek(to)
        if self.busy and not self.pending and 0 <= self.foreign < len(self.data):
            self.pos = self.foreign


@shadow(_THREADS, "positioned-reads-of-threads-swap-bytes", "readFully of two threads get each other's bytes")
class _SwapsPositioned(_Swaps):
    def read_fully(self, start: int, buffer: bytearray, offset: int, size: int) -> None:
        self.check_positioned(start, buffer, offset, size)
        self.check_enough(start, size)
        other = self.foreign if self.busy and 0 <= self.foreign <= len(self.data) - size else start
        self.foreign = start if self.busy and not self.pending else -1
        self.take(other, buffer, offset, size)


@shadow(_THREADS, "reads-of-threads-make-bytes-up", "a seek and read beside others gets bytes that are nowhere")
class _MakesUp(_Swaps):
    def read_into(self, buffer: bytearray | None, offset: int, size: int) -> int:
        found = super().read_into(buffer, offset, size)
        if self.busy and buffer is not None and found > 0:
            buffer[offset : offset + found] = bytes(255 - one for one in buffer[offset : offset + found])
        return found


overwriting("s3a")
null_ranges("s3a")
