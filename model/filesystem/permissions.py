"""Who may do what in a small tree, by the Unix rules for owner, group and others as HDFS has them.

Pure: a tree as a value, users, and calls as words; :class:`Play` says of each call whether it is granted, and what it
leaves. Sources: the paper on HDFS, IV.B; Hadoop's HDFS Permissions Guide, "Permission Checks"; where both are silent,
``FSPermissionChecker`` and the ``FSDir*Op`` classes of Hadoop 3.5.0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

READ, WRITE, EXECUTE = 4, 2, 1
STICKY = 0o1000

ADMIN = "admin"
"""The superuser, who is the client's own user."""
USERS = ("ann", "bob", "eve")
STAFF = "staff"
"""The group of all that is in the tree."""

FILE, INNER, FREE = "d/f", "d/e", "d/e/g"
"""The file, the directory beside it, and the file in that."""
NEW_FILE_MODE, NEW_DIRECTORY_MODE = 0o644, 0o755
"""What is made by a caller whose umask is 022."""
TO_MODES = {"chmod f 640": (FILE, 0o640), "chmod d 777": ("d", 0o777), "chmod d 1777": ("d", 0o1777)}

_READS = {
    "status f": (FILE, 0),
    "status g": (FREE, 0),
    "list d": ("d", READ | EXECUTE),
    "list e": (INNER, READ | EXECUTE),
    "read f": (FILE, READ),
    "read g": (FREE, READ),
    "checksum f": (FILE, READ),
    "replicate f": (FILE, WRITE),
    "times f": (FILE, WRITE),
    "append f": (FILE, WRITE),
    "truncate f": (FILE, WRITE),
}
"""Calls that need permissions of their path alone."""
_MAKES = {"create n": "d/n", "create e/n": "d/e/n", "mkdir m": "d/m", "mkdir e/m": "d/e/m"}
_DELETES = {"delete f": FILE, "delete e": INNER, "delete g": FREE}
_RENAMES = {"rename f": (FILE, "d/r"), "rename f into e": (FILE, "d/e/r"), "rename e": (INNER, "d/q")}
_GIVES = {"chown f": "eve", "chgrp f": STAFF}

CALLS = (*_READS, "overwrite f", "summary d", *_MAKES, *_DELETES, *_RENAMES, *TO_MODES, *_GIVES)
"""All calls, by what they do and to which path."""

TOP_CALLS = ("status f", "list d", "summary d", "create n", "mkdir m", "rename e", "delete f", "chmod d 777")
FILE_CALLS = ("read f", "append f", "times f", "replicate f", "checksum f", "truncate f", "overwrite f", "chmod f 640")
INNER_CALLS = ("list e", "read g", "summary d", "create e/n", "mkdir e/m", "delete g", "rename f into e", "delete e")
"""Calls on which the mode of the directory, of the file or of the directory in it decides; most are independent."""
DELETE_AND_MOVE = (("delete f", "rename e"), ("rename f", "delete e"))

LENGTH, WRITTEN, APPENDED = 3, 2, 4
"""Bytes of files: as they were made, as a call makes them, and added by an append."""


@dataclass(frozen=True, slots=True)
class Owned:
    """A file, or a directory (without a ``length``), with owner, group and mode; ``made`` by one of the calls."""

    owner: str
    mode: int
    length: int | None = None
    made: bool = False
    group: str = STAFF


Tree = dict[str, Owned]


def tree_of(top: Owned, file: Owned, inner: Owned) -> Tree:
    """The tree at the beginning, in a place where everybody may do everything."""
    free = Owned(inner.owner, NEW_FILE_MODE, LENGTH)
    return {"": Owned(ADMIN, 0o777), "d": top, FILE: file, INNER: inner, FREE: free}


def above(path: str) -> str:
    """The parent of a path."""
    return path.rpartition("/")[0]


