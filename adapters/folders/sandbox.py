"""The sandbox directory: taken, proven ours, cleaned. Nothing outside of it is touched, and no link in it is followed.

The directory carries a marker file. Each session has a directory below it, each program one below that; they are open
to this user alone, and all calls go through open directories, so that nobody can put another in their place.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from fsconform.adapters.folders import trees
from fsconform.adapters.folders.marker import MARKER, MEND, NOTE, RUN_PREFIX, is_ours, new_run, settled
from fsconform.engine.protocol import SandboxRefused, StoreLost

_OWN = 0o700
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW

_ATTEMPTS = 3
"""A sandbox may be removed by its last session while another session is taking it."""

_WRONG_PLACE = frozenset(
    (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EEXIST)
)
"""Errors that another directory would mend; all others are the machine's."""


class Sandbox:
    """The sandbox of one session. ``made_marker`` and ``made_sandbox`` say what was not there before."""

    def __init__(self, path: Path, run: str = "") -> None:
        """Take the sandbox and make the session's directory, named ``run`` or by chance.

        Raises SandboxRefused or StoreLost.
        """
        self.path = path.absolute()
        self.made_marker = self.made_sandbox = False
        self._run = run or new_run()
        self._top = self._own = -1
        if len(self.path.parts) < 2 or ".." in self.path.parts:
            raise SandboxRefused(
                f"{path} names no plain directory below the root. Name one that fsconform may fill and empty, without "
                "'..' in its path."
            )
        try:
            self._take_patiently()
        except OSError as error:
            self._let_go()
            told = f"{self.path} cannot be used as a sandbox: {error.strerror}"
            if error.errno in _WRONG_PLACE:
                raise SandboxRefused(f"{told}. Name a directory that you may write, or that you may make.") from error
            raise StoreLost(told) from error
        except SandboxRefused:
            self._let_go()
            raise

    def _take_patiently(self) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._take()
                return
            except FileNotFoundError:
                self._let_go()
                if attempt == _ATTEMPTS:
                    raise

    def _take(self) -> None:
        try:
            mode = os.lstat(self.path).st_mode
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):  # another session was quicker
                self.path.mkdir(_OWN)
                self.made_sandbox = True
        else:
            if not stat.S_ISDIR(mode):
                kind = "a symbolic link" if stat.S_ISLNK(mode) else "a file"
                raise SandboxRefused(f"{self.path} is {kind}. Name a directory that is missing or empty.")
        self._top = os.open(self.path, _DIRECTORY)
        if not self._marked():
            names = os.listdir(self._top)
            # Another session may have marked it in between.
            if names and MARKER not in names:
                raise SandboxRefused(
                    f"{self.path} holds what is not ours ({_some(names)}) and no file {MARKER}. Name a directory that "
                    f"is missing or empty; or, if all in it may be deleted, {MEND}."
                )
            self._mark()
        os.mkdir(self._run, _OWN, dir_fd=self._top)
        self._own = os.open(self._run, _DIRECTORY, dir_fd=self._top)
        # Another session's end may have removed the marker in between.
        if not self._marked():
            self._mark()

    def _marked(self) -> bool:
        said = settled(self._said)
        if said is not None and not is_ours(said):
            raise SandboxRefused(
                f"{self.path / MARKER} is not the file that marks a sandbox, so {self.path} is not known to be ours. "
                f"Name another directory; or, if all in it may be deleted, {MEND}."
            )
        return said is not None

    def _said(self) -> bytes | None:
        try:
            # Without waiting for whoever writes to a pipe of that name.
            marker = os.open(MARKER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self._top)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                raise self._no_file() from error
            raise
        try:
            if not stat.S_ISREG(os.fstat(marker).st_mode):
                raise self._no_file()
            return os.read(marker, 2 * len(NOTE))
        finally:
            os.close(marker)

    def _no_file(self) -> SandboxRefused:
        return SandboxRefused(f"{self.path / MARKER} is no plain file, so {self.path} is not known to be ours.")

    def _mark(self) -> None:
        try:
            marker = os.open(MARKER, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=self._top)
        except FileExistsError:
            return  # another session was quicker
        try:
            os.write(marker, NOTE)
        finally:
            os.close(marker)
        self.made_marker = True

    def open_base(self, number: int) -> int:
        """Make the fresh directory of a program and open it. Raises StoreLost."""
        name = f"p{number}"
        try:
            os.mkdir(name, _OWN, dir_fd=self._own)
            return os.open(name, _DIRECTORY, dir_fd=self._own)
        except OSError as error:
            where = self.path / self._run / name
            raise StoreLost(f"the program's directory {where} could not be made: {error.strerror}") from error

    def name_of(self, number: int) -> str:
        """The directory of a program, as other sessions on this sandbox know it: see :meth:`open_of_other`."""
        return f"{self._run}/p{number}"

    def open_of_other(self, name: str) -> int:
        """Open the directory of a program that another session on this sandbox made. Raises StoreLost."""
        run, _, program = name.partition("/")
        try:
            own = os.open(run, _DIRECTORY, dir_fd=self._top)
            try:
                return os.open(program, _DIRECTORY, dir_fd=own)
            finally:
                os.close(own)
        except OSError as error:
            raise StoreLost(
                f"the program's directory {self.path / name} could not be opened: {error.strerror}"
            ) from error

    def place_of(self, number: int) -> Path:
        """Where the directory of a program is, for calls that take no open directory."""
        return self.path / self._run / f"p{number}"

    def close_base(self, number: int, base: int) -> None:
        """Close a program's directory and remove it with all in it; what stays is taken up by :meth:`leave`."""
        with suppress(OSError):
            trees.clear(base)
            os.rmdir(f"p{number}", dir_fd=self._own)
        os.close(base)

    def sweep(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Remove other sessions' directories; the names removed and the problems met."""
        removed: list[str] = []
        problems: list[str] = []
        for name in sorted(os.listdir(self._top)):
            if name.startswith(RUN_PREFIX) and name != self._run:
                problem = self._remove(name)
                (problems if problem else removed).append(problem or name)
        return tuple(removed), tuple(problems)

    def clear(self, run: str) -> None:
        """Remove the directory of a session of that name, whose process is gone. What stays is taken up by a sweep."""
        if run.startswith(RUN_PREFIX) and "/" not in run and run != self._run:
            self._remove(run)

    def leave(self, marker: bool, sandbox: bool) -> str:
        """Remove the session's directory; marker and sandbox too where asked for and nothing else is there.

        The text says what could not be removed.
        """
        try:
            problem = self._remove(self._run)
            if not problem and marker and os.listdir(self._top) == [MARKER]:
                os.unlink(MARKER, dir_fd=self._top)
                if sandbox:
                    self._remove_sandbox()
        except OSError as error:
            return f"{self.path}: {error.strerror}"
        finally:
            self._let_go()
        return problem

    def _remove_sandbox(self) -> None:
        try:
            self.path.rmdir()
        except OSError:
            # A session that began a moment ago is there: it needs the marker.
            self._mark()

    def _remove(self, name: str) -> str:
        """Remove an entry of the sandbox; why that failed, else an empty text."""
        try:
            if stat.S_ISDIR(os.stat(name, dir_fd=self._top, follow_symlinks=False).st_mode):
                trees.clear(self._top, (os.fsencode(name),))
                os.rmdir(name, dir_fd=self._top)
            else:
                os.unlink(name, dir_fd=self._top)
        except FileNotFoundError:
            return ""
        except OSError as error:
            return f"{self.path / name} could not be removed: {error.strerror}"
        return ""

    def _let_go(self) -> None:
        for descriptor in (self._own, self._top):
            if descriptor >= 0:
                os.close(descriptor)
        self._top = self._own = -1


def _some(names: list[str]) -> str:
    """The first few names, for a message."""
    return ", ".join(map(repr, sorted(names)[:3])) + (", ..." if len(names) > 3 else "")
