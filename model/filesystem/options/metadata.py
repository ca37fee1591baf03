"""The options that bear on operations which read and set what a store keeps of a path beside its bytes."""

from __future__ import annotations

from fsconform.model.core.option import OWN_PREFIX, Option

IS_BLOBSTORE = "is-blobstore"
SUPPORTS_SETTIMES = "supports-settimes"
SUPPORTS_UNIX_PERMISSIONS = "supports-unix-permissions"
ETAGS_AVAILABLE = "etags-available"
ETAGS_PRESERVED_IN_RENAME = "etags-preserved-in-rename"

SUPPORTS_MSYNC = OWN_PREFIX + "supports-msync"
IN_ENCRYPTION_ZONE = OWN_PREFIX + "in-encryption-zone"
TIMES_FOLLOW_CHANGES = OWN_PREFIX + "times-follow-changes"
HDFS_TIMESTAMPS = OWN_PREFIX + "hdfs-timestamps"
ERASURE_CODED = OWN_PREFIX + "erasure-coded"

JUDGED: tuple[Option, ...] = (
    Option(IS_BLOBSTORE, "permits", "the store is an object store: setTimes may leave the times as they are"),
    Option(SUPPORTS_SETTIMES, "exact", "setTimes is supported, and gives a file the times named"),
    Option(
        SUPPORTS_UNIX_PERMISSIONS,
        "exact",
        "owner, group and permissions are kept; without it they are stand-ins, and every status says encrypted",
    ),
    Option(ETAGS_AVAILABLE, "exact", "the statuses of files carry etags"),
    Option(ETAGS_PRESERVED_IN_RENAME, "permits", "a renamed file keeps its etag, and the store may say so"),
    Option(SUPPORTS_MSYNC, "exact", "msync is supported"),
    Option(IN_ENCRYPTION_ZONE, "exact", "the paths that are tried lie in an encryption zone"),
    Option(
        TIMES_FOLLOW_CHANGES,
        "exact",
        "a file that is written, appended to, cut or joined gets a new time of modification, as on HDFS",
    ),
    Option(
        HDFS_TIMESTAMPS,
        "exact",
        "times are those that the specification tells of HDFS: a renamed file keeps its own, directories get new ones, "
        "and times of access are an hour coarse, which is the default",
    ),
    Option(ERASURE_CODED, "exact", "the files and directories that are tried are erasure coded"),
)
