"""What each command of an audit log tells: what must have been so for the call to succeed, and what is so after it.

Each function goes from a tree to the trees that are possible after the call; to none if it can't have succeeded.
Source: Hadoop 3.5.0, FSNamesystem and the classes FSDir...Op; docs/how-to-recheck.md says it in words. Commands that
tell nothing of the namespace have no meaning here: listStatus and getfileinfo are logged as allowed of paths that do
not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fsconform.engine.audit.lines import Entry, Names
from fsconform.engine.audit.tree import (
    A_FILE,
    A_LINK,
    ABSENT,
    DIRECTORY,
    EXISTS,
    FILE,
    LINK,
    PERHAPS_SILENT,
    SURELY_ABSENT,
    UNKNOWN_ROOT,
    Node,
    Shape,
    only,
)

Trees = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What the one who knows the cluster may rule out; the fewer, the less can be told and the less goes wrong.

    ``no_path_handles``: nobody opens files by a PathHandle, which logs ``open`` of files that are gone, too.
    ``no_half_done_calls``: no call failed after it had made parent directories.
    ``clients_in_order``: one user, address and port is one client that waits for each answer.
    ``from_empty``: the namespace was formatted when the log began.
    ``in_flight``: how many calls the NameNode works on at once, at most.
    """

    no_path_handles: bool = False
    no_half_done_calls: bool = False
    clients_in_order: bool = False
    from_empty: bool = False
    in_flight: int = 10


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILE_ONLY = frozenset(("append", "truncate", "setReplication", "isFileClosed"))
DIRECTORY_ONLY = _words(
    "setQuota setSpaceQuota clearQuota clearSpaceQuota allowSnapshot disallowSnapshot createSnapshot "
    "createEncryptionZone setErasureCodingPolicy unsetErasureCodingPolicy"
)
EXISTING = _words(
    "setPermission setOwner setTimes setAcl modifyAclEntries removeAclEntries removeDefaultAcl removeAcl "
    "getAclStatus setXAttr removeXAttr setStoragePolicy unsetStoragePolicy satisfyStoragePolicy "
    "contentSummary quotaUsage checkAccess"
)
CHANGING = frozenset(("create", "mkdirs", "delete", "rename", "concat", "createSymlink", "fsck", ""))
TELLING = FILE_ONLY | DIRECTORY_ONLY | EXISTING | CHANGING | {"open"}
SILENT = _words(
    "listStatus getfileinfo listOpenFiles getEZForPath listEncryptionZones getErasureCodingPolicy "
    "getErasureCodingPolicies getErasureCodingCodecs getXAttrs listXAttrs renameSnapshot deleteSnapshot "
    "computeSnapshotDiff listSnapshottableDirectory ListSnapshot getDelegationToken renewDelegationToken "
    "cancelDelegationToken metaSave datanodeReport getDatanodeStorageReport slowDataNodesReport saveNamespace "
    "finalizeUpgrade refreshNodes setBalancerBandwidth rollEditLog queryRollingUpgrade startRollingUpgrade "
    "finalizeRollingUpgrade addCacheDirective modifyCacheDirective removeCacheDirective listCacheDirectives "
    "addCachePool modifyCachePool removeCachePool listCachePools addErasureCodingPolicies "
    "removeErasureCodingPolicy enableErasureCodingPolicy disableErasureCodingPolicy "
    "getECTopologyResultForPolicies listReencryptionStatus startreencryption cancelreencryption safemode_get "
    "safemode_enter safemode_leave safemode_force_exit restoreFailedStorage checkSuperuserPrivilege"
)
"""Commands that are known and tell nothing of the namespace."""

_RESERVED, _RAW, _SNAPSHOT = ".reserved", "raw", ".snapshot"


def resolved(path: Names) -> Names | None:
    """The path in the namespace that a path of the log means; None for an inode's number or a snapshot."""
    if path[:1] == (_RESERVED,):
        path = path[2:] if path[1:2] == (_RAW,) else (_SNAPSHOT,)
    return None if _SNAPSHOT in path else path


def by_inode(path: Names) -> bool:
    """Whether a path names its place by an inode's number, which may be anywhere."""
    return path[:1] == (_RESERVED,) and path[1:2] != (_RAW,)


def tells(entry: Entry) -> bool:
    """Whether an entry says anything of the namespace: a call that was refused does not, whoever refused it."""
    return entry.allowed and entry.command in TELLING


