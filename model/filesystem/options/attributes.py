"""The options that bear on operations which deal with extended attributes, ACLs, policies, snapshots and links."""

from __future__ import annotations

from fsconform.model.core.option import OWN_PREFIX
from fsconform.model.filesystem.options.core import option

SUPPORTS_XATTRS = option(
    OWN_PREFIX + "supports-xattrs", "exact", "extended attributes of the namespace user can be set, read and removed"
)
SUPPORTS_ACLS = option(OWN_PREFIX + "supports-acls", "exact", "access control lists can be set, changed and read")
SUPPORTS_STORAGE_POLICIES = option(
    OWN_PREFIX + "supports-storage-policies", "exact", "storage policies with HDFS's names can be set, read and unset"
)
SUPPORTS_SNAPSHOTS = option(
    OWN_PREFIX + "supports-snapshots",
    "exact",
    "the calls on snapshots are implemented; an administrator may have to permit",
)
SUPPORTS_QUOTAS = option(OWN_PREFIX + "supports-quotas", "exact", "quotas of directories can be set")
SUPPORTS_SYMLINKS = option(OWN_PREFIX + "supports-symlinks", "exact", "symbolic links can be made")
SET_ACL_KEEPS_DEFAULT = option(
    OWN_PREFIX + "set-acl-keeps-default-entries",
    "permits",
    "setAcl without default entries may leave those that a directory has already",
)
DIRECTORIES_WITHOUT_XATTRS = option(
    OWN_PREFIX + "directories-without-xattrs",
    "permits",
    "reading the extended attributes of a directory may raise FileNotFoundException, although it exists",
)
