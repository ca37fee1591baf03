"""The whole store's files that are written without checksums, or read without verifying them.

It keeps none, so that there is no difference; seeded faults make one. Source: FileSystem.setWriteChecksum and
setVerifyChecksum (Javadoc).
"""

from __future__ import annotations

from fsconform.proving.kept import KeepingStore


class Checksums(KeepingStore):
    """The calls; seeded faults override them."""

    def create_unchecked(self, path: str, data: bytes, overwrite: bool) -> None:
        """As create."""
        self.create(path, data, overwrite)

    def open_unverified(self, path: str) -> bytes:
        """As open."""
        return self.open(path)
