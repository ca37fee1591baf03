"""What the operations are called in the in-memory store, and how what its methods return becomes a value."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from fsconform.model.core.outcomes import Data, Facts, Status, Value, facts
from fsconform.model.core.paths import Path, show
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.input.open_file import OpenFile, OpenInStages
from fsconform.model.filesystem.input.open_reader import OpenReader
from fsconform.model.filesystem.input.open_unverified import OpenUnverified
from fsconform.model.filesystem.input.read_stream import ReadOn, ReadStream
from fsconform.model.filesystem.metadata.access import Access
from fsconform.model.filesystem.metadata.acls import (
    GetAclStatus,
    ModifyAcl,
    RemoveAcl,
    RemoveAclEntries,
    RemoveDefaultAcl,
    SetAcl,
)
from fsconform.model.filesystem.metadata.file_checksum import GetFileChecksum
from fsconform.model.filesystem.metadata.get_attributes import GetAttributes
from fsconform.model.filesystem.metadata.owner import SetOwner
from fsconform.model.filesystem.metadata.permission import SetPermission
from fsconform.model.filesystem.metadata.quotas import SetQuota
from fsconform.model.filesystem.metadata.rename_and_access_times import ReadTimed, RenameTimed
from fsconform.model.filesystem.metadata.replication import SetReplication
from fsconform.model.filesystem.metadata.storage_policies import GetStoragePolicy, SetStoragePolicy, UnsetStoragePolicy
from fsconform.model.filesystem.metadata.times import SetTimes
from fsconform.model.filesystem.metadata.xattrs import GetXAttr, GetXAttrs, RemoveXAttr, SetXAttr
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.concat import Concat
from fsconform.model.filesystem.namespace.create import Create, CreateUnchecked, CreateWith
from fsconform.model.filesystem.namespace.create_file import CreateFile, CreateNonRecursive
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.delete_on_exit import DeleteOnExit
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs, MkdirsWith
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.namespace.rename_options import RenameWith
from fsconform.model.filesystem.namespace.symlinks import CreateSymlink, GetLinkTarget, SupportsSymlinks
from fsconform.model.filesystem.namespace.truncate import Truncate
from fsconform.model.filesystem.output.abort import AbortWriter
from fsconform.model.filesystem.output.close import CloseWriter
from fsconform.model.filesystem.output.close_beyond_quota import FailClose
from fsconform.model.filesystem.output.full_disk import FillUp
from fsconform.model.filesystem.output.leases import IsFileClosed, RecoverLease
from fsconform.model.filesystem.output.observe import Observe
from fsconform.model.filesystem.output.open_writer import OpenWriter
from fsconform.model.filesystem.output.position import WriterPosition
from fsconform.model.filesystem.output.stream_capabilities import SetDropBehind, WriterCapability
from fsconform.model.filesystem.output.sync import Sync
from fsconform.model.filesystem.output.write import Write, WriteWrongly
from fsconform.model.filesystem.output.write_by_two_threads import WriteTogether
from fsconform.model.filesystem.protocols.abandoned_builders import LeaveBuilder
from fsconform.model.filesystem.protocols.calls_by_users import CallsByUsers
from fsconform.model.filesystem.protocols.calls_under_quotas import CallsUnderQuotas
from fsconform.model.filesystem.protocols.calls_with_snapshots import CallsWithSnapshots
from fsconform.model.filesystem.protocols.iterators import Iterate
from fsconform.model.filesystem.protocols.other_users import CallAsAnother, HomeOfAnother, RenameToTrash
from fsconform.model.filesystem.protocols.path_handles import OpenByHandle, OpenForeignHandle
from fsconform.model.filesystem.protocols.safe_mode import UseSafeMode
from fsconform.model.filesystem.protocols.snapshots import CreateSnapshot, DeleteSnapshot, RenameSnapshot
from fsconform.model.filesystem.protocols.trash import MoveToTrash, TrashCheckpoint
from fsconform.model.filesystem.protocols.unreachable_store import CallNowhere
from fsconform.model.filesystem.status.block_locations import GetFileBlockLocations, LocateNull
from fsconform.model.filesystem.status.compare_listed import CompareListed
from fsconform.model.filesystem.status.enclosing_root import GetEnclosingRoot
from fsconform.model.filesystem.status.etags import CompareEtags, GetEtag
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.glob_status import GlobStatus
from fsconform.model.filesystem.status.home_directory import GetHomeDirectory
from fsconform.model.filesystem.status.list_files import ListFiles
from fsconform.model.filesystem.status.list_filtered import ListFiltered, ListMany
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.msync import Msync
from fsconform.model.filesystem.status.path_capabilities import HasPathCapability
from fsconform.model.filesystem.status.predicates import Exists, IsDirectory, IsFile
from fsconform.model.filesystem.status.resolve_path import ResolvePath
from fsconform.model.filesystem.status.server_defaults import (
    GetDefaultBlockSize,
    GetDefaultReplication,
    GetServerDefaults,
)
from fsconform.model.filesystem.status.sizes_and_replication import GetBlockSize, GetLength, GetReplication
from fsconform.model.filesystem.status.summaries import GetContentSummary, GetQuotaUsage
from fsconform.model.filesystem.status.working_directory import WorkingDirectory
from fsconform.model.filesystem.transfer.abort_uploads import AbortUploads
from fsconform.model.filesystem.transfer.bulk_delete import BulkDelete
from fsconform.model.filesystem.transfer.local_copies import (
    CopyFromLocal,
    CopyMissingFromLocal,
    CopyToLocal,
    CopyTreeFromLocal,
    CopyWithin,
    MoveFromLocal,
)
from fsconform.model.filesystem.transfer.uploads import MisuseUpload, Upload
from fsconform.proving.keeping_store import Told
from fsconform.proving.store import FileStatus

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
    Mkdirs: ("mkdirs", None),
    Create: ("create", None),
    Append: ("append", None),
    Open: ("open", data_of),
    Delete: ("delete", None),
    Rename: ("rename", None),
    GetFileStatus: ("get_file_status", status_of),
    Exists: ("exists", None),
    ListStatus: ("list_status", _found),
    IsFile: ("is_file", None),
    IsDirectory: ("is_directory", None),
    ListFiltered: ("list_filtered", _found),
    ListMany: ("list_many", _listing),
    ListFiles: ("list_files", _listing),
    GlobStatus: ("glob_status", _found),
    GetContentSummary: ("get_content_summary", _told("summary")),
    GetQuotaUsage: ("get_quota_usage", _told("quota usage")),
    GetFileBlockLocations: ("get_file_block_locations", _locations),
    LocateNull: ("locate_null", _locations),
    CompareListed: ("compare_listed", _told("comparison")),
    Iterate: ("iterate", _iterated),
    MoveToTrash: ("move_to_trash", _told("trash")),
    TrashCheckpoint: ("trash_checkpoint", _told("checkpoint")),
    CompareEtags: ("compare_etags", _told("etags")),
    OpenForeignHandle: ("open_foreign_handle", None),
    CopyWithin: ("copy_within", None),
    RenameTimed: ("rename_timed", _told("times")),
    ReadTimed: ("read_timed", _told("access")),
    CallNowhere: ("call_nowhere", _told("nowhere")),
    CallAsAnother: ("call_as_another", _told("denial")),
    HomeOfAnother: ("home_of_another", _told("homes")),
    RenameToTrash: ("rename_to_trash", _told("trash")),
    CallsByUsers: ("calls_by_users", _told("calls by users")),
    CallsUnderQuotas: ("calls_under_quotas", _told("calls under quotas")),
    CallsWithSnapshots: ("calls_with_snapshots", _told("calls with snapshots")),
    UseSafeMode: ("use_safe_mode", _told("safe mode")),
    ReadStream: ("read_stream", _told("input stream")),
    OpenReader: ("open_reader", None),
    ReadOn: ("read_on", _told("input stream")),
    OpenWriter: ("open_writer", None),
    Write: ("write", None),
    WriteWrongly: ("write_wrongly", None),
    Sync: ("sync", _told("sync")),
    CloseWriter: ("close_writer", _told("closing")),
    AbortWriter: ("abort_writer", _told("abort")),
    WriterCapability: ("writer_capability", None),
    SetDropBehind: ("set_drop_behind", _told("drop behind")),
    WriterPosition: ("writer_position", _told("position")),
    Observe: ("observe", _told("seen")),
    RecoverLease: ("recover_lease", _told("recovery")),
    IsFileClosed: ("is_file_closed", None),
    GetAttributes: ("get_attributes", _told("attributes", "path")),
    MkdirsWith: ("mkdirs_with", None),
    CreateWith: ("create_with", None),
    SetPermission: ("set_permission", None),
    SetOwner: ("set_owner", None),
    SetTimes: ("set_times", None),
    SetReplication: ("set_replication", None),
    GetBlockSize: ("get_block_size", _number),
    GetLength: ("get_length", _number),
    GetReplication: ("get_replication", _number),
    GetDefaultBlockSize: ("get_default_block_size", _number),
    GetDefaultReplication: ("get_default_replication", _number),
    GetServerDefaults: ("get_server_defaults", _told("server defaults")),
    GetHomeDirectory: ("get_home_directory", _told("home")),
    WorkingDirectory: ("working_directory", _told("relative", "working", "path")),
    ResolvePath: ("resolve_path", _told("path", "path")),
    GetEnclosingRoot: ("get_enclosing_root", _told("enclosing root")),
    Access: ("access", None),
    GetFileChecksum: ("get_file_checksum", _told("checksum")),
    Msync: ("msync", None),
    HasPathCapability: ("has_path_capability", None),
    GetEtag: ("get_etag", _told("etag")),
    SetXAttr: ("set_xattr", None),
    GetXAttr: ("get_xattr", _told("xattr")),
    GetXAttrs: ("get_xattrs", _told("xattrs")),
    RemoveXAttr: ("remove_xattr", None),
    ModifyAcl: ("modify_acl", None),
    RemoveAclEntries: ("remove_acl_entries", None),
    RemoveDefaultAcl: ("remove_default_acl", None),
    RemoveAcl: ("remove_acl", None),
    SetAcl: ("set_acl", None),
    GetAclStatus: ("get_acl_status", _told("acl")),
    SetStoragePolicy: ("set_storage_policy", None),
    UnsetStoragePolicy: ("unset_storage_policy", None),
    GetStoragePolicy: ("get_storage_policy", _told("storage policy")),
    CreateSnapshot: ("create_snapshot", None),
    RenameSnapshot: ("rename_snapshot", None),
    DeleteSnapshot: ("delete_snapshot", None),
    SetQuota: ("set_quota", None),
    CreateUnchecked: ("create_unchecked", None),
    OpenUnverified: ("open_unverified", data_of),
    WriteTogether: ("write_together", _told("together")),
    FailClose: ("close_beyond_quota", _told("failed close")),
    FillUp: ("fill_up", _told("full")),
    CreateSymlink: ("create_symlink", None),
    GetLinkTarget: ("get_link_target", None),
    SupportsSymlinks: ("supports_symlinks", None),
    CreateNonRecursive: ("create_non_recursive", None),
    Concat: ("concat", None),
    Truncate: ("truncate", None),
    RenameWith: ("rename_with", None),
    DeleteOnExit: ("delete_on_exit", None),
    CopyFromLocal: ("copy_from_local", _copied),
    CopyTreeFromLocal: ("copy_tree_from_local", _copied),
    CopyMissingFromLocal: ("copy_missing_from_local", None),
    MoveFromLocal: ("move_from_local", _copied),
    CopyToLocal: ("copy_to_local", data_of),
    CreateFile: ("create_file", None),
    OpenFile: ("open_file", data_of),
    OpenByHandle: ("open_by_handle", data_of),
    BulkDelete: ("bulk_delete", _told("bulk delete", "failed")),
    Upload: ("upload", None),
    AbortUploads: ("locate", lambda _place, _base: facts("number", value=-1)),
    MisuseUpload: ("misuse_upload", None),
    LeaveBuilder: ("leave_builder", None),
    OpenInStages: ("open_in_stages", _told("stages")),
}
"""For each operation the store's method, which takes its fields in their order, and what makes its result a value."""
