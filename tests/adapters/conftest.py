"""Calls on the in-memory store as plain data, and how they are performed.

A call is a method's name, or its short name, and its arguments; an integer in front of it is the client that makes it.
``put`` writes one byte where it is not told what.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any

import pytest

from fsconform.engine.protocol import Job
from fsconform.model.core import content as contents
from fsconform.model.core.operation import OPERATIONS, Operation
from fsconform.model.core.outcomes import Data, Facts, Outcome, Raised, Returned, Status
from fsconform.model.core.paths import parse, show
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.programs import Step
from fsconform.proving.session import ProvingStore
from fsconform.proving.store import MemoryStore, StoreError

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
KINDS = {re.sub("[A-Z]", lambda found: "_" + found[0].lower(), name): kind for name, kind in OPERATIONS.items()}


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


# What programs of operations play on: files of 10, 5, 3 and 0 bytes, and an empty directory.
TREE: dict[str, bytes | None] = {"/d/f": b"f" * 10, "/d/g": b"g" * 5, "/d/s/t/h": b"h" * 3, "/z": b"", "/m": None}


def content(path: str) -> contents.Content:
    """What a file of the tree holds."""
    return contents.of(ord(path[-1]), len(TREE[path] or b""))


def _play(store: ProvingStore, program: tuple[Operation, ...]) -> tuple[Outcome, ...]:
    made = [Mkdirs(parse(p)) if data is None else Create(parse(p), content(p), False) for p, data in TREE.items()]
    (execution,) = store.session().execute([Job(tuple(Step(each) for each in (*made, *program)))])
    return tuple(event.outcome for event in execution.trace.events[len(made) :])


def _told(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_told(each) for each in value]
    if isinstance(value, Status):
        return show(value.path) + ("/" if value.is_dir and value.path else "" if value.is_dir else f":{value.length}")
    return value


def _meets(outcome: Outcome, expected: Any) -> bool:
    if not isinstance(outcome, Returned):
        return isinstance(outcome, Raised) and outcome.classes[0].rpartition(".")[2] == expected
    value = outcome.value
    if isinstance(value, Facts):
        return isinstance(expected, dict) and all(
            value.get(name) == (show(fact) if name == "path" and isinstance(fact, tuple) else fact)
            for name, fact in expected.items()
        )
    if isinstance(value, Data):
        if isinstance(expected, int):
            return value.length == expected
        data = expected if isinstance(expected, bytes) else b"".join(contents.chunks(expected))
        return value == Data(len(data), hashlib.sha256(data).hexdigest())
    told = _told(value)
    return type(told) is type(expected) and bool(told == expected)


@pytest.fixture(scope="session")
def play() -> Callable[[ProvingStore, tuple[Operation, ...]], tuple[Outcome, ...]]:
    """A function that performs operations on the tree, and gives their outcomes."""
    return _play


@pytest.fixture(scope="session")
def meets() -> Callable[[Outcome, Any], bool]:
    """Whether an outcome is what was expected.

    That is the short name of an error, bytes or content, a length, a status as text or a list of them, or facts.
    """
    return _meets


@pytest.fixture(scope="session")
def unseen() -> Callable[[list[str], list[tuple[Operation, ...]]], list[str]]:
    """A function that tells which faults no program on the tree shows."""

    def find(faults: list[str], programs: list[tuple[Operation, ...]]) -> list[str]:
        sound = [_play(ProvingStore(), program) for program in programs]
        return [
            name
            for name in faults
            if all(_play(ProvingStore(fault=name), each) == told for each, told in zip(programs, sound, strict=True))
        ]

    return find
