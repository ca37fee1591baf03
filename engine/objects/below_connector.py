"""The object store below a connector, while a program of the filesystem runs on it: is what it shows right?

Nobody tells which requests a connector made. So the store is held against its clauses twice. What the connector left is
asked for key by key, and listings must agree with that. And the same changes are made by requests alone, in a place of
their own, where the model knows what was asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fsconform.engine.objects.judge import judge
from fsconform.engine.subject import Finding
from fsconform.model.core import content as contents
from fsconform.model.core.outcomes import Unknown
from fsconform.model.core.paths import Path
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import Answer, Bucket, Done, Found, Version
from fsconform.model.objects.contract import STRICT

MOST_ASKED = 256
"""Keys that are asked for after one step, at most."""

MOST_CLOSED = 12
"""Keys that are written and deleted once more at the end, at most; those that are there, and those that are not."""

LARGEST = 64 << 20
"""Bytes of an object that is written anew by a request, at most."""

OWN = ""
"""The key, below the program's directory, of the marker of that directory itself."""


@dataclass(frozen=True, slots=True)
class Held:
    """An object as HEAD tells of it: its length in bytes, and its ETag."""

    length: int
    etag: str


@dataclass(frozen=True, slots=True)
class Look:
    """What a bucket answered after a step of a connector's program, below the directory of that program."""

    asked: ops.Program
    seen: tuple[Answer, ...]

    def held(self) -> dict[str, Held]:
        """The objects that are there, by their keys, in UTF-8 order: those that HEAD finds."""
        found: dict[str, Held] = {}
        for request, answer in zip(self.asked, self.seen, strict=False):
            if isinstance(request, ops.HeadObject) and isinstance(answer, Done) and isinstance(answer.value, Found):
                found[request.key] = Held(answer.value.length or 0, answer.value.etag or "")
        return dict(sorted(found.items(), key=lambda one: one[0].encode()))

    def unknown(self) -> str:
        """Why the bucket could not be seen; empty if it was."""
        return next((one.reason for one in self.seen if isinstance(one, Unknown)), "")


@dataclass(frozen=True, slots=True)
class Twin:
    """The changes that a connector made, as requests; ``steps`` has for each the connector's step, from 1 on."""

    program: ops.Program
    steps: tuple[int, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """What holding a store against its clauses gave: how many answers, which clauses, and what departs."""

    answers: int = 0
    clauses: frozenset[str] = frozenset()
    findings: tuple[tuple[int, ops.Request, Finding], ...] = ()
    """Each with the step of the connector, from 1 on, and the request that shows it."""


@dataclass(slots=True)
class _Requests:
    program: list[ops.Request] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)

    def add(self, step: int, *requests: ops.Request) -> None:
        self.program += requests
        self.steps += [step] * len(requests)


def askable(key: str) -> bool:
    """Whether a key means the same to every client and server of HTTP, and is none that is too long."""
    return not {".", ".."} & set(key.split("/")) and len(key.encode("utf-8", "replace")) <= ops.LONGEST_KEY


def candidates(paths: Iterable[Path], known: Iterable[str]) -> list[str]:
    """Keys that a program may have made, whether or not a listing shows them; the likely ones first.

    ``known`` are the keys that were seen. A rename puts what is below one path below another: so what any known key or
    path ends in is looked for below each path.
    """
    places = list(dict.fromkeys("/".join(path) for path in paths if path))
    seen = [key for key in known if key != OWN]
    found: dict[str, None] = dict.fromkeys((OWN, *seen))
    for place in places:
        found |= dict.fromkeys((place, place + "/"))
    ends = dict.fromkeys(end for key in (*places, *seen) for end in _ends(key))
    for place in places:
        for end in ends:
            found |= dict.fromkeys((f"{place}/{end}", f"{place}/{end.rstrip('/')}/"))
    return [key for key in found if askable(key)][:MOST_ASKED]


def _ends(key: str) -> list[str]:
    parts = key.rstrip("/").split("/")
    slash = "/" if key.endswith("/") else ""
    return ["/".join(parts[index:]) + slash for index in range(len(parts))]


def directories(paths: Iterable[Path], known: Iterable[str]) -> list[str]:
    """The prefixes that are listed by directory: all that paths and keys are below, or would be directories of."""
    names = ["/".join(path) + "/" for path in paths if path] + [key for key in known if key != OWN]
    found = dict.fromkeys([""])
    for name in names:
        found |= dict.fromkeys(name[: index + 1] for index, char in enumerate(name) if char == "/")
    return [one for one in found if askable(one)]


def listings(prefixes: Iterable[str]) -> list[ops.Request]:
    """All keys at once, and each directory as a connector lists it."""
    return [ops.ListObjectsV2(), *(ops.ListObjectsV2(prefix, "/") for prefix in prefixes)]


