"""What the engine's tests share: programs and traces from text, and judging them.

``mkdirs /a; create /a/b 3; ?list /`` is a program; ``?`` marks a probe, ``:`` set-up, ``create!`` overwrites and
``delete!`` is recursive. In a trace each step goes on with ``-> outcome``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from fsconform.engine.benches import Benches
from fsconform.engine.collect import Collected
from fsconform.engine.confirm import Proven, prove_all
from fsconform.model.core import content as contents
from fsconform.model.core.errors import FULL_NAMES, ancestry
from fsconform.model.core.operation import Operation
from fsconform.model.core.outcomes import Data, NotExpressible, Outcome, Raised, Returned, Status, Unknown
from fsconform.model.core.paths import Path, parse
from fsconform.model.filesystem.contract import Contract
from fsconform.model.filesystem.input.open import Open
from fsconform.model.filesystem.namespace.append import Append
from fsconform.model.filesystem.namespace.create import Create
from fsconform.model.filesystem.namespace.delete import Delete
from fsconform.model.filesystem.namespace.mkdirs import Mkdirs
from fsconform.model.filesystem.namespace.rename import Rename
from fsconform.model.filesystem.programs import Event, Program, Step, Trace
from fsconform.model.filesystem.status.get_file_status import GetFileStatus
from fsconform.model.filesystem.status.list_status import ListStatus
from fsconform.model.filesystem.status.predicates import Exists
from fsconform.proving.session import ProvingStore

CONSTANTS = {"true": True, "false": False, "ok": None}
KINDS: dict[str, Callable[[Path], Operation]] = {
    "mkdirs": Mkdirs,
    "open": Open,
    "status": GetFileStatus,
    "exists": Exists,
    "list": ListStatus,
}


def make_step(text: str, number: int) -> Step:
    text = text.strip()
    name, path, *more = text.lstrip("?:").split()
    at = parse(path)
    operation: Operation
    if name == "rename":
        operation = Rename(at, parse(more[0]))
    elif name.startswith("create"):
        operation = Create(at, contents.of(number, int(more[0])), name.endswith("!"))
    elif name == "append":
        operation = Append(at, contents.of(number, int(more[0])))
    elif name.startswith("delete"):
        operation = Delete(at, name.endswith("!"))
    else:
        operation = KINDS[name](at)
    return Step(operation, probe=text.startswith("?"), setup=text.startswith(":"))


def make_status(text: str) -> Status:
    kind, path, length = text.split()
    return Status(parse(path), kind == "dir", int(length), 0 if kind == "dir" else 512)


def make_outcome(text: str) -> Outcome:
    if text in CONSTANTS:
        return Returned(CONSTANTS[text])
    if text in FULL_NAMES:
        return Raised(ancestry(text), "a message\nof two lines")
    if text in ("unknown", "not-expressible"):
        return Unknown("time-out") if text == "unknown" else NotExpressible("no such call")
    if text.startswith("["):
        return Returned(tuple(make_status(entry) for entry in text[1:-1].split(",") if entry.strip()))
    if text.startswith("bytes"):
        return Returned(Data(int(text.split()[1]), text.split()[2]))
    return Returned(make_status(text))


def make_program(text: str) -> Program:
    return tuple(make_step(part, number) for number, part in enumerate(text.split(";"), 1))


def make_trace(text: str) -> Trace:
    parts = [part.partition("->") for part in text.split(";")]
    program = make_program(";".join(call for call, _, _ in parts))
    return Trace(program, tuple(Event(make_outcome(outcome.strip())) for _, arrow, outcome in parts if arrow))


@pytest.fixture(scope="session")
def program() -> Callable[[str], Program]:
    """From text to a program."""
    return make_program


@pytest.fixture(scope="session")
def trace() -> Callable[[str], Trace]:
    """From text to a trace; steps without an outcome were not reached."""
    return make_trace


def prove_on(
    store: ProvingStore,
    programs: Iterable[Program],
    declared: dict[str, bool] | None = None,
    *,
    shards: int = 1,
    seconds: float | None = None,
) -> list[Proven]:
    benches = Benches(store, Contract({"supports-strict-exceptions": True, **(declared or {})}), shards)
    try:
        collected = Collected()
        with benches.lent() as bench:
            for trial in bench.try_all(list(programs)):
                collected.add(bench.go_on(trial), benches.oracle)
        return prove_all(benches, collected, seconds=seconds)
    finally:
        benches.close()


@pytest.fixture(scope="session")
def proving() -> Callable[..., list[Proven]]:
    """From a store, programs and options that are declared to what is proven of all that the programs show."""
    return prove_on
