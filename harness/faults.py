"""A fault in fsconform itself that ends a command: exit code 70, and a report in a file that can be sent to us.

Errors within a run cost a program or a store and lead to exit code 3 (``engine.internal``). What comes here is the
rest: it ends the command, but not before what was found is written.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path

FAULT = 70
"""The exit code: EX_SOFTWARE of sysexits.h."""

LONGEST = 200_000
"""Characters of a traceback that are kept: its end."""

_homes: list[Path] = []
"""The folders of runs that were made in this process; the last one is the present run's."""


class _Kept:
    """The first error of ours that was met while the rest went on."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Keep an error of ours that is raised inside, and go on after it. How a command ends itself passes."""
        from click import ClickException

        try:
            yield
        except ClickException:
            raise
        except Exception as error:
            self.error = self.error or error

    def end(self) -> None:
        """Raise what was kept, now that all else is done."""
        if self.error is not None:
            raise self.error


def kept() -> _Kept:
    """A keeper of errors for one command."""
    return _Kept()


def at_home(folder: Path) -> None:
    """Say in which folder the present run keeps what it found: reports of faults go there."""
    _homes.append(folder)


def forget() -> None:
    """Begin with another command."""
    _homes.clear()


def is_ours(error: BaseException) -> bool:
    """Whether an error was raised in our code, or in what it called."""
    return any(
        str(frame.f_globals.get("__name__", "")).startswith("fsconform.")
        and not str(frame.f_globals.get("__name__", "")).startswith("fsconform.app.pytest_plugin")
        for frame, _ in traceback.walk_tb(error.__traceback__)
    )


def tell(error: BaseException, arguments: Sequence[str] | None = None, to: str = "fsconform") -> str:
    """Write the report of a fault; what a person is told of it, in a few lines. Never raises."""
    arguments = sys.argv[1:] if arguments is None else arguments
    text = report(error, arguments, to)
    home = next((one for one in reversed(_homes) if one.is_dir()), None)
    kept_in = f"What was found so far is in {home}.\n" if home is not None else ""
    said = f"{to}: a fault in fsconform itself, not in your store: {_line(text)}\n{kept_in}"
    for folder in (home, Path(tempfile.gettempdir())):
        if folder is not None and (path := _written(folder, text)) is not None:
            return f"{said}Its report, without the secrets that are known, is {path}: please send us that file.\n"
    return f"{said}Its report could not be written to a file; please send us this:\n{text}"


def report(error: BaseException, arguments: Sequence[str], to: str = "fsconform") -> str:
    """What we need to know of a fault: versions, the command line and the traceback, both without secrets."""
    try:
        from fsconform.engine import secrecy
        from fsconform.engine.secrecy import KNOWN
        from fsconform.harness import scrubbing

        KNOWN.learn(secrecy.of_arguments(arguments) | secrecy.of_environment(os.environ))
        command = shlex.join([to, *scrubbing.arguments(arguments)])
        trace = "".join(traceback.format_exception(error))[-LONGEST:]
        # The last line is the error itself, and the one that is quoted.
        text = scrubbing.uri(f"{_versions()}command line: {command}\n{trace}")
        return KNOWN.text(_SETTING.sub(_without_value, text))
    except Exception:  # of what hides secrets: then nothing that could hold one is told
        frames = "".join(traceback.format_tb(error.__traceback__))[-LONGEST:]
        return f"{_versions()}command line: not told\n{frames}{type(error).__name__}\n"


_SETTING = re.compile(r"([\w.-]+)([=:]\s?)(\S+)")


def _without_value(found: re.Match[str]) -> str:
    from fsconform.harness import scrubbing

    return f"{found[1]}{found[2]}{scrubbing.HIDDEN}" if scrubbing.SECRET.search(found[1]) else found[0]


def _versions() -> str:
    try:
        own = metadata.version("fsconform")
    except metadata.PackageNotFoundError:
        own = "unknown"
    return f"fsconform {own}, Python {platform.python_version()}, {platform.platform()}\n"


def _line(text: str) -> str:
    """The error itself, on one line."""
    last = next((line for line in reversed(text.splitlines()) if line and not line[0].isspace()), "")
    return "".join(one if one.isprintable() else " " for one in last)[:300]


def _written(folder: Path, text: str) -> Path | None:
    """A new file of the report that only this user may read; None where it can't be written."""
    try:
        descriptor, name = tempfile.mkstemp(prefix="fsconform-fault-", suffix=".txt", dir=folder, text=True)
    except OSError:
        return None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        with suppress(OSError):
            Path(name).unlink()
        return None
    return Path(name)
