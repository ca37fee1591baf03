"""A client of one Hadoop release, in a worker process and JVM of its own: for what must be done with several releases.

Stores that are judged have sessions (store.py), which run programs in batches. Here one call is made at a time, so that
somebody can look at the bucket in between, and Hadoop's own commands can be run.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fsconform.adapters.hadoop import wire
from fsconform.adapters.hadoop.process import Lost, WorkerProcess
from fsconform.adapters.java import find_java
from fsconform.adapters.patience import patient
from fsconform.engine.protocol import StoreLost

SECONDS = 120.0
"""How long a call may take, the start of the JVM included."""

_JVM = (
    "-Xmx256m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-Xshare:auto",
    "-Djava.net.preferIPv4Stack=true",
    "-Dfile.encoding=UTF-8",
    # Releases before 3.3 look into classes that later Javas have closed.
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
)


@dataclass(frozen=True, slots=True)
class Raised:
    """A call raised a Java error: its class and ancestors, its message, and the chain of causes in one line."""

    classes: tuple[str, ...]
    message: str
    why: str

    @property
    def name(self) -> str:
        """The short name of its class."""
        return self.classes[0].rpartition(".")[2]


class Lacking(Exception):
    """The release has no such thing."""


class ReleaseClient:
    """One client; it runs while it is open. ``class_path`` has the jars of the release. Raises StoreLost, NoJava."""

    def __init__(self, class_path: Sequence[Path], log: Path) -> None:
        self._class_path, self._log = tuple(class_path), log
        self.versions: dict[str, str] = {}

    def __enter__(self) -> Self:
        java = find_java()
        # A client that is only asked looks for no credentials of the machine that it runs on.
        variables = {"AWS_EC2_METADATA_DISABLED": "true"}
        self._worker = WorkerProcess(self._log, java.home, patient(SECONDS), variables)
        class_path = tuple(map(str, self._class_path))
        try:
            frame = self._ask(wire.Hello(wire.VERSION, str(java.libjvm), _JVM, class_path, single_calls=True))
            if isinstance(frame, wire.Failed):
                raise StoreLost(f"the client could not be started: {frame.message}; see {self._log}")
            if not isinstance(frame, wire.Ready):
                raise self._unexpected(frame)
            self.versions = frame.versions
        except BaseException:
            self._worker.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._worker.connection.shutdown(socket.SHUT_WR)
        self._worker.let_end()

    def kill(self) -> None:
        """Send it SIGKILL, and wait until it is gone."""
        self._worker.kill()

    def open(self, uri: str, configuration: Mapping[str, str], files: Sequence[Path] = ()) -> Raised | None:
        """Open the FileSystem of a URI in place of the one before; the error if there is no opening it."""
        answer = self.call(
            "open", uri=uri, configuration=dict(configuration), files=[str(path.absolute()) for path in files]
        )
        return answer if isinstance(answer, Raised) else None

    def call(self, what: str, **arguments: Any) -> Any:
        """What a call returned, or the error it raised. Raises StoreLost, and Lacking where the release has it not."""
        frame = self._ask(wire.Ask(what, json.dumps(arguments)))
        if not isinstance(frame, wire.Answer):
            raise self._unexpected(frame)
        if frame.lacking:
            raise Lacking(frame.lacking)
        if frame.raised:
            return Raised(frame.raised, frame.message, frame.why)
        return json.loads(frame.value)

    def _ask(self, frame: wire.Frame) -> wire.Reply:
        worker = self._worker

        def asked() -> wire.Reply:
            worker.send(frame)
            return worker.answer()

        worker.wait_at_most(patient(SECONDS))
        try:
            return worker.guarded(asked)
        except Lost as error:
            raise StoreLost(f"{error}; see {self._log}") from error

    def _unexpected(self, frame: wire.Reply) -> StoreLost:
        return StoreLost(f"the worker answered with a {type(frame).__name__} frame; see {self._log}")
