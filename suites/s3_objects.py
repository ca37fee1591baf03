"""Objects of a store that speaks S3's protocol: what is tried, in bounded enumerations and at random.

Each program makes something and then asks for all that follows from it: a battery of listings and reads.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from fsconform.model.core import content as contents
from fsconform.model.objects import operations as ops
from fsconform.model.objects.operations import ANY, LATEST, OTHER, Program, Request

KEYS = ("a", "a/", "a/b", "a/b/c", "a-", "b")
"""One key is the beginning of another, with and without a slash; ``-`` comes before a slash in the order of keys."""

SPICE = (
    "a//b",
    "/a",
    "a b",
    "a+b",
    "a%2Fb",
    "a&<\"'>",
    "\u00e9",
    "e\u0301",
    "\U0001f5ff",
    "\uffee",
    "a\\b",
    "a*?",
    "_temporary/0",
    "x" * 255,
    "y" * 256,
    "/".join(["z" * 200] * 5),
    "k" * ops.LONGEST_KEY,
    "k" * (ops.LONGEST_KEY + 1),
)
"""Keys that S3 takes and that a store which keeps them as files may stumble over; the last one is too long."""

SIZES = (0, 1, 5, 4096, 65537)

RANGES = (
    *("bytes=0-0", "bytes=0-", "bytes=1-3", "bytes=4-4", "bytes=4-99", "bytes=5-", "bytes=99-", "bytes=0-4"),
    *("bytes=0-99", "bytes=-1", "bytes=-5", "bytes=-99", "bytes=-0"),
)


@dataclass(frozen=True, slots=True)
class Group:
    """One source of programs. ``programs`` gives them from a seed; a ``whole`` group is run to its end, of others so
    many as the effort asks for. ``bound`` is the number of its programs, 0 where there is no end of them.
    """

    name: str
    programs: Callable[[int], Iterator[Program]]
    whole: bool = False
    bound: int = 0


@dataclass(frozen=True, slots=True)
class ObjectSuite:
    """A suite of programs on objects."""

    name: str
    statement: str
    groups: tuple[Group, ...] = field(default=())


def reads(keys: tuple[str, ...]) -> Program:
    """Ask for each key, and read it."""
    return tuple(kind(key) for key in keys for kind in (ops.HeadObject, ops.GetObject))


def listings(keys: tuple[str, ...]) -> Program:
    """List the keys by each prefix that is a key, or a beginning of one up to a slash, whole and in pages."""
    prefixes = dict.fromkeys(
        ["", *(key[: index + 1] for key in keys for index, char in enumerate(key) if char == "/"), *keys]
    )
    found: list[Request] = []
    for prefix, delimiter in itertools.product(prefixes, ("", "/")):
        found.append(ops.ListObjectsV2(prefix, delimiter))
    for most, delimiter in itertools.product((1, 2), ("", "/")):
        found.append(ops.ListObjectsV2("", delimiter, most))
    for after, delimiter in itertools.product(keys, ("", "/")):
        found.append(ops.ListObjectsV2("", delimiter, 0, after))
    return tuple(found)


def _put(key: str, seed: int = 1, size: int = 3) -> ops.PutObject:
    return ops.PutObject(key, contents.of(seed, size))


def _witnesses(seed: int) -> Iterator[Program]:
    """Programs that decide one clause each."""
    put, five = _put("a"), ops.PutObject("a", contents.of(1, 5))
    yield from _upload_witnesses()
    yield from _version_witnesses()
    for size, asked in itertools.product((0, 1, 5), RANGES):
        yield (_put("a", 1, size), ops.GetObject("a", asked))
    for kind in (ops.GetObject, ops.HeadObject):
        yield (kind("a"),)
        for condition in (LATEST, OTHER, ANY):
            yield (put, kind("a", if_match=condition))
            yield (put, kind("a", if_none_match=condition))
    for digest in ("right", "wrong"):
        yield (ops.PutObject("a", contents.of(1, 5), digest=digest), ops.GetObject("a"))
    yield (five, ops.PutObject("a", contents.of(2, 5), digest="wrong"), ops.GetObject("a"))
    yield (ops.PutObject("a", meta="some words"), ops.HeadObject("a"), _put("a"), ops.HeadObject("a"))
    yield (ops.PutObject("a", meta="one"), ops.CopyObject("a", "b"), ops.HeadObject("b"))
    yield (ops.PutObject("a", meta="one"), ops.CopyObject("a", "b", meta="two"), ops.HeadObject("b"))
    yield (ops.PutObject("a", meta="one"), ops.CopyObject("a", "a", meta="two"), ops.HeadObject("a"))
    yield (put, ops.CopyObject("a", "b"), ops.PutObject("a", contents.of(2, 9)), *reads(("a", "b")))
    yield (put, ops.PutObject("a", contents.of(2, 9), "", ANY), *reads(("a",)))
    yield (ops.PutObject("a", contents.of(2, 9), "", ANY), *reads(("a",)))
    yield (put, ops.ListObjectsV2("a//"), ops.ListObjectsV2("a//", "/"))
    for condition in (LATEST, OTHER):
        yield (put, ops.PutObject("a", contents.of(2, 9), condition), *reads(("a",)))
        yield (put, ops.DeleteObject("a"), ops.PutObject("a", contents.of(2, 9), condition), *reads(("a",)))
        yield (put, ops.DeleteObject("a", 0, condition), *reads(("a",)))
    for key in SPICE[:-1]:
        for versions in ((), (ops.PutBucketVersioning("Enabled"),)):
            yield (*versions, put, ops.DeleteObjects(("a", key)), *reads(("a",)))
    for key in SPICE:
        yield (_put(key), *reads((key,)), ops.ListObjectsV2(), ops.ListObjectsV2("", "/"), ops.DeleteObject(key))
        yield (_put("a"), ops.CopyObject("a", key), *reads((key,)), ops.DeleteObjects((key,)), ops.ListObjectsV2())
    yield (put, _put("b"), ops.DeleteObjects(("a", "b", "c")), ops.ListObjectsV2())
    yield (put, _put("b"), ops.DeleteObjects(("a", "c"), True), ops.ListObjectsV2())
    yield (put, _put("a/b"), ops.DeleteObject("a"), *reads(("a", "a/b")), ops.ListObjectsV2())
    many = tuple(_put(f"{number:02}/x", number) for number in range(12))
    for most, delimiter in itertools.product((1, 5, 6, 12, 13), ("", "/")):
        yield (*many, ops.ListObjectsV2("", delimiter, most), ops.ListObjectsV2("0", delimiter, most, "03"))


def _version_witnesses() -> Iterator[Program]:
    on, off = ops.PutBucketVersioning("Enabled"), ops.PutBucketVersioning("Suspended")
    put, other, gone = _put("a", 1), _put("a", 2, 5), ops.DeleteObject("a")
    listed = (ops.ListObjectVersions(), ops.ListObjectsV2())
    yield (on, put, other, *(ops.GetObject("a", version=number) for number in (0, 1, 2)), *listed)
    yield (on, put, gone, *reads(("a",)), ops.GetObject("a", version=2), ops.GetObject("a", version=1), *listed)
    yield (on, put, gone, gone, *reads(("a",)), *listed)
    yield (on, put, gone, ops.DeleteObject("a", 2), *reads(("a",)), *listed)
    yield (on, put, other, ops.DeleteObject("a", 1), ops.GetObject("a", version=1), *reads(("a",)), *listed)
    yield (on, put, other, ops.CopyObject("a", "a", 1), *reads(("a",)), *listed)
    yield (put, on, other, off, _put("a", 3, 7), gone, *reads(("a",)), *listed)
    yield (on, put, ops.DeleteObjects(("a", "b")), *reads(("a",)), *listed)
    yield (on, _put("a/b"), ops.DeleteObject("a/b"), ops.ListObjectsV2("", "/"), ops.ListObjectsV2("a/", "/"), *listed)
    yield (on, put, gone, _put("a/b"), *reads(("a/b",)), ops.ListObjectsV2("a/"), ops.ListObjectsV2("", "/"), *listed)
    yield (on, put, _put("a/b"), ops.DeleteObjects(("a/b/c", "a")), ops.ListObjectVersions("", "/", 1), *listed)
    yield (on, _put("a/"), *reads(("a/",)), *listed)
    yield (_put("a/"), on, ops.DeleteObject("a/"), *reads(("a/",)), *listed)
    many = tuple(_put(key, number) for number in (1, 2) for key in ("a", "a/b", "b/c"))
    for prefix, delimiter, most in itertools.product(("", "a"), ("", "/"), (0, 1, 2)):
        yield (on, *many, ops.DeleteObject("b/c"), ops.ListObjectVersions(prefix, delimiter, most))


def _large_parts(seed: int) -> Iterator[Program]:
    """Uploads of more than one part: all but the last must be of 5 MiB."""
    begin, one, two = ops.CreateMultipartUpload("a"), contents.of(3, ops.SMALLEST_PART), contents.of(4, 7)
    parts = (ops.UploadPart(1, 1, one), ops.UploadPart(1, 2, two))
    after = (ops.GetObject("a"), ops.HeadObject("a"), ops.ListObjectsV2(), ops.ListMultipartUploads())
    whole = ops.CompleteMultipartUpload(1, ("1", "2"))
    yield (begin, *parts, ops.ListParts(1), ops.HeadObject("a"), whole, *after, ops.ListParts(1))
    yield (begin, *parts, whole, ops.GetObject("a", f"bytes={ops.SMALLEST_PART - 2}-{ops.SMALLEST_PART + 1}"))
    yield (begin, *reversed(parts), whole, *after)
    yield (begin, *parts, ops.CompleteMultipartUpload(1, ("1",)), *after)
    yield (begin, *parts, ops.CompleteMultipartUpload(1, ("2", "1")), whole, *after)


def _upload_witnesses() -> Iterator[Program]:
    begin, two = ops.CreateMultipartUpload("a"), contents.of(4, 7)
    after = (ops.GetObject("a"), ops.HeadObject("a"), ops.ListObjectsV2(), ops.ListMultipartUploads())
    whole = ops.CompleteMultipartUpload(1, ("1", "2"))
    yield (begin, ops.UploadPart(1, 1, two), ops.UploadPart(1, 2, two), whole, *after)
    yield (begin, ops.UploadPart(1, 1, two), ops.UploadPart(1, 1, contents.of(5, 9)), ops.ListParts(1))
    yield (begin, *(ops.UploadPart(1, number, two) for number in (3, 1, 10)), ops.ListParts(1), ops.ListParts(1, 1))
    for number in (0, 10_000, 10_001):
        yield (begin, ops.UploadPart(1, number, two), ops.ListParts(1))
    for parts_told in (("1!",), ("2",), ("1", "1"), ()):
        yield (begin, ops.UploadPart(1, 1, two), ops.CompleteMultipartUpload(1, parts_told), *after)
    slash = (ops.CreateMultipartUpload("a/"), ops.UploadPart(1, 1, two), ops.CompleteMultipartUpload(1, ("1",)))
    yield (*slash, *reads(("a/",)), ops.ListObjectsV2())
    yield (begin, ops.AbortMultipartUpload(1), ops.UploadPart(1, 1, two), ops.ListParts(1))
    yield (begin, ops.AbortMultipartUpload(1), ops.AbortMultipartUpload(1))
    yield (
        _put("a"),
        begin,
        ops.UploadPart(1, 1, two),
        ops.GetObject("a"),
        ops.CompleteMultipartUpload(1, ("1",)),
        *after,
    )
    yield (
        ops.CreateMultipartUpload("a", "some words"),
        ops.UploadPart(1, 1, two),
        ops.CompleteMultipartUpload(1, ("1",)),
        *after,
    )
    for match, none_match in ((LATEST, ""), (OTHER, ""), ("", ANY)):
        done = ops.CompleteMultipartUpload(1, ("1",), match, none_match)
        yield (_put("a"), begin, ops.UploadPart(1, 1, two), done, *after)
    yield (begin, ops.UploadPart(1, 1, two), ops.CompleteMultipartUpload(1, ("1",), "", ANY), *after)
    some = tuple(ops.CreateMultipartUpload(key) for key in ("a", "a/b", "a", "b/c"))
    for prefix, delimiter, most in itertools.product(("", "a", "a/", "b/"), ("", "/"), (0, 1)):
        yield (*some, ops.ListMultipartUploads(prefix, delimiter, most))


def _subsets(seed: int) -> Iterator[Program]:
    """Every set of keys, written in their order and the other way round, with all listings and reads.

    Sets with a key that ends in a slash come again with that object empty, as clients write directory markers.
    """
    sets = [keys for size in range(1, len(KEYS) + 1) for keys in itertools.combinations(KEYS, size)]
    for keys in sets:
        writes = tuple(_put(key, number + 1) for number, key in enumerate(keys))
        yield (*writes, *listings(keys), *reads(KEYS))
        if len(keys) == 2:
            yield (*reversed(writes), *listings(keys), *reads(keys))
    for keys in sets:
        if any(key.endswith("/") for key in keys):
            writes = tuple(_put(key, number + 1, 0 if key.endswith("/") else 3) for number, key in enumerate(keys))
            yield (*writes, *listings(keys), *reads(KEYS))


_SETS = 2 ** len(KEYS) - 1
_PAIRS = len(KEYS) * (len(KEYS) - 1) // 2
_WITH_MARKERS = _SETS + 1 - 2 ** sum(not key.endswith("/") for key in KEYS)


def _letters() -> tuple[Request, ...]:
    keys = ("a", "a/b", "b")
    conditions = (("", ""), ("", ANY), (LATEST, ""), (OTHER, ""))
    return (
        *(ops.PutObject(key, contents.of(2, 5), *condition) for key in keys for condition in conditions),
        *(ops.DeleteObject(key, 0, match) for key in keys for match in ("", LATEST, OTHER)),
        *(ops.CopyObject(source, key) for source in keys for key in keys),
        *(ops.CopyObject("a", "b", 0, *one) for one in ((LATEST, ""), (OTHER, ""), ("", LATEST), ("", OTHER))),
        *(ops.DeleteObjects(pair) for pair in itertools.combinations(keys, 2)),
        ops.PutObject("b", contents.of(3, 5), meta="words"),
    )


LETTERS = _letters()
_AFTER = (*reads(("a", "a/b", "b")), ops.ListObjectsV2(), ops.ListObjectsV2("", "/"))

VERSION_LETTERS: tuple[Request, ...] = (
    _put("a", 1),
    _put("a", 2, 5),
    ops.DeleteObject("a"),
    ops.DeleteObject("a", 1),
    ops.DeleteObject("a", 2),
    ops.DeleteObjects(("a", "b")),
    ops.CopyObject("a", "b", 1),
    ops.CopyObject("a", "a", 1),
    ops.PutObject("a", contents.of(3, 5), "", ANY),
    ops.PutBucketVersioning("Suspended"),
    ops.PutBucketVersioning("Enabled"),
)
_VERSIONS_AFTER: Program = (
    *(kind("a", version=number) for kind in (ops.HeadObject, ops.GetObject) for number in (0, 1, 2)),
    ops.HeadObject("b"),
    ops.ListObjectVersions(),
    ops.ListObjectVersions("", "/"),
    ops.ListObjectVersions("a", "", 1),
    ops.ListObjectsV2(),
)

UPLOAD_LETTERS: tuple[Request, ...] = (
    ops.CreateMultipartUpload("a"),
    ops.CreateMultipartUpload("a/b"),
    ops.UploadPart(1, 1, contents.of(1, 5)),
    ops.UploadPart(1, 2, contents.of(2, 5)),
    ops.UploadPart(2, 1, contents.of(3, 5)),
    ops.CompleteMultipartUpload(1, ("1",)),
    ops.CompleteMultipartUpload(1, ("2",)),
    ops.CompleteMultipartUpload(2, ("1",)),
    ops.AbortMultipartUpload(1),
    _put("a"),
    ops.DeleteObject("a"),
)
_UPLOADS_AFTER: Program = (
    ops.GetObject("a"),
    ops.HeadObject("a/b"),
    ops.ListParts(1),
    ops.ListMultipartUploads(),
    ops.ListMultipartUploads("a"),
    ops.ListMultipartUploads("a/"),
    ops.ListObjectsV2(),
)


def _shuffled(letters: tuple[Request, ...], length: int, seed: int) -> Iterator[Program]:
    """All words of a length, in an order that a seed decides."""
    words = list(itertools.product(letters, repeat=length))
    Random(f"{seed}/{length}/{len(letters)}").shuffle(words)
    yield from words


def _words(
    letters: tuple[Request, ...], lengths: tuple[int, ...], before: Program, after: Program
) -> Callable[[int], Iterator[Program]]:
    def programs(seed: int) -> Iterator[Program]:
        for length in lengths:
            for word in _shuffled(letters, length, seed):
                yield (*before, *word, *after)

    return programs


def _random(seed: int) -> Iterator[Program]:
    """Programs without an end, drawn from a seed."""
    dice = Random(f"objects/{seed}")
    while True:
        keys = tuple(dice.sample(KEYS, 3)) + ((dice.choice(SPICE[:-2]),) if dice.random() < 0.3 else ())
        versioned = dice.random() < 0.4
        program: list[Request] = [ops.PutBucketVersioning("Enabled")] if versioned else []
        begun = 0
        for _ in range(dice.randint(2, 12)):
            request = _drawn(dice, keys, begun, versioned)
            begun += isinstance(request, ops.CreateMultipartUpload)
            program.append(request)
        program += listings(keys)[:: dice.randint(1, 3)]
        program += reads(keys)
        if versioned:
            program += (ops.ListObjectVersions(), ops.ListObjectVersions("", "/", dice.randint(0, 2)))
        if begun:
            program += (ops.ListMultipartUploads(), ops.ListMultipartUploads("", "/"))
        yield tuple(program)


def _drawn(dice: Random, keys: tuple[str, ...], begun: int, versioned: bool) -> Request:
    key, other, content = dice.choice(keys), dice.choice(keys), contents.of(dice.randint(1, 9), dice.choice(SIZES))
    version = dice.choice((0, 0, 1, 2)) if versioned else 0
    upload, part = dice.randint(1, max(1, begun)), dice.choice((1, 2, 3, 10_000))
    match = dice.choice(("", "", LATEST, OTHER))
    choices: list[Request] = [
        ops.PutObject(key, content, "" if dice.random() < 0.7 else match, meta=dice.choice(("", "", "words"))),
        ops.PutObject(key, content, "", dice.choice(("", ANY))),
        ops.DeleteObject(key, version),
        ops.DeleteObjects(tuple(dict.fromkeys((key, other)))),
        ops.CopyObject(key, other, version, meta=dice.choice(("", "copied"))),
        ops.GetObject(key, dice.choice(("", *RANGES)), version),
        ops.HeadObject(key, version, match),
        ops.ListObjectsV2(dice.choice(("", key)), dice.choice(("", "/")), dice.choice((0, 1, 2)), ""),
        ops.ListObjectsV2("", dice.choice(("", "/")), dice.choice((0, 1, 2)), other),
        ops.CreateMultipartUpload(key, dice.choice(("", "words"))),
    ]
    if versioned:
        choices.append(ops.PutBucketVersioning(dice.choice(("Enabled", "Suspended"))))
    if begun:
        choices += [
            ops.UploadPart(upload, part, content),
            ops.UploadPart(upload, 1, content),
            ops.CompleteMultipartUpload(upload, dice.choice((("1",), (str(part),), ("1", "2")))),
            ops.AbortMultipartUpload(upload),
            ops.ListParts(upload, dice.choice((0, 1))),
        ]
    return dice.choice(choices)


def _sum(letters: int, lengths: tuple[int, ...]) -> int:
    return int(sum(letters**length for length in lengths))


S3_OBJECTS = ObjectSuite(
    "s3-objects",
    "objects, listings, versions and multipart uploads of a store that speaks S3's protocol",
    (
        Group("witnesses", _witnesses, whole=True),
        Group("large parts", _large_parts, whole=True, bound=5),
        Group("sets of keys", _subsets, whole=True, bound=_SETS + _PAIRS + _WITH_MARKERS),
        Group("one and two requests", _words(LETTERS, (1, 2), (_put("a"),), _AFTER), bound=_sum(len(LETTERS), (1, 2))),
        Group(
            "versions",
            _words(VERSION_LETTERS, (1, 2, 3), (ops.PutBucketVersioning("Enabled"), _put("a", 9)), _VERSIONS_AFTER),
            bound=_sum(len(VERSION_LETTERS), (1, 2, 3)),
        ),
        Group(
            "null versions",
            _words(VERSION_LETTERS, (2, 3), (_put("a", 9), ops.PutBucketVersioning("Enabled")), _VERSIONS_AFTER),
            bound=_sum(len(VERSION_LETTERS), (2, 3)),
        ),
        Group(
            "multipart uploads",
            _words(UPLOAD_LETTERS, (1, 2, 3), (ops.CreateMultipartUpload("a"),), _UPLOADS_AFTER),
            bound=_sum(len(UPLOAD_LETTERS), (1, 2, 3)),
        ),
        Group("three requests", _words(LETTERS, (3,), (), _AFTER), bound=_sum(len(LETTERS), (3,))),
        Group("random", _random),
    ),
)
