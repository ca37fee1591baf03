"""Twins of the quirks of LocalFileSystem, and their shadows."""

from __future__ import annotations

import zlib

from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.outputs import OUT_OF_BOUNDS, Writer
from fsconform.proving.quirks import rawlocal
from fsconform.proving.quirks.base import shadow, twin
from fsconform.proving.quirks.shared import LongName, LongNameLeaves, null_ranges, overwriting
from fsconform.proving.store import ANCESTRY, FileStatus, Node, StoreError, last_of, parent_of

CHUNK = 512
"""Bytes that one checksum is of."""
SUMMED = 9 * CHUNK
"""Bytes that a stream holds back to write their checksums."""

_ARGUMENT = ANCESTRY["InvalidPathException"][2:]
_NO_ROOM = ("java.lang.ArrayIndexOutOfBoundsException", *OUT_OF_BOUNDS)
_CHECKSUM = ("org.apache.hadoop.fs.ChecksumException", *ANCESTRY["IOException"])


def _chunks(data: bytes) -> list[bytes]:
    return [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]


# --- checksums beside each file


class Sums(Node):
    """The checksums of a file, as a file: what they are follows from its bytes, until somebody writes there."""

    __slots__ = ("own", "owner")

    def __init__(self, owner: Node) -> None:
        self.owner = owner
        self.own: bytes | None = None
        super().__init__(None)

    @property
    def data(self) -> bytes | None:
        """The bytes."""
        if self.own is not None:
            return self.own
        sums = (zlib.crc32(chunk).to_bytes(4, "big") for chunk in _chunks(self.owner.data or b""))
        return b"crc\0" + CHUNK.to_bytes(4, "big") + b"".join(sums)

    @data.setter
    def data(self, value: bytes | None) -> None:
        self.own = value


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and name.endswith(".crc")


_BESIDE = "file/checksums-stand-beside-files"
_NO_QUOTAS = {"supports_quotas": False}


@twin(_BESIDE, _NO_QUOTAS, {"fsconform.supports-quotas": False})
class _Beside(FullStore):
    def sums_key(self, key: str) -> str:
        """Where the checksums of a file are."""
        return f"{parent_of(key)}/.{last_of(key)}.crc"

    def attach(self, name: str, key: str, node: Node) -> None:
        super().attach(name, key, node)
        beside = self.sums_key(key)
        if node.data is not None and not isinstance(node, Sums) and beside not in self.nodes:
            super().attach(beside, beside, Sums(node))

    def remove_subtree(self, key: str) -> None:
        node = self.nodes.get(key)
        beside = self.nodes.get(self.sums_key(key)) if key else None
        super().remove_subtree(key)
        if isinstance(beside, Sums) and beside.owner is node and beside.own is None:
            super().remove_subtree(self.sums_key(key))

    def move(self, src_key: str, name: str, key: str) -> None:
        node = self.nodes[src_key]
        bare = node.data is not None and self.sums_key(src_key) not in self.nodes
        if isinstance(node, Sums):
            plain = Node(node.data)
            plain.kept = node.kept
            self.nodes[src_key] = plain
            bare = True
        super().move(src_key, name, key)
        met = self.nodes.get(self.sums_key(key))
        if bare and isinstance(met, Sums):
            super().remove_subtree(self.sums_key(key))

    def may_replace(self, source: Node, existing: Node, named: bool) -> bool:
        return (isinstance(existing, Sums) and source.data is not None) or super().may_replace(source, existing, named)

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        name = parent_of(path)
        if isinstance(self.nodes.get(self.locate(name)[1]), Sums):
            self.fail("FileAlreadyExistsException", f"{name} is no directory")  # the parent is made first
        super().create(path, data, overwrite)

    def children(self, name: str, key: str, node: Node) -> list[FileStatus]:
        return [one for one in super().children(name, key, node) if not self.hides(last_of(one.path))]

    def hides(self, name: str) -> bool:
        """Whether listings leave a name out."""
        return _is_hidden(name)

    def list_status(self, path: str) -> list[FileStatus]:
        found = super().list_status(path)
        return [one for one in found if one.path != path or one.is_dir or not self.hides(last_of(path))]

    def counted(self, node: Node) -> list[str]:
        return [name for name in super().counted(node) if not self.hides(name)]


@shadow(_BESIDE, "delete-of-checksums-deletes-the-file", "delete of /.a.crc deletes /a as well")
class _BesideDeletes(_Beside):
    def delete(self, path: str, recursive: bool) -> bool:
        node = self.nodes.get(self.locate(path)[1])
        if isinstance(node, Sums):
            owner = next((key for key, one in self.nodes.items() if one is node.owner), None)
            if owner is not None:
                self.remove_subtree(owner)
                return True
        return super().delete(path, recursive)


