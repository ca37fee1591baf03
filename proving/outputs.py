"""One stream that writes a file.

Sources: outputstream.md, abortable.md. There are two kinds: the stream of a filesystem makes its file at once and saves
in pieces; that of an object store shows nothing until close, which puts the whole file, and can be aborted.
"""

from __future__ import annotations

from fsconform.proving.keeping_store import FURTHER, KeepingStore
from fsconform.proving.store import ANCESTRY, Node, StoreError

HELD = 4096
"""So many bytes are held at most before some are saved."""

ABORTABLE = "fs.capability.outputstream.abortable"
OUT_OF_BOUNDS = ("java.lang.IndexOutOfBoundsException", *ANCESTRY["UnsupportedOperationException"][1:])

_IO = ANCESTRY["IOException"]
_CHANNEL = ("java.nio.channels.ClosedChannelException", *_IO)


class Writer:
    """One stream that writes a file, open from the start. Methods raise StoreError; seeded faults override them."""

    abortable = False
    syncable = True
    offered = frozenset(("hflush", "hsync", "dropbehind"))

    def __init__(self, store: KeepingStore, path: str) -> None:
        self.store = store
        self.path = path
        self.key = store.locate(path)[1]
        self.node: Node | None = None
        self.held = bytearray()
        self.closed = False
        self.lost = False
        """True once the lease was recovered."""
        self.unchecked = False
        """True of a stream that was opened to write without checksums."""
        self.busy = False
        """True while others write to the stream at the same time."""
        self.opened = store.tick()

    def begin(self, mode: str) -> None:
        """Make the file, empty it, or find it, as create and append do; it is written from now on."""
        if mode == "append":
            self.store.append(self.path, b"")
        else:
            self.store.create(self.path, b"", mode == "overwrite")
        self.node = self.store.nodes.get(self.key)

    # --- what clients call

    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        """Add a part of an array."""
        self.check_open()
        if array is None:
            raise StoreError(FURTHER["NullPointerException"], "no array")
        self.check_range(array, offset, size)
        self.take(bytes(array[offset : offset + size]))

    def write_byte(self, value: int) -> None:
        """Add the lowest bits of a number."""
        self.check_open()
        self.take(bytes((value & 0xFF,)))

    def flush(self) -> None:
        """Save nothing, which no flush promises."""

    def hflush(self) -> None:
        """Save all."""
        self.sync()

    def hsync(self) -> None:
        """Save all; it is as durable as can be here."""
        self.sync()

    def close(self) -> None:
        """Save the rest and give the lease back; again, nothing. IOException once the lease is lost."""
        if not self.closed:
            self.closed = True
            self.check_lease()
            self.finish()

    def abort(self) -> bool:
        """Unsupported, as the file is there already; else whether the stream had been closed before."""
        self.store.fail("UnsupportedOperationException", "abort")

    def has_capability(self, name: str) -> bool:
        """True of what it can do, closed or not."""
        return name in self.offered

    def position(self) -> int:
        """Where the next byte goes."""
        return len(self.held) + (len(self.node.data) if self.node is not None and self.node.data is not None else 0)

    def set_drop_behind(self, value: bool | None) -> None:
        """There is no cache to be dropped, so that any wish is met."""

    # --- inside

    def holds_lease(self) -> bool:
        """True as long as nobody else may write the file."""
        return not self.closed and not self.lost and self.store.nodes.get(self.key) is self.node

    def check_open(self) -> None:
        """Raise ClosedChannelException once closed, IOException once the lease is lost."""
        if self.closed:
            raise StoreError(_CHANNEL, "")
        self.check_lease()

    def check_lease(self) -> None:
        """Raise IOException once the lease is lost."""
        if self.lost:
            raise StoreError(_IO, f"the lease of {self.path} was recovered")

    def check_range(self, array: bytearray, offset: int, size: int) -> None:
        """Raise IndexOutOfBoundsException if that is not a part of the array."""
        if offset < 0 or size < 0 or offset + size > len(array):
            raise StoreError(OUT_OF_BOUNDS, f"{size} bytes from {offset} of {len(array)}")

    def take(self, data: bytes) -> None:
        """Hold bytes, and save as many whole pieces as there are of too many."""
        self.held += data
        if len(self.held) > HELD:
            self.save(len(self.held) // HELD * HELD)

    def sync(self) -> None:
        """Save what is held."""
        self.check_open()
        self.save(len(self.held))

    def save(self, count: int) -> None:
        """Save the first of the bytes that are held."""
        piece = bytes(self.held[:count])
        del self.held[:count]
        self.put(piece)

    def put(self, piece: bytes) -> None:
        """Add bytes to the file. FileNotFoundException if it is gone from its path."""
        node = self.node
        if node is None or node.data is None or self.store.nodes.get(self.key) is not node:
            self.store.fail("FileNotFoundException", self.path)
        node.data = self.store.stored(node.data + piece)
        self.store.touch(self.key)

    def finish(self) -> None:
        """Save the last of it, even if that is nothing: the file is modified now."""
        self.save(len(self.held))


class DelayedWriter(Writer):
    """A stream of an object store."""

    abortable = True
    offered = frozenset(("dropbehind", ABORTABLE))

    def begin(self, mode: str) -> None:
        """Raise what create and append raise, and change nothing; append begins with the bytes that are there."""
        store = self.store
        node = store.nodes.get(self.key)
        if mode == "append":
            store.need(store.can.supports_append, "append")
            data = store.found(self.path).data
            if data is None:
                store.fail("FileAlreadyExistsException", self.path)
            self.held += data
        elif node is None:
            store.require_no_file_above(self.key, self.path)
        elif mode != "overwrite" or (node.data is None and not (self.key and store.can.create_overwrites_directory)):
            store.fail("FileAlreadyExistsException", self.path)

    def abort(self) -> bool:
        """Give up all that was written, and close."""
        before, self.closed = self.closed, True
        self.held.clear()
        return before

    def holds_lease(self) -> bool:
        """As of the other kind; there need be no file."""
        return not self.closed and not self.lost

    def take(self, data: bytes) -> None:
        """Hold bytes, however many."""
        self.held += data

    def sync(self) -> None:
        """Unsupported, but once closed IOException."""
        self.check_open()
        self.store.fail("UnsupportedOperationException", "hflush and hsync")

    def finish(self) -> None:
        """Put the whole file, be there what may."""
        self.store.create(self.path, bytes(self.held), True)
