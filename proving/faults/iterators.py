"""Faults of remote iterators, and of what listings tell of their entries."""

from __future__ import annotations

from fsconform.proving.faults.base import seeded
from fsconform.proving.full_store import FullStore
from fsconform.proving.keeping_store import Told
from fsconform.proving.listing import RemoteIterator
from fsconform.proving.store import FileStatus


class _Asking(RemoteIterator):
    asked = False

    def has_next(self) -> bool:
        self.asked = True
        return super().has_next()

    def next(self) -> FileStatus:
        if not self.asked:
            self.store.fail("NoSuchElementException", "hasNext was not called")
        self.asked = False
        return super().next()


@seeded(
    "next-needs-has-next", "next gives nothing unless hasNext was asked", clause="filesystem.remoteIterator.next-alone"
)
class _NeedsHasNext(FullStore):
    iterator = _Asking


class _Skipping(RemoteIterator):
    asked = False

    def has_next(self) -> bool:
        if self.asked:
            self.left = self.left[1:]
        self.asked = True
        return super().has_next()

    def next(self) -> FileStatus:
        self.asked = False
        return super().next()


@seeded("has-next-skips", "hasNext asked twice skips an element", clause="filesystem.remoteIterator.hasNext.repeatable")
class _HasNextSkips(FullStore):
    iterator = _Skipping


class _Promising(RemoteIterator):
    def has_next(self) -> bool:
        return True


@seeded("has-next-always", "hasNext is true when nothing is left", clause="filesystem.remoteIterator.hasNext")
class _HasNextAlways(FullStore):
    iterator = _Promising


class _Ending(RemoteIterator):
    def has_next(self) -> bool:
        return len(self.left) > 1


@seeded(
    "has-next-ends-early", "hasNext is false before the last element", clause="filesystem.remoteIterator.both-loops"
)
class _HasNextEarly(FullStore):
    iterator = _Ending


class _Repeating(RemoteIterator):
    last: FileStatus | None = None

    def next(self) -> FileStatus:
        if self.left or self.last is None:
            self.last = super().next()
        return self.last


@seeded("next-repeats-the-last", "next goes on giving the last element", clause="filesystem.remoteIterator.next.pre")
class _NextRepeats(FullStore):
    iterator = _Repeating


class _Twice(RemoteIterator):
    gave = False

    def next(self) -> FileStatus:
        if self.left and not self.gave:
            self.gave = True
            return self.left[0]
        return super().next()


@seeded("next-gives-twice", "next gives the first element twice", clause="filesystem.remoteIterator.next.post")
class _NextTwice(FullStore):
    iterator = _Twice


class _Unspecific(RemoteIterator):
    def next(self) -> FileStatus:
        if not self.left:
            self.store.fail("IllegalArgumentException", "at the end")
        return super().next()


@seeded(
    "next-ends-otherwise",
    "next at the end raises IllegalArgumentException",
    clause="filesystem.remoteIterator.next.pre",
)
class _NextOtherwise(FullStore):
    iterator = _Unspecific


@seeded("listed-with-other-times", "a listing tells no times", clause="filesystem.listStatus.post.attributes")
class _OtherTimes(FullStore):
    def listed_attributes(self, entry: FileStatus) -> Told:
        return {**super().listed_attributes(entry), "modified": 0}


@seeded("listed-with-other-owner", "a listing tells no owner", clause="filesystem.listStatus.post.attributes")
class _OtherOwner(FullStore):
    def listed_attributes(self, entry: FileStatus) -> Told:
        return {**super().listed_attributes(entry), "owner": "", "group": ""}


@seeded("listed-without-locations", "listFiles gives plain statuses", clause="filesystem.listFiles.post.located")
class _WithoutLocations(FullStore):
    def listed_places(self, entry: FileStatus) -> Told | None:
        return None if self.via == "files" else super().listed_places(entry)


@seeded(
    "listed-with-other-locations",
    "the locations in a listing are none",
    clause="filesystem.listLocatedStatus.post.locations",
)
class _OtherLocations(FullStore):
    def listed_places(self, entry: FileStatus) -> Told | None:
        return self.places([], [])
