"""Twins of the quirks of MinIO, as they show through a connector, and their shadows."""

from __future__ import annotations

from fsconform.proving.full_store import FullStore
from fsconform.proving.quirks.base import shadow, twin
from fsconform.proving.store import parent_of

LONGEST = 246


class _Markers(FullStore):
    """A store that can keep no directory with a long name once it is empty."""

    longest = LONGEST

    def lost(self, key: str) -> bool:
        """Whether a directory is gone as it has become empty."""
        node = self.nodes.get(key)
        long = any(len(one.encode("utf-8", "surrogatepass")) > self.longest for one in key.split("/"))
        return long and node is not None and node.data is None and not node.names

    def leave(self, path: str) -> None:
        """Fail if the directory of what is gone can't be kept."""
        key = parent_of(self.locate(path)[1])
        if self.lost(key):
            self.remove_subtree(key)
            self.fail("IOException", path)


_DELETE = "minio/delete-that-empties-a-long-directory-fails"


@twin(_DELETE)
class _DeleteFails(_Markers):
    def delete(self, path: str, recursive: bool) -> bool:
        done = super().delete(path, recursive)
        if done:
            self.leave(path)
        return done


@shadow(_DELETE, "delete-in-a-directory-with-a-name-of-200-bytes-fails", "a signing error on long keys")
class _Signing(_DeleteFails):
    longest = 199


@shadow(_DELETE, "delete-that-empties-a-long-directory-deletes-beside-it", "what is beside the directory is gone, too")
class _DeletesBeside(_DeleteFails):
    def leave(self, path: str) -> None:
        key = parent_of(self.locate(path)[1])
        if self.lost(key):
            for name in list(self.nodes[parent_of(key)].names):
                self.remove_subtree(f"{parent_of(key)}/{name}")
            self.fail("IOException", path)


_RENAME = "minio/rename-that-empties-a-long-directory-fails"


@twin(_RENAME)
class _RenameFails(_Markers):
    def rename(self, src: str, dst: str) -> bool:
        done = super().rename(src, dst)
        if done:
            self.leave(src)
        return done

    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        super().rename_with(src, dst, overwrite)
        self.leave(src)


@shadow(
    _RENAME, "rename-out-of-a-directory-with-a-name-of-200-bytes-loses", "a legal name of 200 bytes, the file is lost"
)
class _LosesRenamed(_RenameFails):
    longest = 199


@shadow(_RENAME, "rename-that-empties-a-long-directory-loses-the-file", "the file is nowhere")
class _LosesFile(_RenameFails):
    def rename(self, src: str, dst: str) -> bool:
        key = self.locate(src)[1]
        node = self.nodes.get(key)
        if key and node is not None and node.data is not None and len(self.nodes[parent_of(key)].names) == 1:
            name = parent_of(key).rpartition("/")[2]
            if len(name) > self.longest:
                self.remove_subtree(key)
                self.remove_subtree(parent_of(key))
                self.fail("IOException", src)
        return super().rename(src, dst)


_ABORT = "minio/abort-of-a-gone-upload-succeeds"
_AGAIN = ("abort twice", "abort after complete")


@twin(_ABORT)
class _AbortsAgain(FullStore):
    def tolerates(self, manner: str) -> bool:
        return manner in _AGAIN or super().tolerates(manner)


@shadow(_ABORT, "abort-of-a-completed-upload-deletes-the-file", "what was completed is deleted")
class _AbortDeletes(_AbortsAgain):
    def misuse_upload(self, path: str, data: bytes, manner: str, other: str) -> None:
        super().misuse_upload(path, data, manner, other)
        if manner == "abort after complete":
            self.delete(path, False)


@shadow(_ABORT, "completion-of-an-aborted-upload-succeeds", "it can be completed, too")
class _CompletesAborted(_AbortsAgain):
    def tolerates(self, manner: str) -> bool:
        return manner == "complete after abort" or super().tolerates(manner)
