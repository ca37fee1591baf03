"""A real MinIO on this machine: an S3 server on loopback with one bucket and secrets of its own, gone when stopped."""

from __future__ import annotations

import atexit
import http.client
import ipaddress
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fsconform.adapters.golang import GoError, Program, built
from fsconform.adapters.patience import Patience, patient
from fsconform.adapters.services import s3_access
from fsconform.adapters.services.daemon import START_SECONDS, Daemon, Launcher, ServiceError, process
from fsconform.adapters.services.ports import free_port

MINIO = Program("minio", "github.com/minio/minio", "v0.0.0-20260212201848-7aac2a2c5b7c", (1, 24))
"""The last MinIO that its makers published as source."""

MINIO_2021 = Program("minio", "github.com/minio/minio", "v0.0.0-20210206053228-97fe57bba92c", (1, 21), "go1.17.13")
"""MinIO of February 2021: one drive is a plain folder there, a file for each object, as it was until 2022."""

_ATTEMPTS = 3
_POLL_SECONDS = 0.05
_TAKEN = re.compile(r"address already in use|port is already in use|Specified port", re.IGNORECASE)
_BUCKET = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")


class _PortTaken(ServiceError):
    """The port went to another program."""


class MinioService:
    """One MinIO. ``work`` is a directory, new or empty, that the service makes and removes.

    ``executable`` is MinIO's; without one ``program`` is built from source, once. A stop removes everything; if the
    server failed before, its log stays and ``logs`` says where.
    """

    def __init__(
        self,
        work: Path,
        executable: Path | None = None,
        bucket: str = "fsconform",
        host: str = "127.0.0.1",
        port: int | None = None,
        progress: Callable[[str], None] | None = None,
        start_timeout: float = START_SECONDS,
        launcher: Launcher = process,
        program: Program = MINIO,
    ) -> None:
        """Describe the service. ``start_timeout`` is in seconds on an idle machine. ``launcher`` starts ``executable``.

        Raises ValueError for a host that is not loopback or a name that S3 takes for no bucket.
        """
        if not ipaddress.IPv4Address(host).is_loopback:
            raise ValueError(f"host must be an IPv4 loopback address, not {host!r}")
        if not _BUCKET.fullmatch(bucket):
            raise ValueError(f"{bucket!r} is no name of a bucket: small letters, digits and dashes")
        self._work = work.absolute()
        self._executable = executable
        self._host, self._asked_port, self._port = host, port, port or 0
        self.bucket = bucket
        self._keys = s3_access.Keys()
        self.access_key, self._secret_key = self._keys.access, self._keys.secret
        self._progress = progress or (lambda message: None)
        self._timeout = start_timeout
        self._launcher = launcher
        self._program = program
        self._daemon: Daemon | None = None
        self._started = self._failed = False

    @property
    def endpoint(self) -> str:
        """The URL of the S3 endpoint. Raises ServiceError before the start."""
        if not self._port:
            raise ServiceError("the MinIO service has no endpoint before it is started")
        return f"http://{self._host}:{self._port}"

    @property
    def versions(self) -> dict[str, str]:
        """The version of MinIO's module."""
        return {"minio": self._program.version}

    @property
    def pids(self) -> dict[str, int]:
        """The process id of the server, by its name."""
        return {"minio": self._daemon.pid} if self._daemon is not None and self._daemon.pid is not None else {}

    @property
    def secret_key(self) -> str:
        """The secret of the one account there is; it holds as long as the service."""
        return self._secret_key

    def s3a_configuration(self) -> dict[str, str]:
        """Hadoop settings for an S3A client of this service. Raises ServiceError before the start."""
        return s3_access.s3a_configuration(self.endpoint, self._keys)

    def client(self) -> Any:
        """A boto3 client of the service. Raises ServiceError before the start."""
        return s3_access.client(self.endpoint, self._keys)

    def logs(self) -> list[Path]:
        """The server's log, if there is one."""
        return [path for path in (self._log,) if path.is_file()]

    def alive(self) -> bool:
        """Whether the server runs."""
        return self._daemon is not None and self._daemon.alive()

    @property
    def parts(self) -> tuple[str, ...]:
        """The name of the server, if it is a process of this machine: then it can be crashed and restarted."""
        return ("minio",) if self._daemon is not None and self._launcher is process else ()

    def crash(self, part: str) -> None:
        """Send the server SIGKILL, and wait until it is gone."""
        assert part == "minio" and self._daemon is not None
        self._daemon.crash()

    def restart(self, part: str) -> None:
        """Start the server again that was crashed, on its port and its storage, and wait until it answers.

        Raises ServiceError if that takes too long.
        """
        assert part == "minio" and self._daemon is not None
        self._daemon.start()
        self._wait_for_answers()

    def start(self) -> None:
        """Start the server, wait until it answers and make the bucket. Raises ServiceError."""
        if self._started:
            raise ServiceError("the MinIO service is started already")
        if self._work.exists() and (not self._work.is_dir() or any(self._work.iterdir())):
            raise ServiceError(f"{self._work} is in use: the MinIO service needs a directory that is new or empty")
        try:
            executable = self._executable or built(self._program, self._progress)
        except GoError as error:
            raise ServiceError(str(error)) from error
        self._started, self._failed = True, False
        atexit.register(self.stop)
        try:
            (self._work / "logs").mkdir(parents=True, exist_ok=True)
            self._start_on_a_port(executable)
            self._make_bucket()
        except BaseException as error:
            self._failed = isinstance(error, Exception)
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server and remove the work directory. May be called twice, and after a failed start."""
        if not self._started:
            return
        if self._daemon is not None:
            self._failed = self._failed or self._daemon.poll() is not None
            self._daemon.stop()
        shutil.rmtree(self._home if self._failed else self._work, ignore_errors=True)
        self._started = False
        atexit.unregister(self.stop)

    def __enter__(self) -> Self:
        """Start the service."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the service."""
        self.stop()

    @property
    def _home(self) -> Path:
        return self._work / "minio"

    @property
    def _log(self) -> Path:
        return self._work / "logs" / "minio.log"

    def _start_on_a_port(self, executable: Path) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            self._port = self._asked_port or free_port(self._host)
            try:
                self._attempt(executable)
                return
            except _PortTaken:
                if self._daemon is not None:
                    self._daemon.stop()
                if self._asked_port or attempt == _ATTEMPTS:
                    raise
                self._log.unlink(missing_ok=True)

    def _attempt(self, executable: Path) -> None:
        for folder in ("data", "certs"):
            (self._home / folder).mkdir(parents=True, exist_ok=True)
        address = f"{self._host}:{self._port}"
        arguments = ["server", "--address", address, "--certs-dir", str(self._home / "certs"), str(self._home / "data")]
        variables = {
            "MINIO_ROOT_USER": self.access_key,
            "MINIO_ROOT_PASSWORD": self._secret_key,
            "MINIO_BROWSER": "off",
            "MINIO_UPDATE": "off",
            "MINIO_REGION_NAME": s3_access.REGION,
            "HOME": str(self._home),
        }
        self._progress(f"Starting MinIO on {address}.")
        self._daemon = self._launcher("minio", (str(executable), *arguments), self._home, self._log, variables)
        self._daemon.start()
        self._wait_for_answers()

    def _wait_for_answers(self) -> None:
        assert self._daemon is not None
        patience = Patience(self._timeout)
        while not patience.over:
            if (code := self._daemon.poll()) is not None:
                if _TAKEN.search(self._daemon.text()):
                    raise _PortTaken(f"port {self._port} is taken on {self._host}; see {self._log}")
                raise ServiceError(f"MinIO ended with code {code}; see {self._log}:\n{self._daemon.tail()}")
            if self._answers():
                return
            time.sleep(_POLL_SECONDS)
        raise ServiceError(
            f"MinIO was not ready after {patience.seconds:.0f} s; see {self._log}:\n{self._daemon.tail()}"
        )

    def _answers(self) -> bool:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=patient(5))
        try:
            connection.request("GET", "/minio/health/ready")
            answer = connection.getresponse()
            return answer.status == 200 and "minio" in answer.headers.get("Server", "").lower()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _make_bucket(self) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            self.client().create_bucket(Bucket=self.bucket)
        except (BotoCoreError, ClientError) as error:
            raise ServiceError(f"MinIO could not make the bucket {self.bucket}: {error}; see {self._log}") from error
