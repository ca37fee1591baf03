"""Faults in content: what is read is not what was written."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore

BUFFER = 4096
"""Bytes of an append that the fault ``append-doubled`` writes twice."""

PART = 65536
"""Bytes of a part in the fault ``last-byte-dropped``."""

_SEVEN_BITS = bytes(byte if byte < 0x80 else 0x3F for byte in range(256))


@seeded("append-truncates", "append replaces what was in the file", clause="filesystem.append.post")
class _AppendTruncates(FullStore):
    def append(self, path: str, data: bytes) -> None:
        super().append(path, data)
        self.nodes[self.locate(path)[1]].data = data


@seeded("append-creates", "append to a missing file creates it", clause="filesystem.append.pre.exists")
class _AppendCreates(FullStore):
    def append(self, path: str, data: bytes) -> None:
        if self.exists(path):
            super().append(path, data)
        else:
            self.create(path, data, False)


@seeded("append-doubled", f"an append of exactly {BUFFER} bytes is written twice")
class _AppendDoubled(FullStore):
    def append(self, path: str, data: bytes) -> None:
        super().append(path, data + data if len(data) == BUFFER else data)


@seeded("append-ignored", "append succeeds and writes nothing", clause="filesystem.append.post")
class _AppendIgnored(FullStore):
    def append(self, path: str, data: bytes) -> None:
        super().append(path, b"")


@seeded("high-bytes-replaced", "bytes from 0x80 on become question marks, as in text of seven bits")
class _HighBytes(FullStore):
    def stored(self, data: bytes) -> bytes:
        return data.translate(_SEVEN_BITS)


@seeded("newlines-translated", "each line feed gets a carriage return before it, as in text mode")
class _Newlines(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create(path, data.replace(b"\n", b"\r\n"), overwrite)


@seeded("content-ends-at-nul", "content ends at its first zero byte, as a string of C")
class _Nul(FullStore):
    def stored(self, data: bytes) -> bytes:
        return data.partition(b"\0")[0]


@seeded("last-byte-dropped", f"the last byte is lost where it alone would fill a part of {PART} bytes")
class _LastByte(FullStore):
    def stored(self, data: bytes) -> bytes:
        return data[:-1] if len(data) > PART and len(data) % PART == 1 else data


@seeded(
    "overwrite-keeps-tail",
    "overwriting by shorter content keeps the end of the longer old one",
    clause="filesystem.create.post.overwrite",
)
class _Tail(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        node = self.nodes.get(self.locate(path)[1])
        old = node.data if overwrite and node is not None and node.data is not None else b""
        super().create(path, data + old[len(data) :], overwrite)


@seeded("overwrite-ignored", "create with overwrite=true succeeds and leaves the old content", "TACHYON-61")
class _OverwriteIgnored(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        node = self.nodes.get(self.locate(path)[1])
        if not overwrite or node is None or node.data is None:
            super().create(path, data, overwrite)


@seeded("overwrite-unchecked", "create with overwrite=false replaces an existing file", "TACHYON-61")
class _OverwriteUnchecked(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        node = self.nodes.get(self.locate(path)[1])
        super().create(path, data, overwrite or (node is not None and node.data is not None))


@seeded("empty-file-missing", "creating an empty file succeeds and leaves no file")
class _EmptyFile(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        super().create(path, data, overwrite)
        if not data:
            self.remove_subtree(self.locate(path)[1])
