"""Smaller programs of requests: fewer of them, simpler ones, plainer keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

from fsconform.engine.layers.findings import Finding
from fsconform.model.core import content as contents
from fsconform.model.core.operation import defaults, shape
from fsconform.model.objects import operations as ops

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
