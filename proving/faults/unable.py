"""Faults of stores that can do less than this one, or are held to more: how they refuse, and what they do instead."""

from __future__ import annotations

from typing import NoReturn

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.store import FileStatus, Node


@seeded(
    "unable-msync-misnamed",
    "a store without msync fails otherwise",
    clause="filesystem.msync.unsupported",
    abilities={"supports_msync": False},
    declared={"fsconform.supports-msync": False},
)
class _MsyncMisnamed(FullStore):
    def msync(self) -> None:
        self.fail("IOException", "msync")


@seeded(
    "unable-handle-misnamed",
    "a store without path handles fails otherwise",
    clause="filesystem.getPathHandle.unsupported",
    abilities={"supports_file_reference": False, "supports_content_check": False},
    declared={"supports-file-reference": False, "supports-content-check": False},
)
class _HandleMisnamed(FullStore):
    def need(self, able: bool, call: str) -> None:
        if not able and call.endswith("path handles"):
            self.fail("NullPointerException", call)
        super().need(able, call)


@seeded(
    "unable-handle-by-content-misnamed",
    "a store that can't tell contents apart fails otherwise",
    clause="filesystem.getPathHandle.options.unsupported",
    abilities={"supports_content_check": False},
    declared={"supports-content-check": False},
)
class _ContentMisnamed(_HandleMisnamed):
    pass


@seeded(
    "unable-permissions-unencrypted",
    "a store without permissions says that nothing is encrypted",
    clause="filesystem.getFileStatus.post.encrypted-without-permissions",
    abilities={"supports_unix_permissions": False},
    declared={"supports-unix-permissions": False},
)
class _Unencrypted(FullStore):
    def attributes(self, status: FileStatus, node: Node) -> Told:
        return {**super().attributes(status, node), "encrypted": False}


@seeded(
    "unable-bulk-delete-of-pages",
    "bulk deletes made of plain ones take pages of 2",
    clause="bulkdelete.default",
    abilities={"supports_bulk_delete": False},
)
class _Pages(FullStore):
    def bulk_delete(self, path: str, paths: list[str]) -> Told:
        return {**super().bulk_delete(path, paths), "pageSize": 2}


@seeded(
    "unable-part-blocks-joined",
    "a store that joins whole blocks only joins all",
    clause="filesystem.concat.pre.whole-blocks",
    abilities={"concat_of_whole_blocks_only": True},
    declared={"fsconform.concat-of-whole-blocks-only": True},
)
class _PartBlocks(FullStore):
    def check_blocks(self, pieces: list[bytes]) -> None:
        pass


@seeded(
    "unable-symlinks-refused",
    "a store that is said to have symbolic links makes none",
    clause="filesystem.createSymlink.post",
    declared={"fsconform.supports-symlinks": True},
)
class _LinksRefused(FullStore):
    def create_symlink(self, target: str, link: str) -> NoReturn:
        self.fail("IOException", "createSymlink")


@seeded(
    "append-turned-off",
    "a setting turns append off in a store that is said to have it",
    "HADOOP-5332",
    clause="filesystem.append.post",
)
class _AppendOff(FullStore):
    def append(self, path: str, data: bytes) -> None:
        self.fail("UnsupportedOperationException", f"append to {path} is off")
