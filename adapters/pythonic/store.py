"""Stores that are driven by a library of Python: which library, which place, which settings."""

from __future__ import annotations

import getpass
import platform
from collections.abc import Mapping
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from fsconform.adapters.folders.marker import new_run
from fsconform.adapters.in_process import InProcessStore
from fsconform.adapters.pythonic import keepers
from fsconform.adapters.pythonic.library import Table
from fsconform.adapters.pythonic.places import KeptPlaces, Places, local_places
from fsconform.adapters.pythonic.session import Bind, End, PythonSession
from fsconform.adapters.separate.frames import Opening
from fsconform.engine.protocol import Session, StoreLost

PACKAGES = {
    "pyarrow": ("pyarrow",),
    "pyarrow-s3": ("pyarrow",),
    "fsspec": ("fsspec",),
    "fsspec-s3": ("fsspec", "s3fs", "aiobotocore"),
    "webhdfs-python": ("hdfs", "requests"),
}
"""For each library the distributions that drive the store, whose versions are told."""

Settings = Mapping[str, str]


class PythonStore(InProcessStore):
    """A store behind a library of Python; fulfils engine.protocol.Store.

    ``library`` is a name of ``PACKAGES``; ``uri`` the sandbox: ``file:`` and a directory; ``s3:`` with a bucket and a
    key, or, for s3fs, with what the names of buckets begin with; ``webhdfs:`` with an address and a directory.
    ``settings`` say how S3 is reached. ``timeout`` is in seconds.
    """

    def __init__(
        self,
        name: str,
        library: str,
        uri: str,
        settings: Settings,
        timeout: float,
        request_rate: float | None = None,
        logs_folder: Path | None = None,
    ) -> None:
        """Describe the store; nothing is made yet. Raises ValueError for a rate or a library that there is none of."""
        super().__init__(name, request_rate, logs_folder)
        if library not in PACKAGES:
            raise ValueError(f"there is no library {library!r}: there are {', '.join(PACKAGES)}")
        self._library, self._uri, self._settings, self._timeout = library, uri, settings, timeout

    @property
    def uri(self) -> str:
        """The sandbox."""
        return self._uri

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the library and of Python."""
        found = {package: metadata.version(package) for package in PACKAGES[self._library]}
        return {"judged": f"the interface of {self._library}", "python": platform.python_version()} | found

    def session(self, run: str = "") -> PythonSession:
        """Open a session with a place of its own, named ``run`` or by chance. Raises StoreLost or SandboxRefused."""
        try:
            bind, table, places, end = self._driven(run or new_run())
        except ImportError as error:
            raise StoreLost(f"{self._library} can't be loaded: {error}") from error
        return PythonSession(self._library, bind, table, places, self._pause, self._apart, end)

    def _opening(self) -> Opening:
        description = (self._name, self._library, self._uri, dict(self._settings), self._timeout, self._rate)
        return partial(_opened, *description)

    def _driven(self, run: str) -> tuple[Bind, Table, Places, End]:
        """The library's calls, the names of its errors, the places for programs, its end. Raises ImportError too."""
        parts, settings = urlsplit(self._uri), self._settings
        if self._library == "webhdfs-python":
            from fsconform.adapters.pythonic import webhdfs

            # The client names its user and proves nothing; who starts the cluster is its superuser.
            client = webhdfs.client(f"http://{parts.netloc}", getpass.getuser(), self._timeout)
            places: Places = KeptPlaces(parts.path, keepers.WebHdfsKeeper(client), run)
            return webhdfs.bind(client), webhdfs.TABLE, places, _nothing
        if self._library.startswith("pyarrow"):
            from fsconform.adapters.pythonic import arrow

            if parts.scheme == "file":
                return arrow.local(), arrow.TABLE, self._folders(parts.path, run), _nothing
            keeper = keepers.PrefixKeeper(keepers.s3_client(settings))
            places = KeptPlaces(parts.netloc + parts.path, keeper, run)
            return arrow.s3(*_keys(settings), self._timeout), arrow.TABLE, places, _nothing
        from fsconform.adapters.pythonic import fsspecs

        if parts.scheme == "file":
            return fsspecs.local(), fsspecs.TABLE, self._folders(parts.path, run), _nothing
        buckets = KeptPlaces(parts.netloc, keepers.BucketKeeper(keepers.s3_client(settings)), run, "-")
        bind, end = fsspecs.s3(*_keys(settings), self._timeout)
        return bind, fsspecs.TABLE, buckets, end

    def _folders(self, path: str, run: str) -> Places:
        with self._lock:
            return local_places(Path(unquote(path)), run, self._leave, self._entered)


def _opened(*description: Any) -> Session:
    """A session as its process opens it: what PythonStore is described by, and the session's name at the end."""
    *store, run = description
    return PythonStore(*store).session(run)


def _keys(settings: Settings) -> tuple[str, str, str, str]:
    return settings["endpoint"], settings["access.key"], settings["secret.key"], settings["region"]


def _nothing() -> None:
    """Nothing is to be ended."""