class Rules:
    """The rules, each by itself: seeded faults and explanations of what a store did override one of them."""

    def granted(self, node: Owned, user: str, members: Collection[str]) -> int:
        """The permissions of a user on a node: those of the first class that the user is in."""
        if user == node.owner:
            return node.mode >> 6 & 7
        return node.mode >> 3 & 7 if user in members else node.mode & 7

    def passes_all(self, user: str) -> bool:
        """Whether the user is asked for no permission."""
        return user == ADMIN

    def needed_to_pass(self) -> int:
        """What is needed of each directory above a path."""
        return EXECUTE

    def needed_of_file(self, wanted: int) -> int:
        """What is needed of a file for a call that needs this of its path."""
        return wanted

    def is_held(self, parent: Owned, node: Owned, user: str) -> bool:
        """Whether a sticky bit keeps the user from moving and deleting a node."""
        return bool(parent.mode & STICKY) and user not in (parent.owner, node.owner)

    def needed_below(self) -> int:
        """What is needed of each directory that isn't empty, in a tree that is deleted."""
        return READ | WRITE | EXECUTE

    def may_change(self, node: Owned, user: str) -> bool:
        """Whether the user, not a superuser, may set mode and group."""
        return user == node.owner

    def owner_of_new(self, user: str) -> str:
        """To whom belongs what a user makes."""
        return user


class OthersOnly(Rules):
    """Everybody is one of the others."""

    def granted(self, node: Owned, user: str, members: Collection[str]) -> int:
        """The permissions of the others."""
        return node.mode & 7


class MostOfAll(Rules):
    """A user has the permissions of all classes that the user is in."""

    def granted(self, node: Owned, user: str, members: Collection[str]) -> int:
        """The permissions of all of these classes."""
        own = node.mode >> 6 & 7 if user == node.owner else 0
        return own | (node.mode >> 3 & 7 if user in members else 0) | node.mode & 7


class NoGroups(Rules):
    """No user is in a group."""

    def granted(self, node: Owned, user: str, members: Collection[str]) -> int:
        """The permissions of the owner or of the others."""
        return super().granted(node, user, ())


class FilesAreExecuted(Rules):
    """What is read or written of a file must be executable too."""

    def needed_of_file(self, wanted: int) -> int:
        """What is wanted and, unless that is nothing, to execute the file."""
        return wanted | EXECUTE if wanted else 0


DONE, DENIED, FAILED = "done", "denied", "failed"
"""What comes of a call; failed is what was refused for another reason than a lack of permission."""
_YES, _NO, _EITHER, _NOT_DONE = (
    frozenset((DONE,)),
    frozenset((DENIED,)),
    frozenset((DONE, DENIED)),
    frozenset((DENIED, FAILED)),
)


