"""A real S3Proxy on this machine: an S3 server over its memory or over another S3, on loopback, gone when stopped."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fsconform.adapters.java import find_java
from fsconform.adapters.services.s3_access import Keys, S3Server
from fsconform.adapters.services.server import Server
from fsconform.engine.injection import S3PROXY

MAIN_CLASS = "org.gaul.s3proxy.Main"
VERSION = "4.1.0"
PROFILE = f"s3proxy-{VERSION}"
"""The profile of its jar."""

_LISTENS = re.compile(r"Started \S*ServerConnector.*\{127\.0\.0\.1:(\d+)\}")
_JVM = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Djava.net.preferIPv4Stack=true")


class S3ProxyService(S3Server, Server):
    """One S3Proxy with one bucket. ``work`` is a directory, new or empty, that the service makes and removes.

    ``behind`` are the settings of an S3A client of the S3 that keeps the objects; without one they are files of a
    filesystem in the server's memory, which can't hold an object ``a/b`` beside an object ``a``: its PUT is answered by
    HTTP 500. ``jars`` are those of its profile.
    """

    def __init__(
        self,
        work: Path,
        jars: Sequence[Path],
        behind: Mapping[str, str] | None = None,
        bucket: str = "fsconform",
        progress: Callable[[str], None] = lambda message: None,
        heap_megabytes: int = 512,
    ) -> None:
        """Describe the service; nothing is started."""
        super().__init__(S3PROXY, work, self._command, _LISTENS, {"LOG_LEVEL": "info"}, progress)
        self._jars, self._behind, self._heap = tuple(jars), dict(behind or {}), heap_megabytes
        self.bucket, self._keys = bucket, Keys()
        self.versions = {"s3proxy": VERSION, "s3proxy keeps objects in": "another S3" if behind else "its memory"}

    @property
    def parts(self) -> tuple[str, ...]:
        """The server's name where another S3 keeps the objects; what it has in its memory is gone with it."""
        return (S3PROXY,) if self._behind else ()

    def restart(self, part: str) -> None:
        """As any service does; on the port that it found at its start."""
        self._set_up(self._work / self._what, self._port)
        super().restart(part)

    def _bring_up(self) -> None:
        super()._bring_up()
        self._make_bucket()

    def _kept(self, home: Path) -> dict[str, str]:
        """What says where the objects are kept."""
        if not self._behind:
            return {
                "jclouds.provider": "transient-nio2",
                "jclouds.identity": "none",
                "jclouds.credential": "none",
                "jclouds.filesystem.basedir": str(home / "data"),
            }
        return {
            "jclouds.provider": "aws-s3",
            "jclouds.endpoint": self._behind["fs.s3a.endpoint"],
            "jclouds.region": self._behind["fs.s3a.endpoint.region"],
            "jclouds.identity": self._behind["fs.s3a.access.key"],
            "jclouds.credential": self._behind["fs.s3a.secret.key"],
        }

    def _set_up(self, home: Path, port: int) -> Path:
        """Write the server's settings, for a port or for any that is free: the file."""
        settings = {
            "s3proxy.endpoint": f"http://127.0.0.1:{port}",
            "s3proxy.authorization": "aws-v4",
            "s3proxy.identity": self._keys.access,
            "s3proxy.credential": self._keys.secret,
            **self._kept(home),
        }
        file = home / "s3proxy.properties"
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8")
        file.chmod(0o600)
        return file

    def _command(self, home: Path) -> Sequence[str]:
        for folder in ("data", "tmp"):
            (home / folder).mkdir()
        file = self._set_up(home, 0)
        path = ":".join(map(str, self._jars))
        options = (f"-Xmx{self._heap}m", f"-Djava.io.tmpdir={home / 'tmp'}")
        return (str(find_java().executable), *_JVM, *options, "-cp", path, MAIN_CLASS, "--properties", str(file))
