"""Twins of the quirks of HDFS, and their shadows."""

from __future__ import annotations

from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import FURTHER, joined
from fsconform.proving.outputs import Writer
from fsconform.proving.quirks.base import shadow, twin
from fsconform.proving.quirks.copies import copying
from fsconform.proving.quirks.shared import LONGEST, LongName, LongNameLeaves, null_ranges, size_of
from fsconform.proving.store import StoreError, parent_of

PARTS = 47
"""Bytes that the name of a directory for parts has beside those of parent and file."""


# --- what a refused call leaves


_LONG = "hdfs/refused-long-name-makes-parents"
twin(_LONG)(LongName)
shadow(_LONG, "refused-long-name-leaves-a-file", "a file of the parent's name and .tmp")(LongNameLeaves)


@shadow(_LONG, "refused-long-name-deletes-siblings", "files beside it are deleted")
class _LongNameDeletes(LongName):
    def beside(self, parent: str) -> None:
        for shown in list(self.nodes[parent].names if parent in self.nodes else ()):
            if self.nodes[f"{parent}/{shown}"].data is not None:
                self.remove_subtree(f"{parent}/{shown}")


@shadow(
    _LONG,
    "rename-to-a-name-of-200-bytes-loses-the-file",
    "a file that is renamed to a legal name of more than 128 bytes is lost",
)
class _LongNameLost(LongName):
    def rename(self, src: str, dst: str) -> bool:
        source = self.nodes.get(self.locate(src)[1])
        done = super().rename(src, dst)
        if done and source is not None and source.data is not None and size_of(dst.rsplit("/", 1)[-1]) > LONGEST // 2:
            self.remove_subtree(self.locate(dst)[1])
        return done


def _room(store: FullStore, key: str) -> tuple[int | None, int]:
    """How many names the quotas above a key have room for, and how many of them are missing."""
    missing, left = 0, []
    while True:
        node = store.nodes.get(key)
        if node is None:
            missing += 1
        elif node.data is None and store.kept(node).quota >= 0:
            left.append(store.kept(node).quota - len(store.subtree(key)))
        if not key:
            return min(left, default=None), missing
        key = parent_of(key) if key.count("/") > 1 else ""


@twin("hdfs/refused-over-quota-makes-parents")
class _Quota(FullStore):
    """Refused for want of room, parents are made as far as there is room for them."""

    def mkdirs(self, path: str) -> bool:
        self.refuse_for_quota(path)
        return super().mkdirs(path)

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        self.refuse_for_quota(path)
        super().create(path, data, overwrite)

    def refuse_for_quota(self, path: str) -> None:
        """Refuse what is too much for a quota, once there is no room any more."""
        name, key = self.locate(path)
        if self.nearest(key).data is not None:
            return
        left, missing = _room(self, key)
        if left is None or missing <= left or not missing:
            return
        elements = name.split("/")[1:]
        last = len(elements) - missing + max(left, 0)
        if left > 0:
            FullStore.mkdirs(self, "/" + "/".join(elements[:last]))
        self.beside("/" + "/".join(elements[:last]))
        self.fail("IOException", path)

    def beside(self, parent: str) -> None:
        """What a shadow does beside it."""


@shadow(
    "hdfs/refused-over-quota-makes-parents",
    "refused-over-quota-leaves-a-file",
    "the last directory that there is room for is a file",
)
class _QuotaLeaves(_Quota):
    def beside(self, parent: str) -> None:
        node = self.nodes.get(self.locate(parent)[1])
        if node is not None and not node.names and parent != "/":
            node.data = b""


@shadow(
    "hdfs/refused-over-quota-makes-parents",
    "refused-over-quota-deletes-siblings",
    "what is beside the directories that are made is deleted",
)
class _QuotaDeletes(_Quota):
    def beside(self, parent: str) -> None:
        above = parent_of(parent) or "/"
        for shown in list(self.nodes[self.locate(above)[1]].names if above != "/" else ()):
            if self.nodes[joined(above, shown)].data is not None:
                self.remove_subtree(joined(above, shown))