class Play:
    """Calls made one after another. ``tree`` is what is there; None once that is not known."""

    def __init__(self, tree: Tree, members: Collection[str], rules: Rules) -> None:
        self.tree: Tree | None = dict(tree)
        self._members, self._rules = members, rules

    def call(self, user: str, call: str) -> frozenset[str]:
        """What may come of a call; what it leaves is in ``tree`` then. ``tree`` must be known."""
        assert self.tree is not None
        if call in _READS:
            return self._use(user, call)
        if call in _MAKES:
            return self._make(user, call, _MAKES[call])
        if call in _DELETES:
            return self._delete(user, _DELETES[call])
        if call in _RENAMES:
            return self._rename(user, *_RENAMES[call])
        if call in TO_MODES:
            return self._change_mode(user, *TO_MODES[call])
        if call in _GIVES:
            return self._give(user, call)
        return self._overwrite(user) if call == "overwrite f" else self._sum_up(user)

    def _has(self, user: str, path: str, wanted: int) -> bool:
        assert self.tree is not None
        node = self.tree[path]
        if node.length is not None:
            wanted = self._rules.needed_of_file(wanted)
        return self._rules.passes_all(user) or not wanted & ~self._rules.granted(node, user, self._members)

    def _reaches(self, user: str, path: str) -> bool:
        assert self.tree is not None
        path = above(path)
        while True:
            if path in self.tree and not self._has(user, path, self._rules.needed_to_pass()):
                return False
            if not path:
                return True
            path = above(path)

    def _may_take_away(self, user: str, path: str) -> bool:
        assert self.tree is not None
        parent = above(path)
        if not self._reaches(user, path) or not self._has(user, parent, WRITE):
            return False
        held = self._rules.is_held(self.tree[parent], self.tree[path], user)
        return self._rules.passes_all(user) or not held

    def _below(self, path: str) -> Iterator[str]:
        assert self.tree is not None
        return (other for other in self.tree if other == path or other.startswith(path + "/"))

    def _put(self, path: str, node: Owned) -> None:
        assert self.tree is not None
        self.tree[path] = node

    def _use(self, user: str, call: str) -> frozenset[str]:
        assert self.tree is not None
        path, wanted = _READS[call]
        if path not in self.tree:
            return _NOT_DONE
        if not self._reaches(user, path) or not self._has(user, path, wanted):
            return _NO
        node = self.tree[path]
        if call == "append f":
            self._put(path, replace(node, length=(node.length or 0) + APPENDED))
        if call == "truncate f":
            self._put(path, replace(node, length=0))
        return _YES

    def _make(self, user: str, call: str, path: str) -> frozenset[str]:
        assert self.tree is not None
        is_file, parent = call.startswith("create"), above(path)
        if path in self.tree:
            return _NOT_DONE if is_file else (_YES if self._reaches(user, path) else _NO)
        if parent not in self.tree:
            # Missing parents would be made: what that asks for is judged where none is missing.
            self.tree = None
            return frozenset((DONE, DENIED, FAILED))
        if not self._reaches(user, path) or not self._has(user, parent, WRITE):
            return _NO
        owner = self._rules.owner_of_new(user)
        mode = NEW_FILE_MODE if is_file else NEW_DIRECTORY_MODE
        self._put(path, Owned(owner, mode, WRITTEN if is_file else None, made=True))
        return _YES

    def _overwrite(self, user: str) -> frozenset[str]:
        assert self.tree is not None
        file, parent = self.tree.get(FILE), self.tree["d"]
        if file is None or (user != file.owner and parent.mode & STICKY):
            # No document says whether a sticky bit keeps a file from being replaced.
            self.tree = None
            return frozenset((DONE, DENIED, FAILED))
        if not self._reaches(user, FILE) or not self._has(user, "d", WRITE) or not self._has(user, FILE, WRITE):
            return _NO
        if user == file.owner:
            self._put(FILE, Owned(user, NEW_FILE_MODE, WRITTEN, made=True))
        else:
            self.tree = None  # to whom it belongs no document says
        return _YES

    def _sum_up(self, user: str) -> frozenset[str]:
        assert self.tree is not None
        directories = [path for path in self._below("d") if self.tree[path].length is None]
        granted = all(self._has(user, path, READ | EXECUTE) for path in directories)
        return _YES if granted and self._reaches(user, "d") else _NO

    def _delete(self, user: str, path: str) -> frozenset[str]:
        assert self.tree is not None
        if path not in self.tree:
            return _NOT_DONE
        if not self._may_take_away(user, path) or not self._may_empty(user, path):
            return _NO
        for gone in list(self._below(path)):
            del self.tree[gone]
        return _YES

    def _may_empty(self, user: str, path: str) -> bool:
        assert self.tree is not None
        if self._rules.passes_all(user):
            return True
        for directory in self._below(path):
            node = self.tree[directory]
            entries = [other for other in self.tree if other and above(other) == directory]
            if node.length is not None or not entries:
                continue
            if not self._has(user, directory, self._rules.needed_below()):
                return False
            if any(self._rules.is_held(node, self.tree[entry], user) for entry in entries):
                return False
        return True

    def _rename(self, user: str, old: str, new: str) -> frozenset[str]:
        assert self.tree is not None
        if old not in self.tree or new in self.tree or above(new) not in self.tree:
            return _NOT_DONE
        if not self._may_take_away(user, old):
            return _NO
        if not self._reaches(user, new) or not self._has(user, above(new), WRITE):
            return _NO
        for path in list(self._below(old)):
            self.tree[new + path[len(old) :]] = self.tree.pop(path)
        return _YES

    def _change_mode(self, user: str, path: str, mode: int) -> frozenset[str]:
        return self._change(user, path, mode=mode)

    def _change(self, user: str, path: str, mode: int | None = None, owner: str | None = None) -> frozenset[str]:
        assert self.tree is not None
        if path not in self.tree:
            return _NOT_DONE
        node, is_admin = self.tree[path], self._rules.passes_all(user)
        if not self._reaches(user, path) or not (is_admin or self._rules.may_change(node, user)):
            return _NO
        self._put(path, replace(node, mode=node.mode if mode is None else mode, owner=owner or node.owner))
        return _YES

    def _give(self, user: str, call: str) -> frozenset[str]:
        assert self.tree is not None
        if self._rules.passes_all(user):
            return self._change(user, FILE, owner="eve" if call == "chown f" else None)
        if FILE not in self.tree:
            return _NOT_DONE
        owner = self.tree[FILE].owner
        if call == "chown f":
            # Giving a file to its owner changes nothing; not all releases let it pass.
            return _EITHER if owner == user == "eve" and self._reaches(user, FILE) else _NO
        return self._change(user, FILE) if user in self._members else _NO
