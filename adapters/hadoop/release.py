"""A client of one Hadoop release, in a worker process and JVM of its own: for what must be done with several releases.

Stores that are judged have sessions (store.py), which run programs in batches. Here one call is made at a time, so that
somebody can look at the bucket in between, and Hadoop's own commands can be run.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fsconform.adapters import offspring
from fsconform.adapters.java import find_java
from fsconform.adapters.lines import Closed, Line, Row
from fsconform.adapters.patience import patient
from fsconform.engine.protocol import StoreLost
from fsconform.engine.secrecy import KNOWN, Pump

SECONDS = 120.0
"""How long a call may take, the start of the JVM included."""
_EXIT_SECONDS = 5.0

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
        java, self._mark = find_java(), offspring.mark()
        ours, theirs = socket.socketpair()
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("CLASSPATH", "LANG", "LC_CTYPE", "PYTHONFAULTHANDLER")
        }
        environment |= {"LC_ALL": "C.UTF-8", "JAVA_HOME": str(java.home), "AWS_EC2_METADATA_DISABLED": "true"}
        environment["PYTHONPATH"] = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path if entry)
        self._pump = Pump(self._log)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "fsconform.adapters.hadoop.release_worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=self._pump.end,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs.fileno(),),
                env=environment | {offspring.VARIABLE: self._mark},
                start_new_session=True,
            )
        finally:
            theirs.close()
            self._pump.started()
        self._line = Line(ours)
        row: Row = {
            "libjvm": str(java.libjvm),
            "arguments": list(_JVM),
            "class_path": [str(path) for path in self._class_path],
        }
        try:
            self.versions = dict(self._ask(row))
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._line.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patient(_EXIT_SECONDS))
        self.kill()

    def kill(self) -> None:
        """End the worker and what it started, now. May be called twice."""
        if self._process.returncode is None:
            # The group is named after the worker, which is not yet reaped: the number cannot have passed to another.
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        offspring.end(self._mark)
        self._pump.settle(_EXIT_SECONDS)

    def open(self, uri: str, configuration: Mapping[str, str], files: Sequence[Path] = ()) -> Raised | None:
        """Open the FileSystem of a URI in place of the one before; the error if there is no opening it."""
        answer = self.call(
            "open", uri=uri, configuration=dict(configuration), files=[str(path.absolute()) for path in files]
        )
        return answer if isinstance(answer, Raised) else None

    def call(self, what: str, **arguments: Any) -> Any:
        """What a call returned, or the error it raised. Raises StoreLost, and Lacking where the release has it not."""
        return self._ask({"do": what, **arguments})

    def _ask(self, row: Row) -> Any:
        seconds = patient(SECONDS)
        try:
            self._line.send(row)
            answer = self._line.receive(seconds)
            while "secrets" in answer:
                KNOWN.learn(answer["secrets"])
                self._line.send({})
                answer = self._line.receive(seconds)
        except Closed as error:
            raise StoreLost(f"the worker process ended: {error}; see {self._log}") from error
        except TimeoutError as error:
            self.kill()
            raise StoreLost(f"no answer within {seconds:.0f} s; see {self._log}") from error
        if "broken" in answer:
            raise StoreLost(f"the client could not be started: {answer['broken']}; see {self._log}")
        if "lacking" in answer:
            raise Lacking(answer["lacking"])
        if "raised" in answer:
            return Raised(tuple(answer["raised"]), answer["message"], answer["why"])
        return answer["value"]
