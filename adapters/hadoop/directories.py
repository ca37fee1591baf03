"""How the directory of each program is made and removed: through the store's client, or, where the harness started the
store itself, by a cheaper way that leaves the same.

On this machine a client without libhadoop starts ``chmod`` for each directory; S3A looks at the path and at what is
above it before it writes the marker. Neither is judged here: it is done for every program, beside what is tried.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm

_RAW = ("org.apache.hadoop.fs.RawLocalFileSystem", "org.apache.hadoop.fs.LocalFileSystem")
_S3A = "org.apache.hadoop.fs.s3a.S3AFileSystem"
_MARKER_TYPE = "application/x-directory"


class Trouble(Exception):
    """A directory could not be made or emptied."""


class Directories:
    """Through the client, as any application does it. Paths are strings of the store, without scheme."""

    why = ""
    """What is known of why a directory could not be made."""

    def __init__(self, filesystem: Any, scheme: Any, authority: Any) -> None:
        self._fs = filesystem
        self._scheme, self._authority = scheme, authority
        self._path_class = jpype.JClass("org.apache.hadoop.fs.Path")

    def java(self, path: str) -> Any:
        """A path as the client has it."""
        return self._path_class(self._scheme, self._authority, path)

    def make(self, path: str) -> None:
        """Make a directory with all that is missing above it. Raises Trouble, and what Java raises."""
        if not self._fs.mkdirs(self.java(path)):
            raise Trouble(f"mkdirs({path}) returned false{self.why}")

    def make_in(self, group: str, path: str) -> None:
        """Make a new directory in another, which need not be there. Raises Trouble, and what Java raises."""
        self.make(path)

    def remove(self, path: str) -> None:
        """Remove a directory with all that is in it, as far as it can be. Raises what Java raises."""
        self._fs.delete(self.java(path), True)


class OnThisMachine(Directories):
    """By calls of the system. Each directory has the mode that the client gave the one above it when it made that."""

    _group, _mode = "", 0

    def make_in(self, group: str, path: str) -> None:
        """Make a new directory in another, which need not be there. Raises Trouble, and what Java raises."""
        try:
            if group != self._group:
                self.make(group)
                self._group, self._mode = group, stat.S_IMODE(_place(group).stat().st_mode)
            place = _place(path)
            place.mkdir()
            place.chmod(self._mode)
        except OSError as error:
            self.why = f": {error.strerror}"
            self._group = ""  # a program may have taken away the ground under the next
            self.make(path)

    def remove(self, path: str) -> None:
        """Remove a directory with all that is in it, as far as it can be. Raises what Java raises."""
        self._group = ""
        with contextlib.suppress(OSError, RecursionError):
            shutil.rmtree(_place(path))
            return
        super().remove(path)


class ByRequests(Directories):
    """By one request for each: the marker that S3A's mkdirs writes, written with S3A's own client of the service."""

    def __init__(self, filesystem: Any, scheme: Any, authority: Any) -> None:
        """Raises AttributeError or what Java raises where the release of S3A does not hand out its client."""
        super().__init__(filesystem, scheme, authority)
        self._client = filesystem.getS3AInternals().getAmazonS3Client("directories of programs")
        self._request = jpype.JClass("software.amazon.awssdk.services.s3.model.PutObjectRequest")
        self._nothing = jpype.JClass("software.amazon.awssdk.core.sync.RequestBody").empty()

    def make_in(self, group: str, path: str) -> None:
        """Make a new directory in another, which need not be there. Raises Trouble, and what Java raises."""
        asked = self._request.builder().bucket(self._authority).key(f"{path.lstrip('/')}/").contentType(_MARKER_TYPE)
        try:
            self._client.putObject(asked.build(), self._nothing)
        except jvm.JavaError:
            self.make(path)  # whose errors say what is the matter, and whether to try again


def directories(filesystem: Any, scheme: Any, authority: Any, own: bool) -> Directories:
    """The way for a store; the cheaper ones only for what the harness started itself, and knows the client of."""
    known = jvm.text(filesystem.getClass().getName())
    if own and known in _RAW:
        return OnThisMachine(filesystem, scheme, authority)
    if own and known == _S3A:
        with contextlib.suppress(AttributeError, TypeError, jvm.JavaError):  # a release before 3.4
            return ByRequests(filesystem, scheme, authority)
    return Directories(filesystem, scheme, authority)


def _place(path: str) -> Path:
    """A path as Java writes it in its calls of the system: workers run with UTF-8, whatever the locale is."""
    return Path(os.fsdecode(path.encode()))