@shadow(_BESIDE, "listings-hide-all-that-begins-with-a-dot", "listings leave out all names that begin with a dot")
class _BesideHides(_Beside):
    def hides(self, name: str) -> bool:
        return name.startswith(".")


# --- refused calls that take effect

_REFUSED = "file/refused-call-takes-effect"


@twin(_REFUSED, declared={"fsconform.accepts-invalid-paths": True})
class _Refused(FullStore):
    def locate(self, path: str) -> tuple[str, str]:
        if ":" not in path:
            return super().locate(path)
        super().locate(path.replace(":", "_"))
        return path, path

    def rename(self, src: str, dst: str) -> bool:
        source = self.nodes.get(self.locate(src)[1])
        into = self.nodes.get(self.locate(dst)[1])
        if source is None or source.data is None or ":" not in last_of(dst) or into is not None:
            return super().rename(src, dst)
        super().rename(src, dst)
        self.beside(dst)
        raise StoreError(_ARGUMENT, "Relative path in absolute URI")

    def beside(self, dst: str) -> None:
        """What a shadow does beside it."""


@shadow(_REFUSED, "refused-create-of-a-colon-truncates", "a refused create of a:b truncates /a")
class _RefusedTruncates(_Refused):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        if ":" in last_of(path):
            node = self.nodes.get(self.locate(path.rpartition(":")[0])[1])
            if node is not None and node.data is not None:
                node.data = b""
            raise StoreError(_ARGUMENT, "Relative path in absolute URI")
        super().create(path, data, overwrite)


@shadow(_REFUSED, "refused-rename-loses-the-file", "the file is lost")
class _RefusedLoses(_Refused):
    def beside(self, dst: str) -> None:
        self.remove_subtree(self.locate(dst)[1])


# --- names that are too long, and copies child by child: as the raw filesystem has them

_LONG = "file/refused-long-name-makes-parents"
twin(_LONG)(LongName)
shadow(_LONG, "file-refused-long-name-empties-siblings", "files beside it are emptied")(rawlocal.LongEmpties)
shadow(_LONG, "file-refused-long-name-leaves-a-file", "a file is left beside it")(LongNameLeaves)

_PART = "file/refused-rename-moves-a-part"
twin(_PART)(rawlocal.Part)
shadow(_PART, "file-refused-rename-loses-a-part", "what was to be moved is deleted")(rawlocal.PartLost)
shadow(_PART, "file-refused-rename-copies-a-part", "what was moved is at its old place as well")(rawlocal.PartCopied)

_DEEPER = "file/rename-merges-one-level-too-deep"
twin(_DEEPER)(rawlocal.Deeper)
shadow(_DEEPER, "file-rename-merges-two-levels-too-deep", "they are two levels deeper")(rawlocal.DeeperStill)
shadow(_DEEPER, "file-rename-merges-and-replaces", "what the directory there held is lost")(rawlocal.DeeperReplaces)

_OVER = "file/rename-merges-and-replaces-files"
twin(_OVER)(rawlocal.Over)
shadow(_OVER, "file-rename-merges-and-deletes-siblings", "all that the directory held is lost")(rawlocal.OverDeletes)
shadow(_OVER, "file-rename-merges-and-mixes-files", "the files that both have are put together")(rawlocal.OverMixes)

# --- a file that goes one level too deep

_INTO = "file/rename-of-a-file-goes-one-level-too-deep"