class Effects:
    """The meaning of entries under given assumptions."""

    def __init__(self, assumptions: Assumptions) -> None:
        self.shape = Shape(SURELY_ABSENT if assumptions.no_half_done_calls else PERHAPS_SILENT)
        self._open = FILE if assumptions.no_path_handles else 0
        self._start = Node(DIRECTORY, True) if assumptions.from_empty else UNKNOWN_ROOT

    def start(self) -> Node:
        """What is known when the log begins."""
        return self._start

    def apply(self, root: Node, entry: Entry) -> Trees:
        """The trees that are possible after the call that an entry tells of; none if it can't have been."""
        command = entry.command
        if not command:
            return (UNKNOWN_ROOT,)
        if any(map(by_inode, entry.paths)):
            return (UNKNOWN_ROOT,) if command in CHANGING else (root,)
        places = [resolved(path) for path in entry.sources]
        sources = tuple(place for place in places if place is not None)
        if len(sources) < len(places) or not sources:
            return (root,)  # what is in a snapshot can't be changed
        if command == "rename":
            return self._rename(root, sources[0], entry)
        if command == "concat":
            return self._concat(root, sources, entry)
        after = self._of_one(root, sources[0], command)
        return () if after is None else (after,)

    def _of_one(self, root: Node, path: Names, command: str) -> Node | None:
        changed = self.shape.changed
        match command:
            case "open":
                return changed(root, path, only(self._open)) if self._open else root
            case "create":
                return changed(root, path, _becomes(ABSENT | FILE, A_FILE), make=True) if path else None
            case "mkdirs":
                return changed(root, path, lambda node: self.shape.directory(node, True), make=True)
            case "createSymlink":
                return changed(root, path, _becomes(ABSENT, A_LINK), make=True) if path else None
            case "delete":
                return changed(root, path, _becomes(EXISTS, self.shape.gone)) if path else None
            case "fsck":
                return self.shape.forgotten(root, path)
        mask = FILE if command in FILE_ONLY else DIRECTORY if command in DIRECTORY_ONLY else EXISTS
        return changed(root, path, only(mask))

    def _rename(self, root: Node, src: Names, entry: Entry) -> Trees:
        dst = resolved(entry.target) if entry.target is not None else None
        if dst is None or not src:
            return ()
        known = self.shape.changed(root, src, only(EXISTS))
        if known is None:
            return ()
        if entry.options is None:
            return tuple(self._moved_plainly(known, src, dst))
        return tuple(self._moved_by_options(known, src, dst, entry.options))

    def _moved_plainly(self, root: Node, src: Names, dst: Names) -> Iterable[Node]:
        """rename(src, dst): into a directory that is there; of a file onto itself nothing happens."""
        changed = self.shape.changed
        if src == dst:
            same = changed(root, src, only(FILE | LINK))
            if same is not None:
                yield same
            return
        if dst[: len(src)] == src:
            return
        free = changed(root, dst, only(ABSENT)) if dst else None
        if free is not None:
            yield from self._move(free, src, dst)
        into = changed(root, dst, only(DIRECTORY))
        place = (*dst, src[-1])
        if into is not None and place == src:
            yield into
        elif into is not None and (free := changed(into, place, only(ABSENT))) is not None:
            yield from self._move(free, src, place)

    def _moved_by_options(self, root: Node, src: Names, dst: Names, options: frozenset[str]) -> Iterable[Node]:
        """rename(src, dst, options): onto what is there, if OVERWRITE says so and both are of a kind."""
        changed = self.shape.changed
        if not dst or dst[: len(src)] == src:
            return
        free = changed(root, dst, only(ABSENT))
        if free is not None:
            yield from self._move(free, src, dst)
        if options <= {"NONE", "TO_TRASH"}:
            return
        for kinds in (FILE | LINK, DIRECTORY):
            alike = changed(root, src, only(kinds))
            over = (
                changed(alike, dst, self._empty if kinds == DIRECTORY else only(kinds)) if alike is not None else None
            )
            if over is not None:
                yield from self._move(over, src, dst)

    def _empty(self, node: Node) -> Node | None:
        directory = node.as_only(DIRECTORY)
        return None if directory is None or self.shape.empty_for_sure_not(directory) else directory

    def _move(self, root: Node, src: Names, dst: Names) -> Iterable[Node]:
        moved = self.shape.at(root, src)
        left = self.shape.changed(root, src, lambda node: self.shape.gone)
        after = self.shape.changed(left, dst, lambda node: moved) if left is not None else None
        if after is not None:
            yield after

    def _concat(self, root: Node, sources: tuple[Names, ...], entry: Entry) -> Trees:
        """The sources are files beside the target, and go into it."""
        target = resolved(entry.target) if entry.target is not None else None
        if not target or len({*sources, target}) <= len(sources):
            return ()
        after: Node | None = self.shape.changed(root, target, only(FILE))
        for source in sources:
            if after is not None and source[:-1] == target[:-1]:
                after = self.shape.changed(after, source, _becomes(FILE, self.shape.gone))
            else:
                return ()
        return (after,) if after is not None else ()


def _becomes(mask: int, after: Node) -> Callable[[Node], Node | None]:
    return lambda node: after if node.kinds & mask else None
