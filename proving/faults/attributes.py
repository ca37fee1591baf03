"""Faults of extended attributes, ACLs, storage policies and quotas."""

from __future__ import annotations

from typing import NoReturn

from fsconform.proving import acls
from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Kept, Told
from fsconform.proving.store import Node


@seeded("xattr-create-overwrites", "the flag CREATE replaces a value", clause="filesystem.setXAttr.flag.create")
class _CreateOverwrites(FullStore):
    def may_set(self, there: bool, flag: str) -> bool:
        return flag == "create" or super().may_set(there, flag)


@seeded("xattr-create-silent", "the flag CREATE is silent of a value", clause="filesystem.setXAttr.flag.create")
class _CreateSilent(FullStore):
    def set_xattr(self, path: str, name: str, value: str, flag: str) -> None:
        if flag != "create" or name not in self.attributed(path, name).xattrs:
            super().set_xattr(path, name, value, flag)


@seeded("xattr-create-refused-but-done", "CREATE is refused and replaces", clause="filesystem.setXAttr.flag.create")
class _CreateDone(FullStore):
    def set_xattr(self, path: str, name: str, value: str, flag: str) -> None:
        xattrs = self.attributed(path, name).xattrs
        if name in xattrs:
            xattrs[name] = value
        super().set_xattr(path, name, value, flag)


@seeded("xattr-replace-creates", "the flag REPLACE makes an attribute", clause="filesystem.setXAttr.flag.replace")
class _ReplaceCreates(FullStore):
    def may_set(self, there: bool, flag: str) -> bool:
        return flag == "replace" or super().may_set(there, flag)


@seeded("xattr-both-needs-none", "both flags refuse to replace", clause="filesystem.setXAttr.post")
class _BothNeedsNone(FullStore):
    def may_set(self, there: bool, flag: str) -> bool:
        return super().may_set(there, "create" if flag == "both" else flag)


@seeded("xattr-ignored", "setXAttr does nothing", clause="filesystem.setXAttr.post")
class _XattrIgnored(FullStore):
    def set_xattr(self, path: str, name: str, value: str, flag: str) -> None:
        self.attributed(path, name)


@seeded("xattr-of-missing", "setXAttr of nothing is silent", clause="filesystem.xattrs.pre.exists")
class _XattrMissing(FullStore):
    def set_xattr(self, path: str, name: str, value: str, flag: str) -> None:
        if self.exists(path):
            super().set_xattr(path, name, value, flag)


@seeded("xattrs-of-missing", "a missing path has no attributes, silently", clause="filesystem.xattrs.pre.exists")
class _XattrsMissing(FullStore):
    def get_xattrs(self, path: str) -> Told:
        return super().get_xattrs(path) if self.exists(path) else {"names": (), "values": ()}


@seeded("xattr-any-name", "names need no namespace", clause="filesystem.setXAttr.pre.name")
class _AnyName(FullStore):
    def attributed(self, path: str, name: str) -> Kept:
        return super().attributed(path, name if "." in name else f"user.{name}")


@seeded("xattr-empty-is-none", "an empty value is none", clause="filesystem.getXAttr.post")
class _EmptyIsNone(FullStore):
    def get_xattr(self, path: str, name: str) -> Told | None:
        told = super().get_xattr(path, name)
        return told if told and told["value"] else None


@seeded("xattr-seven-bits", "values lose what is not ASCII", clause="filesystem.getXAttr.post")
class _SevenBits(FullStore):
    def set_xattr(self, path: str, name: str, value: str, flag: str) -> None:
        super().set_xattr(path, name, value.encode("ascii", "replace").decode(), flag)


@seeded("xattrs-first-only", "of several attributes one is shown", clause="filesystem.getXAttrs.post")
class _FirstOnly(FullStore):
    def get_xattrs(self, path: str) -> Told:
        told = super().get_xattrs(path)
        return {name: value[:1] if isinstance(value, tuple) else value for name, value in told.items()}


@seeded("xattrs-list-empty", "listXAttrs shows nothing", clause="filesystem.getXAttrs.post")
class _ListEmpty(FullStore):
    def get_xattrs(self, path: str) -> Told:
        told = super().get_xattrs(path)
        return {"names": (), "values": ()} if self.via == "list" else told


@seeded("xattr-remove-ignored", "removeXAttr leaves the attribute", clause="filesystem.removeXAttr.post")
class _RemoveIgnored(FullStore):
    def remove_xattr(self, path: str, name: str) -> None:
        self.attributed(path, name)


