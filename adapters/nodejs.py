"""Node programs that a service needs: installed once by npm from a lock that is shipped, kept in the cache, shared.

The lock names every package with its SHA-512, which npm checks; no script of a package is run.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fsconform.adapters.built_programs import kept_path, last_lines, make_once
from fsconform.adapters.patience import patient

INSTALL_SECONDS = 1800.0
"""How long an installation may take, its downloads among it, and how long another process waits for it."""


class NodeError(Exception):
    """A Node program could not be had. The text says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class NodeProgram:
    """A program of npm's: the folder of its lock below ``services/npm``, its script, and the oldest Node for it."""

    name: str
    version: str
    script: str
    minimum: int


def find_node(program: NodeProgram) -> Path:
    """The ``node`` of PATH, if it is new enough. Raises NodeError."""
    mend = f"Install Node.js {program.minimum} or later (your system's package), or put it on PATH."
    found = shutil.which("node")
    if found is None:
        raise NodeError(f"There is no node on PATH, which {program.name} needs. {mend}")
    try:
        said = subprocess.run(
            [found, "--version"], capture_output=True, text=True, timeout=patient(30), check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NodeError(f"{found} does not run: {error}. {mend}") from error
    number = re.match(r"v(\d+)\.", said)
    if number is None or int(number[1]) < program.minimum:
        raise NodeError(f"{found} is {said.strip() or 'of no known version'}, too old for {program.name}. {mend}")
    return Path(found)


def installed_path(program: NodeProgram) -> Path:
    """The folder of the installed program: below FSCONFORM_CACHE, else below the user's cache folder."""
    return kept_path(program.name, program.version)


def lacks(program: NodeProgram) -> list[str]:
    """What must be installed before the program can be had."""
    try:
        find_node(program)
    except NodeError as error:
        return [str(error)]
    if not (installed_path(program) / program.script).is_file() and shutil.which("npm") is None:
        return [f"There is no npm on PATH, which installs {program.name}. It comes with Node.js."]
    return []


def installed(program: NodeProgram, progress: Callable[[str], None]) -> Path:
    """The program's script, installed first if the cache lacks it. Safe in parallel processes. Raises NodeError."""
    folder = installed_path(program)
    script = folder / program.script
    if script.is_file():
        return script

    def make(scratch: Path) -> Path:
        progress(f"Installing {program.name} {program.version} by npm: minutes, once.")
        made = scratch / "made"
        made.mkdir()
        _install(program, made)
        return made

    make_once(folder, script, make, INSTALL_SECONDS, NodeError, "none installs")
    return script


def _install(program: NodeProgram, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NodeError(f"There is no npm on PATH, which installs {program.name}. It comes with Node.js.")
    locked = files("fsconform.adapters").joinpath("services", "npm", program.name)
    for name in ("package.json", "package-lock.json"):
        (folder / name).write_bytes(locked.joinpath(name).read_bytes())
    command = [npm, "ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NodeError(f"npm did not install {program.name} within {INSTALL_SECONDS:.0f} s.") from error
    if done.returncode != 0 or not (folder / program.script).is_file():
        raise NodeError(
            f"{program.name} {program.version} could not be installed: npm ended with code {done.returncode}. "
            f"Check the network and npm's settings.\n{last_lines(done)}"
        )
