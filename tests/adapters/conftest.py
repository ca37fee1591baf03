"""Calls on the in-memory store as plain data, and how they are performed.

A call is a method's name, or its short name, and its arguments; an integer in front of it is the client that makes it.
``put`` writes one byte where it is not told what.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from fsconform.adapters.proving.store import MemoryStore, StoreError
from fsconform.model import content as contents
from fsconform.model import operations as ops
from fsconform.model.programs import Step

Call = tuple[Any, ...]

NAMES = {
    "mk": "mkdirs",
    "put": "create",
    "add": "append",
    "cat": "open",
    "rm": "delete",
    "mv": "rename",
    "stat": "get_file_status",
    "has": "exists",
    "ls": "list_status",
}
DEFAULTS: dict[str, Call] = {"put": (b"x", False), "rm": (False,)}
KINDS = {re.sub("[A-Z]", lambda found: "_" + found[0].lower(), name): kind for kind, name in ops.NAMES.items()}


def _parts(call: Call) -> tuple[int, str, Call]:
    """A call's client, method and arguments."""
    client, (name, *given) = (call[0], call[1:]) if isinstance(call[0], int) else (0, call)
    defaults = DEFAULTS.get(name, ())
    missing = len(defaults) + 1 - len(given)
    return client, NAMES.get(name) or name, (*given, *(defaults[-missing:] if defaults and missing > 0 else ()))


def _perform(store: MemoryStore, call: Call) -> Any:
    store.caller, method, arguments = _parts(call)
    try:
        result = getattr(store, method)(*arguments)
    except StoreError as error:
        return error.classes[0].rpartition(".")[2]
    return sorted(result, key=repr) if isinstance(result, list) else result


def _results(store: MemoryStore, calls: tuple[Call, ...]) -> list[Any]:
    return [_perform(store, call) for call in calls]


def _shape(store: MemoryStore, top: str = "/") -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = {}
    for entry in store.list_status(top):
        found[entry.path] = None if entry.is_dir else store.open(entry.path)
        if entry.is_dir:
            found |= _shape(store, entry.path)
    return found


def _argument(value: Any) -> Any:
    if isinstance(value, bytes):
        return contents.of(sum(value) % 1000, len(value))
    if isinstance(value, str):
        return tuple(value[1:].split("/")) if value != "/" else ()
    return value


def _steps(calls: tuple[Call, ...]) -> tuple[Step, ...]:
    parts = [_parts(call) for call in calls]
    return tuple(Step(KINDS[method](*map(_argument, arguments)), client) for client, method, arguments in parts)


@pytest.fixture(scope="session")
def perform() -> Callable[[MemoryStore, Call], Any]:
    """A function that makes one call, and gives its result or the name of the error it raised."""
    return _perform


@pytest.fixture(scope="session")
def results() -> Callable[[MemoryStore, tuple[Call, ...]], list[Any]]:
    """A function that makes some calls, and gives the result of each."""
    return _results


@pytest.fixture(scope="session")
def shape() -> Callable[..., dict[str, bytes | None]]:
    """A function that gives all paths of a store: a file's bytes, None for a directory; through public calls only."""
    return _shape


@pytest.fixture(scope="session")
def steps() -> Callable[[tuple[Call, ...]], tuple[Step, ...]]:
    """A function that makes a session's program of calls; content of the right length stands for their bytes."""
    return _steps
