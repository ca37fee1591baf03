"""A Hadoop store: a URI, jars, configuration, a sandbox. Built-in stores are presets of this."""

from __future__ import annotations

import contextlib
import copy
import re
import secrets
import shutil
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from fsconform.adapters import temporary
from fsconform.adapters.hadoop import wire
from fsconform.adapters.hadoop.process import WorkerProcess
from fsconform.adapters.hadoop.session import HadoopSession
from fsconform.adapters.java import Java, NoJava, find_java
from fsconform.engine.protocol import NO_SETTINGS, Misconfigured, StoreLost

OPERATION_SECONDS = 30.0
LAST_VFORK = 21
"""Java releases up to this start a process by one exec: without libhadoop each mkdirs of a local store starts chmod."""

HEAP = "512m"


class Service(Protocol):
    """What brings a store up and down."""

    def start(self) -> None:
        """Start it, and return when it answers."""
        ...

    def stop(self) -> None:
        """Stop it."""
        ...

    def logs(self) -> Iterable[str]:
        """Paths of its logs."""
        ...


class HadoopStore:
    """A store behind Hadoop's FileSystem interface. Sessions may be opened from several threads.

    ``jars`` are the user's and come before ``classpath``, the profile's. ``configuration`` wins over
    ``configuration_files``, which are Hadoop's XML. ``sandbox`` is a path to use instead of the URI's. ``xmx`` is the
    heap limit of Java. ``operation_timeout`` is in seconds. ``request_rate`` caps the operations a second of each
    session. ``real_root`` runs programs on the root itself and deletes everything there: only for a store that was just
    started. ``logs_folder`` keeps the workers' logs; without one they go to a temporary folder that stays only if a
    worker failed. ``own`` is true of a store that the caller started: directories of programs may be made there in the
    cheapest way.
    """

    def __init__(
        self,
        name: str,
        uri: str,
        *,
        classpath: Sequence[str | Path],
        jars: Sequence[str | Path] = (),
        configuration: Mapping[str, str] | None = None,
        configuration_files: Sequence[str | Path] = (),
        sandbox: str = "",
        xmx: str = HEAP,
        operation_timeout: float = OPERATION_SECONDS,
        request_rate: float | None = None,
        service: Service | None = None,
        real_root: bool = False,
        java: Java | None = None,
        jvm_arguments: Sequence[str] = (),
        logs_folder: Path | None = None,
        own: bool = False,
    ) -> None:
        """Describe the store; nothing is started. Raises ValueError for an argument that cannot be meant."""
        if not re.fullmatch(r"[1-9][0-9]*[kKmMgG]?", xmx):
            raise ValueError(f"xmx is {xmx!r}; write a number and k, m or g, such as 512m")
        if not operation_timeout > 0:
            raise ValueError(f"operation_timeout is {operation_timeout!r}; it is a number of seconds above 0")
        if request_rate is not None and not request_rate > 0:
            raise ValueError(f"request_rate is {request_rate!r}; it is a number of operations a second above 0")
        self._name, self._uri, self._sandbox, self._real_root = name, uri, sandbox, real_root
        self._emptied, self._own = False, own
        self._class_path = tuple(str(Path(jar).absolute()) for jar in (*jars, *classpath))
        self._files = tuple(str(Path(file).absolute()) for file in configuration_files)
        for file in (*self._class_path, *self._files):
            if not Path(file).exists() and not file.endswith("*"):
                raise ValueError(f"there is no {file}")
        self._configuration = dict(configuration or {})
        self._xmx, self._arguments = xmx, tuple(jvm_arguments)
        self._timeout, self._rate = operation_timeout, request_rate
        self._service, self._java, self._logs_folder = service, java, logs_folder
        self._lock = threading.Lock()
        self._temporary: Path | None = None
        self._workers = self._open = 0
        self._started = self._made_marker = self._made_sandbox = self._trouble = False
        self._versions: dict[str, str] = {}
        self._declared_by: dict[str, str] = {}
        self._runs: set[str] = set()
        self._others: set[str] = set()

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        return self._name

    @property
    def uri(self) -> str:
        """The URI as it was given."""
        return self._uri

    @property
    def configuration(self) -> dict[str, str]:
        """The properties of its client that were given one by one. There may be secrets among them."""
        return dict(self._configuration)

    @property
    def configuration_files(self) -> tuple[str, ...]:
        """Paths of Hadoop's XML files with further properties of its client."""
        return self._files

    @property
    def versions(self) -> dict[str, str]:
        """Versions of Hadoop and Java and the FileSystem's class, known once a session was opened."""
        return dict(self._versions)

    @property
    def declared_by(self) -> dict[str, str]:
        """For some methods the class that declares the one which a call ends in, known once a session was opened."""
        return dict(self._declared_by)

    @property
    def others(self) -> tuple[str, ...]:
        """Directories in the sandbox that sessions of other stores made: those under way, or left by killed runs."""
        return tuple(sorted(self._others - self._runs))

    def on_root(self, configuration: Mapping[str, str] = NO_SETTINGS) -> HadoopStore:
        """The same store, whose programs play in its real root: all that is there is deleted before each of them.

        Only for a store that the caller started, and that no other session uses. It has no service of its own.
        ``configuration`` has settings of its client beside those that it has.
        """
        other = copy.copy(self)
        other._configuration = self._configuration | dict(configuration)
        other._real_root = other._emptied = True
        other._service, other._lock = None, threading.Lock()
        other._made_marker = other._made_sandbox = False
        other._open = 0
        return other

    def session(self) -> HadoopSession:
        """Open a session with a worker process of its own. Raises StoreLost or SandboxRefused."""
        with self._lock:
            if self._service is not None and not self._started:
                self._service.start()
            self._started = True
            if self._java is None:
                try:
                    self._java = find_java()
                except NoJava as error:
                    raise Misconfigured(str(error)) from error
            self._open += 1
        pause = 1 / self._rate if self._rate else 0.0
        try:
            run = f"run-{secrets.token_hex(6)}"
            self._runs.add(run)
            return HadoopSession(self, run, self._timeout, pause)
        except BaseException:
            self._trouble = True
            raise

    def logs(self) -> Iterable[str]:
        """Paths of the workers' logs and of the service's."""
        folder = self._logs_folder or self._temporary
        own = sorted(map(str, folder.glob("worker-*.log"))) if folder else []
        return [*own, *(self._service.logs() if self._service else ())]

    def close(self) -> None:
        """Stop the service; remove a temporary folder of logs unless a worker failed. May be called twice."""
        with self._lock:
            service, self._service = (self._service, None) if self._started else (None, self._service)
            remove = None if self._trouble else self._temporary
            kept = self._temporary if self._trouble else None
        try:
            if service is not None:
                service.stop()
        finally:
            if remove is not None:
                shutil.rmtree(remove, ignore_errors=True)
            if kept is not None:
                with contextlib.suppress(OSError):
                    temporary.keep(kept)

    def clean_up(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Remove what earlier runs left in the sandbox: names removed, problems met.

        Raises StoreLost or SandboxRefused.
        """
        with self.session() as session:
            return session.sweep()

    # What sessions ask for.

    def spawn(self, replacement: bool) -> WorkerProcess:
        """Start a worker process with a log of its own; ``replacement`` if one was lost before. Raises StoreLost."""
        with self._lock:
            folder = self._logs_folder or self._temporary
            if folder is None:
                folder = self._temporary = temporary.folder("logs")
            self._workers += 1
            number = self._workers
            self._trouble = self._trouble or replacement
        java = self._java
        assert java is not None
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return WorkerProcess(folder / f"worker-{secrets.token_hex(4)}-{number}.log", java.home, self._timeout)
        except OSError as error:
            raise StoreLost(f"no worker process could be started: {error}") from error

    def hello(self, run: str, resumed: bool) -> wire.Hello:
        """The first frame for a worker."""
        java = self._java
        assert java is not None
        arguments = (
            *(("-Djdk.lang.Process.launchMechanism=VFORK",) if java.major <= LAST_VFORK else ()),
            f"-Xmx{self._xmx}",
            "-Dfile.encoding=UTF-8",
            "-Dsun.jnu.encoding=UTF-8",
            "-Djava.awt.headless=true",
            "-Dslf4j.internal.verbosity=ERROR",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-XX:TieredStopAtLevel=1",  # runs are short: the better compiler costs more than it gives back
            *self._arguments,
        )
        return wire.Hello(
            version=wire.VERSION,
            libjvm=str(java.libjvm),
            jvm_arguments=arguments,
            class_path=self._class_path,
            uri=self._uri,
            sandbox=self._sandbox,
            run=run,
            configuration=self._configuration,
            configuration_files=self._files,
            real_root=self._real_root,
            resumed=resumed,
            rate=self._rate or 0.0,
            emptied=self._emptied,
            own=self._own,
        )

    def opened(self, ready: wire.Ready) -> None:
        """Hear what a worker found."""
        with self._lock:
            self._versions = dict(ready.versions)
            self._declared_by = dict(ready.declared_by)
            self._others |= set(ready.others)
            self._made_marker = self._made_marker or ready.made_marker
            self._made_sandbox = self._made_sandbox or ready.made_sandbox

    def leave(self) -> wire.Close:
        """Hear that a session ends. The last one removes the marker and the sandbox if this store made them."""
        with self._lock:
            self._open -= 1
            last = self._open == 0
            return wire.Close(last and self._made_marker, last and self._made_sandbox)
