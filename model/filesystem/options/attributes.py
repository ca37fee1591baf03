"""The options that bear on operations which deal with extended attributes, ACLs, policies, snapshots and links."""

from __future__ import annotations

from fsconform.model.core.option import OWN_PREFIX, Option

SUPPORTS_XATTRS = OWN_PREFIX + "supports-xattrs"
SUPPORTS_ACLS = OWN_PREFIX + "supports-acls"
SUPPORTS_STORAGE_POLICIES = OWN_PREFIX + "supports-storage-policies"
SUPPORTS_SNAPSHOTS = OWN_PREFIX + "supports-snapshots"
SUPPORTS_QUOTAS = OWN_PREFIX + "supports-quotas"
SUPPORTS_SYMLINKS = OWN_PREFIX + "supports-symlinks"
SET_ACL_KEEPS_DEFAULT = OWN_PREFIX + "set-acl-keeps-default-entries"
DIRECTORIES_WITHOUT_XATTRS = OWN_PREFIX + "directories-without-xattrs"

JUDGED: tuple[Option, ...] = (
    Option(SUPPORTS_XATTRS, "exact", "extended attributes of the namespace user can be set, read and removed"),
    Option(SUPPORTS_ACLS, "exact", "access control lists can be set, changed and read"),
    Option(SUPPORTS_STORAGE_POLICIES, "exact", "storage policies with HDFS's names can be set, read and unset"),
    Option(SUPPORTS_SNAPSHOTS, "exact", "the calls on snapshots are implemented; an administrator may have to permit"),
    Option(SUPPORTS_QUOTAS, "exact", "quotas of directories can be set"),
    Option(SUPPORTS_SYMLINKS, "exact", "symbolic links can be made"),
    Option(
        SET_ACL_KEEPS_DEFAULT, "permits", "setAcl without default entries may leave those that a directory has already"
    ),
    Option(
        DIRECTORIES_WITHOUT_XATTRS,
        "permits",
        "reading the extended attributes of a directory may raise FileNotFoundException, although it exists",
    ),
)
