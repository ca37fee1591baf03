"""Objects as a subject of the harness: how programs of requests are judged, shrunk, folded and told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol, cast

from fsconform.engine import layers
from fsconform.engine.objects import describe
from fsconform.engine.objects.judge import judge
from fsconform.engine.subject import Finding
from fsconform.model.core import content as contents
from fsconform.model.core.operation import defaults, shape
from fsconform.model.objects import operations as ops
from fsconform.model.objects.answers import EMPTY_BUCKET, Answer
from fsconform.model.objects.contract import ObjectContract
from fsconform.model.objects.operations import Program, Request
from fsconform.model.objects.verdicts import place_of
from fsconform.specs.layers import object_clauses

ATTEMPTS = 150
"""A program is shrunk in at most so many executions."""

Tried = layers.Tried[Request, Answer]
Proven = layers.Proven[Request, Answer]
Collected = layers.Collected[Request, Answer]

BEGINS_WITH_A_SLASH = "begins with a slash"
"""A trait, and no role in signatures: a store that drops the slash shows it at keys that begin with none."""

_SIGNATURE = re.compile(r"(?P<name>\S+)(?: \((?P<roles>[^)]*)\))? (?P<rest>.*)", re.DOTALL)


class Session(Protocol):
    """A way to one object store."""

    def execute(self, program: Program) -> tuple[Answer, ...]:
        """Carry a program out in a fresh bucket or below a fresh prefix, one answer a request. Raises StoreLost.

        An answer that nobody knows is Unknown, and ends the program; what can't be asked is NotExpressible.
        """
        ...

    def fresh(self) -> None:
        """Let the next program have a place in which no other one played. Raises StoreLost."""
        ...


def rows(tried: Tried) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What was expected of each step that departs, and what each step that was judged changed."""
    states = tried.judgement.states
    for index in range(len(tried.program)):
        departing = [one.expected for one in tried.judgement.findings if one.step == index]
        judged = index + 1 < len(states)
        changed = describe.changed(states[index], states[index + 1]) if judged else ()
        yield departing[0] if departing else "", changed


def traits(program: Program) -> frozenset[str]:
    """What is odd about the keys of a program, in the words of signatures, and whether one begins with a slash."""
    keys = {key for request in program for key in ops.keys_of(request)}
    first = {BEGINS_WITH_A_SLASH} if any(key.startswith("/") for key in keys) else set()
    return frozenset(words for key in keys for words in place_of(EMPTY_BUCKET, key)) | first


def parts_of(signature: str) -> tuple[str, frozenset[str], str]:
    """A signature's request, its roles, and the rest of it."""
    match = _SIGNATURE.fullmatch(signature)
    if match is None:
        return signature, frozenset(), ""
    roles = frozenset(filter(None, (match["roles"] or "").split("; ")))
    return match["name"], roles, match["rest"]


PLAIN = "abcdefgh"
_NAMES = ("key", "source", "prefix", "start_after")


def smaller(program: ops.Program, finding: Finding | None) -> Iterator[ops.Program]:
    """Programs that are smaller in one thing than the one that shows a finding, the smallest first."""
    if finding is not None and finding.step + 1 < len(program):
        yield program[: finding.step + 1]
    size = len(program) // 2
    while size:
        for start in range(0, len(program), size):
            yield without(program, set(range(start, min(start + size, len(program)))))
        size //= 2
    yield from _plainer(program)
    for index, request in enumerate(program):
        for simpler in _simpler(request):
            yield (*program[:index], simpler, *program[index + 1 :])


def without(program: ops.Program, gone: set[int]) -> ops.Program:
    """The program without some requests, and without what is about uploads that are not begun any more."""
    numbers: dict[int, int] = {}
    begun = 0
    left: list[ops.Request] = []
    for index, request in enumerate(program):
        if isinstance(request, ops.CreateMultipartUpload):
            begun += 1
            if index not in gone:
                numbers[begun] = len(numbers) + 1
        number = getattr(request, "upload", None)
        if index in gone or (number is not None and number not in numbers):
            continue
        left.append(replace(cast(Any, request), upload=numbers[number]) if number is not None else request)
    return tuple(left)


