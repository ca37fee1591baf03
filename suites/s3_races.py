"""The suite of races on an object store: pairs of requests at once on some beginnings, and watched changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from fsconform.engine.histories.concurrent import Concurrent
from fsconform.model.core import content
from fsconform.model.objects import operations as ops
from fsconform.model.objects.operations import ANY, LATEST, OTHER, Program, Request
from fsconform.suites.race_rows import Once, Pair

_OLD, _NEW, _PART, _OTHER, _ANOTHER = (content.of(seed, size) for seed, size in enumerate((3, 5, 7, 9, 11), 1))

_OBJECT: Program = (ops.PutObject("a", _OLD, meta="old"),)
_UPLOAD: Program = (ops.CreateMultipartUpload("a", "part"), ops.UploadPart(1, 1, _PART))
_VERSIONS = ops.PutBucketVersioning("Enabled")

BEGINNINGS: dict[str, Program] = {
    "nothing": (),
    "an object": _OBJECT,
    "two objects": (*_OBJECT, ops.PutObject("b", _OTHER)),
    "an upload": _UPLOAD,
    "an object and an upload": (*_OBJECT, *_UPLOAD),
    "a key below": (ops.PutObject("p/a", _OLD),),
    "versions": (_VERSIONS, *_OBJECT, ops.PutObject("b", _OTHER)),
    "versions and an upload": (_VERSIONS, *_OBJECT, ops.PutObject("b", _OTHER), *_UPLOAD),
}
"""What is there before the lanes begin, by what a reader calls it."""

CHANGING: dict[str, Request] = {
    "put": ops.PutObject("a", _NEW, meta="new"),
    "put if none": ops.PutObject("a", _NEW, if_none_match=ANY),
    "put if match": ops.PutObject("a", _NEW, LATEST),
    "put if other": ops.PutObject("a", _NEW, OTHER),
    "put b": ops.PutObject("b", _NEW),
    "put c": ops.PutObject("c", _NEW),
    "put below": ops.PutObject("p/b", _NEW),
    "delete": ops.DeleteObject("a"),
    "delete below": ops.DeleteObject("p/a"),
    "delete both": ops.DeleteObjects(("a", "b")),
    "copy to b": ops.CopyObject("a", "b"),
    "copy here": ops.CopyObject("b", "a"),
    "complete": ops.CompleteMultipartUpload(1, ("1",)),
    "complete if none": ops.CompleteMultipartUpload(1, ("1",), "", ANY),
    "complete if match": ops.CompleteMultipartUpload(1, ("1",), LATEST),
    "upload part": ops.UploadPart(1, 1, _OTHER),
    "abort": ops.AbortMultipartUpload(1),
    "delete version": ops.DeleteObject("a", 1),
}
"""Requests that change something, by what a reader calls them."""

LOOKING: dict[str, Request] = {
    "get": ops.GetObject("a"),
    "get range": ops.GetObject("a", "bytes=1-2"),
    "get if match": ops.GetObject("a", if_match=LATEST),
    "head": ops.HeadObject("a"),
    "list": ops.ListObjectsV2(),
    "list by directory": ops.ListObjectsV2("", "/"),
    "list by pages": ops.ListObjectsV2("", "", 1),
    "get version": ops.GetObject("a", version=1),
    "list versions": ops.ListObjectVersions(),
    "list uploads": ops.ListMultipartUploads("a"),
    "list parts": ops.ListParts(1),
}
"""Requests that look, by what a reader calls them."""

REQUESTS: dict[str, Request] = CHANGING | LOOKING

LOOKS = 6
"""How often a client looks while another one changes something: before, meanwhile, and afterwards."""

MOVES = 8
"""Ways in which the lanes of one round's programs are moved against each other."""

_NEEDS_OBJECT = ("put if match", "complete if match", "get range", "get if match")
_OF_UPLOADS = (
    *("complete", "complete if none", "complete if match", "upload part", "abort"),
    *("list uploads", "list parts"),
)
_OF_VERSIONS = ("delete version", "get version", "list versions")
_BELOW = ("put below", "delete below")


def fits(beginning: str, name: str) -> bool:
    """Whether a request has something to do with a beginning."""
    made = BEGINNINGS[beginning]
    has_object = ops.PutObject in map(type, made) and beginning != "a key below"
    if beginning == "a key below":
        return name in _BELOW or name in ("list", "list by directory", "list by pages", "put")
    if name == "put c":
        return beginning == "two objects"
    if name in _BELOW or (name in _NEEDS_OBJECT and not has_object):
        return False
    if name in _OF_UPLOADS:
        return any(isinstance(one, ops.CreateMultipartUpload) for one in made)
    if name in _OF_VERSIONS:
        return _VERSIONS in made
    return name != "copy here" or ops.PutObject("b", _OTHER) in made