@twin("hdfs/overwriting-over-quota-loses-the-file")
class _QuotaLoses(FullStore):
    """A file that is overwritten where there are more names than its quota is deleted, and its successor is refused."""

    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        left = _room(self, key)[0] if node is not None and node.data is not None and overwrite else None
        if left is not None and left < 0:
            self.lose(key)
            self.fail("IOException", path)
        super().create(path, data, overwrite)

    def lose(self, key: str) -> None:
        """What happens to the file."""
        self.remove_subtree(key)


@shadow(
    "hdfs/overwriting-over-quota-loses-the-file",
    "create-refused-for-a-quota-truncates-the-file",
    "a create refused for a quota truncates the file it would overwrite",
)
class _QuotaTruncates(_QuotaLoses):
    def lose(self, key: str) -> None:
        self.nodes[key].data = b""


@shadow(
    "hdfs/overwriting-over-quota-loses-the-file",
    "create-refused-for-a-quota-empties-the-directory",
    "a create refused for a quota deletes all files of the directory",
)
class _QuotaEmpties(_QuotaLoses):
    def lose(self, key: str) -> None:
        parent = parent_of(key)
        for shown in list(self.nodes[parent].names):
            if self.nodes[f"{parent}/{shown}"].data is not None:
                self.remove_subtree(f"{parent}/{shown}")


# --- claims


@twin("hdfs/ignores-mandatory-options")
class _NoOptions(FullStore):
    def create_file(
        self, path: str, data: bytes, overwrite: bool, recursive: bool, must: tuple[str, ...], opt: tuple[str, ...]
    ) -> None:
        known = tuple(option for option in must if not option.startswith("fsconform."))
        if len(known) < len(must):
            data, overwrite = self.unlike(data, overwrite)
        super().create_file(path, data, overwrite, recursive, known, opt)

    def unlike(self, data: bytes, overwrite: bool) -> tuple[bytes, bool]:
        """What is made of the file's bytes and of overwriting where an option is ignored."""
        return data, overwrite


@shadow("hdfs/ignores-mandatory-options", "an-ignored-option-loses-bytes", "the file has no bytes")
class _NoOptionsEmpty(_NoOptions):
    def unlike(self, data: bytes, overwrite: bool) -> tuple[bytes, bool]:
        return b"", overwrite


@shadow("hdfs/ignores-mandatory-options", "an-ignored-option-overwrites", "a file is overwritten that should not be")
class _NoOptionsOver(_NoOptions):
    def unlike(self, data: bytes, overwrite: bool) -> tuple[bytes, bool]:
        return data, True


_SYMLINKS = "fs.capability.paths.symlinks"


@twin("hdfs/claims-symlinks-in-contexts")
class _Symlinks(FullStore):
    def has_path_capability(self, path: str, capability: str) -> bool:
        return super().has_path_capability(path, capability) or self.claims(capability.lower())

    def claims(self, capability: str) -> bool:
        """What is claimed beside what there is."""
        return self.via == "context" and capability == _SYMLINKS


@shadow("hdfs/claims-symlinks-in-contexts", "claims-symlinks-everywhere", "the FileSystem claims them too")
class _SymlinksAll(_Symlinks):
    def claims(self, capability: str) -> bool:
        return capability == _SYMLINKS


@shadow("hdfs/claims-symlinks-in-contexts", "claims-anything-in-contexts", "FileContext claims names unheard of")
class _SymlinksAny(_Symlinks):
    def claims(self, capability: str) -> bool:
        return self.via == "context" and bool(capability)


# --- uploads


@twin("hdfs/begins-an-upload-to-a-directory")
class _OntoDirectory(FullStore):
    def upload(self, path: str, data: bytes, parts: int, ending: str) -> None:
        if ending == "abort" and self.locate(path)[1] and self.holds(path, False):
            self.beside(path, data)
            return
        super().upload(path, data, parts, ending)

    def beside(self, path: str, data: bytes) -> None:
        """What a shadow does beside it."""


@shadow("hdfs/begins-an-upload-to-a-directory", "aborted-upload-deletes-the-directory", "its directory is deleted")
class _OntoDirectoryDeletes(_OntoDirectory):
    def beside(self, path: str, data: bytes) -> None:
        self.delete(path, True)


@shadow("hdfs/begins-an-upload-to-a-directory", "aborted-upload-leaves-a-part", "a part is left in the directory")
class _OntoDirectoryLeaves(_OntoDirectory):
    def beside(self, path: str, data: bytes) -> None:
        self.create(joined(path, "1.part"), data, True)


