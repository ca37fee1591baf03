"""What the operations are called in the in-memory store, and how what its methods return becomes a value."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from fsconform.model.core.outcomes import Data, Facts, Status, Value, facts
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem import operations as ops
from fsconform.model.filesystem.operations import (
    administration,
    attributes,
    changes,
    checksums,
    listing,
    metadata,
    mishaps,
    protocols,
    streams,
    writers,
)
from fsconform.proving.kept import Told
from fsconform.proving.store import FileStatus

HANDLE_APPENDED = changes.HANDLE_APPENDED

CACHED_CONTENT = 128 * 1024
"""Bytes of content that is worth keeping: the sizes that suites use again and again are below."""

Convert = Callable[[Any, str], Value]


def _make_digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


_cached_digest = lru_cache(maxsize=256)(_make_digest)


def data_of(data: bytes, base: str) -> Data:
    """What is reported of bytes that were read."""
    digest = _cached_digest if len(data) <= CACHED_CONTENT else _make_digest
    return Data(len(data), digest(data))


def _below(path: str, base: str) -> Path:
    # What a store shows outside of the program's directory would be a bug of ours, not a finding.
    assert path == (base or "/") or path.startswith(base + "/"), path
    below = path[len(base) + 1 :]
    return tuple(below.split("/")) if below else ()


def status_of(status: FileStatus, base: str) -> Status:
    """A status as it is reported, its path being below the program's directory."""
    return Status(_below(status.path, base), status.is_dir, status.length, status.block_size)


def _listing(entries: list[FileStatus], base: str) -> tuple[Status, ...]:
    return tuple(status_of(entry, base) for entry in entries)


def _found(entries: list[FileStatus] | None, base: str) -> tuple[Status, ...] | None:
    return None if entries is None else _listing(entries, base)


def _told(kind: str, *paths: str) -> Convert:
    """What makes facts of that kind of what is told; those of the names given are paths, or tuples of them."""

    def convert(told: Told | None, base: str) -> Facts | None:
        if told is None:
            return None
        changed: Told = {}
        for name in paths:
            value = told[name]
            if isinstance(value, str):
                changed[name] = show(_below(value, base))
            elif isinstance(value, tuple):
                changed[name] = tuple(show(_below(one, base)) for one in value)
        return facts(kind, **(told | changed))

    return convert


_iteration = _told("iteration")


def _iterated(result: list[FileStatus] | Told, base: str) -> Value:
    return _iteration(result, base) if isinstance(result, dict) else _listing(result, base)


_number = _told("number")
_copied = _told("copied")
_locations = _told("locations")

