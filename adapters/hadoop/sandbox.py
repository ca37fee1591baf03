"""The sandbox directory of a store, in the worker: taken, proven ours, cleaned. Nothing outside of it is touched.

The directory carries a marker file. Each session has a directory below it, which holds one for each group of programs,
and that one for each program.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.folders.marker import (
    MAKING_SECONDS,
    MARKER,
    MEND,
    NOTE,
    RUN_PREFIX,
    appears,
    is_ours,
    settled,
)
from fsconform.adapters.hadoop import jvm
from fsconform.adapters.hadoop.directories import Trouble, directories

GROUP = 32
"""The directories of so many programs are removed together: for most stores that is one call as cheap as for one."""

_RUN = re.compile(rf"{RUN_PREFIX}(campaign-)?[0-9a-f]{{12}}")
"""The names of directories that sessions make."""

_EMPTYING_ROUNDS = 4
"""Where a path can be both a file and a directory a delete removes one of them at a time."""


class Refused(Exception):
    """The sandbox cannot be used. The text says which directory, why, and how to mend it."""


class Sandbox:
    """The sandbox of one session. ``base`` of a program is a path string; the real root's is empty.

    A ``real_root`` must be empty when it is taken, unless it may be ``emptied`` whatever it holds. In a store that is
    the harness's ``own`` directories of programs are made in the cheapest way there is.
    """

    def __init__(
        self,
        filesystem: Any,
        opened: jvm.Opened,
        path: str,
        run: str,
        real_root: bool,
        emptied: bool = False,
        own: bool = False,
    ) -> None:
        self._fs = filesystem
        uri = filesystem.getUri() or opened.uri
        self.scheme, self.authority = uri.getScheme(), uri.getAuthority()
        self._directories = directories(filesystem, self.scheme, self.authority, own and not real_root)
        self._path, self._run, self._real_root = path.rstrip("/"), run, real_root
        self._emptied = emptied
        self.made_marker = self.made_sandbox = False
        self.others: tuple[str, ...] = ()
        """Directories of other sessions that were there when a sandbox of before was taken."""
        self._group = ""
        self._missing = jpype.JClass("java.io.FileNotFoundException")
        self._exists = jpype.JClass("org.apache.hadoop.fs.FileAlreadyExistsException")
        if real_root and jvm.text(self.scheme).lower() == "file":
            raise Refused("The real root of a local file system is never used: its whole content would be deleted.")
        if not real_root:
            self._check_name()

    @property
    def where(self) -> str:
        """The sandbox as a reader would write it."""
        authority = jvm.text(self.authority)
        return f"{jvm.text(self.scheme)}:{'//' + authority if authority else ''}{self._path or '/'}"

    @property
    def marker(self) -> str:
        """The path of the file that marks the sandbox; empty for a real root, which has none."""
        return "" if self._real_root else f"{self._path}/{MARKER}"

    def _check_name(self) -> None:
        """Refuse what names no directory below the root, or names another than it seems to."""
        if not self._path.startswith("/"):
            raise Refused(
                f"{self.where} names no directory below the root. Name one that fsconform may fill and empty, "
                "such as /fsconform, at the end of the URI."
            )
        if str(self._java(self._path).toUri().getPath()) != self._path:
            raise Refused(f"{self.where} is no plain path: write it without '.', '..' and doubled slashes.")

    def _java(self, path: str) -> Any:
        return self._directories.java(path)

    def take(self, resumed: bool) -> None:
        """Make or check the sandbox and make the session's directory; ``resumed`` if this session has done so before.

        Raises Refused, Trouble, and what Java raises.
        """
        if self._real_root:
            if not (resumed or self._emptied) and (names := self._children("/")):
                raise Refused(
                    f"The root of {self.where} is not empty (it holds {_some(names)}), and a suite on the real root "
                    "deletes everything. Give it a store that was just started."
                )
            return
        status = self._status(self._path)
        if status is None:
            self._directories.make(self._path)
            self.made_sandbox = True
            self._mark()
        elif not status.isDirectory():
            raise Refused(f"{self.where} is a file. Name a directory that is missing or empty.")
        elif not self._marked():
            names = self._children(self._path)
            # Another session may have marked it in between, and a store may show what that made before the marker.
            if names and all(map(_RUN.fullmatch, names)) and appears(self._marked, MAKING_SECONDS):
                names.append(MARKER)
            if names and MARKER not in names:
                raise Refused(
                    f"{self.where} holds what is not ours ({_some(names)}) and no file {MARKER}. Name a directory "
                    f"that is missing or empty; or, if all in it may be deleted, {MEND}."
                )
            if MARKER not in names:
                self._mark()
        elif not resumed:
            self.others = tuple(name for name in self._children(self._path) if _RUN.fullmatch(name))
        if not resumed or self._status(f"{self._path}/{self._run}") is None:
            self._directories.make(f"{self._path}/{self._run}")
        # Another session's end may have removed the marker in between.
        if not self._marked():
            self._mark()

    def _marked(self) -> bool:
        """Whether there is the file that marks a sandbox. Raises Refused for something else, and what Java raises.

        A store that is judged may give back other bytes than were written. That is let pass where nothing is in the
        sandbox but what sessions make; it is never reason enough to remove what others left: see :meth:`sweep`.
        """
        status = self._status(self.marker)
        if status is None or self.made_marker:
            return status is not None
        if not status.isFile():
            raise Refused(f"{self.where}/{MARKER} is no plain file, so {self.where} is not known to be ours.")
        try:
            said = settled(self._said)
        except jvm.JavaError:
            said = b""
        if said is None or is_ours(said):
            return said is not None
        if any(name != MARKER and not _RUN.fullmatch(name) for name in self._children(self._path)):
            raise self._not_marked()
        return True

    def _not_marked(self) -> Refused:
        return Refused(
            f"{self.where}/{MARKER} is not the file that marks a sandbox, so {self.where} is not known to be ours. "
            f"Name another directory; or, if all in it may be deleted, {MEND}."
        )

    def _said(self) -> bytes | None:
        """What the marker says; None where it is gone. Raises what Java raises."""
        try:
            stream = self._fs.open(self._java(self.marker))
        except jvm.JavaError as error:
            if isinstance(error, self._missing):
                return None
            raise
        try:
            buffer = jpype.JArray(jpype.JByte)(2 * len(NOTE))
            count = length = 0
            while length < len(buffer) and (count := int(stream.read(buffer, length, len(buffer) - length))) > 0:
                length += count
            return bytes(buffer[:length])
        finally:
            stream.close()

    def base(self, number: int, attempt: int = 0) -> str:
        """Make the fresh directory of a program's attempt, or see to it that the real root is empty.

        Raises Trouble, and what Java raises.
        """
        if self._real_root:
            self.empty_root()
            return ""
        group = f"{self._path}/{self._run}/g{number // GROUP}"
        if group != self._group:
            self._remove_group()
            self._group = group
        base = f"{group}/p{number}" + (f"-{attempt}" if attempt else "")
        self._directories.make_in(group, base)
        return base

    def _remove_group(self) -> None:
        """Remove what the last group of programs left; what stays is taken up again when the session closes."""
        if self._group:
            with contextlib.suppress(jvm.JavaError):
                self._directories.remove(self._group)

    def empty_root(self) -> None:
        """Delete all children of the real root. Raises Trouble if some stay, and what Java raises."""
        if self._status("/") is None:  # a program may have deleted the root itself, where the store lets it
            self._directories.make("/")
        names: list[str] = []
        for _ in range(_EMPTYING_ROUNDS):
            for status in self._list("/"):
                self._fs.delete(status.getPath(), True)
            names = self._children("/")
            if not names:
                return
        raise Trouble(f"the root could not be emptied: {_some(names)} stayed")

    def sweep(self) -> tuple[list[str], list[str]]:
        """Remove other sessions' directories; the names removed and the problems met.

        Raises Refused where the marker is not known to be ours, and what Java raises.
        """
        if not (self._real_root or self.made_marker or is_ours(settled(self._said) or b"")):
            raise self._not_marked()
        removed: list[str] = []
        problems: list[str] = []
        for name in self._children(self._path) if not self._real_root else ():
            if name.startswith(RUN_PREFIX) and name != self._run:
                problem = self._remove(f"{self._path}/{name}")
                (problems if problem else removed).append(problem or name)
        return removed, problems

    def leave(self, marker: bool, sandbox: bool) -> str:
        """Remove the session's directory; marker and sandbox too where asked for and nothing else is there.

        The text says what could not be removed. Raises what Java raises.
        """
        if self._real_root:
            try:
                self.empty_root()
            except Trouble as error:
                return str(error)
            return ""
        problem = self._remove(f"{self._path}/{self._run}")
        if problem or not marker or self._children(self._path) != [MARKER]:
            return problem
        problem = self._remove(f"{self._path}/{MARKER}")
        if not problem and sandbox:
            try:
                self._fs.delete(self._java(self._path), False)
            except jvm.JavaError:
                # A session that began a moment ago is there: it needs the marker.
                if self._status(self._path) is not None:
                    self._mark()
        return problem

    def _remove(self, path: str) -> str:
        try:
            self._fs.delete(self._java(path), True)
            return "" if self._status(path) is None else f"{path} could not be removed"
        except jvm.JavaError as error:
            return f"{path} could not be removed: {jvm.explain(error)}"

    def _status(self, path: str) -> Any:
        """The FileStatus, or None where there is nothing."""
        try:
            return self._fs.getFileStatus(self._java(path))
        except jvm.JavaError as error:
            if isinstance(error, self._missing):
                return None
            raise

    def _list(self, path: str) -> list[Any]:
        return [status for status in self._fs.listStatus(self._java(path)) or () if status is not None]

    def _children(self, path: str) -> list[str]:
        return [jvm.text(status.getPath().getName()) for status in self._list(path)]

    def _mark(self) -> None:
        stream = None
        try:
            stream = self._fs.create(self._java(f"{self._path}/{MARKER}"), False)
            stream.write(jpype.JArray(jpype.JByte)(NOTE))
            stream.close()
        except jvm.JavaError as error:
            patience = MAKING_SECONDS if isinstance(error, self._exists) else 0.0
            if not appears(lambda: self._status(self.marker) is not None, patience):
                raise
            return  # another session was quicker
        self.made_marker = True


def _some(names: list[str]) -> str:
    """The first few names, for a message."""
    return ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")
