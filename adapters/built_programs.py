"""Programs that are made once on this machine and kept in the cache, whatever makes them; processes share them."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import platformdirs
from filelock import FileLock, Timeout

_LINES_SHOWN = 12


def kept_path(name: str, version: str) -> Path:
    """Where a program is kept: below FSCONFORM_CACHE, else below the user's cache folder."""
    named = os.environ.get("FSCONFORM_CACHE")
    root = Path(named) if named else platformdirs.user_cache_path("fsconform")
    return root / "programs" / f"{name}-{version}-{platform.system()}-{platform.machine()}".lower()


def make_once(
    path: Path, wanted: Path, make: Callable[[Path], Path], seconds: float, failure: type[Exception], unless: str
) -> None:
    """Put what ``make`` makes in a scratch folder at ``path``, unless ``wanted`` is there. Safe in parallel processes.

    ``wanted`` is the path itself or a file below it. Another process is waited for so many seconds. Raises ``failure``
    where the lock or the cache can't be had; ``unless`` is when the lock must stay ("none is building").
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(path.name + ".lock"), timeout=seconds):
            if not wanted.is_file():
                with tempfile.TemporaryDirectory(dir=path.parent, prefix=".make-") as scratch:
                    made = make(Path(scratch))
                    if made.is_dir():
                        shutil.rmtree(path, ignore_errors=True)
                    made.replace(path)
    except Timeout as error:
        raise failure(
            f"Another process has held the lock on {path} for {seconds:.0f} s. If {unless}, remove it."
        ) from error
    except OSError as error:
        raise failure(
            f"{path.parent} cannot be used: {error}. Set FSCONFORM_CACHE to a folder that can be written."
        ) from error


def last_lines(done: CompletedProcess[str]) -> str:
    """The last lines that a command wrote, indented."""
    return "\n".join(f"    {line}" for line in (done.stdout + done.stderr).splitlines()[-_LINES_SHOWN:])
