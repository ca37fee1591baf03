"""Twins of the quirks of RawLocalFileSystem, and their shadows."""

from __future__ import annotations

from contextlib import suppress

from fsconform.proving.full_store import FullStore
from fsconform.proving.outputs import Writer
from fsconform.proving.quirks.base import shadow, twin
from fsconform.proving.quirks.shared import LongName, LongNameLeaves, dropping, null_ranges, overwriting
from fsconform.proving.store import ANCESTRY, Node, StoreError, is_below, last_of, parent_of

BUFFER = 4096
"""Bytes that the buffer of a stream takes."""

FS_ERROR = ("org.apache.hadoop.fs.FSError", "java.lang.Error", "java.lang.Throwable")

# --- a file that is renamed into the directory it is in

_OWN = "rawlocal/rename-into-own-directory-loses-file"


@twin(_OWN)
class _OwnDirectory(FullStore):
    def rename(self, src: str, dst: str) -> bool:
        key, target = self.locate(src)[1], self.locate(dst)[1]
        node = self.nodes.get(key)
        if node is None or node.data is None or parent_of(key) != target:
            return super().rename(src, dst)
        self.lose(key)
        return True

    def lose(self, key: str) -> None:
        """Take the file away."""
        self.remove_subtree(key)


@shadow(_OWN, "rename-into-own-directory-loses-sibling", "a file beside it is lost as well")
class _OwnDirectorySibling(_OwnDirectory):
    def lose(self, key: str) -> None:
        super().lose(key)
        above = parent_of(key)
        for name in sorted(self.nodes[above].names)[:1]:
            self.remove_subtree(f"{above}/{name}")


@shadow(_OWN, "rename-into-own-directory-empties-file", "the file stays, and its bytes are lost")
class _OwnDirectoryEmpties(_OwnDirectory):
    def lose(self, key: str) -> None:
        self.nodes[key].data = b""


# --- directories that are copied child by child


class _Copying(FullStore):
    """Renames of directories onto others of their name go child by child, where a subclass says so."""

    def rename(self, src: str, dst: str) -> bool:
        src_key, dst_key = self.locate(src)[1], self.locate(dst)[1]
        source, into = self.nodes.get(src_key), self.nodes.get(dst_key)
        dest = f"{dst_key}/{last_of(src_key)}"
        target = self.nodes.get(dest)
        apart = src_key and dest != src_key and not is_below(dest, src_key) and not is_below(src_key, dest)
        found = source is not None and source.names and into is not None and target is not None and target.names
        if apart and found and self.copies(src_key, dest):
            return self.copy(src_key, dest)
        return super().rename(src, dst)

    def copies(self, src: str, dest: str) -> bool:
        """Whether it goes child by child."""
        return False

    def copy(self, src: str, dest: str) -> bool:
        """Move the children."""
        return False

    def is_blocked(self, src: str, dest: str, name: str) -> bool:
        """Whether a child that is a directory meets a file, there or one level deeper."""
        met = self.nodes.get(f"{dest}/{name}")
        if self.nodes[f"{src}/{name}"].data is not None or met is None:
            return False
        below = self.nodes.get(f"{dest}/{name}/{name}")
        return met.data is not None or (below is not None and below.data is not None)

    def is_free(self, dest: str, name: str) -> bool:
        """Whether nothing has that name."""
        return f"{dest}/{name}" not in self.nodes


_PART = "rawlocal/refused-rename-moves-a-part"


@twin(_PART)
class Part(_Copying):
    def copies(self, src: str, dest: str) -> bool:
        names = self.nodes[src].names
        blocked = [name for name in names if self.is_blocked(src, dest, name)]
        return bool(blocked) and all(name in blocked or self.is_free(dest, name) for name in names)

    def copy(self, src: str, dest: str) -> bool:
        for name in sorted(self.nodes[src].names, reverse=True):
            if self.is_blocked(src, dest, name):
                break
            self.pass_on(f"{src}/{name}", f"{dest}/{name}")
        self.fail("FileAlreadyExistsException", dest)

    def pass_on(self, src: str, dest: str) -> None:
        """Move one child."""
        self.move(src, dest, dest)


@shadow(_PART, "refused-rename-loses-a-part", "what was to be moved is deleted")
class PartLost(Part):
    def pass_on(self, src: str, dest: str) -> None:
        self.remove_subtree(src)


@shadow(_PART, "refused-rename-copies-a-part", "what was moved is still at its old place as well, and empty there")
class PartCopied(Part):
    def pass_on(self, src: str, dest: str) -> None:
        emptied = Node(None if self.nodes[src].data is None else b"")
        super().pass_on(src, dest)
        self.attach(src, src, emptied)


_DEEPER = "rawlocal/rename-merges-one-level-too-deep"