@twin(_INTO)
class _Into(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        src_key, dst_key = self.locate(src)[1], self.locate(dst)[1]
        source, onto = self.nodes.get(src_key), f"{dst_key}/{last_of(src_key)}"
        met, below = self.nodes.get(onto), f"{onto}/{last_of(src_key)}"
        if source is None or source.data is None or met is None or met.data is not None:
            return super().rename(src, dst)
        if below in self.nodes:
            return super().rename(src, dst)
        self.go(src_key, onto, below)
        return True

    def go(self, src: str, onto: str, below: str) -> None:
        """Move the file."""
        self.move(src, below, below)


@shadow(_INTO, "rename-of-a-file-replaces-a-directory", "the file takes the directory's place")
class _IntoReplaces(_Into):
    def go(self, src: str, onto: str, below: str) -> None:
        self.remove_subtree(onto)
        self.move(src, onto, onto)


@shadow(_INTO, "rename-of-a-file-too-deep-copies", "the file stays where it was as well")
class _IntoCopies(_Into):
    def go(self, src: str, onto: str, below: str) -> None:
        self.attach(below, below, Node(self.nodes[src].data))


# --- a local tree that is copied

_TREE = "file/copy-of-a-tree-goes-one-level-too-deep"


@twin(_TREE)
class _Tree(FullStore):
    def copy_tree_from_local(self, path: str, data: bytes, delete: bool, overwrite: bool) -> Told:
        base = self.locate(path)[1]
        target = f"{base}/t" if self.holds(path, False) else base
        inner = f"{target}/d"
        free = f"{inner}/d" not in self.nodes and f"{target}/f" not in self.nodes
        met = self.nodes.get(inner)
        if not overwrite or met is None or met.data is not None or not free:
            return super().copy_tree_from_local(path, data, delete, overwrite)
        self.create(f"{target}/f", data, True)
        self.beside(inner)
        self.mkdirs(f"{inner}/d")
        self.create(f"{inner}/d/g", b"", True)
        return {"left": not delete}

    def beside(self, inner: str) -> None:
        """What a shadow does beside it."""


@shadow(_TREE, "copy-of-a-tree-empties-the-directory", "what the directory there held is lost")
class _TreeEmpties(_Tree):
    def beside(self, inner: str) -> None:
        for name in list(self.nodes[inner].names):
            self.remove_subtree(f"{inner}/{name}")


@shadow(_TREE, "copy-of-a-tree-loses-the-file", "the file in it is lost")
class _TreeLoses(_Tree):
    def beside(self, inner: str) -> None:
        self.remove_subtree(f"{parent_of(inner)}/f")


# --- checksums that are not those of the bytes

_STALE = "file/old-checksums-are-left"


@twin(_STALE)
class _Stale(FullStore):
    def reset(self) -> None:
        super().reset()
        self.stale: list[tuple[Node, bytes]] = []
        self.read: set[str] = set()

    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        source, met = self.nodes.get(self.locate(src)[1]), self.nodes.get(self.locate(dst)[1])
        super().rename_with(src, dst, overwrite)
        if source is not None and source.data is not None:
            old = None if met is None else met.data
            if self.is_left(old, source.data):
                self.stale.append((source, source.data))

    def is_left(self, old: bytes | None, data: bytes) -> bool:
        """Whether the checksums that are left at a path are not those of the bytes."""
        return old is not None and _chunks(old)[: len(_chunks(data))] != _chunks(data)

    def open(self, path: str) -> bytes:
        data = super().open(path)
        node = self.nodes.get(self.locate(path)[1])
        if any(node is one and data is known for one, known in self.stale):
            self.met_stale(path)
            raise StoreError(_CHECKSUM, path)
        return data

    def met_stale(self, path: str) -> None:
        """What a shadow does beside it."""


@shadow(_STALE, "wrong-checksum-deletes-the-file", "a file whose checksums are wrong is deleted")
class _StaleDeletes(_Stale):
    def met_stale(self, path: str) -> None:
        self.remove_subtree(self.locate(path)[1])


@shadow(_STALE, "rename-with-options-always-leaves-checksums", "a file that replaced no other can't be read either")
class _StaleAlways(_Stale):
    def is_left(self, old: bytes | None, data: bytes) -> bool:
        return bool(data)


@shadow(_STALE, "copy-to-local-corrupts-after-a-read", "a copy to the local disk corrupts what was read before")
class _StaleCorrupts(_Stale):
    def open(self, path: str) -> bytes:
        data = super().open(path)
        self.read.add(path)
        return data

    def copy_to_local(self, path: str) -> bytes:
        corrupts = path in self.read
        data = super().copy_to_local(path)
        return bytes(255 - byte for byte in data) if corrupts else data


# --- copies within the store

_WITHIN = "file/copy-onto-itself-destroys"


@twin(_WITHIN)
class _Within(FullStore):
    def copy_within(self, src: str, dst: str, overwrite: bool) -> None:
        node = self.nodes.get(self.locate(src)[1])
        if src != dst or node is None or node.data is None or not overwrite:
            super().copy_within(src, dst, overwrite)
        else:
            self.destroy(src, node)

    def destroy(self, path: str, node: Node) -> None:
        """Write the file while it is read."""
        node.data = b""


@shadow(_WITHIN, "copy-within-itself-deletes", "the file is deleted")
class _WithinDeletes(_Within):
    def destroy(self, path: str, node: Node) -> None:
        self.remove_subtree(self.locate(path)[1])


@shadow(_WITHIN, "copy-within-itself-doubles", "the file's bytes are there twice")
class _WithinDoubles(_Within):
    def destroy(self, path: str, node: Node) -> None:
        node.data = (node.data or b"") * 2 + b"!"


_ABOVE = "file/copy-above-or-below-itself-destroys"


@twin(_ABOVE)
class _Above(FullStore):
    def copy_within(self, src: str, dst: str, overwrite: bool) -> None:
        key = self.locate(src)[1]
        node = self.nodes.get(key)
        if not overwrite or node is None or node.data is None or self.locate(dst)[1] != parent_of(key):
            super().copy_within(src, dst, overwrite)
        else:
            self.destroy(key, node)

    def destroy(self, key: str, node: Node) -> None:
        """Write the file while it is read."""
        node.data = b""


@shadow(_ABOVE, "copy-above-itself-deletes", "the file is deleted")
class _AboveDeletes(_Above):
    def destroy(self, key: str, node: Node) -> None:
        self.remove_subtree(key)


@shadow(_ABOVE, "copy-above-itself-empties-siblings", "the files beside it are emptied as well")
class _AboveSiblings(_Above):
    def destroy(self, key: str, node: Node) -> None:
        for name in self.nodes[parent_of(key)].names:
            beside = self.nodes[f"{parent_of(key)}/{name}"]
            beside.data = None if beside.data is None else b""
        self.attach(f"{key}.left", f"{key}.left", Node(b""))


# --- claims and streams

_TRUNCATE = "file/truncate-is-claimed"


@twin(_TRUNCATE, {"supports_truncate": False}, {"fsconform.supports-truncate": False})
class _Truncate(FullStore):
    def has_path_capability(self, path: str, capability: str) -> bool:
        self.locate(path)
        return capability == "fs.capability.paths.truncate" or super().has_path_capability(path, capability)


@shadow(_TRUNCATE, "all-is-claimed", "every capability is claimed")
class _TruncateAll(_Truncate):
    def has_path_capability(self, path: str, capability: str) -> bool:
        self.locate(path)
        return True


@shadow(_TRUNCATE, "truncate-does-nothing", "truncate returns true, and does nothing")
class _TruncateNothing(_Truncate):
    def truncate(self, path: str, length: int) -> bool:
        self.bytes_of(path)
        return True


_TAKES = "file/closed-stream-takes-bytes"


@twin(_TAKES, below=rawlocal.LateStore)
class _SummedWriter(rawlocal.LateWriter):
    """A stream that takes single bytes once it is closed; without checksums it is one of the raw filesystem.

    It hands chunks of what it holds (``summed``) to a stream below that holds some too (``below``).
    """

    summed = below = 0

    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if self.unchecked:
            super().write(array, offset, size)
        else:
            Writer.write(self, array, offset, size)

    def write_byte(self, value: int) -> None:
        if self.unchecked or not self.closed:
            super().write_byte(value)
            return
        self.summed += 1
        if self.summed > SUMMED:
            raise StoreError(_NO_ROOM, "no room")
        if self.summed == SUMMED:
            self.hand_on(SUMMED)
        self.took(bytes((value & 0xFF,)))

    def hand_on(self, size: int) -> None:
        """Give chunks to the stream below, which is closed too."""
        if size > SUMMED:
            raise StoreError(_NO_ROOM, "no room")
        for start in range(0, size, CHUNK):
            piece = min(CHUNK, size - start)
            if self.below + piece > rawlocal.BUFFER:
                raise StoreError(rawlocal.FS_ERROR, "Stream Closed")
            self.below += piece
        self.summed -= size

    def flush(self) -> None:
        self.hand_on_chunks()
        super().flush()

    def sync(self) -> None:
        self.hand_on_chunks()
        super().sync()

    def hand_on_chunks(self) -> None:
        """Give the stream below what there is of whole chunks."""
        if self.closed and not self.unchecked:
            self.hand_on(self.summed // CHUNK * CHUNK)

    def close(self) -> None:
        if self.closed and not self.unchecked:
            self.hand_on(self.summed)
        super().close()


@shadow(_TAKES, "file-closed-stream-appends-bytes", "the bytes are added to the file")
class _TakesAdds(_SummedWriter):
    def took(self, data: bytes) -> None:
        self.put(data)


@shadow(_TAKES, "file-closed-stream-takes-arrays", "arrays are taken as well")
class _TakesArrays(_SummedWriter):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        rawlocal.LateWriter.write(self, array, offset, size)


_FLUSHES = "file/closed-stream-without-checksums-flushes"


@twin(_FLUSHES)
class _UncheckedFlushing(rawlocal.FlushingWriter):
    def hflush(self) -> None:
        if self.unchecked:
            super().hflush()
        else:
            Writer.hflush(self)


@shadow(_FLUSHES, "every-closed-stream-flushes", "hflush of a closed stream with checksums returns too")
class _FlushesAll(_UncheckedFlushing):
    def hflush(self) -> None:
        rawlocal.FlushingWriter.hflush(self)


@shadow(_FLUSHES, "closed-stream-without-checksums-empties", "hflush of a closed stream without checksums empties it")
class _FlushesEmpties(_UncheckedFlushing):
    def flushed(self) -> None:
        if self.node is not None:
            self.node.data = b""


# --- what comes from Hadoop's base classes

overwriting("file")
null_ranges("file")
