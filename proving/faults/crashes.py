"""Faults that a client's end shows: what is done in several steps, or later than the call says.

Some of them another client sees as well that looks in time.
"""

from __future__ import annotations

from collections.abc import Callable

from fsconform.proving.faults.base import seeded
from fsconform.proving.keeping_store import Told
from fsconform.proving.raced_store import RacedStore
from fsconform.proving.store import ANCESTRY, Node, StoreError, last_of, parent_of

_BESIDE = "_tmp"
_UNSAVED = 3
"""Changes after which a lazy journal is saved."""


@seeded(
    "create-writes-beside",
    "a file is written under another name in the same directory, and renamed once it is whole",
    clause="introduction.atomicity.create",
)
class _WritesBeside(RacedStore):
    def create(self, path: str, data: bytes, overwrite: bool) -> None:
        name, key = self.locate(path)
        if key in self.nodes or type(self.nodes.get(parent_of(key))) is not Node:
            return super().create(path, data, overwrite)
        beside = f"{name}{_BESIDE}", f"{key}{_BESIDE}"
        if beside[1] in self.nodes or self.nodes[parent_of(key)].data is not None:
            return super().create(path, data, overwrite)
        self.attach(*beside, Node(self.stored(data)))
        self.gap()
        if beside[1] in self.nodes:
            self.remove_subtree(beside[1])
        return super().create(path, data, overwrite)


@seeded(
    "append-moves-away",
    "an append moves the file away, and writes it anew with what is added",
    clause="filesystem.append.post",
)
class _MovesAway(RacedStore):
    def append(self, path: str, data: bytes) -> None:
        name, key = self.locate(path)
        node = self.nodes.get(key)
        if node is None or node.data is None or not self.behaviour.supports_append:
            return super().append(path, data)
        self.remove_subtree(key)
        self.gap()
        if key not in self.nodes and parent_of(key) in self.nodes:
            self.attach(name, key, node)
        return super().append(path, data)


@seeded(
    "delete-takes-the-directory-first",
    "a recursive delete takes the directory away first, and its children then",
    clause="filesystem.delete.atomic",
)
class _DirectoryFirst(RacedStore):
    def delete(self, path: str, recursive: bool) -> bool:
        key = self.locate(path)[1]
        node = self.nodes.get(key)
        if not recursive or not key or node is None or not node.names:
            return super().delete(path, recursive)
        for child in sorted(node.names):
            self.remove_subtree(f"{key}/{child}")
            self.gap()
            if key not in self.nodes:
                return True
        self.nodes[parent_of(key)].names.pop(last_of(key), None)
        for one in self.subtree(key):
            self.nodes.pop(one, None)
        return True


@seeded(
    "upload-shows-parts",
    "an upload puts each part where the file is to be, one after the other",
    clause="multipartuploader.complete.post.data",
)
class _ShowsParts(RacedStore):
    def complete_upload(self, path: str, parts: dict[int, bytes]) -> None:
        shown = b""
        for number in sorted(parts)[:-1]:
            shown += parts[number]
            super().complete_upload(path, {1: shown})
            self.gap()
        super().complete_upload(path, parts)


@seeded(
    "unreadable-after-a-failed-append",
    "a file can't be read any more once the server was killed in the middle of an append to it",
    clause="filesystem.open.post",
)
class _LeftOpen(RacedStore):
    def __init__(self, *arguments: object, **named: object) -> None:
        self._left: set[str] = set()
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def reset(self) -> None:
        super().reset()
        self._left.clear()

    def append(self, path: str, data: bytes) -> None:
        key, starts = self.locate(path)[1], self.starts
        try:
            self.gap()
        finally:
            if self.starts != starts and key in self.nodes:
                self._left.add(key)
        super().append(path, data)

    def open(self, path: str) -> bytes:
        if self.locate(path)[1] in self._left:
            raise StoreError(ANCESTRY["IOException"], "the length of its last block is not known")
        return super().open(path)


class _Lazy(RacedStore):
    """A store whose clients do what they said was done with their next call."""

    def __init__(self, *arguments: object, **named: object) -> None:
        self._left: dict[int, list[Callable[[], object]]] = {}
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def reset(self) -> None:
        super().reset()
        self._left.clear()

    def later(self, action: Callable[[], object]) -> None:
        """Leave something to this client's next call."""
        self._left.setdefault(self.caller, []).append(action)

    def catch_up(self) -> None:
        """Do what this client has left."""
        for action in self._left.pop(self.caller, []):
            action()

    def locate(self, path: str) -> tuple[str, str]:
        if self._left:
            self.catch_up()
        return super().locate(path)

    def write(self, stream: str, data: bytes) -> None:
        self.catch_up()
        super().write(stream, data)


@seeded(
    "hflush-with-the-next-call",
    "hflush says that it is done, and saves with the client's next call",
    clause="outputstream.sync.post.visible",
)
class _FlushesLater(_Lazy):
    def sync(self, stream: str, call: str) -> Told:
        self.catch_up()
        if call == "flush":
            return super().sync(stream, call)
        self.later(lambda: super(_FlushesLater, self).sync(stream, call))
        writer = self.writers[stream]
        return {"capability": writer.has_capability(call), "answer": "done", "syncable": writer.syncable}

    def close_writer(self, stream: str) -> Told | None:
        self.catch_up()
        return super().close_writer(stream)


@seeded(
    "close-with-the-next-call",
    "close says that it is done, and saves with the client's next call",
    clause="introduction.consistency.create",
)
class _ClosesLater(_Lazy):
    def close_writer(self, stream: str) -> Told | None:
        self.catch_up()
        if self.via:
            return super().close_writer(stream)
        self.later(lambda: super(_ClosesLater, self).close_writer(stream))
        return None


@seeded(
    "journal-lazy",
    "what changed is saved with every third change: a server that is killed forgets the last ones",
    clause="introduction.consistency.delete",
)
class _LazyJournal(RacedStore):
    def __init__(self, *arguments: object, **named: object) -> None:
        self._unsaved = 0
        self._saved: dict[str, Node] | None = None
        super().__init__(*arguments, **named)  # type: ignore[arg-type]

    def reset(self) -> None:
        super().reset()
        self._saved, self._unsaved = None, 0

    def attach(self, name: str, key: str, node: Node) -> None:
        super().attach(name, key, node)
        self._changed()

    def remove_subtree(self, key: str) -> None:
        super().remove_subtree(key)
        self._changed()

    def _changed(self) -> None:
        self._unsaved += 1
        if self._saved is None or self._unsaved >= _UNSAVED:
            self._saved, self._unsaved = _copied(self.nodes), 0

    def save(self) -> None:
        self._saved, self._unsaved = _copied(self.nodes), 0

    def crash(self) -> None:
        super().crash()
        if self._saved is not None:
            self.nodes.clear()
            self.nodes.update(_copied(self._saved))


def _copied(nodes: dict[str, Node]) -> dict[str, Node]:
    found = {key: Node(node.data) for key, node in nodes.items()}
    for key, node in nodes.items():
        found[key].names, found[key].kept = {**node.names}, node.kept
    return found