@twin(_DEEPER)
class Deeper(_Copying):
    def copies(self, src: str, dest: str) -> bool:
        found = [self.nodes.get(f"{dest}/{name}") for name in self.nodes[src].names]
        return any(found) and all(
            node is None
            or (node.data is None and self.nodes[f"{src}/{name}"].data is None and self.is_free(f"{dest}/{name}", name))
            for name, node in zip(self.nodes[src].names, found, strict=True)
        )

    def copy(self, src: str, dest: str) -> bool:
        for name in list(self.nodes[src].names):
            below = f"{dest}/{name}" if self.is_free(dest, name) else f"{dest}/{name}/{name}"
            self.pass_on(f"{src}/{name}", below)
        self.remove_subtree(src)
        return True

    def pass_on(self, src: str, dest: str) -> None:
        """Move one child."""
        self.move(src, dest, dest)


@shadow(_DEEPER, "rename-merges-two-levels-too-deep", "they are two levels deeper")
class DeeperStill(Deeper):
    def pass_on(self, src: str, dest: str) -> None:
        super().pass_on(src, dest)
        if last_of(parent_of(dest)) == last_of(dest):
            self.beside(dest)

    def beside(self, dest: str) -> None:
        """Put a directory between."""
        aside = f"{parent_of(dest)}/{last_of(dest)}x"
        if aside not in self.nodes:
            self.move(dest, aside, aside)
            self.attach(dest, dest, Node())
            self.move(aside, f"{dest}/{last_of(dest)}", f"{dest}/{last_of(dest)}")


@shadow(_DEEPER, "rename-merges-too-deep-and-replaces", "what the directory there held is lost")
class DeeperReplaces(DeeperStill):
    def beside(self, dest: str) -> None:
        for name in list(self.nodes[parent_of(dest)].names):
            if name != last_of(dest):
                self.remove_subtree(f"{parent_of(dest)}/{name}")


_OVER = "rawlocal/rename-merges-and-replaces-files"


@twin(_OVER)
class Over(_Copying):
    def copies(self, src: str, dest: str) -> bool:
        children = [(self.nodes[f"{src}/{name}"], self.nodes.get(f"{dest}/{name}")) for name in self.nodes[src].names]
        met = [(node, there) for node, there in children if there is not None]
        return bool(met) and all(node.data is not None and there.data is not None for node, there in met)

    def copy(self, src: str, dest: str) -> bool:
        for name in list(self.nodes[src].names):
            if not self.is_free(dest, name):
                self.give_way(f"{src}/{name}", f"{dest}/{name}")
            self.move(f"{src}/{name}", f"{dest}/{name}", f"{dest}/{name}")
        self.remove_subtree(src)
        return True

    def give_way(self, src: str, dest: str) -> None:
        """Take away what is replaced."""
        self.remove_subtree(dest)


@shadow(_OVER, "rename-merges-and-deletes-siblings", "all that the directory held is lost")
class OverDeletes(Over):
    def give_way(self, src: str, dest: str) -> None:
        for name in list(self.nodes[parent_of(dest)].names):
            self.remove_subtree(f"{parent_of(dest)}/{name}")


@shadow(_OVER, "rename-merges-and-mixes-files", "the files that both have are put together")
class OverMixes(Over):
    def give_way(self, src: str, dest: str) -> None:
        self.nodes[src].data = (self.nodes[dest].data or b"") + (self.nodes[src].data or b"")
        super().give_way(src, dest)


_COLON = "rawlocal/rename-refused-for-a-colon-makes-destination"


@twin(_COLON, declared={"fsconform.accepts-invalid-paths": True})
class _Colon(FullStore):
    def locate(self, path: str) -> tuple[str, str]:
        if ":" not in path:
            return super().locate(path)
        super().locate(path.replace(":", "_"))
        return path, path

    def rename(self, src: str, dst: str) -> bool:
        src_key, (name, key) = self.locate(src)[1], self.locate(dst)
        source = self.nodes.get(src_key)
        blocked = source is not None and any(":" in one for one in source.names)
        if not blocked or is_below(key, src_key) or key == src_key or parent_of(key) in self.nodes:
            return super().rename(src, dst)
        if self.nearest(key).data is not None:
            return super().rename(src, dst)
        self.make_directories(name, key)
        self.beside(src_key, key)
        raise StoreError(ANCESTRY["InvalidPathException"][2:], "Relative path in absolute URI")

    def beside(self, src: str, dest: str) -> None:
        """What a shadow does beside it."""


@shadow(_COLON, "rename-refused-for-a-colon-loses-it", "what has the colon is lost")
class _ColonLoses(_Colon):
    def beside(self, src: str, dest: str) -> None:
        for name in [one for one in self.nodes[src].names if ":" in one]:
            self.remove_subtree(f"{src}/{name}")


@shadow(_COLON, "rename-refused-for-a-colon-leaves-a-file", "a file is left in the destination")
class _ColonLeaves(_Colon):
    def beside(self, src: str, dest: str) -> None:
        self.attach(f"{dest}/left", f"{dest}/left", Node(b""))


# --- names that are too long

_LONG = "rawlocal/refused-long-name-makes-parents"


twin(_LONG)(LongName)


@shadow(_LONG, "rawlocal-refused-long-name-empties-siblings", "files beside it are emptied")
class LongEmpties(LongName):
    def beside(self, parent: str) -> None:
        for name in self.nodes[parent].names if parent in self.nodes else ():
            node = self.nodes[f"{parent}/{name}"]
            node.data = None if node.data is None else b""