def judge_left(looks: Sequence[Look]) -> Judged:
    """Hold the listings of what a connector left against what HEAD tells of it. ``looks`` are after steps 1, 2, ..."""
    answers, clauses, findings = 0, set[str](), list[tuple[int, ops.Request, Finding]]()
    for step, look in enumerate(looks, 1):
        objects = {key: (Version(1, "", contents.of(1, one.length), one.etag),) for key, one in look.held().items()}
        rows = [
            (request, answer)
            for request, answer in zip(look.asked, look.seen, strict=False)
            if isinstance(request, ops.ListObjectsV2)
        ]
        program = tuple(request for request, _ in rows)
        judgement = judge(program, [answer for _, answer in rows], STRICT, Bucket(objects))
        answers += judgement.operations
        clauses |= set(judgement.clauses)
        findings += [(step, program[one.step], one) for one in judgement.findings]
    return Judged(answers, frozenset(clauses), _first_of_each(findings))


def twin(paths: Sequence[Path], looks: Sequence[Look]) -> Twin:
    """The changes between one look and the next as requests, and after those of a step what shows whether they hold.

    At its end each key that is there is written anew and deleted, and then each key that the program names, and the
    marker of each directory: a delete or a write that the store did not carry out can't be seen in what is there.
    """
    requests, left_out = _Requests(), dict[str, None]()
    before: Mapping[str, Held] = {}
    seeds: dict[str, int] = {}
    held: dict[str, None] = {}
    for step, look in enumerate(looks, 1):
        now = {key: one for key, one in look.held().items() if key != OWN and _repeatable(key, one, left_out)}
        written = [key for key, one in now.items() if before.get(key) != one]
        removed = [key for key in before if key not in now]
        for key in written:
            one = now[key]
            seed = seeds.setdefault(one.etag, len(seeds) + 1)
            requests.add(step, ops.PutObject(key, contents.of(seed, one.length)))
        requests.add(step, *(ops.DeleteObject(key) for key in removed))
        if written or removed:
            requests.add(step, *(read for key in (*written, *removed) for read in _reads(key)))
            requests.add(step, *listings(directories(paths, now)))
        held |= dict.fromkeys(written)
        before = now
    for key in list(before)[:MOST_CLOSED]:
        requests.add(len(looks), *_written(key, len(seeds) + 1), *_deleted(key), ops.ListObjectsV2())
    never = [key for key in _nameable(paths) if key not in held and askable(key)]
    for key in never[:MOST_CLOSED]:
        requests.add(len(looks), *_reads(key), *_written(key, 1), *_deleted(key))
    return Twin(tuple(requests.program), tuple(requests.steps), tuple(left_out))


def _nameable(paths: Iterable[Path]) -> list[str]:
    """The keys of paths as files, and then as directories with all above them."""
    names = ["/".join(path) for path in paths if path]
    markers = ["/".join(path[:size]) + "/" for path in paths for size in range(1, len(path) + 1)]
    return list(dict.fromkeys((*names, *markers)))


def _written(key: str, seed: int) -> list[ops.Request]:
    content = contents.of(seed, 0 if key.endswith("/") else 3)
    return [ops.PutObject(key, content), *_reads(key), ops.ListObjectsV2(key)]


def _deleted(key: str) -> list[ops.Request]:
    return [ops.DeleteObject(key), *_reads(key)]


def _repeatable(key: str, one: Held, left_out: dict[str, None]) -> bool:
    if not askable(key):
        left_out[f"{key!r} is not asked for by every client of HTTP as it stands"] = None
    elif one.length > LARGEST:
        left_out[f"{key!r} has {one.length} bytes"] = None
    else:
        return True
    return False


def _reads(key: str) -> tuple[ops.Request, ops.Request]:
    return ops.HeadObject(key), ops.GetObject(key)


def judge_twin(one: Twin, seen: Sequence[Answer]) -> Judged:
    """Hold the answers to the requests against the model."""
    judgement = judge(one.program, seen, STRICT)
    findings = [(one.steps[found.step], one.program[found.step], found) for found in judgement.findings]
    return Judged(judgement.operations, frozenset(judgement.clauses), _first_of_each(findings))


def _first_of_each(
    findings: Iterable[tuple[int, ops.Request, Finding]],
) -> tuple[tuple[int, ops.Request, Finding], ...]:
    """Each signature where it was met first."""
    return tuple({one.signature: (step, request, one) for step, request, one in reversed(list(findings))}.values())[
        ::-1
    ]


def changed(before: Mapping[str, Held], after: Mapping[str, Held]) -> list[str]:
    """What one look shows that the one before it did not, as a sequence table tells changes."""
    rows = [f"+ {named(key)}" for key in after if key not in before]
    rows += [f"- {named(key)}" for key in before if key not in after]
    return rows + [f"~ {named(key)}" for key, one in after.items() if key in before and before[key] != one]


def named(key: str) -> str:
    """A key as a table tells it."""
    return key if key != OWN else "(marker of the program's directory)"


def objects(held: Mapping[str, Held]) -> list[str]:
    """Objects as a table tells them; the marker of the program's own directory goes without saying."""
    return [f"{key}, {one.length} byte{'' if one.length == 1 else 's'}" for key, one in held.items() if key != OWN]
