"""The full store's calls on extended attributes, ACLs, storage policies and quotas. Source: the Javadoc of FileSystem.

There are no snapshots and no symbolic links: their calls are refused.
"""

from __future__ import annotations

from typing import NoReturn

from fsconform.proving import acls
from fsconform.proving.keeping_store import KeepingStore, Kept, Told
from fsconform.proving.store import Node, parent_of

NAMESPACES = ("user", "trusted", "system", "security", "raw")
POLICIES = ("HOT", "WARM", "COLD", "ALL_SSD", "ONE_SSD", "LAZY_PERSIST", "PROVIDED")
ASKED = ("user.a", "user.b")
"""The names that getXAttrs via some asks for."""


class Attributes(KeepingStore):
    """What callers attach to paths."""

    # --- extended attributes

    def set_xattr(self, path: str, name: str, value: str, flag: str) -> None:
        """Set an attribute. Raises IOException if it exists and must not, or the other way round."""
        kept = self.attributed(path, name)
        if not self.may_set(name in kept.xattrs, flag):
            self.fail("IOException", f"{flag} of the attribute {name} of {path}")
        kept.xattrs[name] = value

    def get_xattr(self, path: str, name: str) -> Told | None:
        """An attribute's value; None if there is none of that name."""
        value = self.attributed(path, name).xattrs.get(name)
        return None if value is None else {"value": value}

    def get_xattrs(self, path: str) -> Told:
        """All attributes of the namespace user; via list their names only, via some two of them."""
        self.need(self.can.supports_xattrs, "getXAttrs")
        xattrs = self.kept(self.found(path)).xattrs
        names = [name for name in sorted(xattrs) if name.startswith("user.")]
        if self.via == "some":
            names = [name for name in names if name in ASKED]
        values = () if self.via == "list" else tuple(xattrs[name] for name in names)
        return {"names": tuple(names), "values": values}

    def remove_xattr(self, path: str, name: str) -> None:
        """Remove an attribute. Raises IOException if there is none of that name."""
        kept = self.attributed(path, name)
        if name not in kept.xattrs:
            self.fail("IOException", f"{path} has no attribute {name}")
        del kept.xattrs[name]

    def attributed(self, path: str, name: str) -> Kept:
        """What is kept of a path whose attribute of that name is meant."""
        self.need(self.can.supports_xattrs, "extended attributes")
        space, dot, rest = name.partition(".")
        if space.lower() not in NAMESPACES or not dot or not rest:
            self.fail("HadoopIllegalArgumentException", f"{name!r} has no namespace")
        return self.kept(self.found(path))

    def may_set(self, there: bool, flag: str) -> bool:
        """Whether an attribute that is there or not may be set under that flag."""
        return flag == "both" or there is (flag == "replace")

    # --- ACLs

    def modify_acl(self, path: str, entries: tuple[str, ...]) -> None:
        """Add entries, or change those there are of the same names; the rest stays."""
        kept, access, default = self.listed(path, entries, True)
        self.put(kept, {**acls.access_of(kept), **access}, {**kept.default, **default}, access, default)

    def remove_acl_entries(self, path: str, entries: tuple[str, ...]) -> None:
        """Take entries away; the rest stays. Raises IOException if one of them is required."""
        kept, access, default = self.listed(path, entries, False)
        self.put(
            kept,
            {name: bits for name, bits in acls.access_of(kept).items() if name not in access},
            {name: bits for name, bits in kept.default.items() if name not in default},
            {},
            {},
        )

    def remove_default_acl(self, path: str) -> None:
        """Take all default entries away."""
        self.listed(path, (), True)[0].default = {}

    def remove_acl(self, path: str) -> None:
        """Take all entries away but those of owner, group and others."""
        kept = self.listed(path, (), True)[0]
        base = {name: bits for name, bits in acls.access_of(kept).items() if name in acls.BASE}
        self.put(kept, base, {}, {}, {})

    def set_acl(self, path: str, entries: tuple[str, ...]) -> None:
        """Make these the only entries. Raises IOException unless owner, group and others have theirs."""
        kept, access, default = self.listed(path, entries, True)
        self.put(kept, access, default, access, default)

    def get_acl_status(self, path: str) -> Told:
        """Owner, group and the entries that the permission does not tell of."""
        kept = self.listed(path, (), True)[0]
        return {
            "owner": kept.owner,
            "group": kept.group,
            "sticky": bool(kept.permission & 0o1000),
            "entries": acls.shown(kept),
        }

    def listed(self, path: str, entries: tuple[str, ...], full: bool) -> tuple[Kept, acls.Entries, acls.Entries]:
        """What is kept of a path, and the access and default entries that some texts are."""
        self.need(self.can.supports_acls, "ACLs")
        node = self.found(path)
        try:
            access, default = acls.parse(entries, full)
        except ValueError as error:
            self.fail("HadoopIllegalArgumentException", str(error))
        if default and node.data is not None:
            self.fail("IOException", f"{path} is a file: it has no default ACL")
        return self.kept(node), access, default

    def put(
        self, kept: Kept, access: acls.Entries, default: acls.Entries, new: acls.Entries, new_default: acls.Entries
    ) -> None:
        """Make these the entries of a path, of which some are new. Raises IOException if a required one is missing."""
        try:
            acls.put_access(kept, access, acls.MASK in new)
        except ValueError as error:
            self.fail("IOException", str(error))
        acls.put_default(kept, default, acls.MASK in new_default)

    # --- storage policies and quotas

    def set_storage_policy(self, path: str, policy: str) -> None:
        """Give a path a policy of its own. Raises IOException if there is none of that name."""
        kept = self.stored_by(path)
        if policy not in POLICIES:
            self.fail("IOException", f"there is no storage policy {policy!r}")
        kept.policy = policy

    def unset_storage_policy(self, path: str) -> None:
        """Take away a path's own policy."""
        self.stored_by(path).policy = ""

    def get_storage_policy(self, path: str) -> Told | None:
        """The policy in effect: a path's own, or that of its nearest ancestor that has one. None stands for null."""
        self.stored_by(path)
        return {"name": self.policy_of(self.locate(path)[1])}

    def stored_by(self, path: str) -> Kept:
        """What is kept of a path whose storage policy is meant."""
        self.need(self.can.supports_storage_policies, "storage policies")
        return self.kept(self.found(path))

    def policy_of(self, key: str) -> str:
        """The policy in effect at a key."""
        while True:
            node: Node | None = self.nodes.get(key)
            own = self.kept(node).policy if node is not None else ""
            if own or not key:
                return own or POLICIES[0]
            key = parent_of(key)

    def set_quota(self, path: str, names: int, space: int) -> None:
        """Give a directory quotas, or take them away with -1; only that of names has something refused.

        FileNotFoundException if it is none; IllegalArgumentException for 0 and for other negative numbers.
        """
        self.need(self.can.supports_quotas, "quotas")
        node = self.found(path)
        if node.data is not None:
            self.fail("FileNotFoundException", f"{path} is no directory")
        if any(quota < 1 and quota != -1 for quota in (names, space)):
            self.fail("IllegalArgumentException", f"quotas {names} and {space}")
        kept, self.limited = self.kept(node), True
        kept.quota, kept.space_quota = names, space

    # --- what is not there

    def create_snapshot(self, path: str, name: str) -> NoReturn:
        """Refused."""
        self.fail("UnsupportedOperationException", "createSnapshot")

    def rename_snapshot(self, path: str, old: str, new: str) -> NoReturn:
        """Refused."""
        self.fail("UnsupportedOperationException", "renameSnapshot")

    def delete_snapshot(self, path: str, name: str) -> NoReturn:
        """Refused."""
        self.fail("UnsupportedOperationException", "deleteSnapshot")

    def create_symlink(self, target: str, link: str) -> NoReturn:
        """Refused."""
        self.fail("UnsupportedOperationException", "createSymlink")

    def get_link_target(self, path: str) -> NoReturn:
        """Refused."""
        self.fail("UnsupportedOperationException", "getLinkTarget")

    def supports_symlinks(self) -> bool:
        """No."""
        return False
