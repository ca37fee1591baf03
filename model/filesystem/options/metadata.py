"""The options that bear on operations which read and set what a store keeps of a path beside its bytes."""

from __future__ import annotations

from fsconform.model.core.option import OWN_PREFIX
from fsconform.model.filesystem.options.core import option

IS_BLOBSTORE = option(
    "is-blobstore", "permits", "the store is an object store: setTimes may leave the times as they are"
)
SUPPORTS_SETTIMES = option("supports-settimes", "exact", "setTimes is supported, and gives a file the times named")
SUPPORTS_UNIX_PERMISSIONS = option(
    "supports-unix-permissions",
    "exact",
    "owner, group and permissions are kept; without it they are stand-ins, and every status says encrypted",
)
ETAGS_AVAILABLE = option("etags-available", "exact", "the statuses of files carry etags")
ETAGS_PRESERVED_IN_RENAME = option(
    "etags-preserved-in-rename", "permits", "a renamed file keeps its etag, and the store may say so"
)
SUPPORTS_MSYNC = option(OWN_PREFIX + "supports-msync", "exact", "msync is supported")
IN_ENCRYPTION_ZONE = option(
    OWN_PREFIX + "in-encryption-zone", "exact", "the paths that are tried lie in an encryption zone"
)
TIMES_FOLLOW_CHANGES = option(
    OWN_PREFIX + "times-follow-changes",
    "exact",
    "a file that is written, appended to, cut or joined gets a new time of modification, as on HDFS",
)
HDFS_TIMESTAMPS = option(
    OWN_PREFIX + "hdfs-timestamps",
    "exact",
    "times are those that the specification tells of HDFS: a renamed file keeps its own, directories get new ones, "
    "and times of access are an hour coarse, which is the default",
)
ERASURE_CODED = option(
    OWN_PREFIX + "erasure-coded", "exact", "the files and directories that are tried are erasure coded"
)