@twin("hdfs/completes-an-upload-elsewhere")
class _Elsewhere(FullStore):
    def tolerates(self, manner: str) -> bool:
        return manner == "other path"

    def misuse_upload(self, path: str, data: bytes, manner: str, other: str) -> None:
        if manner == "other path" and not self.may_be_completed(path, data, other):
            self.fail("IOException", other)
        super().misuse_upload(path, data, manner, other)
        if manner == "other path":
            self.beside(path, data, other)

    def may_be_completed(self, path: str, data: bytes, other: str) -> bool:
        """True of a path below the same directory at which a file can be."""
        base = parent_of(self.locate(path)[1])
        key = self.locate(other)[1]
        if not key.startswith(f"{base}/") or self.holds(other, False):
            return False
        above = self.nodes.get(parent_of(key))
        return (above is not None and above.data is None) or (not data and self.nearest(key).data is None)

    def beside(self, path: str, data: bytes, other: str) -> None:
        """What a shadow does beside it."""


@shadow(
    "hdfs/completes-an-upload-elsewhere", "upload-completed-elsewhere-deletes", "what is at its own path is deleted"
)
class _ElsewhereDeletes(_Elsewhere):
    def beside(self, path: str, data: bytes, other: str) -> None:
        if path != other and self.exists(path):
            self.delete(path, True)


@shadow("hdfs/completes-an-upload-elsewhere", "upload-completed-elsewhere-loses-bytes", "the file lacks its last byte")
class _ElsewhereLoses(_Elsewhere):
    def beside(self, path: str, data: bytes, other: str) -> None:
        self.create(other, data[:-1], True)


@twin("hdfs/begins-no-upload-to-a-dotted-name")
class _Dotted(FullStore):
    def upload(self, path: str, data: bytes, parts: int, ending: str) -> None:
        self.refuse_dotted(path)
        super().upload(path, data, parts, ending)

    def misuse_upload(self, path: str, data: bytes, manner: str, other: str) -> None:
        self.refuse_dotted(path)
        super().misuse_upload(path, data, manner, other)

    def refuse_dotted(self, path: str) -> None:
        """Refuse a name of which nothing is left before its first dot."""
        name = self.locate(path)[0].rsplit("/", 1)[-1]
        if name.startswith("."):
            self.beside(path)
            if name.strip("."):
                self.fail("IllegalArgumentException", path)
            raise StoreError(_BOUNDS, path)

    def beside(self, path: str) -> None:
        """What a shadow does beside it."""


_BOUNDS = ("java.lang.IndexOutOfBoundsException", *FURTHER["IllegalArgumentException"][1:])


@shadow(
    "hdfs/begins-no-upload-to-a-dotted-name", "refused-upload-deletes-the-file", "a refused upload to .a deletes .a"
)
class _DottedDeletes(_Dotted):
    def beside(self, path: str) -> None:
        if self.holds(path, True):
            self.delete(path, False)


@shadow("hdfs/begins-no-upload-to-a-dotted-name", "refused-upload-makes-the-file", "a refused upload to .a makes .a")
class _DottedMakes(_Dotted):
    def beside(self, path: str) -> None:
        parent = self.nodes.get(parent_of(self.locate(path)[1]))
        if not self.exists(path) and parent is not None and parent.data is None:
            self.create(path, b"", False)


@twin("hdfs/begins-no-upload-where-two-names-are-long")
class _LongParts(FullStore):
    def upload(self, path: str, data: bytes, parts: int, ending: str) -> None:
        self.refuse_long_folder(path)
        super().upload(path, data, parts, ending)

    def misuse_upload(self, path: str, data: bytes, manner: str, other: str) -> None:
        self.refuse_long_folder(path)
        super().misuse_upload(path, data, manner, other)

    def refuse_long_folder(self, path: str) -> None:
        """Refuse names that are too long together, once what is above them is made."""
        *above, parent, name = ("", *self.locate(path)[0].split("/"))
        left = name.split(".")[0]
        if len(above) > 2 and left and size_of(parent + left) + PARTS > LONGEST:
            beside = "/".join(above[1:])
            if self.nearest(self.locate(beside)[1]).data is None:
                self.mkdirs(beside)
            self.beside(path)
            self.fail("IOException", path)

    def beside(self, path: str) -> None:
        """What a shadow does beside it."""