CALLS: dict[type, tuple[str, Convert | None]] = {
    ops.Mkdirs: ("mkdirs", None),
    ops.Create: ("create", None),
    ops.Append: ("append", None),
    ops.Open: ("open", data_of),
    ops.Delete: ("delete", None),
    ops.Rename: ("rename", None),
    ops.GetFileStatus: ("get_file_status", status_of),
    ops.Exists: ("exists", None),
    ops.ListStatus: ("list_status", _found),
    listing.IsFile: ("is_file", None),
    listing.IsDirectory: ("is_directory", None),
    listing.ListFiltered: ("list_filtered", _found),
    listing.ListMany: ("list_many", _listing),
    listing.ListFiles: ("list_files", _listing),
    listing.GlobStatus: ("glob_status", _found),
    listing.GetContentSummary: ("get_content_summary", _told("summary")),
    listing.GetQuotaUsage: ("get_quota_usage", _told("quota usage")),
    listing.GetFileBlockLocations: ("get_file_block_locations", _locations),
    listing.LocateNull: ("locate_null", _locations),
    listing.CompareListed: ("compare_listed", _told("comparison")),
    protocols.Iterate: ("iterate", _iterated),
    protocols.MoveToTrash: ("move_to_trash", _told("trash")),
    protocols.TrashCheckpoint: ("trash_checkpoint", _told("checkpoint")),
    protocols.CompareEtags: ("compare_etags", _told("etags")),
    protocols.OpenForeignHandle: ("open_foreign_handle", None),
    protocols.CopyWithin: ("copy_within", None),
    protocols.RenameTimed: ("rename_timed", _told("times")),
    protocols.ReadTimed: ("read_timed", _told("access")),
    protocols.CallNowhere: ("call_nowhere", _told("nowhere")),
    administration.CallAsAnother: ("call_as_another", _told("denial")),
    administration.HomeOfAnother: ("home_of_another", _told("homes")),
    administration.RenameToTrash: ("rename_to_trash", _told("trash")),
    administration.UseSafeMode: ("use_safe_mode", _told("safe mode")),
    streams.ReadStream: ("read_stream", _told("input stream")),
    streams.OpenReader: ("open_reader", None),
    streams.ReadOn: ("read_on", _told("input stream")),
    writers.OpenWriter: ("open_writer", None),
    writers.Write: ("write", None),
    writers.WriteWrongly: ("write_wrongly", None),
    writers.Sync: ("sync", _told("sync")),
    writers.CloseWriter: ("close_writer", _told("closing")),
    writers.AbortWriter: ("abort_writer", _told("abort")),
    writers.WriterCapability: ("writer_capability", None),
    writers.SetDropBehind: ("set_drop_behind", _told("drop behind")),
    writers.WriterPosition: ("writer_position", _told("position")),
    writers.Observe: ("observe", _told("seen")),
    writers.RecoverLease: ("recover_lease", _told("recovery")),
    writers.IsFileClosed: ("is_file_closed", None),
    metadata.GetAttributes: ("get_attributes", _told("attributes", "path")),
    metadata.MkdirsWith: ("mkdirs_with", None),
    metadata.CreateWith: ("create_with", None),
    metadata.SetPermission: ("set_permission", None),
    metadata.SetOwner: ("set_owner", None),
    metadata.SetTimes: ("set_times", None),
    metadata.SetReplication: ("set_replication", None),
    metadata.GetBlockSize: ("get_block_size", _number),
    metadata.GetLength: ("get_length", _number),
    metadata.GetReplication: ("get_replication", _number),
    metadata.GetDefaultBlockSize: ("get_default_block_size", _number),
    metadata.GetDefaultReplication: ("get_default_replication", _number),
    metadata.GetServerDefaults: ("get_server_defaults", _told("server defaults")),
    metadata.GetHomeDirectory: ("get_home_directory", _told("home")),
    metadata.WorkingDirectory: ("working_directory", _told("relative", "working", "path")),
    metadata.ResolvePath: ("resolve_path", _told("path", "path")),
    metadata.GetEnclosingRoot: ("get_enclosing_root", _told("enclosing root")),
    metadata.Access: ("access", None),
    metadata.GetFileChecksum: ("get_file_checksum", _told("checksum")),
    metadata.Msync: ("msync", None),
    metadata.HasPathCapability: ("has_path_capability", None),
    metadata.GetEtag: ("get_etag", _told("etag")),
    attributes.SetXAttr: ("set_xattr", None),
    attributes.GetXAttr: ("get_xattr", _told("xattr")),
    attributes.GetXAttrs: ("get_xattrs", _told("xattrs")),
    attributes.RemoveXAttr: ("remove_xattr", None),
    attributes.ModifyAcl: ("modify_acl", None),
    attributes.RemoveAclEntries: ("remove_acl_entries", None),
    attributes.RemoveDefaultAcl: ("remove_default_acl", None),
    attributes.RemoveAcl: ("remove_acl", None),
    attributes.SetAcl: ("set_acl", None),
    attributes.GetAclStatus: ("get_acl_status", _told("acl")),
    attributes.SetStoragePolicy: ("set_storage_policy", None),
    attributes.UnsetStoragePolicy: ("unset_storage_policy", None),
    attributes.GetStoragePolicy: ("get_storage_policy", _told("storage policy")),
    attributes.CreateSnapshot: ("create_snapshot", None),
    attributes.RenameSnapshot: ("rename_snapshot", None),
    attributes.DeleteSnapshot: ("delete_snapshot", None),
    attributes.SetQuota: ("set_quota", None),
    checksums.CreateUnchecked: ("create_unchecked", None),
    checksums.OpenUnverified: ("open_unverified", data_of),
    mishaps.WriteTogether: ("write_together", _told("together")),
    mishaps.FailClose: ("close_beyond_quota", _told("failed close")),
    mishaps.FillUp: ("fill_up", _told("full")),
    attributes.CreateSymlink: ("create_symlink", None),
    attributes.GetLinkTarget: ("get_link_target", None),
    attributes.SupportsSymlinks: ("supports_symlinks", None),
    changes.CreateNonRecursive: ("create_non_recursive", None),
    changes.Concat: ("concat", None),
    changes.Truncate: ("truncate", None),
    changes.RenameWith: ("rename_with", None),
    changes.DeleteOnExit: ("delete_on_exit", None),
    changes.CopyFromLocal: ("copy_from_local", _copied),
    changes.CopyTreeFromLocal: ("copy_tree_from_local", _copied),
    changes.CopyMissingFromLocal: ("copy_missing_from_local", None),
    changes.MoveFromLocal: ("move_from_local", _copied),
    changes.CopyToLocal: ("copy_to_local", data_of),
    changes.CreateFile: ("create_file", None),
    changes.OpenFile: ("open_file", data_of),
    changes.OpenByHandle: ("open_by_handle", data_of),
    changes.BulkDelete: ("bulk_delete", _told("bulk delete", "failed")),
    changes.Upload: ("upload", None),
    changes.MisuseUpload: ("misuse_upload", None),
    changes.LeaveBuilder: ("leave_builder", None),
    changes.OpenInStages: ("open_in_stages", _told("stages")),
}
"""For each operation the store's method, which takes its fields in their order, and what makes its result a value."""
