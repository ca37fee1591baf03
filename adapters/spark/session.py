"""Programs on datasets, carried out by Spark on one store through one committer, each in a fresh directory."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from fsconform.adapters.lines import Row
from fsconform.adapters.spark.committers import SINK_PROTOCOL, WITH_FAULTS, Committer
from fsconform.adapters.spark.driver import CLUSTER, LOCAL, Driver
from fsconform.adapters.spark.helper import NO_COMPILER
from fsconform.engine.datasets.judge import Observed
from fsconform.engine.protocol import StoreLost
from fsconform.model.datasets.dataset import Look
from fsconform.model.datasets.operations import (
    SLEEP_MILLISECONDS,
    Ending,
    Fault,
    Feed,
    Gate,
    Operation,
    Program,
    Stream,
    Write,
    WriteBoth,
)

Uploads = Callable[[str], list[str]]
"""The keys of pending uploads below a path of the store."""
Abort = Callable[[str], None]
"""Aborts the pending uploads below a path of the store."""

STACK_LINES = 30


class SparkSession:
    """A driver and a committer. ``root`` is a directory of the store that is the session's own."""

    def __init__(
        self,
        driver: Driver,
        committer: Committer,
        sandbox: str,
        helper: bool,
        uploads: Uploads | None = None,
        abort: Abort | None = None,
    ) -> None:
        self._driver, self._committer, self._helper = driver, committer, helper
        self._root = f"{sandbox.rstrip('/')}/spark-{secrets.token_hex(4)}"
        self._scheme = urlsplit(sandbox).scheme
        self._uploads, self._abort = uploads, abort
        self._numbers = itertools.count()

    def execute(self, program: Program) -> tuple[Observed, ...]:
        """Carry a program out; what is not expressible is said so. Raises StoreLost."""
        place = f"{self._root}/p{next(self._numbers)}"
        seen: list[Observed] = []
        feeds = itertools.count()
        try:
            for operation in program:
                ending = self._one(operation, place, feeds)
                seen.append(Observed(ending, self._look(operation, place)))
        finally:
            self._remove(place)
        return tuple(seen)

    def _one(self, operation: Operation, place: str, feeds: Iterable[int]) -> Ending:
        if not self._helper and _needs_helper(operation):
            return Ending("not-expressible", why=NO_COMPILER)
        match operation:
            case Write():
                master = CLUSTER if operation.cluster else LOCAL
                return self._ending(self._driver.ask(self._job(operation, place), master))
            case WriteBoth():
                jobs = [self._job(operation.first, place), self._job(operation.second, place)]
                return self._of_both(self._driver.ask({"do": "write-both", "jobs": jobs}))
            case Feed():
                name = f"f{next(iter(feeds))}"
                row = {"do": "feed", "ids": list(operation.rows), "source": f"{place}/source", "name": name}
                answer = self._driver.ask(row)
                if not answer.get("fed"):
                    raise StoreLost("a file could not be put into the source of the stream")
                return Ending("committed")
            case Stream():
                return self._ending(self._driver.ask(self._query(operation, place)))

    def _job(self, write: Write, place: str) -> Row:
        options = self._committer.job_options(self._scheme)
        if write.records:
            options["maxRecordsPerFile"] = str(write.records)
        return {
            "do": "write",
            "ids": list(write.rows),
            "tasks": write.tasks,
            "format": write.format,
            "mode": write.mode,
            "partitioned": write.partitioned,
            "options": options,
            "session": self._committer.session_options(_needs_helper(write), write.dynamic),
            "fault": _fault(write.fault),
            "gate": _gate(write, f"{place}/data"),
            "path": f"{place}/data",
        }

    def _query(self, stream: Stream, place: str) -> Row:
        faulty = stream.fault is not None
        return {
            "do": "stream",
            "source": f"{place}/source",
            "path": f"{place}/data",
            "checkpoint": f"{place}/checkpoint",
            "format": stream.format,
            "partitioned": stream.partitioned,
            "session": {
                "spark.sql.streaming.commitProtocolClass": WITH_FAULTS[SINK_PROTOCOL] if faulty else SINK_PROTOCOL
            },
            "fault": _fault(stream.fault),
            "gate": _gate(stream, place),
        }

    def _ending(self, answer: Row) -> Ending:
        if "killed" in answer:
            return Ending("killed", message=str(answer["killed"]))
        error = answer.get("error") or {}
        return Ending(
            answer["ended"],
            error=str(error.get("condition") or error.get("kind", "")),
            message=str(error.get("message", "")),
            stack="\n".join(error.get("stack", [])[-STACK_LINES:]),
            published=int(answer.get("published", 0)),
            copies=int(answer.get("copies", 0)),
            completed=int(answer.get("completed", 0)),
            seen=tuple(_look(one, []) for one in answer.get("seen", [])),
        )

    def _of_both(self, answer: Row) -> Ending:
        if "killed" in answer:
            return Ending("killed", message=str(answer["killed"]))
        first, second = (self._ending(one) for one in answer["jobs"])
        return Ending(first.ended, first.error, first.message, first.stack, other=second)

    def _look(self, operation: Operation, place: str) -> Look:
        if isinstance(operation, Feed):
            return Look(False)
        write = operation.first if isinstance(operation, WriteBoth) else operation
        path = f"{place}/data"
        master = CLUSTER if isinstance(write, Write) and write.cluster else LOCAL
        answer = self._driver.ask(
            {"do": "look", "path": path, "format": write.format, "partitioned": write.partitioned}, master
        )
        if "killed" in answer:
            raise StoreLost("Spark ended while the dataset was looked at")
        return _look(answer, self._uploads(path) if self._uploads is not None else [])

    def _remove(self, place: str) -> None:
        if self._abort is not None:
            self._abort(place)
        self._driver.ask({"do": "remove", "path": place}, self._driver.master)

    def close(self) -> None:
        """Remove what the session made. May be called twice."""
        self._remove(self._root)


def _look(row: Row, uploads: list[str]) -> Look:
    problem = row.get("unreadable") or {}
    text = f"{problem.get('condition') or problem.get('kind', '')}: {problem.get('message', '')}" if problem else ""
    names = tuple(str(name) for name, _ in row["files"])
    return Look(bool(row["exists"]), names, tuple(row["rows"]), text, tuple(sorted(uploads)))


def _needs_helper(operation: Operation) -> bool:
    match operation:
        case Write() | Stream():
            return operation.fault is not None or operation.gate is not None
        case WriteBoth():
            return True
    return False


def _fault(fault: Fault | None) -> str:
    if fault is None:
        return ""
    action = f"sleep:{SLEEP_MILLISECONDS}" if fault.action == "sleep" else fault.action
    return f"{action},{fault.phase},{'*' if fault.task is None else fault.task},{fault.attempts}"


def _gate(operation: Write | Stream, path: str) -> Row:
    under = urlsplit(path).path
    gate: Gate | None = operation.gate
    if gate is not None:
        return {"action": gate.action, "nth": gate.nth, "under": under}
    held = operation.fault is not None and operation.fault.action == "hold"
    return {"action": "hold" if held else "", "nth": 0, "under": under}