@seeded("xattr-remove-all", "removeXAttr removes all attributes", clause="filesystem.removeXAttr.post")
class _RemoveAll(FullStore):
    def remove_xattr(self, path: str, name: str) -> None:
        super().remove_xattr(path, name)
        self.kept(self.found(path)).xattrs.clear()


@seeded("xattrs-survive", "a file made anew has the attributes of the old one", clause="filesystem.getXAttrs.fresh")
class _Survive(FullStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        node = self.nodes.get(self.locate(path)[1])
        before = node.kept if node is not None else None
        super().create(path, data, overwrite)
        if isinstance(before, Kept):
            self.kept(self.found(path)).xattrs = before.xattrs


@seeded("acl-modify-replaces", "modifyAclEntries drops other entries", clause="filesystem.modifyAclEntries.post")
class _ModifyReplaces(FullStore):
    def modify_acl(self, path: str, entries: tuple[str, ...]) -> None:
        self.remove_acl(path)
        super().modify_acl(path, entries)


@seeded("acl-modify-adds-only", "modifyAclEntries changes no entry", clause="filesystem.modifyAclEntries.post")
class _ModifyAdds(FullStore):
    def put(
        self, kept: Kept, access: acls.Entries, default: acls.Entries, new: acls.Entries, new_default: acls.Entries
    ) -> None:
        super().put(kept, {**access, **kept.access}, {**default, **kept.default}, new, new_default)

    def set_acl(self, path: str, entries: tuple[str, ...]) -> None:
        self.remove_acl(path)
        super().set_acl(path, entries)

    def remove_acl_entries(self, path: str, entries: tuple[str, ...]) -> None:
        kept, access, default = self.listed(path, entries, False)
        kept.access = {name: bits for name, bits in kept.access.items() if name not in access}
        kept.default = {name: bits for name, bits in kept.default.items() if name not in default}
        super().remove_acl_entries(path, entries)

    def remove_acl(self, path: str) -> None:
        kept = self.listed(path, (), True)[0]
        super().remove_acl(path)
        kept.access, kept.default = {}, {}


@seeded("acl-remove-entries-ignored", "removeAclEntries leaves entries", clause="filesystem.removeAclEntries.post")
class _RemoveEntriesIgnored(FullStore):
    def remove_acl_entries(self, path: str, entries: tuple[str, ...]) -> None:
        self.listed(path, entries, False)


@seeded("acl-remove-entries-all", "removeAclEntries removes all entries", clause="filesystem.removeAclEntries.post")
class _RemoveEntriesAll(FullStore):
    def remove_acl_entries(self, path: str, entries: tuple[str, ...]) -> None:
        super().remove_acl_entries(path, entries)
        self.remove_acl(path)


@seeded("acl-remove-default-ignored", "removeDefaultAcl does nothing", clause="filesystem.removeDefaultAcl.post")
class _RemoveDefaultIgnored(FullStore):
    def remove_default_acl(self, path: str) -> None:
        self.listed(path, (), True)


@seeded("acl-remove-default-all", "removeDefaultAcl removes access entries", clause="filesystem.removeDefaultAcl.post")
class _RemoveDefaultAll(FullStore):
    def remove_default_acl(self, path: str) -> None:
        self.remove_acl(path)


@seeded("acl-remove-keeps-default", "removeAcl leaves default entries", clause="filesystem.removeAcl.post")
class _RemoveKeepsDefault(FullStore):
    def remove_acl(self, path: str) -> None:
        default = self.listed(path, (), True)[0].default
        super().remove_acl(path)
        self.kept(self.found(path)).default = default


@seeded("acl-remove-ignored", "removeAcl does nothing", clause="filesystem.removeAcl.post")
class _RemoveIgnoredAcl(FullStore):
    def remove_acl(self, path: str) -> None:
        self.listed(path, (), True)


@seeded("acl-set-merges", "setAcl leaves entries that are not given", clause="filesystem.setAcl.post")
class _SetMerges(FullStore):
    def set_acl(self, path: str, entries: tuple[str, ...]) -> None:
        before = dict(self.listed(path, (), True)[0].access)
        super().set_acl(path, entries)
        kept = self.kept(self.found(path))
        self.put(kept, {**before, **acls.access_of(kept)}, kept.default, {}, {})


@seeded("acl-set-incomplete", "setAcl needs no entries of owner and group", clause="filesystem.setAcl.pre.base")
class _SetIncomplete(FullStore):
    def set_acl(self, path: str, entries: tuple[str, ...]) -> None:
        base = {"user": "user::rwx", "group": "group::r-x", "other": "other::r-x"}
        missing = (text for kind, text in base.items() if not any(one.startswith(f"{kind}::") for one in entries))
        super().set_acl(path, (*entries, *missing))


@seeded("acl-shows-no-permissions", "ACLs show no permissions", clause="filesystem.getAclStatus.post")
class _NoPermissions(FullStore):
    def get_acl_status(self, path: str) -> Told:
        told = super().get_acl_status(path)
        entries = told["entries"]
        assert isinstance(entries, tuple)
        return {**told, "entries": tuple(f"{text[:-3]}---" for text in entries)}


@seeded("acl-of-missing", "a missing path has an empty ACL", clause="filesystem.acls.pre.exists")
class _AclMissing(FullStore):
    def get_acl_status(self, path: str) -> Told:
        if self.exists(path):
            return super().get_acl_status(path)
        return {"owner": "", "group": "", "sticky": False, "entries": ()}


@seeded("acl-default-of-file", "default entries of a file are dropped silently", clause="filesystem.acls.pre.directory")
class _DefaultOfFile(FullStore):
    def modify_acl(self, path: str, entries: tuple[str, ...]) -> None:
        if self.holds(path, True):
            entries = tuple(text for text in entries if not text.startswith("default:"))
        super().modify_acl(path, entries)


@seeded("policy-ignored", "setStoragePolicy does nothing", clause="filesystem.setStoragePolicy.post")
class _PolicyIgnored(FullStore):
    def set_storage_policy(self, path: str, policy: str) -> None:
        super().set_storage_policy(path, policy)
        self.unset_storage_policy(path)


@seeded("policy-any-name", "unknown storage policies are taken", clause="filesystem.setStoragePolicy.pre.known")
class _PolicyAny(FullStore):
    def set_storage_policy(self, path: str, policy: str) -> None:
        self.stored_by(path).policy = policy


@seeded("policy-unset-ignored", "unsetStoragePolicy does nothing", clause="filesystem.unsetStoragePolicy.post")
class _UnsetIgnored(FullStore):
    def unset_storage_policy(self, path: str) -> None:
        self.stored_by(path)


@seeded("policy-unset-needs-one", "unsetting no policy is refused", clause="filesystem.unsetStoragePolicy.post")
class _UnsetNeedsOne(FullStore):
    def unset_storage_policy(self, path: str) -> None:
        if not self.stored_by(path).policy:
            self.fail("IOException", f"{path} has no policy of its own")
        super().unset_storage_policy(path)


@seeded(
    "policy-not-inherited",
    "a directory's policy is not that of what is in it",
    clause="filesystem.getStoragePolicy.inherited",
)
class _NotInherited(FullStore):
    def policy_of(self, key: str) -> str:
        return self.kept(self.nodes[key]).policy or "HOT"


@seeded("policy-of-missing", "a missing path has the default policy", clause="filesystem.storage-policies.pre.exists")
class _PolicyMissing(FullStore):
    def get_storage_policy(self, path: str) -> Told | None:
        return super().get_storage_policy(path) if self.exists(path) else {"name": "HOT"}


@seeded("quota-of-missing", "a quota of nothing is taken", clause="filesystem.setQuota.pre.directory")
class _QuotaMissing(FullStore):
    def set_quota(self, path: str, names: int, space: int) -> None:
        if self.exists(path):
            super().set_quota(path, names, space)


@seeded("quota-zero", "a quota of 0 is taken", clause="filesystem.setQuota.pre.value")
class _QuotaZero(FullStore):
    def set_quota(self, path: str, names: int, space: int) -> None:
        super().set_quota(path, names or -1, space or -1)


@seeded("quota-not-removed", "-1 leaves a quota as it is", clause="filesystem.setQuota.post")
class _QuotaStays(FullStore):
    def set_quota(self, path: str, names: int, space: int) -> None:
        node: Node | None = self.nodes.get(self.locate(path)[1])
        before = self.kept(node).quota if node is not None else -1
        super().set_quota(path, names, space)
        if names == -1:
            self.kept(self.found(path)).quota = before


@seeded("quota-not-kept", "more names than a quota allows are made", clause="filesystem.setQuota.names")
class _QuotaNotKept(FullStore):
    def admit(self, keys: list[str], leaving: str | None = None) -> None:
        pass


@seeded("snapshot-of-missing", "a snapshot of nothing fails otherwise", clause="introduction.failures.unsupported")
class _SnapshotMissing(FullStore):
    def create_snapshot(self, path: str, name: str) -> NoReturn:
        self.fail("NullPointerException", path)


@seeded("symlinks-claimed", "links are said to be supported, and refused", clause="filesystem.supportsSymlinks")
class _LinksClaimed(FullStore):
    def supports_symlinks(self) -> bool:
        return True