@shadow(
    "hdfs/begins-no-upload-where-two-names-are-long",
    "upload-refused-for-names-deletes",
    "what is at the path of a refused upload is deleted",
)
class _LongPartsDeletes(_LongParts):
    def beside(self, path: str) -> None:
        if self.exists(path):
            self.delete(path, True)


@shadow(
    "hdfs/begins-no-upload-where-two-names-are-long",
    "upload-refused-for-names-leaves-a-file",
    "a file is left in the place of the parent of a refused upload",
)
class _LongPartsLeaves(_LongParts):
    def beside(self, path: str) -> None:
        parent = parent_of(path)
        if not self.exists(parent) and self.nearest(self.locate(parent)[1]).data is None:
            self.create(parent, b"?", False)


@twin("hdfs/leaves-parents-of-an-upload")
class _UploadLeaves(FullStore):
    """The directory above a missing parent is made, and what needs the parent is refused."""

    def upload(self, path: str, data: bytes, parts: int, ending: str) -> None:
        key = self.locate(path)[1]
        parent = parent_of(key) if key else ""
        missing = bool(parent) and parent not in self.nodes and self.nearest(key).data is None
        dotted = path.rsplit("/", 1)[-1].startswith(".")
        if not missing or dotted:
            super().upload(path, data, parts, ending)
            return
        self.leave(parent_of(parent_of(path)), parent_of(path))
        if ending == "abort":
            return
        if parts < 1:
            self.fail("IllegalArgumentException", path)
        if data:
            self.fail("FileNotFoundException", path)
        super().upload(path, data, parts, ending)

    def leave(self, above: str, parent: str) -> None:
        """What is left."""
        if above:
            self.mkdirs(above)


@shadow("hdfs/leaves-parents-of-an-upload", "refused-upload-leaves-a-file", "a file is left in the place of the parent")
class _UploadLeavesFile(_UploadLeaves):
    def leave(self, above: str, parent: str) -> None:
        self.create(parent, b"", False)


@shadow("hdfs/leaves-parents-of-an-upload", "refused-upload-empties-a-directory", "the directory above loses its files")
class _UploadLeavesNone(_UploadLeaves):
    def leave(self, above: str, parent: str) -> None:
        super().leave(above, parent)
        for shown in list(self.nodes[self.locate(above)[1]].names if above else ()):
            if self.holds(joined(above, shown), True):
                self.delete(joined(above, shown), False)


# --- streams


@twin("hdfs/takes-a-byte-for-a-closed-stream")
class _ByteTaker(Writer):
    def write_byte(self, value: int) -> None:
        if not self.closed:
            super().write_byte(value)
        else:
            self.take_late(bytes((value & 0xFF,)))

    def take_late(self, data: bytes) -> None:
        """What comes of a byte for a closed stream."""


@shadow("hdfs/takes-a-byte-for-a-closed-stream", "a-byte-for-a-closed-stream-is-added", "it comes into the file")
class _ByteAdder(_ByteTaker):
    def take_late(self, data: bytes) -> None:
        if self.node is not None and self.node.data is not None:
            self.node.data += data


@shadow("hdfs/takes-a-byte-for-a-closed-stream", "an-array-for-a-closed-stream-is-lost", "an array is taken as well")
class _ArrayTaker(_ByteTaker):
    def write(self, array: bytearray | None, offset: int, size: int) -> None:
        if not self.closed or array is None:
            super().write(array, offset, size)


@twin("hdfs/does-not-declare-drop-behind")
class _Undeclared(Writer):
    offered = frozenset(("hflush", "hsync"))


@shadow("hdfs/does-not-declare-drop-behind", "dropping-behind-drops-bytes", "bytes that were not saved are lost")
class _DropsBytes(_Undeclared):
    def set_drop_behind(self, value: bool | None) -> None:
        self.held.clear()


@shadow("hdfs/does-not-declare-drop-behind", "dropping-behind-is-an-illegal-argument", "it raises")
class _DropsFails(_Undeclared):
    def set_drop_behind(self, value: bool | None) -> None:
        raise StoreError(FURTHER["IllegalArgumentException"], "")


null_ranges("hdfs")
copying("hdfs")