def ending(beginning: str) -> Program:
    """The looks at the store once all lanes are done."""
    made = BEGINNINGS[beginning]
    keys = ("p/a", "p/b", "a") if beginning == "a key below" else ("a", "b")
    found: list[Request] = [*map(ops.GetObject, keys), *map(ops.HeadObject, keys[:1]), ops.ListObjectsV2()]
    if any(isinstance(one, ops.CreateMultipartUpload) for one in made):
        found += [ops.ListMultipartUploads("a"), ops.ListParts(1)]
    if _VERSIONS in made:
        found.append(ops.ListObjectVersions())
    return tuple(found)


def _of_another(request: Request) -> Request:
    """The request with other content: of two that are alike nobody could say which one it was."""
    if isinstance(request, ops.PutObject | ops.UploadPart):
        return replace(request, content=_ANOTHER)
    return request


@dataclass(frozen=True, slots=True)
class Cell(Pair):
    """A cell of the matrix: two requests that begin at once."""

    @property
    def program(self) -> Concurrent[Request]:
        """The cell as a program."""
        lanes = ((REQUESTS[self.first],), (_of_another(REQUESTS[self.second]),))
        return Concurrent(BEGINNINGS[self.beginning], lanes, (0, 0), ending(self.beginning))


@dataclass(frozen=True, slots=True)
class Watch(Pair):
    """What another client sees of the first request, a change: it makes the second, a look, again and again."""

    @property
    def watches(self) -> bool:
        """It looks again and again."""
        return True

    @property
    def program(self) -> Concurrent[Request]:
        """The watch as a program whose lanes begin at once."""
        lanes = ((REQUESTS[self.first],), (REQUESTS[self.second],) * LOOKS)
        return Concurrent(BEGINNINGS[self.beginning], lanes, (0, 0))


@dataclass(frozen=True, slots=True)
class Several(Once):
    """Lanes of several requests each, by their names."""

    beginning: str
    lanes: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def program(self) -> Concurrent[Request]:
        """The lanes as a program in which they begin at once."""
        first, *others = self.lanes
        lanes = (_named(first), *(tuple(map(_of_another, _named(lane))) for lane in others))
        return Concurrent(BEGINNINGS[self.beginning], lanes, (0,) * len(lanes), ending(self.beginning))

    @property
    def pair(self) -> tuple[str, str]:
        """The names of what its lanes do."""
        first, second = (", then ".join(lane) for lane in self.lanes)
        return first, second


def _named(lane: tuple[str, ...]) -> Program:
    return tuple(REQUESTS[name] for name in lane)


def cells() -> Iterator[Cell]:
    """Every pair of changing requests, and every changing one beside every looking one, on every beginning."""
    for beginning in BEGINNINGS:
        names = [name for name in CHANGING if fits(beginning, name)]
        looks = [name for name in LOOKING if fits(beginning, name)]
        for number, first in enumerate(names):
            for second in (*names[number:], *looks):
                yield Cell(beginning, first, second)


def watches() -> Iterator[Watch]:
    """Every changing request, watched by every looking one, on every beginning."""
    for beginning, change, look in product(BEGINNINGS, CHANGING, LOOKING):
        if fits(beginning, change) and fits(beginning, look):
            yield Watch(beginning, change, look)


SEVERAL: tuple[Several, ...] = (
    Several("nothing", (("put", "get", "put"), ("put b", "list", "delete"))),
    Several("nothing", (("put", "list"), ("put b", "list"))),
    Several("nothing", (("put if none", "delete"), ("put if none", "delete"))),
    Several("nothing", (("put if none", "put if match"), ("put if none", "put"))),
    Several("an object", (("put if match", "put if match"), ("put if match", "put if match"))),
    Several("an object", (("put", "delete", "put"), ("get", "head", "list"))),
    Several("an object", (("delete", "list"), ("put b", "head"))),
    Several("two objects", (("copy to b", "copy here"), ("copy here", "copy to b"))),
    Several("two objects", (("delete both", "put b"), ("put", "list", "get"))),
    Several("an object and an upload", (("complete", "get"), ("put", "get"))),
    Several("an object and an upload", (("upload part", "complete"), ("upload part", "complete"))),
    Several("an upload", (("abort", "list uploads"), ("complete", "get"))),
    Several("a key below", (("put below", "delete below"), ("list by directory", "list by directory"))),
    Several("versions", (("put", "delete", "put"), ("put", "list versions", "get"))),
)
"""Lanes of several requests, in which one client sees in another order than the other what both do."""


def planned(seed: int, number: int) -> tuple[tuple[Cell | Watch | Several, int], ...]:
    """So many programs in an order that the seed decides, each with the number by which its lanes are moved.

    Each comes once before one comes again, moved otherwise then.
    """
    rows: list[Cell | Watch | Several] = [*cells(), *watches(), *SEVERAL]
    Random(f"s3-races/{seed}").shuffle(rows)
    return tuple((rows[place % len(rows)], place % len(rows) % MOVES + place // len(rows)) for place in range(number))
