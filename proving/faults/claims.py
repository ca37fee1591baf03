"""Faults of what the store says of itself, of checksums and of etags."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.store import Node


@seeded("home-is-relative", "the home directory is a relative path", clause="filesystem.getHomeDirectory.post")
class _HomeRelative(FullStore):
    def get_home_directory(self) -> Told:
        return {"absolute": False, "qualified": False, "ofThisStore": False}


@seeded("working-directory-ignored", "relative paths are below the root", clause="filesystem.relative-paths")
class _WorkingIgnored(FullStore):
    def resolved(self, working: str, relative: str) -> str:
        return super().resolved(self.base, relative)


@seeded("working-directory-made", "setting a working directory makes it", clause="filesystem.working-directory")
class _WorkingMade(FullStore):
    def working_directory(self, path: str, below: str) -> Told:
        if not self.exists(path):
            self.mkdirs(path)
        return super().working_directory(path, below)


@seeded("resolve-missing", "resolvePath of nothing gives the path")
class _ResolveMissing(FullStore):
    def resolve_path(self, path: str) -> Told:
        self.locate(path)
        return {"path": path}


@seeded("enclosing-root-of-missing", "nothing has no enclosing root", clause="filesystem.getEnclosingRoot.missing")
class _RootMissing(FullStore):
    def get_enclosing_root(self, path: str) -> Told | None:
        self.found(path)
        return super().get_enclosing_root(path)


@seeded(
    "enclosing-root-is-file", "a file is its own enclosing root", clause="filesystem.getEnclosingRoot.post.directory"
)
class _RootFile(FullStore):
    def get_enclosing_root(self, path: str) -> Told | None:
        return {**(super().get_enclosing_root(path) or {}), "directory": not self.holds(path, True)}


@seeded(
    "enclosing-root-elsewhere",
    "an enclosing root is beside its path",
    clause="filesystem.getEnclosingRoot.post.ancestor",
)
class _RootElsewhere(FullStore):
    def get_enclosing_root(self, path: str) -> Told | None:
        return {**(super().get_enclosing_root(path) or {}), "above": False}


@seeded("access-always-granted", "access never denies anything")
class _AccessGranted(FullStore):
    def access(self, path: str, mode: str) -> None:
        self.found(path)


@seeded("access-of-missing", "access of a missing path is granted", clause="introduction.failures.exceptions")
class _AccessMissing(FullStore):
    def access(self, path: str, mode: str) -> None:
        if self.exists(path):
            super().access(path, mode)


@seeded("checksum-of-nothing", "a missing file has a checksum")
class _ChecksumMissing(FullStore):
    def get_file_checksum(self, path: str) -> Told | None:
        if not self.exists(path):
            return {"algorithm": "none", "bytes": ""}
        return super().get_file_checksum(path)


@seeded(
    "capability-of-anything", "unknown names are capabilities", clause="pathcapabilities.hasPathCapability.post.result"
)
class _CapabilityAny(FullStore):
    def has_path_capability(self, path: str, capability: str) -> bool:
        return super().has_path_capability(path, capability) or not capability.startswith("fs.capability.")


@seeded(
    "capability-of-symlinks",
    "symbolic links are claimed, and refused",
    clause="pathcapabilities.hasPathCapability.post.not-unsupported",
)
class _CapabilityLinks(FullStore):
    def capabilities(self) -> frozenset[str]:
        return super().capabilities() | {"fs.capability.paths.symlinks", "fs.capability.paths.snapshots"}


@seeded("capability-denied", "append is not claimed", clause="pathcapabilities.hasPathCapability.post.result")
class _CapabilityDenied(FullStore):
    def capabilities(self) -> frozenset[str]:
        return super().capabilities() - {"fs.capability.paths.append"}


@seeded(
    "capability-of-missing",
    "a missing path has no capabilities",
    clause="pathcapabilities.hasPathCapability.no-existence-check",
)
class _CapabilityMissing(FullStore):
    def has_path_capability(self, path: str, capability: str) -> bool:
        return super().has_path_capability(path, capability) and self.exists(path)


@seeded(
    "capability-makes-directory",
    "asking for a capability makes a directory",
    clause="pathcapabilities.hasPathCapability.post.unchanged",
)
class _CapabilityMakes(FullStore):
    def has_path_capability(self, path: str, capability: str) -> bool:
        if not self.exists(path) and self.nearest(self.locate(path)[1]).data is None:
            self.mkdirs(path)
        return super().has_path_capability(path, capability)


@seeded("capability-of-bulk-delete-denied", "bulk deletes are not claimed", clause="bulkdelete.capability")
class _CapabilityBulk(FullStore):
    def capabilities(self) -> frozenset[str]:
        return super().capabilities() - {"fs.capability.bulk.delete"}

    def offers_bulk_delete(self) -> bool:
        return False


@seeded("capability-of-etags-denied", "etags are not claimed", clause="filesystem.etagSource.available")
class _CapabilityEtags(FullStore):
    def capabilities(self) -> frozenset[str]:
        return super().capabilities() - {"fs.capability.etags.available"}


@seeded("etag-constant", "all files have the same etag", clause="filesystem.etagSource.contents")
class _EtagConstant(FullStore):
    def etag(self, node: Node, data: bytes) -> str:
        return "1"


@seeded("etag-of-length", "etags are lengths", clause="filesystem.etagSource.contents")
class _EtagLength(FullStore):
    def etag(self, node: Node, data: bytes) -> str:
        return str(len(data))


@seeded("etag-of-time", "etags change with every question", clause="filesystem.etagSource.consistent")
class _EtagTime(FullStore):
    def etag(self, node: Node, data: bytes) -> str:
        return str(self.tick())


@seeded("etag-lost", "files have no etags though they are claimed", clause="filesystem.etagSource.provided")
class _EtagLost(FullStore):
    def get_etag(self, path: str) -> Told | None:
        self.found(path)
        return None


@seeded("etag-empty", "etags are empty", clause="filesystem.etagSource.available")
class _EtagEmpty(FullStore):
    def etag(self, node: Node, data: bytes) -> str:
        return ""


@seeded("etag-lost-in-rename", "a renamed file has another etag", clause="filesystem.etagSource.rename")
class _EtagRename(FullStore):
    def reset(self) -> None:
        self.moves: dict[Node, int] = {}

    def move(self, src_key: str, name: str, key: str) -> None:
        super().move(src_key, name, key)
        self.moves[self.nodes[key]] = self.moves.get(self.nodes[key], 0) + 1

    def etag(self, node: Node, data: bytes) -> str:
        return f"{super().etag(node, data)}-{self.moves.get(node, 0)}"


@seeded("enclosing-root-not-its-own", "a root has another root", clause="filesystem.getEnclosingRoot.post.idempotent")
class _RootAgain(FullStore):
    def get_enclosing_root(self, path: str) -> Told | None:
        return {**(super().get_enclosing_root(path) or {}), "again": False}


@seeded("working-directory-shared", "clients share a working directory", clause="filesystem.working-directory")
class _WorkingShared(FullStore):
    def working_directory(self, path: str, below: str) -> Told:
        return {**super().working_directory(path, below), "others": path in ("/", self.base)}


@seeded("etag-not-everywhere", "listings have no etags", clause="filesystem.etagSource.everywhere")
class _EtagNotEverywhere(FullStore):
    def get_etag(self, path: str) -> Told | None:
        told = super().get_etag(path)
        return told and {**told, "everywhere": False}


@seeded("etag-not-serializable", "etags are lost in serialization", clause="filesystem.etagSource.serializable")
class _EtagSerializable(FullStore):
    def get_etag(self, path: str) -> Told | None:
        told = super().get_etag(path)
        return told and {**told, "serializable": False}


@seeded(
    "capability-of-renamed-etags-denied",
    "renames keep etags, and are not claimed to",
    clause="filesystem.etagSource.rename-consistent",
)
class _CapabilityRename(FullStore):
    def capabilities(self) -> frozenset[str]:
        return super().capabilities() - {"fs.capability.etags.consistent.across.rename"}


@seeded(
    "locations-of-status-differ",
    "a status's locations are not those of its path",
    clause="filesystem.getFileBlockLocations.path.post",
)
class _StatusLocations(FullStore):
    def get_file_block_locations(self, path: str, start: int, length: int) -> Told | None:
        told = super().get_file_block_locations(path, start, length)
        return self.places([], []) if self.via == "status" else told
