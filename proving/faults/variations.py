"""Faults that hang on how a path is spelled, how deep it lies, how much there is, by which way and by whom one looks.

Witnesses, ladders and pairs of operations do not meet them: each needs an operation and a turn of it that come together
in a variation of a witness.
"""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.store import FileStatus, Node, last_of

LONG_NAME_BYTES = 200
"""From so many bytes on a name is hashed by a faulty store."""

BUFFER = 4096

DEEP = 4
"""Directories between the program's root and a file that lies deep."""


def _is_long(key: str) -> bool:
    return len(last_of(key).encode()) >= LONG_NAME_BYTES


@seeded("long-name-not-deleted", "a file with a name of 200 bytes or more stays, though delete says True")
class _LongNotDeleted(FullStore):
    def delete(self, path: str, recursive: bool) -> bool:
        return (_is_long(path) and self.holds(path, True)) or super().delete(path, recursive)


@seeded("encoded-name-appended-to-twice", "what is appended to a file with a percent sign in its name is added twice")
class _EncodedTwice(FullStore):
    def append(self, path: str, data: bytes) -> None:
        super().append(path, data * 2 if "%" in last_of(path) else data)


@seeded("page-lost-in-copy", "a copy to a local file loses the last byte of a file of exactly 4,096 bytes")
class _PageLost(FullStore):
    def copy_to_local(self, path: str) -> bytes:
        data = super().copy_to_local(path)
        return data[:-1] if len(data) == BUFFER else data


@seeded("deep-append-replaces", "an append to a file four or more directories down replaces what it holds")
class _DeepReplaces(FullStore):
    def append(self, path: str, data: bytes) -> None:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        if node is not None and node.data and key.count("/") - self.base.count("/") > DEEP:
            node.data = b""
        super().append(path, data)


@seeded("deep-truncate-empties", "a truncate of a file four or more directories down leaves nothing of it")
class _DeepEmpties(FullStore):
    def truncate(self, path: str, length: int) -> bool:
        done = super().truncate(path, length)
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        if node is not None and node.data and key.count("/") - self.base.count("/") > DEEP:
            node.data = b""
        return done


@seeded("repeated-options-lose-overwrite", "a rename whose options name one twice replaces a file that it may not")
class _RepeatedOverwrites(FullStore):
    def rename_with(self, src: str, dst: str, overwrite: bool) -> None:
        super().rename_with(src, dst, overwrite or self.via == "repeated")


@seeded(
    "missing-for-who-looked", "a file that is renamed to a path stays missing for a client that looked there before"
)
class _MissingForWhoLooked(FullStore):
    def reset(self) -> None:
        super().reset()
        self.missed: set[tuple[int, str]] = set()

    def exists(self, path: str) -> bool:
        looked = (self.caller, self.locate(path)[1])
        found = looked not in self.missed and super().exists(path)
        if not found:
            self.missed.add(looked)
        return found

    def get_file_status(self, path: str) -> FileStatus:
        if (self.caller, self.locate(path)[1]) in self.missed:
            self.fail("FileNotFoundException", path)
        return super().get_file_status(path)

    def attach(self, name: str, key: str, node: Node) -> None:
        super().attach(name, key, node)
        self.missed = {(caller, missed) for caller, missed in self.missed if missed != key}

    def move(self, src_key: str, name: str, key: str) -> None:
        others = {look for look in self.missed if look[0] != self.caller}
        super().move(src_key, name, key)
        self.missed |= others


@seeded(
    "listing-kept-by-who-listed", "a client that listed a directory does not see what another's rename took from it"
)
class _ListingKept(FullStore):
    def reset(self) -> None:
        super().reset()
        self.shown: dict[tuple[int, str], list[FileStatus]] = {}
        self.left: dict[str, int] = {}

    def list_status(self, path: str) -> list[FileStatus]:
        key = self.locate(path)[1]
        now = super().list_status(path)
        before = self.shown.setdefault((self.caller, key), now)
        return before if self.left.get(key, self.caller) != self.caller else now

    def move(self, src_key: str, name: str, key: str) -> None:
        super().move(src_key, name, key)
        self.left[src_key.rpartition("/")[0]] = self.caller
