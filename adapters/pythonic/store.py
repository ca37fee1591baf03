"""Stores that are driven by a library of Python: which library, which place, which settings."""

from __future__ import annotations

import getpass
import platform
import threading
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

from fsconform.adapters.folders.sandbox import Sandbox
from fsconform.adapters.pythonic import keepers
from fsconform.adapters.pythonic.library import Table
from fsconform.adapters.pythonic.places import KeptPlaces, Places, local_places
from fsconform.adapters.pythonic.session import Bind, End, PythonSession
from fsconform.engine.protocol import StoreLost

PACKAGES = {
    "pyarrow": ("pyarrow",),
    "pyarrow-s3": ("pyarrow",),
    "fsspec": ("fsspec",),
    "fsspec-s3": ("fsspec", "s3fs", "aiobotocore"),
    "webhdfs-python": ("hdfs", "requests"),
}
"""For each library the distributions that drive the store, whose versions are told."""

Settings = Mapping[str, str]


class PythonStore:
    """A store behind a library of Python; fulfils engine.protocol.Store. Sessions may be opened from several threads.

    ``library`` is a name of ``PACKAGES``; ``uri`` the sandbox: ``file:`` and a directory; ``s3:`` with a bucket and a
    key, or, for s3fs, with what the names of buckets begin with; ``webhdfs:`` with an address and a directory.
    ``settings`` say how S3 is reached. ``timeout`` is in seconds.
    """

    def __init__(
        self, name: str, library: str, uri: str, settings: Settings, timeout: float, request_rate: float | None = None
    ) -> None:
        """Describe the store; nothing is made yet. Raises ValueError for a rate or a library that there is none of."""
        if request_rate is not None and not request_rate > 0:
            raise ValueError(f"request_rate is {request_rate!r}; it is a number of operations a second above 0")
        if library not in PACKAGES:
            raise ValueError(f"there is no library {library!r}: there are {', '.join(PACKAGES)}")
        self._name, self._library, self._uri = name, library, uri
        self._settings, self._timeout = settings, timeout
        self._pause = 1 / request_rate if request_rate else 0.0
        self._lock = threading.Lock()
        self._made_marker = self._made_sandbox = False

    @property
    def name(self) -> str:
        """The name under which results are reported."""
        return self._name

    @property
    def uri(self) -> str:
        """The sandbox."""
        return self._uri

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the library and of Python."""
        found = {package: metadata.version(package) for package in PACKAGES[self._library]}
        return {"judged": f"the interface of {self._library}", "python": platform.python_version()} | found

    def session(self) -> PythonSession:
        """Open a session with a place of its own. Raises StoreLost or SandboxRefused."""
        try:
            bind, table, places, end = self._driven()
        except ImportError as error:
            raise StoreLost(f"{self._library} can't be loaded: {error}") from error
        return PythonSession(self._library, bind, table, places, self._pause, end)

    def logs(self) -> tuple[str, ...]:
        """Nothing: there is no process whose logs could tell more."""
        return ()

    def close(self) -> None:
        """Nothing to stop."""

    def _driven(self) -> tuple[Bind, Table, Places, End]:
        """The library's calls, the names of its errors, the places for programs, its end. Raises ImportError too."""
        parts, settings = urlsplit(self._uri), self._settings
        if self._library == "webhdfs-python":
            from fsconform.adapters.pythonic import webhdfs

            # The client names its user and proves nothing; who starts the cluster is its superuser.
            client = webhdfs.client(f"http://{parts.netloc}", getpass.getuser(), self._timeout)
            return webhdfs.bind(client), webhdfs.TABLE, KeptPlaces(parts.path, keepers.WebHdfsKeeper(client)), _nothing
        if self._library.startswith("pyarrow"):
            from fsconform.adapters.pythonic import arrow

            if parts.scheme == "file":
                return arrow.local(), arrow.TABLE, self._folders(parts.path), _nothing
            keeper = keepers.PrefixKeeper(keepers.s3_client(settings))
            places = KeptPlaces(parts.netloc + parts.path, keeper)
            return arrow.s3(*_keys(settings), self._timeout), arrow.TABLE, places, _nothing
        from fsconform.adapters.pythonic import fsspecs

        if parts.scheme == "file":
            return fsspecs.local(), fsspecs.TABLE, self._folders(parts.path), _nothing
        buckets = KeptPlaces(parts.netloc, keepers.BucketKeeper(keepers.s3_client(settings)), "-")
        bind, end = fsspecs.s3(*_keys(settings), self._timeout)
        return bind, fsspecs.TABLE, buckets, end

    def _folders(self, path: str) -> Places:
        with self._lock:
            return local_places(Path(unquote(path)), self._leave, self._entered)

    def _entered(self, sandbox: Sandbox) -> None:
        self._made_marker = self._made_marker or sandbox.made_marker
        self._made_sandbox = self._made_sandbox or sandbox.made_sandbox

    def _leave(self, sandbox: Sandbox) -> None:
        """Hear that a session ends. Marker and sandbox go with the last one, if this store made them."""
        with self._lock:
            sandbox.leave(self._made_marker, self._made_sandbox)


def _keys(settings: Settings) -> tuple[str, str, str, str]:
    return settings["endpoint"], settings["access.key"], settings["secret.key"], settings["region"]


def _nothing() -> None:
    """Nothing is to be ended."""