shadow(_LONG, "rawlocal-refused-long-name-leaves-a-file", "a file is left whose name is that of the parent and .tmp")(
    LongNameLeaves
)


# --- concat

_CONCAT = "rawlocal/concat-replaces-its-target"


@twin(_CONCAT)
class _Concat(FullStore):
    def concat(self, path: str, sources: list[str]) -> None:
        if path in sources:
            self.fail("IllegalArgumentException", path)
        self.create(path, b"", True)
        data = b""
        for source in sources:
            try:
                data = self.taken(data, source)
            finally:
                self.create(path, data, True)

    def taken(self, data: bytes, source: str) -> bytes:
        """Add the bytes of a source."""
        return data + self.open(source)


@shadow(_CONCAT, "concat-deletes-its-sources", "the sources are deleted")
class _ConcatDeletes(_Concat):
    def taken(self, data: bytes, source: str) -> bytes:
        found = super().taken(data, source)
        self.remove_subtree(self.locate(source)[1])
        return found


@shadow(_CONCAT, "concat-keeps-the-last-source", "only the bytes of the last source are in the target")
class _ConcatLast(_Concat):
    def taken(self, data: bytes, source: str) -> bytes:
        return self.open(source)


# --- streams that are closed, and streams that append


class LateStore(FullStore):
    """Other threads write arrays to its busy streams."""

    def write_meanwhile(self, writer: Writer) -> None:
        """An array that another thread writes to a busy stream, whatever comes of it."""
        if writer.busy:
            with suppress(StoreError):
                writer.write(bytearray(64), 0, 64)


_TAKES = "rawlocal/closed-stream-takes-bytes"


@twin(_TAKES, below=LateStore)
class LateWriter(Writer):
    """A stream whose buffer takes bytes once it is closed."""

    late = 0

    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        """Take what there is room for."""
        if not self.closed or array is None or offset < 0 or size < 0 or offset + size > len(array):
            super().write(array, offset, size)
        elif size >= BUFFER or size > BUFFER - self.late:
            raise StoreError(FS_ERROR, "Stream Closed")
        else:
            self.late += size
            self.took(bytes(array[offset : offset + size]))

    def write_byte(self, value: int) -> None:
        """Take what there is room for."""
        if not self.closed:
            super().write_byte(value)
        elif self.late >= BUFFER:
            raise StoreError(FS_ERROR, "Stream Closed")
        else:
            self.late += 1
            self.took(bytes((value & 0xFF,)))

    def took(self, data: bytes) -> None:
        """What a shadow does beside it."""


@shadow(_TAKES, "closed-stream-appends-bytes", "the bytes are added to the file")
class _TakesAdds(LateWriter):
    def took(self, data: bytes) -> None:
        self.put(data)


@shadow(_TAKES, "closed-stream-empties-file", "the file is emptied")
class _TakesEmpties(LateWriter):
    def took(self, data: bytes) -> None:
        if self.node is not None:
            self.node.data = b""


_FLUSHES = "rawlocal/closed-stream-flushes"


@twin(_FLUSHES)
class FlushingWriter(Writer):
    """A stream whose hflush returns once it is closed."""

    def hflush(self) -> None:
        """Ask nothing of a closed stream."""
        if self.closed:
            self.flushed()
        else:
            super().hflush()

    def flushed(self) -> None:
        """What a shadow does beside it."""


@shadow(_FLUSHES, "closed-stream-flushes-nothing-back", "hflush of a closed stream empties the file")
class _FlushesEmpties(FlushingWriter):
    def flushed(self) -> None:
        if self.node is not None:
            self.node.data = b""


@shadow(_FLUSHES, "closed-stream-syncs", "hsync of a closed stream returns too")
class _FlushesSyncs(FlushingWriter):
    def hsync(self) -> None:
        if not self.closed:
            super().hsync()


_APPENDS = "rawlocal/appending-stream-is-not-syncable"


@twin(_APPENDS)
class _AppendingWriter(Writer):
    appends = False

    def begin(self, mode: str) -> None:
        super().begin(mode)
        if mode == "append":
            self.appends, self.syncable, self.offered = True, False, frozenset(("dropbehind",))

    def sync(self) -> None:
        if not self.appends or not self.closed:
            super().sync()


@shadow(_APPENDS, "appending-stream-loses-what-it-syncs", "what hflush or hsync should save is lost")
class _AppendsLoses(_AppendingWriter):
    def sync(self) -> None:
        if self.appends:
            self.held.clear()
        super().sync()


@shadow(_APPENDS, "no-stream-is-syncable", "no stream is Syncable, whether it appends or not")
class _AppendsNone(_AppendingWriter):
    def begin(self, mode: str) -> None:
        super().begin(mode)
        self.appends, self.syncable, self.offered = True, False, frozenset(("dropbehind",))


# --- what comes from Hadoop's base classes

overwriting("rawlocal")
null_ranges("rawlocal")
dropping("rawlocal")
dropping("wasb")
dropping("swift")
