"""What Spark is asked to do with a dataset, as frozen data with a JSON form, and faults on purpose as a part of it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from fsconform.model.core.operation import BOUNDS, brief, check_bound, reason

Mode = Literal["error", "ignore", "append", "overwrite"]
MODES: tuple[Mode, ...] = ("error", "ignore", "append", "overwrite")
Format = Literal["parquet", "orc", "json", "csv", "text"]
FORMATS: tuple[Format, ...] = ("parquet", "orc", "json", "csv", "text")

Phase = Literal["job-setup", "task-setup", "task-write", "task-commit", "job-commit", "job-committed"]
PHASES: tuple[Phase, ...] = ("job-setup", "task-setup", "task-write", "task-commit", "job-commit", "job-committed")
"""The phases of the commit protocol in which a fault can be, in their order; ``job-committed`` comes after the last."""

Action = Literal["fail", "halt", "hold", "sleep"]
ACTIONS: tuple[Action, ...] = ("fail", "halt", "hold", "sleep")

SLEEP_MILLISECONDS = 8000
"""How long a task sleeps that is to be overtaken by another attempt."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at a phase: an error, the end of the process, a reader who looks meanwhile, or a task that is slow.

    ``attempts`` says which attempts of a task meet it; ``task`` is its number, None for any.
    """

    action: Action
    phase: Phase
    task: int | None = None
    attempts: Literal["first", "all"] = "all"

    @property
    def retried(self) -> bool:
        """True if a second attempt of the task goes well."""
        return self.attempts == "first" and self.phase.startswith("task")


@dataclass(frozen=True, slots=True)
class Gate:
    """A fault at the nth of the calls by which output comes to stand where readers see it, counted from 1."""

    action: Action
    nth: int


@dataclass(frozen=True, slots=True)
class Write:
    """One job that writes rows, dealt out to tasks in slices. ``dynamic`` replaces only the partitions it writes to.

    ``cluster`` asks for executors in processes of their own; ``speculative`` lets slow tasks be attempted again.
    """

    NAME: ClassVar[str] = "write"

    rows: tuple[int, ...]
    mode: Mode = "append"
    format: Format = "parquet"
    partitioned: bool = False
    dynamic: bool = False
    tasks: int = 2
    fault: Fault | None = None
    gate: Gate | None = None
    cluster: bool = False
    speculative: bool = False
    records: int = 0
    """At most so many rows in a file; 0 for no bound."""


@dataclass(frozen=True, slots=True)
class WriteBoth:
    """Two jobs at once: the first is held where its fault or gate says until the second has ended."""

    NAME: ClassVar[str] = "write-both"

    first: Write
    second: Write


@dataclass(frozen=True, slots=True)
class Feed:
    """Put one file of rows into the source directory of a stream, at once."""

    NAME: ClassVar[str] = "feed"

    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stream:
    """Run a streaming query from the source to a file sink, with a checkpoint, until all that is there is processed."""

    NAME: ClassVar[str] = "stream"

    format: Format = "parquet"
    partitioned: bool = False
    fault: Fault | None = None
    gate: Gate | None = None


Operation = Write | WriteBoth | Feed | Stream
Program = tuple[Operation, ...]

_KINDS: dict[str, type[Operation]] = {kind.NAME: kind for kind in (Write, WriteBoth, Feed, Stream)}
_PARTS: dict[str, type[Fault] | type[Gate]] = {"fault": Fault, "gate": Gate}


def encode(operation: Operation) -> dict[str, Any]:
    """An operation as JSON, without what has its default."""
    row: dict[str, Any] = {"dataset": operation.NAME}
    for one in fields(operation):
        value = getattr(operation, one.name)
        if value == one.default:
            continue
        if isinstance(value, Write):
            value = encode(value)
        elif isinstance(value, Fault | Gate):
            value = {part.name: getattr(value, part.name) for part in fields(value)}
        elif isinstance(value, tuple):
            value = list(value)
        row[one.name] = value
    return row


def decode(row: dict[str, Any]) -> Operation:
    """An operation from its JSON. Raises ValueError for what is none."""
    try:
        kind = _KINDS[row["dataset"]]
        names = {one.name for one in fields(kind)}
        if set(row) - names - {"dataset"}:
            raise ValueError(f"{kind.NAME} has no {', '.join(sorted(set(row) - names - {'dataset'}))}")
        values: dict[str, Any] = {}
        for name, value in row.items():
            if name == "dataset":
                continue
            if name in ("first", "second"):
                values[name] = decode(value)
            elif name in _PARTS and value is not None:
                values[name] = _PARTS[name](**value)
            elif name == "rows":
                values[name] = _rows(value)
            else:
                values[name] = value
        operation = kind(**values)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no operation on a dataset: {brief(row)}: {reason(error)}") from error
    for one in (operation, *writes_in(operation)):
        _check_fields(one)
    for write in writes_in(operation):
        check(write)
    return operation


MOST_ROWS = 100_000
"""Of one job."""


def _rows(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > MOST_ROWS or not all(type(one) is int for one in value):
        raise ValueError(f"rows are a list of {MOST_ROWS:,} numbers at most, not {brief(value)}")
    for one in value:
        check_bound("a row", one, BOUNDS["Int"])
    return tuple(value)


def _check_fields(operation: Operation) -> None:
    """Raises ValueError for a field with a value of another type than it holds, or out of its range."""
    for one in fields(operation):
        value, kind = getattr(operation, one.name), str(one.type)
        if kind == "bool" and type(value) is not bool:
            raise ValueError(f"{one.name} is true or false, not {brief(value)}")
        if kind == "int":
            _check_number(one.name, value)
        if kind == "Format" and value not in FORMATS:
            raise ValueError(f"{one.name} is one of {', '.join(FORMATS)}, not {brief(value)}")
        if kind == "Write" and not isinstance(value, Write):
            raise ValueError(f"{one.name} is a job that writes, not {brief(value)}")
        if isinstance(value, Fault | Gate):
            _check_part(value)


def _check_part(part: Fault | Gate) -> None:
    if part.action not in ACTIONS:
        raise ValueError(f"an action is one of {', '.join(ACTIONS)}, not {brief(part.action)}")
    if isinstance(part, Gate):
        _check_number("nth", part.nth)
        return
    if part.phase not in PHASES or part.attempts not in ("first", "all"):
        raise ValueError(f"no fault: {brief(part)}")
    if part.task is not None:
        _check_number("task", part.task)


def _check_number(name: str, value: object) -> None:
    if type(value) is not int:
        raise ValueError(f"{name} is a number, not {brief(value)}")
    check_bound(name, value, (0, BOUNDS["Int"][1]))


def check(write: Write) -> None:
    """Raises ValueError for a job that can't be asked for."""
    if write.mode not in MODES or write.format not in FORMATS or not 1 <= write.tasks <= 4 or not write.rows:
        raise ValueError(f"no job that writes: {brief(write)}")
    if write.dynamic and not (write.partitioned and write.mode == "overwrite"):
        raise ValueError("only an overwrite of partitions can be dynamic")
    if write.fault is not None and (write.fault.phase not in PHASES or len(write.rows) < 2 * write.tasks):
        raise ValueError("a job with a fault needs a phase and two rows a task")


def writes_in(operation: Operation) -> tuple[Write, ...]:
    """The jobs that write."""
    if isinstance(operation, WriteBoth):
        return (operation.first, operation.second)
    return (operation,) if isinstance(operation, Write) else ()


@dataclass(frozen=True, slots=True)
class Ending:
    """How a job ended. ``published``, ``copies`` and ``completed`` count calls and requests, where they are counted.

    ``seen`` is what a reader saw while the job was held. ``why`` says why the step was not carried out, if it was not.
    """

    ended: Literal["committed", "failed", "killed", "not-expressible"]
    error: str = ""
    message: str = ""
    stack: str = ""
    published: int = 0
    copies: int = 0
    completed: int = 0
    seen: tuple[Any, ...] = field(default=())
    why: str = ""
    other: Ending | None = None
    """How the second of two jobs ended."""