def _plainer(program: ops.Program) -> Iterator[ops.Program]:
    """The program with plain names in its keys, and without one element in all of them."""
    elements: dict[str, None] = {}
    for request in program:
        for key in ops.keys_of(request):
            elements.update(dict.fromkeys(one for one in key.split("/") if one))
    if len(elements) <= len(PLAIN):
        plain = dict(zip(elements, PLAIN, strict=False))
        yield _renamed(program, lambda name: "/".join(plain.get(one, one) for one in name.split("/")))
    for element in elements:
        yield _renamed(program, lambda name, gone=element: _dropped(name, gone))  # type: ignore[misc]


def _dropped(name: str, element: str) -> str:
    parts = name.split("/")
    left = [one for one in parts if one != element]
    return "/".join(left) if left and any(left) else name


def _renamed(program: ops.Program, change: Callable[[str], str]) -> ops.Program:
    found: list[ops.Request] = []
    for request in program:
        names = {name: change(value) for name in _NAMES if (value := getattr(request, name, ""))}
        if isinstance(request, ops.DeleteObjects):
            found.append(replace(request, keys=tuple(dict.fromkeys(map(change, request.keys)))))
        else:
            found.append(replace(cast(Any, request), **names) if names else request)
    return tuple(found)


def _simpler(request: ops.Request) -> Iterator[ops.Request]:
    unsaid = defaults(type(request))
    for name, form in shape(type(request)):
        value = getattr(request, name)
        if form == "content":
            for size in (0, 1, 3):
                if size < contents.length(value):
                    yield replace(cast(Any, request), **{name: contents.of(1, size)})
        elif form == "texts":
            for index in range(len(value)):
                yield replace(cast(Any, request), **{name: value[:index] + value[index + 1 :]})
        elif name in unsaid and value != unsaid[name]:
            yield replace(cast(Any, request), **{name: unsaid[name]})
            if name in ("version", "max_keys", "max_parts", "max_uploads") and value > 1:
                yield replace(cast(Any, request), **{name: value - 1})
    if isinstance(request, ops.ListObjectsV2 | ops.ListObjectVersions | ops.ListMultipartUploads) and request.prefix:
        head, slash, _ = request.prefix.rstrip("/").rpartition("/")
        if slash:
            yield replace(cast(Any, request), prefix=head + slash)


def folded(samples: Mapping[str, Proven]) -> list[Proven]:
    """Samples without those that another one, with fewer roles and else the same, tells of already; counts added.

    One that needs no key that begins with a slash is not folded into one that may: the cause is another, and it would
    be accepted with it. They are in the order of their signatures.
    """
    parts = {name: parts_of(name) for name in samples}
    slash = {name: BEGINS_WITH_A_SLASH in traits(one.program) for name, one in samples.items()}
    into: dict[str, str] = {}
    for name, (request, roles, rest) in parts.items():
        wider = [
            other
            for other, (its_request, its_roles, its_rest) in parts.items()
            if its_request == request
            and its_rest == rest
            and its_roles < roles
            and slash[other] <= slash[name]
            and samples[other].finding.verdict == samples[name].finding.verdict
        ]
        if wider:
            into[name] = min(wider, key=lambda one: (len(parts[one][1]), one))
    counts = {name: one.count for name, one in samples.items()}
    for name, other in into.items():
        while other in into:
            other = into[other]
        counts[other] += samples[name].count
    return [replace(one, count=counts[name]) for name, one in sorted(samples.items()) if name not in into]


OBJECTS: layers.Layer[Request, Answer, ObjectContract] = layers.Layer(
    judge=judge,
    smaller=smaller,
    attempts=lambda program: ATTEMPTS,
    catalogue=object_clauses,
    every_option=ObjectContract.OPTIONS,
    call=describe.call,
    encoded=ops.encode,
    observed=describe.observed,
    rows=rows,
    traits=traits,
    folded=folded,
    fresh=lambda session: session.fresh(),
)
"""The objects in a store that speaks S3."""
