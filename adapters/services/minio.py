"""A real MinIO on this machine: an S3 server on loopback with one bucket and secrets of its own, gone when stopped."""

from __future__ import annotations

import http.client
import re
from collections.abc import Callable
from pathlib import Path

from fsconform.adapters.golang import GoError, Program, built
from fsconform.adapters.patience import Patience, patient
from fsconform.adapters.services.daemon import START_SECONDS, Daemon, Launcher, ServiceError, process
from fsconform.adapters.services.ports import loopback
from fsconform.adapters.services.s3_access import REGION, Keys, S3Server
from fsconform.adapters.services.service import PortTaken
from fsconform.engine.injection import MINIO as MINIO_SERVER

MINIO = Program("minio", "github.com/minio/minio", "v0.0.0-20260212201848-7aac2a2c5b7c", (1, 24))
"""The last MinIO that its makers published as source."""

MINIO_2021 = Program("minio", "github.com/minio/minio", "v0.0.0-20210206053228-97fe57bba92c", (1, 21), "go1.17.13")
"""MinIO of February 2021: one drive is a plain folder there, a file for each object, as it was until 2022."""

_TAKEN = re.compile(r"address already in use|port is already in use|Specified port", re.IGNORECASE)
_BUCKET = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")


class MinioService(S3Server):
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
        super().__init__("MinIO", work, progress, start_timeout)
        if not _BUCKET.fullmatch(bucket):
            raise ValueError(f"{bucket!r} is no name of a bucket: small letters, digits and dashes")
        self._executable = executable
        self._host, self._asked_port, self._port = loopback(host), port, port or 0
        self.bucket = bucket
        self._keys = Keys()
        self.access_key, self._secret_key = self._keys.access, self._keys.secret
        self._launcher = launcher
        self._program = program
        self._log_names = (MINIO_SERVER,)

    @property
    def versions(self) -> dict[str, str]:
        """The version of MinIO's module."""
        return {"minio": self._program.version}

    @property
    def secret_key(self) -> str:
        """The secret of the one account there is; it holds as long as the service."""
        return self._secret_key

    @property
    def parts(self) -> tuple[str, ...]:
        """The name of the server, if it is a process of this machine."""
        return (MINIO_SERVER,) if self._launcher is process else ()

    def _serves_again(self, daemon: Daemon, heard: int) -> bool:
        return self._answers()

    def _serves(self) -> bool:
        return self._answers()

    def _bring_up(self) -> None:
        try:
            executable = self._executable or built(self._program, self._progress)
        except GoError as error:
            raise ServiceError(str(error)) from error
        self._on_a_port(self._asked_port, lambda first: self._attempt(executable))
        self._make_bucket()

    def _attempt(self, executable: Path) -> None:
        home = self._work / "minio"
        (home / "certs").mkdir(parents=True, exist_ok=True)
        (self._work / "logs").mkdir(parents=True, exist_ok=True)
        self._powered.mount("minio", home / "data", self._log("volume-minio"))
        address = f"{self._host}:{self._port}"
        arguments = ["server", "--address", address, "--certs-dir", str(home / "certs"), str(home / "data")]
        variables = {
            "MINIO_ROOT_USER": self.access_key,
            "MINIO_ROOT_PASSWORD": self._secret_key,
            "MINIO_BROWSER": "off",
            "MINIO_UPDATE": "off",
            "MINIO_REGION_NAME": REGION,
            "HOME": str(home),
        }
        self._progress(f"Starting MinIO on {address}.")
        daemon = self._launcher(MINIO_SERVER, (str(executable), *arguments), home, self._log(MINIO_SERVER), variables)
        self._daemons = [daemon]
        daemon.start()
        self._wait(Patience(self._timeout), self._answers)

    def _ended(self, failure: str) -> ServiceError:
        daemon = self._daemons[0]
        if _TAKEN.search(daemon.text()):
            return PortTaken(f"port {self._port} is taken on {self._host}; see {daemon.log}")
        return ServiceError(failure)

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
