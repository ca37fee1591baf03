"""Twins of the quirks of WebHdfsFileSystem, and their shadows."""

from __future__ import annotations

from fsconform.model.filesystem.transfer.uploads import FIRST_UPLOAD
from fsconform.proving.full_store import FullStore
from fsconform.proving.outputs import Writer
from fsconform.proving.quirks.base import shadow, twin


@twin("webhdfs/completes-an-upload-and-raises")
class _Raising(FullStore):
    def misuse_upload(self, path: str, data: bytes, manner: str, other: str) -> None:
        super().misuse_upload(path, FIRST_UPLOAD if manner == "repeated" else data, manner, other)

    def complete_upload(self, path: str, parts: dict[int, bytes]) -> None:
        if not parts or path.rsplit("/", 1)[-1].startswith("."):  # which have a quirk of their own
            super().complete_upload(path, parts)
            return
        self.create(path, self.joined_parts(parts), True)
        self.fail("UnsupportedOperationException", "path handles")

    def joined_parts(self, parts: dict[int, bytes]) -> bytes:
        """The bytes of the file."""
        return b"".join(parts[number] for number in sorted(parts))


@shadow("webhdfs/completes-an-upload-and-raises", "upload-that-raises-misorders-parts", "parts come last first")
class _RaisingMisordered(_Raising):
    def joined_parts(self, parts: dict[int, bytes]) -> bytes:
        return b"".join(parts[number] for number in sorted(parts, reverse=True))


@shadow("webhdfs/completes-an-upload-and-raises", "upload-that-raises-makes-nothing", "no file is made of the parts")
class _RaisingNothing(_Raising):
    def complete_upload(self, path: str, parts: dict[int, bytes]) -> None:
        self.fail("UnsupportedOperationException", "path handles")


@twin("webhdfs/takes-writes-for-a-closed-stream")
class _LateTaker(Writer):
    def check_open(self) -> None:
        if not self.closed:
            super().check_open()

    def take(self, data: bytes) -> None:
        if self.closed:
            self.take_late(data)
        else:
            super().take(data)

    def sync(self) -> None:
        if self.closed:
            super().check_open()
        super().sync()

    def take_late(self, data: bytes) -> None:
        """What comes of bytes for a closed stream."""
        if len(data) >= _HELD:
            super().check_open()


_HELD = 4096


@shadow("webhdfs/takes-writes-for-a-closed-stream", "late-writes-are-added", "they come into the file")
class _LateAdder(_LateTaker):
    def take_late(self, data: bytes) -> None:
        if self.node is not None and self.node.data is not None:
            self.node.data += data


@shadow("webhdfs/takes-writes-for-a-closed-stream", "late-writes-empty-the-file", "the file is empty then")
class _LateLoser(_LateTaker):
    def take_late(self, data: bytes) -> None:
        if self.node is not None and self.node.data is not None:
            self.node.data = b""
